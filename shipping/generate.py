"""Writes what stores of plugins and servers want of us: the plugin, its marketplace, the bundle, the registry entry.

All of it follows from `pyproject.toml`, the version, SKILL.md and the table of hooks, so nothing is written twice:

    python shipping/generate.py            writes the files
    python shipping/generate.py --pack D   writes everfact-VERSION.mcpb, a zip of the bundle, into the folder D
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from everfact import __version__
from everfact.install import hooks, skill

ROOT = Path(__file__).parents[1]
REGISTRY_NAME = "io.github.everfact/everfact"
"""Stands in README.md, too, by which PyPI proves that the package is ours."""
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
BUNDLE = "shipping/bundle"
PROGRAM = "everfact"

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ABOUT = {"version": __version__, "description": PROJECT["description"]}
AUTHOR = {"name": "everfact"}
LICENSE = {"license": PROJECT["license"]}

SERVER_PY = '''\
"""Starts the server; uv has installed everfact from the pyproject.toml beside."""

import sys

from everfact.cli import main

sys.argv = ["everfact", "mcp", "serve"]
main()
'''


def files() -> dict[str, str]:
    """Every file that is written, by its path."""
    return {
        ".claude-plugin/marketplace.json": _json(marketplace()),
        "plugin/.claude-plugin/plugin.json": _json(plugin()),
        "plugin/.mcp.json": _json({"mcpServers": {"everfact": {"command": PROGRAM, "args": ["mcp", "serve"]}}}),
        "plugin/hooks/hooks.json": _json(plugin_hooks()),
        "plugin/skills/everfact/SKILL.md": skill.text(),
        f"{BUNDLE}/manifest.json": _json(bundle()),
        f"{BUNDLE}/pyproject.toml": bundle_project(),
        f"{BUNDLE}/src/server.py": SERVER_PY,
        "server.json": _json(registry()),
    }


def plugin() -> dict[str, object]:
    """What the plugin is."""
    return {"name": "everfact", **ABOUT, "author": AUTHOR, **LICENSE, "keywords": PROJECT["keywords"]}


def marketplace() -> dict[str, object]:
    """A marketplace that has this one plugin."""
    entry = {"name": "everfact", "source": "./plugin", **ABOUT}
    return {"name": "everfact", "owner": AUTHOR, "description": PROJECT["description"], "plugins": [entry]}


def plugin_hooks() -> dict[str, object]:
    """The hooks that `everfact setup` writes for Claude Code, for the program on the path."""
    [claude] = [row for row in hooks.HOOKS if row.client == "claude-code"]
    groups = {event: [group] for event, group in hooks.groups(claude, PROGRAM).items()}
    return {"description": "The brief at the start, what was said at the end", "hooks": groups}


def bundle() -> dict[str, object]:
    """The manifest of the bundle for Claude Desktop."""
    run = {"command": "uv", "args": ["run", "--directory", "${__dirname}", "src/server.py"]}
    return {
        "manifest_version": "0.4",
        "name": "everfact",
        "display_name": "everfact",
        **ABOUT,
        "author": AUTHOR,
        **LICENSE,
        "keywords": PROJECT["keywords"],
        "server": {"type": "uv", "entry_point": "src/server.py", "mcp_config": run},
        "tools_generated": True,
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": PROJECT["requires-python"]},
        },
    }


def bundle_project() -> str:
    """What uv installs for the bundle: this very version."""
    lines = [
        "[project]",
        'name = "everfact-bundle"',
        f'version = "{__version__}"',
        f'requires-python = "{PROJECT["requires-python"]}"',
        f'dependencies = ["everfact=={__version__}"]',
    ]
    return "\n".join(lines) + "\n"


def registry() -> dict[str, object]:
    """The entry in the registry of MCP servers."""
    package = {
        "registryType": "pypi",
        "identifier": "everfact",
        "version": __version__,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": word} for word in ("mcp", "serve")],
    }
    return {"$schema": REGISTRY_SCHEMA, "name": REGISTRY_NAME, "title": "everfact", **ABOUT, "packages": [package]}


def write() -> None:
    """Write every file."""
    for path, text in files().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


def pack(folder: Path) -> Path:
    """The bundle as one file."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = folder / f"everfact-{__version__}.mcpb"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files().items():
            if path.startswith(BUNDLE):
                # A fixed time, so that the same sources give the same bytes.
                archive.writestr(zipfile.ZipInfo(re.sub(f"^{BUNDLE}/", "", path)), text)
        archive.write(ROOT / "LICENSE", "LICENSE")
    return packed


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pack"]:
        print(pack(Path(sys.argv[2])))
    else:
        write()

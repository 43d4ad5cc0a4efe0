"""The assistants we can connect, as a table: where each keeps its servers, under which key, in which shape.

Paths begin with a place that `resolve` fills in: `~`, `{config}` (where applications keep settings on this system),
`{xdg}`, `{claude}` and `{codex}`. Of several files the first one that is there is meant, else the first.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from everfact.errors import NotFound

Shape = Mapping[str, object]
"""An entry; `$command`, `$args`, `$words` (both) and `$url` stand for what the server is."""

_STDIO: Shape = {"command": "$command", "args": "$args"}
_TYPED: Shape = {"type": "stdio", **_STDIO}
_URL: Shape = {"url": "$url"}
_HTTP: Shape = {"type": "http", **_URL}


@dataclass(frozen=True, slots=True)
class Program:
    """A client's own command for new entries, as words; `$name` and `$json` stand for the entry's."""

    name: str
    add_stdio: str
    add_http: str


@dataclass(frozen=True, slots=True)
class Client:
    """One assistant."""

    name: str
    title: str
    stdio: Shape
    http: Shape | None
    """None: it only starts servers."""
    files: tuple[str, ...]
    """Where its user's servers are; empty where we would not write."""
    project_file: str = ""
    key: str = "mcpServers"
    program: Program | None = None
    skills: tuple[str, str] | None = None
    """The folders of a user's skills and of a project's."""
    trace: str = ""
    """A folder that says it is here, where that of its file is made late."""


_ADD_JSON = "mcp add-json $name $json -s user"
_CLAUDE = Program("claude", _ADD_JSON, _ADD_JSON)
_CODEX = Program("codex", "mcp add $name -- $words", "mcp add $name --url $url")
_GEMINI = Program("gemini", "mcp add -s user $name $command -- $args", "mcp add -s user -t http $name $url")
_OPENCODE = ("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc")
_OPENCODE_STDIO = {"type": "local", "command": "$words", "enabled": True}
_OPENCODE_HTTP = {"type": "remote", **_URL, "enabled": True}
_EXTENSIONS = "{config}/Code/User/globalStorage"
_CLINE = (f"{_EXTENSIONS}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",)
_CLINE_HTTP = {"type": "streamableHttp", **_URL}
_ROO = (f"{_EXTENSIONS}/rooveterinaryinc.roo-cline/settings/mcp_settings.json",)
_ROO_HTTP = {"type": "streamable-http", **_URL}
_COPILOT = {"type": "local", **_STDIO, "tools": ["*"]}
_GOOSE = ("{xdg}/goose/config.yaml", "{config}/Block/goose/config/config.yaml")
_GOOSE_REST = {"enabled": True, "timeout": 300}
_GOOSE_STDIO = {"name": "$name", "type": "stdio", "cmd": "$command", "args": "$args", **_GOOSE_REST}
_GOOSE_HTTP = {"name": "$name", "type": "streamable_http", "uri": "$url", **_GOOSE_REST}

# fmt: off
CLIENTS = (
    Client("claude-code", "Claude Code", _TYPED, _HTTP, ("{claude}/.claude.json",), ".mcp.json",
           program=_CLAUDE, skills=("{claude-settings}/skills", ".claude/skills")),
    Client("claude-desktop", "Claude Desktop", _STDIO, None, ("{config}/Claude/claude_desktop_config.json",)),
    Client("cursor", "Cursor", _STDIO, _URL, ("~/.cursor/mcp.json",), ".cursor/mcp.json"),
    Client("vscode", "VS Code", _TYPED, _HTTP, ("{config}/Code/User/mcp.json",), ".vscode/mcp.json", "servers"),
    Client("windsurf", "Windsurf", _STDIO, {"serverUrl": "$url"}, ("~/.codeium/windsurf/mcp_config.json",)),
    Client("codex", "Codex", _STDIO, _URL, ("{codex}/config.toml",), ".codex/config.toml", "mcp_servers",
           program=_CODEX, skills=("{codex}/skills", ".codex/skills")),
    Client("gemini", "Gemini CLI", _STDIO, _HTTP, ("~/.gemini/settings.json",), ".gemini/settings.json",
           program=_GEMINI, skills=("~/.gemini/skills", ".gemini/skills")),
    Client("zed", "Zed", _STDIO, _URL, ("{xdg}/zed/settings.json", "{config}/Zed/settings.json"),
           ".zed/settings.json", "context_servers"),
    Client("opencode", "opencode", _OPENCODE_STDIO, _OPENCODE_HTTP, _OPENCODE, "opencode.json", "mcp"),
    Client("cline", "Cline", _STDIO, _CLINE_HTTP, _CLINE),
    Client("cline-cli", "Cline CLI", {"transport": _TYPED}, {"transport": _CLINE_HTTP},
           ("~/.cline/data/settings/cline_mcp_settings.json",), trace="~/.cline"),
    Client("roo", "Roo Code", _STDIO, _ROO_HTTP, _ROO, ".roo/mcp.json"),
    Client("junie", "Junie", _STDIO, _URL, ("~/.junie/mcp/mcp.json",), ".junie/mcp/mcp.json",
           trace="~/.junie"),
    Client("copilot", "Copilot CLI", _COPILOT, {**_HTTP, "tools": ["*"]}, ("~/.copilot/mcp-config.json",),
           ".github/mcp.json"),
    Client("goose", "Goose", _GOOSE_STDIO, _GOOSE_HTTP, _GOOSE, key="extensions"),
    Client("librechat", "LibreChat", _TYPED, {**_ROO_HTTP, "serverInstructions": True}, ()),
)
# fmt: on


def find(name: str) -> Client:
    """The client of that name.

    Raises:
        NotFound: there is none.
    """
    wanted = {"claude": "claude-code", "gemini-cli": "gemini", "copilot-cli": "copilot"}.get(name, name)
    for client in CLIENTS:
        if client.name == wanted:
            return client
    raise NotFound(f"no client is called {name}", hint=f"known are {', '.join(c.name for c in CLIENTS)}")


def here() -> list[Client]:
    """Claude Code, and every other client that this user has."""
    return [client for client in CLIENTS if client.name == "claude-code" or _is_here(client)]


def user_file(client: Client) -> Path | None:
    """The file that holds its user's servers, or would."""
    files = [resolve(template) for template in client.files]
    present = [file for file in files if file.exists()] or [file for file in files if file.parent.is_dir()]
    return next(iter([*present, *files]), None)


def resolve(template: str) -> Path:
    """A path of the table on this machine."""
    home = Path.home()
    xdg = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    places = {
        "~": home,
        "{config}": _config_folder(home, xdg),
        "{xdg}": xdg,
        "{claude}": Path(os.environ.get("CLAUDE_CONFIG_DIR") or home),
        "{claude-settings}": Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude"),
        "{codex}": Path(os.environ.get("CODEX_HOME") or home / ".codex"),
    }
    first, _, rest = template.partition("/")
    return places[first] / rest


def fill(shape: object, values: Mapping[str, object]) -> object:
    """The shape with its `$` words replaced."""
    if isinstance(shape, Mapping):
        return {key: fill(held, values) for key, held in shape.items()}
    return values.get(shape, shape) if isinstance(shape, str) else shape


def _is_here(client: Client) -> bool:
    if client.program and shutil.which(client.program.name):
        return True
    folders = [client.trace or file.rpartition("/")[0] for file in client.files]
    return any(resolve(folder).is_dir() for folder in folders)


def _config_folder(home: Path, xdg: Path) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    return home / "Library" / "Application Support" if sys.platform == "darwin" else xdg

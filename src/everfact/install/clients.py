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
_CLINE = "{config}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
_ROO = "{config}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One assistant."""

    name: str
    title: str
    files: tuple[str, ...] = ()
    """Where its user's servers are; nowhere that we would write, if empty."""
    project_file: str = ""
    key: str = "mcpServers"
    stdio: Shape
    http: Shape | None
    """None: it only starts servers."""
    traces: tuple[str, ...] = ()
    """Folders that say it is here, beside that of its file."""
    program: str = ""
    add_stdio: tuple[str, ...] = ()
    """Its own command for a new entry; `$name` and `$json` stand for the entry's."""
    add_http: tuple[str, ...] = ()
    skills: str = ""
    """The folder of its user's skills; of a project's, below."""
    project_skills: str = ""


CLIENTS = (
    Client(
        name="claude-code",
        title="Claude Code",
        files=("{claude}/.claude.json",),
        project_file=".mcp.json",
        stdio=_TYPED,
        http=_HTTP,
        program="claude",
        add_stdio=("mcp", "add-json", "$name", "$json", "-s", "user"),
        add_http=("mcp", "add-json", "$name", "$json", "-s", "user"),
        skills="{claude-settings}/skills",
        project_skills=".claude/skills",
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        files=("{config}/Claude/claude_desktop_config.json",),
        stdio=_STDIO,
        http=None,
    ),
    Client(
        name="cursor",
        title="Cursor",
        files=("~/.cursor/mcp.json",),
        project_file=".cursor/mcp.json",
        stdio=_STDIO,
        http=_URL,
    ),
    Client(
        name="vscode",
        title="VS Code",
        files=("{config}/Code/User/mcp.json",),
        project_file=".vscode/mcp.json",
        key="servers",
        stdio=_TYPED,
        http=_HTTP,
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        files=("~/.codeium/windsurf/mcp_config.json",),
        stdio=_STDIO,
        http={"serverUrl": "$url"},
    ),
    Client(
        name="codex",
        title="Codex",
        files=("{codex}/config.toml",),
        project_file=".codex/config.toml",
        key="mcp_servers",
        stdio=_STDIO,
        http=_URL,
        program="codex",
        add_stdio=("mcp", "add", "$name", "--", "$words"),
        add_http=("mcp", "add", "$name", "--url", "$url"),
        skills="{codex}/skills",
        project_skills=".codex/skills",
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        files=("~/.gemini/settings.json",),
        project_file=".gemini/settings.json",
        stdio=_STDIO,
        http={"url": "$url", "type": "http"},
        program="gemini",
        add_stdio=("mcp", "add", "-s", "user", "$name", "$command", "--", "$args"),
        add_http=("mcp", "add", "-s", "user", "-t", "http", "$name", "$url"),
        skills="~/.gemini/skills",
        project_skills=".gemini/skills",
    ),
    Client(
        name="zed",
        title="Zed",
        files=("{xdg}/zed/settings.json", "{config}/Zed/settings.json"),
        project_file=".zed/settings.json",
        key="context_servers",
        stdio=_STDIO,
        http=_URL,
    ),
    Client(
        name="opencode",
        title="opencode",
        files=("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"),
        project_file="opencode.json",
        key="mcp",
        stdio={"type": "local", "command": "$words", "enabled": True},
        http={"type": "remote", "url": "$url", "enabled": True},
    ),
    Client(
        name="cline",
        title="Cline",
        files=(_CLINE,),
        stdio=_STDIO,
        http={"type": "streamableHttp", "url": "$url"},
    ),
    Client(
        name="cline-cli",
        title="Cline CLI",
        files=("~/.cline/data/settings/cline_mcp_settings.json",),
        stdio={"transport": _TYPED},
        http={"transport": {"type": "streamableHttp", "url": "$url"}},
    ),
    Client(
        name="roo",
        title="Roo Code",
        files=(_ROO,),
        project_file=".roo/mcp.json",
        stdio=_STDIO,
        http={"type": "streamable-http", "url": "$url"},
    ),
    Client(
        name="junie",
        title="Junie",
        files=("~/.junie/mcp/mcp.json",),
        project_file=".junie/mcp/mcp.json",
        stdio=_STDIO,
        http=_URL,
        traces=("~/.junie",),
    ),
    Client(
        name="copilot",
        title="Copilot CLI",
        files=("~/.copilot/mcp-config.json",),
        project_file=".github/mcp.json",
        stdio={"type": "local", **_STDIO, "tools": ["*"]},
        http={"type": "http", "url": "$url", "tools": ["*"]},
        program="copilot",
    ),
    Client(
        name="goose",
        title="Goose",
        files=("{xdg}/goose/config.yaml", "{config}/Block/goose/config/config.yaml"),
        key="extensions",
        stdio={"name": "$name", "type": "stdio", "cmd": "$command", "args": "$args", "enabled": True, "timeout": 300},
        http={"name": "$name", "type": "streamable_http", "uri": "$url", "enabled": True, "timeout": 300},
    ),
    Client(
        name="librechat",
        title="LibreChat",
        stdio=_TYPED,
        http={"type": "streamable-http", "url": "$url", "timeout": 60000, "serverInstructions": True},
    ),
)


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
    if client.program and shutil.which(client.program):
        return True
    folders = [resolve(file).parent for file in client.files] + [resolve(trace) for trace in client.traces]
    return any(folder.is_dir() for folder in folders)


def _config_folder(home: Path, xdg: Path) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    return home / "Library" / "Application Support" if sys.platform == "darwin" else xdg

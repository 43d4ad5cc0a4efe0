"""Claude Code itself: it connects, stores a memory in one run and finds it in the next."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.clients.model import Model, serving
from tests.clients.node import installed, run
from tests.clients.serving import SERVE, http_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "IS_SANDBOX": "1",
    "ENABLE_TOOL_SEARCH": "false",
}


def claude(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    program = installed("@anthropic-ai/claude-code").parents[1] / ".bin" / "claude"
    return run(program, *arguments, cwd=folder, environ=QUIET | environ)


def ask(folder: Path, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """A run in which the model calls the tool once; answers with what it was shown."""
    entry = {"command": SERVE[0], "args": [*SERVE[1:], "--store", str(folder / "memory.db")]}
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"mem": entry}}), encoding="utf-8")
    with serving(Model(tool, arguments)) as model:
        done = claude(
            folder,
            *("-p", "Use your memory.", "--mcp-config", str(config), "--strict-mcp-config"),
            *("--allowedTools", "mcp__mem__*", "--output-format", "stream-json", "--verbose"),
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="none",
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return model.results


def test_it_says_connected(tmp_path: Path) -> None:
    store = str(tmp_path / "memory.db")
    with http_server(tmp_path / "http.db") as url:
        assert claude(tmp_path, "mcp", "add", "mem", "-s", "user", "--", *SERVE, "--store", store).returncode == 0
        assert claude(tmp_path, "mcp", "add", "--transport", "http", "memh", url, "-s", "user").returncode == 0
        listed = claude(tmp_path, "mcp", "list").stdout
    lines = [line for line in listed.splitlines() if line.startswith("mem")]
    assert len(lines) == 2
    assert all("Connected" in line for line in lines), listed


def test_what_one_run_stores_the_next_one_finds(tmp_path: Path) -> None:
    told = ask(tmp_path, "add_memory", name="job", episode_body="Ana Costa works at Globex.", wait=True)
    assert len(told) == 1
    assert not told[0].get("is_error")
    found = ask(tmp_path, "search_memory_facts", query="Where does Ana Costa work?")
    assert "Ana Costa works at Globex." in json.dumps(found)

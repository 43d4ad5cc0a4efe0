"""Gemini CLI connects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.clients.node import installed, run
from tests.clients.serving import SERVE, http_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_it_says_connected(tmp_path: Path) -> None:
    program = installed("@google/gemini-cli").parents[1] / ".bin" / "gemini"
    settings = tmp_path / ".gemini" / "settings.json"
    settings.parent.mkdir()
    with http_server(tmp_path / "http.db") as url:
        stdio = {"command": SERVE[0], "args": [*SERVE[1:], "--store", str(tmp_path / "memory.db")], "trust": True}
        servers = {"mem": stdio, "memh": {"url": url, "type": "http", "trust": True}}
        trust = {"folderTrust": {"enabled": False}}
        settings.write_text(json.dumps({"mcpServers": servers, "security": trust}), encoding="utf-8")
        done = run(program, "mcp", "list", cwd=tmp_path)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "mem" in line and "onnected" in line]
    assert len(lines) == 2, done.stdout + done.stderr
    assert all("Connected" in line for line in lines)

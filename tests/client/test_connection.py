"""The connection: answers in every shape, sessions kept and opened anew, errors that are ours."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from everfact.client.connection import Connection, UnknownToolError
from everfact.errors import ConfigError, NotFound, StoreError, StoreUnavailable, UsageError

URL = "http://memory.test/mcp/"
Script = Callable[..., Any]


@pytest.mark.parametrize("sse", [True, False])
@pytest.mark.parametrize("shape", ["wrapped", "plain", "text"])
async def test_every_shape_of_answer_means_the_same(scripted: Script, shape: str, sse: bool) -> None:
    server = scripted({"get_status": {"status": "ok", "message": "fine"}}, shape=shape, sse=sse)
    connection = Connection(URL, http_client=server.client)
    assert await connection.call("get_status", {}) == {"status": "ok", "message": "fine"}
    await connection.close()


async def test_structured_answer_is_preferred_to_its_text(scripted: Script) -> None:
    server = scripted({"t": {"a": 1}}, shape="plain")
    connection = Connection(URL, http_client=server.client)
    assert await connection.call("t", {}) == {"a": 1}
    server.shape, server.answers["t"] = "text", "no JSON at all"
    assert await connection.call("t", {}) == "no JSON at all"
    await connection.close()


async def test_one_session_serves_all_calls_and_is_ended_on_closing(scripted: Script) -> None:
    server = scripted({"t": {}})
    connection = Connection(URL, http_client=server.client)
    await asyncio.gather(*(connection.call("t", {"n": n}) for n in range(10)))
    assert (server.opened, len(server.calls)) == (1, 10)
    assert set(server.seen_sessions) == {"session-1"}
    await connection.close()
    assert server.sessions == set()


async def test_forgotten_session_is_opened_anew_and_the_call_made_once(scripted: Script) -> None:
    server = scripted({"t": {}})
    connection = Connection(URL, http_client=server.client)
    await connection.call("t", {"n": 1})
    server.sessions.clear()
    await asyncio.gather(*(connection.call("t", {"n": n}) for n in range(2, 6)))
    assert sorted(arguments["n"] for _, arguments in server.calls) == [1, 2, 3, 4, 5]
    assert server.opened == 2
    await connection.close()


async def test_redirects_are_followed(scripted: Script) -> None:
    server = scripted({"t": {"a": 1}})
    connection = Connection(URL.rstrip("/"), http_client=server.client)
    assert await connection.call("t", {}) == {"a": 1}
    await connection.close()


async def test_protocol_errors_become_ours(scripted: Script) -> None:
    server = scripted({"bad": ValueError(-32602, "Invalid params"), "odd": ValueError(-32603, "Internal error")})
    connection = Connection(URL, http_client=server.client)
    with pytest.raises(UsageError, match="Invalid params"):
        await connection.call("bad", {})
    with pytest.raises(StoreError, match="Internal error"):
        await connection.call("odd", {})
    with pytest.raises(UnknownToolError):
        await connection.call("missing", {})
    with pytest.raises(UsageError, match="Method not found"):
        await connection.read("everfact://status")
    await connection.close()


async def test_failure_told_as_success_is_a_failure(scripted: Script) -> None:
    for shape in ("wrapped", "plain", "text"):
        server = scripted({"t": {"error": "Error: node x not found"}, "u": {"error": "broken"}}, shape=shape)
        connection = Connection(URL, http_client=server.client)
        with pytest.raises(NotFound, match="node x not found"):
            await connection.call("t", {})
        with pytest.raises(UsageError, match="broken"):
            await connection.call("u", {})
        await connection.close()


async def test_server_that_wants_a_token_says_so(scripted: Script) -> None:
    server = scripted({"t": {}}, token="right")
    connection = Connection(URL, http_client=server.client)
    with pytest.raises(ConfigError, match="does not let us in"):
        await connection.call("t", {})
    await connection.close()


async def test_server_that_is_not_there_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        connection = Connection(f"http://127.0.0.1:{taken.getsockname()[1]}/mcp")
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                await connection.call("t", {})
        await connection.close()


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_server_of_both_eras_in_this_process(mode: str) -> None:
    server = MCPServer("test")

    @server.tool()
    async def double(n: int) -> int:
        if n < 0:
            raise ToolError("n should not be negative")
        return 2 * n

    connection = Connection(server, mode=mode)
    assert await connection.call("double", {"n": 4}) == 8
    with pytest.raises(UsageError, match=r"^n should not be negative$"):
        await connection.call("double", {"n": -1})
    await connection.close()


async def test_slow_server_is_unavailable_and_others_go_on() -> None:
    server = MCPServer("test")

    @server.tool()
    async def wait(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "done"

    connection = Connection(server, timeout_seconds=0.3)
    slow, quick = await asyncio.gather(
        connection.call("wait", {"seconds": 30}), connection.call("wait", {"seconds": 0}), return_exceptions=True
    )
    assert isinstance(slow, StoreUnavailable)
    assert quick == "done"
    await connection.close()

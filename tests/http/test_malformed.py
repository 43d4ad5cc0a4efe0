"""Thousands of messages that no client should send: each gets a proper error, and the server goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Serve = Callable[..., Any]

pytestmark = pytest.mark.slow

METHODS = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "server/discover",
    "notifications/initialized",
    "notifications/cancelled",
    "rpc.discover",
    "",
]
NAMES = ["get_status", "search", "recall", "everfact://status", "everfact://fact/x", "graphiti://context", "://", "\0"]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
params = anything | st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(NAMES) | anything,
        "uri": st.sampled_from(NAMES) | anything,
        "arguments": anything,
        "protocolVersion": st.sampled_from(["2024-11-05", "2025-11-25", "2026-07-28", "1"]) | anything,
        "capabilities": anything,
        "clientInfo": anything,
        "_meta": anything,
        "cursor": anything,
        "ref": anything,
        "argument": anything,
        "requestId": anything,
    },
)
message = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | anything,
        "id": st.integers(1, 9) | anything,
        "method": st.sampled_from(METHODS) | anything,
        "params": params,
        "result": anything,
        "error": anything,
    },
)
body = st.one_of(
    (message | anything | st.lists(message, max_size=3)).map(lambda item: json.dumps(item).encode()),
    st.binary(max_size=60),
    st.tuples(message, st.integers(0, 80)).map(lambda cut: json.dumps(cut[0]).encode()[: cut[1]]),
    st.integers(1, 40_000).map(lambda depth: b"[" * depth),
)
headers = st.fixed_dictionaries(
    {},
    optional={
        "accept": st.sampled_from(["*/*", "application/json", "text/event-stream", "", "application/json;q=x"]),
        "content-type": st.sampled_from(["application/json", "text/plain", "", "application/json; charset=utf-16"]),
        "mcp-session-id": st.sampled_from(["", "x" * 5000, "0" * 32, "\x7f"]),
        "mcp-protocol-version": st.sampled_from(["2024-11-05", "2025-11-25", "2026-07-28", "2030-01-01", "", "x"]),
        "mcp-method": st.sampled_from(METHODS),
        "mcp-name": st.sampled_from(["get_status", "x", ""]),
        "last-event-id": st.sampled_from(["", "1", "x"]),
        "authorization": st.sampled_from(["Bearer", "Bearer x", "Basic eDp4", ""]),
    },
)


class Door:
    """A server, and a session with it."""

    def __init__(self, serve: Serve, run: Callable[[Any], Any]) -> None:
        self.run = run
        self._context = serve(most_sessions=100_000, most_seconds=5.0)
        self.served = run(self._context.__aenter__())
        self.client = self.served.client()
        self.client.headers |= {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        self.session = self._open()

    def _open(self) -> str:
        asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        answer = self.post(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}).encode())
        return str(answer.headers["mcp-session-id"])

    def post(self, data: bytes, **headers: str) -> Any:
        return self.run(asyncio.wait_for(self.client.post("/mcp", content=data, headers=headers), 30))

    def is_well(self) -> None:
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_status", "arguments": {}}}
        answer = self.post(json.dumps(call).encode(), **{"mcp-session-id": self.session})
        assert answer.status_code == 200
        assert '"isError":false' in answer.text.replace(" ", "")

    def close(self) -> None:
        self.run(self.client.aclose())
        self.run(self._context.__aexit__(None, None, None))


@pytest.fixture
def door(serve: Serve) -> Iterator[Door]:
    with asyncio.Runner() as runner:
        door = Door(serve, runner.run)
        yield door
        door.is_well()
        door.close()


def check(answer: Any) -> None:
    """A proper answer: a success, or an error in a form that clients read."""
    assert answer.status_code < 500, answer.text
    if answer.status_code in (200, 202):
        assert answer.status_code == 202 or "jsonrpc" in answer.text
    elif answer.headers.get("content-type", "").startswith("application/json"):
        error = answer.json()["error"]
        assert isinstance(error, str) or (isinstance(error["code"], int) and error["message"])


def _settings(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@_settings(150)
@given(bodies=st.lists(body, min_size=5, max_size=10))
def test_malformed_messages_in_a_session(door: Door, bodies: list[bytes]) -> None:
    for data in bodies:
        check(door.post(data, **{"mcp-session-id": door.session}))


@_settings(150)
@given(requests=st.lists(st.tuples(body, headers), min_size=5, max_size=10))
def test_malformed_requests_with_odd_headers(door: Door, requests: list[tuple[bytes, dict[str, str]]]) -> None:
    for data, odd in requests:
        check(door.post(data, **odd))


@_settings(150)
@given(bodies=st.lists(message, min_size=5, max_size=10), method=st.sampled_from(METHODS))
def test_malformed_messages_of_the_stateless_era(door: Door, bodies: list[dict[str, Any]], method: str) -> None:
    modern = {"mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": "get_status"}
    for data in bodies:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        inner = data.get("params") if isinstance(data.get("params"), dict) else {}
        check(door.post(json.dumps(data | {"method": method, "params": {**inner, "_meta": meta}}).encode(), **modern))

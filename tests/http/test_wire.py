"""The HTTP paragraph of the contract, line by line, byte for byte, against a server in its own process."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from everfact import __version__

pytestmark = pytest.mark.slow

Start = Callable[..., Any]
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def call(tool: str, **arguments: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_one_session_from_its_opening_to_its_end(start: Start, path: str) -> None:
    server = start()
    opened = server.post(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "c", "version": "1"},
            },
        },
        path=path,
    )
    assert opened.status == 200
    assert opened.headers["content-type"] == "text/event-stream"
    assert opened.text.startswith("event: message\r\ndata: {")
    session = opened.headers["mcp-session-id"]
    assert len(session) == 32
    result = opened.message["result"]
    assert result["protocolVersion"] == "2024-11-05"
    assert {"tools", "resources", "prompts"} <= result["capabilities"].keys()
    assert (result["serverInfo"]["name"], result["serverInfo"]["version"]) == ("everfact", __version__)
    assert 0 < len(result["instructions"]) < 4000

    ready = server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, path=path, mcp_session_id=session)
    assert (ready.status, ready.text) == (202, "")
    listed = server.post(LIST, path=path, mcp_session_id=session)
    assert listed.text.startswith("event: message\r\n")
    assert "get_status" in [tool["name"] for tool in listed.message["result"]["tools"]]
    status = server.post(call("get_status"), path=path, mcp_session_id=session).message["result"]
    assert status["isError"] is False
    assert json.loads(status["content"][0]["text"]) == status["structuredContent"]

    assert server.ask("DELETE", path, mcp_session_id=session).status == 200
    gone = server.post(LIST, path=path, mcp_session_id=session)
    assert gone.status == 404
    assert gone.message["error"]["code"] == -32600


def test_errors_have_the_agreed_codes_and_words(start: Start) -> None:
    server = start()
    session = server.open_session().headers["mcp-session-id"]
    for accept in ("application/json", "text/event-stream", "text/html"):
        refused = server.post(LIST, accept=accept, mcp_session_id=session)
        assert refused.status == 406
        assert refused.message["error"] == {
            "code": -32600,
            "message": "Not Acceptable: Client must accept both application/json and text/event-stream",
        }
    homeless = server.post(LIST)
    assert homeless.status == 400
    assert homeless.message["error"] == {"code": -32600, "message": "Bad Request: Missing session ID"}
    unknown = server.post({"jsonrpc": "2.0", "id": 5, "method": "no/such"}, mcp_session_id=session)
    assert (unknown.message["id"], unknown.message["error"]["code"]) == (5, -32601)
    bad = server.post({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {}}, mcp_session_id=session)
    assert (bad.message["id"], bad.message["error"]["code"]) == (6, -32602)
    assert server.post("{not json", mcp_session_id=session).message["error"]["code"] == -32700
    failed = server.post(call("no_such_tool"), mcp_session_id=session).message["result"]
    assert failed["isError"] is True
    assert server.post(LIST, mcp_session_id="0" * 32).status == 404
    assert server.ask("PUT", "/mcp", "{}").status == 405
    assert server.ask("GET", "/elsewhere").status == 404


def test_stateless_era_needs_no_session(start: Start) -> None:
    server = start()
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = call("get_status")
    message["params"]["_meta"] = meta  # type: ignore[index]
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "get_status"}
    answer = server.post(message, **headers)
    assert answer.status == 200
    assert "mcp-session-id" not in answer.headers
    assert answer.message["result"]["structuredContent"]["status"] == "ok"
    assert server.post(message, path="/mcp/", **headers).status == 200


def test_options_for_json_and_for_no_sessions(start: Start) -> None:
    server = start("--json-response", "--stateless")
    plain = server.post(LIST, accept="application/json")
    assert plain.headers["content-type"] == "application/json"
    assert plain.message["result"]["tools"]
    assert "mcp-session-id" not in plain.headers


def test_only_our_names_are_answered_to(start: Start) -> None:
    server = start("--allow-host", "memory.example")
    for good in (
        "localhost",
        f"localhost:{server.port}",
        "127.0.0.1",
        "[::1]:80",
        "memory.example",
        "memory.example:1",
    ):
        assert server.ask("GET", "/health", host=good).status == 200, good
    for evil in (
        "evil.example",
        "localhost.evil.example",
        "localhost@evil.example",
        "127.0.0.1.evil",
        "",
        "memory.example:x",
    ):
        assert server.ask("GET", "/health", host=evil).status == 421, evil
        assert server.open_session(host=evil).status == 421, evil
    for path in ("/mcp", "/health", "/metrics"):
        assert server.ask("GET", path, origin="http://evil.example").status == 403
    assert server.open_session(origin="https://evil.example").status == 403
    assert server.open_session(origin="null").status == 403
    assert server.open_session(origin=f"http://localhost:{server.port}").status == 200


def test_health_and_metrics_need_no_session(start: Start) -> None:
    server = start()
    health = server.ask("GET", "/health")
    assert (health.status, health.message["status"]) == (200, "healthy")
    session = server.open_session().headers["mcp-session-id"]
    server.post(call("get_status"), mcp_session_id=session)
    metrics = server.ask("GET", "/metrics")
    assert metrics.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'everfact_tool_calls_total{tool="get_status",outcome="done"} 1\n' in metrics.text
    assert "\neverfact_healthy 1\n" in metrics.text


def test_too_large_a_request_is_refused_before_it_is_read(start: Start) -> None:
    server = start()
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest("POST", "/mcp")
    for name, value in {"accept": "*/*", "content-type": "application/json", "content-length": str(2**30)}.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
    assert server.ask("GET", "/health").status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_at_once_and_cleanly_also_while_somebody_listens(start: Start, number: int) -> None:
    server = start()
    session = server.open_session().headers["mcp-session-id"]
    listening = HTTPConnection("127.0.0.1", server.port, timeout=30)
    listening.request("GET", "/mcp", headers={"accept": "text/event-stream", "mcp-session-id": session})
    assert listening.getresponse().status == 200
    # The contract says 0.1 s; a busy machine may be late to notice.
    assert server.end(number) < 1.0
    assert server.process.returncode == 0
    assert server.process.stderr.read() == ""
    listening.close()


def test_greeting_says_how_to_connect(start: Start) -> None:
    server = start()
    assert server.greeting[0].startswith("serving sqlite:///")
    assert server.greeting[0].endswith(f"/memory.db at http://127.0.0.1:{server.port}/mcp\n")
    assert "claude mcp add --transport http" in server.greeting[1]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "everfact", "mcp", "serve", "--transport", "http", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_no_open_door_to_other_machines_without_a_token(host: str) -> None:
    done = run("--host", host, "--port", "0")
    assert done.returncode == 2
    assert "there is no token" in done.stderr
    assert "everfact token create" in done.stderr


def test_taken_port_is_a_clear_error(own_home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "cannot listen on 127.0.0.1" in done.stderr

"""A server over stdio, in bytes: nothing on standard output but answers, no input that ends it, a clean exit."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.server.wire import Wire

from everfact import __version__

pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_earlier_revision_is_answered_in_kind(store: Path, version: str) -> None:
    with Wire(store) as wire:
        begun = wire.begin(version)
        assert begun["protocolVersion"] == version
        assert begun["serverInfo"]["name"] == "everfact"
        assert begun["serverInfo"]["version"] == __version__
        assert {"tools", "resources", "prompts"} <= begun["capabilities"].keys()
        assert 0 < len(begun["instructions"]) < 4_000


def test_the_present_revision_needs_no_handshake(store: Path) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    with Wire(store) as wire:
        found = wire.request("server/discover", _meta=meta)["result"]
        assert "2026-07-28" in found["supportedVersions"]
        tools = wire.request("tools/list", _meta=meta)["result"]["tools"]
        assert tools[0]["name"] == "add_memory"


def test_the_store_is_not_touched_before_it_is_needed(store: Path) -> None:
    with Wire(store) as wire:
        wire.begin()
        wire.request("tools/list")
        assert not store.exists()
        wire.call("get_status")
        assert store.exists()


def test_odd_bytes_are_survived(store: Path) -> None:
    with Wire(store) as wire:
        wire.begin()
        for noise in (b"\n", b"\r\n", b"\n\n\n", b"this is not json\n", b"{\n", b"[]\n", b"null\n", b"\xff\xfe\xfd\n"):
            wire.send(noise)
        wire.send(b'{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n')
        while (reply := wire.receive()).get("id") != "crlf":
            assert "error" in reply
        wire.send(b'{"jsonrpc":"2.0","id":"utf","method":"ping","params":{"x":"\xff\xfe"}}\n')
        assert wire.receive()["id"] == "utf"
        assert wire.call("get_status")["status"] == "ok"


def test_a_request_that_cannot_be_read_is_answered_under_its_id(store: Path) -> None:
    unreadable = [
        b'{"jsonrpc":"2.0","id":"half","method":"tools/call","params":{"name":"search","arguments":{"query":"\\ud83d"}}}',
        b'[{"jsonrpc":"2.0","id":"half","method":"ping"}]',
        b'{"jsonrpc":"2.0","id":"half","method":5}',
        b'{"jsonrpc":"1.0","id":"half","method":"ping"}',
    ]
    with Wire(store) as wire:
        wire.begin()
        for line in unreadable:
            wire.send(line + b"\n")
            reply = wire.receive()
            assert (reply["id"], reply["error"]["code"]) == ("half", -32600), line


def test_wrong_requests_get_errors(store: Path) -> None:
    with Wire(store) as wire:
        wire.begin()
        assert wire.request("no/such/method")["error"]["code"] == -32601
        assert wire.request("tools/call", arguments={})["error"]["code"] == -32602
        assert wire.request("tools/call", name="none", arguments={})["result"]["isError"]
        assert wire.request("resources/read", uri="everfact://fact/none")["error"]["code"] == -32602


@pytest.mark.slow
def test_ten_megabytes_are_refused_in_words(store: Path) -> None:
    with Wire(store) as wire:
        wire.begin()
        arguments = {"name": "big", "episode_body": "x" * 10_000_000}
        result = wire.request("tools/call", name="add_memory", arguments=arguments)["result"]
        assert result["isError"]
        assert "send it in parts" in result["content"][0]["text"]
        assert wire.call("get_status")["episodes"] == 0


@pytest.mark.slow
def test_a_call_can_be_cancelled(store: Path) -> None:
    with Wire(store) as wire:
        wire.begin()
        wire.call("get_status")
        body = "Ana Costa works at Globex. " * 20_000
        call = {"name": "add_memory", "arguments": {"name": "n", "episode_body": body, "wait": True}}
        wire.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": call})
        wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}})
        wire.send({"jsonrpc": "2.0", "id": "after", "method": "ping"})
        replies = [wire.receive()]
        while replies[-1].get("id") != "after":
            replies.append(wire.receive())
        assert all("result" not in reply for reply in replies if reply.get("id") == "long")


@pytest.mark.slow
def test_what_was_acknowledged_is_on_disk_when_the_server_is_killed(store: Path) -> None:
    with Wire(store) as wire:
        wire.begin()
        told = [wire.call("add_memory", name="n", episode_body=f"Note {n}.")["uuid"] for n in range(5)]
        wire.end(signal.SIGKILL)
    with Wire(store) as wire:
        wire.begin()
        kept = {episode["uuid"] for episode in wire.call("get_episodes")["episodes"]}
        assert kept == set(told)


@pytest.mark.slow
def test_what_is_pending_is_digested_by_the_next_server_though_nobody_calls(store: Path) -> None:
    with Wire(store) as wire:
        wire.begin()
        wire.call("add_memory", name="n", episode_body="Ana Costa works at Globex.")
        wire.end(signal.SIGKILL)
    with Wire(store) as wire:
        wire.begin()
        for _ in range(600):
            with sqlite3.connect(store) as file:
                if file.execute("SELECT count(*) FROM facts").fetchone()[0]:
                    break
            threading.Event().wait(0.05)
        else:
            pytest.fail("nothing was digested")
        file.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals end a process at once there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("busy", [False, True])
def test_a_signal_ends_it_at_once(store: Path, number: int, busy: bool) -> None:
    with Wire(store) as wire:
        wire.begin()
        if busy:
            wire.call("add_memory", name="n", episode_body="Ana Costa works at Globex. " * 20_000)
        code, seconds = wire.end(number)
        assert code == 0
        assert seconds < 5
        assert b"Traceback" not in b"".join(wire.errors)


@pytest.mark.slow
@pytest.mark.parametrize("busy", [False, True])
def test_the_end_of_input_ends_it(store: Path, busy: bool) -> None:
    with Wire(store) as wire:
        wire.begin()
        if busy:
            wire.call("add_memory", name="n", episode_body="Ana Costa works at Globex. " * 20_000)
        code, seconds = wire.end()
        assert code == 0
        assert seconds < 10
        assert b"Traceback" not in b"".join(wire.errors)


@pytest.mark.slow
def test_several_servers_share_one_file(store: Path) -> None:
    with Wire(store) as one, Wire(store) as two, Wire(store) as three:
        servers = [one, two, three]
        for wire in servers:
            wire.begin()
        told: list[str] = []

        def tell(wire: Wire, name: int) -> None:
            for n in range(10):
                told.append(wire.call("add_memory", name="n", episode_body=f"Server {name} said {n}.")["uuid"])

        threads = [threading.Thread(target=tell, args=(wire, n)) for n, wire in enumerate(servers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert len(set(told)) == 30
        for wire in servers:
            kept = {episode["uuid"] for episode in wire.call("get_episodes", max_episodes=50)["episodes"]}
            assert kept == set(told)


@pytest.mark.slow
def test_the_programs_name_picks_the_tools(store: Path, tmp_path: Path) -> None:
    with Wire(store, "--toolset", "history") as wire:
        wire.begin()
        assert len(wire.request("tools/list")["result"]["tools"]) == 8


@pytest.mark.slow
def test_the_group_is_that_of_the_git_project(store: Path, tmp_path: Path) -> None:
    project = tmp_path / "My Project"
    (project / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(project)], check=True, capture_output=True)
    with Wire(store, CLAUDE_PROJECT_DIR=str(project / "src"), cwd=tmp_path) as wire:
        wire.begin()
        group = wire.call("get_status")["group_id"]
        assert group.startswith("My-Project-")
        wire.call("add_memory", name="n", episode_body="Tea.", filepath="notes/tea.md")
        assert (project / "src" / "notes" / "tea.md").read_text(encoding="utf-8") == "Tea."
    with Wire(store, "--group", "kitchen", CLAUDE_PROJECT_DIR=str(project)) as wire:
        wire.begin()
        assert wire.call("get_status")["group_id"] == "kitchen"


@pytest.mark.slow
def test_a_store_that_cannot_be_opened_is_said_and_tried_again(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    with Wire(blocked / "memory.db") as wire:
        wire.begin()
        assert wire.request("tools/call", name="get_episodes", arguments={})["result"]["isError"]
        status = wire.call("get_status")
        assert status["status"] == "error"
        assert "file" in status["message"]
        assert "episodes" not in status
        health = wire.call("health_check")
        assert health["status"] == "unhealthy"
        assert health["database_connected"] is False
        assert health["consecutive_failures"] >= 2  # the server itself may have tried, too
        assert health["last_successful_connection"] is None
        assert wire.call("health_check")["consecutive_failures"] > health["consecutive_failures"]
        assert health["error"]
        blocked.unlink()
        assert wire.call("health_check")["status"] == "healthy"
        assert wire.call("health_check")["consecutive_failures"] == 0


@pytest.mark.slow
def test_wrong_settings_are_said_before_anything_is_served(store: Path) -> None:
    with Wire(store, "--toolset", "nonsense") as wire:
        assert wire.process.wait(60) == 2
    assert b"mcp.toolsets" in b"".join(wire.errors)
    assert wire.lines.empty()

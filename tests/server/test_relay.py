"""A server that relays to another one: the same answers and the same errors, and it outlives the other."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from tests.server.wire import Wire

from everfact.assemble import open_memory
from everfact.client.connection import Connection
from everfact.errors import META_KEY
from everfact.server.app import INSTRUCTIONS, build_server
from everfact.server.host import Host
from everfact.server.relay import build_relay

pytestmark = pytest.mark.slow


@asynccontextmanager
async def relayed(path: Path, *, era: str, there: str = "auto") -> AsyncIterator[tuple[Client, Client]]:
    """A client of a server, and one of a relay before it; the relay speaks the revision `there` with the server."""
    server = build_server(Host(lambda: open_memory(path)))
    connection = Connection(server, mode=there)
    relay = await build_relay(connection)
    async with Client(server, mode=era) as direct, Client(relay, mode=era) as through:  # type: ignore[arg-type]
        yield direct, through
    await connection.close()


def plain(result: types.Result) -> dict[str, Any]:
    return result.model_dump(mode="json", by_alias=True, exclude={"meta"})


@pytest.mark.parametrize("there", ["auto", "legacy"])
async def test_lists_are_those_of_the_server(tmp_path: Path, era: str, there: str) -> None:
    async with relayed(tmp_path / "memory.db", era=era, there=there) as (direct, through):
        assert through.session.instructions == direct.session.instructions
        assert plain(await through.list_tools())["tools"] == plain(await direct.list_tools())["tools"]
        assert plain(await through.list_resources())["resources"] == plain(await direct.list_resources())["resources"]
        templates = [plain(await client.list_resource_templates()) for client in (direct, through)]
        assert templates[0]["resourceTemplates"] == templates[1]["resourceTemplates"] != []
        assert plain(await through.list_prompts())["prompts"] == plain(await direct.list_prompts())["prompts"]


async def test_what_is_told_through_the_relay_is_found_through_it(tmp_path: Path, era: str) -> None:
    async with relayed(tmp_path / "memory.db", era=era) as (direct, through):
        told = {"name": "note", "episode_body": "Ana works at Acme.", "wait": True}
        added = await through.call_tool("add_memory", told)
        assert not added.is_error
        found = await through.call_tool("search", {"query": "Where does Ana work?"})
        assert "Acme" in str(found.structured_content)
        status = await through.call_tool("get_status", {})
        assert status.structured_content == (await direct.call_tool("get_status", {})).structured_content


async def test_resources_prompts_and_completions_pass(tmp_path: Path, era: str) -> None:
    async with relayed(tmp_path / "memory.db", era=era) as (direct, through):
        [resource, *_] = (await direct.list_resources()).resources
        assert plain(await through.read_resource(resource.uri)) == plain(await direct.read_resource(resource.uri))
        [prompt, *_] = (await direct.list_prompts()).prompts
        given = {argument.name: "Ana" for argument in prompt.arguments or []}
        assert plain(await through.get_prompt(prompt.name, given)) == plain(await direct.get_prompt(prompt.name, given))
        reference = types.PromptReference(name=prompt.name)
        ask = {"name": next(iter(given), "topic"), "value": "A"}
        assert plain(await through.complete(reference, ask)) == plain(await direct.complete(reference, ask))


async def test_failures_pass_as_they_are(tmp_path: Path, era: str) -> None:
    async with relayed(tmp_path / "memory.db", era=era) as (direct, through):
        for tool, arguments in (
            ("search", {"query": "Ana", "valid_at": "no time at all"}),
            ("get_entity_edge", {"uuid": "nobody"}),
            ("no_such_tool", {}),
        ):
            there, here = [await outcome(client, tool, arguments) for client in (direct, through)]
            assert there == here
        refused = []
        for client in (direct, through):
            with pytest.raises(MCPError) as error:
                await client.read_resource("memory://nothing/at/all")
            refused.append((error.value.code, error.value.message, error.value.data))
        assert refused[0] == refused[1]


async def outcome(client: Client, tool: str, arguments: dict[str, Any]) -> object:
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        return error.code, error.message, error.data
    assert isinstance(result, types.CallToolResult)
    assert result.is_error
    return plain(result), (result.meta or {}).get(META_KEY)


async def test_only_what_the_server_can_do_is_offered() -> None:
    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    connection = Connection(Server("tools only", on_list_tools=list_tools))
    relay = await build_relay(connection)
    async with Client(relay) as client:
        assert client.session.server_capabilities is not None
        assert client.session.server_capabilities.tools is not None
        assert client.session.server_capabilities.prompts is None
        assert client.session.instructions is None
    await connection.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[int], tuple[subprocess.Popen[str], str]]]:
    """Starts servers over HTTP on one memory."""
    started: list[subprocess.Popen[str]] = []

    def start(port: int) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "everfact", "--store", str(tmp_path / "there.db"), "mcp", "serve"]
        command += ["--transport", "http", "--port", str(port)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        started.append(process)
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found
        return process, found[0]

    yield start
    for process in started:
        process.kill()
        process.wait(20)
        assert process.stderr is not None
        process.stderr.close()


def test_relay_outlives_the_server_and_finds_it_again(
    tmp_path: Path, start: Callable[[int], tuple[subprocess.Popen[str], str]]
) -> None:
    server, url = start(0)
    with Wire(tmp_path / "here.db", EVERFACT_REMOTE=url) as wire:
        assert wire.begin()["instructions"] == INSTRUCTIONS
        wire.call("add_memory", name="note", episode_body="Ana works at Acme.", wait=True)
        server.kill()
        server.wait(20)
        for _ in range(2):
            failed = wire.request("tools/call", name="get_status", arguments={})["result"]
            assert failed["isError"]
            assert url in failed["content"][0]["text"]
        assert "Start it, then try again" in failed["content"][0]["text"]
        assert failed["_meta"][META_KEY] == "StoreUnavailable"
        assert "Start it" in wire.request("tools/list")["error"]["message"]
        assert "result" in wire.request("ping")
        start(int(url.rpartition(":")[2].partition("/")[0]))
        assert "Acme" in str(wire.call("search", query="Where does Ana work?"))
        assert not (tmp_path / "here.db").exists()
        assert wire.end()[0] == 0


def test_relay_starts_while_the_server_is_away(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there, and nobody else can
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"
        with Wire(tmp_path / "here.db", EVERFACT_REMOTE=url) as wire:
            begun = wire.begin()
            assert {"tools", "resources", "prompts"} <= begun["capabilities"].keys()
            failed = wire.request("tools/call", name="search", arguments={"query": "Ana"})["result"]
            assert failed["isError"]
            assert "cannot be reached" in failed["content"][0]["text"]
            assert wire.end()[0] == 0


@pytest.mark.parametrize(
    ("options", "hint"), [(["--transport", "http"], "that address itself"), (["--group", "x"], "leave --group out")]
)
def test_what_a_relay_cannot_do_is_refused(options: list[str], hint: str) -> None:
    command = [sys.executable, "-m", "everfact", "--remote", "http://127.0.0.1:9/mcp", "mcp", "serve", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert hint in done.stderr

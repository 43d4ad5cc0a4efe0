"""What is told while a real server is away: it is killed under load, adds go on, and all arrives once and in order."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from tests.servers.falkordb import FalkorServer, falkordb
from tests.servers.neo4j import Neo4jServer, neo4j
from tests.servers.teller import GROUPS

from everfact.assemble import make_memory, open_configured
from everfact.config import load
from everfact.errors import StoreUnavailable
from everfact.memory import Memory
from everfact.models import Draft, Filter, Query
from everfact.stores import outbox
from everfact.stores.cypher import line
from everfact.stores.cypher.store import CypherStore

_ROOT = Path(__file__).parents[2]


Start = Callable[..., FalkorServer | Neo4jServer]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a server, always on the same files; none is left when the test is over."""
    folder = Path(tempfile.mkdtemp())
    started: list[FalkorServer | Neo4jServer] = []

    def start(kind: str, port: int = 0) -> FalkorServer | Neo4jServer:
        started.append((Neo4jServer if kind == "neo4j" else FalkorServer)(folder=folder, port=port))
        return started[-1]

    yield start
    for server in started:
        server.stop()
    shutil.rmtree(folder)


@contextmanager
def teller(name: str, url: str, rest: float, log: Path) -> Iterator[subprocess.Popen[str]]:
    with (log / f"{name}.log").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.teller", name, str(rest)],
            cwd=_ROOT,
            env={**os.environ, "EVERFACT_STORE": url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdin is not None
    try:
        with process.stdin:
            yield process
    finally:
        process.kill()
        process.wait()


def acknowledged(process: subprocess.Popen[str]) -> dict[str, list[int]]:
    """What a process told until it was asked to end, by group."""
    assert process.stdout is not None
    told = defaultdict(list)
    for said in process.stdout:
        if said != "told\n":
            group, number = said.split()
            told[group].append(int(number))
    process.stdout.close()
    return told


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("kind", "kills", "working", "away", "rest"), [("falkordb", 3, 3, 1.5, 0.15), ("neo4j", 1, 15, 0, 1.0)]
)
async def test_server_killed_under_load_loses_doubles_and_reorders_nothing(
    kind: str, kills: int, working: float, away: float, rest: float, start: Start, tmp_path: Path
) -> None:
    server = start(kind)
    with ExitStack() as stack:
        processes = {name: stack.enter_context(teller(name, server.url, rest, tmp_path)) for name in ("one", "two")}
        told = {name: asyncio.create_task(asyncio.to_thread(acknowledged, each)) for name, each in processes.items()}
        for _ in range(kills):
            await asyncio.sleep(working)
            await asyncio.to_thread(server.kill)
            await asyncio.sleep(away)
            server = await asyncio.to_thread(start, kind, server.port)
        for process in processes.values():
            assert process.stdin is not None
            process.stdin.close()
        async with asyncio.timeout(320):
            turns = {name: await task for name, task in told.items()}
        logs = {name: (tmp_path / f"{name}.log").read_text() for name in processes}
        assert [process.wait(30) for process in processes.values()] == [0, 0], logs
    assert not away or all("kept on this machine" in log for log in logs.values())
    async with make_memory(await CypherStore.open(server.engine())) as memory:
        for group in GROUPS:
            await check(memory, group, {name: of[group] for name, of in turns.items()})


async def check(memory: Memory, group: str, told: dict[str, list[int]]) -> None:
    """All is there once, each process's turns in the order in which it told them."""
    where = Filter(group_ids=(group,))
    found = sorted(await memory.episodes(where, limit=100_000), key=lambda episode: episode.position)
    for name, numbers in told.items():
        assert len(numbers) > 5
        assert [turn.content for turn in found if turn.thread == name] == [f"turn {number}" for number in numbers]
    facts = await memory.facts(where, limit=100_000)
    things = [f"thing {number} of {name}" for name, numbers in told.items() for number in numbers]
    assert sorted(fact.sentence for fact in facts) == sorted(["Ana LIKES tea", *(f"Ana HAS {x}" for x in things)])
    (tea,) = [fact for fact in facts if "tea" in fact.sentence]
    assert len(tea.episodes) == len(things)


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", ["falkordb", "neo4j"])
@pytest.mark.parametrize("is_open", [True, False])
async def test_what_is_told_while_the_server_hangs_is_taken_in_soon(
    kind: str, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = falkordb() if kind == "falkordb" else neo4j()
    server.wipe()
    async with await open_configured(load({"store": server.url}).settings) as memory:
        if is_open:
            await memory.add(Draft(content="turn 0", thread="t"))
        monkeypatch.setattr(outbox, "_PATIENCE", 0.5)
        monkeypatch.setattr(line, "PATIENCE", 2.5)
        server.freeze()
        try:
            for number in range(1, 4):
                assert (await memory.add(Draft(content=f"turn {number}", thread="t"))).episode.error == outbox.WAITING
            with pytest.raises(StoreUnavailable, match="3 episodes wait on this machine"):
                await memory.search(Query(text="turn"))
            began = time.monotonic()
            with pytest.raises(StoreUnavailable, match="3 episodes wait on this machine"):
                await memory.search(Query(text="turn"))
            assert time.monotonic() - began < line.PATIENCE / 2  # nobody waits for it any more
        finally:
            server.thaw()
        for _ in range(100):
            with suppress(StoreUnavailable):
                if not await memory.digest() and not (await memory.status()).pending:
                    break
            await asyncio.sleep(0.1)
        found = sorted(await memory.episodes(Filter(group_ids=None)), key=lambda episode: episode.position)
        assert [episode.content for episode in found] == [f"turn {number}" for number in range(not is_open, 4)]


def everfact(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "everfact", "--store", url, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_commands_say_that_the_server_is_away_and_what_waits(start: Start) -> None:
    server = start("falkordb")
    url = server.url
    assert everfact(url, "add", "The zeppelin lands.").returncode == 0
    server.kill()
    added = everfact(url, "add", "The submarine dives.", "--json")
    assert added.returncode == 0, added.stderr
    assert "to be sent when the server is back" in added.stdout
    for command in ("health", "doctor", "queue", "stats"):
        said = everfact(url, command)
        assert said.returncode == 1
        assert "1 episode waits on this machine to be sent" in " ".join((said.stdout + said.stderr).split()), command
    server = start("falkordb", server.port)
    before = json.loads(everfact(url, "health", "--json").stdout)
    assert (before["status"], before["episodes"]) == ("healthy", 2)
    assert "1 episode waits on this machine to be sent" in before["warning"]
    assert "submarine" in everfact(url, "queue").stdout
    assert everfact(url, "queue", "--run").returncode == 0
    after = json.loads(everfact(url, "health", "--json").stdout)
    assert (after["episodes"], after["pending"], after["warning"]) == (2, 0, "")

"""A server whose disk is full: it says what to do, and nothing that was told is lost, doubled or put out of order."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.servers.falkordb import DURABLE, FalkorServer
from tests.servers.neo4j import Neo4jServer

from everfact.assemble import open_configured
from everfact.config import load
from everfact.errors import EverfactError, StoreUnavailable
from everfact.memory import Memory
from everfact.models import Draft, Filter
from everfact.stores.cypher.store import CypherStore
from everfact.stores.outbox import WAITING
from everfact.testing.builders import episode

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]

Start = Callable[[Path, int], FalkorServer | Neo4jServer]
EVERY_SECOND = ("--appendonly", "yes", "--appendfsync", "everysec")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, with some room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no disk to fill: it takes the right to mount one, as root on Linux has it ({error})")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take all room that is left."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as taken, suppress(OSError):
        while True:
            taken.write(bytes(4096))
    return filler


def falkordb(*options: str) -> Start:
    return lambda disk, port: FalkorServer(*options, folder=disk, port=port)


def neo4j() -> Start:
    return lambda disk, port: Neo4jServer("db.tx_log.rotation.size=1m", folder=disk, port=port)


async def refusal(server: FalkorServer | Neo4jServer) -> EverfactError:
    """What is said of what cannot be kept on this machine first."""
    async with await CypherStore.open(server.engine()) as store:
        for number in range(1_000):
            try:
                await store.add_episode(episode(f"number {number}", group_id="other"))
            except EverfactError as error:
                return error
    raise AssertionError("the disk has room")


@pytest.mark.parametrize(
    ("start", "advice"),
    [
        (falkordb(*EVERY_SECOND), "the server cannot write to its disk: make room there"),
        (falkordb(*DURABLE), "a full disk ends it"),
        (neo4j(), "make room on its disk, if that is full, and start it again"),
    ],
    ids=["falkordb", "falkordb-always", "neo4j"],
)
async def test_nothing_is_lost_when_the_disk_of_the_server_is_full(start: Start, advice: str, disk: Path) -> None:
    server = await asyncio.to_thread(start, disk, 0)
    settings = load({"store": server.url}).settings
    async with await open_configured(settings) as memory:
        await memory.add(Draft(content="turn 0", thread="t"))
        filler = fill(disk)
        error = await refusal(server)
        assert isinstance(error, StoreUnavailable)
        assert advice in error.hint
        kept = [(await memory.add(Draft(content=f"turn {number}", thread="t"))).episode for number in range(1, 4)]
        assert [each.error for each in kept] == [WAITING] * 3
        filler.unlink()
        await asyncio.to_thread(server.stop)
        server = await asyncio.to_thread(start, disk, server.port)
        try:
            await drained(memory)
            found = await memory.episodes(Filter(group_ids=("main",)))
        finally:
            await asyncio.to_thread(server.stop)
    found.sort(key=lambda turn: turn.position)
    assert [turn.content for turn in found] == [f"turn {number}" for number in range(4)]


async def drained(memory: Memory) -> None:
    """Wait until the server has all that waits here, and has digested it."""
    for _ in range(150):
        with suppress(StoreUnavailable):
            if not await memory.digest() and not (await memory.status()).pending:
                return
        await asyncio.sleep(0.1)
    raise AssertionError("it still waits")

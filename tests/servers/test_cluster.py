"""FalkorDB as a cluster of three nodes: groups spread over them, and one that goes away takes only its own along."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from tests.servers.cluster import FalkorCluster

from everfact import clock
from everfact.assemble import make_memory
from everfact.errors import StoreUnavailable
from everfact.memory import Memory
from everfact.models import Draft, Filter, Query
from everfact.stores.cypher import line
from everfact.stores.cypher.falkordb import FalkorEngine
from everfact.stores.cypher.server import Server
from everfact.stores.cypher.store import CypherStore
from everfact.stores.outbox import WAITING, OutboxStore
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import episode

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

GROUPS = [f"group-{number}" for number in range(9)]


@pytest.fixture
def cluster() -> Iterator[FalkorCluster]:
    started = FalkorCluster()
    yield started
    started.stop()


async def opened(cluster: FalkorCluster, path: Path) -> Memory:
    engine = FalkorEngine(Server(cluster.url))
    outbox = OutboxStore(lambda: CypherStore.open(engine), await SQLiteStore.open(path), clock.now)
    return make_memory(outbox)  # type: ignore[arg-type]


async def finds(memory: Memory, group: str, word: str) -> bool:
    return bool((await memory.search(Query(text=word, group_ids=(group,)))).hits)


def check_spread(cluster: FalkorCluster, by_node: dict[int, list[str]]) -> None:
    """Each node holds the groups that it should, and no other."""
    assert all(by_node.values())
    for number, node in enumerate(cluster.nodes):
        held = {name.decode() for name in node.admin.execute_command("GRAPH.LIST")}
        assert held - {FalkorEngine.registry} == set(by_node[number])


async def digested(memory: Memory) -> None:
    """Digest until nothing waits, as a worker would that is told off now and then."""
    async with asyncio.timeout(60):
        while True:
            with suppress(StoreUnavailable):
                await memory.digest(limit=16, each=16)
                if not (await memory.status()).pending:
                    return
            await asyncio.sleep(0.1)


async def test_groups_spread_over_nodes_and_one_node_takes_only_its_own_along(
    cluster: FalkorCluster, tmp_path: Path
) -> None:
    by_node = {number: [group for group in GROUPS if cluster.node_of(group) == number] for number in range(3)}
    registry = cluster.node_of(FalkorEngine.registry)
    gone = next(number for number in (2, 1) if number != registry)
    theirs, others = by_node[gone], [group for group in GROUPS if group not in by_node[gone]]
    async with await opened(cluster, tmp_path / "outbox.db") as memory:
        for group in GROUPS:
            await memory.add(Draft(content="Ana likes zeppelins.", group_id=group, thread="talk"), wait=True)
        while await memory.embed():
            pass
        check_spread(cluster, by_node)
        assert (await memory.status()).groups == len(GROUPS)

        cluster.nodes[gone].kill()
        for number in range(3):
            for group in GROUPS:
                added = await memory.add(Draft(content=f"submarine {number}", group_id=group, thread="talk"))
                assert (added.episode.error == WAITING) == (group in theirs), group
        for group in others:
            assert await finds(memory, group, "submarine")
        for group in theirs:
            with pytest.raises(StoreUnavailable, match="episodes wait on this machine"):
                await finds(memory, group, "zeppelins")
        while await memory.digest(limit=16, each=16):
            pass
        assert await memory.embed()
        while await memory.embed():
            pass
        assert not (await memory.status(group_ids=others)).pending
        with pytest.raises(StoreUnavailable):
            await memory.status()

        await asyncio.to_thread(cluster.restart, gone)
        await digested(memory)
        for group in GROUPS:
            told = await memory.episodes(Filter(group_ids=(group,)), limit=100)
            told.sort(key=lambda episode: episode.position)
            assert [episode.content for episode in told] == [
                "Ana likes zeppelins.",
                *(f"submarine {n}" for n in range(3)),
            ]
            assert await finds(memory, group, "submarine")
        assert not (await memory.status()).warning


async def test_node_that_hangs_delays_claims_of_the_others_by_one_patience(
    cluster: FalkorCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "PATIENCE", 3.0)
    groups = [f"group-{number}" for number in range(60)]
    registry = cluster.node_of(FalkorEngine.registry)
    gone = next(number for number in (2, 1) if number != registry)
    async with await CypherStore.open(FalkorEngine(Server(cluster.url))) as store:
        for group in groups:
            await store.add_episode(episode(group_id=group))
        assert len(await store.unembedded("model", limit=100)) == 60
        cluster.nodes[gone].freeze()
        try:
            for _ in range(2):
                async with asyncio.timeout(5):
                    claims = await store.claim("worker", limit=100, lease=timedelta(seconds=1))
                assert {claim.episode.group_id for claim in claims} == {g for g in groups if cluster.node_of(g) != gone}
                await asyncio.sleep(1)
        finally:
            cluster.nodes[gone].thaw()
        async with asyncio.timeout(20):
            while len(await store.unembedded("model", limit=100)) < 60:
                await asyncio.sleep(0.1)

"""The server is killed under load and started again: nothing acknowledged is lost, and work goes on by itself."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from tests.servers.falkordb import FalkorServer, falkordb
from tests.servers.neo4j import Neo4jServer

from everfact import worker
from everfact.assemble import make_memory
from everfact.clock import new_id
from everfact.errors import StoreUnavailable, UsageError
from everfact.memory import Memory
from everfact.models import Draft, Filter, Mention, Statement
from everfact.stores.cypher.engine import Parameters, Step
from everfact.stores.cypher.falkordb import FalkorEngine
from everfact.stores.cypher.line import ServerAway
from everfact.stores.cypher.server import Server
from everfact.stores.cypher.store import CypherStore
from everfact.testing.builders import HOME, change, entity, episode
from everfact.testing.contract.fixtures import LEASE
from everfact.worker import Worker

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

GROUPS = ("home", "work", "club")


def draft(group: str, number: int) -> Draft:
    """A turn that says something of its own, and something that all say."""
    said = [("HAS", f"thing {number}"), ("LIKES", "tea")]
    statements = tuple(
        Statement(
            subject=Mention(name="Ana"),
            relation=relation,
            object=Mention(name=thing),
            sentence=f"Ana {relation} {thing}",
        )
        for relation, thing in said
    )
    return Draft(
        content=f"turn {number} of {group}", group_id=group, thread="talk", uuid=new_id(), statements=statements
    )


async def keep_telling(memory: Memory, group: str, told: list[str], over: asyncio.Event) -> None:
    """Tell one thing after the other, each until it is acknowledged; note what was, in order."""
    while not over.is_set():
        turn = draft(group, len(told))
        while True:
            try:
                await memory.add(turn)
                break
            except StoreUnavailable:
                await asyncio.sleep(0.05)
        told.append(turn.content)
        await asyncio.sleep(0.05)


@pytest.mark.parametrize(("kind", "kills"), [("falkordb", 4), ("neo4j", 1)])
async def test_killed_server_loses_nothing_and_mixes_nothing(
    kind: str, kills: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_TROUBLE_SECONDS", 0.2)
    folder = Path(tempfile.mkdtemp())
    start = FalkorServer if kind == "falkordb" else Neo4jServer
    server = start(folder=folder)
    over = asyncio.Event()
    async with (
        make_memory(await CypherStore.open(server.engine())) as memory,
        make_memory(await CypherStore.open(server.engine())) as other,
        Worker(memory),
        Worker(other),
    ):
        told: dict[str, list[str]] = {group: [] for group in GROUPS}
        telling = [asyncio.create_task(keep_telling(memory, group, told[group], over)) for group in GROUPS]
        for _ in range(kills):
            enough = min(map(len, told.values())) + 6
            while min(map(len, told.values())) < enough:
                await asyncio.sleep(0.05)
            await asyncio.to_thread(server.kill)
            await asyncio.sleep(0.3)
            server = await asyncio.to_thread(start, folder=folder, port=server.port)
        over.set()
        await asyncio.gather(*telling)
        async with asyncio.timeout(200):
            while (await memory.status()).pending:
                await asyncio.sleep(0.1)
        for group, acknowledged in told.items():
            await check(other, group, acknowledged)
    server.stop()
    shutil.rmtree(folder)


async def check(memory: Memory, group: str, told: list[str]) -> None:
    """All is there once, in the order in which it was told, and of this group alone."""
    where = Filter(group_ids=(group,))
    turns = sorted(await memory.episodes(where, limit=10_000), key=lambda episode: episode.position)
    assert [turn.content for turn in turns] == told
    assert [turn.position for turn in turns] == list(range(1, len(told) + 1))
    facts = await memory.facts(where, limit=10_000)
    assert sorted(fact.sentence for fact in facts) == sorted(
        ["Ana LIKES tea", *(f"Ana HAS thing {number}" for number in range(len(told)))]
    )
    (tea,) = [fact for fact in facts if "tea" in fact.sentence]
    assert len(tea.episodes) == len(tea.assertions) == len(told)
    assert {entity.name for entity in await memory.entities(where, limit=10_000)} == {
        "Ana",
        "tea",
        *(f"thing {number}" for number in range(len(told))),
    }
    changes = await memory.changes(where, limit=10_000)
    assert sorted(change.cause for change in changes) == sorted(turn.uuid for turn in turns)


class Losing(FalkorEngine):
    """Loses the answer to one commit; `meanwhile` happens before it is asked about."""

    late: tuple[str, str, Parameters, Sequence[Step]] | None = None
    meanwhile: Callable[[], Awaitable[object]] | None = None
    is_late = False

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        if self.late is not None:  # what seemed lost arrives just before what was done in its place
            held, self.late = self.late, None
            assert await super().commit(*held)
        if self.meanwhile is None:
            return await super().commit(graph, guard, parameters, steps)
        meanwhile, self.meanwhile = self.meanwhile, None
        if self.is_late:
            self.late = graph, guard, parameters, steps
        else:
            assert await super().commit(graph, guard, parameters, steps)
        await meanwhile()
        raise ServerAway("cut off")


@pytest.fixture
def engine() -> Losing:
    falkordb().wipe()
    return Losing(Server(falkordb().url))


async def test_change_counts_as_made_if_its_answer_was_lost_and_others_wrote_since(engine: Losing) -> None:
    async with await CypherStore.open(engine) as store, await CypherStore.open(falkordb().engine()) as other:
        engine.meanwhile = lambda: other.add_episode(episode("in between"))
        made = await store.apply(change(entity("Ana")))
        assert await store.changes(HOME) == [made]
        with pytest.raises(UsageError, match="made already"):
            await store.apply(made)
        (claim,) = await store.claim("worker", lease=LEASE)
        engine.meanwhile = lambda: other.add_episode(episode("again"))
        finished, _ = await store.finish(change(entity("Bo"), parent=made), claim)
        assert await store.changes(HOME) == [finished, made]
        (claim,) = await store.claim("worker", lease=LEASE)
        assert claim.episode.content == "again"


async def test_claim_has_the_token_that_the_server_has_though_its_answer_was_late(engine: Losing) -> None:
    async with await CypherStore.open(engine) as store:
        await store.add_episode(episode())
        engine.meanwhile, engine.is_late = lambda: asyncio.sleep(0), True
        (claim,) = await store.claim("worker", lease=LEASE)
        await store.renew(claim, lease=LEASE)
        await store.finish(change(), claim)

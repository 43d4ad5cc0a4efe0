"""Two everfact processes at work on the same groups of one graph server: no group gets what is another's."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.servers.falkordb import falkordb
from tests.servers.neo4j import neo4j

from everfact.errors import Conflict
from everfact.models import Filter
from everfact.ports import Store
from everfact.stores.cypher.store import CypherStore
from everfact.testing.builders import ANYWHERE, assertion, change, entity, episode, fact
from everfact.testing.contract.fixtures import apply_next

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

GROUPS = ("home", "work", "club")

acts = st.lists(
    st.tuples(st.sampled_from(GROUPS), st.sampled_from(["tell", "learn"]), st.booleans()), min_size=4, max_size=24
)


async def act(store: Store, group: str, kind: str, number: int) -> None:
    told = await store.add_episode(episode(f"{group} {number}", group_id=group, thread="talk"))
    if kind == "learn":
        ana = entity(f"Ana of {group} {number}", group_id=group)
        said = assertion(ana, None, told)
        made = change(ana, said, fact(ana, support=(said,), sentence=f"{group} {number}"))
        while True:
            try:
                await apply_next(store, made)
            except Conflict:
                continue
            return


@pytest.mark.parametrize("server", [falkordb, neo4j])
@given(acts=acts)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_groups_are_never_mixed(server: object, acts: list[tuple[str, str, bool]]) -> None:
    asyncio.run(run(server(), acts))  # type: ignore[operator]


async def run(server: object, acts: list[tuple[str, str, bool]]) -> None:
    server.wipe()  # type: ignore[attr-defined]
    async with (
        await CypherStore.open(server.engine()) as one,  # type: ignore[attr-defined]
        await CypherStore.open(server.engine()) as other,  # type: ignore[attr-defined]
    ):
        async with asyncio.timeout(120):
            await asyncio.gather(
                *(act(one if first else other, group, kind, n) for n, (group, kind, first) in enumerate(acts))
            )
        for group in GROUPS:
            mine = Filter(group_ids=(group,))
            told = {f"{group} {n}" for n, (of, _, _) in enumerate(acts) if of == group}
            turns = await one.episodes(mine, limit=99)
            assert {turn.content for turn in turns} == told
            assert sorted(turn.position for turn in turns) == list(range(1, len(told) + 1))
            learned = {f"{group} {n}" for n, (of, kind, _) in enumerate(acts) if (of, kind) == (group, "learn")}
            assert {fact.sentence for fact in await other.facts(mine, limit=99)} == learned
            assert {entity.name for entity in await one.entities(mine)} == {f"Ana of {text}" for text in learned}
            log = await other.changes(mine, limit=99)
            assert [change.parent for change in log] == [*(change.uuid for change in log[1:]), None][: len(log)]
        assert len(await one.episodes(ANYWHERE, limit=99)) == len(acts)

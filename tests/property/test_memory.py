"""Laws of a memory: undoing is as if it had never been done, and the past stays what it was."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from everfact.errors import EverfactError
from everfact.memory import Memory
from everfact.models import Draft, Fact, Filter, Mention, Phase, Source, Statement
from everfact.testing.builders import HOME
from everfact.testing.fakes import FakeClock, FixedExtractor
from everfact.testing.reference import ReferenceStore

NAMES = ("Ana", "Bob")
PLACES = ("Rome", "Oslo", "Lima")
_START = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Telling:
    """Who lives, or no longer lives, or has been where, told of which day."""

    who: str
    where: str
    relation: str
    day: int
    phase: Phase

    @property
    def statement(self) -> Statement:
        at = _START + timedelta(days=self.day)
        return Statement(
            subject=Mention(name=self.who),
            relation=self.relation,
            object=Mention(name=self.where),
            sentence=f"{self.who} {self.relation} {self.where}",
            phase=self.phase,
            valid_at=None if self.phase is Phase.ENDS else at,
            invalid_at=at if self.phase is Phase.ENDS else None,
        )


tellings = st.builds(
    Telling,
    who=st.sampled_from(NAMES),
    where=st.sampled_from(PLACES),
    relation=st.sampled_from(["LIVES_IN", "LIKES"]),
    day=st.integers(0, 6),
    phase=st.sampled_from([Phase.HOLDS, Phase.HOLDS, Phase.ENDS]),
)


def fresh_memory() -> tuple[Memory, FakeClock]:
    clock = FakeClock()
    return Memory(ReferenceStore(now=clock), dict.fromkeys(Source, FixedExtractor()), now=clock), clock


async def tell(memory: Memory, telling: Telling) -> str:
    draft = Draft(content="told", group_id="home", statements=(telling.statement,))
    return (await memory.add(draft, wait=True)).episode.uuid


async def shape(memory: Memory, where: Filter = HOME) -> set[tuple[object, ...]]:
    """What is known, ids and record times apart."""
    entities = {e.uuid: e for e in await memory._store.entities(where, limit=999)}

    def plain(fact: Fact) -> tuple[object, ...]:
        ends = entities[fact.subject_uuid].name, entities[fact.object_uuid or ""].name
        return (*ends, fact.relation, fact.valid_at, fact.invalid_at, fact.disputed, len(fact.assertions))

    known = {plain(fact) for fact in await memory._store.facts(where, limit=999)}
    return known | {("entity", e.name, e.aliases, e.types) for e in entities.values()}


@settings(deadline=None)
@given(st.lists(tellings, min_size=1, max_size=7), st.data())
def test_undone_at_any_later_time_is_as_if_never_told(told: Sequence[Telling], data: st.DataObject) -> None:
    chosen = data.draw(st.integers(0, len(told) - 1))
    by_forgetting = data.draw(st.booleans())

    async def run() -> None:
        memory, _ = fresh_memory()
        uuids = [await tell(memory, telling) for telling in told]
        whole = await shape(memory)
        change = await (memory.forget(uuids[chosen]) if by_forgetting else memory.undo(uuids[chosen]))
        never, _ = fresh_memory()
        for telling in (*told[:chosen], *told[chosen + 1 :]):
            await tell(never, telling)
        assert await shape(memory) == await shape(never)
        await memory.undo(change.uuid)
        assert await shape(memory) == whole

    asyncio.run(run())


@settings(deadline=None)
@given(st.permutations(range(5)), st.lists(tellings, min_size=5, max_size=5))
def test_order_of_telling_does_not_matter(order: Sequence[int], told: Sequence[Telling]) -> None:
    async def run() -> None:
        one, other = fresh_memory()[0], fresh_memory()[0]
        for telling in told:
            await tell(one, telling)
        for number in order:
            await tell(other, told[number])
        assert await shape(one) == await shape(other)

    asyncio.run(run())


@settings(deadline=None)
@given(st.lists(st.tuples(tellings, st.sampled_from(["tell", "forget", "undo", "merge"])), max_size=8), st.data())
def test_what_was_known_stays_known_and_undo_takes_every_act_back(
    acts: Sequence[tuple[Telling, str]], data: st.DataObject
) -> None:
    async def run() -> None:
        memory, clock = fresh_memory()
        seen: list[tuple[datetime, set[tuple[object, ...]]]] = []
        changes: list[str] = []
        for telling, act in acts:
            clock.advance(timedelta(seconds=1))
            before = await shape(memory)
            try:
                if act == "tell":
                    changes.append(await tell(memory, telling))
                elif act == "merge":
                    changes.append((await memory.merge(*NAMES)).uuid)
                elif changes:
                    target = data.draw(st.sampled_from(changes))
                    changes.append((await (memory.undo(target) if act == "undo" else memory.forget(target))).uuid)
            except EverfactError:
                assert await shape(memory) == before
            else:
                if changes and data.draw(st.booleans()) and act != "tell":
                    after = await shape(memory)
                    back = await memory.undo(changes[-1])
                    assert await shape(memory) == before
                    await memory.undo(back.uuid)
                    assert await shape(memory) == after
            clock.advance(timedelta(seconds=1))
            seen.append((clock.time, await shape(memory)))
        for moment, known in seen:
            assert await shape(memory, replace(HOME, known_at=moment)) == known

    asyncio.run(run())

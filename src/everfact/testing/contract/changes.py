"""A change happens whole or not at all, is told apart in time, and can be read back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everfact.clock import new_id
from everfact.errors import ClaimLost, Conflict, NotFound, StoreError, UsageError
from everfact.models import (
    Change,
    Entity,
    Fact,
    FactKind,
    Filter,
    Status,
    Thing,
    Value,
    ValueType,
)
from everfact.ports import Store
from everfact.testing.builders import ANYWHERE, EARLY, HOME, assertion, change, entity, episode, fact
from everfact.testing.contract.fixtures import DAY, LEASE, SECOND, Fixtures, apply_next, day, uuids_matching
from everfact.testing.fakes import FakeClock


class Changes(Fixtures):
    """Recording."""

    async def test_change_comes_back_whole(self, store: Store, clock: FakeClock) -> None:
        told = await store.add_episode(episode())
        alice, paris = entity("Alice", "Person", aliases=("Al",)), entity("Paris")
        said = assertion(alice, paris, told)
        lives = replace(
            fact(alice, paris, support=(said,), valid_at=day(1), invalid_at=day(9), disputed=True),
            attribute="home",
            ended_by=(said.uuid,),
            attributes={"n": 1},
        )
        owes = replace(fact(alice, sentence="Alice owes 5"), value=Value(type=ValueType.COUNT, text="5", number=5.0))
        clock.advance(SECOND)
        (claim,) = await store.claim("w", lease=LEASE)
        planned = replace(change(alice, paris, said, lives, owes, cause=told.uuid), note="why")
        made, _ = await store.finish(planned, claim)
        assert made == planned.recorded(made.created_at)
        assert made.created_at == clock.time
        assert await store.changes(HOME) == [made]
        assert {f.uuid: f for f in await store.facts(HOME)} == {f.uuid: f for f in made.facts}
        assert {e.uuid: e for e in await store.entities(HOME)} == {e.uuid: e for e in made.entities}
        assert await store.assertions(HOME) == list(made.asserted)
        assert [e.status for e in await store.episodes(HOME)] == [Status.DONE]

    async def test_times_of_older_items_stay_when_a_change_is_recorded(self, store: Store, clock: FakeClock) -> None:
        alice = entity()
        first = await store.apply(change(alice, fact(alice)))
        clock.advance(SECOND)
        ended = replace(first.facts[0], invalid_at=day(1), expired_at=EARLY)
        second = await apply_next(store, change(ended))
        assert second.facts[0].created_at == first.created_at
        assert second.facts[0].expired_at == second.created_at == clock.time

    @pytest.mark.parametrize("flaw", ["entity", "assertion", "withdrawn", "reinstated", "removed", "group", "id"])
    async def test_change_with_a_flaw_leaves_nothing_behind(self, store: Store, flaw: str) -> None:
        told = await store.add_episode(episode())
        (claim,) = await store.claim("w", lease=LEASE)
        alice, ghost, foreign = entity(), entity("Ghost"), entity("Mallory", group_id="work")
        said = assertion(alice, None)
        await store.apply(change(foreign))
        good = change(alice, said, fact(alice, sentence="marker"), cause=told.uuid)
        flawed: dict[str, tuple[Change, type[StoreError | UsageError]]] = {
            "entity": (replace(good, facts=(*good.facts, fact(alice, ghost))), NotFound),
            "assertion": (replace(good, asserted=(said, said)), UsageError),
            "withdrawn": (replace(good, withdrawn=(new_id(),)), NotFound),
            "reinstated": (replace(good, reinstated=(said.uuid,)), NotFound),
            "removed": (replace(good, removed=(foreign.uuid,)), NotFound),
            "group": (replace(good, entities=(alice, foreign)), UsageError),
            "id": (replace(good, entities=(alice, replace(foreign, group_id="home"))), UsageError),
        }
        bad, error = flawed[flaw]
        with pytest.raises(error):
            await store.finish(bad, claim)
        for read in (store.entities, store.facts, store.changes, store.assertions):
            assert await read(replace(HOME, withdrawn=None)) == []
        assert await uuids_matching(store, Thing.FACT, "marker") == []
        assert [e.status for e in await store.episodes(HOME)] == [Status.PENDING]
        assert [e.name for e in await store.entities(ANYWHERE)] == ["Mallory"]
        await store.finish(good, claim)  # the claim is still good

    async def test_two_changes_never_build_on_the_same_past(self, store: Store) -> None:
        first = await store.apply(change(entity()))
        with pytest.raises(Conflict):
            await store.apply(change(entity()))
        await store.apply(change(entity(), parent=first))
        with pytest.raises(Conflict):
            await store.apply(change(entity(), parent=first))
        assert len(await store.entities(HOME)) == 2

    async def test_known_at_shows_exactly_what_was_recorded_then(self, store: Store, clock: FakeClock) -> None:
        alice = entity("Alice")
        home = fact(alice, sentence="Alice lives in Paris")
        seen = []
        versions: list[list[Entity | Fact]] = [
            [alice, home],
            [replace(home, sentence="Alice lives in Rome")],
            [replace(alice, name="Alice Liddell")],
        ]
        for version in versions:
            clock.advance(SECOND)
            await apply_next(store, change(*version))
            seen.append((clock.time, await store.facts(HOME), await store.entities(HOME)))
        clock.advance(SECOND)
        await apply_next(store, replace(change(), removed=(home.uuid, alice.uuid)))
        assert (await store.facts(HOME), await store.entities(HOME)) == ([], [])
        clock.advance(SECOND)
        await apply_next(store, change(alice, home))
        for moment, facts, entities in seen:
            then = replace(HOME, known_at=moment)
            assert (await store.facts(then), await store.entities(then)) == (facts, entities)
        assert await uuids_matching(store, Thing.FACT, "Rome") == []
        assert await uuids_matching(store, Thing.FACT, "Rome", replace(HOME, known_at=seen[1][0])) == [home.uuid]
        assert await uuids_matching(store, Thing.ENTITY, "Liddell", replace(HOME, known_at=seen[1][0])) == []
        assert await store.facts(replace(HOME, known_at=EARLY)) == []

    async def test_record_time_grows_though_the_clock_goes_back(self, store: Store, clock: FakeClock) -> None:
        first = await store.apply(change(entity("Alice")))
        then = replace(HOME, known_at=clock.time)
        before = await store.entities(then)
        clock.advance(-DAY)
        told = await store.add_episode(episode())
        second = await apply_next(store, change(entity("Bob")))
        assert first.created_at < told.created_at < second.created_at
        assert await store.entities(then) == before
        assert await store.episodes(then) == []

    async def test_assertion_can_be_withdrawn_and_reinstated(self, store: Store, clock: FakeClock) -> None:
        alice = entity()
        said = assertion(alice, None)
        times = []
        for step in (
            change(alice, said),
            replace(change(), withdrawn=(said.uuid,)),
            replace(change(), reinstated=(said.uuid,)),
        ):
            times.append(clock.advance(SECOND))
            made = await apply_next(store, step)
            assert (await store.changes(HOME, limit=1)) == [made]
        for moment, is_withdrawn in zip(times, (False, True, False), strict=True):
            then = replace(HOME, known_at=moment)
            assert len(await store.assertions(replace(then, withdrawn=is_withdrawn))) == 1
            assert await store.assertions(replace(then, withdrawn=not is_withdrawn)) == []
            assert [a.withdrawn for a in await store.assertions(replace(then, withdrawn=None))] == [is_withdrawn]

    async def test_episode_can_be_removed_and_brought_back(self, store: Store, clock: FakeClock) -> None:
        told = await store.add_episode(episode("secret plan", thread="t", source_key="k"))
        (claim,) = await store.claim("w", lease=LEASE)
        clock.advance(SECOND)
        await store.apply(replace(change(), removed=(told.uuid,)))
        with pytest.raises(ClaimLost):
            await store.release(claim)
        assert (await store.episodes(HOME), await store.claim("w", lease=LEASE)) == ([], [])
        assert await uuids_matching(store, Thing.EPISODE, "secret") == []
        assert [e.uuid for e in await store.episodes(replace(HOME, known_at=told.created_at))] == [told.uuid]
        clock.advance(SECOND)
        await apply_next(store, change(replace(told, status=Status.DONE)))
        assert await store.episodes(HOME) == [replace(told, status=Status.DONE)]
        assert await uuids_matching(store, Thing.EPISODE, "secret") == [told.uuid]

    async def test_log_is_found_by_what_a_change_touched(self, store: Store, clock: FakeClock) -> None:
        told = await store.add_episode(episode())
        alice, bob = entity("Alice"), entity("Bob")
        said = assertion(alice, None, told)
        first = await apply_next(store, change(alice, said, cause=told.uuid))
        second = await apply_next(store, change(bob))
        third = await apply_next(store, replace(change(), withdrawn=(said.uuid,), removed=(alice.uuid,)))

        async def touching(uuid: str) -> list[str]:
            return [c.uuid for c in await store.changes(replace(HOME, uuids=(uuid,)))]

        assert await touching(first.uuid) == [first.uuid]
        assert await touching(told.uuid) == [first.uuid]
        assert await touching(bob.uuid) == [second.uuid]
        assert await touching(alice.uuid) == await touching(said.uuid) == [third.uuid, first.uuid]
        page = await store.changes(HOME, limit=1, before=(third.created_at, third.uuid))
        assert [c.uuid for c in page] == [second.uuid]
        assert len(await store.changes(replace(HOME, known_at=second.created_at))) == 2

    async def test_facts_are_chosen_by_time(self, store: Store) -> None:
        alice = entity()
        spans = {"open": (day(1), None), "past": (day(1), day(5)), "coming": (day(20), None), "undated": (None, None)}
        facts = [fact(alice, sentence=name, valid_at=a, invalid_at=b) for name, (a, b) in spans.items()]
        facts.append(fact(alice, sentence="trip", kind=FactKind.EVENT, valid_at=day(2), invalid_at=day(3)))
        facts.append(fact(alice, sentence="idea", kind=FactKind.PLAN, valid_at=day(30)))
        facts.append(fact(alice, sentence="dropped", kind=FactKind.PLAN, valid_at=day(30), invalid_at=day(4)))
        await store.apply(change(alice, *facts))

        async def sentences(where: Filter) -> set[str]:
            found = {f.sentence for f in await store.facts(where)}
            words = " ".join([*spans, "trip", "idea", "dropped"])
            matched = {h.uuid for h in await store.match_text(Thing.FACT, words, where, limit=99)}
            assert matched == {f.uuid for f in facts if f.sentence in found}
            return found

        always = {"undated", "trip", "idea"}
        assert await sentences(replace(HOME, valid_at=day(3))) == always | {"open", "past", "dropped"}
        assert await sentences(replace(HOME, valid_at=day(5))) == always | {"open"}
        assert await sentences(replace(HOME, valid_at=day(20))) == always | {"open", "coming"}
        assert await sentences(replace(HOME, valid_at=day(0))) == always | {"dropped"}
        assert await sentences(HOME) == set(spans) | {"trip", "idea", "dropped"}
        bounds = replace(HOME, valid_at_after=day(1), valid_at_before=day(20))
        assert await sentences(bounds) == {"trip"}
        assert await sentences(replace(HOME, invalid_at_after=day(3))) == {"past", "dropped"}
        assert await sentences(replace(HOME, invalid_at_before=day(4))) == {"trip"}

    async def test_facts_and_assertions_are_chosen_by_what_they_are_about(self, store: Store) -> None:
        told, other = [await store.add_episode(episode(text)) for text in ("one", "two")]
        alice, bob, carol = entity("Alice"), entity("Bob"), entity("Carol")
        first, second = assertion(alice, bob, told), assertion(bob, carol, other)
        second = replace(second, statement=replace(second.statement, attribute="friend"))
        facts = [
            fact(alice, bob, support=(first,), relation="LIKES", disputed=True),
            replace(fact(bob, carol, support=(second, first)), attribute="friend"),
        ]
        await store.apply(change(alice, bob, carol, first, second, *facts))

        async def chosen(where: Filter) -> set[int]:
            return {[f.uuid for f in facts].index(f.uuid) for f in await store.facts(where)}

        assert await chosen(replace(HOME, entities=(alice.uuid,))) == {0}
        assert await chosen(replace(HOME, entities=(bob.uuid,))) == {0, 1}
        assert await chosen(replace(HOME, subjects=(bob.uuid,))) == {1}
        assert await chosen(replace(HOME, attributes=("friend",))) == {1}
        assert await chosen(replace(HOME, subjects=(alice.uuid,), attributes=("friend",))) == set()
        assert await chosen(replace(HOME, relations=("LIKES",))) == {0}
        assert await chosen(replace(HOME, disputed=True)) == {0}
        assert await chosen(replace(HOME, disputed=False)) == {1}
        assert await chosen(replace(HOME, episodes=(other.uuid,))) == {1}
        assert await chosen(replace(HOME, episodes=(told.uuid,))) == {0, 1}
        assert [a.uuid for a in await store.assertions(replace(HOME, entities=(carol.uuid,)))] == [second.uuid]
        assert [a.uuid for a in await store.assertions(replace(HOME, subjects=(bob.uuid,)))] == [second.uuid]
        assert [a.uuid for a in await store.assertions(replace(HOME, attributes=("",)))] == [first.uuid]
        assert [a.uuid for a in await store.assertions(replace(HOME, episodes=(told.uuid,)))] == [first.uuid]

    async def test_entities_are_chosen_by_name_and_type(self, store: Store) -> None:
        robert = entity("Robert  Smith", "Person", "Singer", aliases=("Bob",))
        acme = entity("ACME", "Organization")
        await store.apply(change(robert, acme))
        assert [e.uuid for e in await store.entities(replace(HOME, names=("bob",)))] == [robert.uuid]
        assert [e.uuid for e in await store.entities(replace(HOME, names=("ROBERT smith",)))] == [robert.uuid]
        assert await store.entities(replace(HOME, names=("Rob",))) == []
        assert [e.uuid for e in await store.entities(replace(HOME, entity_types=("Singer",)))] == [robert.uuid]
        types = ("Person", "Organization")
        assert len(await store.entities(replace(HOME, entity_types=types))) == 2

"""A memory is its journal: replayed elsewhere it gives the same memory, at every moment and in every answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from everfact.errors import ClaimLost, Conflict, UsageError
from everfact.models import Change, ChangeKind, Entry, Episode, Filter, Status, Thing, Undigested
from everfact.ports import Store
from everfact.testing.builders import ANYWHERE, EARLY, HOME, assertion, change, entity, episode, fact
from everfact.testing.contract.fixtures import LEASE, SECOND, Fixtures, apply_next, day
from everfact.testing.fakes import FakeClock
from everfact.testing.reference import ReferenceStore

_MANY = 1_000


async def journal_of(store: Store, limit: int = _MANY, group_ids: Sequence[str] | None = None) -> list[Entry]:
    """All of it, read page by page."""
    found: list[Entry] = []
    while page := await store.journal(group_ids, limit=limit, after=found[-1] if found else None):
        assert len(page) <= limit
        found += page
    return found


async def replay_all(store: Store, entries: Sequence[Entry], size: int = _MANY) -> int:
    """Take in a journal, stretch by stretch, each from the last telling or change of the one before."""
    count = 0
    for group in dict.fromkeys(entry.group_id for entry in entries):
        mine = [entry for entry in entries if entry.group_id == group]
        last: Sequence[Entry] = []
        for start in range(0, len(mine), size):
            stretch = [*last, *mine[start : start + size]]
            count += await store.replay(stretch)
            last = [entry for entry in stretch if not isinstance(entry, Undigested)][-1:]
    return count


async def answers_of(store: Store, moments: Sequence[datetime]) -> list[object]:
    """What a store answers to whoever asks for anything, now and then."""
    everything: list[object] = [await store.stats()]
    for at in (None, *moments):
        where = Filter(group_ids=None, known_at=at)
        everything.append(await store.episodes(where, limit=_MANY))
        everything.append(await store.entities(where, limit=_MANY))
        everything.append(await store.facts(where, limit=_MANY))
        everything.append(await store.facts(replace(where, valid_at=day(3)), limit=_MANY))
        everything.append(await store.assertions(replace(where, withdrawn=None), limit=_MANY))
        everything.append(await store.changes(where, limit=_MANY))
        for thing in Thing:
            hits = await store.match_text(thing, "Alice Paris Rome note knows words", where, limit=_MANY)
            everything.append({hit.uuid for hit in hits})
    return everything


class Journal(Fixtures):
    """Taking a memory elsewhere."""

    async def _lived(self, store: Store, clock: FakeClock) -> list[datetime]:
        """Fill a store with all that can happen to one; answer with the moments at which it was different."""
        moments = []
        tellings = [("Alice lives in Paris", "t"), ("Bob words", "t"), ("draft", ""), ("stuck", "t"), ("later", "t")]
        told = [await store.add_episode(episode(text, thread=thread)) for text, thread in tellings]
        alice, paris, rome = entity("Alice", "Person", aliases=("Al",)), entity("Paris"), entity("Rome")
        first, second = assertion(alice, paris, told[0]), assertion(alice, rome)
        home = fact(alice, paris, support=(first,), valid_at=day(1))
        (claim,) = await store.claim("w", lease=LEASE)
        clock.advance(SECOND)
        digest = change(alice, paris, first, home, cause=told[0].uuid)
        await store.finish(digest, claim)
        moments.append(clock.time)
        clock.advance(SECOND)
        moved = fact(alice, rome, support=(second,), valid_at=day(5))
        ended = replace(home, invalid_at=day(5), expired_at=EARLY, ended_by=(second.uuid,))
        mark = replace(told[0], attributes={"superseded_by": told[1].uuid}, status=Status.DONE)
        await apply_next(store, change(rome, replace(alice, name="Alice Liddell"), second, ended, moved, mark))
        await store.add_episode(replace(told[2], content="final words"))
        moments.append(clock.time)
        clock.advance(SECOND)
        undo = replace(change(home), kind=ChangeKind.UNDO, withdrawn=(second.uuid,), removed=(moved.uuid, rome.uuid))
        await apply_next(store, undo)
        moments.append(clock.time)
        clock.advance(SECOND)
        removing = replace(change(), kind=ChangeKind.MERGE, reinstated=(second.uuid,), note="why")
        await apply_next(store, replace(removing, removed=(told[1].uuid,)))
        (claim,) = await store.claim("w", lease=LEASE)
        await store.release(claim, error="no", park=True)
        (claim,) = await store.claim("w", lease=LEASE)
        await store.release(claim, error="slow", retry_at=EARLY)
        await store.add_episode(episode("at work", group_id="work", source_key="k"))
        await store.apply(change(entity("Carol", group_id="work")))
        return [*moments, clock.time]

    async def test_what_a_stretch_replaces_after_adding_something_else_still_stands(
        self, store: Store, clock: FakeClock
    ) -> None:
        alice, told = entity("Alice"), episode("draft")
        source = ReferenceStore(now=clock)
        await apply_next(source, change(alice))
        await source.add_episode(told)
        first = await journal_of(source)
        await apply_next(source, change(entity("Bob")))
        await source.add_episode(episode("another"))
        await apply_next(source, change(replace(alice, summary="knows Bob")))
        await source.add_episode(replace(told, content="final"))
        await replay_all(store, [entry for entry in first if not isinstance(entry, Undigested)])
        await replay_all(store, await journal_of(source))
        assert {e.summary for e in await store.entities(HOME)} == {"", "knows Bob"}
        assert {e.content for e in await store.episodes(HOME)} == {"another", "final"}

    async def test_replayed_journal_gives_the_same_memory(self, store: Store, clock: FakeClock) -> None:
        moments = await self._lived(store, clock)
        before, entries = await answers_of(store, moments), await journal_of(store)
        assert await journal_of(store, limit=1) == await journal_of(store, limit=2) == entries
        assert await journal_of(store, group_ids=["work", "nowhere"]) == [e for e in entries if e.group_id == "work"]
        clock.advance(SECOND)
        reference = ReferenceStore(now=clock)
        for other in (reference, store):
            await store.clear(["home", "work"])
            assert await replay_all(other, entries, size=2) == len(entries)
            assert await answers_of(other, moments) == before
            assert await journal_of(other) == entries

    async def test_journal_tells_what_was_recorded_when_it_was(self, store: Store, clock: FakeClock) -> None:
        told = await store.add_episode(episode())
        clock.advance(SECOND)
        made = await store.apply(change(entity()))
        clock.advance(SECOND)
        again = await store.add_episode(replace(told, content="other words"))
        left = Undigested(uuid=told.uuid, group_id="home", status=Status.PENDING)
        *history, last = await journal_of(store)
        assert [replace(e, status=Status.PENDING) if isinstance(e, Episode) else e for e in history] == [
            told,
            made,
            again,
        ]
        assert last == left

    async def test_journal_that_goes_on_is_taken_up_where_it_was_left(self, store: Store, clock: FakeClock) -> None:
        reference = ReferenceStore(now=clock)
        for _ in range(3):
            await self._digested_one(reference, clock)
            entries = await journal_of(reference)
            assert await replay_all(store, entries) > 0
            assert await replay_all(store, entries, size=2) == 0
            assert await journal_of(store) == entries

    async def _digested_one(self, store: Store, clock: FakeClock) -> None:
        """The oldest pending episode is digested, and two more are told."""
        for claim in await store.claim("w", lease=LEASE):
            await store.finish(replace(change(entity(), parent=None), parent=claim.head), claim)
        for _ in range(2):
            clock.advance(SECOND)
            await store.add_episode(episode(thread="t"))

    async def test_memory_that_is_ahead_of_a_journal_stays_as_it_is(self, store: Store, clock: FakeClock) -> None:
        await self._digested_one(store, clock)
        entries = await journal_of(store)
        await self._digested_one(store, clock)
        after = await journal_of(store)
        assert await replay_all(store, entries) == 0
        assert await journal_of(store) == after

    @pytest.mark.parametrize("act", ["told", "changed"])
    async def test_memories_that_went_two_ways_are_not_mixed(self, store: Store, clock: FakeClock, act: str) -> None:
        reference = ReferenceStore(now=clock)
        await reference.add_episode(episode("common"))
        await replay_all(store, await journal_of(reference))
        clock.advance(SECOND)
        await (store.add_episode(episode("mine")) if act == "told" else store.apply(change(entity("Mine"))))
        clock.advance(SECOND)
        await reference.add_episode(episode("theirs"))
        await reference.apply(change(entity("Theirs")))
        before = await journal_of(store)
        with pytest.raises(Conflict):
            await replay_all(store, await journal_of(reference))
        assert await journal_of(store) == before

    async def test_nothing_is_digested_before_the_journal_ends(self, store: Store, clock: FakeClock) -> None:
        reference = ReferenceStore(now=clock)
        await self._digested_one(reference, clock)
        await replay_all(store, await journal_of(reference))
        (claim,) = await store.claim("w", lease=LEASE)
        await self._digested_one(reference, clock)
        entries = await journal_of(reference)
        history = [entry for entry in entries if not isinstance(entry, Undigested)]
        await replay_all(store, history)
        assert (await store.stats()).pending == 0
        with pytest.raises(ClaimLost):
            await store.renew(claim, lease=LEASE)
        assert await replay_all(store, entries) == len(entries) - len(history)
        assert await journal_of(store) == entries

    async def test_purged_items_leave_no_trace_in_the_journal(self, store: Store, clock: FakeClock) -> None:
        told = await store.add_episode(episode("the password is swordfish", thread="t"))
        quux, bob = entity("Zebediah Quux"), entity("Bob")
        said = assertion(quux, bob, told)
        quoting = replace(change(quux, bob, said, fact(quux, bob, support=(said,)), cause=told.uuid), note="swordfish")
        made = await apply_next(store, quoting)
        moments = [made.created_at]
        clock.advance(SECOND)
        renamed = change(replace(quux, name="Zebediah"))
        await apply_next(store, replace(renamed, withdrawn=(said.uuid,), removed=(told.uuid, made.facts[0].uuid)))
        await store.purge("home", [told.uuid, said.uuid, made.facts[0].uuid], former=[quux.uuid])
        clock.advance(SECOND)
        later = await store.add_episode(episode("later"))
        entries, before = await journal_of(store), await answers_of(store, moments)
        for word in ("swordfish", "Quux", told.uuid, said.uuid):
            assert word not in repr([replace(e, cause="") if isinstance(e, Change) else e for e in entries])
        await store.clear(["home"])
        await replay_all(store, entries)
        assert await answers_of(store, moments) == before
        assert await journal_of(store) == entries
        assert (await store.add_episode(episode("more"))).created_at > later.created_at

    async def test_pages_reach_across_changes_of_many_items(self, store: Store) -> None:
        for number in range(3):
            await store.add_episode(episode(f"turn {number}"))
            await apply_next(store, change(*(entity(f"E{number} {n}") for n in range(40))))
        entries = await journal_of(store)
        assert await journal_of(store, limit=1) == entries

    async def test_store_goes_on_from_what_was_replayed(self, store: Store, clock: FakeClock) -> None:
        reference = ReferenceStore(now=clock)
        last = [await reference.add_episode(episode(thread="t", source_key=key)) for key in ("a", "b")][-1]
        made = await reference.apply(change(entity()))
        await replay_all(store, await journal_of(reference))
        clock.advance(-SECOND)
        assert (await store.add_episode(episode("again", source_key="b"))).uuid == last.uuid
        told = await store.add_episode(episode(thread="t"))
        assert (told.position, told.created_at > made.created_at) == (3, True)
        assert (await store.apply(change(entity(), parent=made))).created_at > told.created_at

    @pytest.mark.parametrize("flaw", ["groups", "order", "foreign episode", "foreign change", "foreign item"])
    async def test_stretch_with_a_flaw_leaves_nothing_behind(self, store: Store, clock: FakeClock, flaw: str) -> None:
        reference = ReferenceStore(now=clock)
        alice = entity()
        tellings = [await reference.add_episode(episode(str(number))) for number in range(2)]
        made = await reference.apply(change(alice))
        good: list[Entry] = [*tellings, made]
        stretches: dict[str, list[Entry]] = {
            "groups": [tellings[0], replace(tellings[1], group_id="work")],
            "order": [tellings[1], tellings[0]],
            "foreign episode": good,
            "foreign change": good,
            "foreign item": good,
        }
        if flaw == "foreign episode":
            await store.add_episode(replace(tellings[1], group_id="other"))
        if flaw == "foreign change":
            await store.apply(replace(change(), uuid=made.uuid, group_id="other"))
        if flaw == "foreign item":
            await store.apply(change(replace(alice, group_id="other")))
        with pytest.raises(UsageError):
            await store.replay(stretches[flaw])
        assert await store.stats(["home"]) == await ReferenceStore().stats()
        assert await store.episodes(replace(ANYWHERE, group_ids=("home", "work"))) == []

    async def test_stretch_with_a_gap_is_no_continuation(self, store: Store, clock: FakeClock) -> None:
        reference = ReferenceStore(now=clock)
        told = await reference.add_episode(episode())
        first = await reference.apply(change(entity()))
        second = await reference.apply(change(entity(), parent=first))
        await store.replay([told])
        stretches: list[list[Entry]] = [[told, second], [first], [told, first, told]]
        for stretch in stretches:
            with pytest.raises(Conflict):
                await store.replay(stretch)
        assert await store.replay([told, first, second]) == 2

    async def test_journal_of_nothing_is_empty(self, store: Store) -> None:
        assert await store.journal() == []
        assert await store.replay([]) == 0
        assert await store.replay([Undigested(uuid="x", group_id="home", status=Status.PARKED)]) == 0
        assert await store.episodes(HOME) == []
        assert (await store.stats()).groups == 0

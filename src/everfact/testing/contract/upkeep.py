"""A store counts, backs up, wipes for good, and is closed when it is closed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from everfact.errors import StoreError, UsageError
from everfact.models import (
    Embedding,
    Stats,
    Thing,
)
from everfact.ports import Store
from everfact.testing.builders import ANYWHERE, HOME, assertion, change, entity, episode, fact
from everfact.testing.contract.fixtures import LEASE, SECOND, Fixtures, OpenStore, apply_next, uuids_matching
from everfact.testing.fakes import FakeClock, HashingEmbedder


class Upkeep(Fixtures):
    """Looking after it."""

    async def test_stats_count_what_is_there_now(self, store: Store, clock: FakeClock) -> None:
        assert await store.stats() == Stats()
        told = await store.add_episode(episode())
        clock.advance(SECOND)
        await store.add_episode(episode())
        (claim,) = await store.claim("w", lease=LEASE)
        alice = entity()
        said = assertion(alice, None, told)
        await store.finish(change(alice, said, fact(alice), fact(alice)), claim)
        (claim,) = await store.claim("w", lease=LEASE)
        await store.release(claim, error="no", park=True)
        last = await store.add_episode(episode())
        other = await store.add_episode(episode(group_id="work"))
        assert await store.stats(["home"]) == Stats(
            groups=1,
            episodes=3,
            entities=1,
            facts=2,
            assertions=1,
            changes=1,
            pending=1,
            parked=1,
            oldest_pending=last.created_at,
            last_write=last.created_at,
        )
        everything = await store.stats()
        assert (everything.groups, everything.episodes, everything.pending) == (2, 4, 2)
        assert everything.last_write == max(last.created_at, other.created_at)

    async def test_purged_items_are_gone_at_every_time(self, store: Store, clock: FakeClock) -> None:
        embedder = HashingEmbedder()
        told = await store.add_episode(episode("the password is swordfish"))
        alice = entity("Alice")
        said = assertion(alice, None, told)
        quoting = replace(change(alice, said, cause=told.uuid), note="swordfish", facts=(fact(alice, support=(said,)),))
        made = await store.apply(quoting)
        fish = Embedding(thing=Thing.EPISODE, uuid=told.uuid, text=told.text, vector=embedder.vector(told.text))
        await store.put_vectors(embedder.model, [fish])
        clock.advance(SECOND)
        await apply_next(store, replace(change(), withdrawn=(said.uuid,), removed=(told.uuid, made.facts[0].uuid)))
        gone = (told.uuid, said.uuid, made.facts[0].uuid)
        assert await store.purge("work", gone) == 0
        assert await store.purge("home", gone) == 3
        then = replace(HOME, known_at=made.created_at, withdrawn=None)
        for read in (store.episodes, store.facts, store.assertions):
            assert await read(then) == []
        assert await uuids_matching(store, Thing.EPISODE, "swordfish", then) == []
        assert await store.match_vector(Thing.EPISODE, embedder.model, fish.vector, then, limit=5) == []
        log = await store.changes(HOME)
        assert len(log) == 2
        assert "swordfish" not in repr(log)
        assert [e.name for e in await store.entities(HOME)] == ["Alice"]

    async def test_former_names_of_an_entity_can_be_wiped(self, store: Store, clock: FakeClock) -> None:
        embedder = HashingEmbedder()
        quux, other = entity("Zebediah Quux"), entity("Bob")
        await store.apply(change(quux, other))
        lacking = await store.unembedded(embedder.model, limit=9)
        vectors = [Embedding(thing=i.thing, uuid=i.uuid, text=i.text, vector=embedder.vector(i.text)) for i in lacking]
        await store.put_vectors(embedder.model, vectors)
        then = replace(HOME, known_at=clock.time)
        clock.advance(SECOND)
        await apply_next(store, change(replace(quux, name="Zebediah")))
        assert await store.purge("work", [], former=[quux.uuid]) == 0
        assert await store.purge("home", [], former=[quux.uuid, "nobody"]) == 0
        assert {e.name for e in await store.entities(then)} == {e.name for e in await store.entities(HOME)}
        assert {e.name for e in await store.entities(HOME)} == {"Zebediah", "Bob"}
        assert await uuids_matching(store, Thing.ENTITY, "Quux", then) == []
        question = embedder.vector("Zebediah Quux")
        hits = await store.match_vector(Thing.ENTITY, embedder.model, question, then, limit=5)
        assert [hit.uuid for hit in hits] == [other.uuid]

    async def test_cleared_group_is_gone_and_others_stay(self, store: Store, clock: FakeClock) -> None:
        for group in ("home", "work"):
            await store.add_episode(episode("words", group_id=group, thread="t", source_key="k"))
            alice = entity("Alice", group_id=group)
            await store.apply(change(alice, assertion(alice, None), fact(alice)))
        held = await store.clear(["home", "unknown"])
        assert (held.groups, held.episodes, held.entities, held.facts, held.assertions, held.changes) == (1,) * 6
        assert await store.stats(["home"]) == Stats()
        for read in (store.episodes, store.entities, store.facts, store.assertions, store.changes):
            assert [item.group_id for item in await read(replace(ANYWHERE, withdrawn=None))] == ["work"]
        assert await uuids_matching(store, Thing.EPISODE, "words", HOME) == []
        again = await store.add_episode(episode("words", thread="t", source_key="k"))
        assert again.position == 1
        assert await uuids_matching(store, Thing.EPISODE, "words", HOME) == [again.uuid]

    async def test_small_values_are_kept_by_name(self, store: Store) -> None:
        assert await store.state("offset") is None
        await store.set_state("offset", "1")
        await store.set_state("offset", "2")
        assert await store.state("offset") == "2"
        await store.set_state("offset", None)
        assert await store.state("offset") is None

    async def test_small_value_is_swapped_only_while_it_is_the_one_read(self, store: Store) -> None:
        assert not await store.swap_state("spent", "0", "1")
        assert await store.swap_state("spent", None, "1")
        assert not await store.swap_state("spent", None, "2")
        assert await store.swap_state("spent", "1", "2")
        assert await store.state("spent") == "2"
        assert not await store.swap_state("spent", "1", None)
        assert await store.swap_state("spent", "2", None)
        assert await store.state("spent") is None

    async def test_of_swaps_at_once_one_succeeds(self, open_store: OpenStore) -> None:
        async with await open_store() as one, await open_store() as other:
            await one.set_state("count", "0")
            for turn in range(5):
                before, after = str(turn), str(turn + 1)
                swaps = [store.swap_state("count", before, after) for store in (one, other) * 8]
                assert sorted(await asyncio.gather(*swaps)) == [False] * 15 + [True]
            assert await other.state("count") == "5"

    async def test_backup_writes_a_new_file_only(self, store: Store, tmp_path: Path) -> None:
        await store.add_episode(episode())
        await store.backup(tmp_path / "copy")
        assert (tmp_path / "copy").stat().st_size > 0
        with pytest.raises(UsageError, match="exists"):
            await store.backup(tmp_path / "copy")

    async def test_closed_store_refuses_everything(self, store: Store) -> None:
        await store.close()
        await store.close()
        for act in (
            store.add_episode(episode()),
            store.claim("w", lease=LEASE),
            store.episodes(HOME),
            store.match_text(Thing.FACT, "x", HOME, limit=1),
            store.stats(),
            store.set_state("a", "b"),
            store.together(lambda held: held.episodes(HOME)),
        ):
            with pytest.raises(StoreError, match="closed"):
                await act

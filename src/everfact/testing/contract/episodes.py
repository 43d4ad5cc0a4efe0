"""What was told is kept, once, in order, and comes back as it was told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everfact.errors import UsageError
from everfact.models import (
    FactKind,
    Filter,
    Granularity,
    Mention,
    Original,
    Phase,
    Source,
    Statement,
    Status,
    Thing,
    Value,
    ValueType,
)
from everfact.ports import Store
from everfact.testing.builders import EARLY, HOME, change, entity, episode, fact
from everfact.testing.contract.fixtures import LEASE, SECOND, Fixtures, OpenStore, day, uuids_matching
from everfact.testing.fakes import FakeClock


class Episodes(Fixtures):
    """Telling."""

    async def test_episode_comes_back_as_it_was_told(self, store: Store) -> None:
        statement = Statement(
            subject=Mention(name="Ada", type="Person", uuid="u"),
            relation="SALARY",
            object=Value(type=ValueType.MONEY, text="5 EUR", number=5.0, unit="EUR"),
            sentence="Ada earns 5 EUR",
            attribute="salary",
            kind=FactKind.PLAN,
            phase=Phase.BEGINS,
            span=(0, 9),
            valid_at=day(1),
            invalid_at=day(2),
            granularity=Granularity.DAY,
            replaces="x",
            confidence=0.5,
            original=Original(uuid="o", learned_at=day(3), expired_at=day(4), attributes={"a": [1, {"b": None}]}),
        )
        told = replace(
            episode(
                "quotes ' \" \\ ; -- NUL \0 emoji 🦜 newline \n end", source=Source.JSON, speaker="Ada", role="user"
            ),
            statements=(statement, replace(statement, object=Mention(name="B")), replace(statement, object=None)),
            attributes={"tags": ["a", "b"], "depth": {"n": 1.5, "none": None, "yes": True}},
        )
        kept = await store.add_episode(told)
        assert replace(kept, created_at=EARLY) == told
        assert await store.episodes(HOME) == [kept]

    async def test_episode_is_found_by_words_as_soon_as_it_is_added(self, store: Store) -> None:
        kept = await store.add_episode(episode("The deploy key expires on Friday"))
        assert await uuids_matching(store, Thing.EPISODE, "when does the key expire? FRIDAY!") == [kept.uuid]

    async def test_adding_the_same_episode_twice_keeps_one(self, store: Store) -> None:
        told = episode("once")
        first = await store.add_episode(told)
        assert await store.add_episode(told) == first
        assert await store.episodes(HOME) == [first]

    async def test_same_source_key_in_one_group_is_the_same_telling(self, store: Store) -> None:
        first = await store.add_episode(episode("once", source_key="k"))
        assert await store.add_episode(episode("other words", source_key="k")) == first
        other = await store.add_episode(episode("once", group_id="work", source_key="k"))
        assert other.uuid != first.uuid

    async def test_two_equal_turns_without_a_key_are_two_episodes(self, store: Store) -> None:
        await store.add_episode(episode("yes"))
        await store.add_episode(episode("yes"))
        assert len(await store.episodes(HOME)) == 2

    async def test_known_uuid_with_other_content_replaces_it_and_queues_it_again(
        self, store: Store, clock: FakeClock
    ) -> None:
        first = await store.add_episode(episode("old words", thread="t"))
        (claim,) = await store.claim("w", lease=LEASE)
        await store.finish(change(), claim)
        before = clock.time
        clock.advance(SECOND)
        second = await store.add_episode(replace(first, content="fresh words"))
        assert (second.status, second.thread, second.position) == (Status.PENDING, "t", 1)
        assert await store.episodes(HOME) == [second]
        assert await uuids_matching(store, Thing.EPISODE, "old") == []
        assert [e.content for e in await store.episodes(replace(HOME, known_at=before))] == ["old words"]
        assert await uuids_matching(store, Thing.EPISODE, "old", replace(HOME, known_at=before)) == [first.uuid]

    async def test_uuid_of_another_group_is_refused(self, store: Store) -> None:
        mine = await store.add_episode(episode("mine"))
        with pytest.raises(UsageError, match="another group"):
            await store.add_episode(replace(mine, group_id="work"))
        assert await store.episodes(Filter(group_ids=("work",))) == []

    async def test_turns_of_a_thread_are_numbered_in_order(self, store: Store) -> None:
        turns = [await store.add_episode(episode(f"turn {n}", thread="talk")) for n in range(3)]
        alone = await store.add_episode(episode("no thread"))
        elsewhere = await store.add_episode(episode("turn", group_id="work", thread="talk"))
        assert [turn.position for turn in (*turns, alone, elsewhere)] == [1, 2, 3, 0, 1]
        assert len(await store.episodes(replace(HOME, threads=("talk",)))) == 3

    async def test_turns_beside_others_are_those_right_before_and_after_in_their_thread(self, store: Store) -> None:
        turns = [await store.add_episode(episode(f"turn {n}", thread="talk")) for n in range(5)]
        other = [await store.add_episode(episode(f"turn {n}", thread="other")) for n in range(2)]
        alone = await store.add_episode(episode("no thread"))
        await store.add_episode(episode("turn", group_id="work", thread="talk"))
        beside = replace(HOME, beside=(turns[0].uuid, turns[3].uuid, other[1].uuid, alone.uuid))
        assert {e.uuid for e in await store.episodes(beside)} == {
            e.uuid for e in (turns[1], turns[2], turns[4], other[0])
        }
        assert await store.episodes(replace(HOME, beside=())) == []

    async def test_episodes_are_chosen_by_the_time_they_speak_from(self, store: Store) -> None:
        told = [await store.add_episode(episode(f"n{n}", reference_time=day(n))) for n in range(4)]
        between = replace(HOME, told_from=day(1), told_until=day(3))
        assert await store.episodes(between) == [told[2], told[1]]

    async def test_speakers_are_those_who_have_said_something(self, store: Store) -> None:
        for speaker in ("Ada Byron", "Bob", ""):
            await store.add_episode(replace(episode(f"by {speaker}"), speaker=speaker))
        await store.add_episode(replace(episode("elsewhere", group_id="work"), speaker="Cy"))
        assert await store.speakers(["bob", "ADA BYRON", "Cy", "Ada", ""], HOME) == ["Ada Byron", "Bob"]
        assert await store.speakers([], HOME) == []

    async def test_episodes_are_listed_newest_first_page_by_page(self, store: Store) -> None:
        told = [await store.add_episode(episode(f"n{n}", reference_time=day(n % 3))) for n in range(7)]
        expected = sorted(told, key=lambda e: (e.reference_time, e.uuid), reverse=True)
        pages, before = [], None
        while page := await store.episodes(HOME, limit=2, before=before):
            pages += page
            before = (page[-1].reference_time, page[-1].uuid)
        assert pages == expected

    async def test_episodes_are_chosen_by_source_status_and_uuid(self, store: Store) -> None:
        text, message = [await store.add_episode(episode(s, source=Source(s))) for s in ("text", "message")]
        (claim,) = await store.claim("w", lease=LEASE)
        await store.finish(change(), claim)
        assert await store.episodes(replace(HOME, sources=(Source.MESSAGE,))) == [message]
        assert [e.uuid for e in await store.episodes(replace(HOME, statuses=(Status.DONE,)))] == [text.uuid]
        assert await store.episodes(replace(HOME, statuses=(Status.PENDING,))) == [message]
        assert [e.uuid for e in await store.episodes(replace(HOME, uuids=(text.uuid, "none")))] == [text.uuid]
        assert await store.episodes(replace(HOME, uuids=())) == []

    async def test_everything_is_there_after_reopening(self, open_store: OpenStore) -> None:
        async with await open_store() as store:
            kept = await store.add_episode(episode("remember me"))
            alice = entity("Alice")
            made = await store.apply(change(alice, fact(alice, sentence="Alice sings")))
            await store.set_state("offset", "7")
        async with await open_store() as store:
            assert await store.episodes(HOME) == [kept]
            assert await store.changes(HOME) == [made]
            assert await store.state("offset") == "7"
            assert await uuids_matching(store, Thing.FACT, "sings") == [made.facts[0].uuid]

"""Words in a memory with very many rows: the rare ones find, common ones cost little."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pytest

from everfact.models import Episode, Filter, Thing
from everfact.stores.sqlite import SQLiteStore, words
from everfact.testing.builders import HOME, EpisodeFields, change, entity, episode
from everfact.testing.contract.fixtures import uuids_matching

_ROWS = 400
_WORDS = {"always": 1, "often": 3, "seldom": 40, "once": 200}


def _turn(*words: str, **given: Unpack[EpisodeFields]) -> Episode:
    """A turn with these words, as long as any other: length counts too."""
    return episode(f"{' '.join(words)} {'x' * 60}"[:50], **given)


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SQLiteStore]:
    """Every turn has "always", every third "often", every fortieth "seldom", one "once"; limits in proportion."""
    monkeypatch.setattr(words, "_SAMPLE", 20)
    monkeypatch.setattr(words, "_MOST_ROWS", 40)
    async with await SQLiteStore.open(tmp_path / "memory.db") as store:
        for n in range(_ROWS):
            said = [word for word, every in _WORDS.items() if n % every == 0]
            await store.add_episode(_turn(*said, uuid=f"{n:03}", speaker="Ada"))
        yield store


async def _found(store: SQLiteStore, text: str, where: Filter = HOME, limit: int = 10) -> list[str]:
    return [hit.uuid for hit in await store.match_text(Thing.EPISODE, text, where, limit=limit)]


async def test_rows_with_rare_words_come_first_wherever_they_lie(store: SQLiteStore) -> None:
    assert set((await _found(store, "always once"))[:2]) == {"000", "200"}
    assert set(await _found(store, "always often seldom")) == {f"{n:03}" for n in range(0, _ROWS, 40)}


async def test_common_words_tell_rows_with_a_rare_one_apart(store: SQLiteStore) -> None:
    found = await _found(store, "seldom often", limit=10)
    assert sorted(found[:4]) == [f"{n:03}" for n in range(0, _ROWS, 120)]
    assert sorted(found[4:]) == [f"{n:03}" for n in range(0, _ROWS, 40) if n % 120]


async def test_a_question_of_common_words_is_answered_with_the_newest(store: SQLiteStore) -> None:
    assert await _found(store, "always") == [f"{n}" for n in range(399, 389, -1)]
    assert await _found(store, "always often") == [f"{n}" for n in range(399, 369, -3)]


async def test_too_few_rare_rows_are_followed_by_common_ones(store: SQLiteStore) -> None:
    found = await _found(store, "once always", limit=15)
    assert (set(found[:2]), len(found)) == ({"000", "200"}, 15)


async def test_old_rows_with_two_common_words_are_found_among_many_newer_with_one(store: SQLiteStore) -> None:
    await store.add_episode(_turn("rather", "indeed", uuid="both"))
    for _ in range(60):
        await store.add_episode(_turn("rather"))
        await store.add_episode(_turn("indeed"))
    assert (await _found(store, "rather indeed"))[0] == "both"


async def test_filters_are_asked_until_enough_pass(store: SQLiteStore) -> None:
    long_ago = await store.episodes(replace(HOME, uuids=("004",)))
    then = replace(HOME, known_at=long_ago[0].created_at)
    assert await _found(store, "seldom", then) == ["000"]
    assert await _found(store, "often", replace(HOME, uuids=("399",))) == ["399"]


async def test_a_small_group_is_counted_by_itself(store: SQLiteStore) -> None:
    for n in range(5):
        await store.add_episode(episode(f"always seldom {n}", group_id="work", uuid=f"work {n}"))
    await store.add_episode(episode("often", group_id="work", uuid="work often"))
    there = Filter(group_ids=("work",))
    assert (await _found(store, "seldom often", there))[0] == "work often"
    assert len(await _found(store, "always", there)) == 5


async def test_a_speaker_is_found_but_adds_nothing_to_the_score(store: SQLiteStore) -> None:
    await store.add_episode(episode("Ada was mentioned", uuid="mentioned", speaker="Ben"))
    hits = await store.match_text(Thing.EPISODE, "ada", HOME, limit=5)
    assert hits[0].uuid == "mentioned"
    assert [hit.score for hit in hits][1:] == [0.0] * 4


async def test_parts_of_names_are_looked_for_only_if_no_name_has_the_word(store: SQLiteStore) -> None:
    ada, nevada = entity("Ada"), entity("Nevada")
    await store.apply(change(ada, nevada))
    assert await uuids_matching(store, Thing.ENTITY, "ada") == [ada.uuid]
    assert await uuids_matching(store, Thing.ENTITY, "evad") == [nevada.uuid]

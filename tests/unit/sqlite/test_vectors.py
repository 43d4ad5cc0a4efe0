"""Which texts lack a vector is known without looking through all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from everfact.models import Embedding, Filter, Thing, Unembedded, Vector
from everfact.stores.sqlite import SQLiteStore, vectors
from everfact.testing.builders import HOME, change, entity, episode, fact
from everfact.testing.contract.fixtures import apply_next
from everfact.testing.fakes import HashingEmbedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def _given(lacking: list[Unembedded], vector: Vector) -> list[Embedding]:
    return [Embedding(thing=i.thing, uuid=i.uuid, text=i.text, vector=vector) for i in lacking]


async def _embed_all(store: SQLiteStore, model: str = "hashing-64", limit: int = 2) -> list[str]:
    texts: list[str] = []
    while lacking := await store.unembedded(model, limit=limit):
        texts += [item.text for item in lacking]
        await store.put_vectors(model, _given(lacking, HashingEmbedder().vector("x")))
    return texts


def _behind(path: Path, model: str = "hashing-64") -> bool:
    connection = apsw.Connection(str(path))
    behind = vectors.is_behind(connection, model)
    connection.close()
    return behind


async def test_texts_get_vectors_oldest_first_whatever_they_are(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await store.add_episode(episode("first"))
        alice = entity("second")
        await store.apply(change(alice, fact(alice, sentence="third")))
        await store.add_episode(episode("fourth"))
        await store.add_episode(episode("elsewhere", group_id="work"))
        assert await _embed_all(store) == ["first", "second", "third", "fourth", "elsewhere"]
        assert not _behind(path)
        await store.add_episode(episode("fifth"))
        assert _behind(path)
        assert await _embed_all(store) == ["fifth"]


async def test_changes_without_new_texts_are_looked_through_once(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        alice = entity("Alice")
        await store.apply(change(alice))
        assert await _embed_all(store) == ["Alice"]
        await apply_next(store, change(replace(alice, types=("Person",))))
        assert _behind(path)
        assert await store.unembedded("hashing-64", limit=5) == []
        assert not _behind(path)


async def test_another_model_begins_with_everything(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        for n in range(5):
            await store.add_episode(episode(f"turn {n}"))
        texts = await _embed_all(store)
        assert await _embed_all(store, "another") == texts
        assert await _embed_all(store) == []


async def test_a_text_that_comes_back_without_a_vector_gets_one(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        alice = entity("Alice")
        made = await store.apply(change(alice, fact(alice, sentence="Alice sings")))
        await apply_next(store, change(replace(made.facts[0], sentence="Alice dances")))
        assert await _embed_all(store) == ["Alice", "Alice dances"]
        await apply_next(store, change(made.facts[0]))
        assert await _embed_all(store) == ["Alice sings"]


async def test_nothing_is_left_of_a_cleared_group(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await store.add_episode(episode("wiped"))
        await _embed_all(store)
        await store.clear(["home"])
        connection = apsw.Connection(str(path))
        for table in ("vectors", "vector_counts", "embedded", "segments"):
            assert connection.execute(f"SELECT count(*) FROM {table}").get == 0
        connection.close()
        assert await store.match_vector(Thing.EPISODE, "hashing-64", HashingEmbedder().vector("x"), HOME, limit=1) == []


async def test_vectors_are_found_as_they_come_in_whichever_group_they_are_of(path: Path) -> None:
    embedder = HashingEmbedder()

    async def found(group: str, text: str) -> list[str]:
        where = Filter(group_ids=(group,))
        hits = await store.match_vector(Thing.EPISODE, embedder.model, embedder.vector(text), where, limit=1)
        return [hit.uuid for hit in hits]

    async with await SQLiteStore.open(path) as store:
        await store.put_vectors(embedder.model, [])
        for n in range(40):
            group = "home" if n % 3 else "work"
            told = await store.add_episode(episode(f"word{n} other{n}", group_id=group))
            vector = embedder.vector(told.text)
            kept = Embedding(thing=Thing.EPISODE, uuid=told.uuid, text=told.text, vector=vector)
            assert await found("empty", told.text) == []
            await store.put_vectors(embedder.model, [kept])
            assert await found(group, told.text) == [told.uuid]
        assert len(store._nearest()._kept[next(iter(store._nearest()._kept))].parts) < 8

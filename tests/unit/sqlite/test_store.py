"""What the SQLite store does beyond the contract."""

from __future__ import annotations

import asyncio
import stat
import threading
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from everfact.errors import StoreCorrupt, StoreError, UsageError
from everfact.models import Thing
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import HOME, change, entity, episode, fact
from everfact.testing.contract.fixtures import apply_next, uuids_matching


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


async def test_files_are_for_their_owner_alone(path: Path, tmp_path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await store.add_episode(episode())
        await store.backup(tmp_path / "copy.db")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert set(modes) == {"memory.db", "memory.db-wal", "memory.db-shm", "copy.db"}
    assert set(modes.values()) == {0o600}


async def test_english_words_are_found_by_their_stem(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        kept = await store.add_episode(episode("She was running migrations"))
        assert await uuids_matching(store, Thing.EPISODE, "run migration") == [kept.uuid]


async def test_entities_are_found_by_part_of_their_name(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        postgres, mongo = entity("PostgreSQL"), entity("MongoDB")
        await store.apply(change(postgres, mongo))
        assert await uuids_matching(store, Thing.ENTITY, "postgre") == [postgres.uuid]


async def test_backup_is_a_memory_of_its_own(path: Path, tmp_path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        kept = await store.add_episode(episode("copied"))
        await store.backup(tmp_path / "copy.db")
        await store.add_episode(episode("later"))
    async with await SQLiteStore.open(tmp_path / "copy.db") as copy:
        assert await copy.episodes(HOME) == [kept]
        assert await uuids_matching(copy, Thing.EPISODE, "copied") == [kept.uuid]


async def test_backup_to_a_missing_folder_is_refused_and_leaves_nothing(path: Path, tmp_path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        with pytest.raises(Exception, match="cannot be reached"):
            await store.backup(tmp_path / "none" / "copy.db")
    assert {file.name for file in tmp_path.iterdir()} == {"memory.db"}


@pytest.mark.parametrize("whole_group", [False, True])
async def test_purged_text_is_nowhere_in_the_files(path: Path, tmp_path: Path, whole_group: bool) -> None:
    async with await SQLiteStore.open(path) as store:
        for n in range(50):
            await store.add_episode(episode(f"harmless padding number {n}", group_id="work"))
        told = await store.add_episode(episode("my token is xyzzy42secret, mind it"))
        holder = replace(entity("xyzzy42secret"), summary="holds xyzzy42secret")
        said = fact(holder, sentence="the token is xyzzy42secret")
        made = await apply_next(store, replace(change(holder, said), note="saw xyzzy42secret"))
        await apply_next(store, change(replace(made.facts[0], sentence="no more xyzzy42secret")))
        assert b"xyzzy42secret" in b"".join(file.read_bytes() for file in tmp_path.iterdir())
        if whole_group:
            await store.clear(["home"])
        else:
            await store.purge("home", [told.uuid, holder.uuid, said.uuid])
        for file in tmp_path.iterdir():
            assert b"xyzzy42" not in file.read_bytes(), file.name
        assert len(await uuids_matching(store, Thing.EPISODE, "padding", replace(HOME, group_ids=("work",)))) == 10


async def test_half_a_surrogate_pair_is_refused_and_nothing_is_stored(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        with pytest.raises(UsageError, match="surrogate"):
            await store.add_episode(episode("broken \ud800 text"))
        assert await store.episodes(HOME) == []


async def test_old_wording_shares_its_index_entry_between_versions(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        alice = entity()
        made = await store.apply(change(alice, fact(alice, sentence="Alice sings")))
        for disputed in (True, False, True):
            await apply_next(store, change(replace(made.facts[0], disputed=disputed)))
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*), count(DISTINCT text_id) FROM facts").fetchall() == [(4, 1)]
    assert connection.execute("SELECT count(*) FROM fact_text").get == 1
    connection.close()


async def test_reads_together_see_one_moment(path: Path) -> None:
    read_once, told = threading.Event(), threading.Event()

    async def look(held: SQLiteStore) -> tuple[int, int]:
        before = len(await held.episodes(HOME))
        read_once.set()
        assert told.wait(10)
        return before, len(await held.episodes(HOME))

    async with await SQLiteStore.open(path) as store:
        looking = asyncio.create_task(store.together(look))
        assert await asyncio.to_thread(read_once.wait, 10)
        await store.add_episode(episode())
        told.set()
        assert await looking == (0, 0)
        assert len(await store.episodes(HOME)) == 1


async def test_a_glance_reads_and_makes_nothing(path: Path) -> None:
    with pytest.raises(StoreError):
        await SQLiteStore.glance(path / "none", patience=0.01)
    path.touch()
    assert await SQLiteStore.glance(path, patience=0.01) is None
    async with await SQLiteStore.open(path) as store:
        kept = await store.add_episode(episode())
    glance = await SQLiteStore.glance(path, patience=0.01)
    assert glance is not None
    async with glance:
        assert await glance.episodes(HOME) == [kept]


async def test_a_glance_migrates_nothing_and_knows_what_is_not_ours(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await store.add_episode(episode())
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 0")
    connection.close()
    assert await SQLiteStore.glance(path, patience=0.01) is None
    path.write_bytes(b"nonsense" * 1000)
    with pytest.raises(StoreCorrupt):
        await SQLiteStore.glance(path, patience=0.01)


async def test_entities_of_a_type_are_the_same_whether_few_or_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await SQLiteStore.open(path) as store:
        made = [entity(f"P{n}", "Person") for n in range(9)] + [entity(f"T{n}", "Topic") for n in range(3)]
        await store.apply(change(*made))
        wanted = replace(HOME, entity_types=("Person", "Topic"))
        few = await store.entities(wanted, limit=10)
        monkeypatch.setattr("everfact.stores.sqlite.where._FEW", 1)
        assert await store.entities(wanted, limit=10) == few
        assert len(few) == 10

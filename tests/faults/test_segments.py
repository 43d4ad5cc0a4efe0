"""Index files for vectors: whatever happens to them, searches find the same, and what is wiped is in none of them."""

from __future__ import annotations

import asyncio
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from tests.faults.runs import segments as small
from tests.faults.runs.segments import MODEL, tell, vector

from everfact.errors import StoreUnavailable
from everfact.models import Embedding, Filter, Source, Thing
from everfact.stores.sqlite import SQLiteStore, maintain, segments, vectors
from everfact.testing.builders import HOME, change, episode
from everfact.testing.contract.fixtures import apply_next

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (
        (segments, "MOST_UNCOVERED"),
        (segments, "_MOST_ROWS"),
        (maintain, "_ROWS_OF_A_PIECE"),
        (maintain, "_ROWS_AT_ONCE"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))  # put back afterwards
    small.make_small()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def _files(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}-vectors-*"))


async def _upkeep(store: SQLiteStore) -> int:
    pieces = 0
    while await store.maintain():
        pieces += 1
    return pieces


async def _nearest(store: SQLiteStore, text: str, where: Filter = HOME, limit: int = 3) -> list[str]:
    hits = await store.match_vector(Thing.EPISODE, MODEL, vector(text), where, limit=limit)
    return [hit.uuid for hit in hits]


async def _finds_all(store: SQLiteStore, numbers: range) -> bool:
    return [(await _nearest(store, f"turn {n}"))[0] for n in numbers] == [f"uuid-{n}" for n in numbers]


def _rows(path: Path, question: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path))
    found = connection.execute(question).fetchall()
    connection.close()
    return found


async def test_segments_grow_until_they_are_full_and_only_the_newest_vectors_stay_outside(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        assert not await store.maintain()
        await tell(store, 90)
        assert not await store.maintain()
        exact = [await _nearest(store, f"turn {n}") for n in range(0, 90, 9)]
        for start in range(90, 800, 71):
            await tell(store, 71, start)
            await _upkeep(store)
        counts = [count for (count,) in _rows(path, "SELECT count FROM segments ORDER BY after")]
        assert len(_files(path)) == len(counts) >= 2
        assert all(isinstance(count, int) and 300 <= count <= 420 for count in counts[:-1])
        assert _rows(path, "SELECT sum(count) = min(covered), min(total) = 800 FROM segments, vector_counts") == [
            (1, 1)
        ]
        assert {stat.S_IMODE(file.stat().st_mode) for file in _files(path)} == {0o600}
        assert await _finds_all(store, range(0, 800, 7))
        assert all(hits[0] == f"uuid-{9 * n}" for n, hits in enumerate(exact))


async def test_indexed_search_agrees_with_an_exact_one(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await tell(store, 250)
        exact = [await _nearest(store, f"question {n}", limit=10) for n in range(20)]
        assert await _upkeep(store)
        indexed = [await _nearest(store, f"question {n}", limit=10) for n in range(20)]
    assert indexed == exact


async def test_filters_that_leave_little_are_answered_all_the_same(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        told = await tell(store, 300)
        rare = await store.add_episode(episode("rare", uuid="rare", source=Source.JSON))
        await small.embed(store, [rare])
        await tell(store, 100, 300)
        await _upkeep(store)
        assert await _nearest(store, "turn 7", replace(HOME, sources=(Source.JSON,))) == ["rare"]
        assert await _nearest(store, "turn 7", replace(HOME, uuids=("rare", "uuid-7"))) == ["uuid-7", "rare"]
        before = replace(HOME, known_at=told[1].created_at)
        assert set(await _nearest(store, "turn 7", before)) == {"uuid-0", "uuid-1"}


async def test_forgotten_items_are_found_no_more_but_still_at_their_time(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        told = await tell(store, 200)
        await _upkeep(store)
        await apply_next(store, replace(change(), removed=(told[9].uuid,)))
        assert "uuid-9" not in await _nearest(store, "turn 9")
        assert (await _nearest(store, "turn 9", replace(HOME, known_at=told[-1].created_at)))[0] == "uuid-9"


def _truncate(file: Path) -> None:
    with file.open("r+b") as bytes_:
        bytes_.truncate(file.stat().st_size // 2)


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for place in range(100, len(content), 97):
        content[place] ^= 0xFF
    file.write_bytes(content)


_HARM: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "truncated": _truncate,
    "emptied": lambda file: file.write_bytes(b""),
    "flipped": _flip,
    "foreign": lambda file: file.write_bytes(b"GIF89a" * 1000),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
}


@pytest.mark.parametrize("harm", _HARM)
async def test_a_missing_or_damaged_file_costs_only_speed(path: Path, harm: str) -> None:
    async with await SQLiteStore.open(path) as store:
        await tell(store, 700)
        await _upkeep(store)
    assert len(_files(path)) > 1
    _HARM[harm](_files(path)[0])
    async with await SQLiteStore.open(path) as store:
        assert await _finds_all(store, range(0, 700, 13))
        assert await _upkeep(store) > 0
        assert await _finds_all(store, range(0, 700, 13))
    sound = {f"{path.name}-vectors-{name}.usearch" for (name,) in _rows(path, "SELECT name FROM segments")}
    assert {file.name for file in _files(path) if file.is_file()} == sound


async def test_a_file_that_goes_away_while_it_is_in_use_is_made_again(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await tell(store, 200)
        await _upkeep(store)
        assert await _finds_all(store, range(0, 200, 11))
        for file in _files(path):
            file.unlink()
        assert await _finds_all(store, range(0, 200, 11))
        assert await _upkeep(store) > 0
        assert len(_files(path)) == 1


@pytest.mark.parametrize("whole_group", [False, True])
async def test_wiped_vectors_are_in_no_file(path: Path, whole_group: bool) -> None:
    wiped = vectors.whole_numbers(vector("turn 42")).tobytes()
    kept = vectors.whole_numbers(vector("turn 650")).tobytes()

    def holding(bytes_: bytes) -> list[str]:
        return [file.name for file in path.parent.iterdir() if bytes_ in file.read_bytes()]

    async with await SQLiteStore.open(path) as store:
        await tell(store, 700)
        await _upkeep(store)
        assert any("vectors" in name for name in holding(wiped))
        assert any("vectors" in name for name in holding(kept))
        if whole_group:
            await store.clear(["home"])
            assert _files(path) == []
            return
        await store.purge("home", ["uuid-42"])
        assert holding(wiped) == []
        assert any("vectors" in name for name in holding(kept))  # the other files stay
        assert "uuid-42" not in await _nearest(store, "turn 42")
        await _upkeep(store)
        assert holding(wiped) == []
        assert await _finds_all(store, range(50, 700, 13))


async def test_another_vector_of_the_same_text_takes_its_place(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        told = await tell(store, 200)
        await _upkeep(store)
        await _nearest(store, "turn 5")
        again = Embedding(thing=Thing.EPISODE, uuid=told[5].uuid, text=told[5].text, vector=vector("elsewhere"))
        assert await store.put_vectors(MODEL, [again]) == 1
        assert (await _nearest(store, "elsewhere"))[0] == "uuid-5"
        assert (await _nearest(store, "turn 5"))[0] != "uuid-5"
    assert _rows(path, "SELECT total FROM vector_counts") == [(200,)]


async def test_a_purge_stops_whoever_builds_with_what_is_purged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wiped = vectors.whole_numbers(vector("turn 42")).tobytes()
    async with await SQLiteStore.open(path) as builder, await SQLiteStore.open(path) as other:
        await tell(builder, 200)
        save = segments.save

        def purge_first(index: object, file: Path) -> tuple[int, int]:
            written = save(index, file)  # type: ignore[arg-type]
            asyncio.run_coroutine_threadsafe(other.purge("home", ["uuid-42"]), loop).result(5)
            return written

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(segments, "save", purge_first)
        with suppress(StoreUnavailable):
            await builder.maintain()
        assert _rows(path, "SELECT name FROM segments") == []
        assert all(wiped not in file.read_bytes() for file in path.parent.iterdir())
        monkeypatch.setattr(segments, "save", save)
        assert await _upkeep(builder)
        assert "uuid-42" not in await _nearest(builder, "turn 42")


async def test_one_process_builds_at_a_time_and_a_dead_one_is_followed(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await tell(store, 200)
        shelf, now = store._nearest().shelf, store._now
        taken = await store._database.write(lambda c: segments.begin(c, shelf, now()))
        assert taken is not None
        assert not await store.maintain()
        later = now() + 2 * segments._LEASE
        assert await store._database.write(lambda c: segments.begin(c, shelf, later)) is not None


async def test_disk_trouble_leaves_no_file_and_gives_the_work_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from usearch.index import Index

    def fail(*_: object) -> None:
        raise RuntimeError("No space left on device")

    async with await SQLiteStore.open(path) as store:
        await tell(store, 200)
        save = Index.save
        monkeypatch.setattr(Index, "save", fail)
        with pytest.raises(StoreUnavailable, match="No space left"):
            await store.maintain()
        assert _files(path) == []
        monkeypatch.setattr(Index, "save", save)
        assert await store.maintain()


async def test_a_copy_needs_no_files(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "copy.db"
    copy.parent.mkdir()
    async with await SQLiteStore.open(path) as store:
        await tell(store, 200)
        await _upkeep(store)
        await store.backup(copy)
        await tell(store, 50, 200)
    async with await SQLiteStore.open(copy) as restored:
        assert await _finds_all(restored, range(0, 200, 11))
        assert await _upkeep(restored) > 0
        assert await _finds_all(restored, range(0, 200, 11))
    # Put in the place of the newer one, whose files are still there.
    for file in path.parent.glob(f"{path.name}*"):
        if file not in _files(path):
            file.unlink()
    copy.rename(path)
    async with await SQLiteStore.open(path) as back:
        assert await _finds_all(back, range(0, 200, 11))
        await _upkeep(back)
        assert await _finds_all(back, range(0, 200, 11))


async def test_more_vectors_than_may_be_kept_in_memory_are_read_from_the_file(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await tell(store, 80)
        store._nearest()._most_bytes = 1000
        assert await _finds_all(store, range(0, 80, 7))
        assert not store._nearest()._kept


async def test_what_others_write_is_found_at_once(path: Path) -> None:
    async with await SQLiteStore.open(path) as one, await SQLiteStore.open(path) as other:
        await tell(one, 20)
        assert await _finds_all(other, range(20))
        await tell(one, 20, 20)
        assert await _finds_all(other, range(40))


async def test_processes_share_segments_while_one_of_them_rebuilds(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        await tell(store, 320)
        program = (sys.executable, "-m", "tests.faults.runs.segments", str(path))
        builder = await asyncio.create_subprocess_exec(*program, stdout=asyncio.subprocess.PIPE)
        try:
            assert builder.stdout is not None
            for _ in range(6):
                seen = asyncio.create_task(builder.stdout.readline())
                while not seen.done():
                    assert await _finds_all(store, range(0, 320, 17))
                assert await seen == b"round\n"
        finally:
            builder.kill()
            await builder.wait()
        assert await _finds_all(store, range(0, 320, 17))

"""Salvage: whatever page of a file is lost, the rest comes over, works as a memory, and the damaged file is kept."""

from __future__ import annotations

import asyncio
import random
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from tests.faults.runs.workload import ALL, GROUPS, answers, fill, ticking, turn

from everfact.errors import StoreCorrupt
from everfact.models import Stats
from everfact.stores.sqlite import SQLiteStore
from everfact.stores.sqlite.check import check, mend
from everfact.stores.sqlite.salvage import salvage

_PAGE = 4096
_TURNS = 40
_NOW = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sound:
    """A memory before it was damaged."""

    image: bytes
    answers: list[object]
    vital: frozenset[int]
    """Pages without which a table, or the list of tables, cannot be found."""

    @property
    def stats(self) -> Stats:
        """What it held."""
        found = self.answers[0]
        assert isinstance(found, Stats)
        return found


@pytest.fixture(scope="module")
def sound() -> Sound:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_make(Path(folder) / "memory.db"))


async def _make(path: Path) -> Sound:
    async with await SQLiteStore.open(path, now=ticking()) as store:
        await fill(store, turns=_TURNS, now=ticking())
        said = await answers(store)
    connection = apsw.Connection(str(path))
    vital = "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema' OR pagetype = 'internal'"
    pages = frozenset(number - 1 for (number,) in connection.execute(vital))
    connection.close()
    return Sound(path.read_bytes(), said, pages)


async def ask(path: Path) -> list[object]:
    async with await SQLiteStore.open(path) as store:
        return await answers(store)


async def assert_works(path: Path) -> None:
    """It takes in and finds something new, and nothing in it refers to what is missing."""
    found = check(path, _NOW)
    assert not found.damage
    assert not found.dangling
    told = replace(turn(random.Random(1), _NOW, group_id=GROUPS[0]), content="The zeppelin leaves at noon.")
    async with await SQLiteStore.open(path) as store:
        await store.add_episode(told)
        said = await store.episodes(ALL, limit=1000)
        assert told.uuid in {episode.uuid for episode in said}
        assert len({(episode.thread, episode.position) for episode in said if episode.thread}) == len(said) - 1


async def test_sound_memory_comes_over_as_it_is(tmp_path: Path, sound: Sound) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.image)
    done = salvage(path, _NOW)
    assert done.lost == 0
    assert await ask(path) == sound.answers


async def test_whatever_page_is_lost_the_rest_comes_over(tmp_path: Path, sound: Sound) -> None:
    rng, saved = random.Random(1), 0
    pages = len(sound.image) // _PAGE
    for page in rng.sample(range(pages), 50):
        image = bytearray(sound.image)
        image[page * _PAGE : (page + 1) * _PAGE] = rng.randbytes(_PAGE)
        path = tmp_path / f"{page}.db"
        path.write_bytes(image)
        if page in sound.vital:
            continue
        done = salvage(path, _NOW)
        assert done.kept.read_bytes() == image
        stats = (await ask(path))[0]
        assert isinstance(stats, Stats)
        # One page holds some of the rows of one table, never half of them here.
        for kind in ("episodes", "entities", "facts", "assertions"):
            assert getattr(stats, kind) >= getattr(sound.stats, kind) / 2
        assert stats.groups == 1
        await assert_works(path)
        saved += 1
    assert saved > 30


async def test_cut_off_file_gives_what_it_still_has(tmp_path: Path, sound: Sound) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.image[: len(sound.image) * 9 // 10 // _PAGE * _PAGE])
    salvage(path, _NOW)
    await assert_works(path)


async def test_lost_rows_are_counted(tmp_path: Path, sound: Sound) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.image)
    connection = apsw.Connection(str(path))
    connection.execute(
        "UPDATE facts SET kind = 'statg' WHERE id IN (SELECT id FROM facts WHERE known_to IS NULL LIMIT 3)"
    )
    connection.close()
    assert salvage(path, _NOW).lost == 3
    stats = (await ask(path))[0]
    assert isinstance(stats, Stats)
    assert stats.facts == sound.stats.facts - 3


def test_file_of_which_nothing_can_be_read_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    noise = random.Random(1).randbytes(20 * _PAGE)
    path.write_bytes(noise)
    with pytest.raises(StoreCorrupt, match="table"):
        salvage(path, _NOW)
    assert path.read_bytes() == noise
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


@pytest.mark.parametrize(
    ("harm", "gone"),
    [
        ("DELETE FROM changes WHERE no IN (1, 2)", ()),
        ("DELETE FROM groups", ()),
        ("DELETE FROM threads", ()),
        ("DELETE FROM episodes WHERE id = (SELECT max(episode_id) FROM queue)", ("episodes",)),
        ("DELETE FROM entities WHERE id = (SELECT min(id) FROM entities)", ("entities",)),
    ],
)
async def test_rows_that_refer_to_missing_ones_are_mended(
    tmp_path: Path, sound: Sound, harm: str, gone: tuple[str, ...]
) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.image)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(harm)
    connection.close()
    found = check(path, _NOW)
    assert found.dangling
    kept = mend(path, found, _NOW)
    assert kept is not None
    assert check(kept, _NOW).dangling == found.dangling
    await assert_works(path)
    stats = (await ask(path))[0]
    assert isinstance(stats, Stats)
    for kind in {"entities", "facts", "assertions"} - set(gone):
        assert getattr(stats, kind) == getattr(sound.stats, kind)

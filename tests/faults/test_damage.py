"""Damaged files: a clear error or right answers, never a foreign exception, a crash or a hang, nor more damage."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import THREAD, answers, digest, fill, ticking, turn

from everfact.errors import EverfactError, StoreCorrupt, StoreError
from everfact.stores.sqlite import SQLiteStore
from everfact.stores.sqlite.queue import claim

_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Sound:
    """A memory before it was damaged."""

    image: bytes
    answers: list[object]

    @property
    def pages(self) -> int:
        """How many pages it has."""
        return len(self.image) // _PAGE


@pytest.fixture(scope="module")
def sound() -> Sound:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_make(Path(folder) / "memory.db"))


async def _make(path: Path) -> Sound:
    async with await SQLiteStore.open(path, now=ticking()) as store:
        await fill(store, turns=25, now=ticking())
        said = await answers(store)
    return Sound(path.read_bytes(), said)


async def ask(path: Path) -> list[object]:
    async with await SQLiteStore.open(path) as store:
        return await answers(store)


async def use(path: Path) -> None:
    """Everything a day brings: questions, a new turn, a digestion."""
    async with await SQLiteStore.open(path, now=ticking()) as store:
        await answers(store)
        await store.add_episode(turn(random.Random(1), ticking()(), thread=THREAD))
        await digest(store, "worker", timedelta(minutes=1))


async def assert_refused_as_corrupt(path: Path) -> None:
    """The file must be refused, with a word on what to do, and left as it is."""
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt) as caught:
        await ask(path)
    assert caught.value.hint
    assert path.read_bytes() == before


async def assert_refused_or_answered(path: Path, expected: list[object]) -> None:
    before = path.read_bytes()
    with suppress(StoreCorrupt):
        assert await ask(path) == expected
    assert path.read_bytes() == before


async def test_a_file_that_lacks_pages_is_refused_at_every_length(tmp_path: Path, sound: Sound) -> None:
    rng, last = random.Random(1), len(sound.image) - _PAGE
    # To SQLite one byte is an empty file, and a piece of the last page may be missing.
    lengths = {2, 15, 16, 99, 100, 511, 512, 4095, 4096, 4097, 8192, last}
    for length in sorted(lengths | {rng.randrange(2, last) for _ in range(20)}):
        path = tmp_path / f"{length}.db"
        path.write_bytes(sound.image[:length])
        await assert_refused_as_corrupt(path)


@pytest.mark.parametrize("kind", ["noise", "zeros"])
async def test_lost_pages_are_refused_or_do_not_matter(tmp_path: Path, sound: Sound, kind: str) -> None:
    rng = random.Random(kind)
    for page in rng.sample(range(sound.pages), 60):
        image = bytearray(sound.image)
        image[page * _PAGE : (page + 1) * _PAGE] = rng.randbytes(_PAGE) if kind == "noise" else bytes(_PAGE)
        path = tmp_path / f"{page}.db"
        path.write_bytes(image)
        await assert_refused_or_answered(path, sound.answers)


async def test_a_damaged_header_is_refused_or_does_not_matter(tmp_path: Path, sound: Sound) -> None:
    for place in range(100):
        image = bytearray(sound.image)
        image[place] ^= 0xFF
        path = tmp_path / f"{place}.db"
        path.write_bytes(image)
        refusal = None
        try:
            assert await ask(path) == sound.answers
        except StoreError as error:
            refusal = error
        if refusal is not None:
            assert refusal.hint
            assert path.read_bytes() == image


def flip_anywhere(image: bytearray, rng: random.Random, full_text: list[int]) -> None:
    for _ in range(rng.choice((1, 1, 4, 30))):
        image[rng.randrange(len(image))] ^= 1 << rng.randrange(8)


def flip_in_the_structure_of_a_page(image: bytearray, rng: random.Random, full_text: list[int]) -> None:
    image[rng.randrange(len(image) // _PAGE) * _PAGE + rng.randrange(40)] ^= 1 << rng.randrange(8)


def flip_in_the_full_text(image: bytearray, rng: random.Random, full_text: list[int]) -> None:
    page = rng.choice(full_text)
    for _ in range(10):
        image[page * _PAGE + rng.randrange(_PAGE)] ^= 1 << rng.randrange(8)


@pytest.mark.parametrize("flip", [flip_anywhere, flip_in_the_structure_of_a_page, flip_in_the_full_text])
async def test_flipped_bits_bring_no_foreign_exception_no_crash_and_no_hang(
    tmp_path: Path, sound: Sound, flip: Callable[[bytearray, random.Random, list[int]], None]
) -> None:
    """SQLite keeps no checksums, so a bit of a text may go unseen; but whatever is seen is said clearly."""
    full_text = _full_text_pages(tmp_path, sound)
    for seed in range(60):
        image = bytearray(sound.image)
        flip(image, random.Random(seed), full_text)
        path = tmp_path / f"{seed}.db"
        path.write_bytes(image)
        with suppress(EverfactError):
            await use(path)


def _full_text_pages(tmp_path: Path, sound: Sound) -> list[int]:
    path = tmp_path / "sound.db"
    path.write_bytes(sound.image)
    connection = apsw.Connection(str(path))
    found = connection.execute("SELECT pageno - 1 FROM dbstat WHERE name GLOB '*_text_*' OR name GLOB '*_trigrams_*'")
    pages = [number for (number,) in found]
    connection.close()
    return pages


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE episodes SET content = CAST(x'ff' AS TEXT)",
        "UPDATE episodes SET created_at = 1 << 62",
        "UPDATE episodes SET attributes = '{'",
        "UPDATE entities SET aliases = 'nothing'",
        "UPDATE facts SET kind = 'statg'",
        "UPDATE facts SET value = '{}'",
        "UPDATE assertions SET statement = '{\"subjEct\": 1}'",
        "UPDATE changes SET kind = ''",
    ],
)
async def test_values_that_were_never_written_are_refused(tmp_path: Path, sound: Sound, harm: str) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.image)
    connection = apsw.Connection(str(path))
    connection.execute(harm)
    connection.close()
    await assert_refused_as_corrupt(path)


async def test_a_walk_along_a_damaged_queue_ends(tmp_path: Path) -> None:
    """An index that leads back to where it began must not hold the write lock for ever."""
    path, now, rng = tmp_path / "memory.db", ticking(), random.Random(1)
    async with await SQLiteStore.open(path, now=now) as store:
        for group in ("a", "b", "c"):
            await store.add_episode(turn(rng, now(), group_id=group))
    connection = apsw.Connection(str(path))
    last: int = connection.execute("SELECT max(episode_id) FROM queue").get
    root: int = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'queue_pending'").get
    connection.close()
    image, place = bytearray(path.read_bytes()), slice((root - 1) * _PAGE, root * _PAGE)
    number, text = (bytes((3, kind, 5)) + last.to_bytes(6, "big") for kind in (5, 25))  # kinds as a record has them
    assert number in image[place]
    image[place] = image[place].replace(number, text)
    path.write_bytes(image)
    connection = apsw.Connection(str(path))
    connection.set_progress_handler(lambda: True, 1_000_000)  # an interruption after so many steps
    assert claim(connection, "worker", (1, None), timedelta(minutes=1), now())
    connection.close()


async def test_an_empty_file_is_a_fresh_memory(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    await use(path)
    assert await verify(path, Told()) == Findings()


@pytest.mark.parametrize("text", ["so", "Dear diary,\n", "# notes\n" * 2000])
async def test_a_text_in_place_of_the_memory_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "memory.db"
    path.write_text(text, encoding="utf-8")
    await assert_refused_as_corrupt(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["memory.db"]


@pytest.mark.parametrize("mode", ["delete", "wal"])
async def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "memory.db"
    other = apsw.Connection(str(path))
    other.execute(
        f"PRAGMA journal_mode = {mode}; CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')"
    ).fetchall()
    other.close()
    await assert_refused_as_corrupt(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["memory.db"]


@pytest.mark.parametrize("index", [None, b"", b"\xff" * 100, b"\xff" * 32768])
async def test_a_lost_or_damaged_index_of_the_log_is_made_anew(tmp_path: Path, index: bytes | None) -> None:
    path, expected = await _crashed(tmp_path)
    if index is not None:
        path.with_name("memory.db-shm").write_bytes(index)
    assert await ask(path) == expected


async def test_a_log_of_garbage_beside_a_sound_memory_is_passed_over(tmp_path: Path, sound: Sound) -> None:
    rng = random.Random(1)
    for size in (1, 31, 32, 4152, 50_000):
        path = tmp_path / f"{size}.db"
        path.write_bytes(sound.image)
        path.with_name(f"{size}.db-wal").write_bytes(rng.randbytes(size))
        assert await ask(path) == sound.answers


async def test_a_log_cut_short_or_flipped_leaves_whole_changes_only(tmp_path: Path) -> None:
    path, _ = await _crashed(tmp_path)
    images = [file.read_bytes() for file in (path, path.with_name("memory.db-wal"))]
    rng = random.Random(1)
    for number in range(30):
        broken = tmp_path / f"{number}.db"
        log = bytearray(images[1])
        if number % 2:
            del log[rng.randrange(len(log)) :]
        else:
            log[rng.randrange(len(log))] ^= 1 << rng.randrange(8)
        broken.write_bytes(images[0])
        broken.with_name(f"{number}.db-wal").write_bytes(log)
        findings = await verify(broken, Told())
        assert findings.half_applied == []
        assert findings.damage == []


async def _crashed(tmp_path: Path) -> tuple[Path, list[object]]:
    """A memory as a killed process leaves it, its log not yet in the file; and what it said before."""
    folder = tmp_path / "crashed"
    folder.mkdir()
    path = tmp_path / "memory.db"
    async with await SQLiteStore.open(path, now=ticking()) as store:
        await fill(store, turns=5, now=ticking())
        said = await answers(store)
        for name in ("memory.db", "memory.db-wal"):
            (folder / name).write_bytes((tmp_path / name).read_bytes())
    assert (folder / "memory.db-wal").stat().st_size
    return folder / "memory.db", said

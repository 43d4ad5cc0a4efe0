"""A memory that may be read and not written: searching works, adding says why it does not."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.faults.runs.workload import answers, digest, fill, ticking, turn

from everfact.errors import StoreError, StoreUnavailable
from everfact.stores.sqlite import SQLiteStore

pytestmark = pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs users as Unix has them")

_NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write everywhere, so step down while it matters. Holds for every thread of the process."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
async def memory() -> AsyncIterator[Path]:
    """A filled memory in a folder of its own that every user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    async with await SQLiteStore.open(folder / "memory.db", now=ticking()) as store:
        await fill(store, turns=3, now=ticking())
    yield folder / "memory.db"
    folder.chmod(0o755)
    shutil.rmtree(folder)


async def assert_searchable_and_not_writable(memory: Path, expected: list[object]) -> None:
    async with await SQLiteStore.open(memory) as store:
        assert await answers(store) == expected
        with pytest.raises(StoreError, match="read-only") as caught:
            await store.add_episode(turn(random.Random(3), ticking()()))
        assert "writable" in caught.value.hint
        assert not isinstance(caught.value, StoreUnavailable)
        assert await answers(store) == expected


async def expected_of(memory: Path) -> list[object]:
    async with await SQLiteStore.open(memory) as store:
        return await answers(store)


async def test_a_read_only_file_in_a_read_only_folder_can_be_searched(memory: Path) -> None:
    expected, before = await expected_of(memory), memory.read_bytes()
    memory.chmod(0o444)
    memory.parent.chmod(0o555)
    with as_nobody():
        await assert_searchable_and_not_writable(memory, expected)
    assert memory.read_bytes() == before
    assert [path.name for path in memory.parent.iterdir()] == ["memory.db"]


async def test_a_read_only_file_in_a_writable_folder_can_be_searched(memory: Path) -> None:
    expected = await expected_of(memory)
    memory.chmod(0o444)
    memory.parent.chmod(0o777)
    with as_nobody():
        await assert_searchable_and_not_writable(memory, expected)


async def test_a_writable_file_in_a_read_only_folder_can_be_searched(memory: Path) -> None:
    expected = await expected_of(memory)
    memory.chmod(0o666)
    memory.parent.chmod(0o555)
    with as_nobody():
        await assert_searchable_and_not_writable(memory, expected)


async def test_a_reader_sees_what_a_writer_with_more_rights_adds_meanwhile(memory: Path) -> None:
    memory.chmod(0o644)
    async with await SQLiteStore.open(memory, now=ticking()) as writer:
        await writer.stats()
        with as_nobody():
            reader = await SQLiteStore.open(memory)
            seen = await answers(reader)
        assert seen == await answers(writer)
        assert await digest(writer, "worker", timedelta(minutes=1))
        assert await answers(reader) == await answers(writer)
        await reader.close()


async def test_a_log_that_cannot_be_read_is_an_error_and_not_an_old_answer(memory: Path) -> None:
    """Without the log, what was told last would be missing."""
    async with await SQLiteStore.open(memory, now=ticking()) as writer:
        await writer.add_episode(turn(random.Random(3), ticking()()))
        left = {path.name: path.read_bytes() for path in memory.parent.iterdir() if not path.name.endswith("-shm")}
    for name, image in left.items():
        (memory.parent / name).write_bytes(image)
        (memory.parent / name).chmod(0o644)
    memory.parent.chmod(0o555)
    with as_nobody(), pytest.raises(StoreUnavailable) as caught:
        async with await SQLiteStore.open(memory) as store:
            await answers(store)
    assert "read and write" in caught.value.hint


async def test_a_new_memory_in_a_read_only_folder_is_refused(memory: Path) -> None:
    memory.parent.chmod(0o555)
    with as_nobody(), pytest.raises(StoreUnavailable, match=r"new\.db cannot be opened"):
        await SQLiteStore.open(memory.with_name("new.db"))


async def test_a_memory_that_may_not_even_be_read_is_refused(memory: Path) -> None:
    memory.chmod(0)
    with as_nobody(), pytest.raises(StoreUnavailable, match=r"cannot be opened"):
        await SQLiteStore.open(memory)

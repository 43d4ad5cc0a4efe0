"""Another process that does not let go of the file."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.faults.runs.workload import answers, fill, ticking, turn

from everfact.errors import StoreUnavailable
from everfact.stores.sqlite import SQLiteStore
from everfact.stores.sqlite.connection import Database


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[apsw.Connection]:
    """A connection as another process would have it."""
    holder = apsw.Connection(str(tmp_path / "memory.db"))
    yield holder
    holder.close()


def wait(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Have stores wait so long for their turn."""
    monkeypatch.setattr(Database.__init__, "__kwdefaults__", {"vfs": None, "patience": seconds})


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    wait(monkeypatch, 0.2)


async def test_a_held_write_lock_is_an_error_that_says_so_and_readers_go_on(
    tmp_path: Path, holder: apsw.Connection
) -> None:
    async with await SQLiteStore.open(tmp_path / "memory.db", now=ticking()) as store:
        await fill(store, turns=3, now=ticking())
        before = await answers(store)
        waiting = turn(random.Random(5), ticking()())
        holder.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match="busy") as caught:
            await store.add_episode(waiting)
        assert time.monotonic() - began >= 0.2
        assert "another process" in caught.value.hint
        assert await answers(store) == before
        holder.execute("COMMIT")
        await store.add_episode(waiting)


async def test_a_memory_can_be_opened_and_read_while_another_process_holds_the_write_lock(
    tmp_path: Path, holder: apsw.Connection
) -> None:
    async with await SQLiteStore.open(tmp_path / "memory.db", now=ticking()) as store:
        await fill(store, turns=3, now=ticking())
        before = await answers(store)
    holder.execute("BEGIN IMMEDIATE")
    async with await SQLiteStore.open(tmp_path / "memory.db") as store:
        assert await answers(store) == before
    holder.execute("ROLLBACK")


async def test_making_a_memory_waits_for_another_process_that_is_making_it(
    tmp_path: Path, holder: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself does not wait when a file is switched to the write-ahead log."""
    wait(monkeypatch, 10.0)
    holder.execute("BEGIN IMMEDIATE; PRAGMA user_version = 0")
    opening = asyncio.create_task(SQLiteStore.open(tmp_path / "memory.db"))
    await asyncio.sleep(0.1)
    assert not opening.done()
    holder.execute("COMMIT")
    await (await opening).close()


async def test_an_open_read_elsewhere_does_not_hold_up_writing(tmp_path: Path, holder: apsw.Connection) -> None:
    async with await SQLiteStore.open(tmp_path / "memory.db", now=ticking()) as store:
        await fill(store, turns=3, now=ticking())
        holder.execute("BEGIN; SELECT * FROM episodes").fetchone()
        await fill(store, turns=1, now=ticking(), seed=2)
        holder.execute("COMMIT")

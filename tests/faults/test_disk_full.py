"""A disk that runs full, or refuses writes and syncs: a clear error, nothing by half, and reading goes on."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from tests.faults.disk import FaultyVFS
from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import ALL, answers, change_of, fill, ticking, turn

from everfact.errors import StoreUnavailable
from everfact.models import Filter, Status
from everfact.stores.sqlite import SQLiteStore

_ROOMS = [0, 24, 4_000, 4_120, 10_000, 25_000, 45_000]
_LEASE = timedelta(minutes=1)


@pytest.fixture
def disk() -> FaultyVFS:
    return FaultyVFS("faulty")


@pytest.fixture
async def store(tmp_path: Path, disk: FaultyVFS) -> AsyncIterator[SQLiteStore]:
    async with await SQLiteStore.open(tmp_path / "memory.db", now=ticking(), vfs="faulty") as store:
        yield store


@pytest.mark.parametrize("room", _ROOMS)
async def test_adding_to_a_full_disk_says_so_and_works_again_with_space(
    tmp_path: Path, disk: FaultyVFS, store: SQLiteStore, room: int
) -> None:
    kept = await fill(store, turns=4, now=ticking())
    before = await answers(store)
    lost = turn(random.Random(2), kept[0].created_at, thread=kept[0].thread)
    disk.room = room
    with pytest.raises(StoreUnavailable, match="full"):
        await store.add_episode(lost)
    assert await answers(store) == before
    disk.room = None
    await store.add_episode(lost)
    await store.close()
    assert (
        await verify(tmp_path / "memory.db", Told(added={lost.uuid, *(episode.uuid for episode in kept)})) == Findings()
    )


@pytest.mark.parametrize("room", _ROOMS)
async def test_applying_on_a_full_disk_says_so_and_leaves_the_episode_pending(
    tmp_path: Path, disk: FaultyVFS, store: SQLiteStore, room: int
) -> None:
    await fill(store, turns=4, now=ticking())
    before = await answers(store)
    [claim] = await store.claim("worker", lease=_LEASE)
    [last] = await store.changes(ALL, limit=1)
    disk.room = room
    with pytest.raises(StoreUnavailable, match="full"):
        await store.finish(change_of(claim, parent=last.uuid), claim)
    [waiting] = await store.episodes(Filter(group_ids=None, statuses=(Status.PENDING,)))
    assert waiting.uuid == claim.episode.uuid
    assert (await answers(store))[2:] == before[2:]
    disk.room = None
    change, _ = await store.finish(change_of(claim, parent=last.uuid), claim)
    await store.close()
    assert await verify(tmp_path / "memory.db", Told(applied={change.uuid})) == Findings()


async def test_a_full_disk_is_said_when_a_memory_is_made(tmp_path: Path, disk: FaultyVFS) -> None:
    disk.room = 50_000
    path = tmp_path / "new.db"
    with pytest.raises(StoreUnavailable, match="full"):
        await SQLiteStore.open(path, vfs="faulty")
    disk.room = None
    async with await SQLiteStore.open(path, vfs="faulty") as store:
        assert (await store.stats()).episodes == 0


def refuse_writes(disk: FaultyVFS) -> None:
    disk.write_error = apsw.SQLITE_IOERR_WRITE


def refuse_syncs(disk: FaultyVFS) -> None:
    disk.sync_error = apsw.SQLITE_IOERR_FSYNC


@pytest.mark.parametrize("fault", [refuse_writes, refuse_syncs])
async def test_what_the_disk_refuses_is_never_acknowledged(
    tmp_path: Path, disk: FaultyVFS, store: SQLiteStore, fault: Callable[[FaultyVFS], None]
) -> None:
    kept = await fill(store, turns=3, now=ticking())
    [claim] = await store.claim("worker", lease=_LEASE)
    before = await answers(store)
    refused = turn(random.Random(2), kept[0].created_at, thread=kept[0].thread)
    fault(disk)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="check the disk"):
            await store.add_episode(refused)
        with pytest.raises(StoreUnavailable, match="check the disk"):
            await store.finish(change_of(claim, parent=claim.head), claim)
    assert await answers(store) == before
    disk.write_error = disk.sync_error = apsw.SQLITE_OK
    await store.add_episode(refused)
    await store.close()
    assert await verify(tmp_path / "memory.db", Told(added={refused.uuid})) == Findings()

"""A clock that goes back: what was recorded keeps its order, and nobody waits for a time long gone."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.faults.runs.workload import ALL, GROUPS, digest, fill, ticking, turn

from everfact.models import Filter, Thing
from everfact.stores.sqlite import SQLiteStore

_NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
_MORNING = _NOON - timedelta(hours=4)
_LEASE = timedelta(minutes=1)


async def test_record_times_grow_strictly_though_the_clock_goes_back(tmp_path: Path) -> None:
    rng = random.Random(1)
    moments = iter([_NOON, _NOON, _MORNING, _NOON - timedelta(days=400), _NOON, _NOON + timedelta(seconds=1)])
    async with await SQLiteStore.open(tmp_path / "memory.db", now=lambda: next(moments)) as store:
        kept = [await store.add_episode(turn(rng, _NOON, group_id="g")) for _ in range(6)]
    times = [episode.created_at for episode in kept]
    assert times == sorted(set(times))
    assert times[-1] == _NOON + timedelta(seconds=1)


async def test_changes_recorded_after_the_clock_went_back_come_after_all_others(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with await SQLiteStore.open(path, now=ticking(_NOON)) as store:
        await fill(store, turns=3, now=ticking())
        first = await store.changes(ALL)
    async with await SQLiteStore.open(path, now=ticking(_MORNING)) as store:
        assert await digest(store, "worker", _LEASE)
        log = await store.changes(ALL)
    assert log[1:] == first
    assert log[0].created_at > first[0].created_at
    assert log[0].parent == first[0].uuid


async def test_what_was_known_at_a_time_stays_the_same_after_the_clock_went_back(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with await SQLiteStore.open(path, now=ticking(_NOON)) as store:
        await fill(store, turns=4, now=ticking())
        moments = [change.created_at for change in await store.changes(ALL)]
        before = [await known(store, moment) for moment in moments]
    async with await SQLiteStore.open(path, now=ticking(_MORNING)) as store:
        await fill(store, turns=4, now=ticking(), seed=2)
        assert [await known(store, moment) for moment in moments] == before


async def known(store: SQLiteStore, moment: datetime) -> list[object]:
    where = Filter(group_ids=(GROUPS[0],), known_at=moment)
    return [
        {(episode.uuid, episode.content) for episode in await store.episodes(where)},
        await store.entities(where),
        await store.facts(where),
        await store.assertions(where),
        await store.changes(where),
        {hit.uuid for hit in await store.match_text(Thing.FACT, "the last matter", where, limit=100)},
    ]


async def test_a_lease_granted_in_the_future_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with await SQLiteStore.open(path, now=ticking(_NOON)) as store:
        await fill(store, turns=2, now=ticking())
        [stale] = await store.claim("before", lease=_LEASE)
    async with await SQLiteStore.open(path, now=ticking(_MORNING)) as store:
        [heir] = await store.claim("after", lease=_LEASE)
    assert heir.episode.uuid == stale.episode.uuid

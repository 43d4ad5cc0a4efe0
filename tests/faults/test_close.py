"""Closing, using what is closed, and giving up waiting."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import ALL, GROUPS, THREAD, ticking, turn

from everfact.errors import StoreError
from everfact.models import Thing
from everfact.stores.sqlite import SQLiteStore

_USES: dict[str, Callable[[SQLiteStore], Awaitable[object]]] = {
    "add_episode": lambda store: store.add_episode(turn(random.Random(1), ticking()())),
    "claim": lambda store: store.claim("worker", lease=timedelta(seconds=1)),
    "episodes": lambda store: store.episodes(ALL),
    "match_text": lambda store: store.match_text(Thing.FACT, "words", ALL, limit=1),
    "stats": lambda store: store.stats(),
    "backup": lambda store: store.backup(Path("never.db")),
}


@pytest.mark.parametrize("use", _USES.values(), ids=_USES)
async def test_a_closed_store_refuses_every_use(
    tmp_path: Path, use: Callable[[SQLiteStore], Awaitable[object]]
) -> None:
    store = await SQLiteStore.open(tmp_path / "memory.db")
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await use(store)


async def test_closing_twice_is_fine_and_leaves_only_the_file(tmp_path: Path) -> None:
    store = await SQLiteStore.open(tmp_path / "memory.db")
    await store.stats()
    await store.close()
    await store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


async def test_what_was_begun_before_closing_is_finished(tmp_path: Path) -> None:
    store = await SQLiteStore.open(tmp_path / "memory.db")
    rng, now = random.Random(1), ticking()
    adding = [asyncio.create_task(store.add_episode(turn(rng, now(), thread=THREAD))) for _ in range(10)]
    await asyncio.sleep(0)
    await store.close()
    kept = await asyncio.gather(*adding)
    assert await verify(tmp_path / "memory.db", Told(added={episode.uuid for episode in kept})) == Findings()


async def test_cancelled_callers_leave_the_store_usable_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    rng, now = random.Random(1), ticking()
    async with await SQLiteStore.open(path) as store:
        tasks = [
            asyncio.create_task(store.add_episode(turn(rng, now(), group_id=GROUPS[0], thread=THREAD)))
            for _ in range(40)
        ]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks[::2]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert any(isinstance(result, asyncio.CancelledError) for result in results)
        told = {result.uuid for result in results if not isinstance(result, BaseException)}
        assert len(told) >= 20
        after = await store.add_episode(turn(rng, now(), group_id=GROUPS[0], thread=THREAD))
        assert (await store.stats()).episodes == after.position
    assert await verify(path, Told(added={after.uuid, *told})) == Findings()

"""A worker that dies or comes late: its claim runs out, and another's work counts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import ALL, answers, change_of, fill, ticking

from everfact.errors import ClaimLost, Conflict
from everfact.models import Change, Claim
from everfact.stores.sqlite import SQLiteStore

_LEASE = timedelta(minutes=1)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def now() -> Clock:
    return Clock()


@pytest.fixture
async def store(tmp_path: Path, now: Clock) -> AsyncIterator[SQLiteStore]:
    async with await SQLiteStore.open(tmp_path / "memory.db", now=now) as store:
        await fill(store, turns=3, now=ticking())
        yield store


async def claim(store: SQLiteStore, owner: str) -> Claim | None:
    claims = await store.claim(owner, lease=_LEASE)
    return claims[0] if claims else None


async def change(store: SQLiteStore, claim: Claim) -> Change:
    [last] = await store.changes(ALL, limit=1)
    return change_of(claim, parent=last.uuid)


async def test_a_dead_workers_episode_is_taken_over_after_the_deadline_and_not_before(
    store: SQLiteStore, now: Clock
) -> None:
    dead = await claim(store, "dead")
    assert dead is not None
    now.moment = dead.deadline - timedelta(microseconds=1)
    assert await claim(store, "next") is None
    now.moment = dead.deadline
    heir = await claim(store, "next")
    assert heir is not None
    assert heir.episode.uuid == dead.episode.uuid
    assert heir.episode.attempts == 2
    assert heir.token != dead.token


async def test_a_late_workers_apply_is_refused_and_changes_nothing(
    tmp_path: Path, store: SQLiteStore, now: Clock
) -> None:
    late = await claim(store, "late")
    assert late is not None
    now.moment = late.deadline
    heir = await claim(store, "next")
    assert heir is not None
    before = await answers(store)
    with pytest.raises(ClaimLost):
        await store.finish(await change(store, late), late)
    assert await answers(store) == before
    done, _ = await store.finish(await change(store, heir), heir)
    after = await answers(store)
    with pytest.raises(ClaimLost):
        await store.finish(await change(store, late), late)
    assert await answers(store) == after
    await store.close()
    assert await verify(tmp_path / "memory.db", Told(applied={done.uuid})) == Findings()


async def test_an_apply_that_conflicts_leaves_claim_and_episode_as_they_were(store: SQLiteStore) -> None:
    held = await claim(store, "worker")
    assert held is not None
    before = await answers(store)
    with pytest.raises(Conflict):
        await store.finish(change_of(held, parent=None), held)
    assert await answers(store) == before
    assert await claim(store, "next") is None
    await store.finish(await change(store, held), held)


async def test_a_late_worker_can_neither_renew_nor_release(store: SQLiteStore, now: Clock) -> None:
    late = await claim(store, "late")
    assert late is not None
    now.moment = late.deadline
    heir = await claim(store, "next")
    assert heir is not None
    with pytest.raises(ClaimLost):
        await store.renew(late, lease=_LEASE)
    with pytest.raises(ClaimLost):
        await store.release(late, error="too late")
    assert (await store.renew(heir, lease=2 * _LEASE)).deadline == now.moment + 2 * _LEASE


async def test_a_renewed_claim_is_not_taken_over_at_its_first_deadline(store: SQLiteStore, now: Clock) -> None:
    slow = await claim(store, "slow")
    assert slow is not None
    now.moment += _LEASE / 2
    slow = await store.renew(slow, lease=_LEASE)
    now.moment += _LEASE * 0.9
    assert await claim(store, "next") is None
    await store.finish(await change(store, slow), slow)

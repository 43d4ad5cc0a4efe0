from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from everfact.errors import Conflict, LimitReached
from everfact.models import Usage
from everfact.spending import Limits, Spending, spent
from everfact.testing.fakes import FakeClock
from everfact.testing.reference import ReferenceStore

MOST = Usage(calls=1, input_tokens=800, output_tokens=200, usd=1.0)
TOOK = Usage(calls=1, input_tokens=80, output_tokens=20, usd=0.1, seconds=2.0)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(clock: FakeClock) -> AsyncIterator[ReferenceStore]:
    async with ReferenceStore(now=clock) as store:
        yield store


def account(store: ReferenceStore, clock: FakeClock, usd: float | None = None, tokens: int | None = None) -> Spending:
    return Spending(store, Limits(usd=usd, tokens=tokens), clock)


async def test_what_is_reserved_is_no_cost_until_it_is_settled(store: ReferenceStore, clock: FakeClock) -> None:
    spending = account(store, clock)
    day = await spending.reserve("m", MOST)
    assert (await spent(store, clock())).ever == {}
    await spending.settle("m", day, MOST, TOOK)
    await spending.rescue("m")
    now = await spent(store, clock())
    assert now.today == now.ever == {"m": TOOK + Usage(rescues=1)}
    assert (now.usd, now.today["m"].tokens, now.day) == (0.1, 100, "2026-01-01")


@pytest.mark.parametrize("limits", [{"usd": 1.0}, {"tokens": 1000}])
async def test_no_call_is_let_through_at_the_limit(
    store: ReferenceStore, clock: FakeClock, limits: dict[str, float]
) -> None:
    spending = account(store, clock, **limits)  # type: ignore[arg-type]
    day = await spending.reserve("m", MOST)
    with pytest.raises(LimitReached, match="limit of"):  # by what is reserved
        await spending.reserve("other", MOST)
    await spending.settle("m", day, MOST, MOST)
    with pytest.raises(LimitReached, match="limit of"):  # by what was spent, so there is nothing to wait for
        await spending.reserve("m", MOST, patience=60)
    clock.advance(timedelta(days=1))
    assert await spending.reserve("m", MOST) == "2026-01-02"


async def test_call_waits_for_others_to_settle(store: ReferenceStore, clock: FakeClock) -> None:
    spending = account(store, clock, usd=1.0)
    day = await spending.reserve("m", MOST)
    waiting = asyncio.create_task(spending.reserve("m", MOST, patience=60))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await spending.settle("m", day, MOST, TOOK)
    assert await waiting == day


async def test_sixteen_at_once_never_pass_the_limit_by_more_than_one_call(
    store: ReferenceStore, clock: FakeClock
) -> None:
    spendings = [account(store, clock, usd=1.05) for _ in range(4)]

    async def work(spending: Spending) -> int:
        done = 0
        while True:
            try:
                day = await spending.reserve("m", MOST, patience=5)
            except LimitReached:
                return done
            await asyncio.sleep(0)
            await spending.settle("m", day, MOST, TOOK)
            done += 1

    calls = sum(await asyncio.gather(*(work(spending) for spending in spendings * 4)))
    took = await spent(store, clock())
    assert calls == took.today["m"].calls == 11
    assert 1.05 <= took.usd < 1.05 + TOOK.usd


async def test_old_days_are_put_together(store: ReferenceStore, clock: FakeClock) -> None:
    spending = account(store, clock)
    for _ in range(40):
        day = await spending.reserve("m", MOST)
        await spending.settle("m", day, MOST, TOOK)
        await spending.reserve("dead", MOST)
        clock.advance(timedelta(days=1))
    assert (await spent(store, clock())).ever["m"].calls == 40
    book = json.loads(await store.state("spending") or "")
    assert len(book) < 40
    assert sum(name.startswith("open ") for name in book) <= 2


async def test_counts_of_a_later_version_are_left_alone(store: ReferenceStore, clock: FakeClock) -> None:
    await store.set_state("spending", '{"2026-01-01": {"m": {"calls": 1, "images": 3}}}')
    assert (await spent(store, clock())).today == {"m": Usage(calls=1)}


async def test_account_that_always_changes_is_given_up(store: ReferenceStore, clock: FakeClock) -> None:
    class Busy(ReferenceStore):
        async def swap_state(self, name: str, old: str | None, new: str | None) -> bool:
            return False

    async with Busy(now=clock) as busy:
        with pytest.raises(Conflict):
            await account(busy, clock).rescue("m")

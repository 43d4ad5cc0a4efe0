"""What the parts of the contract share: how a store is opened, and a few short ways to ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import pytest
import pytest_asyncio

from everfact.models import Change, Filter, Thing
from everfact.ports import Store
from everfact.testing.builders import HOME
from everfact.testing.fakes import FakeClock

OpenStore: TypeAlias = Callable[[], Awaitable[Store]]

LEASE = timedelta(seconds=60)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def day(number: int) -> datetime:
    """A day in 2024."""
    return datetime(2024, 1, 1, tzinfo=UTC) + number * DAY


async def uuids_matching(store: Store, thing: Thing, text: str, where: Filter = HOME) -> list[str]:
    """What a search finds, best first."""
    return [hit.uuid for hit in await store.match_text(thing, text, where, limit=10)]


async def apply_next(store: Store, next_change: Change) -> Change:
    """Apply a change on top of the last one of its group."""
    last = await store.changes(Filter(group_ids=(next_change.group_id,)), limit=1)
    return await store.apply(replace(next_change, parent=last[0].uuid if last else None))


class Fixtures:
    """The fixtures of the contract; a store's test class supplies its own `open_store`."""

    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock()

    @pytest.fixture
    def open_store(self) -> OpenStore:
        raise LookupError("supply a fixture `open_store`")

    @pytest_asyncio.fixture
    async def store(self, open_store: OpenStore) -> AsyncIterator[Store]:
        async with await open_store() as store:
            yield store

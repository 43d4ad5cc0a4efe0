"""What server tests share: both eras of the protocol, and a conversation in each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.talk import ERAS, Talk, talk


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def agent(tmp_path: Path, era: str) -> AsyncIterator[Talk]:
    """A conversation, held by a task of its own: a client must be left by the task that entered it."""
    begun: asyncio.Future[Talk] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def hold() -> None:
        async with talk(tmp_path / "memory.db", era=era) as connected:
            begun.set_result(connected)
            await over.wait()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(hold())
        yield await begun
        over.set()

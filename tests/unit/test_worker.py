"""The worker says when it digested something, and stops when it is told to, whatever happens on the way out."""

from __future__ import annotations

import asyncio
import logging

import pytest

from everfact.errors import StoreUnavailable
from everfact.memory import Memory
from everfact.models import Draft, Source
from everfact.testing.fakes import FixedExtractor
from everfact.testing.reference import ReferenceStore
from everfact.worker import Worker


@pytest.fixture
def memory() -> Memory:
    return Memory(ReferenceStore(), dict.fromkeys(Source, FixedExtractor()))


async def test_it_says_when_something_was_digested(memory: Memory) -> None:
    digested = asyncio.Event()

    async def note() -> None:
        digested.set()

    async with Worker(memory, on_digested=note), asyncio.timeout(10):
        await memory.add(Draft(content="Tea."))
        await digested.wait()
        assert (await memory.status()).pending == 0


async def test_an_error_in_place_of_the_cancellation_does_not_keep_it_going(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun = asyncio.Event()

    async def digest(**_: object) -> int:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            raise StoreUnavailable("away")

    monkeypatch.setattr(memory, "digest", digest)
    with caplog.at_level(logging.ERROR):
        async with asyncio.timeout(10), Worker(memory):
            await begun.wait()


async def test_parked_episodes_are_queued_again(memory: Memory) -> None:
    assert await memory.retry() == 0
    assert memory.told.is_set()

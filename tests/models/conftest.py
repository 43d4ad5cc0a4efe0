"""A memory on disk whose texts are read by a model at a scripted endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.models.scripted import Endpoint

from everfact.assemble import open_configured
from everfact.config import load
from everfact.memory import Memory

OpenMemory: TypeAlias = Callable[..., AbstractAsyncContextManager[Memory]]


@pytest.fixture
def open_memory(tmp_path: Path) -> OpenMemory:
    @asynccontextmanager
    async def opened(endpoint: Endpoint | None = None, **given: str) -> AsyncIterator[Memory]:
        settings = {"store": str(tmp_path / "memory.db")}
        if endpoint is not None:
            settings |= {"llm.model": "openai:scripted-1", "llm.base_url": endpoint.url}
        settings |= {name.replace("__", "."): value for name, value in given.items()}
        async with await open_configured(load(settings).settings) as memory:
            yield memory

    return opened

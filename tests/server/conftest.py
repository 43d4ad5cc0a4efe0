"""What server tests share: both eras of the protocol, and a conversation in each, and on every store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.talk import ERAS, Talk, talk
from tests.servers.falkordb import falkordb
from tests.servers.neo4j import neo4j

SERVERS = {"falkordb": falkordb, "neo4j": neo4j}
TALKS = [
    *((era, "sqlite") for era in ERAS),
    *(pytest.param((era, kind), marks=pytest.mark.slow) for era, kind in zip(ERAS, SERVERS, strict=True)),
]


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=TALKS, ids="-".join)
async def agent(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Talk]:
    """A conversation, held by a task of its own: a client must be left by the task that entered it."""
    begun: asyncio.Future[Talk] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()
    era, kind = request.param
    store = tmp_path / "memory.db" if kind == "sqlite" else wiped(kind)

    async def hold() -> None:
        async with talk(store, era=era) as connected:
            begun.set_result(connected)
            await over.wait()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(hold())
        yield await begun
        over.set()


def wiped(kind: str) -> str:
    """The address of a server without anything in it."""
    server = SERVERS[kind]()
    server.wipe()
    return server.url

"""The host: opened once, when needed, again after a failure; parked episodes get another chance."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from tests.server.talk import talk

from everfact.assemble import open_memory
from everfact.errors import StoreCorrupt, StoreError, StoreUnavailable, UsageError
from everfact.memory import Memory
from everfact.models import Filter, Status
from everfact.server.host import Access, Host, Place
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import ANYWHERE, episode


async def test_many_callers_open_it_once(tmp_path: Path) -> None:
    opened: list[Memory] = []

    async def opening() -> Memory:
        opened.append(await open_memory(tmp_path / "m.db"))
        return opened[-1]

    host = Host(opening, works=False)
    assert len(set(await asyncio.gather(*(host.memory() for _ in range(10))))) == 1
    assert len(opened) == 1
    await host.close()


async def test_after_a_failure_the_next_call_tries_again(tmp_path: Path) -> None:
    failures = [StoreUnavailable("away", hint="wait")]

    async def opening() -> Memory:
        if failures:
            raise failures.pop()
        return await open_memory(tmp_path / "m.db")

    host = Host(opening)
    with pytest.raises(StoreUnavailable):
        await host.memory()
    assert await host.memory()
    await host.close()


async def test_what_cannot_be_put_to_work_is_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = await open_memory(tmp_path / "m.db")

    async def opening() -> Memory:
        return memory

    async def away(**_: object) -> int:
        raise StoreCorrupt("damaged")

    monkeypatch.setattr(memory, "retry", away)
    host = Host(opening)
    with pytest.raises(StoreCorrupt):
        await host.memory()
    with pytest.raises(StoreError, match="closed"):
        await memory.status()


async def test_parked_episodes_are_listed_and_tried_again_by_the_next_server(tmp_path: Path) -> None:
    async with await SQLiteStore.open(tmp_path / "m.db") as store:
        told = await store.add_episode(episode("Ana Costa works at Globex.", "main"))
        (claim,) = await store.claim("me", lease=timedelta(minutes=1))
        await store.release(claim, error="no luck", park=True)
    async with talk(tmp_path / "m.db", works=False) as agent:
        status = await agent.ask("get_status")
        assert status["queue"]["parked"] == 1
        assert [(parked["uuid"], parked["error"]) for parked in status["parked_episodes"]] == [(told.uuid, "no luck")]
    async with talk(tmp_path / "m.db") as agent, asyncio.timeout(60):
        memory = await agent.host.memory()
        while not await memory.episodes(Filter(group_ids=None, statuses=(Status.DONE,))):
            await asyncio.sleep(0.02)
        assert await memory.facts(ANYWHERE)


def test_groups_plural_wins_and_nothing_is_asked_twice() -> None:
    async def never() -> Memory:
        raise AssertionError

    host = Host(never, place=Place(default_group=lambda: "mine"))
    assert host.groups(("a", "b", "a"), "c") == ("a", "b")
    assert host.groups((), "c") == ("c",)
    assert host.groups(()) == ("mine",)
    assert host.anywhere() is None


def test_rights_are_asked_on_every_call() -> None:
    async def never() -> Memory:
        raise AssertionError

    rights = [Access(groups=frozenset({"a", "b"}))]
    host = Host(never, access=lambda: rights[-1])
    assert host.anywhere() == ("a", "b")
    with pytest.raises(UsageError, match="may not use that group"):
        host.groups(())
    rights.append(Access())
    assert host.groups(()) == ("main",)

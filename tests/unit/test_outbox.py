"""What is told while the server is away: kept, found out about, sent in order, once, and then gone from here."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from everfact import Draft, Query
from everfact.errors import ConfigError, EverfactError, SchemaTooNew, StoreError, StoreUnavailable, UsageError
from everfact.memory import Memory
from everfact.models import Episode, Filter, Mention, Source, Statement, Status
from everfact.ports import Store
from everfact.server.host import Host
from everfact.stores import outbox
from everfact.stores.outbox import WAITING, OutboxStore
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import change, episode
from everfact.testing.fakes import FakeClock, FixedExtractor
from everfact.testing.reference import ReferenceStore

ALL = Filter(group_ids=None)
_LEASE = timedelta(seconds=30)
_LATER = timedelta(seconds=2)


class Server:
    """A store behind a switch; `accepts` says how many more calls it takes before it goes away.

    Groups of `away` lie on a node that is away; with `refusal` nothing can be told. What is `arriving` is held up by
    `lets_in`, if that is there; with `has_arrived` only the answer is.
    """

    def __init__(self, clock: FakeClock) -> None:
        self.store = ReferenceStore(now=clock)
        self.accepts: float = float("inf")
        self.away: set[str] = set()
        self.refusal: EverfactError | None = None
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self.arriving = asyncio.Event()
        self.lets_in: asyncio.Event | None = None
        self.has_arrived = False

    async def connect(self) -> Any:
        self._check()
        return self

    def _check(self) -> None:
        self.accepts -= 1
        if self.accepts < 0:
            raise StoreUnavailable("connection refused")

    def _check_telling(self, group_id: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        if group_id in self.away:
            raise StoreUnavailable("a node is away")

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def answer(*args: Any, **kwargs: Any) -> Any:
            self._check()
            await self.goes_on.wait()
            if name == "add_episode":
                self._check_telling(args[0].group_id)
                self.arriving.set()
                if self.lets_in is not None:
                    await self.lets_in.wait()
                    if self.has_arrived:
                        return args[0]
            return await getattr(self.store, name)(*args, **kwargs)

        return answer

    async def close(self) -> None:
        """Stay: others use it too."""

    def go(self) -> None:
        self.accepts = 0

    def come(self) -> None:
        self.accepts = float("inf")


@pytest.fixture
def server(clock: FakeClock) -> Server:
    return Server(clock)


async def open_outbox(server: Server, path: Path, clock: FakeClock) -> OutboxStore:
    return OutboxStore(server.connect, await SQLiteStore.open(path, now=clock), clock)


@pytest.fixture
async def store(server: Server, tmp_path: Path, clock: FakeClock) -> AsyncIterator[OutboxStore]:
    async with await open_outbox(server, tmp_path / "outbox.db", clock) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def contents(server: Server) -> list[str]:
    found = await server.store.episodes(ALL, limit=1000)
    return [item.content for item in sorted(found, key=lambda item: item.position)]


async def test_told_while_the_server_is_away_is_sent_in_order_and_leaves_nothing_here(
    server: Server, store: OutboxStore, tmp_path: Path
) -> None:
    await store.add_episode(episode(content="zero", thread="t"))
    server.go()
    for content in ("one", "two", "three"):
        kept = await store.add_episode(episode(content=f"{content} zeppelin", thread="t"))
        assert kept.status is Status.PENDING
        assert kept.error == WAITING
    server.come()
    # The server is back, but what was told first goes first.
    assert (await store.add_episode(episode(content="four", thread="t"))).error == WAITING
    (claim,) = await store.claim("me", lease=_LEASE)
    assert claim.episode.content == "zero"
    assert await contents(server) == ["zero", "one zeppelin", "two zeppelin", "three zeppelin", "four"]
    assert not (await store.add_episode(episode(content="five", thread="t"))).error
    assert b"zeppelin" not in (tmp_path / "outbox.db").read_bytes()


async def test_server_that_hangs_is_not_waited_for(
    server: Server, store: OutboxStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_PATIENCE", 0.01)
    server.goes_on.clear()
    for content in ("one", "two"):
        assert (await store.add_episode(episode(content=content, thread="t"))).error == WAITING
    server.goes_on.set()
    await store.claim("me", lease=_LEASE)
    assert await contents(server) == ["one", "two"]


async def test_reads_say_plainly_that_the_store_is_away_and_what_waits(server: Server, store: OutboxStore) -> None:
    server.go()
    await store.add_episode(episode())
    with pytest.raises(StoreUnavailable, match="1 episode waits on this machine"):
        await store.episodes(ALL)
    await store.add_episode(episode())
    with pytest.raises(StoreUnavailable, match="2 episodes wait on this machine"):
        await store.stats()
    server.come()
    stats = await store.stats()
    assert (stats.episodes, stats.pending) == (2, 2)


async def test_what_the_server_will_never_take_is_parked_and_holds_nobody_up(
    server: Server, store: OutboxStore
) -> None:
    theirs = await server.store.add_episode(episode(group_id="other"))
    server.go()
    await store.add_episode(episode(uuid=theirs.uuid, group_id="main", content="mine"))
    await store.add_episode(episode(group_id="garden", content="tulips"))
    server.come()
    await store.claim("me", lease=_LEASE)
    assert sorted(await contents(server)) == sorted([theirs.content, "tulips"])
    stats = await store.stats()
    assert stats.parked == 1
    assert await store.requeue(Filter(group_ids=None, statuses=(Status.PARKED,))) == 1


@pytest.mark.parametrize("refusal", [ConfigError("no such user"), SchemaTooNew("too new"), StoreError("a replica")])
async def test_what_is_not_the_fault_of_an_episode_parks_none_and_keeps_the_order(
    refusal: EverfactError, server: Server, store: OutboxStore, clock: FakeClock
) -> None:
    server.go()
    for content in ("one", "two"):
        await store.add_episode(episode(content=content, thread="t"))
    server.come()
    server.refusal = refusal
    for _ in range(3):
        await store.claim("me", lease=_LEASE)
        clock.advance(_LATER)
    assert (await store.stats()).parked == 0
    assert (await store.add_episode(episode(content="three", thread="t"))).error == WAITING
    server.refusal = None
    await store.claim("me", lease=_LEASE)
    assert await contents(server) == ["one", "two", "three"]


async def test_server_that_goes_away_while_sending_gets_the_rest_later_and_nothing_twice(
    server: Server, store: OutboxStore, clock: FakeClock
) -> None:
    server.go()
    for number in range(10):
        await store.add_episode(episode(content=f"{number}", thread="t"))
    for budget in (4, 3, 100):
        server.accepts = budget
        clock.advance(_LATER)
        try:
            await store.claim("me", lease=_LEASE)
        except StoreUnavailable:
            assert budget < 100
    assert await contents(server) == [str(number) for number in range(10)]


async def test_two_processes_share_one_outbox(server: Server, tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "outbox.db"
    async with await open_outbox(server, path, clock) as one, await open_outbox(server, path, clock) as other:
        server.go()
        await one.add_episode(episode(content="first", thread="t"))
        await other.add_episode(episode(content="second", thread="t"))
        server.come()
        assert (await one.add_episode(episode(content="third", thread="t"))).error
        await other.claim("me", lease=_LEASE)
        assert await contents(server) == ["first", "second", "third"]


async def test_purge_and_clear_leave_nothing_in_the_outbox(server: Server, store: OutboxStore, tmp_path: Path) -> None:
    server.go()
    kept = await store.add_episode(episode(content="zeppelin"))
    server.come()
    assert await store.purge(kept.group_id, [kept.uuid]) == 1
    assert b"zeppelin" not in (tmp_path / "outbox.db").read_bytes()
    server.go()
    kept = await store.add_episode(episode(content="submarine"))
    server.come()
    await store.clear([kept.group_id])
    await store.claim("me", lease=_LEASE)
    assert await contents(server) == []


async def test_whatever_the_server_does_nothing_is_lost_doubled_or_put_out_of_order(
    server: Server, tmp_path: Path, clock: FakeClock
) -> None:
    rng, path = random.Random(1), tmp_path / "outbox.db"
    told: dict[str, list[str]] = {"a": [], "b": [], "c": []}
    store = await open_outbox(server, path, clock)
    for number in range(150):
        group = rng.choice("abc")
        server.accepts = rng.choice([0, 0, 1, 2, 5, float("inf")])
        clock.advance(_LATER)
        await store.add_episode(episode(group_id=group, content=f"{group}{number}", thread="t"))
        told[group].append(f"{group}{number}")
        if rng.random() < 0.3:
            with suppress(StoreUnavailable):
                await store.claim("me", lease=timedelta(microseconds=1))
        if rng.random() < 0.1:  # the process dies, and another one goes on
            await store.close()
            store = await open_outbox(server, path, clock)
    server.come()
    clock.advance(_LATER)
    await store.claim("me", lease=_LEASE)
    await store.close()
    found = await server.store.episodes(ALL, limit=1000)
    for group, wanted in told.items():
        mine = sorted((item for item in found if item.group_id == group), key=lambda item: item.position)
        assert [item.content for item in mine] == wanted


async def test_memory_takes_in_and_digests_when_the_server_is_back(server: Server, store: OutboxStore) -> None:
    local = FixedExtractor()
    memory = Memory(_as_store(store), dict.fromkeys(Source, local))
    server.go()
    added = await memory.add(Draft(content="The zeppelin lands."), wait=True)
    assert added.episode.status is Status.PENDING
    with pytest.raises(StoreUnavailable):
        await memory.search(Query(text="zeppelin", group_ids=("main",)))
    with pytest.raises(UsageError, match="kept, but not digested"):
        await memory.add_facts([local_statement()])
    server.come()
    while await memory.digest():
        pass
    assert (await memory.search(Query(text="zeppelin", group_ids=("main",)))).hits
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.episodes(ALL)


def _as_store(store: OutboxStore) -> Store:
    return store  # type: ignore[return-value]


def local_statement() -> Any:
    return Statement(
        subject=Mention(name="Ana"), relation="LIKES", object=Mention(name="Tea"), sentence="Ana likes tea"
    )


async def test_mcp_server_starts_and_takes_in_while_the_store_is_away(server: Server, store: OutboxStore) -> None:
    async def opened() -> Memory:
        return Memory(_as_store(store), dict.fromkeys(Source, FixedExtractor()))

    server.go()
    host = Host(opened)
    added = await (await host.memory()).add(Draft(content="The zeppelin lands."))
    assert added.episode.error == WAITING
    await host.close()


async def test_group_that_cannot_be_sent_does_not_hold_up_the_others(server: Server, store: OutboxStore) -> None:
    server.go()
    for group in ("away", "here"):
        await store.add_episode(episode(group_id=group, content=group))
    server.come()
    server.away = {"away"}
    await store.claim("me", lease=_LEASE)
    assert await contents(server) == ["here"]
    assert (await store.stats()).warning == "1 episode waits on this machine to be sent"
    assert [item.content for item in await store.episodes(replace(ALL, statuses=(Status.PENDING,)))] in (
        ["here", "away"],
        ["away", "here"],
    )


async def test_groups_that_cannot_be_sent_starve_no_other_however_many_they_are(
    server: Server, store: OutboxStore, clock: FakeClock
) -> None:
    server.go()
    server.away = {f"away{number}" for number in range(20)}
    for group in (*sorted(server.away), "here"):
        await store.add_episode(episode(group_id=group, content=group))
        clock.advance(timedelta(milliseconds=1))
    server.come()
    await store.claim("me", lease=_LEASE)
    assert await contents(server) == ["here"]


async def test_what_merely_waits_is_never_parked_and_looks_as_it_did_when_it_was_told(
    server: Server, store: OutboxStore, clock: FakeClock
) -> None:
    server.away = {"home"}
    told = await store.add_episode(episode())
    for _ in range(20):
        await store.claim("me", lease=_LEASE)
        clock.advance(_LATER)
    assert await store.episodes(replace(ALL, statuses=(Status.PENDING,))) == [told]
    stats = await store.stats()
    assert (stats.pending, stats.parked, told.error) == (1, 0, WAITING)
    server.away = set()
    (claim,) = await store.claim("me", lease=_LEASE)
    assert (claim.episode.attempts, claim.episode.error) == (1, "")


@asynccontextmanager
async def on_its_way(server: Server, store: OutboxStore) -> AsyncIterator[None]:
    """What waits has left, and arrives when this is over; what is told meanwhile overtakes it."""
    server.come()
    server.arriving.clear()
    server.lets_in = gate = asyncio.Event()
    sending = asyncio.create_task(store.claim("me", lease=_LEASE))
    await server.arriving.wait()
    server.lets_in = None
    yield
    gate.set()
    await sending


async def tell_away(server: Server, store: OutboxStore, content: str, **said: Any) -> Episode:
    server.go()
    return await store.add_episode(episode(content=content, **said))


@pytest.mark.parametrize("act", ["purge", "clear"])
async def test_what_is_purged_or_cleared_while_it_is_being_sent_is_gone_from_the_server_too(
    act: str, server: Server, store: OutboxStore, clock: FakeClock
) -> None:
    told = await tell_away(server, store, "zeppelin")
    async with on_its_way(server, store):
        pass
    clock.advance(_LATER)
    await tell_away(server, store, "submarine", uuid=told.uuid)  # that it was sent before is no excuse
    async with on_its_way(server, store):
        await (store.clear([told.group_id]) if act == "clear" else store.purge(told.group_id, [told.uuid]))
    assert await contents(server) == []


async def test_purge_that_the_server_does_not_stay_for_is_logged(
    server: Server, store: OutboxStore, caplog: pytest.LogCaptureFixture
) -> None:
    told = await tell_away(server, store, "zeppelin")
    with suppress(StoreUnavailable):
        async with on_its_way(server, store):
            await store.purge(told.group_id, [told.uuid])
            server.go()
    assert f"{told.uuid} was purged while it was being sent: purge it again" in caplog.text


async def test_what_is_told_anew_while_it_is_being_sent_follows(server: Server, store: OutboxStore) -> None:
    told = await tell_away(server, store, "zeppelin")
    async with on_its_way(server, store):
        assert (await store.add_episode(episode(uuid=told.uuid, content="submarine"))).error == WAITING
    assert await contents(server) == ["submarine"]


@pytest.mark.parametrize("has_arrived", [True, False])
async def test_what_is_told_anew_after_it_was_purged_is_kept_and_nothing_else(
    has_arrived: bool, server: Server, store: OutboxStore
) -> None:
    told = await tell_away(server, store, "zeppelin")
    async with on_its_way(server, store):
        await store.purge(told.group_id, [told.uuid])
        if has_arrived:  # and only the answer is under way
            server.has_arrived = bool(await server.store.add_episode(told))
        assert not (await store.add_episode(episode(uuid=told.uuid, content="submarine"))).error
    assert [entry.content for entry in await server.store.journal() if isinstance(entry, Episode)] == ["submarine"]


async def test_what_another_process_has_sent_meanwhile_is_not_taken_for_purged(
    server: Server, tmp_path: Path, clock: FakeClock
) -> None:
    path = tmp_path / "outbox.db"
    async with await open_outbox(server, path, clock) as slow, await open_outbox(server, path, clock) as quick:
        await tell_away(server, slow, "zeppelin")
        async with on_its_way(server, slow):
            clock.advance(timedelta(minutes=1))
            await quick.claim("me", lease=_LEASE)
        assert await contents(server) == ["zeppelin"]


async def test_wiping_what_was_sent_leaves_what_waits(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "outbox.db"
    async with await SQLiteStore.open(path, now=clock) as waiting:
        await waiting.purge_digested()
        for content in ("zeppelin", "submarine", "balloon"):
            told = await waiting.add_episode(episode(content=content))
            if content != "balloon":
                (claim,) = await waiting.claim("me", lease=_LEASE)
                await waiting.finish(replace(change(cause=told.uuid), parent=claim.head), claim)
            if content == "submarine":
                await waiting.add_episode(replace(told, content="kite"))
        await waiting.purge_digested()
        assert sorted(each.content for each in await waiting.episodes(ALL)) == ["balloon", "kite"]
        assert b"zeppelin" not in path.read_bytes()

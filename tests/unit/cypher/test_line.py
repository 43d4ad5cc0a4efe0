"""The line to a server that comes and goes."""

from __future__ import annotations

import asyncio

import pytest

from everfact.errors import StoreUnavailable
from everfact.stores.cypher import line
from everfact.stores.cypher.line import Line, ServerAway, ServerBusy


class Server:
    """Answers, or is away."""

    def __init__(self) -> None:
        self.is_away = False
        self.asked = 0
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def ask(self) -> str:
        self.asked += 1
        if self.is_away:
            raise ServerAway("gone")
        return "yes"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "_FIRST_PAUSE", 0.001)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def to(server: Server) -> Line:
    return Line("the server", server.now)


async def test_call_that_fails_once_is_repeated(server: Server, to: Line) -> None:
    server.is_away = True

    async def come_back() -> str:
        try:
            return await server.ask()
        finally:
            server.is_away = False

    assert await to.call(come_back) == "yes"
    assert server.asked == 2


async def test_call_that_must_not_be_repeated_is_not(server: Server, to: Line) -> None:
    server.is_away = True
    with pytest.raises(StoreUnavailable, match="gone"):
        await to.call(server.ask, again=False)
    assert server.asked == 1


async def test_while_the_server_is_away_calls_fail_at_once(server: Server, to: Line) -> None:
    server.is_away = True
    with pytest.raises(StoreUnavailable):
        await to.call(server.ask)
    asked = server.asked
    with pytest.raises(StoreUnavailable, match="gone") as caught:
        await to.call(server.ask)
    assert server.asked == asked
    assert "tried again in" in caught.value.hint


async def test_after_a_pause_one_call_finds_out_and_the_others_do_not_wait(server: Server, to: Line) -> None:
    server.is_away = True
    with pytest.raises(StoreUnavailable):
        await to.call(server.ask)
    server.time += 60
    server.is_away = False
    asked, may_answer = server.asked, asyncio.Event()

    async def slowly() -> str:
        await may_answer.wait()
        return await server.ask()

    probe = asyncio.create_task(to.call(slowly))
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable, match="gone"):
        await to.call(server.ask)
    may_answer.set()
    assert await probe == "yes"
    assert await to.call(server.ask) == "yes"
    assert server.asked == asked + 2


async def test_pauses_grow_as_long_as_it_stays_away(server: Server, to: Line) -> None:
    server.is_away = True
    pauses = []
    for _ in range(6):
        server.time = to._next_try
        with pytest.raises(StoreUnavailable):
            await to.call(server.ask, again=False)
        pauses.append(to._next_try - server.time)
    assert pauses[-1] > 3 * pauses[0]
    assert max(pauses) <= line._LONGEST_PAUSE


async def test_server_that_hangs_is_not_waited_for_again(
    server: Server, to: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "PATIENCE", 0.01)

    async def hang() -> str:
        server.asked += 1
        server.time += 30
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(ServerAway, match="the server has been asked and said nothing"):
        await to.call(hang)
    with pytest.raises(ServerAway, match="the server has been asked and said nothing"):
        await to.call(hang)
    assert server.asked == 1


async def test_busy_server_is_asked_again_and_counts_as_there(to: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    async def busy() -> None:
        nonlocal asked
        asked += 1
        raise ServerBusy("too much to do")

    monkeypatch.setattr(line, "_BUSY_PAUSE", 0.0001)
    for _ in range(2):
        with pytest.raises(ServerBusy):
            await to.call(busy, again=False)
    assert asked == 20


async def test_whoever_waits_for_a_server_that_hangs_is_refused_when_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line, "PATIENCE", 0.05)
    monkeypatch.setattr(line, "_LONG", 0.01)
    monkeypatch.setattr(line, "_FIRST_PAUSE", 10.0)
    to, asked = Line("the server", at_once=2), []

    async def hang() -> None:
        asked.append(1)
        await asyncio.Event().wait()

    refused = await asyncio.gather(*(to.call(hang) for _ in range(9)), return_exceptions=True)
    assert all(isinstance(error, ServerAway) for error in refused)
    assert len(asked) == 2


async def test_waiting_for_ones_turn_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "PATIENCE", 0.2)
    to = Line("the server", at_once=1)
    await asyncio.gather(*(to.call(lambda: asyncio.sleep(0.08)) for _ in range(5)))

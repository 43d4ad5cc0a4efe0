"""The line to a server: what to do when it breaks.

A call that may be repeated is tried a few times, unless it took long to fail: a server that hangs answers no sooner for
being asked again. When it stays away, calls fail at once instead of each waiting for it; after a pause one of them is
let through to see whether it is back, and on failure the next pause is longer.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from everfact.errors import StoreUnavailable

T = TypeVar("T")

_TRIES = 3
_BUSY_TRIES, _BUSY_PAUSE = 9, 0.02
_LONG = 2.0
PATIENCE = 30.0
"""Seconds after which a call has taken long, and after which nothing is expected of it any more."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 10.0
_AT_ONCE = 100


class ServerAway(StoreUnavailable):
    """The server does not answer, or the line to it broke."""


def away(name: str, error: Exception, hint: str) -> ServerAway:
    """What is raised when a client reports that nobody answers."""
    said = " ".join(str(error).split()) or "it said nothing in time"
    return ServerAway(f"{name} does not answer: {said}", hint=hint)


class ServerBusy(StoreUnavailable):
    """The server has too much to do, and did not begin with this."""


class Line:
    """Counts what fails, and decides who may try, and how many at once."""

    def __init__(self, to: str, now: Callable[[], float] = time.monotonic, *, at_once: int = _AT_ONCE) -> None:
        self._to = to
        self._now = now
        self._slots = asyncio.Semaphore(at_once)
        self._failures = 0
        self._next_try = 0.0
        self._is_probing = False
        self._why = ""

    async def call(self, work: Callable[[], Awaitable[T]], *, again: bool = True) -> T:
        """Do it, `again` if the line breaks: then it must not matter whether it was done already.

        Raises:
            ServerAway: the line is broken.
        """
        for attempt in range(1, _TRIES + 1):
            async with self._slots:  # waited for before the line is looked at: it may have broken meanwhile
                is_probe = self._enter()
                began = self._now()
                try:
                    result = await self._done(work)
                except ServerAway as error:
                    took_long = self._now() - began > _LONG
                    self._broke(error, for_good=took_long)
                    if took_long or not again or attempt == _TRIES:
                        raise
                else:
                    self._failures = 0
                    return result
                finally:
                    self._is_probing &= not is_probe
            await asyncio.sleep(_uneven(_FIRST_PAUSE * 2**attempt))
        raise AssertionError("the last try answers or raises")

    async def _done(self, work: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(PATIENCE):
                return await _begun(work)
        except TimeoutError as error:
            silent = f"{self._to} has been asked and said nothing for {PATIENCE:.0f} s"
            raise ServerAway(silent, hint="does it hang, or is the network cut? Its log may tell") from error

    def _enter(self) -> bool:
        """Let a call pass, or refuse it; answer whether it is the one that finds out whether the server is back."""
        if self._failures < _TRIES:
            return False
        pause = self._next_try - self._now()
        if pause > 0 or self._is_probing:
            again = f"it is tried again in {max(pause, 0.1):.1f} s" if pause > 0 else "it is being tried"
            raise ServerAway(self._why, hint=again)
        self._is_probing = True
        return True

    def _broke(self, error: ServerAway, *, for_good: bool) -> None:
        self._failures = max(self._failures + 1, _TRIES if for_good else 0)
        self._why = error.args[0]
        exponent = min(max(0, self._failures - _TRIES), 10)
        self._next_try = self._now() + _uneven(min(_LONGEST_PAUSE, 2 * _FIRST_PAUSE * 2**exponent))


async def _begun(work: Callable[[], Awaitable[T]]) -> T:
    """Do it; later, if the server has too much to do: then it did not begin with this."""
    for attempt in range(_BUSY_TRIES):
        try:
            return await work()
        except ServerBusy:
            await asyncio.sleep(_uneven(min(_BUSY_PAUSE * 2**attempt, 1)))
    return await work()


def _uneven(seconds: float) -> float:
    """So that many who wait do not come back at once."""
    return seconds * random.uniform(0.5, 1.0)  # noqa: S311 - no secret hangs on it

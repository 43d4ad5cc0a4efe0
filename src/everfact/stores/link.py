"""`Link`: the way to a server that comes and goes. Opened when first needed; left alone for a while after it failed."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from everfact.errors import StoreError, StoreUnavailable
from everfact.ports import Store

T = TypeVar("T")


class Link:
    """Uses the store behind it; while that is away, it says so at once, and one caller at a time looks again."""

    def __init__(
        self, connect: Callable[[], Awaitable[Store]], *, first_rest: float, longest_rest: float, name: str
    ) -> None:
        self._connect = connect
        self._first_rest, self._longest_rest = first_rest, longest_rest
        self._name = name
        self._store: Store | None = None
        self._opening = asyncio.Lock()
        self._failures = 0
        self._reason = ""
        self._rests_until = 0.0
        self._is_looking = False
        self._is_closed = False

    async def use(self, work: Callable[[Store], Awaitable[T]]) -> T:
        """Do it with the store.

        Raises:
            StoreUnavailable: the server is away, or was just now.
        """
        if not self._failures:
            return await self._try(work)
        if self._is_looking or time.monotonic() < self._rests_until:
            raise self._away()
        self._is_looking = True
        try:
            return await self._try(work)
        finally:
            self._is_looking = False

    async def close(self) -> None:
        """Let go of the store."""
        self._is_closed = True
        if self._store is not None:
            await self._store.close()

    async def _try(self, work: Callable[[Store], Awaitable[T]]) -> T:
        if self._is_closed:
            raise StoreError(f"the memory at {self._name} is closed")
        try:
            done = await work(await self._open())
        except StoreUnavailable as error:
            self._failures += 1
            # Uneven, so that many processes do not come back at the same moment.
            rest = min(self._first_rest * 2 ** (self._failures - 1), self._longest_rest)
            self._rests_until = time.monotonic() + rest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret hangs on it
            self._reason = str(error.args[0])
            raise
        self._failures = 0
        return done

    async def _open(self) -> Store:
        async with self._opening:
            if self._store is None:
                self._store = await self._connect()
            return self._store

    def _away(self) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self._name} is away ({self._reason})",
            hint="start the server, or set store to another; what you tell meanwhile is kept here and sent later",
        )

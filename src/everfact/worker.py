"""The one background task: digest what is pending, give vectors to what has none, rest when there is nothing to do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from everfact.errors import EverfactError
from everfact.memory import Memory

log = logging.getLogger(__name__)

_GROUPS_AT_ONCE = 4
_IN_A_ROW = 16
_LOOK_SECONDS = 1.0
_TROUBLE_SECONDS = 5.0


class Worker:
    """Works while its `async with` block lasts. Any process may run one; they share the queue."""

    def __init__(self, memory: Memory, *, on_digested: Callable[[], Awaitable[None]] | None = None) -> None:
        self._memory = memory
        self._on_digested = on_digested
        self._task: asyncio.Task[None] | None = None
        self._is_over = False

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        self._is_over = True  # an error on the way out could take the place of the cancellation
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while not self._is_over:
            try:
                if await self._memory.digest(limit=_GROUPS_AT_ONCE, each=_IN_A_ROW):
                    if self._on_digested is not None:
                        await self._on_digested()
                elif not await self._memory.embed():
                    await self._rest(_LOOK_SECONDS)
            except Exception as error:
                log.warning("no work for now: %s", error, exc_info=not isinstance(error, EverfactError))
                if not self._is_over:
                    await self._rest(_TROUBLE_SECONDS)

    async def _rest(self, seconds: float) -> None:
        """Until something is told here, or for a while: other processes tell things too."""
        self._memory.told.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._memory.told.wait()
        except TimeoutError:
            return

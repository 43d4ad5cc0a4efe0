"""Following the clients' folders: which transcripts have fallen silent since they were last written to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from everfact import clock
from everfact.capture.transcripts import Transcript, find

log = logging.getLogger(__name__)

WINDOW = timedelta(days=7)
"""Sessions older than this are history, to be synced when somebody wants it."""
_STEP_MILLISECONDS = 50
_INTERVALS = 10
"""After so many it looks by itself: for folders made meanwhile, and for what was written before it watched."""


class Watch:
    """Iterate over it with `async for`: each transcript comes once it is silent, and again when it went on."""

    def __init__(self, folders: Mapping[str, Path], *, inactivity_timeout: float, check_interval: float) -> None:
        self._folders = folders
        self._silence = timedelta(seconds=inactivity_timeout)
        self._interval = check_interval
        self._given: dict[Path, datetime] = {}
        self._woken = asyncio.Event()
        self.active = 0
        """Sessions that somebody is writing to."""

    def again(self) -> None:
        """Give those once more that were given before."""
        self._given.clear()
        self._woken.set()

    def forget(self, item: Transcript) -> None:
        """Give this one once more at the next look."""
        self._given.pop(item.path, None)

    async def __aiter__(self) -> AsyncIterator[Transcript]:
        """Until the iteration is cancelled."""
        while True:
            for item in await asyncio.to_thread(self._silent):
                self._given[item.path] = item.modified
                yield item
            await self._wait()

    def _silent(self) -> list[Transcript]:
        now = clock.now()
        new = [item for item in find(self._folders, since=now - WINDOW) if self._given.get(item.path) != item.modified]
        silent = [item for item in new if now - item.modified >= self._silence]
        self.active = len(new) - len(silent)
        return silent

    async def _written(self, folders: list[Path]) -> None:
        from watchfiles import awatch  # a server that follows nothing does without

        async for _ in awatch(
            *folders,
            step=_STEP_MILLISECONDS,
            stop_event=self._woken,
            rust_timeout=int(self._interval * _INTERVALS * 1000),
            yield_on_timeout=True,
        ):
            return

    def _present(self) -> list[Path]:
        return [folder for folder in self._folders.values() if folder.is_dir()]

    async def _wait(self) -> None:
        """Until somebody writes, or a while if one is writing; one interval at least, unless `again` is called."""
        self._woken.clear()
        folders = await asyncio.to_thread(self._present)
        if folders and not self.active:
            try:
                await self._written(folders)
            except (OSError, RuntimeError) as error:
                log.warning(
                    "the folders of sessions cannot be watched, they are looked at from time to time: %s", error
                )
        with suppress(TimeoutError):
            async with asyncio.timeout(self._interval):
                await self._woken.wait()

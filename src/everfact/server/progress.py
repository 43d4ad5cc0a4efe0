"""Progress of calls that take a while: a client that asked for it hears something every second."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everfact.server.translate import Call

_SECONDS = 1.0


@asynccontextmanager
async def reporting(call: Call, message: str, *, when: bool = True) -> AsyncIterator[None]:
    """Report that the work within the `async with` block goes on, until it ends."""
    if not when:
        yield
        return
    await call.report_progress(0, message=message)
    ticking = asyncio.create_task(_tick(call, message))
    try:
        yield
    finally:
        ticking.cancel()
        await asyncio.gather(ticking, return_exceptions=True)


async def _tick(call: Call, message: str) -> None:
    seconds = 0
    while True:
        await asyncio.sleep(_SECONDS)
        seconds += 1
        await call.report_progress(seconds, message=message)

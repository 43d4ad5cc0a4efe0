"""`everfact health`: is the memory there, and how is it doing?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from everfact.config import Settings
    from everfact.models import Stats


def health(ctx: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Open the memory and report whether it is ready; exit code 1 if it is not."""
    import asyncio  # a third of the start-up time, and --help needs none of it

    from everfact.config import load

    settings = load(ctx.obj).settings
    stats = asyncio.run(_ask(settings))
    print(json.dumps(_plain(settings, stats), indent=2) if as_json else _sentence(settings, stats))


async def _ask(settings: Settings) -> Stats:
    from everfact.assemble import open_anywhere, open_store

    if settings.remote is not None:
        async with await open_anywhere(settings) as memory:
            return await memory.status()
    async with await open_store(settings) as store:  # without the extractors, which take a while to load
        return await store.stats()


def _plain(settings: Settings, stats: Stats) -> dict[str, object]:
    return {
        "status": "healthy",
        "store": settings.remote or settings.store,
        "episodes": stats.episodes,
        "entities": stats.entities,
        "facts": stats.facts,
        "pending": stats.pending,
        "parked": stats.parked,
        "last_write": stats.last_write.isoformat() if stats.last_write else None,
    }


def _sentence(settings: Settings, stats: Stats) -> str:
    lines = [
        f"ready: {settings.remote or settings.store}",
        f"{stats.episodes} episodes, {stats.entities} entities, {stats.facts} facts",
    ]
    if stats.pending or stats.parked:
        lines.append(f"{stats.pending} episodes wait to be digested, {stats.parked} are parked")
    return "\n".join(lines)

"""The notes that a hook puts into a conversation: the brief in parts at the start, a few rows for a prompt."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from everfact import clock
from everfact.assemble import glance_store
from everfact.brief import PART, Wanted, as_json, brief, in_parts
from everfact.config import Settings, default_group
from everfact.config.project import GLOBAL, git_common_dir
from everfact.git.signals import read_signals
from everfact.hooks.behind import index_if_behind
from everfact.hooks.events import Event, Moment
from everfact.models import Filter, Status
from everfact.notes import compose, plain
from everfact.signals import Signals

if TYPE_CHECKING:
    from everfact.ports import Store

_PATIENCE = 0.1
_GIT_SECONDS = 0.1
_ROWS = 8
_PARKED = 100


async def notes(settings: Settings, folder: Path, event: Event, part: tuple[int, int], trouble: str) -> str:
    """The notes for the conversation. Where commits came in since the last time, they are indexed meanwhile.

    Raises:
        EverfactError: the memory cannot be read, or not in time.
    """
    is_prompt = event.moment is Moment.PROMPT
    number, parts = (1, 1) if is_prompt else part
    group = default_group(settings, folder)
    reading = (
        asyncio.to_thread(read_signals, folder, seconds=_GIT_SECONDS)
        if not is_prompt and git_common_dir(folder)
        else _nothing(event)
    )
    store, signals = await asyncio.gather(glance_store(settings, patience=_PATIENCE), reading)
    if store is None:
        return only_trouble(trouble) if number == 1 else ""
    async with store:
        if is_prompt:
            wanted = Wanted(budgets=(PART,), only_found=True, most_rows=_ROWS, measure=as_json)
        else:
            health = trouble or await _parked(store, group)
            wanted = in_parts(settings.mcp.context_tokens, parts, health=plain(health))
        found = await brief(store, (group, GLOBAL), signals, wanted, now=clock.now())
        if number == 1:
            await index_if_behind(store.state, store=settings.store, group_id=group, folder=folder, head=signals.head)
    return found[number - 1]


async def _nothing(event: Event) -> Signals:
    return Signals(prompt=event.prompt)


def only_trouble(trouble: str) -> str:
    """Notes that say nothing but what is wrong, if anything is."""
    return compose({}, (PART,), health=plain(trouble), measure=as_json)[0]


async def _parked(store: Store, group: str) -> str:
    where = Filter(group_ids=(group, GLOBAL), statuses=(Status.PARKED,))
    count = len(await store.episodes(where, limit=_PARKED))
    return f"{count} episodes could not be digested; everfact queue lists them" if count else ""

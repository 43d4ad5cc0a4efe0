"""The notes that a hook puts into a conversation: the brief in parts at the start, a few rows for a prompt."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from everfact import clock
from everfact.assemble import glance_store
from everfact.brief import PART, Wanted, as_json, brief, in_parts
from everfact.config import Settings, default_group
from everfact.config.project import GLOBAL, git_common_dir, group_of
from everfact.git.commits import read_mark, state_name
from everfact.git.signals import read_signals
from everfact.hooks.events import Event, Moment
from everfact.hooks.spool import Job
from everfact.models import Filter, Status
from everfact.notes import compose, plain
from everfact.signals import Signals

if TYPE_CHECKING:
    from everfact.ports import Store

_PATIENCE = 0.1
_ROWS = 8
_PARKED = 100


async def notes(
    settings: Settings, folder: Path, event: Event, part: tuple[int, int], trouble: str
) -> tuple[str, Job | None]:
    """The notes for the conversation, and the job to do meanwhile: indexing commits that came in since the last time.

    Raises:
        EverfactError: the memory cannot be read, or not in time.
    """
    number, parts = (1, 1) if event.moment is Moment.PROMPT else part
    group = default_group(settings, folder)
    repository = git_common_dir(folder)
    reading = asyncio.to_thread(_signals, folder, event, has_git=repository is not None)
    store, signals = await asyncio.gather(glance_store(settings, patience=_PATIENCE), reading)
    if store is None:
        return only_trouble(trouble) if number == 1 else "", None
    async with store:
        health = trouble or await _parked(store, group)
        if event.moment is Moment.PROMPT:
            asked = Wanted(budgets=(PART,), only_found=True, most_rows=_ROWS, measure=as_json)
        else:
            asked = in_parts(settings.mcp.context_tokens, parts, health=health)
        found = await brief(store, (group, GLOBAL), signals, asked, now=clock.now())
        job = None
        if signals.head and repository is not None and number == 1:
            mark = read_mark(await store.state(state_name(group, group_of(repository))))
            is_behind = bool(mark.tips) and signals.head not in mark.tips
            job = (
                Job(kind="index", store=settings.store, group=settings.group, folder=str(folder)) if is_behind else None
            )
    return found[number - 1], job


def only_trouble(trouble: str) -> str:
    """Notes that say nothing but what is wrong, if anything is."""
    return compose({}, (PART,), health=plain(trouble), measure=as_json)[0]


def _signals(folder: Path, event: Event, *, has_git: bool) -> Signals:
    if event.moment is Moment.PROMPT or not has_git:
        return Signals(prompt=event.prompt)
    return read_signals(folder)


async def _parked(store: Store, group: str) -> str:
    where = Filter(group_ids=(group, GLOBAL), statuses=(Status.PARKED,))
    count = len(await store.episodes(where, limit=_PARKED))
    return f"{count} episodes could not be digested; everfact queue lists them" if count else ""

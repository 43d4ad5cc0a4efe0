"""Saying how a memory is, summing up a group, and taking out of it what it could do without."""

from __future__ import annotations

from collections.abc import Callable

from everfact.compact import Plan, plan
from everfact.models import Filter, Stats
from everfact.summarize import summarize
from everfact.verbs.space import Space

_EVERY = 1_000_000
_TOLD = 200
"""Episodes, the latest, that a summary of a group is made from."""


def condition(store: str, held: Stats, *, trouble: str = "") -> str:
    """That the memory is ready, how much it holds, what is wrong with hooks, and what waits."""
    lines = [f"ready: {store}", f"{held.episodes} episodes, {held.entities} entities, {held.facts} facts"]
    if trouble:
        lines.append(trouble)
    if held.pending or held.parked:
        lines.append(f"{held.pending} episodes wait to be digested, {held.parked} are parked")
    if held.warning:
        lines.append(held.warning)
    return "\n".join(lines)


async def summary(space: Space, thread: str = "") -> str:
    """The sentences that say most of what was told in a thread, or lately in the group.

    Raises:
        NotFound: there is no such thread.
    """
    if thread:
        return (await space.memory.summarize_saga(thread, group_id=space.group)).text
    told = await space.memory.episodes(Filter(group_ids=space.groups), limit=_TOLD)
    return summarize([episode.content for episode in reversed(told)])


async def spare(space: Space) -> Plan:
    """What the group could do without."""
    memory, here = space.here(), Filter(group_ids=space.groups)
    return plan(await memory.entities(here, limit=_EVERY), await memory.facts(here, limit=_EVERY))


async def carry_out(space: Space, found: Plan, step: Callable[[], object] = lambda: None) -> list[str]:
    """Merge and take away what the plan says; the ids of the changes, each of which can be undone."""
    memory, changes = space.here(), []
    for kept, other in found.duplicates:
        changes.append(await memory.merge(kept.uuid, other.uuid, group_ids=space.groups))
        step()
    for orphan in found.orphans:
        changes.append(await memory.forget(orphan.uuid, group_ids=space.groups))
        step()
    return [change.uuid for change in changes]

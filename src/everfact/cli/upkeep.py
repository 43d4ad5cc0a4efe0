"""`everfact queue`, `summarize` and `compact`: keep the memory in shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson, Limit
from everfact.cli.output import answer
from everfact.cli.session import Session, run

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.compact import Plan
    from everfact.models import Episode


def queue(
    ctx: typer.Context,
    retry: Annotated[bool, typer.Option("--retry", help="Give parked episodes another chance.")] = False,
    digest: Annotated[bool, typer.Option("--run", help="Digest now what waits.")] = False,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Show what waits to be digested, and what was given up."""
    done = run(ctx, lambda session: _worked(session, retry=retry, digest=digest, limit=limit), reads_text=digest)
    answer(ctx, as_json, done, lambda screen: _draw_queue(screen, done))


def summarize(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(help="A conversation; without it, the group's latest episodes.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show the sentences that say most of what was told."""
    from everfact.verbs.upkeep import summary

    text = run(ctx, lambda session: summary(session, thread))
    shape = {"thread": thread, "summary": text}
    answer(ctx, as_json, shape, lambda screen: screen.line(text or "nothing was told yet"))


def compact(
    ctx: typer.Context,
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without this it is only shown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find what could be merged or removed; do it with --apply. Entities known twice, entities no fact speaks of."""
    plan, changes = run(ctx, lambda session: _compacted(session, apply))
    shape = {"duplicates": plan.duplicates, "orphans": plan.orphans, "changes": changes}
    answer(ctx, as_json, shape, lambda screen: _draw_plan(screen, plan, changes))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queue:
    pending: list[Episode]
    parked: list[Episode]
    retried: int
    digested: int


async def _worked(session: Session, *, retry: bool, digest: bool, limit: int) -> _Queue:
    from everfact.models import Filter, Status

    retried = await session.here().retry(group_ids=session.groups) if retry else 0
    digested = await _digested(session) if digest else 0
    pending, parked = [
        await session.memory.episodes(Filter(group_ids=session.groups, statuses=(status,)), limit=limit)
        for status in (Status.PENDING, Status.PARKED)
    ]
    return _Queue(pending=pending, parked=parked, retried=retried, digested=digested)


async def _digested(session: Session) -> int:
    from everfact.cli.output.screen import progress

    memory, count = session.here(), 0
    waiting = (await memory.status(group_ids=session.groups)).pending
    with progress("digesting", waiting) as bar:
        while done := await memory.digest(each=16, group_ids=session.groups):
            count += done
            bar.step(done)
    with progress("finding meanings") as bar:
        while done := await memory.embed():
            bar.step(done)
    return count


async def _compacted(session: Session, apply: bool) -> tuple[Plan, list[str]]:
    """The plan, and the changes that carried it out."""
    from everfact.cli.output.screen import progress
    from everfact.verbs.upkeep import carry_out, spare

    found = await spare(session)
    if not apply:
        return found, []
    with progress("compacting", len(found.duplicates) + len(found.orphans)) as bar:
        return found, await carry_out(session, found, bar.step)


def _draw_queue(screen: Screen, queue: _Queue) -> None:
    from everfact.cli.output.screen import plural

    if queue.retried:
        screen.line(f"{plural(queue.retried, 'parked episode')} to be tried again")
    if queue.digested:
        screen.line(f"{plural(queue.digested, 'episode')} digested")
    screen.rows(screen.episode_rows(queue.pending))
    screen.rows(screen.episode_rows(queue.parked))
    for episode in queue.parked:
        screen.rows([(screen.id(episode.uuid), f"{episode.attempts} attempts: {episode.error}")], indent="  ")
    if queue.parked:
        screen.line("everfact queue --retry gives parked episodes another chance", style="dim")
    elif not queue.pending:
        screen.line("nothing waits", style="dim")


def _draw_plan(screen: Screen, plan: Plan, changes: list[str]) -> None:
    for kept, other in plan.duplicates:
        screen.rows([("merge", screen.id(other.uuid), "into", screen.id(kept.uuid), kept.name)])
    screen.rows([("remove", screen.id(entity.uuid), entity.name) for entity in plan.orphans])
    found = f"{len(plan.duplicates)} known twice, {len(plan.orphans)} that no fact speaks of"
    if changes:
        screen.line(f"{found}: done in {len(changes)} changes; everfact log and undo take each back", style="dim")
    elif plan.duplicates or plan.orphans:
        screen.line(f"{found}; nothing was changed: add --apply to do it", style="dim")
    else:
        screen.line("nothing to do", style="dim")

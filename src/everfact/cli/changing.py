"""`everfact delete`, `undo`, `disputes`, `merge`, `split` and `purge`: change what is known, and take it back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson, NameOrId, Yes, confirm
from everfact.cli.output import answer
from everfact.cli.session import Session, run
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.models import Change, Fact, Stats

Entity = Annotated[str, typer.Argument(help="An entity, by name or id.")]


def delete(ctx: typer.Context, name_or_id: NameOrId, as_json: AsJson = False) -> None:
    """Take something away; undo brings it back. All that only it supports goes with it."""

    async def act(session: Session) -> Change:
        from everfact.verbs.pick import pick

        item = await pick(session, name_or_id)
        return await session.memory.forget(item.uuid, group_ids=(item.group_id,))

    _change(ctx, as_json, act)


def undo(
    ctx: typer.Context,
    change: Annotated[str, typer.Argument(help="A change's id, from log; or an episode's, whose facts are wrong.")],
    as_json: AsJson = False,
) -> None:
    """Take a change back, as if it had never been. That is a change too, and can be undone."""

    async def act(session: Session) -> Change:
        from everfact.verbs.pick import pick_change

        return await session.memory.undo(await pick_change(session, change))

    _change(ctx, as_json, act)


def disputes(
    ctx: typer.Context,
    keep: Annotated[str, typer.Option(help="Settle a dispute: the id of the fact that is right.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show facts that contradict each other, or settle it with --keep."""
    if keep:
        _change(ctx, as_json, lambda session: _settled(session, keep))
        return
    found = run(ctx, _open_disputes)
    answer(ctx, as_json, {"disputes": found}, lambda screen: _draw_disputes(screen, found))


def merge(ctx: typer.Context, keep: Entity, other: Entity, as_json: AsJson = False) -> None:
    """Two entities are one. What is known of OTHER goes to KEEP; both names stay."""
    _change(ctx, as_json, lambda session: session.memory.merge(keep, other, group_ids=session.groups))


def split(
    ctx: typer.Context,
    entity: Entity,
    aliases: Annotated[list[str], typer.Argument(help="Names under which somebody else was meant.")],
    as_json: AsJson = False,
) -> None:
    """One entity is two. What was said under some names is about somebody else."""
    _change(ctx, as_json, lambda session: session.memory.split(entity, aliases, group_ids=session.groups))


def purge(
    ctx: typer.Context,
    name_or_id: Annotated[str, typer.Argument(help="An entity's name, or an id; nothing with --all.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Wipe the whole group.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Wipe something for good, every copy of it. This cannot be undone; it asks first."""
    if bool(name_or_id) == everything:
        raise UsageError("what is to be wiped?", hint="name an item, or give --all for the whole group")
    if everything:
        held = run(ctx, lambda session: _cleared(session, yes))
        answer(ctx, as_json, {"wiped": held}, lambda screen: _draw_cleared(screen, held))
    else:
        count = run(ctx, lambda session: _purged(session, name_or_id, yes))
        answer(ctx, as_json, {"wiped": count}, lambda screen: screen.line(f"wiped for good, {count} items in all"))


def _change(ctx: typer.Context, as_json: bool, act: Callable[[Session], Awaitable[Change]]) -> None:
    """Do it, print what it did and how to take it back."""
    from everfact.cli.output.story import draw_change

    async def named(session: Session) -> Change:
        change = await act(session)
        await session.learn_names(change.facts)
        return change

    change = run(ctx, named)

    def draw(screen: Screen) -> None:
        draw_change(screen, change)
        screen.line("everfact undo ", screen.id(change.uuid), " takes it back", style="dim")

    answer(ctx, as_json, change, draw)


async def _settled(session: Session, keep: str) -> Change:
    from everfact.verbs.pick import pick_fact

    fact = await pick_fact(session, keep)
    return await session.memory.resolve(fact.uuid, group_ids=(fact.group_id,))


async def _open_disputes(session: Session) -> list[Fact]:
    found = await session.memory.disputes(group_ids=session.groups)
    await session.learn_names(found)
    return sorted(found, key=lambda fact: (fact.subject_uuid, fact.attribute, fact.created_at))


async def _purged(session: Session, said: str, yes: bool) -> int:
    from everfact.models import Entity
    from everfact.verbs.pick import pick

    item = await pick(session, said)
    what = item.name if isinstance(item, Entity) else item.text[:60]
    confirm(f"Wipe {what!r} for good?", yes)
    return await session.memory.purge(item.uuid, group_ids=(item.group_id,))


async def _cleared(session: Session, yes: bool) -> Stats:
    held = await session.memory.status(group_ids=session.groups)
    confirm(f"Wipe group {session.group} ({held.episodes} episodes, {held.facts} facts) for good?", yes)
    return await session.memory.clear(session.groups)


def _draw_disputes(screen: Screen, found: list[Fact]) -> None:
    last = None
    for fact in found:
        matter = fact.subject_uuid, fact.attribute
        if last not in (None, matter):
            screen.line()
        last = matter
        screen.rows(screen.fact_rows([fact]))
    screen.line("everfact disputes --keep ID settles one" if found else "nothing is disputed", style="dim")


def _draw_cleared(screen: Screen, held: Stats) -> None:
    screen.line(f"wiped for good: {held.episodes} episodes, {held.entities} entities, {held.facts} facts")

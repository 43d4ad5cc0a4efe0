"""`everfact search`, `list` and `show`: find, browse, inspect."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson, Limit, NameOrId, Types, moment
from everfact.cli.output import answer
from everfact.cli.session import Session, run
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.models import Answer, Entity, Episode, Fact, Query, Thing
    from everfact.verbs.looking import Item


def search(  # noqa: PLR0913 - every option is a parameter
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(help="What to look for, in plain words.")],
    limit: Limit = 10,
    as_of: Annotated[str, typer.Option(help="What was true then.")] = "",
    known_at: Annotated[str, typer.Option(help="What was known then.")] = "",
    history: Annotated[bool, typer.Option("--history", help="Also what has ended.")] = False,
    types: Types = None,
    as_json: AsJson = False,
) -> None:
    """Find what is true now, or was at another time."""
    from everfact.models import Query

    things, kinds = _types(types)
    asked = Query(text=" ".join(query), limit=limit, things=things, entity_types=kinds, include_history=history)
    asked = replace(asked, valid_at=moment(as_of, "--as-of"), known_at=moment(known_at, "--known-at"))
    found = run(ctx, lambda session: _found(session, asked), reads_text=True)
    answer(
        ctx,
        as_json,
        {"results": found.hits, "hidden": found.hidden, "without_meaning": found.without_meaning},
        lambda screen: _draw_found(screen, found),
    )


def list_(ctx: typer.Context, limit: Limit = 15, types: Types = None, as_json: AsJson = False) -> None:
    """List what was told, newest first; or facts, or entities."""
    things, kinds = _types(types)
    found = run(ctx, lambda session: _listed(session, things[0] if types else None, kinds, limit))
    answer(ctx, as_json, {"items": found}, lambda screen: _draw_items(screen, found))


def show(ctx: typer.Context, name_or_id: NameOrId, as_json: AsJson = False) -> None:
    """Show all about one entity, fact or episode."""
    item, entities, facts = run(ctx, lambda session: _shown(session, name_or_id))
    answer(
        ctx,
        as_json,
        {"type": _kind(item), "item": item, "entities": entities, "facts": facts},
        lambda screen: _draw_item(screen, item, facts),
    )


def _types(given: list[str] | None) -> tuple[tuple[Thing, ...], tuple[str, ...] | None]:
    """Which things, and of which types if they are entities."""
    from everfact.models import Thing

    things = tuple(Thing(name.lower()) for name in given or () if name.lower() in set(Thing))
    kinds = tuple(name for name in given or () if name.lower() not in set(Thing))
    if things and kinds and Thing.ENTITY not in things:
        raise UsageError(f"{', '.join(kinds)} is a type of entity", hint="add --type entity, or leave the others out")
    if kinds:
        return (Thing.ENTITY,), kinds
    return things or (Thing.FACT, Thing.ENTITY, Thing.EPISODE), None


async def _found(session: Session, query: Query) -> Answer:
    found = await session.memory.search(replace(query, group_ids=session.groups))
    await session.learn_names(found.facts)
    return found


async def _listed(
    session: Session, thing: Thing | None, kinds: tuple[str, ...] | None, limit: int
) -> list[Entity] | list[Fact] | list[Episode]:
    from everfact.models import Fact
    from everfact.verbs.looking import listed

    items = await listed(session, thing, kinds, limit=limit)
    await session.learn_names(item for item in items if isinstance(item, Fact))
    return items


async def _shown(session: Session, said: str) -> tuple[Item, list[Entity], list[Fact]]:
    from everfact.models import Fact
    from everfact.verbs.looking import shown

    item, entities, facts = await shown(session, said)
    await session.learn_names([item] if isinstance(item, Fact) else facts)
    return item, entities, facts


def _kind(item: object) -> str:
    return type(item).__name__.lower()


def _draw_found(screen: Screen, found: Answer) -> None:
    screen.rows(screen.hit_rows(found.hits))
    if not found.hits:
        screen.line("nothing found", style="dim")
    if found.hidden:
        screen.line(f"{found.hidden} that have ended are not shown; --history shows them", style="dim")
    if found.without_meaning:
        screen.line(f"searched by words alone: {found.without_meaning}", style="yellow")


def _draw_items(screen: Screen, items: list[Entity] | list[Fact] | list[Episode]) -> None:
    from everfact.models import Hit

    screen.rows([(row[0], *row[2:]) for row in screen.hit_rows(Hit(item=item, score=1) for item in items)])
    if not items:
        screen.line("nothing there yet", style="dim")


def _draw_item(screen: Screen, item: Item, facts: list[Fact]) -> None:
    from everfact.cli.output.story import draw_entity, draw_episode, draw_fact
    from everfact.models import Entity, Episode

    if isinstance(item, Entity):
        draw_entity(screen, item, facts)
    elif isinstance(item, Episode):
        draw_episode(screen, item, facts)
    else:
        draw_fact(screen, item)

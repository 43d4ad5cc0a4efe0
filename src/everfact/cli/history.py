"""`everfact log`, `blame` and `diff`: the memory's own history."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson, Limit, needed
from everfact.cli.output import answer
from everfact.cli.session import Session, run
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.cli.output.story import Moments
    from everfact.models import Change, Comparison, Episode, Evidence, History, Query, Receipt

_EXPLAINED = 30
"""Endings of one entity's facts, the latest, whose words are looked up."""


def log(
    ctx: typer.Context,
    entity: Annotated[str, typer.Argument(help="Whose history; without it, what was done in the group.")] = "",
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Show an entity's timeline, or what was done to the memory."""
    from everfact.cli.output.story import draw_log, draw_timeline

    if entity:
        history, endings = run(ctx, lambda session: _history(session, entity))
        shape = {"entity": history.entity, "facts": history.facts, "changes": history.changes, "endings": endings}
        answer(ctx, as_json, shape, lambda screen: draw_timeline(screen, history, endings))
    else:
        changes, told = run(ctx, lambda session: _changes(session, limit))
        answer(ctx, as_json, {"changes": changes}, lambda screen: draw_log(screen, changes, told))


def blame(
    ctx: typer.Context,
    fact: Annotated[list[str], typer.Argument(help="A fact's id, or words that it says.")],
    as_json: AsJson = False,
) -> None:
    """Show why a fact is believed. The very words, what it replaced, what ended it."""
    from everfact.cli.output.story import draw_receipt

    receipt = run(ctx, lambda session: _receipt(session, " ".join(fact)))
    answer(ctx, as_json, receipt, lambda screen: draw_receipt(screen, receipt))


def diff(
    ctx: typer.Context,
    start: Annotated[str, typer.Argument(metavar="FROM", help="A time: 2026-03-01, or 'last friday'.")],
    end: Annotated[str, typer.Argument(metavar="TO", help="A later time; now is one.")],
    query: Annotated[list[str] | None, typer.Argument(help="What about; without it, everything.")] = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Show what ended and what began between two moments."""
    from everfact.cli.output.story import Moments, draw_comparison
    from everfact.models import Query

    between = Moments(needed(start, "FROM"), needed(end, "TO"))
    asked = Query(text=" ".join(query or ()), limit=limit)
    both = run(ctx, lambda s: _compared(s, asked, between), reads_text=bool(query))
    shape = {"from": between.start, "to": between.end, "ended": both.ended, "began": both.began}
    shape |= {"at_start": both.at_start, "at_end": both.at_end}
    answer(ctx, as_json, shape, lambda screen: draw_comparison(screen, between, both))


async def _history(session: Session, said: str) -> tuple[History, dict[str, tuple[Evidence, ...]]]:
    """The history, and the words that ended what nothing replaced."""
    from everfact.cli.output.story import successors
    from everfact.verbs.pick import pick_entity

    entity = await pick_entity(session, said)
    history = await session.memory.history(entity.uuid, group_ids=(entity.group_id,))
    await session.learn_names(history.facts)
    ended = [fact for fact in history.facts if fact.ended_by and not successors(fact, history.facts)]
    receipts = [await session.memory.explain(fact.uuid, group_ids=(fact.group_id,)) for fact in ended[-_EXPLAINED:]]
    return history, {receipt.fact.uuid: receipt.ended_by for receipt in receipts}


async def _changes(session: Session, limit: int) -> tuple[list[Change], dict[str, Episode]]:
    from everfact.models import Filter

    here = Filter(group_ids=session.groups)
    changes = await session.here().changes(here, limit=limit)
    await session.learn_names(fact for change in changes for fact in change.facts)
    causes = tuple(change.cause for change in changes)
    return changes, {e.uuid: e for e in await session.memory.episodes(replace(here, uuids=causes), limit=limit)}


async def _receipt(session: Session, said: str) -> Receipt:
    from everfact.verbs.pick import pick_fact

    found = await pick_fact(session, said)
    receipt = await session.memory.explain(found.uuid, group_ids=(found.group_id,))
    await session.learn_names((receipt.fact, *receipt.replaced))
    return receipt


async def _compared(session: Session, query: Query, between: Moments) -> Comparison:
    if session.is_remote and not query.text:
        raise UsageError(
            "a server compares only what a question is about", hint="say what: everfact diff FROM TO QUERY"
        )
    both = await session.memory.compare(replace(query, group_ids=session.groups), between.start, between.end)
    await session.learn_names((*both.ended, *both.began))
    return both

"""`everfact add` and `everfact add-facts`: tell the memory something."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson, moment, read_text
from everfact.cli.output import answer
from everfact.cli.session import Session, run
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.models import Added, Change, Draft, Entity, Fact, Statement


def add(  # noqa: PLR0913 - every option is a parameter
    ctx: typer.Context,
    content: Annotated[list[str] | None, typer.Argument(help="What to remember; - reads standard input.")] = None,
    tags: Annotated[list[str] | None, typer.Option(help="Words to find it by; commas or repeated.")] = None,
    source: Annotated[str, typer.Option(help="text, json or message; anything else says where it comes from.")] = "",
    at: Annotated[str, typer.Option(help="When it was said: 2026-03-01, or 'last friday'. Default: now.")] = "",
    thread: Annotated[str, typer.Option(help="The conversation it belongs to.")] = "",
    file: Annotated[str, typer.Option(help="Read it from this file; - is standard input.")] = "",
    wait: Annotated[
        bool, typer.Option("--wait/--async", help="Read facts out of it now, or leave that for later.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Remember a text. It is on disk and found by search when this ends."""
    text = _content(content or [], file)

    async def told(session: Session) -> _Told:
        draft = _draft(text, session.group, source=source, at=at, thread=thread, tags=tags or [])
        return await _tell(session, draft, wait=wait)

    done = run(ctx, told, reads_text=wait)
    answer(ctx, as_json, done.plain(), lambda screen: _draw(screen, done))


def add_facts(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(help="A JSON list of facts, or one fact a line; - is standard input.")],
    source: Annotated[str, typer.Option(help="Where they come from.")] = "",
    as_json: AsJson = False,
) -> None:
    """Hand over facts that are known already. Each has a subject, a relation and an object."""
    facts = _facts(read_text(file), file)
    from everfact.cli.output.story import draw_change

    change = run(ctx, lambda session: _hand_over(session, facts, source), reads_text=True)
    answer(ctx, as_json, change, lambda screen: draw_change(screen, change))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    added: Added
    entities: list[Entity]
    facts: list[Fact]

    def plain(self) -> dict[str, object]:
        episode = self.added.episode
        return {
            "uuid": episode.uuid,
            "group_id": episode.group_id,
            "status": episode.status,
            "error": episode.error,
            "entities": self.entities,
            "facts": self.facts,
            "warnings": self.added.warnings,
        }


async def _tell(session: Session, draft: Draft, *, wait: bool) -> _Told:
    from everfact.models import Status

    added = await session.memory.add(draft, wait=wait)
    if added.episode.status is not Status.DONE or not added.episode.uuid:
        return _Told(added=added, entities=[], facts=[])
    if not session.is_remote:
        await session.here().embed()  # a server would do that on its own
    entities, facts = await session.memory.outcome([added.episode.uuid])
    await session.learn_names(facts)
    facts.sort(key=lambda fact: (draft.content.find(fact.sentence), fact.relation))  # as they were told
    return _Told(added=added, entities=entities, facts=facts)


async def _hand_over(session: Session, facts: list[Statement], source: str) -> Change:
    change = await session.memory.add_facts(facts, group_id=session.group, source_description=source)
    await session.learn_names(change.facts)
    return change


def _draft(text: str, group: str, *, source: str, at: str, thread: str, tags: list[str]) -> Draft:
    from everfact.models import Draft, Source
    from everfact.verbs.telling import tagged

    is_kind = source in set(Source)
    return Draft(
        content=text,
        group_id=group,
        source=Source(source) if is_kind else Source.TEXT,
        source_description="" if is_kind else source,
        reference_time=moment(at, "--at"),
        thread=thread,
        attributes=tagged(tags),
    )


def _content(words: list[str], file: str) -> str:
    if words == ["-"]:
        words, file = [], file or "-"
    if bool(words) == bool(file):
        raise UsageError("what is to be remembered?", hint="give the text, or --file F, or - to read standard input")
    text = read_text(file) if file else " ".join(words)
    if not text.strip():
        raise UsageError(f"{file or 'the text'} is empty", hint="say what is to be remembered")
    return text


def _draw(screen: Screen, told: _Told) -> None:
    episode = told.added.episode
    status = {"done": "digested", "parked": "but not digested", "pending": "not digested yet"}[episode.status.value]
    screen.line("kept ", screen.id(episode.uuid), f" in {episode.group_id}, {status}")
    if episode.error:
        screen.line(episode.error, style="red")
    screen.rows(screen.fact_rows(told.facts), indent="  ")
    for warning in told.added.warnings:
        screen.line(f"warning: {warning}", style="yellow")


def _facts(text: str, file: str) -> list[Statement]:
    """The facts of a file; one that cannot be read is named by its place, and nothing is added then."""
    from pydantic import ValidationError

    from everfact.server.arguments import GivenFact  # the same as the tool takes

    facts = []
    for place, data in _parsed(text, file):
        try:
            facts.append(GivenFact.model_validate(data).statement())
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, at['loc'])) or 'it'}: {at['msg']}" for at in error.errors())
            raise UsageError(f"{place} is no fact: {wrong}", hint="give subject, relation and object") from error
        except UsageError as error:
            raise UsageError(f"{place}: {error.args[0]}", hint=error.hint) from error
    return facts


def _parsed(text: str, file: str) -> list[tuple[str, object]]:
    is_list = text.lstrip().startswith("[")
    lines = [(1, text)] if is_list else [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    found: list[tuple[str, object]] = []
    for number, line in lines:
        try:
            data = json.loads(line)
        except ValueError as error:
            raise UsageError(
                f"{file} line {number} is not JSON: {error}", hint="write a list of objects, or one object a line"
            ) from error
        found += (
            [(f"{file} fact {n}", item) for n, item in enumerate(data, 1)]
            if is_list
            else [(f"{file} line {number}", data)]
        )
    return found

"""The memory's history, drawn: an entity's timeline, a fact's receipt, the log of changes, two moments side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.text import Text

from everfact.cli.output.screen import Cell, Screen, excerpt, plural, when
from everfact.models import Change, Comparison, Entity, Episode, Evidence, Fact, FactKind, History, Receipt

_MOST = 10
"""Facts of one change, or changes of one entity, that are shown."""
_EXCERPT = 72
_OTHERS = " (of others)"


def draw_timeline(screen: Screen, history: History, endings: Mapping[str, Sequence[Evidence]]) -> None:
    """All that is known of an entity: a thread for each matter, in the order it was true.

    `endings` has the words that ended facts which nothing replaced.
    """
    _head(screen, history.entity)
    threads: dict[str, list[Fact]] = defaultdict(list)
    for fact in history.facts:
        threads[_matter(fact, history.entity)].append(fact)
    for matter, facts in sorted(threads.items(), key=lambda thread: (thread[0].endswith(_OTHERS), thread[0])):
        screen.line()
        screen.line(matter, style="bold")
        _thread(screen, history.entity, facts, endings)
    if not history.facts:
        screen.line("no facts yet", style="dim")
    if history.changes:
        screen.line()
        screen.line("changes", style="bold")
        screen.rows(_change_rows(screen, history.changes[:_MOST]), indent="  ")
        _more(screen, len(history.changes) - _MOST, "older change")


def _head(screen: Screen, entity: Entity) -> None:
    types = Text(f"  {', '.join(entity.types)}" if entity.types else "", style="cyan")
    screen.line(Text(entity.name, style="bold"), types, "  ", screen.id(entity.uuid))
    if entity.aliases:
        screen.line(f"also called {', '.join(entity.aliases)}", style="dim")
    if entity.summary:
        screen.line(entity.summary)


def _matter(fact: Fact, entity: Entity) -> str:
    """What a fact is about, as a headline; facts that others have about the entity stand apart."""
    words = (fact.attribute or fact.relation).replace("_", " ").lower()
    return words if fact.subject_uuid == entity.uuid else words + _OTHERS


def _thread(screen: Screen, entity: Entity, facts: Sequence[Fact], endings: Mapping[str, Sequence[Evidence]]) -> None:
    """Facts on one matter, below each other, each with what took its place and since when it is known."""
    rows: list[tuple[Cell, ...]] = []
    for fact in facts:
        said = screen.claim(fact, of=entity.uuid)
        said.append(f"  known {fact.created_at:%Y-%m-%d}", style="dim")
        rows.append((_sign(screen, fact), screen.id(fact.uuid), screen.span(fact), said))
        why = [Text.assemble(("replaced by ", "dim"), screen.id(f.uuid)) for f in successors(fact, facts)]
        why += [Text.assemble(("ended by ", "dim"), screen.quote(item.words)) for item in endings.get(fact.uuid, ())]
        rows += [
            (Text(screen.signs.thread, style="dim"), "", "", Text(f"{screen.signs.replaced} ") + line) for line in why
        ]
    screen.rows(rows, indent="  ")


def _sign(screen: Screen, fact: Fact) -> Text:
    if fact.kind is FactKind.EVENT:
        return Text(screen.signs.event, style="magenta")
    if fact.kind is FactKind.PLAN:
        return Text(screen.signs.plan, style="cyan")
    return Text(screen.signs.ended, style="dim") if fact.invalid_at else Text(screen.signs.holds, style="green")


def successors(fact: Fact, others: Iterable[Fact]) -> list[Fact]:
    """The facts whose own support ended this one."""
    return [other for other in others if other is not fact and not set(fact.ended_by).isdisjoint(other.assertions)]


def draw_entity(screen: Screen, entity: Entity, facts: Sequence[Fact]) -> None:
    """An entity and what is true of it now."""
    _head(screen, entity)
    present = [fact for fact in facts if fact.invalid_at is None]
    screen.rows(screen.fact_rows(present), indent="  ")
    for name, value in entity.attributes.items():
        screen.rows([(name, str(value))], indent="  ")
    ended = len(facts) - len(present)
    if ended:
        screen.line(f"{plural(ended, 'fact')} ended; everfact log '{entity.name}' shows all", style="dim")


def draw_fact(screen: Screen, fact: Fact) -> None:
    """A fact and its four times."""
    screen.line(screen.claim(fact))
    until = f"ended {when(fact.invalid_at)}" if fact.invalid_at else "still" if fact.kind is FactKind.STATE else ""
    rows: list[tuple[Cell, ...]] = [
        ("id", screen.id(fact.uuid)),
        ("kind", f"{fact.kind.value}, {fact.relation}"),
        ("true", ", ".join(part for part in (f"since {when(fact.valid_at) or 'some time'}", until) if part)),
        (
            "known",
            f"since {when(fact.created_at)}" + (f"; its end since {when(fact.expired_at)}" if fact.expired_at else ""),
        ),
    ]
    screen.rows(rows, indent="  ")


def draw_episode(screen: Screen, episode: Episode, facts: Sequence[Fact]) -> None:
    """What was told, whole, and what was read out of it."""
    screen.line(Text(f"told {when(episode.reference_time)}", style="blue"), "  ", screen.id(episode.uuid))
    origin = ", ".join(part for part in (episode.name, episode.source_description, episode.thread) if part)
    if origin:
        screen.line(origin, style="dim")
    screen.line()
    screen.line(episode.content)
    screen.line()
    screen.rows(screen.fact_rows(facts), indent="  ")
    status = f"{episode.status.value}, {plural(len(facts), 'fact')}"
    screen.line(f"{status}: {episode.error}" if episode.error else status, style="dim")


def draw_receipt(screen: Screen, receipt: Receipt) -> None:
    """Why a fact is believed: the very words, what it took the place of, what ended it."""
    draw_fact(screen, receipt.fact)
    _quotes(screen, "because somebody said", receipt.support)
    if receipt.replaced:
        screen.line()
        screen.line("in place of", style="bold")
        screen.rows(screen.fact_rows(receipt.replaced), indent="  ")
    _quotes(screen, "ended because somebody said", receipt.ended_by)
    if receipt.changes:
        screen.line()
        screen.line("changes", style="bold")
        screen.rows(_change_rows(screen, receipt.changes), indent="  ")


def _quotes(screen: Screen, title: str, evidence: Sequence[Evidence]) -> None:
    if not evidence:
        return
    screen.line()
    screen.line(title, style="bold")
    rows: list[tuple[Cell, ...]] = []
    for item in evidence:
        said = Text(screen.quote(item.words))
        said.append(f"  read by {item.assertion.origin}" if item.assertion.origin else "", style="dim")
        said.append("  withdrawn" if item.assertion.withdrawn else "", style="red")
        source = screen.id(item.assertion.episode_uuid) if item.assertion.episode_uuid else Text("handed over")
        told = when(item.episode.reference_time) if item.episode else when(item.assertion.created_at)
        rows.append((source, Text(told, style="blue"), said))
    screen.rows(rows, indent="  ")


def draw_log(screen: Screen, changes: Sequence[Change], episodes: Mapping[str, Episode]) -> None:
    """What was done to the memory, newest first, and what it did to facts."""
    for change in changes:
        told = episodes.get(change.cause)
        draw_change(screen, change, told=excerpt(told, _EXCERPT) if told else None)
    if not changes:
        screen.line("nothing has happened yet", style="dim")


def draw_change(screen: Screen, change: Change, *, told: Text | None = None) -> None:
    """One change: what it is called, and the facts that came, stayed and went."""
    screen.rows([_change_row(screen, change, told)])
    created, kept, ended = change.parted()
    marked = [("+", "green", fact) for fact in created]
    marked += [("-", "red", fact) for fact in ended]
    marked += [("=", "dim", fact) for fact in kept]
    rows = [(Text(sign, style=style), *screen.fact_rows([fact])[0]) for sign, style, fact in marked]
    screen.rows(rows[:_MOST], indent="  ")
    _more(screen, len(rows) - _MOST, "fact")
    if change.removed:
        screen.line(f"  {plural(len(change.removed), 'item')} taken away", style="dim")


def _change_rows(screen: Screen, changes: Iterable[Change]) -> list[tuple[Cell, ...]]:
    return [_change_row(screen, change, None) for change in changes]


def _change_row(screen: Screen, change: Change, told: Text | None) -> tuple[Cell, ...]:
    what = Text(change.note)
    if told is not None:
        what = Text.assemble(screen.signs.opening, told, screen.signs.closing)
    elif change.cause and not change.note:
        what = Text.assemble("of ", screen.id(change.cause))
    at = Text(when(change.created_at) if change.created_at.year > 1970 else "", style="blue")  # a server may not say
    return screen.id(change.uuid), at, Text(change.kind.value, style="cyan"), what


def _more(screen: Screen, count: int, word: str) -> None:
    if count > 0:
        screen.line(f"  and {plural(count, f'more {word}')}", style="dim")


@dataclass(frozen=True, slots=True)
class Moments:
    """The two moments of a comparison."""

    start: datetime
    end: datetime


def draw_comparison(screen: Screen, moments: Moments, both: Comparison) -> None:
    """What ended and what began between two moments; what took the place of something stands below it."""
    start, end = when(moments.start), when(moments.end)
    screen.line(Text(f"{start} {screen.signs.arrow} {end}", style="bold"))
    lines = [(fact.invalid_at, fact, "-", "red") for fact in both.ended]
    lines += [(fact.valid_at, fact, "+", "green") for fact in both.began]
    lines.sort(key=lambda line: (line[0] or moments.start, line[1].subject_uuid, line[1].attribute, line[2] == "+"))
    screen.rows(
        [
            (
                Text(sign, style=style),
                Text(when(at), style="blue"),
                screen.id(fact.uuid),
                Text(screen.claim(fact).plain, style=style),
            )
            for at, fact, sign, style in lines
        ],
        indent="  ",
    )
    changed = {fact.uuid for fact in (*both.ended, *both.began)}
    stayed = len({fact.uuid for fact in (*both.at_start, *both.at_end)} - changed)
    screen.line(f"{len(both.ended)} ended, {len(both.began)} began, {stayed} stayed", style="dim")

"""Lines for people: ids and times first, the text last and wrapped below itself; on no terminal one line each.

Colour and width are rich's business, NO_COLOR and COLUMNS with them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TypeAlias

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from everfact.cli.output.signs import ASCII, UNICODE, Signs
from everfact.models import Entity, Episode, Fact, FactKind, Hit, Stats

Cell: TypeAlias = "str | Text"

_SHORT = 8
"""Of a uuid only the end is random enough to tell two apart."""
_NARROWEST = 24


class Screen:
    """Where a command writes for a person."""

    def __init__(
        self, *, full_ids: bool = False, names: Mapping[str, str] | None = None, console: Console | None = None
    ) -> None:
        self.console = console or Console(highlight=False, markup=False, emoji=False)
        self.signs: Signs = UNICODE if self.console.encoding.lower().startswith("utf") else ASCII
        self._full_ids = full_ids
        self._names = names or {}

    def line(self, *parts: Cell, style: str = "") -> None:
        """One line, wrapped where the terminal ends."""
        self._print(Text.assemble(*parts, style=style))

    def rows(self, rows: Iterable[Sequence[Cell]], *, indent: str = "") -> None:
        """Rows with columns of one width; the last column is wrapped below itself."""
        cells = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        widths = [max(cell_len(cell.plain) for cell in column) for column in zip(*cells, strict=True)][:-1]
        for *first, last in cells:
            head = Text(indent)
            for cell, width in zip(first, widths, strict=True):
                head.append_text(cell)
                head.append(" " * (width - cell_len(cell.plain) + 2 if width else 0))
            self._hang(head, last)

    def _hang(self, head: Text, body: Text) -> None:
        """A head, and beside it the body, wrapped in the room that is left."""
        width = cell_len(head.plain)
        if not self.console.is_terminal or self.console.width - width < _NARROWEST:
            self._print(head.append_text(body))
            return
        for place, part in enumerate(body.wrap(self.console, self.console.width - width)):
            part.rstrip()
            self._print((head if place == 0 else Text(" " * width)) + part)

    def _print(self, text: Text) -> None:
        text.rstrip()
        if self.console.is_terminal:
            self.console.print(text)
        else:
            self.console.print(text, soft_wrap=True)

    # Words for things

    def id(self, uuid: str) -> Text:
        """An id as short as commands take it."""
        return Text(uuid if self._full_ids else uuid[-_SHORT:], style="yellow")

    def quote(self, words: str) -> str:
        """Somebody's very words."""
        return f"{self.signs.opening}{words}{self.signs.closing}"

    def span(self, fact: Fact) -> Text:
        """When a fact is true."""
        start = when(fact.valid_at) or "?"
        if fact.kind is FactKind.EVENT:
            return Text(f"on {start}", style="magenta")
        if fact.kind is FactKind.PLAN:
            return Text(f"planned {start}", style="cyan")
        style = "dim" if fact.invalid_at else "green"
        return Text(f"{start} {self.signs.arrow} {when(fact.invalid_at) or 'now'}", style=style)

    def claim(self, fact: Fact, *, of: str = "") -> Text:
        """What a fact says, with names that a sentence may leave out (but not that of `of`), and a mark if disputed."""
        about = self._names.get(fact.subject_uuid)
        thing = fact.value.text if fact.value else self._names.get(fact.object_uuid or "", "")
        name = "" if fact.subject_uuid == of else about
        words = f"{name} {fact.relation.replace('_', ' ').lower()} {thing}".strip() if about else fact.sentence
        said = Text(words, style="dim" if fact.invalid_at else "")
        if fact.disputed:
            said.append(f" {self.signs.disputed} disputed", style="red")
        return said

    def fact_rows(self, facts: Iterable[Fact]) -> list[tuple[Text, ...]]:
        """A row for each fact: id, when, what."""
        return [(self.id(fact.uuid), self.span(fact), self.claim(fact)) for fact in facts]

    def entity_rows(self, entities: Iterable[Entity]) -> list[tuple[Text, ...]]:
        """A row for each entity: id, types, name and summary."""
        return [(self.id(item.uuid), Text(", ".join(item.types), style="cyan"), named(item)) for item in entities]

    def episode_rows(self, episodes: Iterable[Episode], *, most: int = 200) -> list[tuple[Text, ...]]:
        """A row for each episode: id, when, the beginning of what was told."""
        return [
            (self.id(item.uuid), Text(when(item.reference_time), style="blue"), excerpt(item, most))
            for item in episodes
        ]

    def hit_rows(self, hits: Iterable[Hit]) -> list[tuple[Text, ...]]:
        """A row for each hit, of whatever kind."""
        rows: list[tuple[Text, ...]] = []
        for hit in hits:
            if isinstance(hit.item, Fact):
                [row] = self.fact_rows([hit.item])
                row[2].append(
                    "" if row[2].plain == hit.item.sentence else f"  {self.quote(hit.item.sentence)}", style="dim"
                )
            elif isinstance(hit.item, Entity):
                [row] = self.entity_rows([hit.item])
            else:
                [row] = self.episode_rows([hit.item])
            rows.append((row[0], Text(hit.thing.value, style="dim"), *row[1:]))
        return rows

    def counts(self, stats: Stats) -> None:
        """How much there is."""
        names = ("groups", "episodes", "entities", "facts", "assertions", "changes", "pending", "parked")
        self.rows([(name, f"{getattr(stats, name):>9,}") for name in names])
        self.rows([("last write", when(stats.last_write) or "never")])
        self.spent(stats)

    def spent(self, stats: Stats) -> None:
        """What models took today."""
        for model, usage in stats.spent.today.items() if stats.spent else ():
            rescued = f", {usage.rescues} episodes read by rules in its place" if usage.rescues else ""
            tokens = f"{usage.calls:,} calls, {usage.tokens:,} tokens, ${usage.usd:.4f}, {usage.seconds:.0f} s"
            self.line(f"{model} today: {tokens}{rescued}")


def when(moment: datetime | None) -> str:
    """A time as short as it can be said: midnight is a date. Empty for none."""
    if moment is None:
        return ""
    is_date = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
    return f"{moment:%Y-%m-%d}" if is_date else f"{moment:%Y-%m-%d %H:%M}"


def named(entity: Entity) -> Text:
    """An entity's name, and what sums it up."""
    name = Text(entity.name, style="bold")
    return name.append(f"  {entity.summary}", style="not bold") if entity.summary else name


def excerpt(episode: Episode, most: int) -> Text:
    """The beginning of what was told, in one line."""
    words = " ".join(episode.content[: 2 * most].split())
    shown = Text(words if len(words) <= most else words[: most - 1].rstrip() + "…")
    if episode.status.value != "done":
        shown.append(f"  ({episode.status.value})", style="yellow")
    return shown


def plural(count: int, word: str) -> str:
    """A number and its noun."""
    several = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{count:,} {word if count == 1 else several}"


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[_Bar]:
    """A bar on standard error while the block lasts; none when that is no terminal."""
    if not sys.stderr.isatty():
        yield _Bar()
        return
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        yield _Bar(shown.advance, shown.add_task(label, total=total))


class _Bar:
    """Something to tell how far the work has come."""

    def __init__(self, advance: object = None, task: object = None) -> None:
        self._advance, self._task = advance, task

    def step(self, count: int = 1) -> None:
        """So much more is done."""
        if callable(self._advance):
            self._advance(self._task, count)

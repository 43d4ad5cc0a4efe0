"""Items as text for a model: TOON from three rows on, below that a line each. Ids are as short as verbs take them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from everfact.models import Entity, Episode, Fact, Status

Item: TypeAlias = Entity | Episode | Fact
Row: TypeAlias = dict[str, str | float]

_TABLE = 3
"""Rows from which on a table is shorter than lines."""
_SHORT = 8
"""Of a uuid only the end is random enough to tell two apart."""
_EXCERPT = 200
_LEFT_OUT = "…"
_GAPS = re.compile(rf"{_LEFT_OUT}(?:\s*{_LEFT_OUT})+")


def short(uuid: str) -> str:
    """An id as short as the verbs take it."""
    return uuid[-_SHORT:]


def rows(items: Sequence[Item], names: Mapping[str, str], scores: Sequence[float] = ()) -> list[Row]:
    """A row for each item, without the columns that are empty in all of them.

    `names` has what the entities of the facts are called. Of an episode the sentences stand that no fact here says.
    """
    said = {item.sentence for item in items if isinstance(item, Fact)}
    made: list[Row] = [
        {"id": short(item.uuid), **({"score": round(scores[place], 2)} if scores else {}), **_said(item, names, said)}
        for place, item in enumerate(items)
    ]
    used = {column for one in made for column, value in one.items() if value != ""}
    return [{column: value for column, value in one.items() if column in used} for one in made]


def listing(name: str, made: Sequence[Row], **counts: int) -> str:
    """Rows under their name, with the counts that are not zero."""
    told = {key: count for key, count in counts.items() if count}
    if len(made) >= _TABLE:
        import toons  # a start that nobody asks for a list would pay for it

        return toons.dumps({name: list(made), **told})
    lines = ["  ".join(str(value) for value in one.values() if value != "") for one in made]
    return "\n".join([*lines, *(f"{key}: {count}" for key, count in told.items())])


def _said(item: Item, names: Mapping[str, str], said: Iterable[str]) -> Row:
    if isinstance(item, Fact):
        thing = item.value.text if item.value else names.get(item.object_uuid or "", "")
        return {
            "type": "disputed" if item.disputed else item.kind.value,
            "when": "/".join(dict.fromkeys((_day(item.valid_at), _day(item.invalid_at)))).rstrip("/"),
            "subject": names.get(item.subject_uuid, ""),
            "relation": item.relation.replace("_", " ").lower(),
            "text": thing,
        }
    if isinstance(item, Entity):
        kind, about, text = " ".join(item.types) or "entity", item.name, item.summary
        return {"type": kind, "when": "", "subject": about, "relation": "", "text": _line(text)}
    kind = "episode" if item.status is Status.DONE else item.status.value
    text = _line(_without(item.content[: 2 * _EXCERPT], said))
    return {"type": kind, "when": _day(item.reference_time), "subject": item.speaker, "relation": "", "text": text}


def _without(text: str, said: Iterable[str]) -> str:
    """The text without these sentences; one sign stands for all that are missing in a row."""
    for sentence in said:
        text = text.replace(sentence, _LEFT_OUT)
    return _GAPS.sub(_LEFT_OUT, text)


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""


def _line(text: str) -> str:
    """The beginning of a text, in one line."""
    words = " ".join(text.split())
    return words if len(words) <= _EXCERPT else words[: _EXCERPT - 1].rstrip() + "…"

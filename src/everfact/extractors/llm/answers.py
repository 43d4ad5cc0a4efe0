"""What a model sent, as plain values: whatever is around the JSON is left out, what is missing is empty."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from everfact.errors import ModelAnswerInvalid
from everfact.models import Verdict

LONGEST = 400_000
"""Characters of an answer that are looked at."""
_MOST_FACTS = 200
_DEEPEST = 50
_MOST_TREES = 20
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")
_WRAPS = 3
R = TypeVar("R", "Named", "Told")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An entity as the model gives it."""

    name: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A fact as the model gives it: texts only, unchecked."""

    subject: str = ""
    relation: str = ""
    object: str = ""
    sentence: str = ""
    quote: str = ""
    kind: str = ""
    phase: str = ""
    begins: str = ""
    ended: str = ""
    when: str = ""
    replaces: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the model found in one piece of text."""

    entities: list[Named] = field(default_factory=list)
    facts: list[Told] = field(default_factory=list)


def read_found(text: str) -> Found:
    """The entities and facts in an answer.

    Raises:
        ModelAnswerInvalid: it holds nothing of the kind.
    """
    for tree, is_whole in _trees(text):
        rows = _lists(tree)
        loose = [row for row in rows.get("", []) if "subject" in row]
        if (
            loose or "facts" in rows or (is_whole and "entities" in rows)
        ):  # one cut off before the facts has none to give
            facts = [_row(Told, row) for row in [*rows.get("facts", []), *loose] if "subject" in row]
            entities = [_row(Named, row) for row in [*rows.get("entities", []), *loose] if "name" in row]
            return Found(entities=entities[:_MOST_FACTS], facts=facts[:_MOST_FACTS])
    raise ModelAnswerInvalid("there is no JSON object with entities and facts in it")


def read_verdicts(text: str, count: int) -> list[Verdict]:
    """The verdict on each of so many pairs; of a pair that is left out both stand.

    Raises:
        ModelAnswerInvalid: it holds no verdicts.
    """
    known = set(Verdict)
    for tree, _ in _trees(text):
        rows = _lists(tree)
        given = rows.get("verdicts", rows.get(""))
        if given is not None:
            verdicts = [Verdict.BOTH_STAND] * count
            for place, row in enumerate(given):
                number, verdict = row.get("pair", place + 1), str(row.get("verdict", "")).lower()
                if isinstance(number, int) and 0 < number <= count and verdict in known:
                    verdicts[number - 1] = Verdict(verdict)
            return verdicts
    raise ModelAnswerInvalid("there is no JSON object with verdicts in it")


def _trees(text: str) -> Iterator[tuple[Any, bool]]:
    """Every JSON object or list that the text holds, outermost first, and whether it is whole or was cut off."""
    text = _THOUGHT.sub(" ", text[:LONGEST])
    decoder, place = json.JSONDecoder(), 0
    for _ in range(_MOST_TREES):
        opening = _OPENING.search(text, place)
        if opening is None:
            return
        try:
            (tree, place), is_whole = decoder.raw_decode(text, opening.start()), True
        except (ValueError, RecursionError):
            tree, place, is_whole = _closed(text[opening.start() :]), opening.end(), False
        for _ in range(_WRAPS):
            if tree is not None:
                yield tree, is_whole
            # Some put the answer into an object of one member: {"result": {...}}.
            tree = next(iter(tree.values())) if isinstance(tree, dict) and len(tree) == 1 else None


def _closed(text: str) -> Any:
    """The JSON that begins here, up to the last row that is whole; None if there is none."""
    open_, ends, in_text, escaped = [], [], False, False
    for place, letter in enumerate(text):
        if in_text:
            in_text, escaped = letter != '"' or escaped, letter == "\\" and not escaped
        elif letter == '"':
            in_text = True
        elif letter in "{[":
            open_.append("}" if letter == "{" else "]")
            if len(open_) > _DEEPEST:
                return None
        elif letter in "}]":
            if not open_ or open_.pop() != letter:
                break
            ends.append((place + 1, "".join(reversed(open_))))
    for end, rest in reversed(ends[-3:]):
        try:
            return json.loads(text[:end] + rest)
        except (ValueError, RecursionError):
            continue
    return None


def _lists(tree: Any) -> dict[str, list[dict[str, Any]]]:
    """The lists of objects in an answer, by name; an answer that is a list has none."""
    tree = tree if isinstance(tree, dict) else {"": tree}
    return {
        str(name).lower(): [row for row in rows if isinstance(row, dict)]
        for name, rows in tree.items()
        if isinstance(rows, list)
    }


def _row(kind: type[R], row: Mapping[str, Any]) -> R:
    return kind(**{part.name: _text(row.get(part.name)) for part in fields(kind)})


def _text(value: object) -> str:
    if isinstance(value, str):
        return " ".join(value.split()) if len(value) < _MOST_FACTS * 10 else ""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""

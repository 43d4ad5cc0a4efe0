"""A relation and its object in plain English: `works at Globex`, `budget is 5000`, `members include Ana`."""

from __future__ import annotations

import re

from everfact.models import Mention, Value, ValueType

_LONGEST = 300
_PREPOSITIONS = {"at", "in", "on", "for", "to", "by", "of", "from", "with", "as", "under", "since", "until"}
_VERBS = {
    "is",
    "has",
    "can",
    "was",
    "uses",
    "likes",
    "loves",
    "owns",
    "prefers",
    "knows",
    "speaks",
    "requires",
    "needs",
}
_VERBS |= {"wants", "supports", "includes", "contains", "costs", "manages", "leads", "maintains", "runs", "plays"}


def phrase(relation: str, what: Mention | Value, *, is_listed: bool) -> str:
    """What is said of a subject, without the subject."""
    words = relation.replace("_", " ").lower()
    first, _, rest = words.partition(" ")
    if isinstance(what, Mention):
        return f"{words}{_link(words, is_listed=is_listed)} {what.name}"
    text = " ".join(what.text.split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    if what.type is ValueType.STATUS and text in ("true", "false"):
        if rest and first in ("is", "has", "can", "was"):
            return words if text == "true" else f"{first} {'no' if first == 'has' else 'not'} {rest}"
        text = "yes" if text == "true" else "no"
    elif what.type is ValueType.PERCENT and "%" not in text:
        text = f"{text} %"
    elif what.unit and what.text.strip()[-1].isdigit() and what.unit.isupper():
        text = f"{text} {what.unit}"
    return f"{words}{_link(words, is_listed=is_listed)} {text}"


def _link(words: str, *, is_listed: bool) -> str:
    parts = words.split()
    if parts[-1] in _PREPOSITIONS or parts[0] in _VERBS:
        return ""
    if is_listed:
        return " include"
    return " are" if re.search(r"(?<!s)(?<!u)(?<!i)s\Z", words) else " is"

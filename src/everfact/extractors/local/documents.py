"""Numbered documents (a proposal, a decision record, a standard): their own name, and which one replaced which."""

from __future__ import annotations

import re
from collections.abc import Iterator

from everfact.models import Mention, Statement, Value, ValueType
from everfact.relations import REPLACED_BY, TITLED

_HEAD = 600
_HEADING = re.compile(
    r"\A\s*(?:#+\s*)?(?P<name>(?P<series>[A-Z][A-Za-z]{1,11})[ -]?#?0*(?P<number>\d{1,6}))\s*[:.\u2013\u2014-]\s+"
    r"(?P<title>\S.{1,200}?)(?=\.\s|\.?\s*\Z|\n)"
)
_LINK = re.compile(
    r"\b(?P<by>(?:superseded|replaced|obsoleted)[ -]by)\s*:\s*(?P<newer>[^.\n;]{1,80})"
    r"|\b(?:replaces|supersedes|obsoletes)\s*:\s*(?P<older>[^.\n;]{1,80})",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:\b(?P<series>[A-Za-z]{2,12})[ -]?#?)?\b0*(?P<number>\d{1,6})\b")


def find_document(content: str) -> list[Statement]:
    """What the head of a numbered document says of itself; nothing if the text is none."""
    heading = _HEADING.match(content[:_HEAD])
    if heading is None:
        return []
    own = _mention(heading["series"], heading["number"])
    said = [
        Statement(
            subject=own,
            relation=TITLED,
            object=Value(type=ValueType.TEXT, text=heading["title"]),
            sentence=f"{own.name}: {heading['title']}",
            span=heading.span(),
        )
    ]
    for link in _LINK.finditer(content[:_HEAD]):
        for other in _others(link["newer"] or link["older"], heading["series"]):
            older, newer = (own, other) if link["by"] else (other, own)
            said.append(
                Statement(
                    subject=older,
                    relation=REPLACED_BY,
                    object=newer,
                    sentence=f"{older.name} was replaced by {newer.name}",
                    span=link.span(),
                )
            )
    return said


def _others(listed: str, series: str) -> Iterator[Mention]:
    for match in _NUMBER.finditer(listed):
        yield _mention(match["series"] or series, match["number"])


def _mention(series: str, number: str) -> Mention:
    return Mention(name=f"{series} {number}", type="Document")

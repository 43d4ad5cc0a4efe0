"""Words about time become dates, told from the moment the text was told and never from the machine's today.

Rules only, English first: durations, versions, prices and ids are no dates. `scene` knows the text and its tense;
`numeric`, `named`, `holidays` and `relative` know single dates; `phrases` knows what the words around them change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from everfact.dates import holidays, named, numeric, relative
from everfact.dates.phrases import DateRole, Phrase, compose
from everfact.dates.scene import Rule, Scene, lower
from everfact.dates.words import TRIGGERS
from everfact.models import Granularity

__all__ = ["DateRole", "When", "find_dates"]

_WORD = re.compile(r"[^\W\d_]+|[0-9]+")
_TABLES = (numeric.RULES, named.RULES, holidays.RULES, relative.RULES)
_RULES: dict[str, tuple[Rule, ...]] = {
    kind: tuple(rule for table in _TABLES for rule in table.get(kind, ())) for kind in {*TRIGGERS.values()}
}


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A time that a text names: from `start` up to, not including, `end`; `span` is where, in code points."""

    start: datetime
    end: datetime
    granularity: Granularity
    role: DateRole
    span: tuple[int, int]


def find_dates(text: str, reference: datetime) -> list[When]:
    """The dates in a text told at `reference`, in order of appearance; in its time zone, or UTC if it has none."""
    folded = lower(text)
    kinds = {TRIGGERS[word] for word in _WORD.findall(folded) if word in TRIGGERS}
    if numeric.LOOKS_LIKE_DATE.search(folded):
        kinds.add("number")
    if not kinds:
        return []
    scene = Scene(text, folded, reference)
    return [
        When(
            start=phrase.reading.period.start.replace(tzinfo=scene.zone),
            end=phrase.reading.period.end.replace(tzinfo=scene.zone),
            granularity=phrase.reading.period.grain,
            role=phrase.role,
            span=(phrase.first, phrase.last),
        )
        for phrase in compose(_longest(_candidates(kinds, scene)), scene)
    ]


def _candidates(kinds: set[str], scene: Scene) -> list[Phrase]:
    """All that any rule reads as a date; a date that does not exist is none."""
    found = []
    for kind in kinds:
        for pattern, read in _RULES[kind]:
            for match in pattern.finditer(scene.lower):
                try:
                    reading = read(match, scene)
                except (ValueError, OverflowError):
                    continue
                if reading:
                    found.append(Phrase(*match.span("at" if "at" in pattern.groupindex else 0), reading))
    return found


def _longest(found: list[Phrase]) -> list[Phrase]:
    """Of phrases that share words, the longest; in order."""
    kept: list[Phrase] = []
    for phrase in sorted(found, key=lambda phrase: (phrase.first, -phrase.last)):
        if kept and phrase.first < kept[-1].last and phrase.last - phrase.first > kept[-1].last - kept[-1].first:
            kept.pop()
        if not kept or phrase.first >= kept[-1].last:
            kept.append(phrase)
    return kept

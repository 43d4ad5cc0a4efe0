"""One text under reading: its words, its reference time, and whether a sentence looks back or ahead."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeAlias

from everfact.dates.periods import Period

_AHEAD = (
    r"will|won't|'ll|shall|gonna|going to|plan(?:s|ning|ned)?|let'?s|schedul\w+|upcoming|wants? to|hop(?:e|es|ing)|"
    r"can't wait|see you|looking forward|due|deadline|expected|supposed|should|must|needs? to|intends? to|tomorrow|"
    r"please|book|arrange|remind|starts|begins|ends|opens|expires|launches|"
    r"(?:am|is|are|'[ms]|'re) (?:\w+ )?(?!wonder|think|consider|try|feel|look|be)\w+ing"
)
_BACK = (
    r"was|were|did|didn't|had|been|ago|went|took|made|got|saw|met|bought|came|left|gave|found|told|said|felt|ran|won|lost|"
    r"began|became|brought|built|caught|chose|drove|ate|fell|flew|forgot|grew|heard|held|kept|knew|led|paid|read|sang|"
    r"sent|slept|swam|woke|rode|rose|drew|fought|stuck|meant|dealt|sold|spent|spoke|stood|taught|thought|threw|wore|wrote|broke|hit|quit|"
    r"(?!need|indeed|hundred|speed|feed|exceed|proceed|succeed|embed|shed|excit|interest)\w{2,}ed"
)
_TENSE = re.compile(rf"\b(?:(?P<ahead>{_AHEAD})|(?P<back>{_BACK}))\b")
_STOP = re.compile(r"[.!?]\s|\n")
_REACH = 300
"""How far from a date its verb may stand; a bound, so that long text without stops stays cheap."""

_PLAIN = {0x2018: "'", 0x2019: "'", 0x2010: "-", 0x2011: "-", 0x2013: "-", 0x2014: "-", 0xA0: " "}
_TOO_FAR = timedelta(days=300)


class Reading(NamedTuple):
    """What a rule makes of some words."""

    period: Period
    floats: str = ""
    """By what it may move to fit a neighbour: a Friday by weeks, the 5th by months, a May by years, a full date not."""
    kind: str = ""
    """What it is to its neighbours: a `weekday`, a `week`, a `date`, or `bare` words that mean nothing on their own."""


class Scene:
    """The text, in lower case too (code point for code point), and the moment it is told."""

    __slots__ = ("lower", "now", "text", "today", "zone")

    def __init__(self, text: str, folded: str, reference: datetime) -> None:
        self.text = text
        self.lower = folded
        self.zone = reference.tzinfo or UTC
        self.now = now = reference.replace(tzinfo=None)
        self.today = now.replace(hour=0, minute=0, second=0, microsecond=0)

    def leaning(self, at: int) -> int:
        """-1 if the sentence around `at` tells of the past, 1 if of the future, 0 if it does not say."""
        first = max(0, at - _REACH)
        start = max((stop.end() for stop in _STOP.finditer(self.lower, first, at)), default=first)
        stop = _STOP.search(self.lower, at, at + _REACH)
        cues = _TENSE.finditer(self.lower, start, stop.start() if stop else at + _REACH)
        # The verb mostly stands before the date, so one behind it must be nearer to count.
        nearest = min(
            cues, key=lambda cue: at - cue.start() if cue.start() < at else 2 * (cue.start() - at), default=None
        )
        if nearest is None:
            return 0
        return 1 if nearest["ahead"] else -1

    def nearest(self, around: list[Period], leaning: int) -> Period:
        """Of periods that differ in the year or month only, the nearest on the side the sentence leans to.

        Nobody leaves out the year of a day eleven months off: then the tense was misread, and the other side is meant.
        """
        side = [period for period in around if (period.start <= self.today if leaning < 0 else period.end > self.today)]
        best, near = min(side if leaning and side else around, key=self._gap), min(around, key=self._gap)
        return near if self._gap(best) > max(_TOO_FAR, 5 * self._gap(near)) else best

    def _gap(self, period: Period) -> timedelta:
        """How far away a period is; the one that is running is not."""
        return max(period.start - self.today, self.today - period.end, timedelta())

    def before(self, at: int) -> str:
        """The words up to `at`, as many as a rule may look at."""
        return self.lower[max(0, at - 60) : at]

    def is_capital(self, at: int) -> bool:
        """Whether the text has a capital letter there."""
        return self.text[at].isupper()


Rule: TypeAlias = "tuple[re.Pattern[str], Callable[[re.Match[str], Scene], Reading | None]]"
"""Words to look for in the lower-case text, and what they mean; ValueError if there is no such date."""


def rule(pattern: str, read: Callable[[re.Match[str], Scene], Reading | None]) -> Rule:
    """A line in a table of rules."""
    return re.compile(pattern), read


def lower(text: str) -> str:
    """Lower case without a change of length, and with plain apostrophes and hyphens: all that patterns must know."""
    folded = text.lower()
    if len(folded) != len(text):  # a few letters become two
        folded = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    return folded if folded.isascii() else folded.translate(_PLAIN)

"""What a question asks for: its telling words, whose words it wants, the times it names, the kind of answer it expects.

English, like the local extractor; of a question in another language the words and the names remain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from everfact.dates import find_dates
from everfact.dates.words import MONTH, MONTHS, SEASON
from everfact.words import SMALL_WORDS, word_set

ROLES = word_set("user assistant system human ai")
"""Speakers known by their part in a chat, not by a name."""

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[^\W_][\w.'\u2019-]*")
_LONGEST = 2_000
"""Characters of a question that are read; a longer one is a document, and its beginning says what it is about."""
_MOST_NAMES = 64
_TOLD = "said told recommended suggested mentioned provided gave listed described explained advised created wrote "
_TELL = "say tell recommend suggest mention provide give list describe explain advise create write "
_ANY_TOLD, _ANY_TELL = (
    "|".join(f"{words}{more}".split()) for words, more in ((_TOLD, "proposed shared"), (_TELL, "propose share"))
)
_ASSISTANTS_WORDS = re.compile(
    rf"\byou (?:\w+ )?(?:{_ANY_TOLD})\b|\bdid you (?:\w+ )?(?:{_ANY_TELL})\b"
    r"|\b(?:previous|earlier|last|past) (?:conversation|chat|discussion)"
    r"|\b(?:conversation|chat|discussion) (?:we had|about)\b"
)
_OWN_WORDS = re.compile(r"\bi (?:\w+ )?(?:said|mentioned|told|brought|asked|shared)\b")
_SUMMARY = re.compile(r"\bsummar|\boverview\b|\brecap\b")
_ASKS_WHEN = re.compile(r"^when\b|\bwhat (?:date|year)\b|\bhow long\b|\bhow many (?:days|weeks|months)\b")
_ASKS_NUMBER = re.compile(r"\bhow (?:many|often|much)\b")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_MONTH_DAY = re.compile(
    rf"(?:\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?\b(?P<month>{MONTH})\b\.?"
    r"(?: (?:the )?(?P<after>\d{1,2})(?:st|nd|rd|th)?\b)?(?P<year>,? (?:of )?\d{4}\b)?"
)
_THE_LAST = re.compile(r"\b(?:last|past|this|next) $")
"""Before a month: of which year it is, is said."""
_TICK = timedelta(microseconds=1)
_RELATIVE = re.compile(
    r"\bago\b|\byesterday\b|\btoday\b|\b(?:last|past|this|previous) (?:\w+ )?"
    rf"(?:night|weekend|week|month|year|quarter|{SEASON}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The times that a question names: a month and day of any year (0: not said), years, spans."""

    month: int = 0
    day: int = 0
    year: int = 0
    years: tuple[int, int] | None = None
    spans: tuple[tuple[datetime, datetime], ...] = ()

    def fit(self, moment: datetime) -> float:
        """How well something told at that moment fits: 1, more for the very day, less some days off."""
        moment = moment.astimezone(UTC)
        if self.month or self.year:
            agrees = (not self.month or moment.month == self.month) and (not self.year or moment.year == self.year)
            if not agrees:
                return 0.0
            return max(0.0, 2 - abs(moment.day - self.day) / 5) if self.day else 1.0
        return max((_nearness(moment, span) for span in self.spans), default=0.0)

    def fit_years(self, text: str) -> bool:
        """Whether a text names a year between the ones that the question names."""
        if self.years is None:
            return False
        first, last = self.years
        return any(first <= int(year) <= last for year in _YEAR.findall(text))

    @property
    def windows(self) -> list[tuple[datetime, datetime]]:
        """Spans in which to look for what was told then; none where only a month of any year is named."""
        if not self.year:
            return [(first - timedelta(days=3), last + timedelta(days=3)) for first, last in self.spans]
        first, last = _calendar(self.year, self.year, self.month)
        if not self.day:
            return [(first, last)]
        middle = first + timedelta(days=self.day - 1)
        return [(max(first, middle - timedelta(days=5)), min(last, middle + timedelta(days=6)))]

    @property
    def period(self) -> tuple[datetime, datetime] | None:
        """The very time asked about, from when until when; None where only a month of any year is named, or nothing."""
        if self.spans:
            first, last = self.spans[0]
        elif self.years is None:
            return None
        else:
            years = (self.year, self.year) if self.year else self.years
            first, last = _calendar(*years, self.month)
            middle = first + timedelta(days=self.day - 1)
            if first <= middle < last:
                first, last = middle, middle + timedelta(days=1)
        return first, last - _TICK


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as ranking sees it."""

    text: str
    words: tuple[str, ...]
    """All its words in order, lower case."""
    terms: tuple[str, ...]
    """The words that tell what it is about, each once."""
    pairs: tuple[tuple[str, str], ...]
    """Neighbouring words of which at least one tells something."""
    role: str
    """Whose words are wanted in a chat with an assistant: `user`, `assistant`, or either ("")."""
    asks_when: bool
    asks_number: bool
    times: Times
    speaker: str = ""
    """The one speaker whom the question is about."""


def read_question(text: str, asked_at: datetime, speakers: tuple[str, ...] = ()) -> Question:
    """Read a question asked at that moment; `speakers` are those of its names who have said something."""
    text = text[:_LONGEST]
    lower = text.lower()
    words = tuple(_WORD.findall(lower))
    named = {word for speaker in speakers for word in _WORD.findall(speaker.lower())}
    distinct = tuple(dict.fromkeys(words))
    told = tuple(word for word in distinct if word not in SMALL_WORDS)
    terms = tuple(word for word in told if word not in named) or told or distinct
    pairs = tuple(
        dict.fromkeys(
            (one, two)
            for one, two in pairwise(words)
            if not (one in SMALL_WORDS and two in SMALL_WORDS) and one not in named and two not in named
        )
    )
    return Question(
        text=text,
        words=words,
        terms=terms,
        pairs=pairs,
        role=_role(lower),
        asks_when=bool(_ASKS_WHEN.search(lower)),
        asks_number=bool(_ASKS_NUMBER.search(lower)),
        times=_times(text, lower, asked_at),
        speaker=speakers[0] if len(speakers) == 1 else "",
    )


def possible_names(text: str) -> list[str]:
    """What may be names in a question: its words and its runs of words, as they are spelt."""
    bare = [re.sub(r"['\u2019]s?$|[.-]+$", "", word) for word in _NAME.findall(text[:_LONGEST])]
    runs = [" ".join(bare[i : i + n]) for n in (1, 2, 3) for i in range(len(bare) - n + 1)]
    telling = [run for run in runs if any(word.lower() not in SMALL_WORDS for word in run.split())]
    return list(dict.fromkeys(telling))[:_MOST_NAMES]


def _role(lower: str) -> str:
    if _SUMMARY.search(lower):
        return ""
    return "assistant" if _ASSISTANTS_WORDS.search(lower) and not _OWN_WORDS.search(lower) else "user"


def _times(text: str, lower: str, asked_at: datetime) -> Times:
    years = [int(year) for year in _YEAR.findall(lower)]
    between = (min(years), max(years)) if years else None
    for match in _MONTH_DAY.finditer(lower):
        # "May I", "march on": a month only where something beside it says so
        is_other_word = match["month"] in ("may", "mar", "march") and not (
            match["before"]
            or match["after"]
            or match["year"]
            or re.search(r"\b(?:in|since|during|of|until|last|this) $", lower[: match.start()])
        )
        if is_other_word:
            continue
        day = int(match["before"] or match["after"] or 0)
        is_told_from_now = not years and _THE_LAST.search(lower[: match.start()])
        return Times(
            month=MONTHS[match["month"]],
            day=day if day <= 31 else 0,
            year=years[0] if years else 0,
            years=between,
            spans=_spans(text, asked_at) if is_told_from_now else (),
        )
    if years:
        return Times(year=years[0] if len(years) == 1 else 0, years=between)
    if _RELATIVE.search(lower):
        return Times(spans=_spans(text, asked_at))
    return Times()


def _spans(text: str, asked_at: datetime) -> tuple[tuple[datetime, datetime], ...]:
    """The dates in a question, but for those at the very ends of the calendar, around which there is no looking."""
    return tuple((w.start, w.end) for w in find_dates(text, asked_at) if w.start.year > 1 and w.end.year < 9999)


def _calendar(first: int, last: int, month: int) -> tuple[datetime, datetime]:
    """From the beginning of a year, or of its month, up to the end of the last one."""
    months = last * 12 + (month or 12)
    return datetime(first, month or 1, 1, tzinfo=UTC), datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def _nearness(moment: datetime, span: tuple[datetime, datetime]) -> float:
    first, last = span
    off = max(first - moment, moment - last, timedelta(0)) / timedelta(days=7)
    return max(0.0, 1 - off)

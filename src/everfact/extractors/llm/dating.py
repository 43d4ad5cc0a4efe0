"""Dates that a model returned, checked against the text. Where our own rules can read the words, they have the say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from everfact.dates import DateRole, When, find_dates
from everfact.extractors.llm.answers import Told
from everfact.models import Granularity, Phase

_ISO = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d?)(?:-(?P<day>\d\d?)(?:[T ](?P<hour>\d\d?):(?P<minute>\d\d)(?::\d\d(?:\.\d+)?)?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_CLOSE = timedelta(days=1)
_FAR = timedelta(days=800)
"""How far from the text's own time a date may lie of which the text gives no year."""


@dataclass(frozen=True, slots=True)
class Period:
    """A time as a model wrote it: from, until, how exactly."""

    start: datetime
    end: datetime
    granularity: Granularity


@dataclass(frozen=True, slots=True)
class Dated:
    """When a fact began and ended, as far as the text supports it."""

    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    granularity: Granularity | None = None


def date_of(told: Told, phase: Phase, text: str, reference: datetime) -> Dated:
    """The dates of a fact in a text (some sentences around it) told at `reference`.

    A date stands if our rules find it in the text; if they find another in the words that it is said to come from,
    theirs stands. Of words that they cannot read (another language) it stands if these are in the text and the date is
    not simply the day of the telling. All else is refused: models like to answer with their own idea of "now".
    """
    whens = find_dates(text, reference)
    meant = [when for when in whens if _is_in(when, told.when, text)]
    begins = _checked(told.begins, told.when, text, reference, (whens, meant))
    ended = _checked(told.ended, told.when, text, reference, (whens, meant))
    first = begins or ended
    if first is None:
        return Dated()
    valid_at = begins.start if begins is not None else None
    invalid_at = _ending(ended, phase, whens) if ended is not None else None
    if valid_at and invalid_at and invalid_at < valid_at:
        invalid_at = None
    return Dated(valid_at, invalid_at, first.granularity)


def _ending(ended: Period, phase: Phase, whens: Sequence[When]) -> datetime:
    """ "Until 2021" is until its end; "left in 2021" is from its beginning on."""
    when = next((w for w in whens if w.end == ended.end), None)
    is_whole = when.role in (DateRole.UNTIL, DateRole.DURING) if when is not None else phase is not Phase.ENDS
    return ended.end if is_whole and ended.granularity is not Granularity.INSTANT else ended.start


def _is_in(when: When, words: str, text: str) -> bool:
    """Whether these words of the text are what our rules read the date from."""
    start = text.casefold().find(words.casefold()) if words else -1
    return start >= 0 and start < when.span[1] and when.span[0] < start + len(words)


def _checked(
    given: str, words: str, text: str, reference: datetime, found: tuple[Sequence[When], Sequence[When]]
) -> Period | None:
    if not given.strip():
        return None
    whens, meant = found
    period = _parsed(given)
    for when in whens:
        if period is None:
            break
        is_inside = when.start <= period.start < when.end or period.start <= when.start < period.end
        if is_inside or (when.role is DateRole.UNTIL and abs(when.end - period.start) < _CLOSE):
            return _of(when)
    if meant:
        return _of(meant[0])
    if period is None:  # "yesterday" in the place of a date
        return next((_of(when) for when in whens if _is_in(when, given, text)), None)
    return period if _is_told(period, words, text, reference) else None


def _of(when: When) -> Period:
    return Period(when.start.astimezone(UTC), when.end.astimezone(UTC), when.granularity)


def _parsed(given: str) -> Period | None:
    match = _ISO.fullmatch(given.strip())
    if match is None:
        return None
    year, month, day = (int(match[part] or 1) for part in ("year", "month", "day"))
    try:
        if match["hour"]:
            start = datetime.fromisoformat(given.strip())
            start = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
            return Period(start, start, Granularity.INSTANT)
        start = datetime(year, month, day, tzinfo=UTC)
        if match["day"]:
            return Period(start, start + timedelta(days=1), Granularity.DAY)
        if match["month"]:
            return Period(start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC), Granularity.MONTH)
        return Period(start, datetime(year + 1, 1, 1, tzinfo=UTC), Granularity.YEAR)
    except (ValueError, OverflowError):
        return None


def _is_told(period: Period, words: str, text: str, reference: datetime) -> bool:
    """Whether a date that our rules did not find may still come from the text."""
    if not words or words.casefold() not in text.casefold():
        return False
    if str(period.start.year) in words:
        return True
    return abs(period.start - reference) < _FAR and period.start.date() != reference.date() and _is_readable(words)


def _is_readable(words: str) -> bool:
    """Whether the words can be a date of another language: English that our rules do not take for one is none."""
    return any(letter.isdigit() for letter in words) or not words.isascii()

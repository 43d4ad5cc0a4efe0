"""What stands around a date and changes it: the end of, two days before, from ... to, since, at 3 pm."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from everfact.dates.periods import Period, day_of, days, nth_weekday, shift, unit_of, week_of, weekend_of
from everfact.dates.scene import Reading, Scene
from everfact.dates.words import NUMBER, ORDINAL, UNIT, WEEKDAY, WEEKDAYS, count, place
from everfact.models import Granularity


class DateRole(StrEnum):
    """What a date says about the thing told: it happened then, or holds from, up to or throughout then."""

    AT = "at"
    DURING = "during"
    SINCE = "since"
    UNTIL = "until"
    BY = "by"
    BEFORE = "before"
    AFTER = "after"


class Phrase(NamedTuple):
    """Words from `first` to `last`, and what they mean."""

    first: int
    last: int
    reading: Reading
    role: DateRole = DateRole.AT


_ROLES = {
    "since": DateRole.SINCE,
    "ever since": DateRole.SINCE,
    "starting": DateRole.SINCE,
    "starting from": DateRole.SINCE,
    "beginning": DateRole.SINCE,
    "as of": DateRole.SINCE,
    "effective": DateRole.SINCE,
    "until": DateRole.UNTIL,
    "till": DateRole.UNTIL,
    "til": DateRole.UNTIL,
    "through": DateRole.UNTIL,
    "up to": DateRole.UNTIL,
    "by": DateRole.BY,
    "no later than": DateRole.BY,
    "before": DateRole.BEFORE,
    "prior to": DateRole.BEFORE,
    "after": DateRole.AFTER,
    **dict.fromkeys(
        ("in", "on", "at", "over", "during", "around", "about", "for", "from", "between", "throughout"), DateRole.AT
    ),
}
_ROLE = re.compile(rf"\b({'|'.join(sorted(_ROLES, key=len, reverse=True))}) (?:the |about |around |at )*$")
_LINK = re.compile(r"\s?(?:(?P<and>,? and)|to|until|till|til|through|thru|up to|[-~]+)\s?(?:the |about )?")
_BETWEEN = re.compile(r"\bbetween (?:the )?$")
_BESIDE = re.compile(r"[ ,(-]+(?:(?:of|on|in|the) )*")
_FLOATS = {"week": 7, "month": 31, "year": 366}
_GRAINS = {"day": Granularity.DAY, "week": Granularity.WEEK, "fortnight": Granularity.WEEK}
_TO_NOW = re.compile(r"\s?(?:and|to|until|till|through|[-~]+)\s?(?:now|present|date|current date|the present)\b")
_FROM_NOW = re.compile(r"\b(?:between|from) (?:now|today) (?:and|to|until|till) (?:the )?$")
_OPEN = re.compile(r" (?:onwards?\b|forward\b|on(?=[.,;!?)]|$))")
_OWN_ROLES = {"since": DateRole.SINCE, "range": DateRole.DURING}
_PARTS = {
    **dict.fromkeys(("early", "beginning of", "start of"), 0),
    **dict.fromkeys(("mid", "middle of"), 1),
    **dict.fromkeys(("late", "end of"), 2),
}
_LENGTH = rf"{NUMBER} {UNIT}s?(?:,? and {NUMBER} {UNIT}s?)*"
_PIECE = re.compile(rf"({NUMBER}) ({UNIT})s?\b")
_CLOCK = r"(?P<H>[01]?[0-9]|2[0-3])(?::(?P<M>[0-5][0-9]))?(?::[0-5][0-9])?(?: ?(?P<half>[ap])\.?m\b\.?)?"
_CLOCK_AFTER = re.compile(rf",? (?:at |@ ?|around |by )?{_CLOCK}(?![\w:/%-]|[.,][0-9])")
_CLOCK_BEFORE = re.compile(rf"(?:\bat )?(?<![\w:.]){_CLOCK},? (?:on )?(?:the )?$")


def compose(found: list[Phrase], scene: Scene) -> list[Phrase]:
    """Dates, in order, together with the words around them that change their meaning.

    What leads beyond the years that a calendar has is left out.
    """
    joined: list[Phrase] = []
    for phrase in found:
        with suppress(ValueError, OverflowError):
            _add(joined, phrase, scene)
    whole: list[Phrase] = []
    for phrase in joined:
        with suppress(ValueError, OverflowError):
            whole.append(_with_role(phrase, scene))
    return [phrase for phrase in whole if phrase.reading.period.start < phrase.reading.period.end]


def _add(joined: list[Phrase], phrase: Phrase, scene: Scene) -> None:
    """One more date after those before it: some are part of it, one may be its other half."""
    whole = _widened(_with_clock(phrase, scene), scene)
    if whole.reading.kind == "bare":
        return
    while joined and joined[-1].last > whole.first:
        joined.pop()
    if joined:
        whole = _told_from(joined[-1], whole, scene)
        if both := _together(joined[-1], whole, scene):
            joined.pop()
            whole = both
    joined.append(whole)


def _with_clock(phrase: Phrase, scene: Scene) -> Phrase:
    """A day and the time of day beside it are one moment."""
    if phrase.reading.period.grain is not Granularity.DAY:
        return phrase
    before = scene.before(phrase.first)
    after, ahead = _CLOCK_AFTER.match(scene.lower, phrase.last), _CLOCK_BEFORE.search(before)
    clock = next((found for found in (after, ahead) if found and (found["M"] or found["half"])), None)
    if clock is None:
        return phrase
    hour = int(clock["H"]) % 12 + 12 * (clock["half"] == "p") if clock["half"] else int(clock["H"])
    start = phrase.reading.period.start.replace(hour=hour, minute=int(clock["M"] or 0))
    length = timedelta(minutes=1) if clock["M"] else timedelta(hours=1)
    first = phrase.first if clock is after else phrase.first - len(before) + clock.start()
    last = clock.end() if clock is after else phrase.last
    return Phrase(first, last, phrase.reading._replace(period=Period(start, start + length, Granularity.INSTANT)))


def _widened(phrase: Phrase, scene: Scene) -> Phrase:
    """Takes in the words before a date as long as there are some that belong to it."""
    while True:
        before = scene.before(phrase.first)
        for pattern, change in _PREFIXES:
            if (match := pattern.search(before)) and (period := change(match, phrase.reading.period)):
                kind = "offset" if change is _offset else "date" if period.grain is Granularity.DAY else ""
                reading = Reading(period, phrase.reading.floats, kind)
                phrase = Phrase(phrase.first - len(before) + match.start(), phrase.last, reading)
                break
        else:
            return phrase


def _part(match: re.Match[str], period: Period) -> Period | None:
    """Early, mid and late are thirds; a day has no parts here."""
    length = (period.end - period.start).days
    if length <= 1:
        return period
    first, last = (
        period.start + timedelta(days=length * third // 3) for third in (_PARTS[match[1]], _PARTS[match[1]] + 1)
    )
    return Period(first, last, period.grain)


def _nth(match: re.Match[str], period: Period) -> Period | None:
    """The last Friday of, the first two weeks of, the 5th of."""
    nth, unit, number = place(match["nth"]), match["unit"], count(match["n"] or "1")
    if nth == 0:
        return None
    if unit is None:
        is_month = (period.end - period.start).days in range(28, 32)
        found = day_of(period.start + timedelta(days=nth - 1)) if is_month and nth > 0 else None
    elif unit in WEEKDAYS:
        found = nth_weekday(period, WEEKDAYS[unit], nth)
    elif unit == "weekend":
        found = days(nth_weekday(period, 5, nth).start, 2)
    else:
        found = _nth_unit(period, unit, nth, number)
    return found if found and period.start <= found.start < found.end <= period.end else None


def _nth_unit(period: Period, unit: str, nth: int, number: int) -> Period:
    """So many days, weeks, months from the nth on, counted from the period's first day or back from its last."""
    grain = _GRAINS.get(unit, Granularity.MONTH)
    if nth > 0:
        start = shift(period.start, nth - 1, unit)
        return Period(start, shift(start, number, unit), grain)
    return Period(shift(period.end, -number, unit), period.end, grain)


def _offset(match: re.Match[str], period: Period) -> Period | None:
    """Two days before, three weeks from, five days starting."""
    moment, sign = period.start, -1 if match["dir"] in {"before", "prior to"} else 1
    for number, unit in _PIECE.findall(match["n"]):
        moment = shift(moment, sign * count(number), unit)
    if match["dir"].startswith("starting") or match["for"]:
        return Period(period.start, moment, Granularity.DAY)
    return day_of(moment)


def _next_to(match: re.Match[str], period: Period) -> Period | None:
    """The Friday before, the week of, the year after."""
    unit, side = match["unit"], match["dir"]
    day = period.start
    if unit == "w/c" or side in {"starting", "beginning", "commencing"}:
        return days(day, 7) if unit in {"w/c", "week"} else None
    if side is None:
        return None
    if side == "of":
        return {"week": week_of, "weekend": weekend_of}[unit](day) if unit in {"week", "weekend"} else None
    step = -1 if side == "before" else 1
    if unit in WEEKDAYS:
        away = (WEEKDAYS[unit] - day.weekday()) % 7
        return day_of(day + timedelta(days=away - 7 if step < 0 else away or 7))
    if unit == "week":
        return days(day - timedelta(days=7) if step < 0 else period.end, 7)
    if unit == "weekend" and step > 0 and day.weekday() < 5:
        return weekend_of(day)
    return unit_of(unit, day, step)


_PREFIXES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Period], Period | None]], ...] = (
    (
        re.compile(rf"\b(?:the )?(?:very )?({'|'.join(sorted(_PARTS, key=len, reverse=True))})[ -](?:in )?(?:the )?$"),
        _part,
    ),
    (
        re.compile(
            rf"\b(?:the )?(?P<nth>{ORDINAL}|last|final)(?: (?P<n>{NUMBER}))?(?: (?P<unit>{WEEKDAY}|{UNIT}))?s? "
            r"(?:of|in) (?:the )?$"
        ),
        _nth,
    ),
    (
        re.compile(
            rf"(?P<for>\bfor )?\b(?P<n>{_LENGTH}),? "
            r"(?P<dir>before|prior to|after|from|following|starting(?: from| on)?) (?:the )?$"
        ),
        _offset,
    ),
    (
        re.compile(
            rf"(?<![\w/])(?:the )?(?P<unit>w/c|{WEEKDAY}|day|week|weekend|month|year)"
            r"(?: (?P<dir>before|after|following|of|starting|beginning|commencing))?(?: on)? (?:the )?$"
        ),
        _next_to,
    ),
)


def _told_from(previous: Phrase, phrase: Phrase, scene: Scene) -> Phrase:
    """Three weeks later, the next day: counted from the date before it, if the text has one."""
    period, floats = phrase.reading.period, phrase.reading.floats
    if floats not in {"after", "before"}:
        return phrase
    start = previous.reading.period.start + (period.start - scene.today)
    moved = Period(start, start + (period.end - period.start), period.grain)
    return phrase._replace(reading=Reading(moved, kind=phrase.reading.kind))


def _together(first: Phrase, second: Phrase, scene: Scene) -> Phrase | None:
    """Two dates side by side that are one: Friday 5 May, Monday next week, from March to May."""
    between = scene.lower[first.last : second.first]
    one, two = first.reading, second.reading
    if _BESIDE.fullmatch(between):
        if one.kind == "weekday" and two.kind == "date":
            return Phrase(first.first, second.last, two)
        if one.kind == "date" and two.kind == "weekday" and between == " (":
            return Phrase(first.first, second.last, one)
        if {one.floats, two.floats} == {"year", ""} and "year" in {one.kind, two.kind}:
            day, year = (one, two) if one.floats else (two, one)
            period = _moved(day.period, "year", not_before=year.period.start)
            return Phrase(first.first, second.last, Reading(period, kind=day.kind))
        if {one.kind, two.kind} in ({"weekday", "week"}, {"weekday", "offset"}):
            day, week = (one, two) if one.kind == "weekday" else (two, one)
            period = nth_weekday(week_of(week.period.start), day.period.start.weekday(), 1)
            return Phrase(first.first, second.last, Reading(period, kind="date"))
    if (link := _LINK.fullmatch(between)) and not (link["and"] and not _BETWEEN.search(scene.before(first.first))):
        return _range(first, second)
    return None


def _range(first: Phrase, second: Phrase) -> Phrase | None:
    """From one to the other, both included. A side that does not say its year, month or week takes the other's."""
    one, two = first.reading, second.reading
    start, end = one.period, two.period
    if two.floats in _FLOATS:
        end = _moved(end, two.floats, not_before=start.start)
    elif one.floats in _FLOATS:
        start = _moved(start, one.floats, not_before=shift(end.start, -1, one.floats) + timedelta(days=1))
    if start.start >= end.end:
        return None
    return Phrase(first.first, second.last, Reading(Period(start.start, end.end, end.grain)), DateRole.DURING)


def _moved(period: Period, unit: str, not_before: datetime) -> Period:
    """The first such day or month that does not begin before a moment."""
    step = (not_before - period.start).days // _FLOATS[unit]
    while shift(period.start, step, unit) < not_before:
        step += 1
    while shift(period.start, step - 1, unit) >= not_before:
        step -= 1
    start, length = shift(period.start, step, unit), period.end - period.start
    end = shift(start, 1, "month") if period.grain is Granularity.MONTH and length.days < 32 else start + length
    return Period(start, end, period.grain)


def _with_role(phrase: Phrase, scene: Scene) -> Phrase:
    """Takes in the preposition and says what it makes of the date."""
    first, last, reading, role = phrase
    before, period = scene.before(first), reading.period
    if scene.lower.startswith(")", last) and "(" in scene.lower[first:last]:
        last += 1
    if match := _FROM_NOW.search(before):
        ahead = Reading(Period(scene.today, period.end, period.grain))
        return Phrase(first - len(before) + match.start(), last, ahead, DateRole.DURING)
    if match := _ROLE.search(before):
        first += match.start() - len(before)
        role = role if role is DateRole.DURING else _ROLES[match[1]]
    if reading.kind in _OWN_ROLES:
        return Phrase(first, last, reading, _OWN_ROLES[reading.kind])
    if role is DateRole.AT and (match := _TO_NOW.match(scene.lower, last)):
        reading = Reading(Period(period.start, scene.today + timedelta(days=1), period.grain))
        return Phrase(first, match.end(), reading, DateRole.SINCE)
    if role is DateRole.AT and (match := _OPEN.match(scene.lower, last)):
        return Phrase(first, match.end(), reading, DateRole.SINCE)
    return Phrase(first, last, reading, role)

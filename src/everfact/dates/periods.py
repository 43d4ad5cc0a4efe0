"""Calendar arithmetic: stretches of time that begin and end at midnight, and how to get from one to another.

Times are naive here; `find_dates` gives them the time zone of its reference. Weeks begin on Monday.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from everfact.models import Granularity

_DAY = timedelta(days=1)
_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_DAYS_IN = {"day": 1, "week": 7, "fortnight": 14, "weekend": 7}
_SECONDS_IN = {"hour": 3600, "minute": 60}


class Period(NamedTuple):
    """A stretch of time: `end` is the first moment after it."""

    start: datetime
    end: datetime
    grain: Granularity


def day_of(moment: datetime) -> Period:
    """The day a moment lies in."""
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return Period(start, start + _DAY, Granularity.DAY)


def days(start: datetime, count: int, grain: Granularity = Granularity.WEEK) -> Period:
    """`count` days from `start` on."""
    return Period(start, start + count * _DAY, grain)


def week_of(day: datetime) -> Period:
    """The week, Monday to Sunday, a day lies in."""
    return days(day - day.weekday() * _DAY, 7)


def weekend_of(day: datetime) -> Period:
    """Saturday and Sunday of the week a day lies in."""
    return days(week_of(day).start + 5 * _DAY, 2)


def months(year: int, month: int, count: int = 1) -> Period:
    """`count` whole months; `month` may lie outside 1 to 12 and then counts on into other years."""
    grain = Granularity.YEAR if count >= 12 else Granularity.MONTH
    return Period(_first(year, month), _first(year, month + count), grain)


def year(number: int) -> Period:
    """A calendar year."""
    return months(number, 1, 12)


def unit_of(unit: str, day: datetime, step: int = 0) -> Period:
    """The day, week, month ... that a day lies in, or the one `step` units later."""
    if unit in _DAYS_IN:
        moved = shift(day, step, unit)
        if unit == "day":
            return day_of(moved)
        return weekend_of(moved) if unit == "weekend" else days(week_of(moved).start, _DAYS_IN[unit])
    size = _MONTHS_IN[unit]
    first = (day.year * 12 + day.month - 1) // size * size + step * size
    return months(0, first + 1, size)


def shift(moment: datetime, count: int, unit: str) -> datetime:
    """`moment` moved by so many units; the 31st becomes the last day of a shorter month."""
    if unit in _SECONDS_IN:
        return moment + timedelta(seconds=count * _SECONDS_IN[unit])
    if unit in _DAYS_IN:
        return moment + count * _DAYS_IN[unit] * _DAY
    target = _first(moment.year, moment.month + count * _MONTHS_IN[unit])
    last = (_first(target.year, target.month + 1) - _DAY).day
    return moment.replace(year=target.year, month=target.month, day=min(moment.day, last))


def nth_weekday(period: Period, weekday: int, nth: int) -> Period:
    """The nth (1 is the first, -1 the last) such weekday inside a period."""
    if nth > 0:
        return day_of(period.start + ((weekday - period.start.weekday()) % 7 + 7 * (nth - 1)) * _DAY)
    last = period.end - _DAY
    return day_of(last - ((last.weekday() - weekday) % 7 + 7 * (-nth - 1)) * _DAY)


def easter(number: int) -> datetime:
    """Easter Sunday of a year (the anonymous Gregorian algorithm, Nature 1876)."""
    century, rest = divmod(number, 100)
    golden = number % 19
    shifted = century - century // 4 - (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + shifted + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return datetime(number, month, day + 1)  # noqa: DTZ001 - naive on purpose, see above


def _first(number: int, month: int) -> datetime:
    """The first of a month, counting on into other years."""
    more, index = divmod(month - 1, 12)
    return datetime(number + more, index + 1, 1)  # noqa: DTZ001 - naive on purpose, see above

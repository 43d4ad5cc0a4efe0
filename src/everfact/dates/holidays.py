"""Days that everyone calls by name, and when they fall. Only those whose date a rule gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from everfact.dates.periods import Period, day_of, easter, months, nth_weekday, weekend_of
from everfact.dates.scene import Reading, Rule, Scene, rule
from everfact.dates.words import YEAR, year_number

_Fall = Callable[[int], datetime]


def _on(month: int, day: int) -> _Fall:
    return lambda number: datetime(number, month, day)  # noqa: DTZ001 - naive within this package


def _nth(month: int, weekday: int, nth: int, more: int = 0) -> _Fall:
    return lambda number: nth_weekday(months(number, month), weekday, nth).start + timedelta(days=more)


def _easter(more: int) -> _Fall:
    return lambda number: easter(number) + timedelta(days=more)


_HOLIDAYS: dict[str, _Fall] = {
    "new year'?s? eve": _on(12, 31),
    "new year'?s?(?: day)?(?! resolution)": _on(1, 1),
    "(?:mlk|martin luther king(?: jr.?)?) day": _nth(1, 0, 3),
    "valentine'?s?(?: day)?": _on(2, 14),
    "presidents'? day": _nth(2, 0, 3),
    "(?:saint|st.?) patrick'?s?(?: day)?": _on(3, 17),
    "april fools?'?s?(?: day)?": _on(4, 1),
    "ash wednesday": _easter(-46),
    "good friday": _easter(-2),
    "easter monday": _easter(1),
    "easter(?: sunday)?": _easter(0),
    "earth day": _on(4, 22),
    "international workers'? day": _on(5, 1),
    "mother'?s'? day": _nth(5, 6, 2),
    "memorial day": _nth(5, 0, -1),
    "juneteenth": _on(6, 19),
    "father'?s'? day": _nth(6, 6, 3),
    "independence day": _on(7, 4),
    "labou?r day": _nth(9, 0, 1),
    "columbus day": _nth(10, 0, 2),
    "halloween": _on(10, 31),
    "veterans day": _on(11, 11),
    "thanksgiving(?: day)?": _nth(11, 3, 4),
    "black friday": _nth(11, 3, 4, 1),
    "cyber monday": _nth(11, 3, 4, 4),
    "(?:christmas|xmas) eve": _on(12, 24),
    "boxing day": _on(12, 26),
    "(?:christmas|xmas)(?: day)?": _on(12, 25),
}
_CUE = re.compile(
    r"\b(?:on|at|for|by|since|until|till|before|after|last|this|next|over|during|around|of|from|following|in|celebrate)"
    r"(?: the| last| next| this| following)? $"
)
_GREETING = re.compile(r"\b(?:happy|merry) $")


def _holiday(match: re.Match[str], scene: Scene) -> Reading | None:
    """Christmas, Thanksgiving 2023, Labor Day weekend; not the Christmas in `a Christmas tree`."""
    before, written = scene.before(match.start()), match["y"] or match["y2"]
    if _GREETING.search(before) or not (written or match["weekend"] or _CUE.search(before)):
        return None
    falls = next(falls for pattern, falls in _HOLIDAYS.items() if re.fullmatch(pattern, match["name"]))
    if written:
        day = falls(year_number(written, scene.now.year))
    else:
        day = _nearest([falls(scene.now.year + step) for step in (-1, 0, 1)], before, scene, match.start())
    return Reading(_around(day) if match["weekend"] else day_of(day), "" if written else "year", "date")


def _nearest(found: list[datetime], before: str, scene: Scene, at: int) -> datetime:
    """The one that the words before or the sentence ask for, else the nearest."""
    if before.endswith(("last ", "previous ")):
        return max(day for day in found if day < scene.today)
    if before.endswith(("next ", "following ", "coming ")):
        return min(day for day in found if day > scene.today)
    return scene.nearest([day_of(day) for day in found], scene.leaning(at)).start


def _around(day: datetime) -> Period:
    """The weekend next to a holiday, up to and with it."""
    weekend = weekend_of(day if day.weekday() >= 3 else day - timedelta(days=3))
    return Period(min(weekend.start, day), max(weekend.end, day + timedelta(days=1)), weekend.grain)


RULES: dict[str, tuple[Rule, ...]] = {
    "holiday": (
        rule(
            rf"\b(?P<name>{'|'.join(_HOLIDAYS)})\b(?:,? (?:of |in )?(?P<y>{YEAR}))?(?P<weekend> weekend)?"
            rf"(?: (?:of |in )?(?P<y2>{YEAR}))?",
            _holiday,
        ),
    )
}

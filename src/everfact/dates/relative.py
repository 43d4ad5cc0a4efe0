"""Times told from now: last week, two days ago, in three months, the past few years, for two years now."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from everfact.dates.periods import Period, day_of, days, shift, unit_of, weekend_of
from everfact.dates.scene import Reading, Rule, Scene, rule
from everfact.dates.words import NUMBER, UNIT, count
from everfact.models import Granularity

_VAGUE = re.compile(r"few|several")
_PIECE = re.compile(rf"({NUMBER}) ({UNIT})s?\b")
_VERB = re.compile(r"(?:\b(?:to|will|can|could|should|would|may|might|not)|n't|'ll) $")
"""What stands before the verb in `it may last two weeks`."""
_BACK = {"last", "past", "previous"}
_AROUND_TODAY = {"this": 0, "current": 0, "last": -1, "past": -1, "previous": -1}
_GRAINS = {
    "day": Granularity.DAY,
    "week": Granularity.WEEK,
    "fortnight": Granularity.WEEK,
    "weekend": Granularity.WEEK,
    "month": Granularity.MONTH,
    "quarter": Granularity.MONTH,
}


def _unit(match: re.Match[str], scene: Scene) -> Reading | None:
    """Last week, this month, next year. Last week is the seven days before today: so people use it in talk."""
    unit, step = match["unit"], _step(match["mod"])
    if unit in {"morning", "afternoon", "evening", "night"}:
        return (
            Reading(day_of(scene.today + timedelta(days=step)), kind="date")
            if match["mod"] in {"this", "last"}
            else None
        )
    if unit == "day":
        is_next = match["mod"] in {"next", "following"} and match["the"]
        return Reading(unit_of("day", scene.today, 1), "after", "date") if is_next else None
    if unit == "weekend":
        return Reading(_weekend(step, match, scene), kind="week")
    if step < 0 and (unit in {"week", "fortnight"} or (match["the"] and unit in {"month", "year"})):
        return Reading(
            Period(shift(scene.today, -1, unit), scene.today, _GRAINS.get(unit, Granularity.YEAR)), kind=unit
        )
    return Reading(unit_of(unit, scene.today, step), kind=unit)


def _step(modifier: str) -> int:
    return _AROUND_TODAY.get(modifier.removeprefix("this ") if modifier != "this" else modifier, 1)


def _weekend(step: int, match: re.Match[str], scene: Scene) -> Period:
    """Told as past on a Monday, this weekend is the one just gone."""
    if step == 0 and scene.today.weekday() < 5 and scene.leaning(match.start("unit")) < 0:
        step = -1
    return weekend_of(shift(scene.today, step, "week"))


def _stretch(match: re.Match[str], scene: Scene) -> Reading | None:
    """The last three months, the past few days, the next two weeks; quarters and decades are whole ones."""
    number, unit, today = count(match["n"]), match["unit"], scene.today
    if _VERB.search(scene.before(match.start())):
        return None
    is_back = match["mod"].removeprefix("this ") in _BACK
    if unit in {"hour", "minute"}:
        return None
    grain = _GRAINS.get(unit, Granularity.YEAR)
    if unit in {"quarter", "decade", "century"}:
        first = unit_of(unit, today, -number if is_back else 1)
        last = unit_of(unit, today, -1 if is_back else number)
        return Reading(Period(first.start, last.end, grain))
    if match["work"]:
        return Reading(_working_days(number, is_back, scene))
    if is_back:
        return Reading(Period(shift(today, -number, unit), today, grain))
    tomorrow = today + timedelta(days=1)
    return Reading(Period(tomorrow, shift(tomorrow, number, unit), grain))


def _working_days(number: int, is_back: bool, scene: Scene) -> Period:
    """So many days that are no Saturday or Sunday, not counting today."""
    day, step = scene.today, timedelta(days=-1 if is_back else 1)
    while number:
        day += step
        number -= day.weekday() < 5
    edges = (day, scene.today) if is_back else (scene.today + step, day + step)
    return Period(*edges, Granularity.DAY)


def _ago(match: re.Match[str], scene: Scene) -> Reading | None:
    """Two days ago, three weeks from now. Told in months it is that month, told in years that year."""
    is_back = match["dir"] in {"ago", "back", "earlier"}
    floats = {"later": "after", "earlier": "before"}.get(match["dir"], "")
    return Reading(_away(match["n"], scene, is_back=is_back), floats, "offset")


def _away(length: str, scene: Scene, *, is_back: bool) -> Period:
    """The day, week, month or year that lies so far away; a few of them away it is one of three."""
    pieces = [(count(number), unit) for number, unit in _PIECE.findall(length)]
    unit = pieces[-1][1]
    moment = scene.now if unit in {"hour", "minute"} else scene.today
    for number, piece in pieces:
        moment = shift(moment, -number if is_back else number, piece)
    if not _VAGUE.search(length):
        return _about(moment, unit, is_back)
    farther, nearer = (_about(shift(moment, step, unit), unit, is_back) for step in (-1, 1))
    return Period(farther.start, nearer.end, nearer.grain)


def _about(moment: datetime, unit: str, is_back: bool) -> Period:
    """What `N units away` means: that day, week, month or year."""
    if unit in {"hour", "minute"}:
        return Period(moment, shift(moment, 1, unit), Granularity.INSTANT)
    if unit in {"week", "fortnight"}:
        return days(moment, 7) if is_back else day_of(moment)
    return unit_of(unit, moment)


def _in(match: re.Match[str], scene: Scene) -> Reading | None:
    """In two weeks, within three months: only of what is to come; `done in two weeks` says how long it took."""
    if scene.leaning(match.start()) <= 0:
        return None
    if match["w"] == "within":
        number, unit = _PIECE.findall(match["n"])[0]
        return Reading(
            Period(scene.today, shift(scene.today, count(number), unit), _GRAINS.get(unit, Granularity.YEAR))
        )
    return Reading(_away(match["n"], scene, is_back=False))


def _lasting(match: re.Match[str], scene: Scene) -> Reading | None:
    """I've had it for three years: true since then."""
    return Reading(_away(match["n"], scene, is_back=True), kind="since")


def _before_last(match: re.Match[str], scene: Scene) -> Reading | None:
    """The week before last, the year after next."""
    return Reading(unit_of(match["unit"], scene.today, -2 if match["last"] else 2), kind=match["unit"])


def _part_of_running(match: re.Match[str], scene: Scene) -> Reading | None:
    """Earlier this week, later this year, the rest of the month."""
    period = unit_of(match["unit"] or match["rest"], scene.today)
    if match["early"]:
        end = scene.today if scene.today > period.start else period.end
        return Reading(Period(period.start, end, period.grain))
    return Reading(Period(scene.today, period.end, period.grain))


def _running(match: re.Match[str], scene: Scene) -> Reading | None:
    """`The month` in `the end of the month`; means nothing without the words before it."""
    return Reading(unit_of(match["unit"], scene.today), kind="bare")


def _other_day(_match: re.Match[str], scene: Scene) -> Reading | None:
    """The other day: a few days ago."""
    return Reading(days(scene.today - timedelta(days=4), 3))


def _over_weekend(match: re.Match[str], scene: Scene) -> Reading | None:
    return Reading(_weekend(0, match, scene), kind="week")


_WORK = "(?:calendar |working |business |work |school )?"
_LONG = rf"{NUMBER} (?:week|month|year)s?(?: and {NUMBER} (?:week|month)s?)?"
_WORKING = "(?P<work>(?:working|business) )?"
_MODIFIERS = "this past|this coming|last|past|previous|this|current|next|coming|upcoming|following"
_NOUNS = "(?:day|week|fortnight|weekend|month|quarter|year|decade|century|night|morning|afternoon|evening)"
_ABOUT = "(?:about |around |roughly |almost |nearly |over |more than |at least |just |only |some |the )?"
_PERFECT = (
    r"(?:\b(?:have|has)|'(?:ve|s)) (?:\w+ly |also |just |always |now |not )?"
    r"(?:been|had|known|kept|made|run|held|led|done|seen|used|\w{2,}ed)\b|(?:^|[.!?,-] )been\b"
)
RULES: dict[str, tuple[Rule, ...]] = {
    "unit": (
        rule(rf"\b(?P<the>the )?(?P<mod>{_MODIFIERS}) {_WORK}(?P<unit>{_NOUNS})\b(?! of\b)", _unit),
        rule(
            rf"\b(?:the )?(?P<mod>{_MODIFIERS}) (?P<n>{NUMBER}) {_WORKING}(?P<unit>{UNIT})s?\b(?! of\b)",
            _stretch,
        ),
        rule(
            rf"\b(?:the )?(?P<n>{NUMBER}) (?P<mod>{_MODIFIERS}) {_WORKING}(?P<unit>{UNIT})s\b",
            _stretch,
        ),
        rule(
            rf"\b(?<!last )(?<!past )(?<!next ){_ABOUT}"
            rf"(?P<n>{NUMBER} {UNIT}s?(?:(?:,? and |,? ){NUMBER} {UNIT}s?){{0,3}})"
            r" (?P<dir>ago|back|from now|hence|later|earlier)\b",
            _ago,
        ),
        rule(
            rf"\b(?P<w>in|within)(?: the)?(?: next)? {_ABOUT}(?P<n>{NUMBER} (?:day|week|month|year|decade)s?)\b"
            r"(?! (?:of|since)\b)",
            _in,
        ),
        rule(
            rf"(?:{_PERFECT})[^.!?\n]{{0,60}}?"
            rf"(?P<at>\bfor {_ABOUT}(?P<n>{_LONG})(?: now)?)\b(?! (?:ago|from|starting|before|after))",
            _lasting,
        ),
        rule(rf"\b(?:for )?{_ABOUT}(?P<n>{_LONG}) now\b", _lasting),
        rule(
            r"\b(?:the )?(?P<unit>week|weekend|month|quarter|year) (?:(?P<last>before last)|after next)\b", _before_last
        ),
        rule(
            r"\b(?:(?P<early>earlier)|later) (?:this|in the|that) (?P<unit>week|month|quarter|year)\b|"
            r"\b(?:the )?(?:rest|remainder|remaining) of (?:the|this) (?P<rest>week|month|quarter|year)\b",
            _part_of_running,
        ),
        rule(r"(?<=\bof )(?:the )?(?P<unit>day|week|month|quarter|year)\b", _running),
        rule(r"\bthe other day\b", _other_day),
        rule(r"\b(?:over|at|on|for|during) (?P<at>the (?P<unit>weekend))\b(?! of\b)", _over_weekend),
    ),
}

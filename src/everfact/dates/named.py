"""Dates with a name in them: 5 May 2024, in June, last Friday, tomorrow, next summer, Christmas Eve."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from everfact.dates.numeric import nearest_day
from everfact.dates.periods import day_of, days, months, unit_of
from everfact.dates.scene import Reading, Rule, Scene, rule
from everfact.dates.words import (
    DAY_WORDS,
    FOREIGN_MONTH,
    FOREIGN_MONTHS,
    MONTH,
    MONTHS,
    ORDINAL,
    SEASON,
    SEASONS,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    place,
    year_number,
)
from everfact.models import Granularity

_BACK = {"last", "past", "this past", "previous"}
_AHEAD = {"next", "coming", "this coming", "upcoming", "following"}
_MODIFIER = "(?:(?P<mod>this past|this coming|last|past|previous|this|next|coming|upcoming|following) )?"
_AMBIGUOUS = {"march", "april", "may", "june", "august", *(name for name in MONTHS if len(name) < 5)} - {"july"}
"""Also verbs, names of people or abbreviations: alone they are months only where the words around them say so."""

_MONTH_CUE = re.compile(
    r"\b(?:in|since|until|till|by|from|starting|during|early|late|mid|last|next|this|through|between|before|after|around|"
    r"coming|past|previous|of|following)[ -](?:the )?"
    rf"(?:{MONTH}\.?(?: [0-9]{{1,2}}| {YEAR})?(?:,| ?(?:to|and|or|-)) ?)*$"
    rf"|\b{MONTH}\.?(?: [0-9]{{1,2}}| {YEAR})? ?(?:to|through|until|till|-) ?$"
)
_MONTH_RANGE = re.compile(rf"\.? ?(?:to|through|until|till|-) ?{MONTH}\b")
_DATE_CUE = re.compile(rf"\b(?:on|by|since|until|till|from|before|after|{WEEKDAY},?) (?:the )?$")
_RECURRING = re.compile(r"\b(?:every|each|any|some|most|all)(?: other| single)? $")
_SHORT_DAY_CUE = re.compile(r"\b(?:on|by|since|until|till|or|and|from|to|of|week|for|before|after)(?: the)? $")


def _month_date(match: re.Match[str], scene: Scene) -> Reading | None:
    """May 5th, 5 May, May 5, 2024; lower-case `may 5` and `5 may` only where nothing else can be meant."""
    name, written = match["m"], match["d"]
    is_sure = match["y"] or not written[0].isdigit() or not written[-1].isdigit() or " of " in match[0]
    is_sure = is_sure or name not in {"may", "march"} or scene.is_capital(match.start("m"))
    if not is_sure and not _DATE_CUE.search(scene.before(match.start())):
        return None
    day = int(written) if written.isdigit() else place(written)
    if not match["y"]:
        return nearest_day(MONTHS[name], day, scene, match.start())
    number = year_number(match["y"], scene.now.year)
    return Reading(day_of(datetime(number, MONTHS[name], day)), kind="date")  # noqa: DTZ001 - naive within this package


def _month_days(match: re.Match[str], scene: Scene) -> Reading | None:
    """May 5-7, from the 3rd to the 12th of May: two days of one month, and all between."""
    first, last = (int(written) if written.isdigit() else place(written) for written in (match["d"], match["e"]))
    is_and = match["link"] in {"and", "or"}
    if first >= last or (
        is_and and last - first > 1 and not scene.before(match.start()).endswith(("between ", "between the "))
    ):
        return None
    if match["y"]:
        number = year_number(match["y"], scene.now.year)
        start = datetime(number, MONTHS[match["m"]], first)  # noqa: DTZ001 - naive within this package
        return Reading(days(start, last - first + 1, Granularity.DAY), kind="range")
    start = nearest_day(MONTHS[match["m"]], first, scene, match.start()).period.start
    return Reading(days(start, last - first + 1, Granularity.DAY), "year", "range")


def _month_year(match: re.Match[str], scene: Scene) -> Reading | None:
    return Reading(months(year_number(match["y"], scene.now.year), MONTHS[match["m"]]))


def _month(match: re.Match[str], scene: Scene) -> Reading | None:
    """June: the one the sentence looks back at or ahead to, else the nearest."""
    name, before = match["m"], scene.before(match.start("m"))
    if name in _AMBIGUOUS and not _MONTH_CUE.search(before) and not _MONTH_RANGE.match(scene.lower, match.end()):
        return None
    if _RECURRING.search(before):
        return None
    cue = "since" if before.endswith("since ") else "by" if before.endswith("by ") else ""
    return _nearest_months(MONTHS[name], 1, match["mod"] or cue, scene, match.start())


def _nearest_months(month: int, count: int, modifier: str, scene: Scene, at: int) -> Reading:
    """A month or season without a year: the running one counts for both directions, but not for `last` and `next`."""
    around = [months(scene.now.year + step, month, count) for step in (-2, -1, 0, 1, 2)]
    if modifier in _BACK:
        return Reading([period for period in around if period.end <= scene.today][-1])
    if modifier in _AHEAD:
        return Reading(next(period for period in around if period.start > scene.today))
    if modifier == "this":
        return Reading(around[2])
    leaning = {"since": -1, "by": 1}.get(modifier) or scene.leaning(at)
    return Reading(scene.nearest(around, leaning), "year")


def _season(match: re.Match[str], scene: Scene) -> Reading | None:
    """Last summer, in the fall, winter 2022; a bare `fall` or `spring` is none."""
    start, modifier = SEASONS[match["s"]], match["mod"] or ""
    if match["y"]:
        return Reading(months(year_number(match["y"], scene.now.year), start, 3))
    if not match["cue"] and modifier in {"", "the"}:
        return None
    return _nearest_months(start, 3, modifier or match["cue"], scene, match.start("s"))


def _weekday(match: re.Match[str], scene: Scene) -> Reading | None:
    """Last Friday, next Friday, on Friday: never more than a week away."""
    name, modifier, before = match["wd"], match["mod"] or "", scene.before(match.start())
    if _RECURRING.search(before) or match["plural"]:
        return None
    if not name.endswith("day") and not modifier and not _SHORT_DAY_CUE.search(before):
        return None
    if not name.endswith("day") and modifier not in {"last", "next"} and not scene.is_capital(match.start("wd")):
        return None
    ahead = (WEEKDAYS[name] - scene.today.weekday()) % 7
    if modifier in _BACK or (modifier not in _AHEAD and _looks_back(before, match, scene)):
        step = ahead - 7
    else:
        step = ahead or (7 if modifier in _AHEAD else 0)
    return Reading(day_of(scene.today + timedelta(days=step)), "week", "weekday")


def _looks_back(before: str, match: re.Match[str], scene: Scene) -> bool:
    if before.endswith("since "):
        return True
    return not before.endswith(("by ", "due ")) and scene.leaning(match.start("wd")) < 0


def _day_word(match: re.Match[str], scene: Scene) -> Reading | None:
    """Today, yesterday morning, the day before yesterday, tomorrow."""
    step = DAY_WORDS[match["w"]]
    if match["more"]:
        step += -1 if match["more"] == "before" else 1
    return Reading(day_of(scene.today + timedelta(days=step)), kind="date")


def _end_of(match: re.Match[str], scene: Scene) -> Reading | None:
    """EOW, EOM, EOY: the last day of the week's work, of the month, of the year."""
    unit = {"w": "week", "m": "month", "y": "year"}[match[1]]
    last = unit_of(unit, scene.today).end - timedelta(days=3 if unit == "week" else 1)
    return Reading(day_of(last))


def _foreign(match: re.Match[str], scene: Scene) -> Reading | None:
    """5. März 2024, 5 de mayo, janvier 2024."""
    month = FOREIGN_MONTHS[match["m"]]
    if match["d"] and match["y"]:
        return Reading(day_of(datetime(int(match["y"]), month, int(match["d"]))), kind="date")  # noqa: DTZ001
    if match["d"]:
        return nearest_day(month, int(match["d"]), scene, match.start())
    return Reading(months(int(match["y"]), month)) if match["y"] else None


_DAY = rf"(?P<d>{ORDINAL}|0?[1-9]|[12][0-9]|3[01])(?![0-9%]|[.,:][0-9]| ?[ap]m\b)"
_LAST_DAY = _DAY.replace("<d>", "<e>")
_TO = r" ?(?P<link>to|through|thru|till|until|and|or|-) ?(?:the )?"
_YEAR = rf"(?P<y>{YEAR}|'[0-9]{{2}}|(?<=of )[0-9]{{2}}|(?<=/)[0-9]{{2}})\b"
_SEP = r"(?:[-/]|\.?,? )"
_YEAR_SEP = r"(?:[-/]| ?, ?| )(?:of |in )?"
RULES: dict[str, tuple[Rule, ...]] = {
    "month": (
        rule(rf"\b(?P<m>{MONTH})\b{_SEP}(?:the )?{_DAY}(?:{_YEAR_SEP}{_YEAR})?", _month_date),
        rule(rf"\b(?P<m>{MONTH})(?P<d>[0-3]?[0-9])(?: ?, ?{_YEAR}|\b)", _month_date),
        rule(rf"\b{_DAY}(?: day)?(?: of |{_SEP})(?P<m>{MONTH})\b\.?(?:{_YEAR_SEP}{_YEAR})?", _month_date),
        rule(rf"\b(?P<y>{YEAR}){_SEP}(?P<m>{MONTH})\b{_SEP}{_DAY}", _month_date),
        rule(rf"\b(?P<m>{MONTH})\b\.? (?:the )?{_DAY}{_TO}{_LAST_DAY}(?:{_YEAR_SEP}{_YEAR})?", _month_days),
        rule(rf"\b{_DAY}{_TO}{_LAST_DAY}(?: of)? (?P<m>{MONTH})\b\.?(?:{_YEAR_SEP}{_YEAR})?", _month_days),
        rule(rf"\b(?P<m>{MONTH})\b\.?{_YEAR_SEP}{_YEAR}", _month_year),
        rule(rf"\b(?P<y>{YEAR}){_SEP}(?P<m>{MONTH})\b", _month_year),
        rule(rf"\b{_MODIFIER}(?P<m>{MONTH})\b", _month),
    ),
    "weekday": (
        rule(
            rf"\b{_MODIFIER}(?P<wd>{WEEKDAY})(?P<plural>s|(?: \w+)?(?: morning| afternoon| evening| night)s)?\b",
            _weekday,
        ),
    ),
    "season": (
        rule(
            r"(?:\b(?P<cue>in|during|over|since|until|till|by|(?:end|middle|beginning|start) of|early|late|mid)[ -])?"
            rf"(?P<at>\b(?:(?P<mod>this past|last|past|previous|this|next|coming|the) )?(?P<s>{SEASON})\b"
            rf"(?! (?:boot|framework|security|cloud|mvc|months|days?|nights|evenings)\b)(?:(?: of|,)? {_YEAR})?)",
            _season,
        ),
    ),
    "dayword": (
        rule(
            rf"\b(?:(?:the )?day (?P<more>before|after) )?(?P<w>{'|'.join(DAY_WORDS)})\b"
            r"(?: (?:early |late )?(?:morning|afternoon|evening|night)|'hui)?",
            _day_word,
        ),
        rule(r"\beo([wmy])\b", _end_of),
    ),
    "foreign": (
        rule(
            rf"\b(?:(?P<d>[0-9]{{1,2}})(?:\.|er|º)? (?:de )?)?(?P<m>{FOREIGN_MONTH})\b(?: (?:de |del )?(?P<y>{YEAR}))?",
            _foreign,
        ),
    ),
}

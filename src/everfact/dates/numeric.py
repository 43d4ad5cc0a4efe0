"""Dates written with digits: 2024-03-04, 3/4/2024, 4.3.2024, 20240304, 2019, 1990s, Q3 2019, on the 5th."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from everfact.dates.periods import Period, day_of, days, months, week_of, year
from everfact.dates.scene import Reading, Rule, Scene, rule
from everfact.dates.words import ORDINAL_WORD, SPOKEN_YEAR, WEEKDAY, WEEKDAYS, place, year_number
from everfact.models import Granularity

LOOKS_LIKE_DATE = re.compile(
    r"[12][0-9]{3}|[0-9][-/.][0-9]|[0-9](?:st|nd|rd|th|0'?s)\b|day,? (?:the )?[0-9]|t(?:ie|he)"
)
_WHOLE_YEAR = r"(?:19|20|21)[0-9]{2}"
_LINK = r"(?:to|through|thru|till|until|-|~)"
_SHORT_CUE = re.compile(
    rf"(?:\b(?:on|since|until|till|due|dated|from|between|this|next|starting|{WEEKDAY},?) ?"
    r"(?:[0-9]+/[0-9]+(?:,|,? (?:and|or|to|through)| ?-) ?)*|[0-9]/[0-9]{4} ?- ?)$"
)
_WEEKDAY_CUE = re.compile(rf"\b{WEEKDAY},? $")
_DEADLINE_CUE = re.compile(r"\b(?:by|before|after|to) $")
_DAY_CUE = re.compile(rf"\b(?:on|by|since|until|till|before|after|from|to|through|between|and|{_LINK}) (?:the )?$")
_YEAR_CUE = re.compile(r"\b(?:in|since|until|till|during|before|after|year|early|mid|late|between|circa)[ -]$|[(=]$|^$")
_WEAK_YEAR_CUE = re.compile(
    r"\b(?:of|by|from|to|for|through|around|about|than) (?:the )?$"
    r"|(?<![0-9])[12][0-9]{3}(?:,| ?(?:and|or|to|through|till|until|but not|-|~))+ ?$"
)
_YEAR_RANGE = re.compile(rf" ?{_LINK} ?(?:{_WHOLE_YEAR}\b|present\b|now\b|today\b)")
_COUNTED = re.compile(
    r"\s*(?:%|percent|usd|eur|dollars?|euros?|pounds?|miles|km|kg|[kmg]b|ms|bytes?|px|words|people|users|rows|lines|items|"
    r"tokens|requests|records|files|times|steps|points|hours|minutes|seconds|days|weeks|months|years|calories|feet|units|"
    r"tests|entries|messages|characters|customers|students|employees|copies|pages)\b"
)
_PLURAL = re.compile(r" (?!this|was|has|plus|its|is|as)[a-z]{2,}s\b")
_AFTER_DAY = (
    r"(?=\s*(?:$|[^\w\s]|(?:and|or|at|in|with|for|to|till|until|through|of|i|we|he|she|it|they|because|but|so|which|when|"
    r"that|then|my|our|as|if|while|before|after|from|morning|afternoon|evening|night)\b))(?![^.]{0,24}\bcentur)"
)


def _iso(match: re.Match[str], scene: Scene) -> Reading | None:
    """2024-03-04, and with a time of day its moment."""
    day = datetime(int(match["y"]), int(match["m"]), int(match["d"]))  # noqa: DTZ001 - naive within this package
    if not match["H"]:
        return Reading(day_of(day), kind="date")
    moment = day.replace(hour=int(match["H"]), minute=int(match["M"]), second=int(match["S"] or 0))
    length = timedelta(seconds=1) if match["S"] else timedelta(minutes=1)
    if match["zone"]:
        moment = _moved(moment, match["zone"], scene)
    return Reading(Period(moment, moment + length, Granularity.INSTANT))


def _moved(moment: datetime, zone: str, scene: Scene) -> datetime:
    """A moment told in another zone, in that of the reference."""
    if zone != "z":
        hours, minutes = int(zone[1:3]), int(zone[-2:])
        ahead = timedelta(hours=hours, minutes=minutes)
        moment = moment - ahead if zone[0] == "+" else moment + ahead
    return moment.replace(tzinfo=UTC).astimezone(scene.zone).replace(tzinfo=None)


def _iso_month(match: re.Match[str], _scene: Scene) -> Reading | None:
    return Reading(months(int(match[1]), _within(match[2], 12)))


def _iso_week(match: re.Match[str], _scene: Scene) -> Reading | None:
    """2024-W05; week 3 of 2024. The first ISO week is the one with 4 January in it."""
    number, week = int(match["y"] or match["y2"]), _within(match["w"] or match["w2"], 53)
    first = week_of(datetime(number, 1, 4)).start  # noqa: DTZ001
    return Reading(days(first + timedelta(weeks=week - 1), 7), kind="week")


def _slashed(match: re.Match[str], scene: Scene) -> Reading | None:
    """3/4/2024 is 4 March as in the US, unless that cannot be; with dots the day comes first."""
    first, second = int(match["a"]), int(match["b"])
    if match["sep"] == "." or first > 12:
        first, second = second, first
    return Reading(day_of(datetime(year_number(match["y"], scene.now.year), first, second)), kind="date")  # noqa: DTZ001


def _slashed_short(match: re.Match[str], scene: Scene) -> Reading | None:
    """10/25 after a word that asks for a date; else it may be a fraction, a score or round the clock."""
    before, (first, second) = scene.before(match.start()), (int(match["a"]), int(match["b"]))
    is_plain = max(first, second) > 12 or match["a"][0] == "0"
    if match["sep"] == "/":
        is_asked_for = _SHORT_CUE.search(before) or (is_plain and _DEADLINE_CUE.search(before))
    else:
        is_asked_for = _WEEKDAY_CUE.search(before)
    if not is_asked_for:
        return None
    return nearest_day(*((second, first) if first > 12 else (first, second)), scene, match.start())


def nearest_day(month: int, day: int, scene: Scene, at: int) -> Reading:
    """A day of a month without a year: the one before or after now, as the sentence has it, else the nearer one."""
    found = []
    for number in range(scene.now.year - 8, scene.now.year + 9):  # 29 February is up to eight years away
        try:
            found.append(datetime(number, month, day))  # noqa: DTZ001
        except ValueError:
            continue
    return Reading(scene.nearest([day_of(date) for date in found], scene.leaning(at)), "year", "date")


def _year(match: re.Match[str], scene: Scene) -> Reading | None:
    """A year, where the words around it ask for one: 2077 in the name of a game is none."""
    before, after = scene.before(match.start()), scene.lower[match.end() : match.end() + 24]
    if not _YEAR_RANGE.match(after):
        if _COUNTED.match(after):
            return None
        if not _YEAR_CUE.search(before) and (_PLURAL.match(after) or not _WEAK_YEAR_CUE.search(before)):
            return None
    return Reading(year(year_number(match[0], scene.now.year)))


def _decade(match: re.Match[str], scene: Scene) -> Reading | None:
    """The 1990s, the 90s, the nineties."""
    if match["word"]:
        digits = {"twent": 20, "thirt": 30, "fort": 40, "fift": 50, "sixt": 60, "sevent": 70, "eight": 80, "ninet": 90}
        number = 1900 + digits[match["word"][:-3]]
    elif match["short"]:
        number = year_number(match["short"], scene.now.year - 10)
    else:
        number = int(match["long"])
    return Reading(months(number, 1, 120))


def _century(match: re.Match[str], _scene: Scene) -> Reading | None:
    return Reading(months(place(match[1]) * 100 - 100, 1, 1200))


def _quarter(match: re.Match[str], scene: Scene) -> Reading | None:
    """Q3 2019, 2019-H2; without a year, Q3 of this one. `<h1>` is a heading, and q1 a name in a program."""
    written = match["before"] or match["after"]
    if not written and (match["part"] == "h" or not scene.is_capital(match.start("part"))):
        return None
    size = 3 if match["part"] == "q" else 6
    number = _within(match["n"], 12 // size)
    when = int(written) if written else scene.now.year
    return Reading(months(when, (number - 1) * size + 1, size), "" if written else "year")


def _day_of_month(match: re.Match[str], scene: Scene) -> Reading | None:
    """On the 5th: of this month, or the one before or after if the sentence says so; Tuesday the 5th must be one."""
    if not match["wd"] and not _DAY_CUE.search(scene.before(match.start())):
        return None
    day = place(match["d"])
    found = [day_of(moment) for moment in _same_days(day, scene) if match["wd"] is None or _is_on(moment, match["wd"])]
    return Reading(scene.nearest(found, scene.leaning(match.start("d"))), "month", "date") if found else None


def _is_on(moment: datetime, name: str) -> bool:
    return moment.weekday() == WEEKDAYS[name]


def _same_days(day: int, scene: Scene) -> list[datetime]:
    """That day of the months around now."""
    found = []
    for step in range(-12, 13):
        first = months(scene.now.year, scene.now.month + step).start
        if (date := first + timedelta(days=day - 1)).month == first.month:
            found.append(date)
    return found


def _within(digits: str, most: int) -> int:
    """A number from 1 to `most`.

    Raises:
        ValueError: it is not.
    """
    if not 1 <= int(digits) <= most:
        raise ValueError(digits)
    return int(digits)


_CLOCK = r"(?P<H>[0-9]{2}):(?P<M>[0-9]{2})(?::(?P<S>[0-9]{2})(?:[.,][0-9]+)?)?\s?(?P<zone>z\b|[+-][0-9]{2}:?[0-9]{2})?"
RULES: dict[str, tuple[Rule, ...]] = {
    "number": (
        rule(
            rf"(?<![0-9])(?P<y>{_WHOLE_YEAR})(?P<sep>[-/.]?)(?P<m>0[1-9]|1[0-2])(?P=sep)(?P<d>[0-3][0-9])"
            rf"(?:[t ]{_CLOCK})?(?![0-9])",
            _iso,
        ),
        rule(
            rf"(?<![\w.])(?P<y>{_WHOLE_YEAR})(?P<sep>[-/ ])(?P<m>1[0-2]|0?[1-9])(?P=sep)(?P<d>[0-3]?[0-9])"
            rf"(?:[t ]{_CLOCK})?(?![\w/-])",
            _iso,
        ),
        rule(
            rf"(?<![0-9])(?P<y>{_WHOLE_YEAR})\s?年\s?(?P<m>[0-9]{{1,2}})\s?月\s?(?P<d>[0-9]{{1,2}})\s?日(?:\s?{_CLOCK})?",
            _iso,
        ),
        rule(rf"(?<![\w./-])({_WHOLE_YEAR})[-/](0[1-9]|1[0-2])(?![\w/-])", _iso_month),
        rule(
            rf"\b(?P<y>{_WHOLE_YEAR})-?w(?P<w>[0-9]{{2}})\b"
            rf"|\bweek (?P<w2>[0-9]{{1,2}}) (?:of|in) (?P<y2>{_WHOLE_YEAR})\b",
            _iso_week,
        ),
        rule(
            r"(?<![\w./])(?P<a>[0-3]?[0-9])(?P<sep>[-/.])(?P<b>[0-3]?[0-9])"
            r"(?:(?P=sep)|, ?)(?P<y>(?:1[5-9]|20|21)[0-9]{2}|(?<=/)[0-9]{2})(?![\w/]|\.[0-9])",
            _slashed,
        ),
        rule(r"(?<![\w./$€£-])(?P<a>[0-3]?[0-9])(?P<sep>[-/.])(?P<b>[0-3]?[0-9])(?![\w/%]|[.,:][0-9])", _slashed_short),
        rule(rf"(?<![\w$€£#.,:/@])(?:{_WHOLE_YEAR})(?![\w$%]|[.,:/][0-9])", _year),
        rule(
            r"\b(?P<long>(?:1[5-9]|20)[0-9]0) ?'?s\b"
            r"|(?:\bthe |\b(?:early|mid|late)[ -]|')'?(?P<short>[2-9]0) ?'?s\b"
            r"|\b(?:the|early|mid|late|in|during)[ -](?P<word>(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies)\b",
            _decade,
        ),
        rule(rf"(?:\b(?P<wd>{WEEKDAY}),? (?:the )?)?\b(?P<d>[0-9]{{1,2}}(?:st|nd|rd|th)){_AFTER_DAY}", _day_of_month),
        rule(rf"\b(?P<wd>{WEEKDAY}),? (?P<d>[0-9]{{1,2}})(?=[.!?,;)](?![0-9])|$)", _day_of_month),
    ),
    "weekday": (rule(rf"\b(?P<wd>{WEEKDAY}),? the (?P<d>{ORDINAL_WORD}){_AFTER_DAY}", _day_of_month),),
    "unit": (rule(r"\b([0-9]{1,2}(?:st|nd|rd|th))\s+century\b(?! b\.?c)", _century),),
    "half": (
        rule(
            rf"\b(?:(?P<before>{_WHOLE_YEAR})[ -]?)?(?P<part>[qh])(?P<n>[1-4])"
            rf"(?:[ /-]?(?:of |in )?(?P<after>{_WHOLE_YEAR}))?\b",
            _quarter,
        ),
    ),
    "spoken": (rule(rf"\b{SPOKEN_YEAR}\b", _year),),
}

"""The English words for times, as tables and as pieces of regular expressions over lower-case text."""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


MONTHS = {
    name[:size]: number
    for number, name in enumerate(
        _words("january february march april may june july august september october november december"), 1
    )
    for size in {3, len(name)}
} | {"sept": 9}
WEEKDAYS = {
    name[:size]: number
    for number, name in enumerate(_words("monday tuesday wednesday thursday friday saturday sunday"))
    for size in {3, len(name)}
} | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Each lasts three months, from the first of this one on."""

_SMALL = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = _words(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_COUNTS = (
    {word: number for number, word in enumerate(_SMALL)}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 3, "dozen": 12, "hundred": 100, "thousand": 1000}
)
_PLACES = (
    {word: number for number, word in enumerate(_ORDINALS)}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | {"twentieth": 20, "thirtieth": 30}
)


def _any(words: list[str] | dict[str, int]) -> str:
    """An alternation, longest word first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


MONTH = _any(MONTHS)
WEEKDAY = _any(WEEKDAYS)
SEASON = _any(SEASONS)
_WORD_NUMBER = rf"(?:{_any(_TENS)}(?:[ -]{_any(_SMALL[1:10])})?|{_any(_SMALL[1:])})"
NUMBER = rf"(?:[0-9]{{1,3}}|(?:a )?(?:couple|few|dozen)(?: of)?|several|an?|{_WORD_NUMBER})"
ORDINAL_WORD = rf"(?:(?:twenty|thirty)[ -]{_any(_ORDINALS[1:10])}|{_any(_ORDINALS[1:])}|twentieth|thirtieth)"
ORDINAL = rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD})"
SPOKEN_YEAR = (
    rf"(?:(?:sixteen|seventeen|eighteen|nineteen|twenty)(?: hundred)?(?: and)? "
    rf"(?:{_any(_TENS)}(?:[ -]{_any(_SMALL[1:10])})?|{_any(_SMALL[10:])})"
    rf"|two thousand(?:(?: and)? {_WORD_NUMBER})?)"
)
YEAR = rf"(?:1[5-9][0-9][0-9]|2[01][0-9][0-9]|{SPOKEN_YEAR})"
UNIT = "(?:day|week|fortnight|weekend|month|quarter|year|decade|century|hour|minute)"
FOREIGN_MONTHS = {
    name: number
    for names in (
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
    )
    for number, name in enumerate(names.split(), 1)
    if name not in MONTHS
}
FOREIGN_MONTH = _any(FOREIGN_MONTHS)
DAY_WORDS = {
    "today": 0, "tonight": 0, "eod": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "gestern": -1, "heute": 0,
    "ayer": -1, "hoy": 0, "aujourd": 0, "demain": 1, "ieri": -1, "oggi": 0, "domani": 1, "ontem": -1, "hoje": 0,
    "amanhã": 1, "gisteren": -1, "vandaag": 0,
}  # fmt: skip
_UNITS = _words("day week fortnight weekend month quarter year decade hour minute")
TRIGGERS: dict[str, str] = {
    word: kind
    for kind, words in {
        "month": [*MONTHS],
        "weekday": [*WEEKDAYS, *(name + "s" for name in WEEKDAYS if name.endswith("day"))],
        "season": [*SEASONS],
        "unit": [*_UNITS, *(name + "s" for name in _UNITS), *_words("century morning afternoon evening night")],
        "dayword": [*DAY_WORDS, "eow", "eom", "eoy"],
        "holiday": _words(
            "christmas xmas easter halloween thanksgiving valentine valentines patrick patricks juneteenth fools ash "
            "good black cyber boxing earth labor labour workers memorial veterans independence presidents columbus mlk "
            "king new mother mothers father fathers"
        ),
        "half": ["q", "h"],
        "spoken": ["nineteen", "twenty", "thousand"],
        "number": [tens.replace("y", "ies") for tens in _TENS],
        "foreign": [*FOREIGN_MONTHS],
    }.items()
    for word in words
}
"""A word that a date may contain, and the rules that are worth trying when it is there."""


def count(words: str) -> int:
    """The number that `a couple of`, `twenty-five` or `12` stand for."""
    if words.isdigit():
        return int(words)
    found = [_COUNTS[word] for word in re.split(r"[ -]", words) if word in _COUNTS]
    return sum(found[1:]) if len(found) > 1 and found[0] == 1 else sum(found)


def place(words: str) -> int:
    """The number that `3rd`, `twenty-first` or `last` (-1) stand for."""
    if words[0].isdigit():
        return int(words.rstrip("stndrh"))
    return -1 if words in {"last", "final"} else sum(_PLACES[word] for word in re.split(r"[ -]", words))


def year_number(words: str, now: int) -> int:
    """The year that `2019`, `'19`, `87` or `nineteen ninety six` stand for; two digits reach ten years past `now`."""
    digits = words.strip(" '")
    if digits.isdigit():
        number = int(digits)
        if len(digits) > 2:
            return number
        return number + 2000 if number + 2000 <= now + 10 else number + 1900
    first, *rest = [_COUNTS[word] for word in re.split(r"[ -]", digits) if word in _COUNTS]
    if 1000 in rest:
        return 2000 + sum(rest) - 1000
    return first * 100 + sum(number for number in rest if number != 100)

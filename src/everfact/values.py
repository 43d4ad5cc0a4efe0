"""Typed values in a sentence: money, percentages, times, dates, weekdays, frequencies, durations, versions, counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from everfact.models import Value, ValueType
from everfact.words import word_set

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = {word: 10.0 * i for i, word in enumerate(_TENS.split())} | {
    word: float(i) for i, word in enumerate(_UNITS.split())
}
_SCALES = {
    "hundred": 100.0,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "dozen": 12.0,
}
_WORD = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_SPELLED = (
    rf"(?:{_WORD})(?:[ -](?:{_WORD}))?(?:[ ](?:hundred|thousand|million|dozen))?|(?:a|half[ ]a|two)[ ]dozen|a[ ]hundred"
)
_DIGITS = r"\d{1,3}(?:[,\u2019]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUM = rf"(?:{_DIGITS}|{_SPELLED}|an?)"
_MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan\.?|Feb\.?|Mar\.?|Apr\.?|Jun\.?|Jul\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\.?)"
)
_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_SPAN = "(?:second|minute|hour|day|night|week|weekend|fortnight|month|quarter|year|decade|sprint)"
_CURRENCY = (
    "dollars?|euros?|pounds?|francs?|yen|rupees?|crowns?|kron(?:or|er|a|e)|pesos?|cents?|bucks|usd|eur|gbp|chf|jpy|"
    "zlot(?:y|ys|ych)|yuan|lira|rand|rou?bles?|dinars?|dirhams?|shillings?|baht|naira|shekels?|forints?|ringgit|rupiah|"
    "reais|quid|sek|nok|dkk|pln|aud|cad|inr|cny|zar|brl"
)
_AFTER_DAY = "of[ ](?:every|each|the)|and|now|at|in|instead|not|or|for|so|from"
_RATED = "seat|month|year|week|day|hour|user|night|person|head|kilo|kg|piece|box|mo|yr|hr"
_PATTERN = re.compile(
    rf"""
    (?P<money>(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF)[ ])[ ]?(?:{_DIGITS})(?:[ ]?(?:k|m|bn|million|billion|thousand)\b)?
        |\b(?:{_DIGITS}|{_SPELLED})[ ](?:(?:million|billion|thousand)[ ])?(?:{_CURRENCY})\b|\b(?:{_DIGITS})[ ]?[€£])
        (?P<rate>(?:[ ](?:per|an?)[ ]|[ ]?/[ ]?)(?:{_RATED})\b)?
  | (?P<percent>\b(?:{_DIGITS}|{_SPELLED})[ ]?(?:%|(?:percent|per[ ]cent)\b))
  | (?P<time>\b\d{{1,2}}(?:[:.]\d{{2}})?[ ]?(?:am|pm|a\.m\.|p\.m\.)(?!\w)|\b\d{{1,2}}:\d{{2}}\b|\b(?:noon|midnight)\b
        |\b(?:{_WORD}|\d{{1,2}})[ ]o['\u2019]clock\b|\bhalf[ ]past[ ](?:{_WORD})\b)
  | (?P<date>\b\d{{4}}-\d{{2}}(?:-\d{{2}})?\b|\b\d{{1,2}}[/.]\d{{1,2}}[/.](?:\d{{4}}|\d{{2}})\b
        |\b(?:(?-i:{_DAY}),?[ ])?(?:the[ ])?\d{{1,2}}(?:st|nd|rd|th)?[ ](?:of[ ])?(?-i:{_MONTH})(?:,?[ ]\d{{4}})?\b
        |\b(?-i:{_MONTH})[ ](?:the[ ])?\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?[ ]\d{{4}})?\b
        |\b(?-i:{_MONTH}),?[ ](?:of[ ])?\d{{4}}\b
        |\bthe[ ]\d{{1,2}}(?:st|nd|rd|th)\b(?![ -](?!{_AFTER_DAY})\w)
        |\b(?:tomorrow|tonight)\b|\b(?:mid|early|late)[- ](?-i:{_MONTH})(?:[ ]\d{{4}})?\b
        |\b(?:{_NUM})[ ](?:{_SPAN})s?[ ]ago\b
        |\b(?:next|this|coming|last)[ ](?:{_SPAN}|{_DAY}|(?-i:{_MONTH})|spring|summer|autumn|fall|winter)\b
        |\b(?:the[ ])?(?:end|beginning|start|middle)[ ]of[ ](?:the[ ]|this[ ]|next[ ])?(?:{_SPAN}|(?-i:{_MONTH}))\b
        |\bQ[1-4](?:[ ]\d{{4}})?\b|\b(?:19|20)\d\d\b(?![.,]\d)(?!(?<=00)[ ][a-z]+s\b)(?:s\b)?)
  | (?P<frequency>\b(?:once|twice|thrice|(?:{_DIGITS}|{_SPELLED})[ ]times)[ ]
            (?:an?|per|each|every)[ ](?:{_SPAN}|\w+day)\b
        |\bevery[ ](?:other[ ]|second[ ]|third[ ]|single[ ]|(?:{_DIGITS}|{_SPELLED})[ ])?
            (?:{_SPAN}s?|{_DAY}|morning|evening|afternoon)\b
        |\b(?:daily|weekly|bi-?weekly|fortnightly|monthly|quarterly|yearly|annually|hourly|nightly)\b)
  | (?P<weekday>\b(?-i:{_DAY})(?:[ ](?:morning|afternoon|evening|night)s?)?\b)
  | (?P<duration>\b(?:{_NUM})[ -]?(?:(?:{_SPAN})s?|ms|secs?|mins?|hrs?|h|milliseconds?)\b
            (?![ ](?:ago|ticket|pass|trip|shift|rate|job|care|tour|off)\b)
            (?:[ -](?:and[ ]a[ ]half[ ])?old\b)?)
  | (?P<version>\bv\d+(?:\.\d+)*(?:-?(?:rc|beta|alpha)\.?\d*)?\b
        |\b\d+\.\d+(?:\.\d+)+(?:-?(?:rc|beta|alpha|b|a)\.?\d*)?\b
        |(?<=version[ ])\d+(?:\.\d+)*\b|(?<=release[ ])\d+(?:\.\d+)+\b|(?<=[ ])\d+\.x\b)
  | (?P<count>(?<![\w.,/:-])(?:{_DIGITS})(?:[ ](?:million|billion|thousand|dozen)\b|k\b)?(?![\w%]|[.:/-]\d)
        |\b(?:{_SPELLED})\b(?!-))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HAS_DIGIT = re.compile(r"\d")
_WORDS = frozenset(_NUMBER_WORDS) | word_set(
    "dozen hundred twice thrice noon midnight tomorrow tonight daily weekly biweekly bi-weekly fortnightly monthly "
    "quarterly yearly annually hourly nightly monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays "
    "friday fridays saturday saturdays sunday sundays"
)
_STRETCHES = word_set(
    "second minute hour day night week weekend fortnight month quarter year decade sprint seconds minutes hours days "
    "nights weeks weekends months quarters years decades sprints morning mornings evening afternoon spring summer "
    "autumn fall winter january february march april may june july august september october november december"
)
"""Words that make a value of "a", "this", "every", "the end of"."""
_CLOSE = {
    "minutes": "minute",
    "mins": "minute",
    "min": "minute",
    "hours": "hour",
    "hrs": "hour",
    "hr": "hour",
    "h": "hour",
}


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A value and where it stands in the sentence."""

    start: int
    end: int
    value: Value


def find_values(sentence: str, spoken: set[str]) -> list[ValueSpan]:
    """Every value of the sentence, left to right, none inside another. `spoken` are its words in small letters."""
    is_spelled = not (spoken.isdisjoint(_WORDS) and spoken.isdisjoint(_STRETCHES)) or any(
        "-" in word and (word.partition("-")[0] in _NUMBER_WORDS or word.partition("-")[2] in _STRETCHES)
        for word in spoken
    )
    if not is_spelled and _HAS_DIGIT.search(sentence) is None:
        return []
    found = []
    for match in _PATTERN.finditer(sentence):
        kind = match.lastgroup if match.lastgroup != "rate" else "money"
        assert kind is not None
        value = _value(ValueType(kind), match[0])
        if value.type is not ValueType.COUNT or match[0].lower() not in ("one", "zero"):
            found.append(ValueSpan(match.start(), match.end(), value))
    return found


def number_of(text: str) -> float | None:
    """The number that digits or words say, scale included ("1.5k", "twenty-five", "two million")."""
    lower = text.lower().replace("\u2019", "").replace(",", "")
    digits = re.search(r"\d+(?:\.\d+)?", lower)
    words = re.findall(r"[a-z]+", lower)
    if digits is not None:
        total: float | None = float(digits[0])
    else:
        known = [_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS]
        total = sum(known) if known else 1.0 if words and words[0] in ("a", "an") else None
    if total is None:
        return 6.0 if words[:2] == ["half", "a"] else None
    for word in words:
        total *= _SCALES.get(word, 1.0) if word not in ("m",) or digits is not None else 1.0
    return total


def _value(kind: ValueType, text: str) -> Value:
    if kind in (ValueType.MONEY, ValueType.PERCENT, ValueType.COUNT):
        unit = re.sub(r"[\d,.\u2019\s]|\b(?:k|m|bn|million|billion|thousand|an?|per)\b", "", text.lower())
        is_plain = kind is not ValueType.MONEY
        return Value(type=kind, text=text, number=number_of(text), unit="" if is_plain else unit)
    if kind is ValueType.DURATION:
        unit = re.sub(r"^.*?([a-z]+?)s?(?:[ -]old)?$", r"\1", text.lower())
        return Value(type=kind, text=text, number=number_of(text), unit=_CLOSE.get(unit, unit))
    return Value(type=kind, text=text)

"""What a number, a word or a string in JSON is: a typed value, judged by its shape and its key."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from everfact.extractors.json.tree import Kind, Node
from everfact.models import Granularity, Value, ValueType

_CURRENCIES = {"usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "cad", "aud", "sek", "nok", "dkk", "pln", "brl"}
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_MONEY_WORDS = {"price", "cost", "salary", "revenue", "wage", "rent", "income", "fee", "budget"}
_ID_WORDS = {"id", "uuid", "guid", "code", "zip", "zipcode", "postcode", "phone", "number", "sku", "isbn", "serial"}
_ID_WORDS |= {"hash", "sha", "slug", "key"}
_STATUS_WORDS = {"status", "state", "stage", "phase"}
_DURATIONS = {"ms", "milliseconds", "seconds", "secs", "minutes", "mins", "hours", "days", "weeks", "months", "years"}

_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}:\d{2}.*))?)?)?", re.ASCII)
_AMOUNT = r"[-+]?\d[\d,]*(?:\.\d+)?"
_MONEY = re.compile(
    rf"(?P<sign>[$€£¥])\s?(?P<amount>{_AMOUNT})(?P<times>[kKmM]?)|(?P<number>{_AMOUNT})\s?(?P<unit>[A-Z]{{3}}|[€£¥$])",
    re.A,
)
_SHAPES = (
    (ValueType.PERCENT, re.compile(r"(?P<number>[-+]?\d+(?:\.\d+)?)\s?%", re.A)),
    (ValueType.TIME, re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?", re.A | re.I)),
    (
        ValueType.VERSION,
        re.compile(r"v\d+(?:\.\d+)*|v?\d+\.\d+\.(?!(?:19|20)\d\d\Z)\d+(?:[-+]?[a-z][\w.+-]*)?", re.A | re.I),
    ),
    (ValueType.WEEKDAY, re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?", re.I)),
    (ValueType.DURATION, re.compile(r"P(?=.)(?:\d+[YMWD])*(?:T(?=.)(?:\d+[HMS])*)?", re.A)),
    (
        ValueType.DURATION,
        re.compile(
            rf"(?P<number>\d+(?:\.\d+)?)\s?(?P<unit>h|min|{'|'.join(sorted(d + '?' for d in _DURATIONS))})", re.A | re.I
        ),
    ),
    (
        ValueType.FREQUENCY,
        re.compile(
            r"(?:hour|week|month|quarter|year)ly|daily|annually|every \w+(?: \w+)?|(?:once|twice|\d+ times) an? \w+",
            re.I,
        ),
    ),
    (ValueType.STATUS, re.compile(r"yes|no|true|false|on|off|enabled|disabled", re.I)),
)
_COUNT = re.compile(r"[-+]?(?:0|[1-9]\d{0,14})(?:\.\d+)?", re.A)


def typed(node: Node, words: list[str], currency: str = "") -> Value:
    """The value of a number, a word or a string; `words` are its key's, `currency` is what stands beside it."""
    last = words[-1] if words else ""
    if node.kind is Kind.BOOL:
        return Value(type=ValueType.STATUS, text=node.text)
    if node.kind is Kind.NUMBER:
        return _number(node.text, words, currency)
    text = node.text.strip()
    if last == "version" and re.search(r"\d", text):
        return Value(type=ValueType.VERSION, text=text)
    if last in _ID_WORDS:
        return Value(type=ValueType.TEXT, text=text)
    return _shaped(text) or Value(type=ValueType.STATUS if last in _STATUS_WORDS else ValueType.TEXT, text=text)


def _number(text: str, words: list[str], currency: str) -> Value:
    last = words[-1] if words else ""
    number = _finite(text)
    if last in _ID_WORDS:
        return Value(type=ValueType.TEXT, text=text)
    if last == "version":
        return Value(type=ValueType.VERSION, text=text)
    if last == "year" and re.fullmatch(r"[12]\d{3}", text):
        return Value(type=ValueType.DATE, text=text)
    if last in ("percent", "percentage", "pct"):
        return Value(type=ValueType.PERCENT, text=text, number=number, unit="%")
    if last in _DURATIONS:
        return Value(type=ValueType.DURATION, text=text, number=number, unit=last)
    if last in _CURRENCIES:
        return Value(type=ValueType.MONEY, text=text, number=number, unit=last.upper())
    if _MONEY_WORDS & set(words) or (currency and last in ("amount", "total", "balance", "value")):
        return Value(type=ValueType.MONEY, text=text, number=number, unit=currency)
    return Value(type=ValueType.COUNT, text=text, number=number)


def _shaped(text: str) -> Value | None:
    if len(text) > 40:
        return None
    if date_of(text) and not text.isdigit():
        return Value(type=ValueType.DATE, text=text)
    if money := _MONEY.fullmatch(text):
        return _money(text, money)
    for value_type, shape in _SHAPES:
        if match := shape.fullmatch(text):
            parts = {"unit": "%" if value_type is ValueType.PERCENT else "", **match.groupdict("")}
            return Value(type=value_type, text=text, number=_finite(parts.get("number", "")), unit=parts["unit"])
    if _COUNT.fullmatch(text):
        return Value(type=ValueType.COUNT, text=text, number=_finite(text))
    return None


def _money(text: str, match: re.Match[str]) -> Value | None:
    unit = match["sign"] or match["unit"]
    unit = _SIGNS.get(unit, unit)
    if unit.lower() not in _CURRENCIES:
        return None
    number = _finite((match["amount"] or match["number"]).replace(",", ""))
    times = {"k": 1e3, "m": 1e6}.get((match["times"] or "").lower(), 1)
    return Value(type=ValueType.MONEY, text=text, number=None if number is None else number * times, unit=unit)


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def date_of(text: str) -> tuple[datetime, Granularity] | None:
    """The moment that an ISO date begins with, in UTC, and how exact it is; None if the text is no such date."""
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, time = match.groups()
    try:
        moment = datetime.fromisoformat(f"{year}-{month or '01'}-{day or '01'}T{time or '00:00'}")
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment, (
        Granularity.INSTANT if time else Granularity.DAY if day else Granularity.MONTH if month else Granularity.YEAR
    )

"""Typed values."""

from __future__ import annotations

import pytest

from everfact.models import ValueType
from everfact.values import find_values, number_of

VALUES = [
    ("it costs $12 per seat", "money", "$12 per seat", 12),
    ("it costs 18,000 francs", "money", "18,000 francs", 18000),
    ("it costs 30 €", "money", "30 €", 30),
    ("about $1.5 million", "money", "$1.5 million", 1_500_000),
    ("it is 40 percent done", "percent", "40 percent", 40),
    ("up to 99.9%", "percent", "99.9%", 99.9),
    ("at 5 pm", "time", "5 pm", None),
    ("at 10:30", "time", "10:30", None),
    ("at noon", "time", "noon", None),
    ("on 2025-03-28", "date", "2025-03-28", None),
    ("on 28 March 2025", "date", "28 March 2025", None),
    ("on March 28th, 2025", "date", "March 28th, 2025", None),
    ("on the 5th now", "date", "the 5th", None),
    ("by the end of the month", "date", "the end of the month", None),
    ("in Q3", "date", "Q3", None),
    ("in 2019", "date", "2019", None),
    ("twice a week", "frequency", "twice a week", None),
    ("every other week", "frequency", "every other week", None),
    ("it runs hourly", "frequency", "hourly", None),
    ("on Fridays", "weekday", "Fridays", None),
    ("for three months", "duration", "three months", 3),
    ("she is 35 years old", "duration", "35 years old", 35),
    ("for an hour", "duration", "an hour", 1),
    ("now at 2.5.0", "version", "2.5.0", None),
    ("now at v3", "version", "v3", None),
    ("version 4 is out", "version", "4", None),
    ("five people", "count", "five", 5),
    ("twenty-five people", "count", "twenty-five", 25),
    ("3.5k users", "count", "3.5k", 3500),
    ("a dozen eggs", "count", "a dozen", 12),
    ("half a dozen eggs", "count", "half a dozen", 6),
]


@pytest.mark.parametrize(("text", "kind", "written", "number"), VALUES)
def test_a_value_is_found_with_its_type_and_number(text: str, kind: str, written: str, number: float | None) -> None:
    (found,) = find_values(text, set(text.lower().split()))
    assert (found.value.type, found.value.text, found.value.number) == (ValueType(kind), written, number)
    assert text[found.start : found.end] == written


@pytest.mark.parametrize("text", ["one of them", "no numbers here", "an apple", "two-faced", "file-2024a"])
def test_what_is_no_quantity_is_no_value(text: str) -> None:
    assert find_values(text, set(text.split())) == []


def test_units_tell_values_apart() -> None:
    (minutes,) = find_values("30 mins", {"30", "mins"})
    (hours,) = find_values("30 hours", {"30", "hours"})
    assert (minutes.value.unit, hours.value.unit) == ("minute", "hour")


def test_words_without_a_number_have_none() -> None:
    assert number_of("many") is None

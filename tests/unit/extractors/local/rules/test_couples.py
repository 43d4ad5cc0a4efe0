"""Two people of one clause."""

from __future__ import annotations

from collections.abc import Callable

import pytest

COUPLES = [
    ("Ana and Bob got divorced.", ["Ana | MARRIED_TO | Bob | ends", "Bob | MARRIED_TO | Ana | ends"]),
    ("Ana got married to Bob.", ["Ana | MARRIED_TO | Bob | begins", "Bob | MARRIED_TO | Ana | begins"]),
    ("Ana married Bob.", ["Ana | MARRIED_TO | Bob | begins", "Bob | MARRIED_TO | Ana | begins"]),
    ("Ana broke up with Bob.", ["Ana | PARTNER | Bob | ends", "Bob | PARTNER | Ana | ends"]),
    ("Ana divorced Bob in May.", ["Ana | MARRIED_TO | Bob | ends", "Bob | MARRIED_TO | Ana | ends"]),
    ("Ana and Bob will get married.", ["Ana | MARRIED_TO | Bob | plan", "Bob | MARRIED_TO | Ana | plan"]),
    ("Ana broke the vase.", []),
    ("Ana married.", []),
    ("Ana was married to Bob.", ["Ana | MARRIED_TO | Bob | event"]),
    (
        "Ana, Bob and Eve got divorced.",
        [
            "Ana | MARITAL_STATUS | divorced | begins",
            "Bob | MARITAL_STATUS | divorced | begins",
            "Eve | MARITAL_STATUS | divorced | begins",
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), COUPLES)
def test_couples_marry_and_part_both_ways(text: str, expected: list[str], said: Callable[..., list[str]]) -> None:
    assert said(text) == expected

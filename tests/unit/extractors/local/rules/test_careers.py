"""Joining, leaving, taking over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CAREERS = [
    (
        "I joined Stripe as a data engineer.",
        ["Sam | WORKS_AT | Stripe | begins", "Sam | ROLE | data engineer | begins"],
    ),
    ("I joined the chess club.", ["Sam | MEMBER_OF | chess club | begins"]),
    ("I joined a call.", []),
    ("Ana joined us.", []),
    ("Ana joined Slack.", []),
    ("Ana started at Meta.", ["Ana | WORKS_AT | Meta | begins"]),
    ("Ana started a new job at Meta.", ["Ana | WORKS_AT | Meta | begins"]),
    ("Ana started a fire.", []),
    ("Ana got a job at Meta.", ["Ana | WORKS_AT | Meta | begins"]),
    ("Ana was hired by Meta.", ["Ana | WORKS_AT | Meta | begins"]),
    ("We hired Ana as a designer.", ["Ana | ROLE | designer | begins"]),
    ("Ana left Stripe for Meta.", ["Ana | WORKS_AT | Stripe | ends", "Ana | WORKS_AT | Meta | begins"]),
    ("Ana left Stripe in March.", ["Ana | WORKS_AT | Stripe | ends"]),
    ("Ana left Rome.", []),
    ("Ana left the chess club.", ["Ana | MEMBER_OF | chess club | ends"]),
    ("Ana left the house.", []),
    ("Ana quit her job.", ["Ana | WORKS_AT |  | ends"]),
    ("Ana quit her job at Stripe.", ["Ana | WORKS_AT | Stripe | ends"]),
    ("Ana quit smoking.", []),
    ("Ana lost her keys.", []),
    ("Ana was fired from Stripe.", ["Ana | WORKS_AT | Stripe | ends"]),
    ("Ana fired Bob.", []),
    ("Ana will leave Stripe.", []),
    ("Ana stepped down as treasurer of the chess club.", ["chess club | TREASURER | Ana | ends"]),
    ("Ana resigned as treasurer.", ["Ana | ROLE | treasurer | ends"]),
    ("Ana retired from Stripe.", ["Ana | WORKS_AT | Stripe | ends"]),
    ("Ana was promoted to staff engineer.", ["Ana | ROLE | staff engineer | begins"]),
    (
        "The club elected Ana as its treasurer in place of Bob.",
        ["club | TREASURER | Bob | ends", "club | TREASURER | Ana | begins"],
    ),
    ("Ana was appointed treasurer.", ["Ana | ROLE | treasurer | begins"]),
    ("We made cake.", []),
    ("Ana took over the gateway from Bob.", ["gateway | OWNED_BY | Bob | ends", "gateway | OWNED_BY | Ana | begins"]),
    (
        "Ana took over from Bob as treasurer of the club.",
        ["club | TREASURER | Bob | ends", "club | TREASURER | Ana | begins"],
    ),
    ("Ana took over ownership of the gateway.", ["gateway | OWNED_BY | Ana | begins"]),
    ("Ana took a walk.", []),
    ("Bob handed the gateway over to Ana.", ["gateway | OWNED_BY | Ana | begins"]),
    ("The gateway was handed over to Ana.", ["gateway | OWNED_BY | Ana | begins"]),
    ("Bob handed the salt to nobody.", []),
    ("Bob gave the book to Ana.", []),
    ("Ownership of the gateway was passed to Ana.", ["gateway | OWNED_BY | Ana | begins"]),
]


@pytest.mark.parametrize(("text", "expected"), CAREERS)
def test_careers_end_only_what_is_named(text: str, expected: list[str], said: Callable[..., list[str]]) -> None:
    assert said(text) == expected

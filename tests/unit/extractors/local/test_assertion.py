"""What asserts nothing: doubt, wish, hearsay, denial, questions, plans given up; and what is close to it but does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

NOTHING = [
    "Ana left Google Maps open.",
    "I left my bag at Stripe.",
    "My friend thinks I work at Google.",
    "I heard Ana works at Oracle.",
    "According to Bob, Ana works at Oracle.",
    "I wish I worked at Google.",
    "Ana works at Google, Bob says.",
    "I was going to move to Rome.",
    "I nearly moved to Rome.",
    "I had planned to move to Rome.",
    "I am not moving to Rome.",
    "I should move to Rome.",
    "Let's move to Rome.",
    "Move to Rome!",
    "I didn't switch from Vim to Helix.",
    "We never replaced Redis with Valkey.",
    "We haven't moved from MySQL to Postgres.",
    "The docs say the timeout is 30 seconds.",
    '"My rent is $900" is what the sign says.',
    'She told me "I live in Oslo".',
    "Ana is no longer sure.",
    "It is no longer the case that Ana lives in Rome.",
    "I stopped by Stripe.",
    "I stopped at Rome.",
    "Ana gave up coffee.",
    "I gave up drinking coffee.",
    "I miss Rome.",
    "The price of success is high.",
    "Time is money.",
    "I'm dying to move to Rome.",
    "Ana is out of office.",
    "The joke is old.",
    "I'm good.",
    "We have 3 days.",
    "I spent $40 on lunch.",
    "The meeting was moved.",
    "My budget was increased.",
    "He moved to Rome.",
    "They work at Google.",
    "Someone works at Google.",
    "Maybe Ana lives in Rome.",
    "Ana lives in Rome, just kidding.",
    "Rumour has it that Ana works at Oracle.",
    "Does Ana live in Rome?",
    "I dreamt that I lived in Rome.",
    "In case Ana moves to Rome, call me.",
    "I practically live in Rome.",
    "Ana must not override the budget.",
    "Nice!",
    "",
]
SOMETHING = [
    ("Ana was married to Bob.", ["Ana | MARRIED_TO | Bob | event"]),
    ("Ana, who works at Google, lives in Rome.", ["Ana | WORKS_AT | Google", "Ana | LIVES_IN | Rome"]),
    ("Without Ana we moved to Rome.", ["Sam | LIVES_IN | Rome | begins"]),
    ("I love that my rent is $900.", ["Sam | RENT | $900"]),
    ("When I lived in Oslo, I worked at Meta.", ["Sam | LIVES_IN | Oslo | event", "Sam | WORKS_AT | Meta | event"]),
    ("Before I moved to Rome I lived in Oslo.", ["Sam | LIVES_IN | Rome | begins", "Sam | LIVES_IN | Oslo | event"]),
    ("After Ana left Stripe, she joined Meta.", ["Ana | WORKS_AT | Stripe | ends", "Ana | WORKS_AT | Meta | begins"]),
    ("Once we migrate from MySQL to Postgres, the budget is $5.", ["budget | IS | $5"]),
    ("Ana finished using Docker for today.", ["Ana | USES | Docker | event"]),
    ("My ex-wife lives in Rome.", ["Sam's ex-wife | LIVES_IN | Rome"]),
    ("My former manager is Tom.", ["Sam's former manager | IS | Tom"]),
    ("My last manager was Tom.", ["Sam | LAST_MANAGER | Tom | event"]),
    ("The previous deadline was Friday.", ["previous deadline | SCHEDULED_FOR | Friday | event"]),
    ("The new deadline is Monday.", ["deadline | IS | Monday"]),
    ("I'm back in Rome.", ["Sam | LOCATED_IN | Rome"]),
    ("I travel to Rome every month.", ["Sam | TRAVEL_ROME | every month"]),
    ("My heart is in Rome.", ["Sam's heart | LOCATED_IN | Rome"]),
    ("My phone is dead.", ["Sam's phone | IS | dead"]),
    ("I have two meetings today.", ["Sam | HAVE | two meetings | event"]),
    ("I had two meetings today.", ["Sam | HAVE | two meetings | event"]),
    ("Sam and Ana moved to Rome.", ["Sam | LIVES_IN | Rome | begins", "Ana | LIVES_IN | Rome | begins"]),
]


@pytest.mark.parametrize("text", NOTHING)
def test_doubt_wish_hearsay_and_denial_assert_nothing(text: str, said: Callable[..., list[str]]) -> None:
    assert said(text) == []


@pytest.mark.parametrize(("text", "expected"), SOMETHING)
def test_what_is_plainly_said_is_asserted(text: str, expected: list[str], said: Callable[..., list[str]]) -> None:
    assert said(text) == expected

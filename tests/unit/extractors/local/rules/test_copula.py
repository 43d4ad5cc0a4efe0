"""What "is" says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

IS = [
    ("My rent is $900.", ["Sam | RENT | $900"]),
    ("Our budget is $650.", ["budget | IS | $650"]),
    ("The sprint deadline is Friday.", ["sprint | DEADLINE | Friday"]),
    ("The deadline for the heritage grant is 14 March 2025.", ["heritage grant | DEADLINE | 14 March 2025"]),
    ("Ana's manager is Tom.", ["Ana | MANAGER | Tom"]),
    ("Tom is Ana's manager.", ["Ana | MANAGER | Tom"]),
    ("Ana is my sister.", ["Sam | SISTER | Ana"]),
    ("My sister is a nurse.", ["Sam's sister | ROLE | nurse"]),
    ("Ana is a nurse at Mercy Hospital.", ["Ana | ROLE | nurse", "Ana | WORKS_AT | Mercy Hospital"]),
    ("Ana is a nurse and a singer.", ["Ana | ROLE | nurse", "Ana | ROLE | singer"]),
    ("Ana is the treasurer of the chess club.", ["chess club | TREASURER | Ana"]),
    ("Ana is head of radiology.", ["Ana | ROLE | head of radiology"]),
    ("Ana is no longer head of radiology.", ["Ana | ROLE | head of radiology | ends"]),
    ("I'm a vegetarian.", ["Sam | IS | vegetarian"]),
    ("I'm 34.", ["Sam | AGE | 34"]),
    ("My daughter is seven years old.", ["Sam's daughter | AGE | seven years old"]),
    ("The ticket is blocked.", ["ticket | STATUS | blocked"]),
    ("The ticket is in review.", ["ticket | STATUS | in review"]),
    ("The ticket is on hold.", ["ticket | STATUS | on hold"]),
    ("The lift is out of order.", ["lift | STATUS | out of order"]),
    ("The flag is enabled in production.", ["flag | STATUS | enabled"]),
    ("Ana is married.", ["Ana | MARITAL_STATUS | married"]),
    ("Ana is married to Bob.", ["Ana | MARRIED_TO | Bob"]),
    ("I'm married to my espresso machine.", []),
    ("Ana is allergic to peanuts.", ["Ana | ALLERGIC_TO | peanuts"]),
    ("Ana is responsible for the gateway.", ["gateway | OWNED_BY | Ana"]),
    ("The report is due on Thursday.", ["report | DUE | Thursday"]),
    ("The report is due.", []),
    ("The workshop is on Friday.", ["workshop | SCHEDULED_FOR | Friday"]),
    ("The standup is at 10 am.", ["standup | SCHEDULED_FOR | 10 am"]),
    ("The migration is 40 percent complete.", ["migration | PROGRESS | 40 percent complete"]),
    ("The ticket price is $12.", ["ticket | PRICE | $12"]),
    ("The license is $12.", ["license | PRICE | $12"]),
    ("The build is 2.4.1.", ["build | VERSION | 2.4.1"]),
    ("The talk is 30 minutes.", ["talk | DURATION | 30 minutes"]),
    ("The launch is next week.", ["launch | SCHEDULED_FOR | next week"]),
    ("Ana is in Rome.", ["Ana | LOCATED_IN | Rome"]),
    ("The cluster is on Kubernetes 1.27.", ["cluster | VERSION | Kubernetes 1.27"]),
    ("The app is at version 0.9.", ["app | VERSION | version 0.9"]),
    ("The site is on Heroku.", ["site | USES | Heroku"]),
    ("Ana is from Porto.", ["Ana | FROM | Porto"]),
    ("The default branch is main.", ["default branch | DEFAULT_BRANCH | main"]),
    ("Lake Orta is a lake in Italy.", ["Lake Orta | IS_A | lake", "Lake Orta | LOCATED_IN | Italy"]),
    ("Ana became head of design.", ["Ana | ROLE | head of design | begins"]),
    ("Ana is Bob.", ["Ana | IS | Bob"]),
    (
        "The meeting is on Thursday, not Wednesday.",
        ["meeting | SCHEDULED_FOR | Thursday", "meeting | SCHEDULED_FOR | Wednesday | ends"],
    ),
    ("The fridge is a lot of things.", []),
    ("This is nice.", []),
    ("My old job was hard.", []),
    ("The answer is it.", []),
    ("Ana is with Bob.", []),
    ("Priya and Tom are engineers.", ["Priya | IS_A | engineers", "Tom | IS_A | engineers"]),
    ("The bridge was closed from 4 October to 9 October 2024.", ["bridge | STATUS | closed | begins"]),
    ("The owner of the runbook is Anh.", ["runbook | OWNER | Anh"]),
    ("The launch was a success.", ["launch | IS_A | success | event"]),
    ("Ana is a good one.", []),
]


@pytest.mark.parametrize(("text", "expected"), IS)
def test_is_gives_attributes_roles_ages_statuses_places_and_kin(
    text: str, expected: list[str], said: Callable[..., list[str]]
) -> None:
    assert said(text) == expected

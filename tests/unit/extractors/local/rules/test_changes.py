"""What changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CHANGES = [
    ("We raised the budget to $650.", ["budget | IS | $650 | begins"]),
    ("The budget rose from $600 to $650.", ["budget | IS | $600 | ends", "budget | IS | $650 | begins"]),
    ("The deadline for the grant was extended to 28 March.", ["grant | DEADLINE | 28 March | begins"]),
    ("The launch has been postponed to 12 September.", ["launch | SCHEDULED_FOR | 12 September | begins"]),
    (
        "We moved the standup from 9:30 to 10:00.",
        ["standup | SCHEDULED_FOR | 9:30 | ends", "standup | SCHEDULED_FOR | 10:00 | begins"],
    ),
    ("We bumped Django from 4.2 to 5.0.", ["Django | VERSION | 4.2 | ends", "Django | VERSION | 5.0 | begins"]),
    ("requests is pinned at 2.31.", ["requests | VERSION | 2.31 | begins"]),
    ("We upgraded the gateway to Python 3.12.", ["gateway | VERSION | Python 3.12 | begins"]),
    ("The plan went up to $15.", ["plan | PRICE | $15 | begins"]),
    ("The team grew to ten engineers.", ["team | HAS | ten engineers | begins"]),
    ("Coverage rose to 90%.", ["coverage | IS | 90% | begins"]),
    ("Ownership of the gateway moved to Priya.", ["gateway | OWNED_BY | Priya | begins"]),
    (
        "Ticket 311 was reassigned from Zanele to Dmitri.",
        ["ticket 311 | ASSIGNED_TO | Zanele | ends", "ticket 311 | ASSIGNED_TO | Dmitri | begins"],
    ),
    ("Ana moved from Oslo to Rome.", ["Ana | LIVES_IN | Oslo | ends", "Ana | LIVES_IN | Rome | begins"]),
    ("Ana moved to the platform team.", ["Ana | MEMBER_OF | platform team | begins"]),
    ("Ana moved to a bigger flat.", []),
    ("I moved the picture to the bedroom.", ["picture | LOCATED_IN | bedroom | begins"]),
    ("The office has relocated to Eindhoven.", ["office | LOCATED_IN | Eindhoven | begins"]),
    ("Ana went to Rome.", []),
    (
        "We switched the storefront from Webpack to Vite.",
        ["storefront | USES | Webpack | ends", "storefront | USES | Vite | begins"],
    ),
    ("We switched to Linear for issue tracking.", ["Sam | USES | Linear | begins"]),
    ("We will switch from Vim to Helix.", ["Sam | USES | Helix | plan"]),
    ("I switched back to Vim.", ["Sam | USES | Vim | begins"]),
    ("We might switch to Vim.", []),
    ("We no longer move to Rome.", []),
    ("We replaced Redis with Valkey.", ["Sam | USES | Redis | ends", "Sam | USES | Valkey | begins"]),
    ("Redis was replaced by Valkey.", ["Redis | REPLACED_BY | Valkey | begins"]),
    ("Bob replaced Ana as treasurer.", ["Ana | ROLE | treasurer | ends", "Bob | ROLE | treasurer | begins"]),
    ("Valkey replaces Redis.", ["Redis | REPLACED_BY | Valkey | begins"]),
    ("The app dropped Flutter in favour of Kotlin.", ["app | USES | Flutter | ends", "app | USES | Kotlin | begins"]),
    ("We dropped Redis.", ["Sam | USES | Redis | ends"]),
    ("We dropped the ball.", []),
    ("We dropped support for Python 3.8.", []),
    ("We swapped Redis for Valkey.", ["Sam | USES | Redis | ends", "Sam | USES | Valkey | begins"]),
    ("We replaced it.", []),
    ("Ana sold the boat to Bob.", ["boat | OWNED_BY | Ana | ends", "boat | OWNED_BY | Bob | begins"]),
    ("Bob bought the boat from Ana.", ["boat | OWNED_BY | Ana | ends", "boat | OWNED_BY | Bob | begins"]),
    ("Ana sold bread to Bob.", []),
    ("Ana will sell the boat to Bob.", ["boat | OWNED_BY | Bob | plan"]),
    ("Larkspur 2.5.0 came out today.", ["Larkspur | VERSION | 2.5.0 | begins"]),
    ("We released Larkspur 2.5.0.", ["Larkspur | VERSION | 2.5.0 | begins"]),
    ("The film came out today.", []),
]


@pytest.mark.parametrize(("text", "expected"), CHANGES)
def test_changes_end_what_they_name_and_begin_the_new(
    text: str, expected: list[str], said: Callable[..., list[str]]
) -> None:
    assert said(text) == expected

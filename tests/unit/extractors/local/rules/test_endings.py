"""Denials, things given up, and what else is over when one thing is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

DENIED = [
    ("Ana doesn't work at Globex.", "Ana | WORKS_AT | Globex | ends"),
    ("I don't use Slack.", "Sam | USES | Slack | ends"),
    ("The gateway isn't blocked.", "gateway | STATUS | blocked | ends"),
    ("Kai isn't on the board now.", "Kai | ON | board | ends"),
]
NOT_DENIED = [
    "I don't use Slack on weekends.",
    "I don't use Slack much.",
    "Ana isn't at Globex.",
    "Ana didn't work at Globex.",
    "Ana can't work at Globex.",
]
PARTED = [
    ("I've gone off dark roast.", "Sam | LIKES | dark roast | ends"),
    ("I gave up coffee.", "Sam | LIKES | coffee | ends"),
    ("I'm off coffee.", "Sam | LIKES | coffee | ends"),
    ("I'm done with Vim.", "Sam | USES | Vim | ends"),
    ("I can't stand the aisle seat any more.", "Sam | LIKES | aisle seat | ends"),
    ("Ana lost interest in chess.", "Ana | LIKES | chess | ends"),
    ("Kai got rid of the motorbike.", "Kai | OWNS | motorbike | ends"),
    ("I cancelled my membership at Riverside Gym.", "Sam | MEMBER_OF | Riverside Gym | ends"),
    ("Uma dropped out of Keele.", "Uma | STUDIES_AT | Keele | ends"),
    ("Minh moved out.", "Sam | LIVES_WITH | Minh | ends"),
    ("The SOAP endpoint of Parcelo was removed.", "Parcelo | HAS | SOAP endpoint | ends"),
]
KIN = [
    ("Ana and Bob split up.", "Ana", "=boyfriend"),
    ("I sold the Volvo.", "Sam", "drives"),
    ("We stopped using Jenkins.", "Sam", "runs on"),
    ("The thesis was moved to 5 May.", "thesis", "deadline"),
    ("The heating has been fixed.", "heating", "=status of health"),
]


@pytest.mark.parametrize(("text", "expected"), DENIED + PARTED)
def test_what_is_denied_or_given_up_ends_if_it_is_known(
    text: str, expected: str, weak: Callable[[str], list[str]]
) -> None:
    assert expected in weak(text)


@pytest.mark.parametrize("text", NOT_DENIED)
def test_a_denial_with_a_limit_denies_nothing_else(text: str, weak: Callable[[str], list[str]]) -> None:
    assert weak(text) == []


@pytest.mark.parametrize(("text", "subject", "attribute"), KIN)
def test_kindred_states_end_too(
    text: str, subject: str, attribute: str, statements: Callable[[str], tuple[object, ...]]
) -> None:
    ended = [(s.subject.name, s.attribute) for s in statements(text) if s.confidence < 0.5]  # type: ignore[attr-defined]
    assert (subject, attribute) in ended


SHIFTED = [
    ("CI now runs on Buildkite.", ["CI | USES |  | ends", "CI | USES | Buildkite"]),
    ("CI is on Buildkite these days.", ["CI | USES |  | ends", "CI | USES | Buildkite"]),
    ("I prefer spaces now.", ["Sam | PREFERS |  | ends", "Sam | PREFERS | spaces"]),
    ("I'd rather have tea from now on.", ["Sam | PREFERS |  | ends", "Sam | PREFERS | tea"]),
    ("CI runs on Buildkite.", ["CI | USES | Buildkite"]),
    ("We now use Redis.", ["Sam | USES | Redis"]),
]


@pytest.mark.parametrize(("text", "expected"), SHIFTED)
def test_now_ends_what_was_before_where_there_is_one_as_a_rule(
    text: str, expected: list[str], said: Callable[..., list[str]]
) -> None:
    assert said(text) == expected

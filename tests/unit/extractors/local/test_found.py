"""A later sentence of one text changes or corrects an earlier one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

REVISED = [
    ("Rent is $1,200. Rent is now $1,300.", ["Sam | RENT | $1,200 | ends", "Sam | RENT | $1,300"]),
    ("I work at Acme. I no longer work at Acme.", ["Sam | WORKS_AT | Acme | ends"]),
    ("I work at Acme. Actually I work at Globex.", ["Sam | WORKS_AT | Globex"]),
    ("The demo is on Monday. Scratch that: Tuesday.", ["demo | SCHEDULED_FOR | Tuesday"]),
    ("The demo is on Monday. Sorry, I meant Tuesday.", ["demo | SCHEDULED_FOR | Tuesday"]),
    ("Bob owns the gateway. Sorry, I meant Lena.", ["gateway | OWNED_BY | Lena"]),
    ("The budget is $500. No wait, $600.", ["budget | IS | $600"]),
    ("My landlord put the rent up. It's $935.", ["Sam | RENT | $935"]),
    ("I've moved. I'm in Halifax now.", ["Sam | LIVES_IN | Halifax | begins"]),
]
UNREVISED = [
    ("I work at Acme. Ana works at Globex now.", ["Sam | WORKS_AT | Acme", "Ana | WORKS_AT | Globex"]),
    ("Ana works at Globex. Sorry, Bob is late.", ["Ana | WORKS_AT | Globex"]),
    ("The demo is on Monday. Sorry, I meant Lena.", ["demo | SCHEDULED_FOR | Monday"]),
    ("Rent is $1,200. Rent is $1,300.", ["Sam | RENT | $1,200", "Sam | RENT | $1,300"]),
]


@pytest.mark.parametrize(("text", "expected"), REVISED + UNREVISED)
def test_later_sentences_revise_only_what_they_speak_of(
    text: str, expected: list[str], said: Callable[..., list[str]]
) -> None:
    assert [line for line in said(text) if "STATUS" not in line] == expected


def test_a_bare_denial_is_about_what_was_just_said(weak: Callable[[str], list[str]]) -> None:
    assert weak("Joris studies in Leuven. Not Delft.") == ["Joris | STUDY_IN | Delft | ends"]
    assert weak("Joris is late. Not Delft.") == []


def test_what_was_ditched_is_used_no_more(weak: Callable[[str], list[str]]) -> None:
    lines = weak("We retired Travis. CI is on GitLab.")
    assert "CI | USES | Travis | ends" in lines
    assert not [line for line in lines if "GitLab" in line]

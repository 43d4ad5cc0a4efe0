"""The newer of two statements goes above the older one, if the question asks for what they state."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everfact.models import Episode
from everfact.supersede import reorder, stem
from everfact.testing.builders import episode


def told(*contents: str, **given: Any) -> list[Episode]:
    """Turns a day apart: the first one is the oldest."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    return [
        replace(episode(content, reference_time=start + timedelta(days=n)), **given)
        for n, content in enumerate(contents)
    ]


def asked(question: str, turns: list[Episode]) -> list[str]:
    return [turn.content for turn in reorder(question, turns)]


def moves(question: str, older: str, newer: str, *others: str) -> bool:
    turns = told(older, newer, *others)
    found = asked(question, turns)
    assert sorted(found) == sorted(turn.content for turn in turns)
    return found == [newer, older, *others]


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("How many piano lessons have I taken?", "I took 3 piano lessons.", "I have now taken 7 piano lessons."),
        ("How many books have I finished?", "I finished 4 books.", "I just finished my fifth of the books!"),
        ("How many books have I finished?", "I finished 4 books.", "That was the 12th of the books I finished now."),
        ("What is my budget for the trip?", "My trip budget is $500.", "I raised my trip budget to $900."),
        ("How long is my commute?", "My commute is 40 minutes long.", "My commute is now 25 minutes long."),
        ("What time is my yoga class?", "My yoga class is at 7 pm.", "My yoga class moved to 9 pm."),
        ("When is my yoga class?", "My yoga class is on Monday.", "My yoga class moved to Friday."),
        ("How often do I water the ferns?", "I water the ferns once a week.", "I now water the ferns twice a week."),
        ("When is the thesis deadline?", "The thesis deadline is 5 May.", "The thesis deadline moved to 9 June."),
        ("What version of Python do we run?", "We run Python version 3.9.", "We upgraded: Python version 3.12 now."),
        ("What is the test coverage?", "Test coverage is 60%.", "Test coverage is now 80%."),
        ("What is the latency of the API?", "The API latency is 300 ms.", "The API latency is now 120 ms."),
    ],
)
def test_newer_statement_of_the_value_asked_for_goes_above_the_older(question: str, older: str, newer: str) -> None:
    assert moves(question, older, newer)


LESSONS = ("I took 3 piano lessons.", "I have now taken 7 piano lessons.")


def test_restatement_does_not_move() -> None:
    assert not moves("How many piano lessons have I taken?", LESSONS[0], "As I said, three piano lessons now.")


@pytest.mark.parametrize(
    "question",
    [
        "How many piano lessons had I taken before I moved?",
        "How many piano lessons did I take originally?",
        "How many piano lessons did I say I have taken?",
        "How many piano lessons have I taken, did I say?",
    ],
)
def test_question_about_the_past_moves_nothing(question: str) -> None:
    assert not moves(question, *LESSONS)


@pytest.mark.parametrize(
    "question",
    [
        "How many piano lessons did I take in total?",
        "What is the difference in the number of piano lessons?",
        "How many more piano lessons have I taken?",
    ],
)
def test_question_that_needs_both_moves_nothing(question: str) -> None:
    assert not moves(question, *LESSONS)


@pytest.mark.parametrize("question", ["Who teaches the piano lessons?", "piano lessons", "", "?!"])
def test_question_for_no_value_moves_nothing(question: str) -> None:
    assert not moves(question, *LESSONS)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I took 3 piano lessons.", "I took piano lessons again."),
        ("I love piano lessons.", "I took 7 piano lessons."),
        ("I took 3 piano lessons.", "I have 7 cats now."),
        ("I took 3 piano lessons in 2019.", "In 2021 I went on with the piano lessons."),
    ],
)
def test_turn_without_another_value_of_it_does_not_move(older: str, newer: str) -> None:
    assert not moves("How many piano lessons have I taken?", older, newer)


def test_bare_year_is_no_value() -> None:
    assert not moves("When is the thesis due?", "The thesis is due in 2024.", "The thesis is now due in 2025.")
    assert moves("When is the thesis due?", "The thesis is due in May 2024.", "The thesis is now due in May 2025.")


def test_values_of_other_kinds_are_not_compared() -> None:
    older, newer = "My yoga class is at 7 pm.", "My yoga class now takes 90 minutes."
    assert not moves("What time is my yoga class?", older, newer)


def test_what_another_person_says_is_no_newer_statement() -> None:
    older, newer = told(*LESSONS)
    question = "How many piano lessons have I taken?"
    for other in (replace(newer, speaker="Bob"), replace(newer, role="assistant")):
        assert reorder(question, [older, other]) == [older, other]
    assert reorder(question, [older, newer]) == [newer, older]


def test_newer_one_that_stands_above_stays() -> None:
    older, newer = told(*LESSONS)
    assert reorder("How many piano lessons have I taken?", [newer, older]) == [newer, older]


def test_position_decides_between_turns_of_one_moment() -> None:
    older, newer = told(*LESSONS)
    newer = replace(newer, reference_time=older.reference_time, position=older.position + 1)
    assert reorder("How many piano lessons have I taken?", [older, newer]) == [newer, older]


def test_two_moves_at_most_and_only_among_the_first_ten() -> None:
    question = "How many piano lessons have I taken?"
    turns = told(*(f"I have now taken {n} piano lessons." for n in range(3, 9)))
    found = reorder(question, turns)
    assert sorted(map(turns.index, found)) == list(range(6))
    assert sum(found.index(turn) < place for place, turn in enumerate(turns)) <= 2
    far = told("I took 3 piano lessons.", *(f"Note {n}" for n in range(9)), "I have now taken 7 piano lessons.")
    assert reorder(question, far) == far


def test_value_in_the_sentence_that_answers_counts_not_one_in_code() -> None:
    older = "I took 3 piano lessons.\n```\npiano lessons taken: 7\n```"
    assert moves("How many piano lessons have I taken?", older, "Nice day. I have now taken 7 piano lessons. Bye!")


def test_value_nearest_to_what_is_asked_for_counts() -> None:
    older = "I took 3 piano lessons and bought 2 hats."
    newer = "I bought 3 hats and have now taken 7 piano lessons."
    assert moves("How many piano lessons have I taken?", older, newer)


def test_letters_that_only_look_like_a_number_word_are_none() -> None:
    assert not moves(
        "How many books have I finished?", "I finished 4 books.", "I now finished my \u017fixth of the books."
    )


def test_stem_is_the_word_without_its_commonest_endings() -> None:
    assert [stem(w) for w in ("lessons", "cities", "moved", "moving", "boxes", "glass", "is")] == [
        "lesson", "city", "mov", "mov", "box", "glass", "is",
    ]  # fmt: skip

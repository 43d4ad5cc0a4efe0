"""Sentences and who says them."""

from __future__ import annotations

import pytest

from everfact.extractors.local.reading.sentences import split

TEXTS = [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("Dr. Smith met J. Doe. Fine.", ["Dr. Smith met J. Doe.", "Fine."]),
    ("I work at Acme Inc. She left.", ["I work at Acme Inc.", "She left."]),
    ("I know etc. and more.", ["I know etc. and more."]),
    ("- first\n- second\n1. third", ["first", "second", "third"]),
    ("# Title\n\nBody goes\non here.", ["Title", "Body goes\non here."]),
    ("> quoted by others\nMine.", ["Mine."]),
    ("| a | b |\nMine.", ["Mine."]),
    ("Before.\n```\ncode. more code.\n```\nAfter.", ["Before.", "After."]),
    ("~~~\nnever closed", []),
    ("これは文です。次です", ["これは文です。", "次です"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_sentences_are_cut_where_they_end(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in split(text)] == expected


@pytest.mark.parametrize(("text", "_"), TEXTS)
def test_sentences_stand_where_they_say(text: str, _: list[str]) -> None:
    assert all(text[s.start : s.start + len(s.text)] == s.text for s in split(text))


def test_a_line_may_name_its_speaker() -> None:
    found = list(split("Ana: Hello.\nBob (later): Hi. Bye.\nNote: none.", speakers=frozenset(("ana", "bob"))))
    assert [(s.speaker, s.text) for s in found] == [
        ("Ana", "Hello."),
        ("Bob", "Hi."),
        ("Bob", "Bye."),
        ("Bob", "Note: none."),
    ]


def test_a_question_is_known_by_its_mark() -> None:
    assert [s.is_question for s in split('Really? He asked "why?" Yes.')] == [True, True, False]

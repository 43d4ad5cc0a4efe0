"""Laws of the local extractor: it never fails, points into the text, and says the same twice."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everfact.extractors.local import extract_text
from everfact.models import Extraction, Phase, Source
from everfact.relations import relation_name

REFERENCE = datetime(2024, 6, 15, 12, tzinfo=UTC)
_SPOKEN = (
    "Ana Bob Stripe Rome Postgres I we she it my the a an is was no longer not will would moved works lives uses at in "
    "to from with of for and , . ? ! ( ) \" ' 's n't : ; - 3 May 2024 $12 five 3.12 weekly Monday deadline rent owner "
    "because if that who which decided switched replaced quit job engineer blocked review ``` \n > # Note: “ ” é 北京"
)
_WORDS = st.sampled_from(_SPOKEN.split(" "))
_TALK = st.lists(_WORDS, max_size=60).map(" ".join)
_TEXT = st.one_of(st.text(max_size=300), _TALK)


def extract(text: str) -> Extraction:
    return extract_text(text, reference=REFERENCE, speaker="Sam", others=("Ana",), source=Source.MESSAGE)


@given(_TEXT)
@settings(max_examples=400, deadline=None)
def test_any_text_gives_statements_that_stand_in_it(text: str) -> None:
    found = extract(text)
    for said in found.statements:
        assert said.span is not None
        start, end = said.span
        assert 0 <= start < end <= len(text)
        assert text[start:end] == said.sentence
        assert said.relation == relation_name(said.relation) != ""
        assert said.attribute
        assert said.subject.name
        assert said.invalid_at is not None if said.phase is Phase.ENDS else said.valid_at is not None
        assert 0 < said.confidence <= 1
    for command in found.commands:
        assert 0 <= command.span[0] < command.span[1] <= len(text)
    assert all(mention.name for mention in found.mentions)


@given(_TALK)
@settings(max_examples=100, deadline=None)
def test_the_same_text_says_the_same(text: str) -> None:
    assert extract(text) == extract(text)


@given(_TALK)
@settings(max_examples=100, deadline=None)
def test_a_question_states_nothing(text: str) -> None:
    words = text.replace("\n", " ")
    for mark in ".?!:;`>#\"“”'":
        words = words.replace(mark, " ")
    assert extract(f"{words.strip()} really?").statements == ()


@pytest.mark.parametrize("piece", ["Ana works at Stripe. ", "a/", "(", '"', "x", "Ana ", "`", "3.", "\n", "```\n"])
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        extract(text)
        return time.process_time() - start

    extract("warm up")
    assert seconds(80_000) < 12 * max(seconds(20_000), 0.02)

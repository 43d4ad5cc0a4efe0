"""What models send is read for what it holds, whatever is around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everfact.errors import ModelAnswerInvalid
from everfact.extractors.llm.answers import read_found, read_verdicts
from everfact.models import Verdict

ROW = {"subject": "Ana", "relation": "LIVES_IN", "object": "Rome"}
WHOLE = json.dumps({"entities": [{"name": "Ana", "type": "Person"}], "facts": [ROW, ROW]})


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f'<think>{{}} [] "facts"</think>{WHOLE}',
        f"<THINKING>hm</THINKING>\n\n{WHOLE} I hope that {{helps}}!",
        json.dumps([json.loads(WHOLE)["facts"][0]]),
        json.dumps({"output": {"result": json.loads(WHOLE)}}),
        json.dumps({"Facts": [ROW, "x", 3]}),
        WHOLE[:-20],
        "{ not json } " + WHOLE,
        json.dumps({"facts": [{**ROW, "object": 3, "kind": None, "quote": ["x"]}]}),
    ],
)
def test_facts_are_found_in_it(text: str) -> None:
    found = read_found(text)
    assert {(told.subject, told.relation) for told in found.facts} == {("Ana", "LIVES_IN")}
    assert found.facts[0].object in ("Rome", "3")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "{}",
        "[1",
        "{" * 5000,
        '{"facts": "none"}',
        '{"a": [{"b": 1}]}',
        "<think>{}",
        '{"entities": [{"name": "A"}, {"na',
    ],
)
def test_what_holds_none_is_refused(text: str) -> None:
    with pytest.raises(ModelAnswerInvalid):
        read_found(text)


def test_nothing_to_say_is_an_answer() -> None:
    found = read_found('{"entities": [], "facts": []}')
    assert (found.entities, found.facts) == ([], [])


def test_verdicts_are_taken_by_number_else_by_place() -> None:
    text = (
        '{"verdicts": [{"pair": 2, "verdict": "REPLACES"}, {"pair": 9, "verdict": "same"}, {"verdict": "who knows"}]}'
    )
    assert read_verdicts(text, 3) == [Verdict.BOTH_STAND, Verdict.REPLACES, Verdict.BOTH_STAND]
    assert read_verdicts('[{"verdict": "same"}]', 2) == [Verdict.SAME, Verdict.BOTH_STAND]
    with pytest.raises(ModelAnswerInvalid):
        read_verdicts('{"facts": 1}', 1)


@given(st.text(alphabet='{}[]":,\\ aé<>think/', max_size=60), st.integers(0, len(WHOLE)))
def test_any_text_is_read_or_refused(noise: str, cut: int) -> None:
    for text in (noise, noise + WHOLE[:cut], WHOLE[:cut] + noise):
        try:
            read_found(text)
            read_verdicts(text, 2)
        except ModelAnswerInvalid:
            continue

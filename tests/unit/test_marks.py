from __future__ import annotations

import pytest

from everfact.marks import degraded, is_model, is_worse, read_by, with_reading
from everfact.models import Episode, Extraction, Usage
from everfact.testing.builders import episode

BY_RULES = Extraction(extractor="local/1")
BY_MODEL = Extraction(extractor="llm/m", usage=Usage(calls=1))
IN_PART = Extraction(extractor="llm/m", usage=Usage(calls=2), degraded=True, reason="a piece was lost")
INSTEAD = Extraction(extractor="local/1", degraded=True)


def read(by: Extraction) -> Episode:
    return with_reading(episode(), by, by.usage)


def test_reading_by_rules_alone_leaves_no_mark() -> None:
    plain = episode()
    assert with_reading(plain, BY_RULES, Usage()) is plain
    assert (read_by(plain), degraded(plain)) == ("", "")


def test_mark_says_who_and_why_and_at_what_cost() -> None:
    assert read(BY_MODEL).attributes["reading"] == {"by": "llm/m", "calls": 1}
    assert (read_by(read(IN_PART)), degraded(read(IN_PART))) == ("llm/m", "a piece was lost")
    assert (read_by(read(INSTEAD)), degraded(read(INSTEAD))) == ("local/1", "not all of it")


@pytest.mark.parametrize("less", [BY_RULES, IN_PART, INSTEAD])
def test_less_than_a_whole_reading_by_a_model_is_worse(less: Extraction) -> None:
    assert is_worse(read(BY_MODEL), less)
    assert not is_worse(read(less), BY_MODEL)
    assert not is_worse(read(BY_MODEL), BY_MODEL)


def test_model_is_known_by_its_name() -> None:
    assert is_model("llm/openai:m")
    assert not is_model("local/1")

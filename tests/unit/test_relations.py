from __future__ import annotations

import pytest

from everfact.relations import attribute_of, is_one_at_a_time, relation_name


@pytest.mark.parametrize("words", ["works at", "worksAt", "works-at", "WORKS_AT", "Works At", "works_at"])
def test_relations_are_spelled_one_way(words: str) -> None:
    assert relation_name(words) == "WORKS_AT"
    assert attribute_of(words) == "employer"


def test_unknown_relation_speaks_of_its_own_attribute() -> None:
    assert attribute_of("isFriendOf") == "is friend of"
    assert not is_one_at_a_time("is friend of")


def test_some_attributes_have_one_value_at_a_time() -> None:
    assert is_one_at_a_time("employer")
    assert is_one_at_a_time("=budget")

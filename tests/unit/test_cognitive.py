"""KuzuMemory's kinds of memory and ours."""

import pytest

from everfact.cognitive import KNOWLEDGE, RETENTION, Cognition, cognition, cognition_of


@pytest.mark.parametrize(
    ("memory_type", "knowledge_type", "expected"),
    [
        ("semantic", "gotcha", Cognition("semantic", "gotcha", "Insight")),
        ("preference", "note", Cognition("preference", "note", "Preference")),
        ("procedural", "", Cognition("procedural", "note", "Procedure")),
        ("identity", "rule", Cognition("semantic", "rule", "Requirement")),
        ("decision", "note", Cognition("episodic", "note", "Decision")),
        ("Pattern", "", Cognition("procedural", "note", "Pattern")),
        ("working", "note", Cognition("working", "note", "")),
        ("no such kind", "no such kind", Cognition("episodic", "note", "")),
    ],
)
def test_words_of_kuzu_memory_mean_one_of_our_types(memory_type: str, knowledge_type: str, expected: Cognition) -> None:
    assert cognition(memory_type, knowledge_type) == expected


@pytest.mark.parametrize("memory_type", [*RETENTION, "identity", "decision", "pattern", "status"])
@pytest.mark.parametrize("knowledge_type", KNOWLEDGE)
def test_what_an_episode_keeps_is_read_back_as_it_was(memory_type: str, knowledge_type: str) -> None:
    known = cognition(memory_type, knowledge_type)

    assert cognition_of(known.attributes) == known


@pytest.mark.parametrize("type_", ["Preference", "Requirement", "Pattern", "Procedure", "Insight", "Decision", "Event"])
def test_an_episode_told_elsewhere_is_what_its_entities_are(type_: str) -> None:
    told = cognition_of({}, ["Person", type_])

    assert told.entity_type == type_
    assert cognition(told.memory_type, told.knowledge_type).memory_type in RETENTION


def test_an_episode_about_nothing_of_the_kind_is_a_plain_note() -> None:
    assert cognition_of({"memory_type": 3}, ["Person"]) == Cognition("semantic", "note", "")

"""The official memory server's file, and mem0's."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.importers.samples import SAMPLES, facts_by_sentence, moved_in, skipped, told

from everfact import Memory
from everfact.importers.records import moment
from everfact.models import JSON, Filter, Query, Source

Written = Callable[[str], Path]


async def test_observations_and_relations_become_facts(memory: Memory) -> None:
    await moved_in(memory, SAMPLES / "memory.json")

    facts = await facts_by_sentence(memory)
    entities = {entity.uuid: entity for entity in await memory.entities(Filter(group_ids=("main",)))}
    works = facts["Ana_Silva works at Lumen Labs"]
    assert (works.relation, entities[works.object_uuid or ""].name) == ("WORKS_AT", "Lumen Labs")
    assert entities[works.subject_uuid].types == ("person",)
    answer = await memory.search(Query(text="who is allergic to peanuts?"))
    assert answer.facts[0].sentence == "Ben Okafor: Allergic to peanuts"


async def test_observations_stand_side_by_side(memory: Memory) -> None:
    await moved_in(memory, SAMPLES / "memory.json")

    observed = [each for each in (await facts_by_sentence(memory)).values() if each.relation == "OBSERVATION"]
    assert len(observed) == 6
    assert not [each for each in observed if each.disputed or each.invalid_at]


def test_a_memory_file_was_told_when_it_was_written(written: Written) -> None:
    file = written('{"type":"entity","name":"Ana","entityType":"person","observations":[]}\n' * 2)
    os.utime(file, (1_767_225_600, 1_767_225_600))

    [ana] = told(file)
    assert ana.reference_time == datetime(2026, 1, 1, tzinfo=UTC)
    assert [(said.subject.name, said.relation) for said in ana.statements] == [("Ana", "")]


async def test_what_was_added_to_a_memory_file_comes_with_the_next_import(memory: Memory, written: Written) -> None:
    await moved_in(memory, SAMPLES / "memory.json")
    text = (SAMPLES / "memory.json").read_text(encoding="utf-8")
    await moved_in(memory, written(text.replace('"Allergic to peanuts"', '"Allergic to peanuts","Left-handed"')))

    assert "Ben Okafor: Left-handed" in await facts_by_sentence(memory)
    assert (await memory.status()).episodes == 4


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"type":"relation","from":"","to":"b","relationType":"knows"}', "lacks from, relationType or to"),
        ('{"type":"relation","from":"a","to":"b","relationType":"?!"}', "lacks from, relationType or to"),
        ('{"type":"entity","name":"","entityType":"x"}', "no entity with a name"),
        ('{"type":"entity","name":"a","entityType":"x","observations":[1]}', "no list of texts"),
        ('{"type":"entity","name":"a"', "no JSON"),
    ],
)
def test_a_line_that_cannot_be_used_is_skipped_by_its_place(written: Written, line: str, reason: str) -> None:
    file = written(f'{{"type":"entity","name":"b","entityType":"x","observations":[]}}\n{line}')

    [only] = skipped(file)
    assert only.place == "line 2"
    assert reason in only.reason


async def test_memories_of_mem0_are_the_users_words(memory: Memory) -> None:
    await moved_in(memory, SAMPLES / "mem0.json")

    facts = await facts_by_sentence(memory)
    entities = {entity.uuid: entity for entity in await memory.entities(Filter(group_ids=("main",)))}
    rent = facts["My rent is 1,500 euros"]
    assert "ana" in (entities[rent.subject_uuid].name, *entities[rent.subject_uuid].aliases)
    assert rent.valid_at == datetime(2026, 11, 18, 19, 14, 31, 709394, tzinfo=UTC)  # when it was last changed


def test_a_memory_of_mem0_keeps_whose_it_is_and_how_it_was_sorted(written: Written) -> None:
    file = written(
        '{"memories": [{"id": "m 1", "memory": "Likes tea", "user_id": "ana@x.org", "run_id": "r", '
        '"categories": ["food"], "metadata": {"k": 1}, "created_at": "2025-01-02T03:04:05-07:00", "updated_at": null}]}'
    )

    [tea] = told(file)
    assert (tea.speaker, tea.thread, tea.source) == ("ana@x.org", "r", Source.MESSAGE)
    assert tea.reference_time == datetime(2025, 1, 2, 10, 4, 5, tzinfo=UTC)
    assert tea.attributes["categories"] == ["food"]
    assert tea.attributes["metadata"] == {"k": 1}
    assert tea.uuid == told(file)[0].uuid != "m 1"


async def test_characters_that_no_store_keeps_are_left_out(memory: Memory, written: Written) -> None:
    await moved_in(
        memory, written('[{"id": "a", "memory": "Tea\\ud83d\\u0000 at five", "metadata": {"k": ["\\udc00"]}}]')
    )

    [tea] = await memory.episodes(Filter(group_ids=("main",)))
    assert (tea.content, tea.attributes["metadata"]) == ("Tea? at five", {"k": ["?"]})


def test_a_number_is_read_whole_wherever_a_piece_of_the_file_ends(written: Written) -> None:
    memories = [{"id": f"m{n}", "created_at": 1735727400, "memory": "x" * (1 + n % 89)} for n in range(3000)]

    assert {draft.reference_time for draft in told(written(json.dumps(memories)))} == {NEW_YEAR}


def test_a_memory_of_mem0_without_text_is_skipped_by_its_place(written: Written) -> None:
    file = written('[{"id": "a", "memory": "Likes tea"}, {"id": "b", "memory": ""}, {"id": "c", "memory": [1]}]')

    assert [(each.place, each.reason) for each in skipped(file)] == [
        ("item 2", "it has no memory"),
        ("item 3", "its memory is no text"),
    ]


NEW_YEAR = datetime(2025, 1, 1, 10, 30, tzinfo=UTC)
PARTS: dict[str, JSON] = {"year": 2025, "month": 1, "day": 1, "hour": 11, "minute": 30}


@pytest.mark.parametrize(
    "value",
    [
        "2025-01-01T10:30Z",
        "2025-01-01T10:30:00",
        "2025-01-01T10:30:00.000000000+00:00",
        "2025-01-01T11:30+01:00[Europe/Paris]",
        1735727400,
        1735727400000,
        {"$type": "OffsetDateTime", "_value": "2025-01-01T10:30:00Z"},
        {**PARTS, "timeZoneOffsetSeconds": 3600},
        {**{name: {"low": part, "high": 0} for name, part in PARTS.items()}, "timeZoneOffsetSeconds": {"low": 3600}},
        {
            "_DateTime__date": {"_Date__year": 2025, "_Date__month": 1, "_Date__day": 1},
            "_DateTime__time": {"_Time__hour": 10, "_Time__minute": 30, "_Time__second": 0, "_Time__nanosecond": 0},
        },
    ],
)
def test_a_time_is_read_however_a_driver_writes_it(value: JSON) -> None:
    assert moment({"at": value}, "at") == NEW_YEAR

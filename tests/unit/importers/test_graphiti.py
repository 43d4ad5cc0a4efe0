"""Graphiti's graphs: the same one out of four kinds of file, and the odd things that old databases hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.importers.samples import SAMPLES, facts_by_sentence, moved_in, skipped, told

from everfact import Memory
from everfact.importers import read
from everfact.importers.graphiti import Edge, Node, drafts
from everfact.models import JSON, Draft, Filter, Query, Skipped, Source, Statement

GRAPHS = ["graphiti-neo4j.jsonl", "graphiti-neo4j.cypher", "graphiti-neo4j-plain.cypher", "graphiti-answers.json"]

Written = Callable[[str], Path]


def day(year: int, month: int, number: int, hour: int = 0) -> datetime:
    return datetime(year, month, number, hour, tzinfo=UTC)


def node(uuid: str, *labels: str, **properties: JSON) -> Node:
    given: dict[str, JSON] = {"uuid": uuid, "name": uuid.title(), **properties}
    return Node(place=uuid, key="", labels=labels or ("Entity",), properties=given)


def fact(start: str, end: str, **properties: JSON) -> Edge:
    given: dict[str, JSON] = {"uuid": f"{start}-{end}", "name": "KNOWS", "fact": f"{start} knows {end}", **properties}
    return Edge(place=f"{start}-{end}", type="RELATES_TO", start=start, end=end, properties=given)


def statements(records: list[Node | Edge | Skipped]) -> list[Statement]:
    found = [each for each in drafts(records) if isinstance(each, Draft)]
    return [said for draft in found for said in draft.statements if said.relation]


def test_every_dump_of_one_graph_tells_the_same() -> None:
    first, second, third = (sorted(map(str, told(SAMPLES / name))) for name in GRAPHS[:3])

    assert first == second == third


@pytest.mark.parametrize("name", GRAPHS)
async def test_facts_come_with_the_times_they_had(memory: Memory, name: str) -> None:
    await moved_in(memory, SAMPLES / name)
    facts = await facts_by_sentence(memory)

    works = facts["Ana Silva works at Lumen Labs."]
    before, after = (facts[f"Harbor stores its data in {where}."] for where in ("MySQL 8", "Postgres 16"))
    assert (works.valid_at, works.invalid_at) == (day(2025, 3, 3), None)
    assert (before.valid_at, before.invalid_at) == (day(2024, 5, 1), day(2026, 2, 1))
    assert (after.valid_at, after.invalid_at) == (day(2026, 2, 1), None)


@pytest.mark.parametrize("name", GRAPHS)
async def test_what_graphiti_took_back_has_ended_when_it_did(memory: Memory, name: str) -> None:
    await moved_in(memory, SAMPLES / name)

    gone = (await facts_by_sentence(memory))["Ben Okafor maintains Harbor."]
    assert gone.invalid_at == day(2026, 3, 1, 8)
    asked = Query(text="who maintains Harbor", group_ids=("harbor",))
    assert gone.uuid not in {each.uuid for each in (await memory.search(asked)).facts}


@pytest.mark.parametrize("name", GRAPHS)
async def test_a_duplicate_is_another_name_and_no_fact(memory: Memory, name: str) -> None:
    await moved_in(memory, SAMPLES / name)

    entities = {entity.name: entity for entity in await memory.entities(Filter(group_ids=("harbor",)))}
    assert entities["Ben Okafor"].aliases == ("B. Okafor",)
    assert "B. Okafor" not in entities
    facts = await facts_by_sentence(memory)
    assert not [each for each in facts.values() if each.relation == "IS_DUPLICATE_OF"]
    assert facts["B. Okafor reviews Harbor."].subject_uuid == entities["Ben Okafor"].uuid


@pytest.mark.parametrize("name", GRAPHS)
async def test_types_summaries_and_attributes_come_along(memory: Memory, name: str) -> None:
    await moved_in(memory, SAMPLES / name)

    entities = {entity.name: entity for entity in await memory.entities(Filter(group_ids=("harbor",)))}
    assert entities["Ana Silva"].types == ("Person",)
    assert entities["Porto"].types == ("Location",)
    assert entities["HX-12"].types == ()
    facts = {(each.relation, each.value.text) for each in (await facts_by_sentence(memory)).values() if each.value}
    assert facts == {("ROLE", "staff engineer"), ("YEARS", "7")}
    found = await memory.search(Query(text="who speaks Portuguese", group_ids=("harbor",)))
    assert any('she speaks "Portuguese"' in episode.content for episode in found.episodes)


async def test_episodes_keep_their_ids_times_and_thread(memory: Memory) -> None:
    await moved_in(memory, SAMPLES / GRAPHS[0])

    episodes = {each.name: each for each in await memory.episodes(Filter(group_ids=("harbor",)), limit=50)}
    assert episodes["Standup"].uuid == "00000001-aaaa-4bbb-8ccc-000000000001"
    assert episodes["Standup"].reference_time == day(2025, 3, 10, 9)
    threads = {name: (each.thread, each.position) for name, each in episodes.items() if each.thread}
    assert threads == {"Standup": ("storage move", 1), "Release note": ("storage move", 2)}
    assert episodes["Ticket"].source is Source.JSON


async def test_a_fact_is_supported_by_every_episode_that_said_it(memory: Memory) -> None:
    await moved_in(memory, SAMPLES / GRAPHS[0])

    facts = await facts_by_sentence(memory)
    assert {uuid[:8] for uuid in facts["B. Okafor reviews Harbor."].episodes} == {"00000002", "00000003"}


def test_an_episode_names_whom_it_mentions() -> None:
    ticket = next(draft for draft in told(SAMPLES / GRAPHS[0]) if draft.name == "Ticket")

    assert [said.subject.name for said in ticket.statements if not said.relation] == ["Porto"]


def test_attributes_of_a_fact_are_kept_with_its_episode() -> None:
    standup = next(draft for draft in told(SAMPLES / GRAPHS[0]) if draft.name == "Standup")

    [kept] = standup.attributes["facts"].values()  # type: ignore[union-attr]
    assert kept == {"fact": "Ana Silva works at Lumen Labs.", "title": "staff engineer"}


def test_a_group_that_is_no_name_is_skipped_unless_another_is_asked_for() -> None:
    records: list[Node | Edge | Skipped] = [node("ana", group_id="team 7")]

    assert [each.place for each in drafts(records) if isinstance(each, Skipped)] == ["ana"]
    assert [each.group_id for each in drafts(records, group="team-7") if isinstance(each, Draft)] == ["team-7"]


def test_facts_of_another_group_do_not_join_an_episode() -> None:
    told_here = node("talk", "Episodic", content="hello", group_id="here")
    there = fact("ana", "bob", episodes=["talk"], group_id="there")

    found = [each for each in drafts([told_here, node("ana"), node("bob"), there]) if isinstance(each, Draft)]

    assert [(each.group_id, len(each.statements)) for each in found] == [("here", 0), ("there", 1)]


def test_old_labels_that_told_groups_apart_are_no_types() -> None:
    found = [each for each in drafts([node("ana", "Entity", "Entity_8d3f", "Person")]) if isinstance(each, Draft)]

    assert [said.subject.type for draft in found for said in draft.statements] == ["Person"]


def test_every_type_of_an_entity_is_kept() -> None:
    records = [node("ana", "Entity", "Person", "Engineer"), node("bob"), fact("ana", "bob")]

    [about] = [each for each in drafts(records) if isinstance(each, Draft) and each.name == "Ana"]
    assert [said.subject.type for said in about.statements] == ["Person", "Engineer"]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({"valid_at": "2025-01-02", "invalid_at": "2025-01-01"}, (None, day(2025, 1, 1))),
        ({"valid_at": "2025-01-02", "expired_at": "2025-01-03"}, (day(2025, 1, 2), day(2025, 1, 3))),
        ({"expired_at": "2025-01-03", "invalid_at": "2025-01-01"}, (None, day(2025, 1, 1))),
        ({}, (None, None)),
    ],
)
def test_a_fact_ends_when_it_did_for_graphiti(
    times: dict[str, JSON], expected: tuple[datetime | None, datetime | None]
) -> None:
    [said] = statements([node("ana"), node("bob"), fact("ana", "bob", **times)])

    assert (said.valid_at, said.invalid_at) == expected


def test_duplicates_in_a_circle_are_one() -> None:
    edges = [fact(a, b, name="IS_DUPLICATE_OF") for a, b in (("ana", "bob"), ("bob", "cy"), ("cy", "ana"))]
    records = [node("ana"), node("bob"), node("cy"), node("dan"), *edges, *(fact(x, "dan") for x in ("ana", "bob"))]

    assert len({said.subject.uuid for said in statements(records)}) == 1


def test_two_that_are_each_a_duplicate_of_one_are_one() -> None:
    edges = [fact("ana", "bob", name="IS_DUPLICATE_OF"), fact("ana", "cy", name="IS_DUPLICATE_OF", uuid="second")]
    records = [node("ana"), node("bob"), node("cy"), node("dan"), *edges, *(fact(x, "dan") for x in ("ana", "bob"))]

    assert {said.subject.uuid for said in statements(records)} == {"cy"}


def test_a_fact_that_names_no_group_is_in_that_of_its_entity() -> None:
    records = [node("ana", group_id="here"), node("bob", group_id="here"), fact("ana", "bob")]

    assert {each.group_id for each in drafts(records) if isinstance(each, Draft)} == {"here"}


def test_endpoints_are_found_by_either_spelling() -> None:
    for spelling in (("source_node_uuid", "target_node_uuid"), ("source_uuid", "target_uuid")):
        ends = dict(zip(spelling, ("ana", "bob"), strict=True))
        bare = replace(fact("ana", "bob", **ends), start="", end="")
        [said] = statements([node("ana"), node("bob"), bare])
        assert isinstance(said.object, type(said.subject))
        assert (said.subject.uuid, said.object.uuid) == ("ana", "bob")


def test_an_episode_whose_text_was_not_kept_has_the_words_of_its_facts() -> None:
    talk = node("talk", "Episodic", content="", source="json")

    found = list(drafts([talk, node("ana"), node("bob"), fact("ana", "bob", episodes=["talk"])]))

    assert [(each.content, each.source) for each in found if isinstance(each, Draft)] == [
        ("ana knows bob", Source.TEXT)
    ]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (node("", "Entity"), "it has no uuid"),
        (node("x", "Entity", name=""), "it has no name"),
        (node("x", "Entity", name=["x"]), "its name is no text"),
        (node("x", "Episodic", content="", created_at="2025-01-01"), "it has neither text nor facts"),
        (node("x", "Episodic", content="hi", valid_at="soon"), "its valid_at is no time: soon"),
        (fact("ana", "x"), "its entity x is not in the file; add the nodes to it"),
        (fact("ana", "ana", valid_at={"year": "x"}), "its valid_at is no time: {'year': 'x'}"),
        (fact("ana", "ana", episodes=3), "its episodes is no list of texts"),
        (
            Edge(place="x", type="LIKES", start="ana", end="ana", properties={}),
            "nothing is known of a relationship LIKES",
        ),
    ],
)
def test_a_record_that_cannot_be_used_says_why(record: Node | Edge, reason: str) -> None:
    found = [each for each in drafts([node("ana"), record]) if isinstance(each, Skipped)]

    assert found == [Skipped(place=record.place, reason=reason)]


def test_what_a_reader_skipped_is_handed_on() -> None:
    assert list(drafts([Skipped(place="line 1", reason="no JSON")])) == [Skipped(place="line 1", reason="no JSON")]


def test_answers_of_several_tools_may_stand_in_one_file(written: Written) -> None:
    whole = json.loads((SAMPLES / "graphiti-answers.json").read_text(encoding="utf-8"))
    apart = [{"message": "found", name: records} for name, records in whole.items()]

    assert told(written(json.dumps(apart))) == told(SAMPLES / "graphiti-answers.json")
    assert told(written("\n".join(map(json.dumps, apart)))) == told(SAMPLES / "graphiti-answers.json")


def test_facts_without_their_nodes_are_skipped_each(written: Written) -> None:
    whole = json.loads((SAMPLES / "graphiti-answers.json").read_text(encoding="utf-8"))
    file = written(json.dumps({"message": "Facts", "facts": whole["facts"]}))

    assert len(skipped(file)) == len(whole["facts"])
    assert "add the nodes" in skipped(file)[0].reason


CYPHER = """
CREATE INDEX ON :Entity(uuid);
// people
MERGE (a:Entity:Person {uuid: 'a', name: 'Ana "A." Silva', since: datetime({epochMillis: 1735689600000})});
CREATE (:Entity {uuid:"b", name:"Bob\\u0020Ray", `odd key`: [1, -2.5, true, null, vecf32([0.1])]});
MATCH (a {uuid: 'a'}), (b {uuid: 'b'}) CREATE (a)<-[:RELATES_TO {uuid: 'f', name: 'KNOWS', fact: 'Bob; knows
Ana', valid_at: '2025-01-01T00:00:00Z'}]-(b);
MERGE (c:Entity {uuid: 'c'}) ON CREATE SET c.name = 'Cy', c:Person;
"""


def test_a_script_by_hand_is_read_too(written: Written) -> None:
    found = told(written(CYPHER))

    said = [each for draft in found for each in draft.statements]
    names = {each.subject.uuid: (each.subject.name, each.subject.type) for each in said}
    assert names == {"a": ('Ana "A." Silva', "Person"), "b": ("Bob Ray", ""), "c": ("Cy", "Person")}
    [knows] = [each for each in said if each.relation == "KNOWS"]
    assert (knows.subject.uuid, knows.sentence, knows.valid_at) == ("b", "Bob; knows\nAna", day(2025, 1, 1))


@pytest.mark.parametrize(
    "statement",
    ["CREATE (:Entity {uuid: $u});", "CREATE (:Entity {uuid: 'x'", "CREATE (a)-[:X]=(b);", "CREATE (a {b 1});"],
)
def test_a_statement_that_cannot_be_read_costs_only_itself(written: Written, statement: str) -> None:
    first = "CREATE (:Entity {uuid:'b', name:'Bob'});\n"

    found = list(read(written(f"{first}{statement}")))

    assert [each.place for each in found if isinstance(each, Skipped)] == ["line 2"]
    assert len(found) == 2

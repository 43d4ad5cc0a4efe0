"""add_memory, add_facts, add_triplet: what is told is kept, at once and once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.server.talk import Refused, Talk, talk

from everfact.server.host import Place


async def test_what_is_told_is_found_before_it_is_digested(tmp_path: Path, era: str) -> None:
    async with talk(tmp_path / "m.db", era=era, works=False) as agent:
        added = await agent.ask("add_memory", name="lunch", episode_body="Zebras eat thistles.")
        assert added["status"] == "pending"
        found = await agent.ask("search", query="thistles")
        assert [hit["episode"]["uuid"] for hit in found["results"] if hit["type"] == "episode"] == [added["uuid"]]


async def test_the_worker_in_the_server_digests_what_was_told(agent: Talk) -> None:
    added = await agent.ask("add_memory", name="job", episode_body="Ana Costa works at Globex.")
    async with asyncio.timeout(30):
        while (await agent.ask("get_status"))["queue"]["pending"]:
            await asyncio.sleep(0.02)
    came = await agent.ask("get_episode_entities", episode_uuids=[added["uuid"]])
    assert {node["name"] for node in came["nodes"]} == {"Ana Costa", "Globex"}
    assert [edge["name"] for edge in came["edges"]] == ["WORKS_AT"]


async def test_waiting_answers_when_facts_are_there(agent: Talk) -> None:
    assert (await agent.tell("Ana Costa works at Globex.", "2026-03-01"))["status"] == "done"
    facts = (await agent.ask("search_memory_facts", query="Where does Ana Costa work?"))["facts"]
    assert facts[0]["fact"] == "Ana Costa works at Globex."
    assert facts[0]["valid_at"] == "2026-03-01T00:00:00Z"


async def test_telling_the_same_with_the_same_time_is_one_telling(agent: Talk) -> None:
    first = await agent.ask("add_memory", name="n", episode_body="Tea is ready.", reference_time="2026-03-01T09:00:00Z")
    again = await agent.ask("add_memory", name="n", episode_body="Tea is ready.", reference_time="2026-03-01T09:00:00Z")
    assert again["uuid"] == first["uuid"]
    other = await agent.ask("add_memory", name="n", episode_body="Tea is ready.")
    assert other["uuid"] != first["uuid"]


async def test_an_unknown_uuid_makes_and_a_known_one_replaces(agent: Talk) -> None:
    uuid = "11111111-2222-4333-8444-555555555555"
    made = await agent.tell("Ana Costa works at Globex.", uuid=uuid)
    assert made["uuid"] == uuid
    await agent.tell("Ana Costa works at Initech.", uuid=uuid)
    episodes = (await agent.ask("get_episodes"))["episodes"]
    assert [(e["uuid"], e["content"]) for e in episodes] == [(uuid, "Ana Costa works at Initech.")]
    history = await agent.ask("get_history", entity="Ana Costa")
    assert [fact["fact"] for fact in history["facts"]] == ["Ana Costa works at Initech."]


async def test_the_description_of_uuid_tells_models_never_to_invent_one(agent: Talk) -> None:
    tools = {tool.name: tool for tool in (await agent.client.list_tools()).tools}
    properties: dict[str, Any] = tools["add_memory"].input_schema["properties"]
    assert "NEVER invent" in properties["uuid"]["description"]


async def test_json_must_parse(agent: Talk) -> None:
    with pytest.raises(Refused, match="this is no JSON"):
        await agent.ask("add_memory", name="j", episode_body="{no", source="json")
    assert (await agent.ask("get_status"))["episodes"] == 0
    body = json.dumps({"name": "Ana Costa", "email": "ana@example.com"})
    assert (await agent.tell(body, source="json"))["status"] == "done"


async def test_null_is_as_good_as_left_out(agent: Talk) -> None:
    nothing = dict.fromkeys(
        ("group_id", "source", "source_description", "uuid", "reference_time", "filepath", "facts", "saga")
    )
    added = await agent.ask("add_memory", name="n", episode_body="Tea is ready.", **nothing)
    assert added["uuid"]
    assert (await agent.ask("search_nodes", query="tea", group_ids=None, entity_types=None, entity=None))["nodes"] == []


async def test_facts_given_with_a_text_are_kept_as_they_are(agent: Talk) -> None:
    fact = {"subject": "Ana Costa", "relation": "prefers", "object": "tea", "fact": "Ana would rather have tea."}
    added = await agent.tell("We talked about drinks.", facts=[fact])
    came = await agent.ask("get_episode_entities", episode_uuids=added["uuid"])
    assert [edge["fact"] for edge in came["edges"]] == ["Ana would rather have tea."]


async def test_add_facts_says_what_was_created_merged_and_ended(agent: Talk) -> None:
    works = {"subject": "Ana Costa", "relation": "works at", "object": "Globex", "valid_at": "2026-01-01"}
    first = await agent.ask("add_facts", facts=[works])
    assert [fact["name"] for fact in first["created"]] == ["WORKS_AT"]
    again = await agent.ask("add_facts", facts=[works])
    assert (len(again["created"]), len(again["merged"]), len(again["ended"])) == (0, 1, 0)
    moved = await agent.ask("add_facts", facts=[works | {"object": "Initech", "valid_at": "2026-06-01"}])
    assert [fact["fact"] for fact in moved["ended"]] == ["Ana Costa works at Globex"]
    assert moved["ended"][0]["invalid_at"] == "2026-06-01T00:00:00Z"


async def test_a_value_is_no_entity(agent: Talk) -> None:
    rent = {"subject": "The flat", "relation": "rent", "object": "900 EUR", "object_type": "value"}
    made = (await agent.ask("add_facts", facts=[rent]))["created"][0]
    assert made["target_node_uuid"] == ""
    assert made["attributes"]["value"]["text"] == "900 EUR"


async def test_a_triplet_takes_times_and_answers_as_graphiti_does(agent: Talk) -> None:
    made = await agent.ask(
        "add_triplet",
        source_node_name="Ana Costa",
        edge_name="WORKS_AT",
        fact="Ana Costa works at Globex",
        target_node_name="Globex",
        valid_at="2026-01-01",
    )
    assert {node["name"] for node in made["nodes"]} == {"Ana Costa", "Globex"}
    assert made["edges"][0]["valid_at"] == "2026-01-01T00:00:00Z"


async def test_a_file_is_written_in_the_project(tmp_path: Path, era: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    async with talk(tmp_path / "m.db", era=era, place=Place(project=project)) as agent:
        added = await agent.tell("Decided: SQLite.", filepath="notes/{hash}.md")
        assert (project / added["filepath"]).read_text(encoding="utf-8") == "Decided: SQLite."
        with pytest.raises(Refused, match=r"holds '\.\.'"):
            await agent.tell("x", filepath="../out.md")
        assert (await agent.ask("get_status"))["episodes"] == 1


async def test_over_http_no_file_is_written_without_an_export_root(tmp_path: Path) -> None:
    async with talk(tmp_path / "m.db", place=Place(project=tmp_path, is_remote=True)) as agent:
        with pytest.raises(Refused, match="writes no files"):
            await agent.tell("x", filepath="note.md")


async def test_a_secret_is_warned_about_by_kind_never_by_value(agent: Talk) -> None:
    added = await agent.tell("The key is AKIAIOSFODNN7EXAMPLE.")
    assert "AWS" in added["warnings"][0]
    assert "AKIA" not in json.dumps(added)


async def test_communities_are_rebuilt_on_request(agent: Talk) -> None:
    added = await agent.ask(
        "add_memory",
        name="n",
        episode_body="Ana Costa works at Globex. Bo Ek works at Globex.",
        update_communities=True,
    )
    assert added["status"] == "done"
    assert (await agent.ask("get_entities_by_type", entity_types="Community"))["nodes"]


async def test_hints_that_only_a_model_follows_are_said_to_be_so(agent: Talk) -> None:
    added = await agent.tell("Tea.", custom_extraction_instructions="only drinks")
    assert "only extraction by a model" in added["warnings"][0]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"episode_body": "x"}, "name: Field required"),
        ({"name": "n", "episode_body": "  "}, "there is nothing to remember"),
        ({"name": "n", "episode_body": "x", "group_id": "a/b"}, "is no name of a group"),
        ({"name": "n", "episode_body": "x", "uuid": "../x y"}, "is no uuid"),
        ({"name": "n", "episode_body": "x", "reference_time": "soon"}, "reference_time is no time"),
        ({"name": "n", "episode_body": "x", "source": "csv"}, "source: Input should be 'text', 'json' or 'message'"),
        ({"name": "n", "episode_body": "x", "groupid": "a"}, "did you mean 'group_id'"),
        ({"name": "n", "episode_body": "x", "facts": [{"subject": "a"}]}, "facts.0.relation: Field required"),
        ({"name": "n", "episode_body": "x" * 1_000_001}, "send it in parts"),
    ],
)
async def test_bad_input_says_what_to_do_and_keeps_nothing(
    agent: Talk, arguments: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(Refused, match=complaint):
        await agent.ask("add_memory", **arguments)
    assert (await agent.ask("get_status"))["episodes"] == 0


async def test_arguments_of_the_clients_own_do_no_harm(agent: Talk) -> None:
    assert await agent.ask("add_memory", name="n", episode_body="Tea.", sessionId="s", toolCallId="t")

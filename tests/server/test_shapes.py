"""What a client of Graphiti's own server reads out of results is there, under the same names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.server.talk import Talk, talk

from everfact.server.app import INSTRUCTIONS

NODE = {"uuid", "name", "labels", "created_at", "summary", "group_id", "attributes"}
EDGE = {
    "uuid",
    "group_id",
    "source_node_uuid",
    "target_node_uuid",
    "name",
    "fact",
    "episodes",
    "created_at",
    "expired_at",
    "valid_at",
    "invalid_at",
    "attributes",
}
EPISODE = {"uuid", "name", "content", "created_at", "source", "source_description", "group_id"}


async def test_results_have_graphitis_field_names(agent: Talk) -> None:
    added = await agent.tell("Ana Costa works at Globex.", saga="office")
    assert added.keys() >= {"message", "uuid", "status"}
    nodes = await agent.ask("search_nodes", query="Ana Costa")
    assert nodes.keys() == {"message", "nodes"}
    assert nodes["nodes"][0].keys() == NODE
    facts = await agent.ask("search_memory_facts", query="Ana Costa")
    assert facts.keys() == {"message", "facts", "hidden"}
    assert facts["facts"][0].keys() >= EDGE
    assert (await agent.ask("get_entity_edge", uuid=facts["facts"][0]["uuid"])).keys() >= EDGE
    episodes = await agent.ask("get_episodes")
    assert episodes.keys() == {"message", "episodes"}
    assert episodes["episodes"][0].keys() >= EPISODE
    came = await agent.ask("get_episode_entities", episode_uuids=[added["uuid"]])
    assert came.keys() == {"message", "nodes", "edges"}
    triplet = await agent.ask(
        "add_triplet", source_node_name="A", edge_name="KNOWS", fact="A knows B", target_node_name="B"
    )
    assert triplet.keys() == {"message", "nodes", "edges"}
    built = await agent.ask("build_communities")
    assert built.keys() == {"message", "community_count", "edge_count", "communities"}
    assert (await agent.ask("summarize_saga", saga_name="office")).keys() == {"message", "uuid", "name", "summary"}
    assert (await agent.ask("get_status")).keys() >= {"status", "message"}
    health = await agent.ask("health_check")
    assert health.keys() == {
        "status",
        "database_connected",
        "last_successful_connection",
        "consecutive_failures",
        "queue",
    }
    compared = await agent.ask(
        "compare_facts_over_time", query="Ana Costa", start_time="2026-01-01", end_time="2026-02-01"
    )
    assert compared.keys() == {"facts_from_start", "facts_at_end", "facts_invalidated", "facts_added", "summary"}
    assert (await agent.ask("delete_episode", uuid=added["uuid"])).keys() >= {"message"}
    assert (await agent.ask("clear_graph")).keys() == {"message"}


async def test_results_are_wrapped_on_request_all_but_the_status(tmp_path: Path, era: str) -> None:
    async with talk(tmp_path / "m.db", era=era, wrap_results=True) as agent:
        added = await agent.tell("Ana Costa works at Globex.")
        assert added.keys() == {"result"}
        assert (await agent.ask("search_nodes", query="Ana Costa"))["result"]["nodes"]
        assert (await agent.ask("get_status"))["status"] == "ok"
        for tool in (await agent.client.list_tools()).tools:
            if tool.output_schema is not None and tool.name != "get_status":
                assert tool.output_schema["required"] == ["result"]


async def test_every_tool_says_what_it_is_and_what_it_does(agent: Talk) -> None:
    tools = (await agent.client.list_tools()).tools
    assert len(tools) == 28
    for tool in tools:
        assert tool.title
        assert len(tool.description or "") > 20
        assert tool.annotations is not None
        assert tool.annotations.open_world_hint is False
        assert None not in (tool.annotations.read_only_hint, tool.annotations.destructive_hint)
        assert tool.input_schema["type"] == "object"
        assert (tool.output_schema is None) == (tool.name == "get_context")
        for name, schema in tool.input_schema.get("properties", {}).items():
            assert "description" in schema, f"{tool.name}.{name}"


async def test_hints_tell_readers_from_writers_and_wipers(agent: Talk) -> None:
    tools = {tool.name: tool.annotations for tool in (await agent.client.list_tools()).tools}
    readers = {name for name, hints in tools.items() if hints and hints.read_only_hint}
    assert readers == {
        name for name in tools if name.startswith(("search", "get_", "explain", "compare", "health", "summarize"))
    }
    wipers = {name for name, hints in tools.items() if hints and hints.destructive_hint}
    assert wipers == {"delete_entity_edge", "delete_episode", "undo_change", "clear_graph"}


def test_instructions_are_short() -> None:
    assert len(INSTRUCTIONS) < 4_000


PARAMETERS: dict[str, dict[str, Any]] = {
    "add_memory": {
        "name": ...,
        "episode_body": ...,
        "group_id": "",
        "source": "text",
        "source_description": "",
        "uuid": "",
        "reference_time": "",
        "filepath": "",
        "facts": [],
        "excluded_entity_types": [],
        "custom_extraction_instructions": "",
        "previous_episode_uuids": [],
        "saga": "",
        "saga_previous_episode_uuid": "",
        "update_communities": False,
        "wait": False,
    },
    "add_triplet": {
        "source_node_name": ...,
        "edge_name": ...,
        "fact": ...,
        "target_node_name": ...,
        "group_id": "",
        "source_node_uuid": "",
        "target_node_uuid": "",
        "valid_at": "",
        "invalid_at": "",
    },
    "search": {"query": ..., "limit": 10, "include_history": False, "max_tokens": None},
    "search_nodes": {"query": ..., "max_nodes": 10, "entity_types": [], "entity": "", "center_node_uuid": ""},
    "search_memory_facts": {
        "query": ...,
        "max_facts": 10,
        "center_node_uuid": "",
        "edge_types": [],
        "valid_at_after": "",
        "valid_at_before": "",
        "invalid_at_after": "",
        "invalid_at_before": "",
        "valid_at": "",
        "known_at": "",
        "include_history": False,
    },
    "get_entities_by_type": {"entity_types": ..., "max_entities": 20, "query": ""},
    "compare_facts_over_time": {"query": ..., "start_time": ..., "end_time": ..., "max_facts_per_period": 10},
    "get_episodes": {"max_episodes": 10, "last_n": None},
    "get_episode_entities": {"episode_uuids": ...},
    "summarize_saga": {"saga_name": ..., "group_id": ""},
    "clear_graph": {"confirm": None},
    "correct_fact": {"uuid": ..., "fact": "", "object": "", "valid_at": "", "invalid_at": "", "why": ""},
    "resolve_dispute": {"uuid": "", "keep": ""},
    "merge_entities": {"keep": ..., "merge": ...},
    "split_entity": {"entity": ..., "aliases": ...},
    "get_history": {"entity": "", "fact": ""},
    "get_context": {"query": "", "max_tokens": None},
    "add_facts": {"facts": ..., "group_id": "", "source_description": ""},
}


async def test_parameters_have_their_names_and_defaults(tmp_path: Path) -> None:
    async with talk(tmp_path / "m.db") as agent:
        listed = {found.name: found.input_schema for found in (await agent.client.list_tools()).tools}
    for tool, parameters in PARAMETERS.items():
        properties, required = listed[tool].get("properties", {}), listed[tool].get("required", [])
        for name, default in parameters.items():
            assert (name in required) == (default is ...), (tool, name)
            if default is not ...:
                assert properties[name].get("default") == default, (tool, name)


async def test_tools_that_look_in_groups_take_both_spellings(agent: Talk) -> None:
    for tool in (await agent.client.list_tools()).tools:
        if "group_ids" in tool.input_schema.get("properties", {}):
            assert "group_id" in tool.input_schema["properties"], tool.name

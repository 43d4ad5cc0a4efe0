"""Whatever arguments a client sends, a tool answers or says what is wrong: no crash, no hang, no other error."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.server.talk import talk

_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_WORDS = st.sampled_from(
    [
        "",
        "main",
        "Ana Costa",
        "2026-03-01",
        "9999-12-31T23:59:59-14:00",
        "0001-01-01",
        "\0",
        "\ud83d\ude00",
        "'; DROP",
        "*",
        "NOT",
    ]
)
_SCHEMAS: dict[str, dict[str, Any]] = {}


def value(schema: dict[str, Any], definitions: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of which most fit the schema."""
    if "$ref" in schema:
        return value(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return st.one_of([value(part, definitions) for part in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | st.text(max_size=5)
    match schema.get("type"):
        case "string":
            return _WORDS | st.text(max_size=30)
        case "integer":
            return st.integers(-5, 300)
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(value(schema.get("items", {}), definitions), max_size=3)
        case "object":
            return whole(schema, definitions)
        case _:
            return _ANY


def whole(schema: dict[str, Any], definitions: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with the schema's properties, some left out, some of any kind."""
    parts = {name: value(part, definitions) | _ANY for name, part in schema.get("properties", {}).items()}
    required = {name: value(schema["properties"][name], definitions) for name in schema.get("required", [])}
    fitting = st.fixed_dictionaries(required, optional={name: parts[name] for name in parts if name not in required})
    return fitting | st.dictionaries(st.sampled_from([*parts, "nonsense"]), _ANY, max_size=4)


async def schemas(path: Path) -> dict[str, dict[str, Any]]:
    async with talk(path) as agent:
        return {tool.name: tool.input_schema for tool in (await agent.client.list_tools()).tools}


TOOLS = [
    "add_memory", "add_facts", "add_triplet", "search", "search_nodes", "search_memory_facts", "get_entities_by_type",
    "compare_facts_over_time", "get_entity_edge", "delete_entity_edge", "get_episodes", "delete_episode",
    "get_episode_entities", "summarize_saga", "build_communities", "clear_graph", "get_status", "health_check",
    "get_context", "get_history", "explain_fact", "undo_change", "resolve_dispute", "merge_entities", "split_entity",
    "correct_fact",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_any_arguments_get_a_proper_answer(
    tmp_path: Path, tool: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    schema = asyncio.run(schemas(tmp_path / "schemas.db"))[tool]
    # A batch at a time: starting a server takes longer than a hundred calls.
    batches = st.lists(whole(schema, schema.get("$defs", {})), min_size=20, max_size=40)

    @settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
    @given(batches)
    def run(batch: list[dict[str, Any]]) -> None:
        asyncio.run(ask(tmp_path, tool, batch))

    with caplog.at_level(logging.ERROR):
        run()
    assert [record.getMessage() for record in caplog.records] == []


async def ask(folder: Path, tool: str, batch: list[dict[str, Any]]) -> None:
    async with talk(folder / "memory.db", works=False) as agent, asyncio.timeout(100):
        for arguments in batch:
            result = await agent.client.call_tool(tool, json.loads(json.dumps(arguments)))
            if result.is_error:
                text = result.content[0].text  # type: ignore[union-attr]
                assert text != f"Error executing tool {tool}", arguments
            elif tool != "get_context":
                assert result.structured_content is not None

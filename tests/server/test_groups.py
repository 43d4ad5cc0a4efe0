"""Nothing crosses groups: no tool shows, for one group, anything that was told in another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.server.talk import Refused, Talk, talk

from everfact.server.host import Access, Place

OURS, THEIRS = "Ana Costa works at Globex.", "Zed Quux works at Secretcorp."
FOREIGN = ("Zed", "Quux", "Secretcorp")

QUESTIONS: dict[str, dict[str, Any]] = {
    "search": {"query": THEIRS, "include_history": True, "limit": 50},
    "search_nodes": {"query": THEIRS, "max_nodes": 50},
    "search_memory_nodes": {"query": THEIRS},
    "search_memory_facts": {"query": THEIRS, "include_history": True},
    "search_facts": {"query": THEIRS},
    "get_entities_by_type": {"entity_types": ["Person", "Organization"]},
    "compare_facts_over_time": {"query": THEIRS, "start_time": "2020-01-01", "end_time": "2030-01-01"},
    "get_episodes": {"max_episodes": 50},
    "get_context": {},
    "resolve_dispute": {},
    "build_communities": {},
}


async def told(agent: Talk) -> None:
    await agent.tell(OURS, group_id="ours")
    await agent.tell(THEIRS, group_id="theirs")


SPELLINGS: list[dict[str, Any]] = [
    {"group_ids": ["ours"]},
    {"group_ids": "ours"},
    {"group_id": "ours"},
    {"group_ids": ["ours"], "group_id": "theirs"},
]


@pytest.mark.parametrize("tool", QUESTIONS)
async def test_a_question_about_one_group_shows_nothing_of_another(tmp_path: Path, tool: str) -> None:
    async with talk(tmp_path / "m.db") as agent:
        await told(agent)
        for groups in SPELLINGS:
            result = await agent.client.call_tool(tool, QUESTIONS[tool] | groups)
            assert not result.is_error
            assert not any(word in str(result.content) + str(result.structured_content) for word in FOREIGN)


async def test_the_default_group_is_what_is_asked_when_none_is_named(tmp_path: Path) -> None:
    async with talk(tmp_path / "m.db", place=Place(default_group=lambda: "ours")) as agent:
        await told(agent)
        for tool, arguments in QUESTIONS.items():
            result = await agent.client.call_tool(tool, arguments)
            assert not any(word in str(result.content) for word in FOREIGN), tool


async def test_names_are_looked_up_in_the_group_alone(tmp_path: Path) -> None:
    async with talk(tmp_path / "m.db", place=Place(default_group=lambda: "ours")) as agent:
        await told(agent)
        for tool, arguments in (
            ("get_history", {"entity": "Zed Quux"}),
            ("merge_entities", {"keep": "Ana Costa", "merge": "Zed Quux"}),
            ("split_entity", {"entity": "Zed Quux", "aliases": ["Zed"]}),
        ):
            with pytest.raises(Refused, match="no entity is called"):
                await agent.ask(tool, **arguments)


async def test_two_groups_are_never_merged(tmp_path: Path) -> None:
    async with talk(tmp_path / "m.db") as agent:
        await told(agent)
        ours, theirs = [
            (await agent.ask("search_nodes", query=name, group_id=group))["nodes"][0]["uuid"]
            for name, group in (("Ana Costa", "ours"), ("Zed Quux", "theirs"))
        ]
        with pytest.raises(Refused, match="no entity is called"):
            await agent.ask("merge_entities", keep=ours, merge=theirs)


BY_UUID: dict[str, Callable[[dict[str, str]], dict[str, Any]]] = {
    "get_entity_edge": lambda theirs: {"uuid": theirs["fact"]},
    "delete_entity_edge": lambda theirs: {"uuid": theirs["fact"]},
    "delete_episode": lambda theirs: {"uuid": theirs["episode"]},
    "get_episode_entities": lambda theirs: {"episode_uuids": [theirs["episode"]]},
    "explain_fact": lambda theirs: {"uuid": theirs["fact"]},
    "undo_change": lambda theirs: {"uuid": theirs["episode"]},
    "correct_fact": lambda theirs: {"uuid": theirs["fact"], "object": "Hooli"},
    "resolve_dispute": lambda theirs: {"uuid": theirs["fact"], "keep": theirs["fact"]},
    "get_history": lambda theirs: {"entity": theirs["entity"]},
    "merge_entities": lambda theirs: {"keep": "Ana Costa", "merge": theirs["entity"]},
    "split_entity": lambda theirs: {"entity": theirs["entity"], "aliases": ["Zed"]},
    "add_memory": lambda theirs: {"name": "n", "episode_body": "mine now", "uuid": theirs["episode"]},
    "add_triplet": lambda theirs: {
        "source_node_name": "Ana Costa",
        "source_node_uuid": theirs["entity"],
        "edge_name": "KNOWS",
        "fact": "Ana Costa knows Bo Ek",
        "target_node_name": "Bo Ek",
    },
    "add_facts": lambda theirs: {
        "facts": [{"subject": "Ana", "relation": "likes", "object": "tea", "replaces": theirs["fact"]}]
    },
}


async def their_ids(agent: Talk) -> dict[str, str]:
    fact = (await agent.ask("search_facts", query=THEIRS, group_id="theirs"))["facts"][0]
    return {"fact": fact["uuid"], "entity": fact["source_node_uuid"], "episode": fact["episodes"][0]}


@pytest.mark.parametrize("tool", BY_UUID)
async def test_a_caller_limited_to_one_group_gets_nowhere_with_ids_of_another(tmp_path: Path, tool: str) -> None:
    rights = [Access()]
    place = Place(default_group=lambda: "ours")
    async with talk(tmp_path / "m.db", place=place, access=lambda: rights[-1]) as agent:
        await told(agent)
        theirs = await their_ids(agent)
        before = await agent.ask("get_episodes", group_id="theirs")
        rights.append(Access(groups=frozenset({"ours"})))
        with pytest.raises(Refused) as refused:
            await agent.ask(tool, **BY_UUID[tool](theirs))
        assert not any(word in str(refused.value) for word in FOREIGN)
        rights.pop()
        assert await agent.ask("get_episodes", group_id="theirs") == before
        assert await their_ids(agent) == theirs


async def test_a_caller_limited_to_one_group_may_not_name_another(tmp_path: Path) -> None:
    limited = Access(groups=frozenset({"ours"}))
    writes: dict[str, dict[str, Any]] = {"add_memory": {"name": "n", "episode_body": "x"}, "clear_graph": {}}
    async with talk(tmp_path / "m.db", access=lambda: limited) as agent:
        for tool, arguments in (QUESTIONS | writes).items():
            with pytest.raises(Refused, match="may not use that group"):
                await agent.ask(tool, **arguments, group_id="theirs")


async def test_a_caller_with_one_group_need_not_name_it(tmp_path: Path) -> None:
    limited = Access(groups=frozenset({"ours"}))
    async with talk(tmp_path / "m.db", access=lambda: limited) as agent:
        await agent.tell(OURS)
        assert (await agent.ask("get_status"))["group_id"] == "ours"
        assert (await agent.ask("get_episodes"))["episodes"][0]["group_id"] == "ours"


async def test_a_caller_who_may_only_read_writes_nothing(tmp_path: Path) -> None:
    rights = [Access()]
    async with talk(tmp_path / "m.db", access=lambda: rights[-1]) as agent:
        await agent.tell(OURS)
        tools = (await agent.client.list_tools()).tools
        rights.append(Access(may_write=False))
        for tool in tools:
            if tool.annotations and not tool.annotations.read_only_hint:
                needed = dict.fromkeys(tool.input_schema.get("required", []), "x")
                needed |= {"facts": [{"subject": "a", "relation": "b", "object": "c"}]} if "facts" in needed else {}
                with pytest.raises(Refused, match="may only read"):
                    await agent.ask(tool.name, **needed)
        assert (await agent.ask("get_status"))["episodes"] == 1


async def test_the_user_wide_group_joins_in_only_where_it_may(tmp_path: Path) -> None:
    rights = [Access()]
    place = Place(default_group=lambda: "ours", project=tmp_path)
    async with talk(tmp_path / "m.db", place=place, access=lambda: rights[-1]) as agent:
        await agent.tell("Ana prefers tabs.", group_id="global")
        await agent.tell("Ana prefers tea.", group_id="ours")
        both = await agent.text("get_context")
        assert "tabs" in both
        assert "tea" in both
        assert "tabs" not in await agent.text("get_context", group_id="ours")
        rights.append(Access(groups=frozenset({"ours"})))
        assert "tabs" not in await agent.text("get_context")
        rights.append(Access(groups=frozenset({"ours", "global"}), default_group="ours"))
        assert "tabs" in await agent.text("get_context")

"""Resources, subscriptions, prompts, completion, progress."""

from __future__ import annotations

import asyncio
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import PromptReference, ResourceTemplateReference, ResourceUpdatedNotification
from tests.server.talk import Talk, talk


async def read(agent: Talk, uri: str) -> str:
    return (await agent.client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]


async def test_what_there_is_to_read_is_listed(agent: Talk) -> None:
    resources = (await agent.client.list_resources()).resources
    assert [resource.uri for resource in resources] == ["graphiti://context", "everfact://status"]
    templates = (await agent.client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == [
        "everfact://episode/{uuid}",
        "everfact://entity/{uuid}",
        "everfact://fact/{uuid}",
    ]


async def test_the_brief_is_empty_until_something_is_known(agent: Talk) -> None:
    assert await read(agent, "graphiti://context") == ""
    await agent.tell("Ana Costa works at Globex.")
    assert await read(agent, "graphiti://context") == await agent.text("get_context")


async def test_items_are_read_by_their_address(agent: Talk) -> None:
    added = await agent.tell("Ana Costa works at Globex. " + "x" * 30_000)
    episode = json.loads(await read(agent, f"everfact://episode/{added['uuid']}"))
    assert len(episode["content"]) > 30_000
    shown = (await agent.ask("get_episodes"))["episodes"][0]
    assert len(shown["content"]) == 20_000
    assert shown["truncated"] == f"everfact://episode/{added['uuid']}"
    fact = (await agent.ask("search_facts", query="Ana Costa"))["facts"][0]
    assert json.loads(await read(agent, f"everfact://fact/{fact['uuid']}"))["fact"] == fact
    entity = json.loads(await read(agent, f"everfact://entity/{fact['source_node_uuid']}"))
    assert entity["entity"]["name"] == "Ana Costa"
    assert json.loads(await read(agent, "everfact://status"))["episodes"] == 1


@pytest.mark.parametrize("uri", ["everfact://fact/none", "everfact://episode/none", "everfact://nothing"])
async def test_what_is_not_there_is_not_found(agent: Talk, uri: str) -> None:
    with pytest.raises(MCPError) as refused:
        await agent.client.read_resource(uri)
    assert refused.value.code == -32602


async def test_a_fact_is_no_episode(agent: Talk) -> None:
    await agent.tell("Ana Costa works at Globex.")
    fact = (await agent.ask("search_facts", query="Ana Costa"))["facts"][0]
    with pytest.raises(MCPError, match="is no episode"):
        await agent.client.read_resource(f"everfact://episode/{fact['uuid']}")


async def test_modern_subscribers_hear_of_writes(tmp_path: Path) -> None:
    async with talk(tmp_path / "m.db", works=False) as agent:
        added = await agent.tell("Tea is ready.")
        followed = ["everfact://status", f"everfact://episode/{added['uuid']}"]
        async with agent.client.listen(resource_subscriptions=followed) as heard, asyncio.timeout(10):
            await agent.tell("Tea is cold.", uuid=added["uuid"])
            uris = set()
            async for event in heard:
                uris.add(event.uri)  # type: ignore[union-attr]
                if uris == set(followed):
                    break


async def test_legacy_subscribers_hear_of_writes(tmp_path: Path) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def note(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.put_nowait(message.params.uri)

    async with talk(tmp_path / "m.db", era="legacy", works=False, client={"message_handler": note}) as agent:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the SDK calls the old way deprecated, and clients use it
            await agent.client.subscribe_resource("everfact://status")
            await agent.ask("add_memory", name="n", episode_body="Tea.")
            async with asyncio.timeout(10):
                assert await heard.get() == "everfact://status"
            await agent.client.unsubscribe_resource("everfact://status")
            await agent.ask("add_memory", name="n", episode_body="Coffee.")
        assert heard.empty()


async def test_subscribers_hear_when_the_worker_has_digested(tmp_path: Path) -> None:
    async with talk(tmp_path / "m.db") as agent:
        await agent.ask("get_status")
        async with agent.client.listen(resource_subscriptions=["graphiti://context"]) as heard, asyncio.timeout(30):
            await agent.ask("add_memory", name="n", episode_body="Ana Costa works at Globex.")
            async for _ in heard:
                if await agent.text("get_context"):
                    break


async def test_prompts_lead_to_the_tools(agent: Talk) -> None:
    prompts = {prompt.name: prompt for prompt in (await agent.client.list_prompts()).prompts}
    assert list(prompts) == ["recall", "remember_decision", "whats_changed"]
    assert all(prompt.description and prompt.title for prompt in prompts.values())
    asked = {"recall": {"topic": "tea"}, "remember_decision": {"decision": "SQLite", "why": "one file"}}
    for name, arguments in (asked | {"whats_changed": {"since": "2026-03-01"}}).items():
        text = (await agent.client.get_prompt(name, arguments)).messages[0].content.text  # type: ignore[union-attr]
        assert all(value in text for value in arguments.values())


async def test_names_and_groups_are_completed(agent: Talk) -> None:
    await agent.tell("Ana Costa works at Globex. Bo Ek works at Globex.")
    await agent.tell("Tea.", group_id="kitchen")
    recall = PromptReference(name="recall")
    names = await agent.client.complete(recall, {"name": "topic", "value": "an"})
    assert names.completion.values == ["Ana Costa"]
    groups = await agent.client.complete(recall, {"name": "group", "value": ""})
    assert groups.completion.values == ["kitchen", "main"]
    template = ResourceTemplateReference(uri="everfact://entity/{uuid}")
    assert len((await agent.client.complete(template, {"name": "uuid", "value": ""})).completion.values) == 3
    assert (await agent.client.complete(recall, {"name": "other", "value": ""})).completion.values == []


async def test_long_calls_report_progress(agent: Talk) -> None:
    heard: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    arguments = {"name": "n", "episode_body": "Ana Costa works at Globex.", "wait": True}
    await agent.client.call_tool("add_memory", arguments, progress_callback=progress)
    assert heard[0] == "digesting"

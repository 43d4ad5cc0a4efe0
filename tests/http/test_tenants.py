"""Tenants: whatever one of them asks, of any tool or resource, it learns nothing of the others and changes nothing.

The neighbour's memory is full of a word that no argument holds. Arguments are made from each tool's own schema, with
the neighbour's ids, names and group among the values.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everfact.memory import Memory
from everfact.models import Draft, Filter, Mention, Statement
from everfact.server.toolsets import NAMES, TOOLSETS

pytestmark = pytest.mark.slow

SECRET = "xyzzyplugh"
MINE, THEIRS = "acme", "rival"
EVERYTHING = 10_000
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Serve = Callable[..., Any]


async def furnish(memory: Memory, group: str, word: str) -> None:
    """Fill a group with one of everything, with the word in every text."""
    for number, text in enumerate(
        (f"Ottoline works at {word} Labs.", f"Ottoline lives in {word} Town.", f"Ottoline moved to {word} Bay in 2024.")
    ):
        told = Draft(
            content=text,
            name=f"{word} note {number}",
            group_id=group,
            thread="saga",
            source_description=f"from {word}",
        )
        await memory.add(told, wait=True)
    said = [("Ottoline", "likes", f"{word} tea"), ("Ottoline", "likes", "rain"), ("Bert", "knows", "Ottoline")]
    facts = [
        Statement(subject=Mention(name=a), relation=b, object=Mention(name=c), sentence=f"{a} {b} {c} ({word})")
        for a, b, c in said
    ]
    await memory.add_facts(facts, group_id=group, source_description=word)
    await memory.build_communities(group_id=group)
    await memory.add(Draft(content=f"Not digested yet: {word}.", name=word, group_id=group))


async def everything_in(memory: Memory, group: str) -> dict[str, list[Any]]:
    """All that the group holds, to be compared."""
    where, store = Filter(group_ids=(group,), withdrawn=None), memory._store
    return {
        read.__name__: await read(where, limit=EVERYTHING)
        for read in (store.episodes, store.entities, store.facts, store.assertions, store.changes)
    }


class Tenancy:
    """A server with two tenants, and the door of one of them."""

    def __init__(self, serve: Serve, run: Callable[[Any], Any]) -> None:
        self.run = run
        self.told: set[str] = set()
        self._context = serve(stateless=True, json_response=True, toolsets=tuple(TOOLSETS))
        self.served = run(self._context.__aenter__())
        run(furnish(self.served.memory, MINE, "mine"))
        run(furnish(self.served.memory, THEIRS, SECRET))
        self.theirs = run(everything_in(self.served.memory, THEIRS))
        self.their_ids = sorted({item.uuid for items in self.theirs.values() for item in items})
        mine = run(everything_in(self.served.memory, MINE))
        self.my_ids = sorted({item.uuid for items in mine.values() for item in items})
        secret = self.served.tokens.create("acme", groups=[MINE], may_write=True)
        self.client = self.served.client(secret, accept="application/json")
        self.tools = {tool["name"]: tool["inputSchema"] for tool in self.ask("tools/list")["result"]["tools"]}

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self.run(self.client.post("/mcp", json=message))
        assert answer.status_code == 200, answer.text
        reply: dict[str, Any] = answer.json()
        return reply

    def check(self, method: str, **params: Any) -> None:
        """Ask, and see that nothing of the neighbour's came out or changed."""
        reply = json.dumps(self.ask(method, **params))
        assert SECRET not in reply
        self.told |= set(_UUID.findall(json.dumps(params)))  # what is told may be told back
        assert not (set(_UUID.findall(reply)) - self.told) & set(self.their_ids)
        assert self.run(everything_in(self.served.memory, THEIRS)) == self.theirs

    def close(self) -> None:
        self.run(self.client.aclose())
        self.run(self._context.__aexit__(None, None, None))


@pytest.fixture
def tenancy(serve: Serve) -> Iterator[Tenancy]:
    with asyncio.Runner() as runner:
        tenancy = Tenancy(serve, runner.run)
        yield tenancy
        tenancy.close()


def arguments(schema: dict[str, Any], ids: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments that a tool takes, the required ones always, with values that lead to the neighbour."""
    properties, needed = schema["properties"], set(schema.get("required", ()))
    given = {name: _value(name, part, schema.get("$defs", {}), ids) for name, part in properties.items()}
    return st.fixed_dictionaries(
        {name: value for name, value in given.items() if name in needed},
        optional={name: value for name, value in given.items() if name not in needed},
    )


def _value(name: str, part: dict[str, Any], defs: dict[str, Any], ids: list[str]) -> st.SearchStrategy[Any]:
    if "$ref" in part:
        return arguments(defs[part["$ref"].rpartition("/")[2]], ids)
    kinds = {option.get("type") for option in part.get("anyOf", [part])}
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if "group" in name:
        group = st.sampled_from([MINE, THEIRS, "main", "no such group", ""])
        return st.lists(group, max_size=3) if "array" in kinds else group
    if "array" in kinds:
        items = part.get("items", {"type": "string"})
        return st.lists(_value(name, items, defs, ids), min_size=1, max_size=3)
    if "integer" in kinds or "number" in kinds:
        return st.integers(1, 50)
    if "boolean" in kinds:
        return st.booleans()
    return st.one_of(
        st.sampled_from(ids),
        st.sampled_from(["Ottoline", "Bert", "saga", "rain", "works at", "Person", "Ottoline likes tea", "2024-06-01"]),
    )


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_tool_tells_or_touches_what_is_not_the_callers(tenancy: Tenancy, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(tenancy.tools)))
    ids = [*tenancy.their_ids, *tenancy.my_ids[:5]]
    tenancy.check("tools/call", name=name, arguments=data.draw(arguments(tenancy.tools[name], ids)))


def test_every_tool_with_every_id_of_the_neighbours(tenancy: Tenancy) -> None:
    assert set(tenancy.tools) == NAMES
    for name, schema in sorted(tenancy.tools.items()):
        needed = schema.get("required", [])
        takers = [
            key
            for key in schema["properties"]
            if key == "uuid" or key.endswith(("uuid", "uuids", "entity", "keep", "or_id"))
        ]
        for key in takers:
            for uuid in tenancy.their_ids:
                filled = dict.fromkeys(needed, "Ottoline") | {key: [uuid] if key.endswith("s") else uuid}
                tenancy.check("tools/call", name=name, arguments=filled)
        if {"group_ids", "group_id"} & set(schema["properties"]):
            filled = dict.fromkeys(needed, "Ottoline")
            reply = tenancy.ask("tools/call", name=name, arguments=filled | {"group_id": THEIRS})["result"]
            assert reply["isError"], name
            tenancy.check("tools/call", name=name, arguments=filled | {"group_id": THEIRS, "confirm": True})
            tenancy.check("tools/call", name=name, arguments=filled | {"group_ids": [MINE, THEIRS]})


def test_resources_prompts_and_completion_show_the_callers_own(tenancy: Tenancy) -> None:
    for uuid in tenancy.their_ids:
        for kind in ("episode", "entity", "fact"):
            tenancy.check("resources/read", uri=f"everfact://{kind}/{uuid}")
        tenancy.check("resources/read", uri=f"kuzu://memory/{uuid}")
    listed = tenancy.ask("resources/list")["result"]["resources"]
    assert any(resource["uri"].startswith("kuzu://project/") for resource in listed)
    for uri in (resource["uri"] for resource in listed):
        tenancy.check("resources/read", uri=uri)
    for method in ("resources/list", "resources/templates/list", "prompts/list", "tools/list"):
        tenancy.check(method)
    for name in ("topic", "group"):
        for value in ("", "o", "x", "r"):
            tenancy.check(
                "completion/complete",
                ref={"type": "ref/prompt", "name": "recall"},
                argument={"name": name, "value": value},
            )
    ref = {"type": "ref/resource", "uri": "everfact://entity/{uuid}"}
    tenancy.check("completion/complete", ref=ref, argument={"name": "uuid", "value": ""})


def test_the_secret_is_there_for_those_who_may_see_it(tenancy: Tenancy) -> None:
    secret = tenancy.served.tokens.create("operator", groups=None, may_write=False)
    tenancy.client.headers["Authorization"] = f"Bearer {secret}"
    for name in ("search", "get_episodes", "search_nodes", "search_memory_facts", "get_history", "get_context"):
        filled = dict.fromkeys(tenancy.tools[name].get("required", ()), "Ottoline") | {"group_id": THEIRS}
        filled |= {"entity": "Ottoline"} if name == "get_history" else {}
        assert SECRET in json.dumps(tenancy.ask("tools/call", name=name, arguments=filled)), name


def test_reader_may_read_and_nothing_else(tenancy: Tenancy) -> None:
    secret = tenancy.served.tokens.create("reader", groups=[MINE], may_write=False)
    mine = tenancy.run(everything_in(tenancy.served.memory, MINE))
    writers = tenancy.tools
    tenancy.client.headers["Authorization"] = f"Bearer {secret}"
    shown = {tool["name"] for tool in tenancy.ask("tools/list")["result"]["tools"]}
    assert {"search", "get_status", "get_history"} <= shown
    assert not shown & {"add_memory", "add_facts", "clear_graph", "delete_episode", "undo_change", "build_communities"}
    for name in sorted(set(writers) - shown):
        needed = dict.fromkeys(writers[name].get("required", ()), "Ottoline")
        needed |= {key: tenancy.my_ids[0] for key in needed if "uuid" in key}
        if name in ("add_facts",):
            needed["facts"] = [{"subject": "a", "relation": "b", "object": "c"}]  # type: ignore[assignment]
        result = tenancy.ask("tools/call", name=name, arguments=needed)["result"]
        assert result["isError"], name
    assert tenancy.run(everything_in(tenancy.served.memory, MINE)) == mine

"""The typed tools against a server that answers exactly as Graphiti's own does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from everfact.client import MemoryClient, RemoteMemory
from everfact.client.connection import Connection
from everfact.client.wire import UNKNOWN
from everfact.errors import NotFound, StoreError, UsageError
from everfact.models import Draft, FactKind, Filter, Query, Source, Status, Thing

URL = "http://memory.test/mcp/"
Script = Callable[..., Any]

NODE = {
    "uuid": "n1",
    "name": "Ana",
    "labels": ["Entity", "Person"],
    "created_at": "2026-01-02T03:04:05.000006Z",
    "summary": "An engineer",
    "group_id": "main",
    "attributes": {"age": 40},
}
EDGE = {
    "uuid": "e1",
    "group_id": "main",
    "source_node_uuid": "n1",
    "target_node_uuid": "n2",
    "created_at": "2026-01-02T03:04:05Z",
    "name": "WORKS_AT",
    "fact": "Ana works at Acme",
    "episodes": ["p1"],
    "expired_at": None,
    "valid_at": "2026-01-01T00:00:00",
    "invalid_at": None,
    "reference_time": None,
    "attributes": {},
}
EPISODE = {
    "uuid": "p1",
    "name": "note",
    "content": "Ana works at Acme.",
    "created_at": "2026-01-02T03:04:05+01:00",
    "source": "text",
    "source_description": "",
    "group_id": "main",
}
ANSWERS = {
    "add_memory": {"message": "Episode 'note' queued for processing in group 'main'"},
    "search_nodes": {"message": "Nodes retrieved successfully", "nodes": [NODE]},
    "search_memory_facts": {"message": "Facts retrieved successfully", "facts": [EDGE]},
    "delete_entity_edge": {"message": "Entity edge with UUID e1 deleted successfully"},
    "delete_episode": {"message": "Episode with UUID p1 deleted successfully"},
    "get_entity_edge": EDGE,
    "get_episodes": {"message": "Episodes retrieved successfully", "episodes": [EPISODE]},
    "clear_graph": {"message": "Graph data cleared successfully for group IDs: main"},
    "get_status": {"status": "ok", "message": "Graphiti MCP server is running and connected to falkordb database"},
}


@pytest.fixture(params=["wrapped", "plain", "text"])
def server(request: pytest.FixtureRequest, scripted: Script) -> Any:
    return scripted(dict(ANSWERS), shape=request.param)


@pytest.fixture
async def client(server: Any) -> AsyncIterator[MemoryClient]:
    async with MemoryClient(URL, connection=Connection(URL, http_client=server.client)) as client:
        yield client


@pytest.fixture
async def remote(server: Any) -> AsyncIterator[RemoteMemory]:
    async with RemoteMemory(URL, connection=Connection(URL, http_client=server.client)) as remote:
        yield remote


async def test_nine_tools_are_understood(client: MemoryClient, server: Any) -> None:
    told = await client.add_memory("note", "Ana works at Acme.", source="text", wait=False)
    assert told.message.startswith("Episode 'note' queued")
    assert server.calls == [("add_memory", {"name": "note", "episode_body": "Ana works at Acme.", "source": "text"})]
    [entity] = await client.search_nodes("ana", group_ids=["main"])
    assert (entity.name, entity.types, entity.attributes) == ("Ana", ("Person",), {"age": 40})
    assert entity.created_at == datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    [fact] = await client.search_memory_facts("work", max_facts=3)
    assert (fact.relation, fact.sentence, fact.object_uuid) == ("WORKS_AT", "Ana works at Acme", "n2")
    assert fact.valid_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert (fact.kind, fact.episodes, fact.disputed) == (FactKind.STATE, ("p1",), False)
    assert await client.get_entity_edge("e1") == fact
    [episode] = await client.get_episodes(max_episodes=5)
    assert (episode.source, episode.status) == (Source.TEXT, Status.DONE)
    assert episode.reference_time == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert "deleted" in (await client.delete_entity_edge("e1")).note
    assert "deleted" in (await client.delete_episode("p1")).note
    assert (await client.clear_graph(group_ids=["main"])).startswith("Graph data cleared")
    assert (await client.get_status()).status == "ok"


async def test_missing_edge_is_not_found(client: MemoryClient, server: Any) -> None:
    server.answers["get_entity_edge"] = {"error": "Error getting entity edge: edge e9 not found"}
    with pytest.raises(NotFound):
        await client.get_entity_edge("e9")


async def test_answer_of_another_kind_is_an_error(client: MemoryClient, server: Any) -> None:
    server.answers["get_status"] = "all is well"
    with pytest.raises(StoreError, match="something else"):
        await client.get_status()
    server.answers["search_nodes"] = {"nodes": "none"}
    with pytest.raises(StoreError, match="something else"):
        await client.search_nodes("x")
    server.answers["get_entity_edge"] = EDGE | {"valid_at": "some day"}
    with pytest.raises(StoreError, match="no time"):
        await client.get_entity_edge("e1")
    server.answers["get_entity_edge"] = {"uuid": "e1"}
    assert (await client.get_entity_edge("e1")).created_at == UNKNOWN


async def test_memory_behind_such_a_server_can_be_told_and_asked(remote: RemoteMemory, server: Any) -> None:
    added = await remote.add(Draft(content="Ana works at Acme.", thread="t"))
    assert (added.episode.status, added.episode.group_id) == (Status.PENDING, "main")
    assert server.calls[-1][1]["saga"] == "t"
    answer = await remote.search(Query(text="ana", limit=5))
    assert [fact.uuid for fact in answer.facts] == ["e1"]
    assert [entity.uuid for entity in answer.entities] == ["n1"]
    assert [hit.score for hit in answer.hits] == [1.0, 0.5]
    facts = await remote.search(Query(text="ana", things=(Thing.FACT,), valid_at=datetime(2026, 1, 1, tzinfo=UTC)))
    assert [fact.uuid for fact in facts.facts] == ["e1"]
    assert server.calls[-1][1]["valid_at"] == "2026-01-01T00:00:00+00:00"
    assert len(await remote.episodes(Filter(group_ids=("main",)))) == 1
    assert await remote.episodes(Filter(group_ids=None, statuses=(Status.PARKED,))) == []
    assert (await remote.status()).episodes == 0
    await remote.clear(["main"])
    assert server.calls[-1] == ("clear_graph", {"group_ids": ["main"], "confirm": True})


async def test_what_cannot_be_done_there_is_refused(remote: RemoteMemory) -> None:
    with pytest.raises(UsageError, match="Unknown tool"):
        await remote.history("Ana")
    with pytest.raises(UsageError, match="cannot be wiped"):
        await remote.purge("e1")
    with pytest.raises(UsageError, match="by group"):
        await remote.episodes(Filter(group_ids=None, disputed=True))
    with pytest.raises(NotFound):
        await remote.get("e1")

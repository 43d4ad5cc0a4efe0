"""`RemoteMemory` against our own server over HTTP, in both eras: the answers are those of the memory itself."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from everfact.assemble import make_memory
from everfact.client import RemoteMemory
from everfact.client.connection import Connection
from everfact.errors import ConfigError, NotFound, UsageError
from everfact.memory import Memory
from everfact.models import Draft, Entity, Fact, Filter, Mention, Query, Statement, Thing
from everfact.server.app import build_server
from everfact.server.host import Host, Place
from everfact.server.http.app import Options, build_app
from everfact.server.tokens import TokenFile
from everfact.stores.sqlite import SQLiteStore

URL = "http://localhost:8000/mcp"


@asynccontextmanager
async def running(app: Any) -> AsyncIterator[None]:
    inbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    outbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    task = asyncio.create_task(app({"type": "lifespan", "asgi": {"version": "3.0"}}, inbox.get, outbox.put))
    await inbox.put({"type": "lifespan.startup"})
    await asyncio.wait_for(outbox.get(), 20)
    yield
    await inbox.put({"type": "lifespan.shutdown"})
    await asyncio.wait_for(task, 20)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with make_memory(await SQLiteStore.open(tmp_path / "memory.db")) as memory:
        yield memory


@pytest.fixture(params=[("legacy", False), ("2026-07-28", False), ("auto", True)], ids=["legacy", "modern", "wrapped"])
async def remote(memory: Memory, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RemoteMemory]:
    mode, wraps = request.param

    async def open_memory() -> Memory:
        return memory

    host = Host(open_memory, place=Place(is_remote=True), works=False)
    tokens = TokenFile(tmp_path / "tokens.json")
    secret = tokens.create("test", groups=None, may_write=True)
    app = build_app(build_server(host, wrap_results=wraps), host, tokens, Options())

    def client() -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), headers=headers)

    async with running(app), RemoteMemory(URL, connection=Connection(URL, mode=mode, http_client=client)) as remote:
        yield remote


def same(item: Any) -> Any:
    """An item without what does not travel: the claims behind a fact, and the attribute it is about."""
    if isinstance(item, Fact):
        return replace(item, assertions=(), ended_by=(), attribute="")
    return item


def likes(thing: str) -> Statement:
    return Statement(
        subject=Mention(name="Ana"), relation="likes", object=Mention(name=thing), sentence=f"Ana likes {thing}"
    )


async def test_told_there_is_known_there(remote: RemoteMemory, memory: Memory) -> None:
    when = datetime(2026, 5, 1, 9, tzinfo=UTC)
    draft = Draft(content="Ana works at Acme.", name="note", reference_time=when, thread="t", source_description="x")
    added = await remote.add(draft, wait=True)
    [kept] = await memory.episodes(Filter(group_ids=("main",)))
    assert kept.uuid == added.episode.uuid
    assert (kept.content, kept.reference_time, kept.thread) == ("Ana works at Acme.", when, "t")
    assert added.episode.status is kept.status
    assert (await remote.add(draft)).episode.uuid == kept.uuid
    assert await remote.episodes(Filter(group_ids=("main",))) == [
        replace(kept, source_key="", attributes={}, position=0, speaker="", role="", attempts=0)
    ]
    entities, facts = await remote.outcome([kept.uuid])
    assert {entity.name for entity in entities} == {"Ana", "Acme"}
    assert [fact.sentence for fact in facts] == ["Ana works at Acme."] or len(facts) == 1


async def test_found_there_is_what_is_found_here(remote: RemoteMemory, memory: Memory) -> None:
    await memory.add(Draft(content="Ana works at Acme.", reference_time=datetime(2024, 1, 1, tzinfo=UTC)), wait=True)
    await memory.add(Draft(content="Ana works at Globex.", reference_time=datetime(2025, 1, 1, tzinfo=UTC)), wait=True)
    for query in (
        Query(text="where does Ana work"),
        Query(text="where does Ana work", things=(Thing.FACT,)),
        Query(text="Ana", include_history=True, limit=3),
        Query(text="Ana work", valid_at=datetime(2024, 6, 1, tzinfo=UTC)),
    ):
        there, here = await remote.search(query), await memory.search(query)
        assert [hit.item.uuid for hit in there.hits] == [hit.item.uuid for hit in here.hits]
        assert [same(fact) for fact in there.facts] == [same(fact) for fact in here.facts]
        assert there.entities == here.entities
        assert there.hidden == here.hidden
    span = (datetime(2024, 6, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC))
    there_both, here_both = (
        await remote.compare(Query(text="Ana"), *span),
        await memory.compare(Query(text="Ana"), *span),
    )
    assert [same(fact) for fact in there_both.at_end] == [same(fact) for fact in here_both.at_end]
    assert [same(fact) for fact in there_both.ended] == [same(fact) for fact in here_both.ended]
    people = Filter(group_ids=("main",), entity_types=("Person",))
    assert await remote.entities(people) == await memory.entities(people)


async def test_items_histories_and_receipts(remote: RemoteMemory, memory: Memory) -> None:
    await memory.add(Draft(content="Ana works at Acme."), wait=True)
    [fact] = await memory.facts(Filter(group_ids=("main",)))
    assert same(await remote.get(fact.uuid)) == same(fact)
    entity = await remote.get(fact.subject_uuid)
    assert isinstance(entity, Entity)
    assert entity == await memory.get(fact.subject_uuid)
    assert (await remote.get(fact.episodes[0])).uuid == fact.episodes[0]
    with pytest.raises(NotFound):
        await remote.get("no-such-id")
    with pytest.raises(NotFound):
        await remote.get(fact.uuid, group_ids=("other",))
    history = await remote.history("Ana")
    assert (history.entity.name, [f.uuid for f in history.facts]) == ("Ana", [fact.uuid])
    assert [c.uuid for c in history.changes] == [c.uuid for c in (await memory.history("Ana")).changes]
    receipt = await remote.explain(fact.uuid)
    assert [proof.words for proof in receipt.support] == ["Ana works at Acme."]
    assert (await remote.status()).facts == 1


async def test_minds_are_changed_through_it(remote: RemoteMemory, memory: Memory) -> None:
    change = await remote.add_facts([likes("tea"), likes("rain")])
    assert len(change.facts) == 2
    tea = next(fact for fact in change.facts if "tea" in fact.sentence)
    gone = await remote.forget(tea.uuid)
    assert len(await memory.facts(Filter(group_ids=("main",)))) == 1
    await remote.undo(gone.uuid)
    assert len(await memory.facts(Filter(group_ids=("main",)))) == 2
    await remote.correct(
        tea.uuid, lambda said: replace(said, object=Mention(name="coffee"), sentence="Ana likes coffee")
    )
    sentences = {fact.sentence for fact in await memory.facts(Filter(group_ids=("main",)))}
    assert "Ana likes coffee" in sentences
    assert await remote.disputes() == []
    await remote.add_facts([replace(likes("tea"), subject=Mention(name="Anna"))])
    merged = await remote.merge("Ana", "Anna")
    assert merged.uuid
    await remote.undo(merged.uuid)
    await remote.build_communities()
    held = await remote.clear(["main"])
    assert held.facts == 3
    assert (await memory.status()).facts == 0


async def test_errors_are_the_memorys_own(remote: RemoteMemory) -> None:
    with pytest.raises(NotFound, match="no entity is called Nobody"):
        await remote.history("Nobody")
    with pytest.raises(NotFound, match="no change has the id"):
        await remote.undo("01a1e57b-7557-71fe-bc26-9fba961f82cb")
    with pytest.raises(UsageError, match="no name of a group") as caught:
        await remote.add(Draft(content="x", group_id="no group"))
    assert not isinstance(caught.value, NotFound)
    with pytest.raises(NotFound):
        await remote.resolve("01a1e57b-7557-71fe-bc26-9fba961f82cb")


async def test_stranger_is_told_what_is_missing(remote: RemoteMemory, memory: Memory) -> None:
    stranger = RemoteMemory(URL, connection=Connection(URL, http_client=_without_token(remote)))
    with pytest.raises(ConfigError, match="does not let us in"):
        await stranger.status()
    await stranger.close()


def _without_token(remote: RemoteMemory) -> Any:
    make = remote._client._connection._http_client

    def client() -> httpx2.AsyncClient:
        made = make()
        del made.headers["Authorization"]
        return made

    return client


def test_methods_are_those_of_memory() -> None:
    own = {name: method for name, method in vars(Memory).items() if inspect.isfunction(method) and name[0] != "_"}
    left_out = {"changes", "digest", "embed", "facts", "retry", "set_state", "state"}  # the work of the server itself
    left_out |= {"backup", "lesser", "queue_again", "reprocess", "undo_reprocess"}
    for name in own.keys() - left_out:
        theirs = inspect.signature(getattr(RemoteMemory, name)).parameters
        assert list(theirs) == list(inspect.signature(own[name]).parameters), name

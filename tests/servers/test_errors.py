"""What is wrong with a server is said in a way that names what to change."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.servers.falkordb import FalkorServer, falkordb, free_port
from tests.servers.neo4j import Neo4jServer, neo4j

from everfact.assemble import open_store
from everfact.config import load
from everfact.errors import ConfigError, EverfactError, StoreError, StoreUnavailable
from everfact.models import Embedding, Thing
from everfact.stores.cypher import neo4j as neo4j_engine
from everfact.stores.cypher import redis as redis_client
from everfact.stores.cypher import vectors
from everfact.stores.cypher.store import CypherStore
from everfact.testing.builders import HOME, episode

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def start() -> Iterator[Callable[..., FalkorServer]]:
    started: list[FalkorServer] = []

    def start(*options: str, module: bool = True) -> FalkorServer:
        started.append(FalkorServer(*options, module=module))
        return started[-1]

    yield start
    for server in started:
        server.stop()


async def opening(url: str, **settings: str) -> EverfactError:
    """What goes wrong when that store is first used as the settings say."""
    async with await open_store(load({"store": url, **settings}).settings) as store:
        with pytest.raises(EverfactError) as caught:
            await store.stats()
    return caught.value


async def adding(store: CypherStore, text: str = "one more") -> EverfactError:
    with pytest.raises(EverfactError) as caught:
        await store.add_episode(episode(text))
    return caught.value


@pytest.mark.parametrize(
    "settings", [{}, {"store_password": "wrong"}, {"store_user": "ana", "store_password": "right"}]
)
async def test_wrong_login_at_falkordb(start: Callable[..., FalkorServer], settings: dict[str, str]) -> None:
    server = start("--requirepass", "right")
    error = await opening(server.url, **settings)
    assert isinstance(error, ConfigError)
    assert "store_password" in error.hint
    assert "right" not in str(error)
    store = await open_store(load({"store": server.url, "store_password": "right"}).settings)
    await store.add_episode(episode())
    await store.close()


async def test_nobody_listens() -> None:
    for scheme in ("falkordb", "bolt", "neo4j"):
        error = await opening(f"{scheme}://127.0.0.1:{free_port()}")
        assert isinstance(error, StoreUnavailable)
        assert "setting store" in error.hint


async def test_redis_without_the_module(start: Callable[..., FalkorServer]) -> None:
    error = await opening(start(module=False).url)
    assert isinstance(error, ConfigError)
    assert "--loadmodule" in error.hint


async def test_server_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_client, "OLDEST", 99_999)
    error = await opening(falkordb().url)
    assert isinstance(error, ConfigError)
    assert "update the server" in error.hint


@pytest.mark.parametrize("has_vectors", [True, False])
async def test_read_only_replica_can_be_searched(
    start: Callable[..., FalkorServer], monkeypatch: pytest.MonkeyPatch, has_vectors: bool
) -> None:
    monkeypatch.setattr(vectors, "_FEW", 0)
    primary = start()
    async with await CypherStore.open(primary.engine()) as store:
        told = await store.add_episode(episode("Rome is old"))
        vector = Embedding(thing=Thing.EPISODE, uuid=told.uuid, text=told.text, vector=(1.0, 0.0))
        await store.put_vectors("model", [vector] if has_vectors else [replace(vector, text="said otherwise")])
    replica = start("--replicaof", "127.0.0.1", str(primary.port))
    while not replica.admin.exists("home"):
        pass
    async with await CypherStore.open(replica.engine()) as store:
        assert [hit.uuid for hit in await store.match_text(Thing.EPISODE, "rome", HOME, limit=5)] == [told.uuid]
        found = await store.match_vector(Thing.EPISODE, "model", (1.0, 0.0), HOME, limit=5)
        assert [hit.uuid for hit in found] == [told.uuid] * has_vectors
        error = await adding(store)
    assert isinstance(error, StoreError)
    assert "primary" in error.hint


async def test_full_memory(start: Callable[..., FalkorServer]) -> None:
    server = start()
    async with await CypherStore.open(server.engine()) as store:
        told = await store.add_episode(episode("Rome is old"))
        server.admin.config_set("maxmemory", 1)
        error = await adding(store)
        assert isinstance(error, StoreUnavailable)
        assert "maxmemory" in error.hint
        assert await store.episodes(HOME) == [told]
        server.admin.config_set("maxmemory", 0)
        await store.add_episode(episode("and room again"))


async def test_disk_that_cannot_be_written(start: Callable[..., FalkorServer]) -> None:
    server = start("--save", "3600 1")
    async with await CypherStore.open(server.engine()) as store:
        told = await store.add_episode(episode("Rome is old"))
        shutil.rmtree(server.folder)
        server.admin.bgsave()
        while server.admin.info("persistence")["rdb_last_bgsave_status"] != "err":
            pass
        error = await adding(store)
        assert isinstance(error, StoreUnavailable)
        assert "disk" in error.hint
        assert await store.episodes(HOME) == [told]


async def test_weaker_durability_is_told(start: Callable[..., FalkorServer]) -> None:
    for options, word in (((), ""), (("--appendonly", "no"), "--appendonly"), (("--appendonly", "yes"), "always")):
        async with await CypherStore.open(start(*options).engine()) as store:
            warning = (await store.stats()).warning
            assert word in warning
            assert bool(warning) == bool(word)


async def test_the_other_kind_of_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_client, "_CONNECT_SECONDS", 1)
    for url, hint in (
        (f"falkordb://127.0.0.1:{neo4j().port}", "bolt://"),
        (f"bolt://127.0.0.1:{falkordb().port}", "falkordb://"),
    ):
        error = await opening(url)
        assert isinstance(error, StoreUnavailable)
        assert hint in error.hint


async def test_neo4j_that_is_too_old_or_has_no_such_database(monkeypatch: pytest.MonkeyPatch) -> None:
    error = await opening(neo4j().url, store_database="nowhere")
    assert isinstance(error, ConfigError)
    assert "store_database" in error.hint
    error = await opening(neo4j().url.replace("bolt:", "bolt+s:"))
    assert isinstance(error, StoreUnavailable)
    assert "+ssc" in error.hint
    monkeypatch.setattr(neo4j_engine, "OLDEST", (99, 0))
    error = await opening(neo4j().url)
    assert isinstance(error, ConfigError)
    assert "update the server" in error.hint


async def test_wrong_login_at_neo4j_and_a_database_that_is_read_only() -> None:
    folder = Path(tempfile.mkdtemp())
    server = Neo4jServer(folder=folder)
    async with await CypherStore.open(server.engine()) as store:
        told = await store.add_episode(episode("Rome is old"))
    server.stop()
    server = Neo4jServer("server.databases.default_to_read_only=true", folder=folder)
    async with await CypherStore.open(server.engine()) as store:
        assert await store.episodes(HOME) == [told]
        error = await adding(store)
        assert isinstance(error, StoreError)
        assert "read-only" in error.hint
    server.stop()
    server = Neo4jServer(folder=folder, auth=True)
    error = await opening(server.url, store_password="wrong")
    assert isinstance(error, ConfigError)
    assert "store_password" in error.hint
    server.stop()
    shutil.rmtree(folder)

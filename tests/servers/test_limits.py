"""FalkorDB with the limits that it comes with in a container, with few rights, and beside other processes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest
from falkordb import FalkorDB  # type: ignore[import-untyped]
from tests.servers.falkordb import FalkorServer

from everfact.errors import ConfigError, SchemaTooNew
from everfact.models import Embedding, Filter, Thing
from everfact.stores.cypher import scores, vectors
from everfact.stores.cypher.falkordb import FalkorEngine
from everfact.stores.cypher.server import Server
from everfact.stores.cypher.store import CypherStore
from everfact.testing.builders import HOME, change, entity, episode, fact
from everfact.testing.contract.fixtures import apply_next

pytestmark = pytest.mark.slow


@pytest.fixture
def server() -> Iterator[FalkorServer]:
    started = FalkorServer()
    yield started
    started.stop()


def limit(server: FalkorServer, name: str, value: int) -> None:
    server.admin.execute_command("GRAPH.CONFIG", "SET", name, value)


async def test_answers_are_whole_where_few_rows_are_answered(server: FalkorServer) -> None:
    graph = FalkorDB(port=server.port).select_graph("home")
    graph.query(
        "UNWIND range(1, 120) AS n CREATE (:Entity:Person {uuid: 'e' + n, name: 'P' + n, group_id: 'home',"
        " created_at: '2024-01-01T00:00:00Z'})"
    )
    limit(server, "RESULTSET_SIZE", 50)
    async with await CypherStore.open(server.engine()) as store:
        found = await store.entities(HOME, limit=1_000)
        assert len(found) == 120
        await apply_next(store, change(fact(found[0], sentence="first"), fact(found[-1], sentence="last")))
        assert len(await store.facts(Filter(group_ids=("home",), entity_types=("Person",)))) == 2


async def test_slow_questions_are_given_the_time_they_take(server: FalkorServer) -> None:
    for name in ("TIMEOUT_MAX", "TIMEOUT_DEFAULT"):
        limit(server, name, 20_000 if name == "TIMEOUT_MAX" else 1)
    graph = FalkorDB(port=server.port).select_graph("home")
    graph.query(
        "UNWIND range(1, 20000) AS n CREATE (:Entity {uuid: 'e' + n, name: 'P' + n, group_id: 'home',"
        " created_at: '2024-01-01T00:00:00Z'})",
        timeout=20_000,
    )
    async with await CypherStore.open(server.engine()) as store:
        assert (await store.stats(["home"])).entities == 20_000


async def test_busy_server_takes_in_all_that_is_told(server: FalkorServer) -> None:
    limit(server, "MAX_QUEUED_QUERIES", 12)
    async with await CypherStore.open(server.engine()) as one, await CypherStore.open(server.engine()) as other:
        told = [episode(f"turn {number}", group_id=f"group-{number % 20}") for number in range(160)]
        stores = [one if number % 2 else other for number in range(160)]
        await asyncio.gather(*(store.add_episode(each) for store, each in zip(stores, told, strict=True)))
        assert (await one.stats()).episodes == 160


async def test_what_fits_is_found_behind_much_that_shares_the_words(
    server: FalkorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "_FIRST", 5)
    monkeypatch.setattr(scores, "_MORE", 40)
    async with await CypherStore.open(server.engine()) as store:
        ana = entity("Ana")
        facts = [fact(ana, sentence=f"alpha {'beta ' * number}") for number in range(20)]
        rare = fact(ana, sentence=f"alpha {'gamma ' * 30}", relation="RARE")
        await store.apply(change(ana, *facts, rare))
        narrow = Filter(group_ids=("home",), relations=("RARE",))
        assert [hit.uuid for hit in await store.match_text(Thing.FACT, "alpha", narrow, limit=3)] == [rare.uuid]


async def test_groups_in_one_graph_do_not_crowd_each_other_out(
    server: FalkorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "_FIRST", 5)
    monkeypatch.setattr(scores, "_MORE", 40)
    graph = FalkorDB(port=server.port).select_graph("default_db")
    graph.query(
        "UNWIND range(1, 30) AS n CREATE (:Entity {uuid: 'e' + n, name: 'alpha', created_at: '2024-01-01T00:00:00Z',"
        " group_id: CASE WHEN n = 15 THEN 'quiet' ELSE 'loud' END})"
    )
    async with await CypherStore.open(server.engine()) as store:
        assert len(await store.entities(Filter(group_ids=("loud",)))) == 29
        quiet = Filter(group_ids=("quiet",))
        assert [hit.uuid for hit in await store.match_text(Thing.ENTITY, "alpha", quiet, limit=3)] == ["e15"]


async def test_group_that_another_process_has_cleared_is_found_again(
    server: FalkorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_FEW", 0)
    async with await CypherStore.open(server.engine()) as one, await CypherStore.open(server.engine()) as other:
        for content in ("alpha", "beta"):
            told = await one.add_episode(episode(content))
            vector = Embedding(thing=Thing.EPISODE, uuid=told.uuid, text=told.text, vector=(1.0, 0.0))
            assert await one.put_vectors("model", [vector]) == 1
            for store in (one, other):
                assert [hit.uuid for hit in await store.match_text(Thing.EPISODE, content, HOME, limit=3)]
                found = await store.match_vector(Thing.EPISODE, "model", (1.0, 0.0), HOME, limit=3)
                assert [hit.uuid for hit in found] == [told.uuid]
            await other.clear(["home"])


async def test_vectors_are_written_at_once_and_indexed_when_a_group_has_grown(
    server: FalkorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_FEW", 20)
    async with await CypherStore.open(server.engine()) as store:
        for is_indexed in (False, True):
            told = [await store.add_episode(episode(f"turn {number}")) for number in range(15)]
            put = [Embedding(thing=Thing.EPISODE, uuid=e.uuid, text=e.text, vector=(1.0, 0.0)) for e in told]
            written = writes(server)
            assert await store.put_vectors("model", put) == 15
            assert writes(server) - written <= (3 if is_indexed else 2)
            found = await store.match_vector(Thing.EPISODE, "model", (1.0, 0.0), HOME, limit=50)
            assert {hit.uuid for hit in found} >= {e.uuid for e in told}
            home = FalkorDB(port=server.port).select_graph("home")
            assert any("VECTOR" in str(index) for index in home.list_indices().result_set) == is_indexed
        assert await store.put_vectors("model", put) == 15
        assert await store.put_vectors("model", []) == 0


def writes(server: FalkorServer) -> int:
    """How many queries that may write the server was asked."""
    return int(server.admin.info("commandstats")["cmdstat_graph.QUERY"]["calls"])


async def test_indexes_are_whole_before_anything_is_looked_up(server: FalkorServer) -> None:
    home = FalkorDB(port=server.port).select_graph("home")
    home.query("UNWIND range(1, 100000) AS n CREATE (:Entity {uuid: 'e' + n, name: 'P' + n, group_id: 'home'})")
    engine = server.engine()
    await engine.open()
    await engine.prepare("home")
    states = home.query("CALL db.indexes() YIELD label, status RETURN status").result_set
    await engine.close()
    assert len(states) > 10
    assert all(state == ["OPERATIONAL"] for state in states)


async def test_texts_that_ended_before_they_were_embedded_are_looked_at_once(server: FalkorServer) -> None:
    left = "MATCH (t:EverfactEpisodeText {embedded: '-'}) RETURN count(t)"
    async with await CypherStore.open(server.engine()) as store:
        told = await store.add_episode(episode("turn"))
        for number in range(20):
            told = await store.add_episode(replace(told, content=f"turn {number}"))
        home = FalkorDB(port=server.port).select_graph("home")
        assert home.query(left).result_set == [[21]]
        assert [item.text for item in await store.unembedded("model", limit=4)] == [told.text]
        assert home.query(left).result_set == [[1]]


async def test_page_of_a_journal_asks_only_the_groups_it_comes_to(server: FalkorServer) -> None:
    async with await CypherStore.open(server.engine()) as store:
        for number in range(20):
            await store.add_episode(episode(group_id=f"group-{number}"))
        whole = await store.journal(limit=100)
        for number, entry in enumerate(whole[:-1]):
            asked = reads(server)
            assert await store.journal(limit=1, after=entry) == [whole[number + 1]]
            assert reads(server) - asked <= 10


async def test_journal_goes_on_from_what_was_purged(server: FalkorServer) -> None:
    async with await CypherStore.open(server.engine()) as store:
        told = [await store.add_episode(episode(f"turn {number}")) for number in range(5)]
        whole = await store.journal()
        await store.purge("home", [told[2].uuid])
        assert (await store.journal(after=whole[2]))[:2] == whole[3:5]


def reads(server: FalkorServer) -> int:
    """How many queries that only read the server was asked."""
    return int(server.admin.info("commandstats")["cmdstat_graph.RO_QUERY"]["calls"])


async def test_what_is_purged_leaves_the_disk(server: FalkorServer) -> None:
    async with await CypherStore.open(server.engine()) as store:
        for number in range(3):
            told = await store.add_episode(episode(f"secret{number}"))
            assert "secret" in log_of(server)
            assert await store.purge("home", [told.uuid]) == 1
        async with asyncio.timeout(20):
            while server.admin.info("persistence")["aof_rewrite_in_progress"]:
                await asyncio.sleep(0.05)
        assert "secret" not in log_of(server)


def log_of(server: FalkorServer) -> str:
    """All that the server keeps on disk."""
    files = [path for path in server.folder.rglob("*") if path.is_file() and path.name != "log"]
    return "".join(path.read_text(encoding="latin-1") for path in files)


async def test_memory_of_a_later_version_is_refused(server: FalkorServer) -> None:
    async with await CypherStore.open(server.engine()) as store:
        await store.add_episode(episode())
    for graph in ("home", FalkorEngine.registry):
        FalkorDB(port=server.port).select_graph(graph).query("MATCH (s:EverfactSchema) SET s.version = 99")
    with pytest.raises(SchemaTooNew, match="version 99"):
        await CypherStore.open(server.engine())


async def test_user_with_few_rights_is_told_which_lack(server: FalkorServer) -> None:
    async with await CypherStore.open(server.engine()) as store:
        told = await store.add_episode(episode("alpha"))
    for user, rights in {"enough": ["+graph.query", "+graph.ro_query", "+graph.list"], "few": ["+graph.list"]}.items():
        server.admin.acl_setuser(user, enabled=True, passwords=["+pw"], keys=["*"], commands=rights)
    engine = FalkorEngine(Server(server.url, user="enough", password="pw"))
    async with await CypherStore.open(engine) as store:
        await store.add_episode(episode("beta"))
        assert await store.purge("home", [told.uuid]) == 1
    with pytest.raises(ConfigError) as caught:
        await CypherStore.open(FalkorEngine(Server(server.url, user="few", password="pw")))
    assert "store_user" in caught.value.hint


async def test_long_names_and_blanks_at_the_ends_are_told_apart(server: FalkorServer) -> None:
    long = "x" * 6_000
    async with await CypherStore.open(server.engine()) as store:
        for thread in (long, long, "t", "t "):
            await store.add_episode(episode("turn", thread=thread, speaker=f" {long} "))
        found = {(turn.thread, turn.position) for turn in await store.episodes(HOME)}
        assert found == {(long, 1), (long, 2), ("t", 1), ("t ", 1)}
        assert len(await store.episodes(Filter(group_ids=("home",), threads=("t ", long)))) == 3
        assert len(await store.speakers([long], HOME)) == 1
        ana = entity(long)
        await store.apply(change(ana))
        assert await store.entities(Filter(group_ids=("home",), names=(long,)))

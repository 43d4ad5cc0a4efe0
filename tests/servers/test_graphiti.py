"""Graphiti and everfact on the same database: each reads what the other has written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from falkordb import FalkorDB  # type: ignore[import-untyped]
from tests.servers.falkordb import FalkorServer, falkordb
from tests.servers.neo4j import Neo4jServer, neo4j

from tests.servers.theirs import SAID, Words, graphiti  # isort: skip - it lets their library be imported
from graphiti_core.edges import EntityEdge, EpisodicEdge, HasEpisodeEdge
from graphiti_core.helpers import get_default_group_id
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode, SagaNode
from graphiti_core.search.search_config_recipes import COMBINED_HYBRID_SEARCH_RRF
from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk

from everfact.assemble import make_memory
from everfact.memory import Memory
from everfact.models import Draft, Filter, Query, Source, Thing
from everfact.stores.cypher import adopt
from everfact.stores.cypher.store import CypherStore

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

HOME = Filter(group_ids=("home",))


@pytest.fixture(params=["falkordb", "neo4j"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> FalkorServer | Neo4jServer:
    monkeypatch.setenv("GRAPHITI_TELEMETRY_ENABLED", "false")
    started: FalkorServer | Neo4jServer = falkordb() if request.param == "falkordb" else neo4j()
    started.wipe()
    return started


@pytest.fixture
async def memory(server: FalkorServer | Neo4jServer) -> AsyncIterator[Memory]:
    async with make_memory(await CypherStore.open(server.engine())) as memory:
        yield memory


async def tell(memory: Memory, *texts: str, thread: str = "") -> None:
    for number, text in enumerate(texts):
        at = SAID + timedelta(days=number)
        await memory.add(
            Draft(content=text, group_id="home", reference_time=at, thread=thread, source=Source.TEXT), wait=True
        )


# What everfact writes, Graphiti reads


async def test_graphiti_reads_and_finds_what_everfact_has_learned(
    memory: Memory, server: FalkorServer | Neo4jServer
) -> None:
    await tell(
        memory, "Ana lives in Rome. The port of the billing service is 9090.", "Ana moved to Oslo.", thread="talk"
    )
    ours = {fact.sentence: fact for fact in await memory.facts(HOME)}
    async with graphiti(server, "home") as theirs:
        driver = theirs.driver
        entities = {node.name: node for node in await EntityNode.get_by_group_ids(driver, ["home"])}
        assert {"Ana", "Rome", "Oslo", "billing service"} <= entities.keys()
        assert "Person" in entities["Ana"].labels
        edges = {edge.fact: edge for edge in await EntityEdge.get_by_group_ids(driver, ["home"])}
        assert edges.keys() == ours.keys()
        rome = edges["Ana lives in Rome."]
        assert (rome.source_node_uuid, rome.target_node_uuid) == (entities["Ana"].uuid, entities["Rome"].uuid)
        assert rome.name == ours["Ana lives in Rome."].relation
        assert rome.invalid_at == ours["Ana lives in Rome."].invalid_at is not None
        assert rome.created_at == ours["Ana lives in Rome."].created_at
        port = next(edge for fact, edge in edges.items() if "9090" in fact)
        assert port.source_node_uuid == port.target_node_uuid == entities["billing service"].uuid
        assert port.attributes["value"] == "9090"
        episodes = await EpisodicNode.get_by_group_ids(driver, ["home"])
        assert {episode.content for episode in episodes} == {e.content for e in await memory.episodes(HOME)}
        told = next(episode for episode in episodes if "Rome" in episode.content)
        assert (told.valid_at, told.source) == (SAID, EpisodeType.text)
        assert rome.uuid in told.entity_edges
        assert told.uuid in rome.episodes
        assert {e.uuid for e in await EpisodicNode.get_by_entity_node_uuid(driver, entities["Rome"].uuid)} == {
            told.uuid
        }
        (saga,) = await SagaNode.get_by_group_ids(driver, ["home"])
        assert saga.name == "talk"
        assert [edge.fact for edge in await theirs.search("where does Ana live", group_ids=["home"])]
        found = await theirs.search_("billing port", config=COMBINED_HYBRID_SEARCH_RRF, group_ids=["home"])
        assert "billing service" in {node.name for node in found.nodes}
        assert any("9090" in edge.fact for edge in found.edges)
        assert any("9090" in episode.content for episode in found.episodes)


async def test_what_was_forgotten_graphiti_does_not_see(memory: Memory, server: FalkorServer | Neo4jServer) -> None:
    await tell(memory, "Ana lives in Rome.", "Bo likes tea.")
    (told,) = [e for e in await memory.episodes(HOME) if "Ana" in e.content]
    await memory.forget(told.uuid)
    async with graphiti(server, "home") as theirs:
        assert {e.content for e in await EpisodicNode.get_by_group_ids(theirs.driver, ["home"])} == {"Bo likes tea."}
        facts = [edge.fact for edge in await EntityEdge.get_by_group_ids(theirs.driver, ["home"])]
        assert facts == [fact.sentence for fact in await memory.facts(HOME)]
        assert "Ana" not in {node.name for node in await EntityNode.get_by_group_ids(theirs.driver, ["home"])}
    await memory.purge(told.uuid)
    assert "Rome" not in repr(everything(server))


def everything(server: FalkorServer | Neo4jServer) -> object:
    """All nodes and relationships, as the server has them."""
    queries = ("MATCH (n) RETURN labels(n), properties(n)", "MATCH ()-[e]->() RETURN type(e), properties(e)")
    if isinstance(server, FalkorServer):
        graph = FalkorDB(port=server.port).select_graph("home")
        return [sorted(map(repr, graph.query(query).result_set)) for query in queries]
    return [sorted(map(repr, server.admin.execute_query(query).records)) for query in queries]


# What Graphiti has written, everfact reads


async def write_theirs(server: FalkorServer | Neo4jServer, *, bulk: bool) -> dict[str, str]:
    """A small database of Graphiti's: single saves write the ends of a fact in one spelling, bulk in the other."""
    told = EpisodicNode(
        name="first",
        group_id="home",
        source=EpisodeType.message,
        source_description="chat",
        content="Ana joined Globex",
        created_at=SAID,
        valid_at=SAID,
    )
    ana = EntityNode(name="Ana", group_id="home", labels=["Entity", "Person"], summary="An engineer", created_at=SAID)
    ana.attributes = {"nickname": "Annie"}
    globex = EntityNode(name="Globex", group_id="home", labels=["Entity", "Organization"], created_at=SAID)
    job = EntityEdge(
        group_id="home",
        source_node_uuid=ana.uuid,
        target_node_uuid=globex.uuid,
        name="WORKS_AT",
        fact="Ana works at Globex",
        episodes=[told.uuid],
        created_at=SAID,
        valid_at=SAID,
    )
    old = EntityEdge(
        group_id="home",
        source_node_uuid=ana.uuid,
        target_node_uuid=globex.uuid,
        name="VISITED",
        fact="Ana visited Globex once",
        episodes=[told.uuid],
        created_at=SAID,
        valid_at=SAID - timedelta(days=9),
        invalid_at=SAID - timedelta(days=8),
        expired_at=SAID,
    )
    told.entity_edges = [job.uuid, old.uuid]
    mentions = [
        EpisodicEdge(group_id="home", source_node_uuid=told.uuid, target_node_uuid=node.uuid, created_at=SAID)
        for node in (ana, globex)
    ]
    async with graphiti(server, "home") as theirs:
        if bulk:
            await add_nodes_and_edges_bulk(theirs.driver, [told], mentions, [ana, globex], [job, old], Words())
        else:
            for node in (ana, globex):
                await node.generate_name_embedding(Words())
            for edge in (job, old):
                await edge.generate_embedding(Words())
            for item in (told, ana, globex, job, old, *mentions):
                await item.save(theirs.driver)
    return {"told": told.uuid, "ana": ana.uuid, "globex": globex.uuid, "job": job.uuid, "old": old.uuid}


@pytest.mark.parametrize("bulk", [False, True])
async def test_database_of_graphiti_opens_as_it_is(server: FalkorServer | Neo4jServer, bulk: bool) -> None:
    uuids = await write_theirs(server, bulk=bulk)
    before = everything(server)
    async with make_memory(await CypherStore.open(server.engine())) as memory:
        (told,) = await memory.episodes(HOME)
        assert (told.uuid, told.content, told.source) == (uuids["told"], "Ana joined Globex", Source.MESSAGE)
        assert told.reference_time == SAID
        entities = {entity.name: entity for entity in await memory.entities(HOME)}
        assert entities["Ana"].uuid == uuids["ana"]
        assert (entities["Ana"].types, entities["Ana"].summary) == (("Person",), "An engineer")
        assert entities["Ana"].attributes == {"nickname": "Annie"}
        facts = {fact.uuid: fact for fact in await memory.facts(HOME)}
        job, old = facts[uuids["job"]], facts[uuids["old"]]
        assert (job.subject_uuid, job.object_uuid, job.valid_at) == (uuids["ana"], uuids["globex"], SAID)
        assert old.invalid_at == SAID - timedelta(days=8)
        assert job.episodes == (uuids["told"],)
        answer = await memory.search(Query(text="where does Ana work?", group_ids=("home",), things=(Thing.FACT,)))
        assert [hit.item.uuid for hit in answer.hits] == [uuids["job"]]
        assert (await memory.status()).facts == 2
    after = everything(server)
    for was, now in zip(before, after, strict=True):
        assert [item for item in now if "Everfact" not in item] == [item for item in was if "Everfact" not in item]


OLD = """
CREATE (a:Entity:Entity_home:Person {uuid: 'a', name: 'Ana', group_id: 'home', created_at: $at, labels: ['Entity']})
CREATE (b:Entity:Entity_home {uuid: 'b', name: 'Bo', group_id: 'home', summary: 'a friend', created_at: $at})
CREATE (:Episodic {uuid: 'e', group_id: 'home', name: 'n', content: 'Ana knows Bo', source: 'text', created_at: $at,
  valid_at: $at, source_description: ''})
CREATE (a)-[:RELATES_TO {uuid: 'k', group_id: 'home', name: 'KNOWS', fact: 'Ana knows Bo', episodes: ['e', 'lost'],
  created_at: $at, expired_at: $at, source_uuid: 'a', target_uuid: 'b', since: 'school'}]->(b)
CREATE (a)-[:RELATES_TO {uuid: 'd', group_id: 'home', name: 'IS_DUPLICATE_OF', fact: 'Ana is Bo', created_at: $at}]->(b)
CREATE (a)-[:RELATES_TO {uuid: 'x', group_id: 'home', name: 'SAW', fact: 'Ana saw Bo', created_at: 'never'}]->(b)
"""


async def test_what_older_versions_have_written_is_read(server: FalkorServer | Neo4jServer) -> None:
    if isinstance(server, FalkorServer):
        FalkorDB(port=server.port).select_graph("home").query(OLD, {"at": SAID.isoformat()})
    else:
        server.admin.execute_query(OLD, {"at": SAID.isoformat()})
    async with make_memory(await CypherStore.open(server.engine())) as memory:
        entities = {entity.uuid: entity for entity in await memory.entities(HOME)}
        assert {uuid: entity.types for uuid, entity in entities.items()} == {"a": ("Person",), "b": ()}
        assert entities["a"].created_at == SAID
        facts = {fact.uuid: fact for fact in await memory.facts(HOME)}
        assert facts.keys() == {"k", "x"}
        knows = facts["k"]
        assert (knows.subject_uuid, knows.object_uuid, knows.invalid_at, knows.expired_at) == ("a", "b", SAID, SAID)
        assert (knows.episodes, dict(knows.attributes)) == (("e", "lost"), {"since": "school"})


async def test_what_graphiti_goes_on_to_write_is_noticed(
    server: FalkorServer | Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adopt, "_AGAIN_SECONDS", 0.0)
    await write_theirs(server, bulk=True)
    async with await CypherStore.open(server.engine()) as store:
        assert len(await store.entities(HOME)) == 2
        assert not await store.maintain()
        async with graphiti(server, "home") as theirs:
            cy = EntityNode(name="Cy", group_id="home", labels=["Entity"], created_at=SAID)
            await cy.generate_name_embedding(Words())
            await cy.save(theirs.driver)
        assert await store.maintain()
        assert {entity.name for entity in await store.entities(HOME)} == {"Ana", "Globex", "Cy"}


async def test_memory_goes_on_from_what_graphiti_had_learned(server: FalkorServer | Neo4jServer) -> None:
    uuids = await write_theirs(server, bulk=True)
    async with make_memory(await CypherStore.open(server.engine())) as memory:
        at = SAID + timedelta(days=30)
        draft = Draft(content="Ana works at Initech now.", group_id="home", reference_time=at)
        await memory.add(draft, wait=True)
        facts = {fact.sentence: fact for fact in await memory.facts(HOME)}
        assert facts["Ana works at Globex"].invalid_at == at
        assert facts["Ana works at Initech now."].subject_uuid == uuids["ana"]
        await memory.forget(uuids["told"])
        assert "Ana works at Globex" not in {fact.sentence for fact in await memory.facts(HOME)}
    async with graphiti(server, "home") as theirs:
        edges = {edge.fact for edge in await EntityEdge.get_by_group_ids(theirs.driver, ["home"])}
        assert edges == {"Ana works at Initech now."}


async def test_what_graphiti_was_told_without_a_group_is_the_group_called_underscore(
    server: FalkorServer | Neo4jServer,
) -> None:
    async with graphiti(server, "default_db") as theirs:
        nameless = get_default_group_id(theirs.driver.provider)
        for name in ("Ana", "Globex"):
            node = EntityNode(name=name, group_id=nameless, labels=["Entity", "Person"], created_at=SAID)
            await node.generate_name_embedding(Words())
            await node.save(theirs.driver)
        here = Filter(group_ids=("_",))
        async with make_memory(await CypherStore.open(server.engine())) as memory:
            assert {entity.name for entity in await memory.entities(Filter(group_ids=None))} == {"Ana", "Globex"}
            assert {entity.name for entity in await memory.entities(here)} == {"Ana", "Globex"}
            told = await memory.add(Draft(content="Ana works at Globex.", group_id="_"), wait=True)
            assert (await memory.search(Query(text="Ana Globex", group_ids=("_",)))).hits
            (job,) = await EntityEdge.get_by_group_ids(theirs.driver, [nameless])
            assert (job.fact, job.source_node_uuid == node.uuid) == ("Ana works at Globex.", False)
            assert len(await EntityNode.get_by_group_ids(theirs.driver, [nameless])) == 2
            await memory.purge(told.episode.uuid)
            assert not await EpisodicNode.get_by_group_ids(theirs.driver, [nameless])
            await memory.clear(["_"])
            assert not await EntityNode.get_by_group_ids(theirs.driver, [nameless])


async def test_sagas_of_graphiti_are_threads_in_the_order_of_their_times(server: FalkorServer | Neo4jServer) -> None:
    async with graphiti(server, "home") as theirs:
        saga = SagaNode(name="talk", group_id="home", created_at=SAID)
        await saga.save(theirs.driver)
        for day in (2, 0, 1):
            turn = EpisodicNode(
                name=f"turn {day}",
                group_id="home",
                source=EpisodeType.message,
                source_description="",
                content=f"turn {day}",
                created_at=SAID,
                valid_at=SAID + timedelta(days=day),
            )
            await turn.save(theirs.driver)
            link = HasEpisodeEdge(
                group_id="home", source_node_uuid=saga.uuid, target_node_uuid=turn.uuid, created_at=SAID
            )
            await link.save(theirs.driver)
    async with make_memory(await CypherStore.open(server.engine())) as memory:
        assert len(await memory.episodes(HOME)) == 3
        await tell(memory, "turn 3", thread="talk")
        turns = {turn.content: (turn.thread, turn.position) for turn in await memory.episodes(HOME)}
        assert turns == {f"turn {number}": ("talk", number + 1) for number in range(4)}


async def test_groups_that_older_versions_kept_in_one_graph_are_told_apart() -> None:
    falkordb().wipe()
    graph = FalkorDB(port=falkordb().port).select_graph("default_db")
    for number, group in enumerate(("home", "work")):
        graph.query(
            "CREATE (:Entity {uuid: $uuid, name: 'Ana', group_id: $group, created_at: $at})"
            "-[:RELATES_TO {uuid: $uuid + 'e', group_id: $group, name: 'IS', fact: 'Ana is at ' + $group,"
            " created_at: $at}]->(:Entity {uuid: $uuid + 'b', name: $group, group_id: $group, created_at: $at})",
            {"uuid": str(number), "group": group, "at": SAID.isoformat()},
        )
    async with make_memory(await CypherStore.open(falkordb().engine())) as memory:
        await tell(memory, "Ana likes tea.")
        await memory.add(Draft(content="Bo likes juice.", group_id="new"), wait=True)
    async with make_memory(await CypherStore.open(falkordb().engine())) as memory:
        facts = {fact.sentence: fact for fact in await memory.facts(Filter(group_ids=None))}
        assert facts.keys() == {"Ana is at home", "Ana is at work", "Ana likes tea.", "Bo likes juice."}
        assert facts["Ana likes tea."].subject_uuid == "0"
        assert (await memory.status()).groups == 3
        await memory.clear(["home"])
        left = {fact.sentence for fact in await memory.facts(Filter(group_ids=None))}
        assert left == {"Ana is at work", "Bo likes juice."}
        assert "tea" not in repr(graph.query("MATCH (n) RETURN n").result_set)
    assert {"default_db", "new", "home", "work"} & set(FalkorDB(port=falkordb().port).list_graphs()) == {
        "default_db",
        "new",
    }


async def test_nothing_is_left_of_a_group_that_is_cleared(memory: Memory, server: FalkorServer | Neo4jServer) -> None:
    await tell(memory, "Ana lives in Rome.", "Ana moved to Oslo.", thread="talk")
    await memory.clear(["home"])
    if isinstance(server, Neo4jServer):
        left = repr(everything(server)).casefold()
        assert not [word for word in ("home", "rome", "oslo", "talk") if word in left]
    else:
        assert "home" not in FalkorDB(port=server.port).list_graphs()

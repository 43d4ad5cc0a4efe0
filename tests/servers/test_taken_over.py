"""What Graphiti has written goes on as it was: told on, forgotten, undone and deleted, on either side."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from falkordb import FalkorDB  # type: ignore[import-untyped]
from tests.servers.falkordb import FalkorServer, falkordb
from tests.servers.neo4j import Neo4jServer, neo4j

from tests.servers.theirs import SAID, Words, graphiti  # isort: skip - it lets their library be imported
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

from everfact.assemble import make_memory
from everfact.errors import UsageError
from everfact.memory import Memory
from everfact.models import ChangeKind, Draft, Filter, Mention, Statement
from everfact.reprocess import lesser
from everfact.stores.cypher import adopt
from everfact.stores.cypher.store import CypherStore

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Server = FalkorServer | Neo4jServer
HOME = Filter(group_ids=("home",))


@pytest.fixture(params=["falkordb", "neo4j"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("GRAPHITI_TELEMETRY_ENABLED", "false")
    started: Server = falkordb() if request.param == "falkordb" else neo4j()
    started.wipe()
    return started


@dataclass
class Theirs:
    """A small memory of Graphiti's: two episodes, three people and places, what was said of them."""

    server: Server
    items: dict[str, Any] = field(default_factory=dict)

    async def save(self) -> None:
        async with graphiti(self.server, "home") as client:
            for item in self.items.values():
                if isinstance(item, EntityNode):
                    await item.generate_name_embedding(Words())
                if isinstance(item, EntityEdge):
                    await item.generate_embedding(Words())
                await item.save(client.driver)

    def episode(self, uuid: str, *mentions: str) -> None:
        self.items[uuid] = EpisodicNode(
            uuid=uuid,
            name=uuid,
            group_id="home",
            source=EpisodeType.text,
            source_description="",
            content=f"what {uuid} tells",
            created_at=SAID,
            valid_at=SAID,
        )
        for name in mentions:
            self.items[f"{uuid}-{name}"] = EpisodicEdge(
                group_id="home", source_node_uuid=uuid, target_node_uuid=name, created_at=SAID
            )

    def entity(self, name: str, *labels: str) -> None:
        self.items[name] = EntityNode(
            uuid=name, name=name, group_id="home", labels=["Entity", *labels], summary=f"all on {name}", created_at=SAID
        )

    def fact(self, uuid: str, subject: str, relation: str, target: str, *episodes: str, **given: Any) -> None:
        self.items[uuid] = EntityEdge(
            uuid=uuid,
            group_id="home",
            source_node_uuid=subject,
            target_node_uuid=target,
            name=relation,
            fact=f"{uuid}: {subject} {relation} {target}",
            episodes=list(episodes),
            created_at=SAID,
            **{"valid_at": SAID, "attributes": {"mood": "good"}} | given,
        )


@pytest.fixture
async def theirs(server: Server) -> Theirs:
    made = Theirs(server)
    for name, label in (("Ana", "Person"), ("Globex", "Organization"), ("Rome", "City")):
        made.entity(name, label)
    made.entity("Nemo", "Person", "Captain")
    made.episode("e1", "Ana", "Globex", "Rome")
    made.episode("e2", "Ana", "Rome")
    for number, told in enumerate(("e1", "e2", "e2")):
        made.fact(f"k{number}", "Ana", "DISCUSSED", "Globex", told, valid_at=SAID + timedelta(days=number))
    later = SAID + timedelta(days=9)
    made.fact("over", "Ana", "VISITED", "Rome", "e1", valid_at=later, invalid_at=SAID, expired_at=later)
    await made.save()
    return made


@asynccontextmanager
async def opened(theirs: Theirs) -> AsyncIterator[Memory]:
    async with make_memory(await CypherStore.open(theirs.server.engine())) as memory:
        yield memory


async def edges(theirs: Theirs) -> dict[str, EntityEdge]:
    async with graphiti(theirs.server, "home") as client:
        return {edge.uuid: edge for edge in await EntityEdge.get_by_group_ids(client.driver, ["home"])}


async def nodes(theirs: Theirs) -> dict[str, EntityNode]:
    async with graphiti(theirs.server, "home") as client:
        return {node.name: node for node in await EntityNode.get_by_group_ids(client.driver, ["home"])}


async def say(memory: Memory, subject: str, relation: str, target: str) -> str:
    at = SAID + timedelta(days=30)
    ends = Mention(name=subject, uuid=subject), Mention(name=target, uuid=target)
    sentence = f"{subject} {relation} {target} again"
    said = Statement(subject=ends[0], relation=relation, object=ends[1], sentence=sentence, valid_at=at)
    draft = Draft(content=sentence, group_id="home", statements=(said,), reference_time=at)
    return (await memory.add(draft, wait=True)).episode.uuid


async def test_facts_keep_their_ids_when_more_is_said_of_the_same(theirs: Theirs) -> None:
    async with opened(theirs) as memory:
        before = {fact.uuid: fact for fact in await memory.facts(HOME)}
        told = await say(memory, "Ana", "DISCUSSED", "Globex")
        after = {fact.uuid: fact for fact in await memory.facts(HOME)}
    assert before.keys() == after.keys() == {"k0", "k1", "k2", "over"}
    assert after["k0"].episodes == ("e1", told)
    assert [uuid for uuid in before if before[uuid] != after[uuid]] == ["k0"]
    assert after["k0"].sentence == before["k0"].sentence
    kept = await edges(theirs)
    assert kept.keys() == before.keys()
    assert all(edge.attributes.get("mood") == "good" for edge in kept.values())
    async with graphiti(theirs.server, "home") as client:
        for edge in kept.values():
            await edge.load_fact_embedding(client.driver)
    assert all(edge.fact_embedding for edge in kept.values())


async def test_what_has_ended_does_not_begin_again(theirs: Theirs) -> None:
    async with opened(theirs) as memory:
        await say(memory, "Ana", "VISITED", "Rome")
        facts = {fact.uuid: fact for fact in await memory.facts(HOME)}
    assert facts["over"].invalid_at == SAID
    assert len([fact for fact in facts.values() if fact.relation == "VISITED"]) == 2


async def test_forgetting_an_episode_leaves_what_others_mention(theirs: Theirs) -> None:
    async with opened(theirs) as memory:
        await memory.forget("e1")
        assert {fact.uuid for fact in await memory.facts(HOME)} == {"k1", "k2"}
        known = {entity.name: entity for entity in await memory.entities(HOME)}
    assert {name: entity.types for name, entity in known.items()} == {
        "Ana": ("Person",),
        "Globex": ("Organization",),
        "Rome": ("City",),
        "Nemo": ("Person", "Captain"),
    }
    left = await nodes(theirs)
    assert left.keys() == known.keys()
    assert set(left["Rome"].labels) == {"Entity", "City"}
    assert left["Rome"].summary == "all on Rome"
    async with opened(theirs) as memory:
        await memory.forget("e2")
        assert {entity.name for entity in await memory.entities(HOME)} == {"Nemo"}


async def test_taking_over_is_not_undone(theirs: Theirs) -> None:
    async with opened(theirs) as memory:
        log = await memory.changes(HOME)
        assert {change.kind for change in log} == {ChangeKind.ADOPT}
        for change in log:
            with pytest.raises(UsageError, match="stands in the database already"):
                await memory.undo(change.uuid)
    assert len(await edges(theirs)) == 4


async def test_new_is_noticed_after_graphiti_has_deleted(theirs: Theirs) -> None:
    async with opened(theirs) as memory:
        assert len(await memory.facts(HOME)) == 4
    kept = await edges(theirs)
    async with graphiti(theirs.server, "home") as client:
        for uuid in ("k1", "k2"):
            await kept[uuid].delete(client.driver)
    for _ in range(2):
        async with opened(theirs) as memory:
            assert len(await memory.facts(HOME)) == 4  # what it deletes stays known here
    theirs.fact("new", "Ana", "LIKES", "Rome", "e2")
    await theirs.save()
    async with opened(theirs) as memory:
        assert "new" in {fact.uuid for fact in await memory.facts(HOME)}


async def test_groups_are_looked_at_again_in_turn(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await CypherStore.open(theirs.server.engine()) as store:
        await store.facts(Filter(group_ids=("other", "home")))
        monkeypatch.setattr(adopt, "_AGAIN_SECONDS", 0.0)
        theirs.fact("new", "Ana", "LIKES", "Rome", "e2")
        await theirs.save()
        assert [await store.maintain() for _ in range(3)].count(True) == 1
        if isinstance(theirs.server, FalkorServer):  # looking for nothing makes nothing
            assert "other" not in FalkorDB(port=theirs.server.port).list_graphs()
        assert "new" in {fact.uuid for fact in await store.facts(HOME)}


async def test_facts_about_what_graphiti_has_deleted_are_shown_with_their_ends(theirs: Theirs) -> None:
    async with opened(theirs) as memory:
        await memory.facts(HOME)
        async with graphiti(theirs.server, "home") as client:
            await (await EntityNode.get_by_uuid(client.driver, "Globex")).delete(client.driver)
        await say(memory, "Ana", "LIKES", "Globex")
    shown = {edge.fact for edge in (await edges(theirs)).values()}
    assert "Ana LIKES Globex again" in shown
    assert (await nodes(theirs))["Globex"].summary == "all on Globex"


async def test_what_cannot_be_taken_over_leaves_no_trace_in_the_log(theirs: Theirs) -> None:
    theirs.items["abroad"] = EntityNode(uuid="abroad", name="X", group_id="away", labels=["Entity"], created_at=SAID)
    theirs.fact("across", "Ana", "KNOWS", "abroad", "e1")
    await theirs.save()
    for _ in range(2):
        async with opened(theirs) as memory:
            assert "across" not in {fact.uuid for fact in await memory.facts(HOME)}
            log = await memory.changes(HOME)
    assert len(log) == 3  # entities, episodes, facts


ODD = """
MATCH (a:Entity {uuid: 'Ana'}), (b:Entity {uuid: 'Rome'})
CREATE (a)-[:RELATES_TO {uuid: 'odd', group_id: 'home', created_at: 17, valid_at: '9999-12-31T23:59:59-05:00',
  invalid_at: '2024-05-01T00:00:00+01:00[Europe/Berlin]', expired_at: true, weights: [1, 2], value: 'mine'}]->(b)
CREATE (:Entity {uuid: 'blank', group_id: 'home'})
CREATE (:Entity {group_id: 'home', name: 'without id'})
CREATE (:Episodic {uuid: 'bare', group_id: 'home', valid_at: 3.5})
"""


async def test_odd_values_spoil_nothing(theirs: Theirs) -> None:
    if isinstance(theirs.server, FalkorServer):
        FalkorDB(port=theirs.server.port).select_graph("home").query(ODD)
    else:
        theirs.server.admin.execute_query(ODD)
    async with opened(theirs) as memory:
        facts = {fact.uuid: fact for fact in await memory.facts(HOME)}
        assert facts["odd"].sentence == "Ana relates to Rome"
        assert facts["odd"].valid_at is None
        assert facts["odd"].invalid_at is not None
        assert dict(facts["odd"].attributes) == {"weights": [1, 2], "value": "mine"}
        assert {"e1", "e2", "bare"} == {episode.uuid for episode in await memory.episodes(HOME)}
        assert "blank" in {entity.name for entity in await memory.entities(HOME)}
        await say(memory, "Ana", "RELATES_TO", "Rome")
        await memory.forget("e2")
    kept = (await edges(theirs))["odd"]
    assert (kept.attributes["weights"], kept.attributes["value"]) == ([1, 2], "mine")


async def test_renamed_entity_is_not_found_by_the_meaning_of_its_old_name(theirs: Theirs) -> None:
    async with opened(theirs) as memory:
        draft = Draft(
            content="hello",
            group_id="home",
            statements=(
                Statement(
                    subject=Mention(name="Ana Costa of Lisbon", uuid="Ana"), relation="", object=None, sentence=""
                ),
            ),
        )
        await memory.add(draft, wait=True)
    ana = next(node for node in (await nodes(theirs)).values() if node.uuid == "Ana")
    assert ana.name == "Ana Costa of Lisbon"
    async with graphiti(theirs.server, "home") as client:
        (kept, *_), *_ = await client.driver.execute_query(
            "MATCH (n:Entity {uuid: 'Ana'}) RETURN n.name_embedding AS v"
        )
    assert kept["v"] is None


async def test_what_graphiti_has_read_is_not_read_again_by_less(theirs: Theirs) -> None:
    async with await CypherStore.open(theirs.server.engine()) as store:
        assert len(await store.episodes(HOME)) == 2
        assert not (await lesser(store, "llm/small", "home")).episodes


async def test_empty_graph_of_its_own_hides_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHITI_TELEMETRY_ENABLED", "false")
    falkordb().wipe()
    graph = FalkorDB(port=falkordb().port).select_graph("default_db")
    graph.query("CREATE (:Entity {uuid: 'a', name: 'Ana', group_id: 'home', created_at: '2024-01-01T00:00:00Z'})")
    async with graphiti(falkordb(), "home"):  # it makes its indexes there, and so the graph
        pass
    assert "home" in FalkorDB(port=falkordb().port).list_graphs()
    async with make_memory(await CypherStore.open(falkordb().engine())) as memory:
        assert [entity.name for entity in await memory.entities(HOME)] == ["Ana"]

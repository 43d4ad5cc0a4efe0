"""What is asked of a graph server is looked up by an index: no question takes longer because a group has grown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from falkordb import FalkorDB
from tests.servers.falkordb import FalkorServer, falkordb
from tests.servers.neo4j import Neo4jServer, neo4j

from everfact.assemble import make_memory
from everfact.embedders.static import StaticEmbedder
from everfact.models import Draft, Filter, Query, Source
from everfact.stores.cypher.engine import Parameters, Row, Step
from everfact.stores.cypher.falkordb import FalkorEngine
from everfact.stores.cypher.neo4j import Neo4jEngine
from everfact.stores.cypher.server import Server
from everfact.stores.cypher.store import CypherStore

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SCHEMA = {"(s:EverfactSchema)": "the version of what is laid out, of which there is one"}
THEIRS = {"WITH DISTINCT n.group_id AS id": "groups of Graphiti's, once a process"}

OTHERS = """UNWIND range(1, 1000) AS n
CREATE (a:Entity {uuid: 'a' + n, group_id: n % 100})-[e:RELATES_TO]->(b:Entity {uuid: 'b' + n, group_id: n % 100})
SET e.uuid = 'e' + n, e.group_id = n % 100"""
"""What is told apart by a group; none of ours, which are texts."""


class Noting:
    """Of an engine: notes what it is asked and made to do, and how the server goes about it."""

    SCANS: tuple[str, ...]
    """What a plan says where all of a kind is looked at."""
    WHOLE: Mapping[str, str]
    """By what the questions are known that may do so, and why."""

    def __init__(self, server: FalkorServer | Neo4jServer) -> None:
        server.wipe()
        super().__init__(Server(server.url))
        self.plans: dict[str, str] = {}

    async def read(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        rows = await super().read(graph, query, parameters)
        self._note(graph, query, dict(parameters))
        return rows

    async def write(self, graph: str, query: str, parameters: Parameters, *, again: bool = True) -> list[Row]:
        rows = await super().write(graph, query, parameters, again=again)
        if again:
            self._note(graph, query, dict(parameters))
        return rows

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        is_done = await super().commit(graph, guard, parameters, steps)
        self._note(graph, f"{guard} RETURN g.revision", dict(parameters))
        for step in steps:
            self._note(graph, f"UNWIND $rows AS r {step.statement}", {"rows": list(step.rows)})
        return is_done

    def _note(self, graph: str, query: str, parameters: dict[str, Any]) -> None:
        if query not in self.plans and (plan := self.plan(graph, query, parameters)):
            self.plans[query] = plan

    def scans(self) -> list[str]:
        """Which questions look at all of a kind."""
        return [f"{query}\n{plan}" for query, plan in self.plans.items() if any(sign in plan for sign in self.SCANS)]


class AskedFalkorDB(Noting, FalkorEngine):
    SCANS = ("Label Scan", "All Node")
    WHOLE = (
        SCHEMA
        | THEIRS
        | {
            "WITH count(": "counts, made now and then",
            "vec.cosineDistance(": "vectors, compared one by one in small groups and narrow choices",
            "WITH e ORDER BY e.created_at DESC": "listings, newest first",
            "(m:EverfactModel)": "models, which are few",
            "(g:EverfactGroup) WITH sum(": "the group of the graph, as long as there is no index of vectors",
        }
    )

    def __init__(self) -> None:
        super().__init__(falkordb())
        self._at = FalkorDB(port=falkordb().port)

    def plan(self, graph: str, query: str, parameters: dict[str, Any]) -> str:
        if query.startswith(("CREATE", "CALL")) or graph not in self._at.list_graphs():
            return ""
        return str(self._at.select_graph(graph).explain(query, parameters))


class AskedNeo4j(Noting, Neo4jEngine):
    SCANS = ("Scan",)
    WHOLE = (
        SCHEMA
        | THEIRS
        | {
            "(g:EverfactGroup) RETURN": "all groups, where all are asked about",
            "(g:EverfactGroup) WITH sum(": "the same, as long as there is no index of vectors",
            "m.name <> $name": "models, which are few",
        }
    )

    def __init__(self) -> None:
        super().__init__(neo4j())
        # In an empty database a scan costs nothing, and may be chosen; and plans are kept from one test to the next.
        neo4j().admin.execute_query(OTHERS)
        neo4j().admin.execute_query("CALL db.prepareForReplanning()")

    def plan(self, graph: str, query: str, parameters: dict[str, Any]) -> str:
        if query.startswith(("CREATE", "SHOW")):
            return ""
        return "\n".join(_operators(neo4j().admin.execute_query(f"EXPLAIN {query}", parameters).summary.plan))


def _operators(plan: dict[str, Any]) -> list[str]:
    own = f"{plan['operatorType']} {plan['args'].get('Details', '')}"
    return [own, *(line for child in plan.get("children", ()) for line in _operators(child))]


@pytest.fixture(params=[AskedFalkorDB, AskedNeo4j])
def engine(request: pytest.FixtureRequest) -> AskedFalkorDB | AskedNeo4j:
    made: AskedFalkorDB | AskedNeo4j = request.param()
    return made


async def test_nothing_is_looked_for_by_looking_at_everything(engine: AskedFalkorDB | AskedNeo4j) -> None:
    store, page = await CypherStore.open(engine), []
    async with make_memory(store, embedder=StaticEmbedder()) as memory:
        for number, text in enumerate(
            ("Ana Costa lives in Lisbon.", "Ana Costa works at Globex.", "Ana Costa moved to Porto.", "Ben likes tea.")
        ):
            draft = Draft(content=text, thread="talk", speaker=f"Speaker {number % 2}", source=Source.MESSAGE)
            added = await memory.add(draft, wait=True)
        while await memory.embed():
            pass
        await memory.search(Query(text="where did Ana Costa live before the move to Porto, asks Speaker 1"))
        fact = (await memory.facts(Filter(group_ids=("main",))))[0]
        change = await memory.correct(fact.uuid, lambda said: replace(said, sentence="Put right."), why="typo")
        await memory.undo(change.uuid)
        await memory.merge("Ben", "Ana Costa", group_ids=("main",))
        await memory.purge(added.episode.uuid)
        while page := await store.journal(limit=5, after=page[-1] if page else None):
            pass
        await memory.clear(["main"])
    scans = engine.scans()
    assert len(engine.plans) > 100
    assert not [scan for scan in scans if not any(sign in scan for sign in engine.WHOLE)]
    for sign in engine.WHOLE:
        assert any(sign in scan for scan in scans), sign


async def test_questions_with_fewer_or_more_words_are_planned_once() -> None:
    engine = AskedFalkorDB()
    async with make_memory(await CypherStore.open(engine)) as memory:
        await memory.add(Draft(content="Ana Costa moved from Lisbon to Porto."), wait=True)
        await memory.search(Query(text="where did Ana Costa live in Lisbon"))
        planned = len(engine.plans)
        for text in ("Ana in Lisbon", "did Ana Costa move from Lisbon to Porto, where many people of Lisbon live"):
            await memory.search(Query(text=text))
        assert len(engine.plans) == planned

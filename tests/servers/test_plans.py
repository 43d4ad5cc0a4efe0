"""What is asked of a graph server is looked up by an index: no question takes longer because a group has grown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from falkordb import FalkorDB
from tests.servers.falkordb import FalkorServer, falkordb

from everfact.assemble import make_memory
from everfact.embedders.static import StaticEmbedder
from everfact.models import Draft, Filter, Query, Source
from everfact.stores.cypher.engine import Parameters, Row, Step
from everfact.stores.cypher.falkordb import FalkorEngine
from everfact.stores.cypher.server import Server
from everfact.stores.cypher.store import CypherStore

pytestmark = pytest.mark.slow

EVERYTHING_IS_LOOKED_AT = {
    "WITH count(": "counts, made now and then",
    "vec.cosineDistance(": "vectors, compared one by one in small groups and narrow choices",
    "WITH e ORDER BY e.created_at DESC": "listings, newest first",
    "(m:EverfactModel)": "models, which are few",
    "(g:EverfactGroup) WITH sum(": "groups, as long as there is no index of vectors",
    "WITH DISTINCT n.group_id AS id": "groups of Graphiti's, once a process",
}
"""By what those questions are known."""


class Asked(FalkorEngine):
    """Notes what it is asked and made to do, and how the server goes about it."""

    def __init__(self, server: FalkorServer) -> None:
        super().__init__(Server(server.url))
        self.plans: dict[str, str] = {}
        self._at = FalkorDB(port=server.port)

    async def read(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        rows = await super().read(graph, query, parameters)
        self._note(graph, query, dict(parameters))
        return rows

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        is_done = await super().commit(graph, guard, parameters, steps)
        for step in steps:
            self._note(graph, f"UNWIND $rows AS r {step.statement}", {"rows": list(step.rows)})
        return is_done

    def _note(self, graph: str, query: str, parameters: dict[str, Any]) -> None:
        if query not in self.plans and graph in self._at.list_graphs():
            self.plans[query] = str(self._at.select_graph(graph).explain(query, parameters))


async def test_nothing_is_looked_for_by_looking_at_everything() -> None:
    falkordb().wipe()
    engine = Asked(falkordb())
    async with make_memory(await CypherStore.open(engine), embedder=StaticEmbedder()) as memory:
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
    scans = [f"{query}\n{plan}" for query, plan in engine.plans.items() if "Label Scan" in plan or "All Node" in plan]
    assert len(engine.plans) > 100
    assert not [scan for scan in scans if not any(sign in scan for sign in EVERYTHING_IS_LOOKED_AT)]
    for sign in EVERYTHING_IS_LOOKED_AT:
        assert any(sign in scan for scan in scans), sign


async def test_questions_with_fewer_or_more_words_are_planned_once() -> None:
    falkordb().wipe()
    engine = Asked(falkordb())
    async with make_memory(await CypherStore.open(engine)) as memory:
        await memory.add(Draft(content="Ana Costa moved from Lisbon to Porto."), wait=True)
        await memory.search(Query(text="where did Ana Costa live in Lisbon"))
        planned = len(engine.plans)
        for text in ("Ana in Lisbon", "did Ana Costa move from Lisbon to Porto, where many people of Lisbon live"):
            await memory.search(Query(text=text))
        assert len(engine.plans) == planned

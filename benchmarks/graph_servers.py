"""The same made-up memory on SQLite, FalkorDB and Neo4j, and as Graphiti keeps and searches it on those servers.

Asks all of them the same questions in turn, one after the other, so that a busy machine slows all of them alike: what
counts are the ratios. Graphiti gets the same entities, facts and vectors, written by its own functions; no model is
asked. On FalkorDB it has a graph of its own; on Neo4j a server of its own, since there it would share its indexes. Its
`search` finds facts by words and by meaning; everfact's finds facts, entities and episodes, and is measured for facts
alone, too.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import scale_data
from everfact.embedders.static import StaticEmbedder
from everfact.intake import copy_group
from everfact.memory import Memory
from everfact.models import Embedding, Entity, Fact, Filter, Query, Thing
from everfact.ports import Store
from everfact.stores.cypher.store import CypherStore
from everfact.stores.sqlite import SQLiteStore
from membench_engine import start_server
from scale_data import BIG

_WARM_UP = 3
_PAGE = 1_000
_VECTORS = 2_000
_THEIRS = "graphiti"

Search = Callable[[str], Awaitable[object]]


async def _ingest(name: str, source: SQLiteStore, store: Store) -> None:
    """Take the memory there by its journal, then give it its vectors."""
    held = await source.stats([BIG])
    began = time.perf_counter()
    await copy_group(source, store, BIG)
    print(f"{name}_ingest {held.facts / (time.perf_counter() - began):.0f} facts/s", flush=True)
    began, count = time.perf_counter(), 0
    while lacking := await store.unembedded(StaticEmbedder.model, limit=_VECTORS):
        vectors = scale_data.vectors([item.text for item in lacking])
        pairs = zip(lacking, vectors, strict=True)
        kept = [Embedding(thing=item.thing, uuid=item.uuid, text=item.text, vector=vector) for item, vector in pairs]
        count += await store.put_vectors(StaticEmbedder.model, kept)
    print(f"{name}_vectors {count / (time.perf_counter() - began):.0f} vectors/s", flush=True)


async def _pages(ask: Callable[..., Awaitable[list[Any]]]) -> AsyncIterator[list[Any]]:
    before = None
    while page := await ask(Filter(group_ids=(BIG,)), limit=_PAGE, before=before):
        yield page
        before = page[-1].created_at, page[-1].uuid


@asynccontextmanager
async def _graphiti(source: SQLiteStore, name: str, server: Any) -> AsyncIterator[Search]:
    """Graphiti with the same data on that server."""
    logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)  # each of its questions is warned of
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from graphiti_core import Graphiti
        from graphiti_core.edges import EntityEdge
        from graphiti_core.llm_client.config import LLMConfig
        from graphiti_core.nodes import EntityNode
        from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk
        from tests.servers.theirs import NoJudge, NoModel, Words, driver_of

    class Same(Words):
        """The vectors that everfact has."""

        async def create(self, input_data: Any) -> list[float]:
            return (await self.create_batch([input_data if isinstance(input_data, str) else input_data[0]]))[0]

        async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
            return [list(map(float, v)) for v in scale_data.vectors(input_data_list)]

    def node(entity: Entity, vector: list[float]) -> EntityNode:
        return EntityNode(
            uuid=entity.uuid,
            name=entity.name,
            group_id=_THEIRS,
            summary=entity.summary,
            created_at=entity.created_at,
            name_embedding=vector,
        )

    def edge(fact: Fact, vector: list[float]) -> EntityEdge:
        return EntityEdge(
            uuid=fact.uuid,
            group_id=_THEIRS,
            source_node_uuid=fact.subject_uuid,
            target_node_uuid=fact.object_uuid or fact.subject_uuid,
            name=fact.relation,
            fact=fact.sentence,
            fact_embedding=vector,
            episodes=[],
            created_at=fact.created_at,
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
        )

    same = Same()
    driver = driver_of(server, _THEIRS)
    await driver._init_task  # type: ignore[attr-defined]
    client = Graphiti(graph_driver=driver, llm_client=NoModel(LLMConfig()), embedder=same, cross_encoder=NoJudge())
    await client.build_indices_and_constraints()
    began, count = time.perf_counter(), 0
    async for entities in _pages(source.entities):
        named = await same.create_batch([entity.name for entity in entities])
        await add_nodes_and_edges_bulk(driver, [], [], list(map(node, entities, named)), [], same)
    async for facts in _pages(source.facts):
        said = await same.create_batch([fact.sentence for fact in facts])
        await add_nodes_and_edges_bulk(driver, [], [], [], list(map(edge, facts, said)), same)
        count += len(facts)
    print(f"{name}_ingest {count / (time.perf_counter() - began):.0f} facts/s (with vectors)", flush=True)
    yield lambda text: client.search(text, group_ids=[_THEIRS])
    await client.close()  # type: ignore[no-untyped-call]


def _searches(name: str, store: Store) -> dict[str, Search]:
    memory = Memory(store, {}, embedder=StaticEmbedder())
    return {
        name: lambda text: memory.search(Query(text=text, group_ids=(BIG,))),
        f"{name}_facts": lambda text: memory.search(Query(text=text, group_ids=(BIG,), things=(Thing.FACT,))),
    }


async def measure(path: Path, kinds: list[str], questions: int) -> None:
    """Print the figures."""
    asked = [question.terms for question in scale_data.questions(path) if question.group_id == BIG][:questions]
    async with AsyncExitStack() as stack:
        source = await stack.enter_async_context(await SQLiteStore.open(path))
        while await source.maintain():
            pass
        print(f"facts {(await source.stats([BIG])).facts}", flush=True)
        searches = _searches("sqlite", source)
        for kind in kinds:
            server = start_server(kind)
            stack.callback(server.stop)
            store = await stack.enter_async_context(await CypherStore.open(server.engine()))
            await _ingest(kind, source, store)
            searches |= _searches(kind, store)
            if kind == "falkordb":
                _print_memory(server)
            else:
                server = start_server(kind)
                stack.callback(server.stop)
            theirs = f"{_THEIRS}_{kind}"
            searches[theirs] = await stack.enter_async_context(_graphiti(source, theirs, server))
        took: dict[str, list[float]] = defaultdict(list)
        for number, text in enumerate([*asked[:_WARM_UP], *asked]):
            for name, search in searches.items():
                began = time.perf_counter()
                await search(text)
                if number >= _WARM_UP:
                    took[name].append(time.perf_counter() - began)
    _print(took)


def _print_memory(server: Any) -> None:
    held = server.admin.info("memory")
    print(f"falkordb_memory {held['used_memory_rss'] / 1e6:.0f} MB resident, vectors and indexes included", flush=True)


def _print(took: dict[str, list[float]]) -> None:
    middle = {}
    for name, seconds in took.items():
        cuts = quantiles(seconds, n=20)
        middle[name] = cuts[9]
        print(f"{name}_search_p50 {cuts[9] * 1000:.1f} ms\n{name}_search_p95 {cuts[18] * 1000:.1f} ms")
    for theirs in [name for name in middle if name.startswith(_THEIRS)]:
        same = theirs.removeprefix(f"{_THEIRS}_")
        for ours in ("sqlite", same, f"{same}_facts"):
            print(f"{ours}_beside_{theirs} {middle[theirs] / middle[ours]:.1f} times as fast, at the median")


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=100_000, help="about so many in the group that is searched")
    parser.add_argument("--small", action="store_true", help="10,000 facts")
    parser.add_argument("--stores", default="falkordb,neo4j", help="servers to measure beside SQLite, with commas")
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    facts = 10_000 if options.small else options.facts
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"facts-{facts}.db"
        scale_data.fill(path, round(facts / scale_data.BIG_SHARE), 1)
        asyncio.run(measure(path, options.stores.split(","), options.questions))


if __name__ == "__main__":
    main()

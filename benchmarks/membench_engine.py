"""An engine for ../shared/tools/membench.py: JSON lines on stdin and stdout, answered by the product's own search.

    python ../shared/tools/membench.py --engine 'cmd:.venv/bin/python benchmarks/membench_engine.py' DATA_DIR...

Each turn becomes one message in its session's thread, fully digested; hits are mapped back to turns in their order.
`--store` keeps the memory on a graph server that is started for it. `--turns-only` searches episodes alone, to see what
the facts add; `--minilm` finds meanings by that model, which `everfact models install minilm` has built.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everfact.assemble import make_memory, model_folder, open_store
from everfact.config import load
from everfact.embedders.minilm.embedder import MiniLMEmbedder
from everfact.embedders.static import StaticEmbedder
from everfact.memory import Memory
from everfact.models import Answer, Entity, Episode, Query, Thing
from everfact.ports import Embedder
from memories import moment, tell, turn_ids

SERVERS = ("falkordb", "neo4j")
_HITS_A_TURN = 4
"""Facts and entities stand between the turns, so that many hits are asked for each turn wanted."""


def turns_of(answer: Answer, turns: dict[str, str]) -> list[tuple[str, float]]:
    """The turns behind the hits, best first, each once; a fact stands for the best-placed turn that it came from."""
    places = {hit.item.uuid: place for place, hit in enumerate(answer.hits)}
    found: dict[str, float] = {}
    for hit in answer.hits:
        if isinstance(hit.item, Entity):
            continue
        told_in = (
            [hit.item.uuid] if isinstance(hit.item, Episode) else sorted(hit.item.episodes, key=_place(places))[:1]
        )
        for uuid in told_in:
            found.setdefault(turns[uuid], hit.score)
    return list(found.items())


def _place(places: dict[str, int]) -> Any:
    return lambda uuid: places.get(uuid, len(places))


async def answer(memory: Memory, turns: dict[str, str], asked: dict[str, Any], things: tuple[Thing, ...]) -> list[Any]:
    """The turn ids for one question, with their scores."""
    query = Query(
        text=asked["query"],
        limit=asked["k"] * _HITS_A_TURN,
        things=things,
        asked_at=moment(asked["now"]) if asked.get("now") else None,
    )
    return turns_of(await memory.search(query), turns)[: asked["k"]]


@contextmanager
def kept_on(kind: str) -> Iterator[str]:
    """The address of an empty memory: a file, or a server started for it."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"{folder}/memory.db"
    else:
        server = start_server(kind)
        yield server.url
        server.stop()


def start_server(kind: str) -> Any:
    """A FalkorDB or a Neo4j of one's own."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.servers.falkordb import FalkorServer
    from tests.servers.neo4j import Neo4jServer

    return FalkorServer() if kind == "falkordb" else Neo4jServer(large=True)


async def serve(things: tuple[Thing, ...], embedder: Embedder, kind: str) -> None:
    """Answer until stdin ends."""
    with kept_on(kind) as store:
        settings = load({"store": store}).settings
        async with make_memory(await open_store(settings), embedder=embedder) as memory:
            turns: dict[str, str] = {}
            for line in sys.stdin:
                message = json.loads(line)
                if message["op"] == "ingest":
                    await tell(memory, message["turns"])
                    turns = await turn_ids(memory)
                    print(json.dumps({"turns": len(turns)}), flush=True)
                else:
                    print(json.dumps({"ids": await answer(memory, turns, message, things)}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns-only", action="store_true")
    parser.add_argument("--minilm", action="store_true")
    parser.add_argument("--store", choices=("sqlite", *SERVERS), default="sqlite", help="what the memory is kept on")
    args = parser.parse_args()
    embedder = MiniLMEmbedder(model_folder("minilm")) if args.minilm else StaticEmbedder()
    asyncio.run(serve((Thing.EPISODE,) if args.turns_only else tuple(Thing), embedder, args.store))


if __name__ == "__main__":
    main()

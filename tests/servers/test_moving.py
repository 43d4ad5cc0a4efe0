"""A memory goes to a server and back, and nothing is lost on the way: the exports are the same, byte for byte."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.servers.falkordb import FalkorServer, falkordb
from tests.servers.neo4j import Neo4jServer, neo4j
from tests.servers.theirs import SAID, graphiti

from everfact import open_memory
from everfact.models import Draft, Filter, Mention, Source, Statement

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(params=["falkordb", "neo4j"])
def server(request: pytest.FixtureRequest) -> FalkorServer | Neo4jServer:
    started = falkordb() if request.param == "falkordb" else neo4j()
    started.wipe()
    return started


def everfact(store: Path | str, *arguments: str | Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "everfact", "--store", str(store), *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def exported(store: Path | str, file: Path) -> bytes:
    everfact(store, "export", file, "--all-groups")
    return file.read_bytes()


async def live(path: Path) -> None:
    """A memory with all that can happen to one."""
    async with await open_memory(path) as memory:
        for group in ("home", "work"):
            for text in (
                "Ana lives in Lisbon.",
                "Ana moved to Porto in 2021. \N{SNOWMAN} 'quotes' \\ and a NUL: \0.",
                "Ben works at Acme.",
                "Benjamin likes tea.",
            ):
                await memory.add(Draft(content=text, group_id=group, thread="talk", source=Source.MESSAGE), wait=True)
            here = Filter(group_ids=(group,))
            facts = await memory.facts(here)
            change = await memory.correct(facts[0].uuid, lambda said: replace(said, sentence="Put right."), why="typo")
            await memory.undo(change.uuid)
            await memory.merge("Ben", "Benjamin", group_ids=(group,))
            await memory.purge((await memory.episodes(here))[-1].uuid)
            await memory.build_communities(group_id=group)
            await memory.add(Draft(content="Still to be digested.", group_id=group))
        said = Statement(subject=Mention(name="Ana"), relation="LIKES", object=Mention(name="tea"), sentence="Yes.")
        await memory.add_facts([said], group_id="home")


async def test_memory_moves_to_a_server_and_back_without_loss(
    server: FalkorServer | Neo4jServer, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    await live(here)
    before = await asyncio.to_thread(exported, here, tmp_path / "before.jsonl")
    would = await asyncio.to_thread(everfact, server.url, "import", tmp_path / "before.jsonl", "--dry-run")
    taken = await asyncio.to_thread(everfact, server.url, "import", tmp_path / "before.jsonl")
    assert would["replayed"] == taken["replayed"] == len(before.splitlines()) - 1
    assert await asyncio.to_thread(exported, server.url, tmp_path / "moved.jsonl") == before
    again = await asyncio.to_thread(everfact, server.url, "import", tmp_path / "before.jsonl")
    assert (again["replayed"], again["redone"], again["known"]) == (0, 0, taken["replayed"])
    would = await asyncio.to_thread(everfact, there, "import", server.url, "--dry-run")
    assert would["replayed"] == taken["replayed"]
    back = await asyncio.to_thread(everfact, there, "import", server.url)
    assert (back["file"], back["replayed"]) == (server.url, taken["replayed"])
    assert await asyncio.to_thread(exported, there, tmp_path / "back.jsonl") == before
    assert (await asyncio.to_thread(everfact, there, "import", server.url))["replayed"] == 0


async def test_database_of_graphiti_is_imported_by_its_address(
    server: FalkorServer | Neo4jServer, tmp_path: Path
) -> None:
    from graphiti_core.edges import EntityEdge
    from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

    async with graphiti(server, "theirs") as client:
        await client.build_indices_and_constraints()
        told = EpisodicNode(
            name="talk",
            group_id="theirs",
            source=EpisodeType.text,
            source_description="",
            content="Ana lives in Lisbon.",
            valid_at=SAID,
        )
        ana, lisbon = [EntityNode(name=name, group_id="theirs") for name in ("Ana", "Lisbon")]
        for node in (ana, lisbon):
            await node.generate_name_embedding(client.embedder)
            await node.save(client.driver)
        await told.save(client.driver)
        edge = EntityEdge(
            group_id="theirs",
            source_node_uuid=ana.uuid,
            target_node_uuid=lisbon.uuid,
            name="LIVES_IN",
            fact="Ana lives in Lisbon.",
            episodes=[told.uuid],
            created_at=SAID,
            valid_at=SAID,
        )
        await edge.generate_embedding(client.embedder)
        await edge.save(client.driver)
    here = tmp_path / "here.db"
    taken = await asyncio.to_thread(everfact, here, "import", server.url)
    assert taken["replayed"]
    async with await open_memory(here) as memory:
        (fact,) = await memory.facts(Filter(group_ids=("theirs",)))
        assert (fact.uuid, fact.sentence, fact.valid_at) == (edge.uuid, edge.fact, SAID)
        assert fact.episodes == (told.uuid,)
        assert {entity.uuid for entity in await memory.entities(Filter(group_ids=("theirs",)))} == {
            ana.uuid,
            lisbon.uuid,
        }
    again = await asyncio.to_thread(everfact, here, "import", server.url)
    assert (again["replayed"], again["redone"]) == (0, 0)

"""What rules have read, a model reads again: counted, broken off and gone on with, and taken back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.models.conftest import OpenMemory
from tests.models.scripted import Ask, Endpoint, fact, fails, found, says, serving
from tests.models.test_faulty import ANYWHERE, facts, tell

from everfact.errors import UsageError
from everfact.memory import Memory
from everfact.models import Fact, Filter, Mention, Source, Statement

PEOPLE = ("Ana Costa", "Bob Stone", "Carl Dahl", "Dora Lund", "Emil Voss", "Fay Kim", "Gus Hall", "Hal Reed", "Ida Moe")


def reads(ask: Ask, handler: BaseHTTPRequestHandler) -> None:
    """Finds more than the rules do: everybody works at Initech, and likes it."""
    who = re.findall("|".join(PEOPLE), ask.text)
    rows = [fact(name, relation, "Initech", name) for name in who for relation in ("WORKS_AT", "LIKES")]
    says(found(*rows, entities=dict.fromkeys(who, "Person") | {"Initech": "Organization"}))(ask, handler)


async def told_to_rules(open_memory: OpenMemory) -> None:
    async with open_memory() as memory:
        for name in PEOPLE:
            await tell(memory, f"{name} works at Initech.")


def relations(known: list[Fact]) -> list[str]:
    return sorted(f.relation for f in known)


async def test_what_rules_have_read_is_read_again_once(open_memory: OpenMemory) -> None:
    await told_to_rules(open_memory)
    with serving(reads) as endpoint:
        async with open_memory(endpoint) as memory:
            by_rules = relations(await facts(memory))
            steps: list[int] = []
            done = await memory.reprocess(await memory.lesser(), on_done=steps.append)
            assert (done.redone, done.left, done.stopped) == (len(PEOPLE), 0, "")
            assert (done.before.facts, done.after.facts) == (len(PEOPLE), 2 * len(PEOPLE))
            assert sum(steps) == len(PEOPLE)
            assert (await memory.lesser()).episodes == ()
            assert {a.origin for f in await facts(memory) for a in await origins(memory, f)} == {
                "llm/openai:scripted-1"
            }
            assert await memory.undo_reprocess() == len(PEOPLE)
            assert relations(await facts(memory)) == by_rules
            assert await memory.undo_reprocess() == 0
    assert len(endpoint.asks) == len(PEOPLE)


async def origins(memory: Memory, known: Fact) -> list[object]:
    return [proof.assertion for proof in (await memory.explain(known.uuid)).support]


async def test_what_people_have_changed_or_handed_over_is_left_alone(open_memory: OpenMemory) -> None:
    await told_to_rules(open_memory)
    async with open_memory() as memory:
        by_name = {f.sentence: f for f in await facts(memory)}
        await memory.correct(
            by_name["Ana Costa works at Initech."].uuid, lambda said: replace(said, object=Mention(name="Globex"))
        )
        await memory.forget(by_name["Bob Stone works at Initech."].uuid)
        given = Statement(
            subject=Mention(name="Carl"), relation="LIKES", object=Mention(name="tea"), sentence="Carl likes tea."
        )
        await memory.add_facts([given])
        await tell(memory, '{"name": "Dora", "age": 4}', source=Source.JSON)
        undone = (await tell(memory, "Hal Reed works at Globex.")).uuid
        await memory.undo(undone)
    with serving(reads) as endpoint:
        async with open_memory(endpoint) as memory:
            lesser = await memory.lesser()
            assert (len(lesser.episodes), lesser.settled) == (len(PEOPLE) - 2, 3)
            await memory.reprocess(lesser)
            after = [(f.relation, f.sentence) for f in await facts(memory)]
    assert ("WORKS_AT", "Bob Stone works at Initech.") not in after
    assert not any("Ana Costa" in sentence and relation == "LIKES" for relation, sentence in after)


async def test_it_stops_where_the_model_cannot_be_had_and_goes_on_later(open_memory: OpenMemory) -> None:
    await told_to_rules(open_memory)
    with serving(reads, reads, reads, fails(401)) as endpoint:
        async with open_memory(endpoint) as memory:
            done = await memory.reprocess(await memory.lesser())
            assert (done.redone, done.left) == (3, len(PEOPLE) - 3)
            assert "401" in done.stopped
    with serving(reads) as endpoint:
        async with open_memory(endpoint) as memory:
            assert (await memory.reprocess(await memory.lesser())).redone == len(PEOPLE) - 3
            assert relations(await facts(memory)) == ["LIKES"] * len(PEOPLE) + ["WORKS_AT"] * len(PEOPLE)
            assert await memory.undo_reprocess() >= len(PEOPLE)  # both parts of the run


async def test_another_model_reads_again_when_asked_to_and_never_makes_it_worse(open_memory: OpenMemory) -> None:
    await told_to_rules(open_memory)
    with serving(reads) as endpoint:
        async with open_memory(endpoint) as memory:
            await memory.reprocess(await memory.lesser())
    with serving(fails(401)) as endpoint:
        async with open_memory(endpoint, llm__model="openai:scripted-2") as memory:
            assert (await memory.lesser()).episodes == ()
            others = await memory.lesser(others=True)
            assert len(others.episodes) == len(PEOPLE)
            done = await memory.reprocess(others)
            assert done.after.facts == done.before.facts == 2 * len(PEOPLE)


async def test_rules_have_nothing_to_read_again(open_memory: OpenMemory) -> None:
    async with open_memory() as memory:
        with pytest.raises(UsageError, match="rules"):
            await memory.lesser()
        with pytest.raises(UsageError, match="reprocessed"):
            await memory.undo_reprocess()


async def test_they_can_be_queued_for_another_process(open_memory: OpenMemory) -> None:
    await told_to_rules(open_memory)
    with serving(reads) as endpoint:
        async with open_memory(endpoint) as memory:
            assert await memory.queue_again(await memory.lesser()) == len(PEOPLE)
            assert (await memory.status()).pending == len(PEOPLE)
            while await memory.digest(each=4):
                pass
            assert await memory.undo_reprocess() == len(PEOPLE)


def redone_after_a_kill(endpoint: Endpoint, folder: Path) -> int:
    """Kill the command after four episodes, run it again, and answer how many that one found."""
    command = [sys.executable, "-m", "everfact", "--store", str(folder / "memory.db"), "--group", "main", "reprocess"]
    model = {"EVERFACT_LLM__MODEL": "openai:scripted-1", "EVERFACT_LLM__BASE_URL": endpoint.url}
    env = {**os.environ, **model}
    running = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(endpoint.asks) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    running.kill()
    running.wait()
    done = subprocess.run([*command, "--json"], env=env, capture_output=True, text=True, check=True, timeout=100)
    return int(json.loads(done.stdout)["episodes"])


@pytest.mark.slow
async def test_killed_in_the_middle_it_goes_on(open_memory: OpenMemory, tmp_path: Path) -> None:
    await told_to_rules(open_memory)

    def slowly(ask: Ask, handler: BaseHTTPRequestHandler) -> None:
        time.sleep(0.3)
        reads(ask, handler)

    with serving(slowly) as endpoint:
        assert 0 < redone_after_a_kill(endpoint, tmp_path) < len(PEOPLE)
    async with open_memory() as memory:
        episodes = await memory.episodes(Filter(group_ids=None), limit=100)
        assert {e.attributes["reading"]["by"] for e in episodes} == {"llm/openai:scripted-1"}  # type: ignore[call-overload,index]
        assert relations(await memory.facts(ANYWHERE)) == ["LIKES"] * len(PEOPLE) + ["WORKS_AT"] * len(PEOPLE)

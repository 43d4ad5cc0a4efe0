"""`everfact queue`, `summarize`, `compact`, `stats`."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from everfact.errors import NotFound
from everfact.models import Filter
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import assertion, change, entity


def test_queue_shows_what_waits_and_digests_it(program) -> None:
    assert program("queue") == "nothing waits\n"
    program("add", "Ana Costa works at Globex.", "--async")
    assert "(pending)" in program("queue")
    assert "1 episode digested" in program("queue", "--run")
    assert program.json("queue", "--retry") == {"pending": [], "parked": [], "retried": 0, "digested": 0}


async def park(program) -> None:
    async with await SQLiteStore.open(program.store) as store:
        [claim] = await store.claim("somebody", lease=timedelta(minutes=1))
        await store.release(claim, error="the model answered nonsense", park=True)


def test_parked_episodes_are_shown_with_their_error_and_get_another_chance(program) -> None:
    program("add", "Ana Costa works at Globex.", "--async")
    asyncio.run(park(program))
    assert "1 attempts: the model answered nonsense" in program("queue")
    assert not json.loads(program.result("doctor", "--json").stdout)["healthy"]
    assert program.json("queue", "--retry")["retried"] == 1
    asyncio.run(park(program))
    assert program.json("doctor", "--fix")["healthy"]
    assert program.json("queue", "--run")["digested"] == 1


async def claim(program, lease: timedelta) -> None:
    async with await SQLiteStore.open(program.store) as store:
        await store.claim("somebody", lease=lease)


def test_lease_of_a_dead_worker_is_found_and_dropped(program) -> None:
    program("add", "Ana Costa works at Globex.", "--async")
    asyncio.run(claim(program, timedelta(seconds=-1)))
    found = {item["check"]: item for item in json.loads(program.result("doctor", "--json").stdout)["findings"]}
    assert found["leases"]["detail"] == "1 of dead workers"
    assert program.json("doctor", "--fix")["healthy"]
    assert "none of dead workers" in program("doctor")


def test_summary_is_of_the_group_or_of_a_thread(told) -> None:
    assert "Initech" in told("summarize")
    assert told.json("summarize", "moves") == {"thread": "moves", "summary": "Ana Costa moved to Porto in May 2026."}
    assert told("--group", "other", "summarize") == "nothing was told yet\n"
    with pytest.raises(NotFound):
        told("summarize", "nonsense")


def test_compact_shows_first_and_then_does(told) -> None:
    assert told("compact") == "nothing to do\n"
    asyncio.run(double(told))
    found = told.json("compact")
    assert [(kept["name"], other["name"]) for kept, other in found["duplicates"]] == [("Ana Costa", "ana costa")]
    assert ([item["name"] for item in found["orphans"]], found["changes"]) == (["Nobody"], [])
    assert "nothing was changed: add --apply" in told("compact")
    assert len(told.json("compact", "--apply")["changes"]) == 2
    assert told("compact") == "nothing to do\n"


async def double(program, *names: str) -> None:
    """Entities that were only named, one as somebody known is called."""
    async with await SQLiteStore.open(program.store) as store:
        [last] = await store.changes(Filter(group_ids=("demo",)), limit=1)
        new = tuple(entity(name=name, group_id="demo") for name in ("ana costa", "Nobody", *names))
        named = [assertion(item, None) for item in new]
        bare = [replace(said, statement=replace(said.statement, relation="")) for said in named]
        await store.apply(change(*new, *bare, parent=last))


def test_stats_are_of_the_group_if_one_is_named(told) -> None:
    told("--group", "other", "add", "Bob Stone lives in Berlin.", "--async")
    assert told.json("stats")["episodes"] == 3
    other = told.json("--group", "other", "stats")
    assert (other["episodes"], other["pending"]) == (1, 1)
    assert "episodes            3" in told("stats")

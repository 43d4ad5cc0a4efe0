"""What a day may cost is passed by one call at most, by however many processes, and no episode is lost to it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.models.conftest import OpenMemory
from tests.models.scripted import Ask, Endpoint, found, says, serving
from tests.models.test_faulty import reading, tell

from everfact.models import Draft, Filter, Status

# A call takes 100 tokens there and 50 back: $0.15 at these prices, which the limit lets through seven times.
PRICES = {"llm__input_price": "1000", "llm__output_price": "1000", "llm__daily_limit_usd": "1"}
CALLS = 7


def answers(ask: Ask, handler: BaseHTTPRequestHandler) -> None:
    says(found(), sent=100, answered=50)(ask, handler)


async def test_spent_limit_leaves_the_rest_to_rules(open_memory: OpenMemory) -> None:
    with serving(answers) as endpoint:
        async with open_memory(endpoint, **PRICES) as memory:
            read = [reading(await tell(memory, f"Ana Costa works at Initech, said {n}.")) for n in range(CALLS + 2)]
            spent = (await memory.status()).spent
    assert [row["by"] for row in read] == ["llm/openai:scripted-1"] * CALLS + ["local/1"] * 2
    assert "limit of $1" in str(read[-1]["degraded"])
    assert spent is not None
    assert (len(endpoint.asks), spent.today["openai:scripted-1"].calls) == (CALLS, CALLS)
    assert spent.today["openai:scripted-1"].rescues == 2
    assert spent.usd == pytest.approx(CALLS * 0.15)


async def test_limit_on_tokens_holds_too(open_memory: OpenMemory) -> None:
    with serving(answers) as endpoint:
        async with open_memory(endpoint, llm__daily_limit_tokens="400") as memory:
            read = [reading(await tell(memory, f"Ana Costa works at Initech, said {n}.")) for n in range(5)]
    assert [row["by"] for row in read] == ["llm/openai:scripted-1"] * 3 + ["local/1"] * 2


async def test_sixteen_at_once_in_one_process(open_memory: OpenMemory) -> None:
    with serving(answers) as endpoint:
        async with open_memory(endpoint, **PRICES, llm__concurrency="16") as memory:
            for group in range(32):
                await memory.add(Draft(content="Ana Costa works at Initech.", group_id=f"g{group}"))
            await asyncio.gather(*(memory.digest(limit=2) for _ in range(16)))
            assert (await memory.status()).pending == 0
    assert len(endpoint.asks) == CALLS


_WORK = """
import asyncio, sys
from everfact.assemble import open_configured
from everfact.config import load

async def work():
    async with await open_configured(load().settings) as memory:
        await asyncio.gather(*(memory.digest(limit=2, each=4) for _ in range(4)))
        while await memory.digest(limit=4, each=4):
            pass

asyncio.run(work())
"""


def run_workers(count: int, endpoint: Endpoint, folder: Path) -> None:
    """Processes that digest until nothing is left."""
    given = {"store": str(folder / "memory.db"), "llm__model": "openai:scripted-1", "llm__base_url": endpoint.url}
    own = {f"EVERFACT_{name.upper()}": value for name, value in {**given, **PRICES}.items()}
    workers = [subprocess.Popen([sys.executable, "-c", _WORK], env={**os.environ, **own}) for _ in range(count)]
    assert [worker.wait(100) for worker in workers] == [0] * count


@pytest.mark.slow
async def test_sixteen_at_once_in_four_processes(open_memory: OpenMemory, tmp_path: Path) -> None:
    async with open_memory() as memory:
        for group in range(48):
            await memory.add(Draft(content="Ana Costa works at Initech.", group_id=f"g{group}"))
    with serving(answers) as endpoint:
        run_workers(4, endpoint, tmp_path)
    async with open_memory() as memory:
        spent = (await memory.status()).spent
        episodes = await memory.episodes(Filter(group_ids=None), limit=100)
    assert {episode.status for episode in episodes} == {Status.DONE}
    assert [reading(e)["by"] for e in episodes].count("llm/openai:scripted-1") == len(endpoint.asks) == CALLS
    assert spent is not None
    assert 1.0 <= spent.usd <= 1.15 + 1e-9

"""How many calls of a model an ordinary episode takes, each one counted at the endpoint."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.models.scripted import Ask, Endpoint, fact, found, says, serving

from everfact.assemble import open_configured
from everfact.config import load
from everfact.models import Draft

_MOST = 2
_CITIES = ("Oslo", "Rome", "Porto", "Lyon", "Graz")
_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def note(number: int) -> str:
    """A note of five entities and six facts; each third contradicts the one before, at the same moment."""
    city, team = _CITIES[number % 5], f"Team {number % 7}"
    return (
        f"Ana Costa lives in {city} and leads {team}. {team} maintains Atlas, which runs on Postgres. "
        f"Atlas depends on Redis. Bob Stone joined {team} and reports to Ana Costa."
    )


def answer(ask: Ask, handler: BaseHTTPRequestHandler) -> None:
    """What a model would say to such a note."""
    if ask.is_judging:
        says('{"verdicts": []}')(ask, handler)
        return
    city = next(name for name in _CITIES if name in ask.text)
    team = f"Team {ask.text.partition('leads Team ')[2][0]}"
    rows = [
        fact("Ana Costa", "LIVES_IN", city, f"Ana Costa lives in {city}"),
        fact("Ana Costa", "LEADS", team, f"leads {team}"),
        fact("Atlas", "MAINTAINED_BY", team, f"{team} maintains Atlas"),
        fact("Atlas", "RUNS_ON", "Postgres", "runs on Postgres"),
        fact("Atlas", "DEPENDS_ON", "Redis", "Atlas depends on Redis"),
        fact("Bob Stone", "REPORTS_TO", "Ana Costa", "reports to Ana Costa"),
    ]
    people = {"Ana Costa": "Person", "Bob Stone": "Person", "Atlas": "Project", "Redis": "Technology"}
    says(found(*rows, entities={**people, "Postgres": "Technology", city: "Location", team: "Organization"}))(
        ask, handler
    )


async def calls_per_note(endpoint: Endpoint, path: Path, notes: int) -> list[int]:
    """Tell the notes, and count the calls behind each."""
    settings = {"store": str(path), "llm.model": "openai:scripted", "llm.base_url": endpoint.url}
    counts = []
    async with await open_configured(load(settings).settings) as memory:
        for number in range(notes):
            before = len(endpoint.asks)
            told = _BEGUN + timedelta(days=number // 3)
            await memory.add(Draft(content=note(number), reference_time=told), wait=True)
            counts.append(len(endpoint.asks) - before)
    return counts


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--notes", type=int, default=60)
    notes = options.parse_args().notes
    with tempfile.TemporaryDirectory() as folder, serving(answer) as endpoint:
        counts = asyncio.run(calls_per_note(endpoint, Path(folder) / "memory.db", notes))
        judged = sum(ask.is_judging for ask in endpoint.asks)
    mean = statistics.mean(counts)
    print(
        f"calls an episode: mean {mean:.2f}, most {max(counts)} ({notes} notes of 6 facts; {judged} needed a judgement)"
    )
    print("the same of Graphiti 0.31: 14 to 22 (2 + 0 or 1 + 0 to 3 a fact + 1 a typed entity, by its code; not run)")
    return 0 if max(counts) <= _MOST else 1


if __name__ == "__main__":
    sys.exit(main())

"""SIGKILL at random moments for a process that digests; the facts must be those of a run that nobody disturbed.

Run by a test and a benchmark. With a path as its argument it is the process that digests.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.faults.runs.progress import progress

from everfact.assemble import make_memory
from everfact.models import Draft, Fact, Filter, Status
from everfact.stores.sqlite import SQLiteStore

ROOT = Path(__file__).parents[3]
_START = datetime(2024, 1, 1, tzinfo=UTC)
_PEOPLE = ("Ana Costa", "Bo Lund", "Chen Wei", "Dana Fox")
_PLACES = ("Rome", "Oslo", "Lima", "Cairo", "Perth")
_FIRMS = ("Acme", "Globex", "Initech", "Hooli")
_ALL = 1_000_000


def drafts(seed: int, count: int) -> list[Draft]:
    """People who move and change jobs, told by several groups."""
    rng = random.Random(seed)
    told = []
    for number in range(count):
        who = rng.choice(_PEOPLE)
        moved, hired = f"{who} lives in {rng.choice(_PLACES)}.", f"{who} works at {rng.choice(_FIRMS)}."
        told.append(
            Draft(
                content=rng.choice([moved, hired, f"{moved} {hired}"]),
                group_id=f"group-{number % 3}",
                reference_time=_START + timedelta(hours=number),
            )
        )
    return told


async def digest(path: Path) -> None:
    """Digest all that is pending, saying so once it begins."""
    async with make_memory(await SQLiteStore.open(path)) as memory:
        print("ready", flush=True)
        while await memory.digest(limit=2, each=5) or (await memory.status()).pending:
            pass


async def tell(path: Path, told: list[Draft]) -> None:
    """Add all of it."""
    async with make_memory(await SQLiteStore.open(path)) as memory:
        for draft in told:
            await memory.add(draft)


async def known(path: Path) -> list[tuple[object, ...]]:
    """What is known at the end, ids and record times apart."""
    async with await SQLiteStore.open(path) as store:
        everywhere = Filter(group_ids=None)
        entities = {entity.uuid: entity.name for entity in await store.entities(everywhere, limit=_ALL)}
        waiting = await store.episodes(Filter(group_ids=None, statuses=(Status.PENDING, Status.PARKED)), limit=_ALL)
        assert waiting == []
        facts = await store.facts(everywhere, limit=_ALL)
        return sorted((_plain(fact, entities) for fact in facts), key=repr)


def _plain(fact: Fact, entities: dict[str, str]) -> tuple[object, ...]:
    ends = entities[fact.subject_uuid], entities.get(fact.object_uuid or "")
    times = fact.valid_at, fact.invalid_at
    return (fact.group_id, *ends, fact.relation, *times, fact.disputed, len(fact.assertions), len(fact.episodes))


def kill_while_digesting(path: Path, rng: random.Random) -> bool:
    """Start a process that digests and kill it in the middle; answer whether it was still at work."""
    command = [sys.executable, "-m", "tests.faults.runs.digests", str(path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(rng.uniform(0.0, 0.06))
    was_at_work = process.poll() is None
    process.kill()
    process.wait()
    process.stdout.close()
    return was_at_work


def run(folder: Path, *, kills: int, seed: int) -> tuple[int, bool]:
    """Kill a digesting process until there were `kills` kills; answer how many, and whether the facts are the same."""
    rng, done = random.Random(seed), 0
    told = drafts(seed, count=40 * kills)
    disturbed, calm = folder / "disturbed.db", folder / "calm.db"
    while done < kills:
        # A portion at a time, so that there is always something to digest.
        asyncio.run(tell(disturbed, told[done * 40 : (done + 1) * 40]))
        done += kill_while_digesting(disturbed, rng)
        progress("kills", done, kills)
    for path, all_told in ((disturbed, []), (calm, told)):
        asyncio.run(tell(path, all_told))
        asyncio.run(digest(path))
    return done, asyncio.run(known(disturbed)) == asyncio.run(known(calm))


def main() -> int:
    """Digest the memory given as an argument; or print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("memory", nargs="?", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.memory:
        asyncio.run(digest(options.memory))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        kills, is_same = run(Path(folder), kills=options.kills, seed=options.seed)
    print(f"digest_kills {kills} kills (seed {options.seed})")
    print(f"digest_kills_same {is_same} (facts as in a run that nobody disturbed)")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())

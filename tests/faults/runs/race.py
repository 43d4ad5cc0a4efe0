"""Many processes that add to one conversation and search it, all at once. Run by a test and a benchmark.

With `--memory` this is one of the processes: it prints for each turn its uuid, its place in the thread, and how long
adding and searching took.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import THREAD, turn, word_of

from everfact import clock
from everfact.models import Filter, Thing
from everfact.stores.sqlite import SQLiteStore

ROOT = Path(__file__).parents[3]
_GROUP = "market"
_HERE = Filter(group_ids=(_GROUP,))


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as its process saw it; times in seconds."""

    uuid: str
    position: int
    add: float
    search: float
    was_found: bool


@dataclass(slots=True)
class Tally:
    """What came of the race: the turns of each process in its own order."""

    turns: list[list[Turn]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    seconds: float = 0.0

    @property
    def all_turns(self) -> list[Turn]:
        """The turns of all processes."""
        return [turn for turns in self.turns for turn in turns]

    def p95(self, name: str) -> float:
        """The time that 95 of 100 took at most, in milliseconds."""
        times: list[float] = [getattr(turn, name) for turn in self.all_turns]
        return quantiles(times, n=20)[-1] * 1000


async def take_part(memory: Path, adds: int, seed: int) -> None:
    """Add turns to the one conversation, and search for each right afterwards."""
    rng = random.Random(seed)
    async with await SQLiteStore.open(memory) as store:
        for _ in range(adds):
            said = turn(rng, clock.now(), group_id=_GROUP, thread=THREAD)
            began = time.perf_counter()
            kept = await store.add_episode(said)
            added = time.perf_counter()
            asked = f"{word_of(said.uuid)} ticket{rng.randrange(10_000)}"
            hits = await store.match_text(Thing.EPISODE, asked, _HERE, limit=10)
            searched = time.perf_counter()
            was_found = said.uuid in {hit.uuid for hit in hits}
            print(said.uuid, kept.position, added - began, searched - added, int(was_found), flush=True)


def run(folder: Path, *, processes: int, adds: int) -> Tally:
    """Start them all at once, wait for them all, and look at the memory."""
    tally, memory, began = Tally(), folder / "memory.db", time.monotonic()
    runners = []
    for seed in range(processes):
        command = [sys.executable, "-m", "tests.faults.runs.race", f"--memory={memory}", f"--adds={adds}"]
        command.append(f"--seed={seed}")
        with (folder / f"{seed}.out").open("wb") as stdout, (folder / f"{seed}.err").open("wb") as stderr:
            runners.append(subprocess.Popen(command, cwd=ROOT, stdout=stdout, stderr=stderr))
    for seed, runner in enumerate(runners):
        if runner.wait():
            tally.errors.append((folder / f"{seed}.err").read_text(encoding="utf-8"))
    tally.seconds = time.monotonic() - began
    for seed in range(processes):
        lines = (folder / f"{seed}.out").read_text(encoding="utf-8").splitlines()
        tally.turns.append([_turn(*line.split()) for line in lines])
    told = Told(added={turn.uuid for turn in tally.all_turns})
    tally.findings = asyncio.run(verify(memory, told))
    return tally


def _turn(uuid: str, position: str, add: str, search: str, was_found: str) -> Turn:
    return Turn(uuid, int(position), float(add), float(search), was_found == "1")


def main() -> int:
    """Print one line per figure; the exit code says whether anything was lost or went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--adds", type=int, default=1000, help="of each process; a search follows each")
    parser.add_argument("--memory", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        asyncio.run(take_part(options.memory, options.adds, options.seed))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        tally = run(Path(folder), processes=options.processes, adds=options.adds)
    turns = tally.all_turns
    context = f"({options.processes} processes x {options.adds} adds, a search after each)"
    print(f"processes_errors {len(tally.errors)} processes {context}")
    print(f"processes_lost {len(tally.findings.lost)} acknowledged (of {len(turns)})")
    print(f"processes_not_found {sum(not turn.was_found for turn in turns)} searches (for the turn just added)")
    print(f"processes_damage {len(tally.findings.damage) + len(tally.findings.half_applied)} findings")
    print(f"processes_adds {len(turns) / tally.seconds:.0f} adds/s (all together, start of Python included)")
    print(f"processes_add_p95 {tally.p95('add'):.1f} ms")
    print(f"processes_search_p95 {tally.p95('search'):.1f} ms")
    for error in tally.errors[:3]:
        print(error, file=sys.stderr)
    return tally.findings.report() or (1 if tally.errors else 0)


if __name__ == "__main__":
    sys.exit(main())

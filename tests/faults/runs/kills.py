"""SIGKILL at random moments for processes that write to one memory; then it is looked at.

Run by a test and a benchmark.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.runs.progress import progress
from tests.faults.runs.verify import Findings, Told, verify

ROOT = Path(__file__).parents[3]
_POLL = 0.002


@dataclass(slots=True)
class Tally:
    """What came of the kills."""

    kills: int = 0
    told: Told = field(default_factory=Told)
    errors: list[str] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    seconds: float = 0.0


class _Writer:
    """One writing process and the moment at which it is to die."""

    def __init__(self, memory: Path, number: int, rng: random.Random) -> None:
        self._said = memory.with_name(f"writer-{number}.out")
        self._complaints = memory.with_name(f"writer-{number}.err")
        command = [sys.executable, "-m", "tests.faults.runs.writer", str(memory), str(rng.random())]
        with self._said.open("wb") as stdout, self._complaints.open("wb") as stderr:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=stdout, stderr=stderr)
        # Most die at work, some while they open the memory.
        self._grace = rng.uniform(0, 0.2)
        self._dies_at = time.monotonic() + rng.uniform(0.05, 0.4) if rng.random() < 0.15 else None

    def is_due(self) -> bool:
        """Whether its moment has come, or it ended by itself."""
        if self._dies_at is None and self._said.stat().st_size:
            self._dies_at = time.monotonic() + self._grace
        return self.process.poll() is not None or (self._dies_at is not None and time.monotonic() >= self._dies_at)

    def kill(self, tally: Tally) -> None:
        """Kill it and take down what it said, which outlives it."""
        self.process.kill()
        if self.process.wait() != -signal.SIGKILL:
            tally.errors.append(self._complaints.read_text(encoding="utf-8"))
        for line in self._said.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                verb, uuid = line.split()
                (tally.told.added if verb == "added" else tally.told.applied).add(uuid)


def run(folder: Path, *, kills: int, writers: int, seed: int, seconds: float = 600.0) -> Tally:
    """Kill and replace writers until there were `kills` kills or the time is over; then look at the memory."""
    rng, tally, memory, began = random.Random(seed), Tally(), folder / "memory.db", time.monotonic()
    at_work: list[_Writer] = []
    started = 0
    while tally.kills < kills and time.monotonic() - began < seconds:
        while len(at_work) < min(writers, kills - tally.kills):
            at_work.append(_Writer(memory, started, rng))
            started += 1
        for writer in [writer for writer in at_work if writer.is_due()]:
            at_work.remove(writer)
            writer.kill(tally)
            tally.kills += 1
            progress("kills", tally.kills, kills)
        time.sleep(_POLL)
    for writer in at_work:
        writer.kill(tally)
        tally.kills += 1
    tally.seconds = time.monotonic() - began
    tally.findings = asyncio.run(verify(memory, tally.told))
    return tally


def main() -> int:
    """Print one line per figure; the exit code says whether anything was lost, halved or went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--writers", type=int, default=3, help="processes that write at the same time")
    parser.add_argument("--seconds", type=float, default=600.0, help="stop killing after this time")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tally = run(Path(folder), **vars(options))
    told, findings = tally.told, tally.findings
    print(f"kills {tally.kills} kills ({options.writers} writers at once, {tally.seconds:.0f} s, seed {options.seed})")
    print(f"kills_acknowledged {len(told.added) + len(told.applied)} acknowledged ({len(told.added)} episodes)")
    print(f"kills_errors {len(tally.errors)} writers")
    print(f"kills_lost {len(findings.lost)} acknowledged")
    print(f"kills_half_applied {len(findings.half_applied)} findings")
    print(f"kills_damage {len(findings.damage)} findings")
    for error in tally.errors[:5]:
        print(error, file=sys.stderr)
    return findings.report() or (1 if tally.errors else 0)


if __name__ == "__main__":
    sys.exit(main())

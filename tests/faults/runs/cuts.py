"""Power cuts at random moments while a store works; what each leaves is looked at. Run by a test and a benchmark.

A run is a chain of lives: what one of the cuts of a life has left is what the next one begins with.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import apsw
from tests.faults.powercut import PowerCutVFS
from tests.faults.runs.progress import progress
from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import THREAD, digest, ticking, turn

from everfact.stores.sqlite import SQLiteStore

_FILE = "memory.db"
_STEPS = 25
_CHANCE = 1 / 50  # of a cut before any one write, sync or deletion; a step makes about forty of these
_CHECKPOINT_PAGES = 50  # so that checkpoints are cut too, not only commits
_LEASE = timedelta(milliseconds=20)  # the clock moves on by a millisecond each time it is read


@dataclass(slots=True)
class Tally:
    """What came of the cuts."""

    cuts: int = 0
    acknowledged: int = 0
    findings: Findings = field(default_factory=Findings)


@dataclass(slots=True)
class _Life:
    """The work of one process on one disk, and the cuts that were made of it."""

    home: Path
    told: Told
    rng: random.Random
    now: Callable[[], datetime]
    cuts: list[tuple[Path, Told]] = field(default_factory=list)
    _disk: PowerCutVFS = field(init=False)

    async def live(self) -> None:
        """Add mostly, digest nearly as often, purge or open again now and then."""
        self._disk = PowerCutVFS(f"power-cut-{self.home}")
        self._disk.before_event = self._perhaps_cut
        store = await self._open()
        for _ in range(_STEPS):
            dice = self.rng.random()
            if dice < 0.5:
                await self._add(store)
            elif dice < 0.9:
                await self._digest(store)
            elif dice < 0.95:
                await self._purge(store)
            else:
                await store.close()
                store = await self._open()
            self._perhaps_cut()
        await store.close()
        self._perhaps_cut()

    async def _open(self) -> SQLiteStore:
        return await SQLiteStore.open(self.home / _FILE, now=self.now, vfs=f"power-cut-{self.home}")

    async def _add(self, store: SQLiteStore) -> None:
        uuid = str(UUID(int=self.rng.getrandbits(128), version=4))
        await store.add_episode(turn(self.rng, self.now(), uuid=uuid, thread=THREAD))
        self.told.added.add(uuid)

    async def _digest(self, store: SQLiteStore) -> None:
        made = await digest(store, "worker", _LEASE, most=self.rng.randint(1, 3))
        self.told.applied |= {change.uuid for change in made}

    async def _purge(self, store: SQLiteStore) -> None:
        """Tell something in a group of its own, where nobody digests it, and take it back."""
        episode = turn(self.rng, self.now(), group_id="regrets")
        await store.add_episode(episode)
        await store.purge("regrets", [episode.uuid])
        self.told.purged.add(episode.uuid)

    def _perhaps_cut(self) -> None:
        if self.rng.random() < _CHANCE:
            left = self.home.with_name(f"{self.home.name}.{len(self.cuts)}")
            self._disk.cut(left, self.rng)
            self.cuts.append((left, self.told.copy()))


async def run(folder: Path, *, seed: int, cuts: int) -> Tally:
    """Live and cut until there were `cuts` cuts; look at what each left."""
    rng, now, tally = random.Random(seed), ticking(), Tally()
    home, told = folder / "life", Told()
    home.mkdir()
    with _checkpoints_after(_CHECKPOINT_PAGES):
        while tally.cuts < cuts:
            life = _Life(home, told, rng, now)
            await life.live()
            if life.cuts:
                left, told = rng.choice(life.cuts)
                shutil.rmtree(home)
                shutil.copytree(left, home)
            for left, promised in life.cuts:
                tally.findings.add(await verify(left / _FILE, promised))
                tally.acknowledged += len(promised.added) + len(promised.applied)
                shutil.rmtree(left)
            tally.cuts += len(life.cuts)
    return tally


@contextmanager
def _checkpoints_after(pages: int) -> Iterator[None]:
    def hook(connection: apsw.Connection) -> None:
        connection.wal_autocheckpoint(pages)

    apsw.connection_hooks.append(hook)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(hook)


def main() -> int:
    """Print one line per figure; the exit code says whether anything was lost, halved or damaged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; each run of a hundred cuts has its own")
    options = parser.parse_args()
    total, seed = Tally(), options.seed
    while total.cuts < options.cuts:
        with tempfile.TemporaryDirectory() as folder:
            tally = asyncio.run(run(Path(folder), seed=seed, cuts=min(100, options.cuts - total.cuts)))
        total.cuts += tally.cuts
        total.acknowledged += tally.acknowledged
        total.findings.add(tally.findings)
        seed += 1
        progress("power cuts", total.cuts, options.cuts)
    print(f"power_cuts {total.cuts} cuts (seeds {options.seed} to {seed - 1})")
    print(f"power_cuts_checked {total.acknowledged} acknowledged (episodes and changes, looked for after each cut)")
    print(f"power_cuts_lost {len(total.findings.lost)} acknowledged")
    print(f"power_cuts_half_applied {len(total.findings.half_applied)} findings")
    print(f"power_cuts_damage {len(total.findings.damage)} findings")
    return total.findings.report()


if __name__ == "__main__":
    sys.exit(main())

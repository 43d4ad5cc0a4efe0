"""A process that writes to a memory until it is killed, and says on stdout what it was told is done.

Each line goes out right after the store has answered: `added <uuid>` or `applied <uuid>`.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from datetime import timedelta
from pathlib import Path

from tests.faults.runs.workload import THREAD, digest, turn

from everfact import clock
from everfact.stores.sqlite import SQLiteStore

_LEASE = timedelta(milliseconds=400)  # short: the next writer takes over soon from one that was killed
_STEPS_OF_A_STORE = 40


async def write(path: Path, rng: random.Random) -> None:
    """Add and digest for ever, opening the memory anew from time to time."""
    while True:
        async with await SQLiteStore.open(path) as store:
            for _ in range(_STEPS_OF_A_STORE):
                if rng.random() < 0.6:
                    episode = await store.add_episode(turn(rng, clock.now(), thread=THREAD))
                    print("added", episode.uuid, flush=True)
                else:
                    for change in await digest(store, f"writer {os.getpid()}", _LEASE, most=rng.randint(1, 3)):
                        print("applied", change.uuid, flush=True)


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), random.Random(sys.argv[2])))

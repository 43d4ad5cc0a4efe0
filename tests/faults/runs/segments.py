"""Small index files in place of large ones, and a process that keeps making them until it is killed."""

from __future__ import annotations

import asyncio
import random
import sys
from array import array
from contextlib import suppress
from pathlib import Path

from everfact.errors import StoreUnavailable
from everfact.models import Embedding, Episode, Thing, Vector
from everfact.stores.sqlite import SQLiteStore, maintain, segments
from everfact.testing.builders import episode

MODEL = "random-32"
_DIMENSION = 32


def make_small() -> None:
    """Segments pay from a hundred vectors on, and are full with three hundred."""
    segments.MOST_UNCOVERED = 100
    segments._MOST_ROWS = 300
    maintain._ROWS_OF_A_PIECE = 120
    maintain._ROWS_AT_ONCE = 50


def vector(text: str) -> Vector:
    """A direction of its own for every text."""
    rng = random.Random(text)
    return array("f", (rng.gauss(0, 1) for _ in range(_DIMENSION)))


async def tell(store: SQLiteStore, count: int, start: int = 0) -> list[Episode]:
    """Add episodes and their vectors."""
    told = [await store.add_episode(episode(f"turn {n}", uuid=f"uuid-{n}")) for n in range(start, start + count)]
    await embed(store, told)
    return told


async def embed(store: SQLiteStore, told: list[Episode]) -> None:
    """Give them their vectors."""
    vectors = [Embedding(thing=Thing.EPISODE, uuid=e.uuid, text=e.text, vector=vector(e.text)) for e in told]
    assert await store.put_vectors(MODEL, vectors) == len(told)


async def build(path: Path) -> None:
    """Add, index and wipe for ever; say so after every round."""
    make_small()
    async with await SQLiteStore.open(path) as store:
        number = 10_000
        while True:
            await tell(store, 110, number)
            while await store.maintain():
                pass
            if number % 3 == 0:
                with suppress(StoreUnavailable):  # while others read, the log cannot be emptied
                    await store.purge("home", [f"uuid-{number + 5}"])
            number += 110
            print("round", flush=True)


if __name__ == "__main__":
    asyncio.run(build(Path(sys.argv[1])))

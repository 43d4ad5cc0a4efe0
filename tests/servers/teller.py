"""A process of everfact that tells a memory on a server one thing after the other, and digests what is told.

Prints the number of each turn once it is acknowledged, and rests for some seconds; ends when its standard input is
closed and nothing waits.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress

from everfact import worker
from everfact.assemble import open_configured
from everfact.config import load
from everfact.errors import StoreUnavailable
from everfact.memory import Memory
from everfact.models import Draft, Mention, Statement
from everfact.worker import Worker

GROUPS = ("home", "work")


def draft(name: str, group: str, number: int) -> Draft:
    """A turn that says something of its own, and something that all say."""
    statements = tuple(
        Statement(
            subject=Mention(name="Ana"),
            relation=relation,
            object=Mention(name=thing),
            sentence=f"Ana {relation} {thing}",
        )
        for relation, thing in (("HAS", f"thing {number} of {name}"), ("LIKES", "tea"))
    )
    return Draft(content=f"turn {number}", group_id=group, thread=name, statements=statements)


async def tell(memory: Memory, name: str, group: str, rest: float, over: asyncio.Event) -> None:
    number = 0
    while not over.is_set():
        await memory.add(draft(name, group, number))
        print(group, number, flush=True)
        number += 1
        await asyncio.sleep(rest)


async def main(name: str, rest: float) -> None:
    logging.basicConfig()
    logging.getLogger("everfact").setLevel(logging.INFO)
    worker._TROUBLE_SECONDS = 0.2
    over = asyncio.Event()
    async with await open_configured(load({}).settings) as memory, Worker(memory):
        telling = [asyncio.create_task(tell(memory, name, group, rest, over)) for group in GROUPS]
        await asyncio.to_thread(sys.stdin.read)
        over.set()
        await asyncio.gather(*telling)
        print("told", flush=True)
        while True:
            with suppress(StoreUnavailable):
                if not (await memory.status()).pending:
                    return
            await asyncio.sleep(0.1)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))

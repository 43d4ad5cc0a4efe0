"""Tell the memory of a server something and ask it: `everfact mcp serve --transport http` in another window first."""

import asyncio
import sys

from everfact import Draft, Query
from everfact.client import RemoteMemory


async def main(url: str) -> None:
    async with RemoteMemory(url) as memory:
        await memory.add(Draft(content="Ana Costa works at Globex."), wait=True)
        for fact in (await memory.search(Query(text="Where does Ana work?"))).facts:
            print(fact.sentence)


asyncio.run(main(sys.argv[1]))

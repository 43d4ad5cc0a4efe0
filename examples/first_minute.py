"""Tell a memory two things, and ask what is known and why: the example of the README."""

import asyncio
import sys
from datetime import UTC, datetime

from everfact import Draft, open_memory


async def main(path: str) -> None:
    async with await open_memory(path) as memory:
        for day, text in ((1, "Ana Costa works at Globex."), (20, "Ana Costa left Globex. She works at Initech now.")):
            told = Draft(content=text, reference_time=datetime(2026, 3, day, tzinfo=UTC))
            await memory.add(told, wait=True)  # on disk when this returns, and digested too
        for fact in (await memory.history("Ana Costa")).facts:
            print(fact.sentence, "| from", fact.valid_at, "until", fact.invalid_at or "now")
            for evidence in (await memory.explain(fact.uuid)).ended_by:
                print("  ended by:", evidence.words)


asyncio.run(main(sys.argv[1]))

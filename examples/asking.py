"""Ask a memory what holds now, what held then, and what was believed: the example of the guide to searching."""

import asyncio
import sys
from datetime import UTC, datetime

from everfact import Draft, Query, Thing, open_memory


async def main(path: str) -> None:
    async with await open_memory(path) as memory:
        for day, text in ((1, "Ana Costa works at Globex."), (20, "Ana Costa left Globex. She works at Initech now.")):
            told = Draft(content=text, reference_time=datetime(2026, 3, day, tzinfo=UTC))
            await memory.add(told, wait=True)
        works = Query(text="Where does Ana Costa work?", things=(Thing.FACT,))
        early = Query(text="Where did Ana Costa work on 5 March 2026?", things=(Thing.FACT,))
        every = Query(text="Where does Ana Costa work?", things=(Thing.FACT,), include_history=True)
        for query in (works, early, every):
            answer = await memory.search(query)
            print([fact.sentence for fact in answer.facts], "and", answer.hidden, "hidden")


asyncio.run(main(sys.argv[1]))

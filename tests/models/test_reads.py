"""Whatever is asked of a memory, no model is: answers in natural language are the caller's business."""

from __future__ import annotations

from tests.models.conftest import OpenMemory
from tests.models.scripted import fails, serving
from tests.models.test_faulty import ANYWHERE, MAY, tell

from everfact.brief import brief
from everfact.models import Query


async def test_no_read_asks_a_model(open_memory: OpenMemory) -> None:
    async with open_memory() as memory:
        episode = await tell(memory, "Ana Costa works at Initech since March.", thread="talk")
        await tell(memory, "Ana Costa lives in Porto.")
    with serving(fails(500)) as endpoint:
        async with open_memory(endpoint) as memory:
            answer = await memory.search(Query(text="Where does Ana Costa work?", explain=True))
            assert answer.facts
            await memory.compare(Query(text="Ana"), MAY.replace(year=2025), MAY)
            await memory.history("Ana Costa")
            await memory.explain(answer.facts[0].uuid)
            await memory.outcome([episode.uuid])
            await memory.summarize_saga("talk")
            await memory.build_communities()
            await memory.disputes()
            await memory.changes(ANYWHERE)
            await memory.status()
            await memory.embed()
            assert await brief(memory, ("main",), query="Ana", max_tokens=500)
    assert endpoint.asks == []

"""Any text is a question, and nothing but what was asked for is shown."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from everfact.errors import UsageError
from everfact.memory import Memory
from everfact.models import Draft, Mention, Query, Ranking, Source, Statement, Thing
from everfact.ports import Store
from everfact.search import within_budget
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.fakes import FixedExtractor, HashingEmbedder
from everfact.testing.reference import Disk, ReferenceStore
from everfact.words import word_set

WORDS = word_set(
    "Ana Rome tea before the after our migration since until last March 5 2024 yesterday 3 third how many when did I "
    "you say NEAR( AND OR NOT \" * : ( ) { } ^ - ' content: ; \0 \u6771\u4eac \u0130 \u017fixth \ud83d? %"
)
odd = st.lists(st.sampled_from(sorted(WORDS)), max_size=12).map(" ".join)
questions = st.one_of(odd, st.text(max_size=60), st.text(st.characters(), max_size=20))


async def filled(store: Store) -> Memory:
    memory = Memory(store, dict.fromkeys(Source, FixedExtractor()), embedder=HashingEmbedder())
    for group in ("home", "work"):
        for thing in ("Rome", "tea", "\u6771\u4eac"):
            said = Statement(
                subject=Mention(name="Ana"),
                relation="likes",
                object=Mention(name=thing),
                sentence=f"Ana likes {thing} after the migration",
            )
            draft = Draft(content=f"I ({group}) say: Ana likes 3 {thing}", group_id=group, speaker="Ana", thread="t")
            await memory.add(draft)
            await memory.add(Draft(content=said.sentence, group_id=group, statements=(said,)), wait=True)
    while await memory.embed():
        pass
    return memory


async def check(memory: Memory, text: str, ranking: Ranking, limit: int, most: int | None) -> None:
    query = Query(text=text, group_ids=("home",), limit=limit, ranking=ranking, max_tokens=most, explain=True)
    try:
        found = await memory.search(query)
    except UsageError:
        assert any("\ud800" <= c <= "\udfff" for c in text)  # half a character: the one text that is none
        return
    assert {hit.item.group_id for hit in found.hits} <= {"home"}
    assert len(found.hits) <= limit
    assert len({hit.item.uuid for hit in found.hits}) == len(found.hits)
    assert list(within_budget(found.hits, most)) == [list(found.hits), 0]
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    places = {hit.item.uuid: place for place, hit in enumerate(found.hits)}
    if ranking is Ranking.RELEVANCE and most is None:
        for fact in found.facts:
            told = [places[uuid] for uuid in fact.episodes if uuid in places]
            assert not told or min(told) < places[fact.uuid]
    assert {hit.thing for hit in found.hits} <= set(Thing)


rankings = st.sampled_from([ranking for ranking in Ranking if ranking is not Ranking.NODE_DISTANCE])
budgets = st.none() | st.integers(1, 60)


@settings(max_examples=150)
@given(text=questions, ranking=rankings, limit=st.integers(1, 30), most=budgets)
def test_any_text_is_a_question_to_the_reference_store(
    text: str, ranking: Ranking, limit: int, most: int | None
) -> None:
    async def run() -> None:
        async with await filled(ReferenceStore(Disk())) as memory:
            await check(memory, text, ranking, limit, most)

    asyncio.run(run())


@settings(max_examples=10)
@given(cases=st.lists(st.tuples(questions, rankings, st.integers(1, 30), budgets), min_size=1, max_size=40))
def test_any_text_is_a_question_to_sqlite(cases: list[tuple[str, Ranking, int, int | None]]) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with await filled(await SQLiteStore.open(Path(folder) / "memory.db")) as memory:
                for case in cases:
                    await check(memory, *case)

    asyncio.run(run())

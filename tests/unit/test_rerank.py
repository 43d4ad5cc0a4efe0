"""Graphiti's ways to put hits in order, by name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everfact.memory import Memory
from everfact.models import Answer, Draft, Filter, Mention, Query, Ranking, Source, Statement, Thing
from everfact.testing.fakes import FakeClock, FixedExtractor, HashingEmbedder
from everfact.testing.reference import Disk, ReferenceStore


@pytest.fixture
def memory() -> Memory:
    clock = FakeClock()
    store = ReferenceStore(Disk(), now=clock)
    return Memory(store, dict.fromkeys(Source, FixedExtractor()), embedder=HashingEmbedder(4096), now=clock)


async def tell(memory: Memory, *sentences: str, content: str = "", at: int = 0) -> None:
    """Each sentence is a subject, a verb and an object."""
    said = []
    for sentence in sentences:
        subject, verb, thing = sentence.split()
        said.append(
            Statement(subject=Mention(name=subject), relation=verb, object=Mention(name=thing), sentence=sentence)
        )
    told_at = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=at)
    draft = Draft(content=content or "; ".join(sentences), reference_time=told_at, statements=tuple(said))
    await memory.add(draft, wait=True)


async def ask(memory: Memory, text: str, ranking: Ranking, **given: Any) -> Answer:
    while await memory.embed():
        pass
    return await memory.search(replace(Query(text=text, ranking=ranking, limit=100), **given))


async def facts(memory: Memory, text: str, ranking: Ranking, **given: Any) -> list[str]:
    return [fact.sentence for fact in (await ask(memory, text, ranking, things=(Thing.FACT,), **given)).facts]


async def uuid_of(memory: Memory, name: str) -> str:
    (found,) = await memory.entities(Filter(group_ids=None, names=(name,)))
    return found.uuid


@pytest.mark.parametrize("ranking", list(Ranking))
async def test_same_hits_in_every_order_and_scores_fall(memory: Memory, ranking: Ranking) -> None:
    await tell(memory, "Ana owns Rex", "Ana likes tea", "Rex likes tea", "Kim likes tea")
    center = await uuid_of(memory, "Kim")
    plain = await ask(memory, "Who likes tea?", Ranking.RELEVANCE, center=center)
    found = await ask(memory, "Who likes tea?", ranking, center=center)
    assert {hit.item.uuid for hit in found.hits} == {hit.item.uuid for hit in plain.hits}
    assert [hit.score for hit in found.hits] == [hit.score for hit in plain.hits]


@pytest.mark.parametrize("ranking", list(Ranking))
async def test_nothing_found_is_nothing_to_put_in_order(memory: Memory, ranking: Ranking) -> None:
    await tell(memory, "Ana owns Rex")
    center = await uuid_of(memory, "Ana")
    assert (await ask(memory, "tea", ranking, center=center, things=(Thing.FACT,), relations=("NONE",))).hits == ()


async def test_reciprocal_ranks_add_up_places_by_words_and_by_meaning(memory: Memory) -> None:
    first_by_words = "red green blue and very many other long words that say nothing else"
    first_by_meaning, second_by_meaning = "red green", "tea"
    for at, sentence in enumerate((second_by_meaning, first_by_words, first_by_meaning)):
        said = Statement(subject=Mention(name=f"E{at}"), relation="is", object=None, sentence=sentence)
        await memory.add(Draft(content=f"red green blue tea {'x' * at}", statements=(said,)), wait=True)
    assert await facts(memory, "red green blue tea", Ranking.RRF) == [
        first_by_meaning,
        first_by_words,
        second_by_meaning,
    ]


async def test_variety_puts_the_unlike_before_the_alike(memory: Memory) -> None:
    await tell(memory, "Ana likes tea", at=1)
    await tell(memory, "Ana likes teas", at=2)
    await tell(memory, "Rex owns salt", at=3)
    question = "Ana likes tea, teas"
    assert (await facts(memory, question, Ranking.RELEVANCE))[2] == "Rex owns salt"
    assert (await facts(memory, question, Ranking.MMR))[1] == "Rex owns salt"


async def test_distance_is_counted_in_facts_from_the_centre(memory: Memory) -> None:
    await tell(memory, "Ana knows Ben", "Ben knows Cid", "Cid knows Dan", "Dan knows Eva", "Eva knows Fay")
    center = await uuid_of(memory, "Ana")
    question = "Eva knows Fay, who knows Dan, Cid, Ben?"
    assert await facts(memory, question, Ranking.NODE_DISTANCE, center=center) == [
        "Ana knows Ben",
        "Ben knows Cid",
        "Cid knows Dan",
        *[s for s in await facts(memory, question, Ranking.RELEVANCE, center=center) if "Eva" in s],
    ]
    found = await ask(memory, "Eva, Fay, Ben, Ana?", Ranking.NODE_DISTANCE, center=center, things=tuple(Thing))
    assert [e.name for e in found.entities][:4] == ["Ana", "Ben", "Cid", "Dan"]
    assert found.hits[0].item.uuid == center
    assert found.hits[-1].thing is not Thing.FACT or "Eva" in found.hits[-1].item.text


async def test_facts_that_many_episodes_tell_come_first(memory: Memory) -> None:
    await tell(memory, "Ana likes tea")
    for at in (1, 2, 3):
        await tell(memory, "Rex likes salt", content=f"note {at}", at=at)
    await tell(memory, "Kim likes salt", content="one", at=4)
    await tell(memory, "Kim likes salt", content="two", at=5)
    found = await ask(memory, "Ana likes tea", Ranking.EPISODE_MENTIONS)
    assert [fact.sentence for fact in found.facts] == ["Rex likes salt", "Kim likes salt", "Ana likes tea"]
    assert [hit.thing for hit in found.hits[:3]] == [Thing.FACT] * 3

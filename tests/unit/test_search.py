"""Asking a memory, on the reference store and on SQLite."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from everfact.errors import NotFound, UsageError
from everfact.extractors.local.documents import find_document
from everfact.memory import Memory
from everfact.models import (
    Answer,
    Draft,
    Entity,
    Episode,
    FactKind,
    Filter,
    Hit,
    Mention,
    Phase,
    Query,
    Ranking,
    Source,
    Statement,
    Thing,
)
from everfact.ports import Store
from everfact.search import MOST_HITS, evidence_for, within_budget
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import episode
from everfact.testing.fakes import FakeClock, FixedExtractor, HashingEmbedder
from everfact.testing.reference import Disk, ReferenceStore


def day(number: int) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=number)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["reference", "sqlite"])
async def memory(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Memory]:
    store: Store = ReferenceStore(Disk(), now=clock)
    if request.param == "sqlite":
        store = await SQLiteStore.open(tmp_path / "memory.db", now=clock)
    extractors = dict.fromkeys(Source, FixedExtractor())
    async with Memory(store, extractors, embedder=HashingEmbedder(), now=clock) as memory:
        yield memory


def says(subject: str, relation: str, thing: str, **given: Any) -> Statement:
    plain = Statement(
        subject=Mention(name=subject),
        relation=relation,
        object=Mention(name=thing),
        sentence=f"{subject} {relation} {thing}",
    )
    return replace(plain, **given)


async def tell(memory: Memory, content: str, at: int = 0, *statements: Statement, **given: Any) -> Episode:
    """Tell a text of that day, with what it states."""
    draft = Draft(content=content, group_id="home", reference_time=day(at), statements=statements)
    return (await memory.add(replace(draft, **given), wait=True)).episode


async def state(memory: Memory, subject: str, relation: str, thing: str, at: int = 0, **given: Any) -> Episode:
    """Tell one fact in one sentence."""
    return await tell(memory, f"{subject} {relation} {thing}", at, says(subject, relation, thing, **given))


async def ask(memory: Memory, text: str, **given: Any) -> Answer:
    while await memory.embed():
        pass
    return await memory.search(replace(Query(text=text, group_ids=("home",)), **given))


async def facts(memory: Memory, text: str, **given: Any) -> list[str]:
    """The sentences of the facts found, best first."""
    return [fact.sentence for fact in (await ask(memory, text, things=(Thing.FACT,), **given)).facts]


async def episodes(memory: Memory, text: str, **given: Any) -> list[str]:
    return [found.content for found in (await ask(memory, text, things=(Thing.EPISODE,), **given)).episodes]


async def entity(memory: Memory, name: str) -> Entity:
    (found,) = await memory.entities(Filter(group_ids=("home",), names=(name,)))
    return found


async def moved(memory: Memory) -> None:
    """Ana lived in Rome from day 1, in Oslo from day 5, and lives in Lima since day 9."""
    for city, at in (("Rome", 1), ("Oslo", 5), ("Lima", 9)):
        await state(memory, "Ana", "lives in", city, at)


ROME, OSLO, LIMA = (f"Ana lives in {city}" for city in ("Rome", "Oslo", "Lima"))


async def test_one_call_finds_facts_entities_and_episodes_with_scores(memory: Memory) -> None:
    await state(memory, "Ana", "lives in", "Rome")
    found = await ask(memory, "Where does Ana live?")
    assert {hit.thing for hit in found.hits} == set(Thing)
    assert "Ana" in [e.name for e in found.entities]
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert not any(hit.reasons or hit.path for hit in found.hits)


async def test_told_is_found_before_it_is_digested(memory: Memory) -> None:
    await memory.add(Draft(content="The cellar key hangs behind the clock", group_id="home"))
    found = await memory.search(Query(text="cellar key", group_ids=("home",)))
    assert [e.content for e in found.episodes] == ["The cellar key hangs behind the clock"]


async def test_memory_without_embedder_finds_by_words(clock: FakeClock) -> None:
    memory = Memory(ReferenceStore(Disk(), now=clock), dict.fromkeys(Source, FixedExtractor()), now=clock)
    await state(memory, "Ana", "lives in", "Rome")
    for ranking in (Ranking.RELEVANCE, Ranking.RRF, Ranking.MMR):
        assert await facts(memory, "Who lives in Rome?", ranking=ranking) == [ROME]


async def test_things_not_asked_for_are_not_shown(memory: Memory) -> None:
    await state(memory, "Ana", "lives in", "Rome")
    for thing in Thing:
        assert {hit.thing for hit in (await ask(memory, "Ana in Rome", things=(thing,))).hits} == {thing}
    assert (await ask(memory, "Ana in Rome", things=())).hits == ()


async def test_limit_is_kept(memory: Memory) -> None:
    await moved(memory)
    assert len((await ask(memory, "Ana", limit=2)).hits) == 2
    assert len((await ask(memory, "Ana", limit=MOST_HITS)).hits) > 2


# Now, then, and all along


async def test_now_is_answered_by_default_and_the_rest_counted(memory: Memory) -> None:
    await moved(memory)
    found = await ask(memory, "Where does Ana live?")
    assert [fact.sentence for fact in found.facts] == [LIMA]
    assert found.hidden == 2


async def test_history_shows_all_and_the_ended_below_their_successor(memory: Memory) -> None:
    await moved(memory)
    found = await ask(memory, "Ana lives in Rome", include_history=True)
    assert [fact.sentence for fact in found.facts] == [LIMA, OSLO, ROME]
    assert found.hidden == 0


@pytest.mark.parametrize("ranking", [r for r in Ranking if r is not Ranking.NODE_DISTANCE])
async def test_ended_is_below_its_successor_in_every_ranking(memory: Memory, ranking: Ranking) -> None:
    for n in range(3):
        await tell(memory, f"Ana lives in Rome, they say, note {n}", n, says("Ana", "lives in", "Rome"))
    await tell(memory, "Off to Lima it is", 9, says("Ana", "lives in", "Lima"))
    assert (await facts(memory, ROME, include_history=True, ranking=ranking))[:2] == [LIMA, ROME]
    found = await ask(memory, f"{ROME}, they say", include_history=True, ranking=ranking)
    assert [fact.sentence for fact in found.facts] == [LIMA, ROME]


async def test_question_about_then(memory: Memory) -> None:
    await moved(memory)
    for at, sentence in ((1, ROME), (4, ROME), (5, OSLO), (8, OSLO), (9, LIMA)):
        assert await facts(memory, "Where does Ana live?", valid_at=day(at)) == [sentence]
    assert await facts(memory, "Where does Ana live?", valid_at=day(0)) == []


async def test_what_ends_at_the_very_moment_is_hidden_and_counted(memory: Memory) -> None:
    await moved(memory)
    assert [(await ask(memory, "Ana lives", valid_at=day(at))).hidden for at in (1, 4, 5, 8, 9)] == [0, 0, 1, 1, 2]
    assert (await ask(memory, "Ana lives", valid_at=datetime.max.replace(tzinfo=UTC))).hidden == 2


async def test_hidden_counts_what_fits_the_words(memory: Memory) -> None:
    await moved(memory)
    assert (await ask(memory, "zebras")).hidden == 0
    assert (await ask(memory, "Ana", things=(Thing.EPISODE,))).hidden == 0


async def test_event_with_an_end_is_shown_and_not_hidden(memory: Memory) -> None:
    await state(memory, "Ana", "visited", "Rome", 1, kind=FactKind.EVENT, valid_at=day(1), invalid_at=day(3))
    found = await ask(memory, "What did Ana visit?")
    assert ([fact.sentence for fact in found.facts], found.hidden) == (["Ana visited Rome"], 0)


async def test_bounds_of_beginning(memory: Memory) -> None:
    for thing, at in (("tea", 1), ("milk", 5), ("beer", 9)):
        await state(memory, "Ana", "likes", thing, at)
    assert set(await facts(memory, "Ana likes", valid_at_after=day(1))) == {"Ana likes beer", "Ana likes milk"}
    assert await facts(memory, "Ana likes", valid_at_before=day(5)) == ["Ana likes tea"]
    assert await facts(memory, "Ana likes", valid_at_after=day(1), valid_at_before=day(9)) == ["Ana likes milk"]


async def test_bounds_of_ending_look_into_the_past(memory: Memory) -> None:
    await moved(memory)
    assert await facts(memory, "Ana lives", invalid_at_before=day(9)) == [ROME]
    assert await facts(memory, "Ana lives", invalid_at_after=day(5)) == [OSLO]
    assert await facts(memory, "Ana lives", invalid_at_after=day(1), invalid_at_before=day(10)) == [OSLO, ROME]


async def test_bounds_of_ending_do_not_undo_a_time_given(memory: Memory) -> None:
    await moved(memory)
    assert await facts(memory, "Ana lives", valid_at=day(6), invalid_at_after=day(0)) == [OSLO]


async def test_what_was_believed_then_even_after_undo(memory: Memory, clock: FakeClock) -> None:
    await state(memory, "Ana", "lives in", "Rome", 1)
    only_rome = clock.advance(timedelta(hours=1))
    clock.advance(timedelta(hours=1))
    told = await state(memory, "Ana", "lives in", "Oslo", 5)
    with_oslo = clock.advance(timedelta(hours=1))
    clock.advance(timedelta(hours=1))
    await memory.undo(told.uuid)
    assert await facts(memory, "Where does Ana live?", known_at=only_rome) == [ROME]
    assert await facts(memory, "Where does Ana live?", known_at=with_oslo) == [OSLO]
    assert await facts(memory, "Where does Ana live?", known_at=with_oslo, valid_at=day(3)) == [ROME]
    assert await facts(memory, "Where does Ana live?") == [ROME]
    assert (await ask(memory, "Where does Ana live?", known_at=day(0))).hits == ()


async def test_what_was_believed_then_is_what_held_then(memory: Memory, clock: FakeClock) -> None:
    expiry = clock() + timedelta(hours=5)
    await state(memory, "Ana", "holds", "permit", invalid_at=expiry)
    then = clock.advance(timedelta(hours=1))
    clock.advance(timedelta(hours=9))
    assert await facts(memory, "Ana permit", known_at=then) == ["Ana holds permit"]
    assert await facts(memory, "Ana permit") == []


# Times that the question names


@pytest.mark.parametrize(
    ("question", "sentences"),
    [
        ("Where did Ana live last March?", {"Ana lives in Rome"}),
        ("Where did Ana live in March 2025?", {"Ana lives in Rome"}),
        ("Where did Ana live on 15 April 2025?", {"Ana lives in Oslo"}),
        ("Where did Ana live in 2025?", {"Ana lives in Rome", "Ana lives in Oslo", "Ana lives in Lima"}),
        ("Where did Ana live 8 months ago?", {"Ana lives in Oslo"}),
        ("Where does Ana live?", {"Ana lives in Lima"}),
        ("Where does Ana live in March?", {"Ana lives in Lima"}),
    ],
)
async def test_date_in_the_question_is_the_time_asked_about(memory: Memory, question: str, sentences: set[str]) -> None:
    for city, month in (("Rome", 2), ("Oslo", 4), ("Lima", 6)):
        await state(memory, "Ana", "lives in", city, valid_at=datetime(2025, month, 1, tzinfo=UTC))
    asked_at = datetime(2025, 12, 15, tzinfo=UTC)
    assert set(await facts(memory, question, asked_at=asked_at)) == sentences
    assert await facts(memory, question, asked_at=asked_at, valid_at=datetime(2025, 5, 1, tzinfo=UTC)) == [OSLO]


@pytest.mark.parametrize(
    ("question", "sentences"),
    [
        ("Where did Ana live before the migration?", {ROME}),
        ("Where did Ana live until the migration?", {ROME}),
        ("Where did Ana live during the migration?", {OSLO}),
        ("Where has Ana lived since the migration?", {OSLO, LIMA}),
        ("Where did Ana live after the big migration?", {OSLO, LIMA}),
        ("Where did Ana live before the flood?", {LIMA}),
        ("Where did Ana live before the small migration?", {LIMA}),
        ("Where did Ana live before the other?", {LIMA}),
    ],
)
async def test_event_in_the_question_is_the_time_asked_about(
    memory: Memory, question: str, sentences: set[str]
) -> None:
    await moved(memory)
    big = says("migration", "moved", "servers", sentence="The other big migration is done", kind=FactKind.EVENT)
    await tell(memory, "We are through with it", 5, big)
    found = await facts(memory, question)
    assert {sentence for sentence in found if "lives" in sentence} == sentences


async def test_what_was_told_at_the_time_asked_about_is_looked_at(memory: Memory) -> None:
    await tell(memory, "Such fun", 70, thread="t")
    await tell(memory, "Rather dull", 400, thread="t")
    query = Query(text="What happened in March 2024?", group_ids=("home",), things=(Thing.EPISODE,))
    assert [e.content for e in (await memory.search(query)).episodes] == ["Such fun"]


# Newer before older


async def test_newer_statement_stands_above_the_older(memory: Memory) -> None:
    older, newer = "I have taken 3 piano lessons.", "Good news: I have now taken 7 piano lessons with Ms Gray."
    await tell(memory, older, 1)
    await tell(memory, newer, 5)
    assert await episodes(memory, "How many piano lessons have I taken?") == [newer, older]
    assert await episodes(memory, "How many piano lessons had I originally taken?") == [older, newer]


async def test_restatement_does_not_move(memory: Memory) -> None:
    older, newer = "I have taken 3 piano lessons.", "Good news: I have now taken 3 piano lessons with Ms Gray."
    await tell(memory, older, 1)
    await tell(memory, newer, 5)
    assert await episodes(memory, "How many piano lessons have I taken?") == [older, newer]


async def test_episode_put_out_of_date_is_history(memory: Memory) -> None:
    await tell(memory, "The door code is 1234", attributes={"superseded_by": "another"})
    await tell(memory, "The door code is 5678", 2)
    assert await episodes(memory, "door code 1234") == ["The door code is 5678"]
    assert set(await episodes(memory, "door code 1234", include_history=True)) == {
        "The door code is 1234",
        "The door code is 5678",
    }


async def test_doubtful_episode_comes_last(memory: Memory) -> None:
    await tell(memory, "The door code is 1234", attributes={"trust": "unverified"})
    await tell(memory, "Something about a door", 2)
    await tell(memory, "Lunch was good", 3)
    assert (await episodes(memory, "What is the door code?"))[-1] == "The door code is 1234"


OLD = "PEP 345: Metadata for packages. Superseded-By: 566. How metadata of packages is written."
NEW = "PEP 566: Metadata, version 2. Replaces: 345. A description of fields and JSON."


async def document(memory: Memory, content: str, at: int) -> Episode:
    return await tell(memory, content, at, *find_document(content))


async def test_document_stands_below_the_one_that_replaced_it(memory: Memory) -> None:
    await document(memory, OLD, 1)
    await tell(memory, "Metadata for packages: how is it written?", 2)
    await document(memory, NEW, 3)
    found = await ask(memory, "How is metadata for packages written?", things=(Thing.EPISODE,), explain=True)
    contents = [hit.item.content for hit in found.hits if isinstance(hit.item, Episode)]
    assert contents.index(NEW) == contents.index(OLD) - 1
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


async def test_each_document_goes_below_its_own_successor(memory: Memory) -> None:
    other, its_successor = "PEP 1: Metadata of eggs. Superseded-By: 2.", "PEP 2: Metadata of chickens."
    for at, content in enumerate((OLD, NEW, other, its_successor)):
        await document(memory, content, at)
    found = await episodes(memory, "metadata of packages and of eggs")
    assert found.index(NEW) == found.index(OLD) - 1
    assert found.index(its_successor) == found.index(other) - 1


async def test_successor_that_words_do_not_find_is_fetched(memory: Memory) -> None:
    plain = "PEP 900: Zebra feeding. Superseded-By: 901. Feed them."
    newer = "PEP 901: Equine nutrition. Hay."
    await document(memory, plain, 1)
    await document(memory, newer, 2)
    found = await memory.search(Query(text="zebra feeding", group_ids=("home",), things=(Thing.EPISODE,), explain=True))
    assert [e.content for e in found.episodes] == [newer, plain]


async def test_successor_is_found_whatever_facts_are_asked_for(memory: Memory) -> None:
    await document(memory, OLD, 1)
    await document(memory, NEW, 3)
    question = "How is metadata for packages written?"
    narrow = ({"relations": ("LIKES",)}, {"entity_types": ("Person",)}, {"valid_at_before": day(-9)})
    for bounds in narrow:
        assert await episodes(memory, question, **bounds) == [NEW, OLD]
    assert await episodes(memory, question, valid_at=day(0)) == [OLD, NEW]


async def test_successor_that_is_out_of_date_itself_is_not_shown(memory: Memory) -> None:
    await document(memory, OLD, 1)
    await tell(memory, NEW, 3, *find_document(NEW), attributes={"superseded_by": "another"})
    assert await episodes(memory, "How is metadata for packages written?") == [OLD]


async def test_replaced_document_whose_successor_nobody_has_told(memory: Memory) -> None:
    await document(memory, OLD, 1)
    assert await episodes(memory, "How is metadata for packages written?") == [OLD]


async def test_fact_never_comes_before_the_best_episode_behind_it(memory: Memory) -> None:
    await moved(memory)
    await state(memory, "Bob", "likes", "Ana")
    found = await ask(memory, "Ana lives in Rome Oslo Lima Bob likes", include_history=True)
    places = {hit.item.uuid: place for place, hit in enumerate(found.hits)}
    assert found.facts
    for fact in found.facts:
        assert min(places[uuid] for uuid in fact.episodes) < places[fact.uuid]


# Where to look


async def test_other_groups_stay_out(memory: Memory) -> None:
    await state(memory, "Ana", "lives in", "Rome")
    await tell(memory, OSLO, 1, says("Ana", "lives in", "Oslo"), group_id="work", speaker="Ana", thread="t")
    found = await ask(memory, "Where does Ana live?", explain=True)
    assert {hit.item.group_id for hit in found.hits} == {"home"}
    both = await ask(memory, "Where does Ana live?", group_ids=("home", "work"), limit=20)
    assert {hit.item.group_id for hit in both.hits} == {"home", "work"}
    assert (await ask(memory, "Where does Ana live?", group_ids=())).hits == ()
    assert (await ask(memory, "Where does Ana live?", group_ids=("nowhere",))).hits == ()


async def test_relations_choose_facts(memory: Memory) -> None:
    await state(memory, "Ana", "lives in", "Rome")
    await state(memory, "Ana", "likes", "Rome")
    assert await facts(memory, "Ana and Rome", relations=("LIKES",)) == ["Ana likes Rome"]


async def test_types_choose_entities_and_facts_about_them(memory: Memory) -> None:
    person = replace(says("Ana", "likes", "tea"), subject=Mention(name="Ana", type="Person"))
    await tell(memory, "Ana likes tea", 0, person)
    await state(memory, "soup", "likes", "salt")
    found = await ask(memory, "Who likes what?", entity_types=("Person",), things=(Thing.FACT, Thing.ENTITY))
    assert [e.name for e in found.entities] == ["Ana"]
    assert [f.sentence for f in found.facts] == ["Ana likes tea"]


async def test_sources_choose_episodes(memory: Memory) -> None:
    await tell(memory, "tea is nice")
    await tell(memory, "tea is hot", 1, source=Source.MESSAGE)
    assert await episodes(memory, "tea", sources=(Source.MESSAGE,)) == ["tea is hot"]


async def test_facts_around_a_named_entity_are_found_over_two_hops(memory: Memory) -> None:
    await state(memory, "Zoe", "manages", "Ana", 1)
    await state(memory, "Ana", "owns", "Rex", 2)
    await state(memory, "Zoe", "likes", "tea", 3)
    await state(memory, "Kim", "owns", "Tom", 4)
    found = await memory.search(Query(text="Zoe?", group_ids=("home",), things=(Thing.FACT,), explain=True))
    assert {hit.item.text: hit.path for hit in found.hits} == {
        "Zoe manages Ana": ("Zoe", "Zoe manages Ana"),
        "Zoe likes tea": ("Zoe", "Zoe likes tea"),
        "Ana owns Rex": ("Zoe", "Zoe manages Ana", "Ana owns Rex"),
    }


async def test_centre_brings_what_lies_around_it(memory: Memory) -> None:
    await state(memory, "Zoe", "manages", "Ana", 1)
    await state(memory, "Kim", "owns", "Tom", 3)
    zoe = await entity(memory, "Zoe")
    found = await memory.search(Query(text="so?", group_ids=("home",), center=zoe.uuid, explain=True))
    assert [f.sentence for f in found.facts] == ["Zoe manages Ana"]
    assert ("named", 0.9) in next(hit.reasons for hit in found.hits if hit.thing is Thing.FACT)


async def test_unknown_centre_is_said(memory: Memory) -> None:
    await tell(memory, ROME, 0, says("Ana", "lives in", "Rome"), group_id="work")
    (stranger, *_) = await memory.entities(Filter(group_ids=("work",)))
    for center in ("nobody", stranger.uuid):
        with pytest.raises(NotFound, match="centre"):
            await ask(memory, "Ana", center=center)


async def test_explanation_names_what_spoke_for_and_against(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome", attributes={"trust": "unverified"})
    (hit,) = (await ask(memory, "Ana in Rome", things=(Thing.EPISODE,), explain=True)).hits
    reasons = dict(hit.reasons)
    assert reasons["words"] > 0 > reasons["doubt"]
    assert [abs(worth) for _, worth in hit.reasons] == sorted(map(abs, reasons.values()), reverse=True)


# Cut to size


async def test_budget_is_never_exceeded_and_what_fell_is_counted(memory: Memory) -> None:
    for n in range(6):
        await tell(memory, f"tea {'is nice ' * n * 3}", n)
    everything = await ask(memory, "tea is nice", things=(Thing.EPISODE,))
    for most in (1, 5, 20, 50, 1000):
        found = await ask(memory, "tea is nice", things=(Thing.EPISODE,), max_tokens=most)
        assert sum(len(hit.item.text) for hit in found.hits) <= 4 * most
        assert len(found.hits) + found.trimmed == len(everything.hits)
        assert [h for h in everything.hits if h in found.hits] == list(found.hits)
    assert everything.trimmed == 0


def test_token_is_four_characters() -> None:
    hits = [Hit(item=episode(text), score=1.0) for text in ("12345678", "1234", "12345")]
    kept = {most: [hit.item.text for hit in within_budget(hits, most)[0]] for most in (1, 2, 3, 4, 5)}
    assert kept == {
        1: ["1234"],
        2: ["12345678"],
        3: ["12345678", "1234"],
        4: ["12345678", "1234"],
        5: ["12345678", "1234", "12345"],
    }


async def test_hit_too_long_for_the_budget_lets_shorter_ones_by(memory: Memory) -> None:
    await tell(memory, "tea tea " * 40)
    await tell(memory, "tea", 1)
    found = await ask(memory, "tea tea", things=(Thing.EPISODE,), max_tokens=2)
    assert ([e.content for e in found.episodes], found.trimmed) == (["tea"], 1)


# Two moments


async def test_comparison_of_two_moments(memory: Memory) -> None:
    await moved(memory)
    await state(memory, "Ana", "likes", "tea", 0)
    compared = await memory.compare(Query(text="Ana", group_ids=("home",)), day(2), day(6))
    assert {f.sentence for f in compared.at_start} == {ROME, "Ana likes tea"}
    assert {f.sentence for f in compared.at_end} == {OSLO, "Ana likes tea"}
    assert [f.sentence for f in compared.ended] == [ROME]
    assert [f.sentence for f in compared.began] == [OSLO]


async def test_comparison_counts_only_what_happened_in_between(memory: Memory) -> None:
    happened = {"kind": FactKind.EVENT}
    await state(memory, "Ana", "visited", "Rome", valid_at=day(1), invalid_at=day(2), **happened)
    await state(memory, "Ana", "visited", "Oslo", valid_at=day(5), **happened)
    await state(memory, "Ana", "visited", "Lima", valid_at=day(9), **happened)
    compared = await memory.compare(Query(text="Ana visited", group_ids=("home",)), day(4), day(6))
    assert compared.ended == ()
    assert [f.sentence for f in compared.began] == ["Ana visited Oslo"]


async def test_comparison_heeds_its_moments_whatever_the_query_says(memory: Memory) -> None:
    await moved(memory)
    query = Query(text="Where does Ana live in 2019?", group_ids=("home",), include_history=True, things=())
    compared = await memory.compare(query, day(2), day(6))
    assert [f.sentence for f in (*compared.at_start, *compared.at_end)] == [ROME, OSLO]


@pytest.mark.parametrize(("start", "end"), [(day(2), day(2)), (day(3), day(2)), (day(2), datetime(2025, 1, 1))])  # noqa: DTZ001
async def test_comparison_needs_two_moments_in_order(memory: Memory, start: datetime, end: datetime) -> None:
    with pytest.raises(UsageError):
        await memory.compare(Query(text="Ana"), start, end)


# Bad input


@pytest.mark.parametrize("text", ["", " ", "?", "\u2026 !? -- __", "\0", "\0\0?", "\U0001f600", "*" * 100_000])
async def test_no_words_find_nothing(memory: Memory, text: str) -> None:
    await moved(memory)
    assert await ask(memory, text) == Answer(hits=())


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "Ana\0 Rome",
        'Ana" OR "1"="1',
        "NEAR(Ana Rome, 5)",
        "NEAR(",
        "Ana*",
        "^Ana",
        "AND OR NOT",
        "Ana AND NOT Rome",
        "content:Ana",
        "{content name}: Ana",
        "- Ana + Rome",
        "'; DROP TABLE facts; --",
        "%_\\",
        "the of and",
        "Ana " * 25_000,
        "x" * 100_000,
        "before the " * 9_000,
        "99th of May 2024, 31 February, May 99999",
        "\u0410\u043d\u0430 \u0436\u0438\u0432\u0435\u0442 \u0432 \u0420\u0438\u043c\u0435",
        "\u6771\u4eac\u306b\u4f4f\u3093\u3067\u3044\u308b",
        "\u0639\u0646\u0627 \u062a\u0639\u064a\u0634 \u0641\u064a \u0631\u0648\u0645\u0627",
        "\u0e2d\u0e32\u0e19\u0e32",
        "\u0130stanbul \u017fixth \u212aelvin \ufb01n",
    ],
    ids=lambda text: text[:20],
)
async def test_any_words_are_a_question(memory: Memory, text: str) -> None:
    await moved(memory)
    found = await ask(memory, text, explain=True)
    assert {hit.item.group_id for hit in found.hits} <= {"home"}


@pytest.mark.parametrize(
    "given",
    [
        {"text": "\ud800 Ana"},
        {"limit": 0},
        {"limit": -1},
        {"limit": 10**9},
        {"max_tokens": 0},
        {"max_tokens": -5},
        {"ranking": Ranking.NODE_DISTANCE},
        {"valid_at_after": day(2), "valid_at_before": day(1)},
        {"invalid_at_after": day(2), "invalid_at_before": day(2)},
        {"valid_at": datetime(2024, 1, 1)},  # noqa: DTZ001
        {"known_at": datetime(2024, 1, 1)},  # noqa: DTZ001
        {"asked_at": datetime(2024, 1, 1)},  # noqa: DTZ001
        {"invalid_at_before": datetime(2024, 1, 1)},  # noqa: DTZ001
        {"center": "\0"},
    ],
    ids=str,
)
async def test_question_that_has_no_answer_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        await memory.search(replace(Query(text="Ana"), **given))


@pytest.mark.parametrize("edge", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)], ids=str)
@pytest.mark.parametrize("field", ["valid_at", "known_at", "asked_at", "valid_at_after", "invalid_at_before"])
async def test_ends_of_the_calendar_are_times_too(memory: Memory, field: str, edge: datetime) -> None:
    await moved(memory)
    for text in ("Where did Ana live?", "Where did Ana live yesterday?", "Where will Ana live tomorrow?"):
        await ask(memory, text, **{field: edge})


async def test_searching_while_others_add(memory: Memory) -> None:
    async def add() -> None:
        for n in range(15):
            await state(memory, "Ana", "lives in", f"Town{n}", n)
            await memory.embed()

    async def search() -> None:
        while not adding.done():
            found = await memory.search(Query(text="Where does Ana live?", group_ids=("home",), explain=True))
            assert len(found.facts) <= 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        adding = tasks.create_task(add())
        tasks.create_task(search())
    assert await facts(memory, "Where does Ana live?") == ["Ana lives in Town14"]


async def test_what_was_just_told_is_found_by_its_own_word_among_many_alike(memory: Memory) -> None:
    for n in range(20):
        await memory.add(Draft(content=f"Person word{n} works at Company word{n} and lives in Oslo.", group_id="home"))
    while await memory.digest():
        pass
    while await memory.embed():
        pass
    told = await memory.add(Draft(content="Person word77 works at Company word77 and lives in Oslo.", group_id="home"))
    found = await memory.search(Query(text="word77", group_ids=("home",)))
    assert found.hits[0].item.uuid == told.episode.uuid


# Lists, and what weights are fitted on


async def test_lists_of_entities_and_facts(memory: Memory) -> None:
    await moved(memory)
    here = Filter(group_ids=("home",))
    assert {e.name for e in await memory.entities(here)} == {"Ana", "Rome", "Oslo", "Lima"}
    assert {f.sentence for f in await memory.facts(replace(here, valid_at=day(2)))} == {ROME}
    assert len(await memory.facts(here, limit=2)) == 2


async def test_evidence_for_each_episode(memory: Memory) -> None:
    told = await state(memory, "Ana", "lives in", "Rome")
    query = Query(text="Where does Ana live?", group_ids=("home",))
    evidence = await evidence_for(memory._store, memory._embedder, query, now=day(0))
    assert evidence[told.uuid]["words"] == 1.0


async def test_ended_by_its_own_word_is_left_out(memory: Memory) -> None:
    await state(memory, "Ana", "works at", "Acme", 1)
    ending = says("Ana", "works at", "Acme", phase=Phase.ENDS, invalid_at=day(4), sentence="Ana left Acme")
    await tell(memory, "Ana left Acme", 4, ending)
    found = await ask(memory, "Where does Ana work, at Acme?")
    assert (found.facts, found.hidden) == ([], 1)

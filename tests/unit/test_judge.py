"""Which pairs the rules leave open, and what verdicts make of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from everfact.errors import Conflict
from everfact.judge import MOST_PAIRS
from everfact.memory import Memory
from everfact.models import (
    Change,
    Claim,
    Draft,
    Extraction,
    Fact,
    FactKind,
    Filter,
    Judgement,
    Mention,
    Pair,
    Source,
    Statement,
    Trust,
    Usage,
    Verdict,
)
from everfact.testing.builders import HOME
from everfact.testing.fakes import FakeClock, FixedExtractor
from everfact.testing.reference import ReferenceStore

JUNE = datetime(2025, 6, 1, tzinfo=UTC)
ASKED = Usage(calls=1, usd=0.5)


def says(relation: str, thing: str, subject: str = "Ana", **given: object) -> Statement:
    return Statement(
        subject=Mention(name=subject),
        relation=relation,
        object=Mention(name=thing),
        sentence=f"{subject} {relation} {thing}",
        **given,  # type: ignore[arg-type]
    )


class Model(FixedExtractor):
    """Reads the texts it knows, and rules as it is told; keeps the pairs it was asked about."""

    def __init__(self, texts: dict[str, tuple[Statement, ...]], *verdicts: Verdict) -> None:
        super().__init__(
            {text: Extraction(extractor="llm/m", statements=said, usage=ASKED) for text, said in texts.items()}
        )
        self.asked: list[list[Pair]] = []
        self.rulings = verdicts

    async def judge(self, pairs: Sequence[Pair]) -> Judgement:
        self.asked.append(list(pairs))
        ruled = [*self.rulings, *[Verdict.BOTH_STAND] * len(pairs)][: len(pairs)]
        return Judgement(verdicts=tuple(ruled), judge="llm/m", usage=ASKED)


class Store(ReferenceStore):
    """Somebody else is quicker, as often as it is told."""

    lost = 0

    async def finish(
        self, change: Change, claim: Claim, *, lease: timedelta | None = None
    ) -> tuple[Change, Claim | None]:
        if self.lost:
            self.lost -= 1
            raise Conflict("somebody was quicker")
        return await super().finish(change, claim, lease=lease)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with Store(now=FakeClock()) as store:
        yield store


async def tell(store: Store, model: Model, *texts: str) -> Memory:
    memory = Memory(store, dict.fromkeys(Source, model), now=FakeClock())
    for text in texts:
        draft = Draft(content=text, group_id="home", reference_time=JUNE)
        assert (await memory.add(draft, wait=True)).episode.error == ""
    return memory


def told(facts: list[Fact]) -> list[tuple[str, bool, bool]]:
    """Sentence, whether it has ended, whether it is disputed."""
    return sorted((f.sentence, f.invalid_at is not None, f.disputed) for f in facts)


ROME, OSLO = says("LIVES_IN", "Rome"), says("LIVES_IN", "Oslo")


async def test_disputed_pair_is_judged_and_the_overruled_one_goes(store: Store) -> None:
    model = Model({"one": (ROME,), "two": (OSLO,)}, Verdict.REPLACES)
    memory = await tell(store, model, "one", "two")
    ((pair,),) = model.asked
    assert (pair.older.statement.sentence, pair.newer.statement.sentence) == ("Ana LIVES_IN Rome", "Ana LIVES_IN Oslo")
    assert told(await store.facts(HOME)) == [("Ana LIVES_IN Oslo", False, False)]
    two = (await store.changes(HOME, limit=1))[0]
    assert [a.origin for a in two.asserted] == ["llm/m", "llm/m"]
    await memory.undo(two.uuid)
    assert told(await store.facts(HOME)) == [("Ana LIVES_IN Rome", False, False)]


async def test_without_a_verdict_both_stand_disputed(store: Store) -> None:
    model = Model({"one": (ROME,), "two": (OSLO,)}, Verdict.BOTH_STAND)
    await tell(store, model, "one", "two")
    assert told(await store.facts(HOME)) == [("Ana LIVES_IN Oslo", False, True), ("Ana LIVES_IN Rome", False, True)]


async def test_each_pair_has_a_verdict_of_its_own(store: Store) -> None:
    first, second = (ROME, says("WORKS_AT", "Globex")), (OSLO, says("WORKS_AT", "Initech"))
    model = Model({"one": first, "two": second}, Verdict.BOTH_STAND, Verdict.REPLACES)
    await tell(store, model, "one", "two")
    assert sorted(disputed for _, _, disputed in told(await store.facts(HOME))) == [False, True, True]


async def test_same_makes_one_fact_of_two(store: Store) -> None:
    model = Model({"one": (ROME,), "two": (says("LIVES_IN", "The Eternal City"),)}, Verdict.SAME)
    await tell(store, model, "one", "two")
    (fact,) = await store.facts(HOME)
    assert (fact.sentence, len(fact.assertions), fact.disputed) == ("Ana LIVES_IN Rome", 2, False)
    assert {entity.name for entity in await store.entities(HOME)} == {"Ana", "Rome"}


async def test_earlier_of_two_attributes_that_share_a_word_ends_where_the_later_begins(store: Store) -> None:
    before = says("PRIMARY_DATABASE", "Postgres", valid_at=JUNE - timedelta(days=90))
    after = says("USES_DATABASE", "MySQL", valid_at=JUNE)
    other = says("USES_EDITOR", "vim")
    model = Model({"one": (before, other), "two": (after,)}, Verdict.REPLACES)
    await tell(store, model, "one", "two")
    assert len(model.asked[0]) == 1
    ended = next(f for f in await store.facts(HOME) if f.relation == "PRIMARY_DATABASE")
    assert (ended.invalid_at, len(ended.ended_by)) == (JUNE, 1)


async def test_only_open_states_of_one_subject_make_pairs(store: Store) -> None:
    model = Model(
        {
            "one": (
                says("OWNS_HOUSE", "h1"),
                says("OWNS_HOUSE", "h2", subject="Bob"),
                says("SOLD_HOUSE", "h3", kind=FactKind.EVENT),
                says("HAD_HOUSE", "h4", valid_at=JUNE - timedelta(9), invalid_at=JUNE - timedelta(1)),
                says("SAW_HOUSE", "h5", trust=Trust.UNVERIFIED),
            ),
            "two": (says("BOUGHT_HOUSE", "h6"), says("PAINTED_HOUSE", "h7", trust=Trust.UNVERIFIED)),
        }
    )
    await tell(store, model, "one", "two")
    pairs = [(p.older.statement.relation, p.newer.statement.relation) for p in model.asked[0]]
    assert pairs == [("OWNS_HOUSE", "BOUGHT_HOUSE")]


async def test_two_of_one_text_are_ordered_by_their_place(store: Store) -> None:
    first, second = replace(ROME, span=(0, 4)), replace(OSLO, span=(5, 9))
    model = Model({"one": (second, first)}, Verdict.REPLACES)
    await tell(store, model, "one")
    assert len(model.asked[0]) == 1
    assert told(await store.facts(HOME)) == [("Ana LIVES_IN Oslo", False, False)]


async def test_pairs_are_bounded_and_asked_once(store: Store) -> None:
    many = tuple(says(f"OWNS_HOUSE_{n}", f"h{n}") for n in range(30))
    model = Model({"one": many, "two": (says("NEW_HOUSE", "h"),)})
    await tell(store, model, "one", "two")
    assert [len(pairs) for pairs in model.asked] == [MOST_PAIRS]


async def test_judge_is_asked_once_however_often_the_change_is_made_again(store: Store) -> None:
    model = Model({"one": (ROME,), "two": (OSLO,)}, Verdict.REPLACES)
    await tell(store, model, "one")
    store.lost = 2
    await tell(store, model, "two")
    assert len(model.asked) == 1
    assert told(await store.facts(HOME)) == [("Ana LIVES_IN Oslo", False, False)]


async def test_nobody_is_asked_about_events(store: Store) -> None:
    model = Model({"one": (says("VISITED", "Rome", kind=FactKind.EVENT),), "two": ()}, Verdict.REPLACES)
    await tell(store, model, "one", "one", "two")
    assert model.asked == []


async def test_nobody_is_asked_where_rules_have_read(store: Store) -> None:
    model = Model({"one": (ROME,), "two": (OSLO,)}, Verdict.REPLACES)
    model._extractions = {text: replace(e, usage=Usage()) for text, e in model._extractions.items()}
    await tell(store, model, "one", "two")
    assert model.asked == []


async def test_episode_says_who_read_it_and_what_all_calls_took(store: Store) -> None:
    model = Model({"one": (ROME,), "two": (OSLO,)})
    await tell(store, model, "one", "two")
    two, one = sorted(await store.episodes(Filter(group_ids=("home",))), key=lambda e: e.content, reverse=True)
    assert one.attributes["reading"] == {"by": "llm/m", "calls": 1, "usd": 0.5}
    assert two.attributes["reading"] == {"by": "llm/m", "calls": 2, "usd": 1.0}

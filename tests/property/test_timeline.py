"""Laws of the fold."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from everfact.models import Assertion, Fact, FactKind, Granularity, Mention, Phase, Statement, Trust
from everfact.timeline import fold

_START = datetime(2020, 1, 1, tzinfo=UTC)
days = st.none() | st.integers(0, 12).map(lambda n: _START + timedelta(days=n))


@st.composite
def assertions(draw: st.DrawFn) -> list[Assertion]:
    attribute = draw(st.sampled_from(["home", "speaks"]))
    return [
        Assertion(
            uuid=f"a{number}",
            group_id="g",
            subject_uuid="ana",
            object_uuid=thing,
            statement=Statement(
                subject=Mention(name="Ana"),
                relation="R",
                object=Mention(name=thing),
                sentence=thing,
                attribute=attribute,
                kind=draw(st.sampled_from(FactKind)),
                phase=draw(st.sampled_from(Phase)),
                valid_at=draw(days),
                invalid_at=draw(days),
                granularity=draw(st.sampled_from([None, Granularity.DAY])),
                confidence=draw(st.sampled_from([1.0, 0.4])),
            ),
            created_at=_START + timedelta(hours=number),
            origin="test",
            withdrawn=draw(st.booleans()),
        )
        for number, thing in enumerate(draw(st.lists(st.sampled_from(["rome", "oslo", "lima"]), max_size=8)))
    ]


@given(assertions(), st.randoms(use_true_random=False))
def test_order_of_arrival_does_not_matter(said: list[Assertion], rng: random.Random) -> None:
    shuffled = rng.sample(said, len(said))
    assert fold(shuffled) == fold(said)


@given(assertions())
def test_no_fact_ends_before_it_began(said: list[Assertion]) -> None:
    for fact in fold(said):
        assert fact.valid_at is None or fact.invalid_at is None or fact.valid_at <= fact.invalid_at


def _is_open_state(fact: Fact) -> bool:
    return fact.kind is FactKind.STATE and fact.invalid_at is None


@given(assertions())
def test_contradicting_facts_are_both_open_only_if_both_are_disputed(said: list[Assertion]) -> None:
    facts = [fact for fact in fold(said) if _is_open_state(fact) and fact.attribute == "home"]
    if len({fact.object_uuid for fact in facts}) > 1:
        assert all(fact.disputed for fact in facts)


@given(assertions())
def test_every_fact_has_standing_support_and_its_own_name(said: list[Assertion]) -> None:
    facts = fold(said)
    standing = {a.uuid for a in said if not a.withdrawn}
    assert all(fact.assertions and set(fact.assertions) | set(fact.ended_by) <= standing for fact in facts)
    assert len({fact.uuid for fact in facts}) == len(facts)


@given(assertions())
def test_withdrawn_is_the_same_as_never_said(said: list[Assertion]) -> None:
    assert fold(said) == fold([a for a in said if not a.withdrawn])


@given(assertions())
def test_only_endings_and_rivals_end_a_state(said: list[Assertion]) -> None:
    phases = {a.uuid: a.statement for a in said}
    for fact in fold(said):
        for uuid in fact.ended_by:
            ender = phases[uuid]
            assert ender.phase is Phase.ENDS or fact.attribute == "home" or fact.kind is FactKind.PLAN
            assert ender.kind is not FactKind.EVENT


@given(assertions(), st.data())
def test_what_is_not_trusted_neither_ends_nor_changes_what_is(said: list[Assertion], data: st.DataObject) -> None:
    trusts = [data.draw(st.sampled_from(Trust)) for _ in said]
    mixed = [replace(a, statement=replace(a.statement, trust=trust)) for a, trust in zip(said, trusts, strict=True)]
    trusted = [a for a, trust in zip(mixed, trusts, strict=True) if trust is Trust.FULL]
    facts = fold(mixed)
    assert [fact for fact in facts if "trust" not in fact.attributes] == fold(trusted)
    doubtful = {a.uuid for a in mixed} - {a.uuid for a in trusted}
    assert all(set(fact.assertions) | set(fact.ended_by) <= doubtful for fact in facts if "trust" in fact.attributes)


@given(assertions())
def test_a_denial_makes_no_fact(said: list[Assertion]) -> None:
    denied = [a for a in said if a.statement.phase is Phase.ENDS and a.statement.confidence < 0.5]
    assert fold(denied) == []


@given(assertions())
def test_a_glimpse_ends_nothing(said: list[Assertion]) -> None:
    glimpses = {a.uuid for a in said if _is_glimpse(a.statement)}
    for fact in fold(said):
        assert fact.kind is not FactKind.STATE or glimpses.isdisjoint(fact.ended_by)


def _is_glimpse(said: Statement) -> bool:
    is_day = said.valid_at is not None and said.invalid_at == said.valid_at + timedelta(days=1)
    return is_day and said.granularity is Granularity.DAY and said.phase is Phase.HOLDS

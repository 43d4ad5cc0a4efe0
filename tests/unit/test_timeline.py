"""What assertions about one subject and attribute add up to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from everfact.models import (
    Assertion,
    Fact,
    FactKind,
    Granularity,
    Mention,
    Original,
    Phase,
    Statement,
    Trust,
    Value,
    ValueType,
)
from everfact.timeline import fold


def year(number: int | None) -> datetime | None:
    return None if number is None else datetime(number, 1, 1, tzinfo=UTC)


def said(
    thing: str | Value | None,
    at: int | None = None,
    until: int | None = None,
    *,
    told: int = 1,
    phase: Phase = Phase.HOLDS,
    kind: FactKind = FactKind.STATE,
    attribute: str = "home",
) -> Assertion:
    """`told` orders the tellings; an ending has its time in `until`."""
    target = Mention(name=thing) if isinstance(thing, str) else thing
    return Assertion(
        uuid=f"a{told:03}{thing}{at}{until}{phase}",
        group_id="g",
        subject_uuid="ana",
        object_uuid=thing if isinstance(thing, str) else None,
        statement=Statement(
            subject=Mention(name="Ana"),
            relation="LIVES_IN",
            object=target,
            sentence=f"Ana lives in {thing}",
            attribute=attribute,
            kind=kind,
            phase=phase,
            valid_at=year(at),
            invalid_at=year(until),
        ),
        created_at=datetime(2100, 1, told, tzinfo=UTC),
        origin="test",
        episode_uuid=f"e{told}",
    )


def glimpse(thing: str, at: int, **given: object) -> Assertion:
    """ "In 2019 Ana lived in Rome": it held then, and nothing says that it ended with the year."""
    seen = said(thing, at, at + 1, **given)  # type: ignore[arg-type]
    return replace(seen, statement=replace(seen.statement, granularity=Granularity.YEAR))


def taken(uuid: str, thing: str, at: int | None = None, until: int | None = None, *, told: int = 1) -> Assertion:
    """A fact of another program's, of that id."""
    assertion = said(thing, at, until, told=told, attribute="visited")
    original = Original(uuid=uuid, learned_at=datetime(2099, 1, 1, tzinfo=UTC), attributes={"mood": "good"})
    statement = replace(assertion.statement, sentence=f"{uuid} says {thing}", original=original)
    return replace(assertion, uuid=f"{assertion.uuid}{uuid}", statement=statement)


def denies(thing: str, until: int) -> Assertion:
    """ "Ana doesn't live in Rome"."""
    denied = ends(thing, until, told=9)
    return replace(denied, statement=replace(denied.statement, confidence=0.4))


def ends(thing: str | None, until: int | None, **given: object) -> Assertion:
    return said(thing, None, until, phase=Phase.ENDS, **given)  # type: ignore[arg-type]


def shape(facts: list[Fact]) -> list[tuple[object, ...]]:
    """Object, years of begin and end, and whether disputed."""
    return [
        (
            fact.object_uuid or (fact.value.text if fact.value else None),
            fact.valid_at.year if fact.valid_at else None,
            fact.invalid_at.year if fact.invalid_at else None,
            *(["disputed"] if fact.disputed else []),
        )
        for fact in facts
    ]


A_PRICE = {n: Value(type=ValueType.MONEY, text=f"${n}", number=float(n), unit="USD") for n in (5, 7)}


@pytest.mark.parametrize(
    ("assertions", "expected"),
    [
        ([], []),
        ([said("rome", 2020)], [("rome", 2020, None)]),
        ([said("rome", 2020), said("rome", 2022, told=2)], [("rome", 2020, None)]),
        ([said("rome", 2020), said("oslo", 2022, told=2)], [("rome", 2020, 2022), ("oslo", 2022, None)]),
        ([said("oslo", 2022), said("rome", 2020, told=2)], [("rome", 2020, 2022), ("oslo", 2022, None)]),
        ([said("rome", 2020), ends("rome", 2021, told=2)], [("rome", 2020, 2021)]),
        ([ends("rome", 2021)], [("rome", None, 2021)]),
        ([ends(None, 2021), said("rome", 2020)], [("rome", 2020, 2021)]),
        ([ends("rome", None), said("rome", 2020)], [("rome", 2020, None)]),
        ([said("rome", 2020), ends("oslo", 2021, told=2)], [("oslo", None, 2021), ("rome", 2020, None)]),
        ([said("rome", 2020), ends("rome", 2021), ends("rome", 2022, told=2)], [("rome", 2020, 2021)]),
        ([said("rome", 2018, 2020), said("rome", 2022)], [("rome", 2018, 2020), ("rome", 2022, None)]),
        ([said("rome", 2018, 2020), said("rome", 2019, 2021)], [("rome", 2018, 2021)]),
        (
            [said("rome", 2018), said("oslo", 2019), said("rome", 2020)],
            [("rome", 2018, 2019), ("oslo", 2019, 2020), ("rome", 2020, None)],
        ),
        ([said("rome", 2018, 2020), said("oslo", 2020)], [("rome", 2018, 2020), ("oslo", 2020, None)]),
        ([said("rome", 2020), ends("rome", 2022), said("oslo", 2022)], [("rome", 2020, 2022), ("oslo", 2022, None)]),
        (
            [said("rome", 2020), said("oslo", 2020)],
            [("oslo", 2020, None, "disputed"), ("rome", 2020, None, "disputed")],
        ),
        ([said("rome"), said("oslo", 2020)], [("rome", None, None, "disputed"), ("oslo", 2020, None, "disputed")]),
        (
            [said("rome", 2018, 2022), said("oslo", 2020)],
            [("rome", 2018, 2022, "disputed"), ("oslo", 2020, None, "disputed")],
        ),
        ([said("rome", 2020, 2010)], [("rome", 2020, None)]),
        ([glimpse("rome", 2019)], [("rome", 2019, 2020)]),
        ([said("rome", 2018), glimpse("rome", 2020)], [("rome", 2018, None)]),
        ([glimpse("rome", 2018), said("rome", 2018, told=2)], [("rome", 2018, None)]),
        ([glimpse("rome", 2018), glimpse("rome", 2019)], [("rome", 2018, 2020)]),
        ([glimpse("rome", 2018), said("rome", 2018, 2021)], [("rome", 2018, 2021)]),
        ([glimpse("rome", 2018), said("oslo", 2022)], [("rome", 2018, 2019), ("oslo", 2022, None)]),
        (
            [said("rome", 2018), glimpse("oslo", 2020)],
            [("rome", 2018, None, "disputed"), ("oslo", 2020, 2021, "disputed")],
        ),
        ([said("rome", 2020), denies("rome", 2021)], [("rome", 2020, 2021)]),
        ([said("rome", 2020), denies("oslo", 2021)], [("rome", 2020, None)]),
        ([denies("oslo", 2021)], []),
    ],
)
def test_one_at_a_time_attribute_moves_on(assertions: list[Assertion], expected: list[object]) -> None:
    assert sorted(shape(fold(assertions)), key=str) == sorted(expected, key=str)


def test_other_attributes_hold_side_by_side() -> None:
    speaks = [said("french", 2020, attribute="speaks"), said("polish", 2021, attribute="speaks", told=2)]
    assert shape(fold(speaks)) == [("french", 2020, None), ("polish", 2021, None)]


def test_values_are_compared_by_number_and_unit() -> None:
    prices = [said(A_PRICE[n], y, attribute="price", told=n) for n, y in ((5, 2020), (7, 2021))]
    again = said(replace(A_PRICE[7], text="7 dollars"), 2022, attribute="price", told=9)
    assert shape(fold([*prices, again])) == [("$5", 2020, 2021), ("$7", 2021, None)]
    word = Value(type=ValueType.STATUS, text="In  Review")
    assert len(fold([said(word, 2020, attribute="status"), said(replace(word, text="in review"), 2021)])) == 1


def test_events_end_nothing_and_are_one_when_told_twice_of_one_day() -> None:
    trips = [said("rome", 2020, kind=FactKind.EVENT), said("rome", 2020, kind=FactKind.EVENT, told=2)]
    others = [said("rome", 2021, 2022, kind=FactKind.EVENT, told=3), ends("rome", 2023, kind=FactKind.EVENT, told=4)]
    home = said("oslo", 2019)
    facts = fold([*trips, *others, home])
    assert shape(facts) == [("oslo", 2019, None), ("rome", 2020, None), ("rome", 2021, 2022)]
    assert [fact.expired_at for fact in facts] == [None, None, None]
    assert facts[1].episodes == ("e1", "e2")


def test_plan_stands_until_called_off_or_carried_out() -> None:
    plan = said("rome", 2025, kind=FactKind.PLAN)
    home = said("oslo", 2019)
    assert shape(fold([plan, home])) == [("oslo", 2019, None), ("rome", 2025, None)]
    assert shape(fold([plan, ends("rome", 2026, kind=FactKind.PLAN, told=2)])) == [("rome", 2025, 2026)]
    moved = fold([plan, home, said("rome", 2026, told=3)])
    assert shape(moved) == [("oslo", 2019, 2026), ("rome", 2025, 2026), ("rome", 2026, None)]
    undated = fold([said("rome", kind=FactKind.PLAN), said("rome", 2026, told=3)])
    assert shape(undated) == [("rome", None, 2026), ("rome", 2026, None)]


def test_withdrawn_assertions_and_bare_mentions_count_for_nothing() -> None:
    mention = replace(said("rome", 2020), statement=replace(said("rome", 2020).statement, relation=""))
    assert fold([replace(said("rome", 2020), withdrawn=True), mention]) == []


def test_fact_names_its_sources_and_the_time_it_was_learnt() -> None:
    first, again, newer = said("rome", 2020, told=2), said("rome", 2019, told=3), said("oslo", 2022, told=5)
    rome, oslo = fold([newer, again, first])
    assert rome.valid_at == year(2019)
    assert (rome.assertions, rome.episodes) == ((first.uuid, again.uuid), ("e2", "e3"))
    assert (rome.created_at, rome.expired_at) == (first.created_at, newer.created_at)
    assert rome.ended_by == (newer.uuid,)
    assert (oslo.created_at, oslo.expired_at, oslo.ended_by) == (newer.created_at, None, ())
    (told_ended,) = fold([said("rome", 2018, 2020, told=4)])
    assert told_ended.expired_at == told_ended.created_at


def test_later_tellings_do_not_change_what_a_fact_is_called() -> None:
    first = said("rome", 2020, told=2)
    (alone,) = fold([first])
    assert alone.uuid in {fact.uuid for fact in fold([first, said("rome", 2018, told=3), said("oslo", 2022, told=4)])}
    assert alone.uuid != fold([said("rome", 2020, told=7)])[0].uuid


def test_a_source_that_is_not_trusted_ends_nothing_and_is_marked() -> None:
    home, rumour = said("rome", 2020, told=2), said("oslo", 2022, told=3)
    rumour = replace(rumour, statement=replace(rumour.statement, trust=Trust.UNVERIFIED))
    facts = fold([home, rumour])
    assert shape(facts) == [("rome", 2020, None), ("oslo", 2022, None)]
    assert [(fact.disputed, dict(fact.attributes)) for fact in facts] == [(False, {}), (False, {"trust": "unverified"})]


def test_facts_that_another_program_tells_apart_stay_apart() -> None:
    facts = fold([taken("k1", "Rome", 2001), taken("k2", "Rome", 2001), taken("k3", "Rome", 2003)])
    assert [(fact.uuid, fact.sentence) for fact in facts] == [(k, f"{k} says Rome") for k in ("k1", "k2", "k3")]
    assert {fact.created_at.year for fact in facts} == {2099}
    assert all(fact.attributes == {"mood": "good"} for fact in facts)


def test_what_is_told_anew_supports_the_first_of_them_and_names_none() -> None:
    told = said("Rome", 2002, told=9, attribute="visited")
    for early in (told, replace(told, statement=replace(told.statement, valid_at=year(2000)), created_at=year(2050))):
        facts = {fact.uuid: fact for fact in fold([taken("k1", "Rome", 2001), taken("k2", "Rome", 2003), early])}
        assert facts.keys() == {"k1", "k2"}
        assert len(facts["k1"].assertions) == 2
        assert facts["k1"].sentence == "k1 says Rome"


def test_taken_over_fact_is_known_to_have_ended_since_the_other_program_knew() -> None:
    ended = taken("k1", "Rome", 2001, 2005)
    assert ended.statement.original is not None
    known = replace(ended.statement.original, expired_at=year(2006))
    (fact,) = fold([replace(ended, statement=replace(ended.statement, original=known))])
    assert (fact.invalid_at, fact.expired_at) == (year(2005), year(2006))
    (gone,) = fold([taken("k1", "Rome", 2001), ends("Rome", 2004, told=5)])
    assert (gone.uuid, gone.invalid_at, gone.expired_at) == ("k1", year(2004), datetime(2100, 1, 5, tzinfo=UTC))

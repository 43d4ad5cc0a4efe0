"""What speaks for an item, and how it is weighed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from everfact.fuse import EPISODE_WEIGHTS, Found, certainty, rank, rank_episodes, reasons, weigh_episodes
from everfact.models import Episode, Thing
from everfact.question import read_question
from everfact.testing.builders import episode

ASKED_AT = datetime(2026, 6, 1, tzinfo=UTC)


def turn(content: str, **given: Any) -> Episode:
    return replace(episode(content), **given)


def weighed(question: str, *found: Found | Episode, speakers: tuple[str, ...] = ()) -> tuple[dict[str, float], ...]:
    items = [one if isinstance(one, Found) else Found(episode=one) for one in found]
    amounts = weigh_episodes(read_question(question, ASKED_AT, speakers), items)
    return tuple(amounts[one.episode.uuid] for one in items)


def test_sum_of_weights_decides_and_says_why() -> None:
    first, second = rank({"a": {"words": 1.0, "meaning": 0.0}, "b": {"words": 0.5, "meaning": 1.0}}, EPISODE_WEIGHTS)
    assert (first.uuid, second.uuid) == ("b", "a")
    why = dict(reasons(first, EPISODE_WEIGHTS))
    assert why == {"words": EPISODE_WEIGHTS["words"] / 2, "meaning": EPISODE_WEIGHTS["meaning"]}
    assert list(why) == ["meaning", "words"]
    assert first.score == pytest.approx(sum(why.values()))
    assert set(dict(reasons(second, EPISODE_WEIGHTS))) == {"words"}


def test_equals_stand_in_one_order_however_they_come() -> None:
    evidence = {uuid: {"words": 0.5} for uuid in "cab"}
    assert [one.uuid for one in rank(evidence, EPISODE_WEIGHTS)] == ["a", "b", "c"]


def test_nothing_ranks_nothing() -> None:
    assert rank_episodes(read_question("what?", ASKED_AT), []) == []


def test_every_kind_of_evidence_has_a_weight() -> None:
    (amounts,) = weighed("what?", turn("hello"))
    assert amounts.keys() == EPISODE_WEIGHTS.keys()


def test_words_of_the_turns_beside_speak_for_a_turn_of_people() -> None:
    turns = [Found(episode=turn("so", thread="t", position=n), words=n / 10, meaning=n / 10) for n in range(1, 4)]
    first, middle, last = weighed("so?", *turns)
    assert (last["before"], last["before that"], last["after"]) == (0.2, 0.1, 0.0)
    assert (first["before"], first["after"], first["meaning after"]) == (0.0, 0.2, 0.2)
    assert (middle["before"], middle["after"]) == (0.1, pytest.approx(0.3))


def test_turns_before_do_not_speak_for_a_role() -> None:
    turns = [Found(episode=turn("so", thread="t", position=n, role="user"), words=0.5) for n in (1, 2)]
    assert weighed("so?", *turns)[1]["before"] == 0.0


def test_same_thread_name_in_another_group_is_another_thread() -> None:
    here = Found(episode=turn("so", thread="t", position=1), words=0.2)
    there = Found(episode=turn("so", thread="t", position=2, group_id="work"), words=0.8)
    first, second = weighed("so?", here, there)
    assert (first["after"], second["before"]) == (0.0, 0.0)
    assert (first["thread"], second["thread"]) == (0.2, 0.8)


def test_episodes_without_a_thread_have_no_neighbours() -> None:
    one, other = (Found(episode=turn("so", position=n), words=0.5) for n in (1, 2))
    assert weighed("so?", one, other)[0]["after"] == 0.0


def test_best_of_a_thread_speaks_for_all_of_it_if_there_are_several() -> None:
    turns = [Found(episode=turn("so", thread=t, position=p), words=w) for t, p, w in (("a", 0, 0.9), ("a", 9, 0.1))]
    assert [amounts["thread"] for amounts in weighed("so?", *turns)] == [0.0, 0.0]
    turns.append(Found(episode=turn("so", thread="b"), words=0.3))
    assert [amounts["thread"] for amounts in weighed("so?", *turns)] == [0.9, 0.9, 0.3]


def test_rare_pair_of_the_question_counts_more_than_a_common_one() -> None:
    rare, common, *_ = weighed("red car, blue bus", turn("Red CAR"), *(turn("blue bus") for _ in range(5)))
    assert rare["pairs"] > common["pairs"] >= 0


def test_speaker_asked_about_where_several_speak() -> None:
    ana, bob = turn("so", speaker="ANA"), turn("so", speaker="Bob")
    assert [a["speaker"] for a in weighed("What did Ana say?", ana, bob, speakers=("Ana",))] == [1.0, 0.0]
    assert [a["speaker"] for a in weighed("What did Ana say?", ana, speakers=("Ana",))] == [0.0]


@pytest.mark.parametrize(
    ("question", "role", "counts"),
    [
        ("What did you recommend?", "assistant", 1.0),
        ("What did you recommend?", "user", 0.0),
        ("Which car do I have?", "user", 1.0),
        ("Which car do I have?", "", 1.0),
        ("Which car do I have?", "referee", 0.0),
    ],
)
def test_role_whose_words_are_wanted(question: str, role: str, counts: float) -> None:
    assert weighed(question, turn("so", role=role))[0]["speaker"] == counts


def test_telling_at_the_time_asked_about_fits() -> None:
    then, later = (turn("so", reference_time=datetime(2024, month, 2, tzinfo=UTC)) for month in (5, 7))
    assert [a["date"] for a in weighed("What was in May 2024?", then, later)] == [1.0, 0.0]
    assert [a["date"] for a in weighed("What was in 2019?", turn("It was 2019."), later)] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("question", "text", "counts"),
    [
        ("When did it rain?", "It rained last week", 1.0),
        ("When did it rain?", "It rained", 0.0),
        ("How many cats?", "twice", 1.0),
        ("How many cats?", "many", 0.0),
        ("Who has cats?", "3 on Monday", 0.0),
    ],
)
def test_text_with_the_kind_of_answer_expected(question: str, text: str, counts: float) -> None:
    assert weighed(question, turn(text))[0]["cue"] == counts


def test_question_answers_less_and_doubt_counts_against() -> None:
    plain, asking = weighed("cats?", turn("I have cats"), turn("Do you have cats? "))
    assert (plain["question"], asking["question"]) == (0.0, 1.0)
    (doubtful,) = weighed("cats?", turn("I have cats", attributes={"trust": "unverified"}))
    assert (plain["doubt"], doubtful["doubt"]) == (0.0, 1.0)
    assert EPISODE_WEIGHTS["question"] < 0 > EPISODE_WEIGHTS["doubt"]


def test_longer_turns_of_people_say_more_up_to_a_point() -> None:
    lengths = [weighed("so?", turn("so " * n))[0]["length"] for n in (1, 20, 60, 600)]
    assert lengths[0] < lengths[1] < lengths[2] == lengths[3]
    assert weighed("so?", turn("so so", role="user"))[0]["length"] == 0.0


def test_certainty_grows_with_the_score_and_stays_between_nought_and_one() -> None:
    for thing in Thing:
        grown = [certainty(thing, score) for score in (-1e9, 0.0, 10.0, 20.0, 1e9)]
        assert grown == sorted(grown)
        assert 0 <= grown[0] < 0.01
        assert 0.99 < grown[-1] <= 1

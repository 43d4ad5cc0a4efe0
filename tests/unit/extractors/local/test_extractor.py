"""The extractor as a whole: spans, speakers, dates, long and foreign text."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from everfact.dates import When, find_dates
from everfact.extractors.local import LocalExtractor, extract_text
from everfact.models import (
    Assertion,
    CommandKind,
    Entity,
    Episode,
    FactKind,
    Mention,
    Pair,
    Phase,
    Source,
    Statement,
    Value,
    Verdict,
)

REFERENCE = datetime(2024, 6, 15, 12, tzinfo=UTC)


def one(text: str, speaker: str = "Sam") -> Statement:
    found = extract_text(text, reference=REFERENCE, speaker=speaker).statements
    (said,) = [each for each in found if each.confidence >= 0.5]
    return said


def test_the_evidence_is_the_sentence_at_its_place() -> None:
    text = "Hello there! I work at Google. Bye."
    said = one(text)
    assert said.span == (13, 30)
    assert text[slice(*said.span)] == said.sentence == "I work at Google."


DATES = [
    ("I work at Google.", "2024-06-15", None, Phase.HOLDS, FactKind.STATE),
    ("I have worked at Google since 2020.", "2020-01-01", None, Phase.HOLDS, FactKind.STATE),
    ("I joined Google in March 2023.", "2023-03-01", None, Phase.BEGINS, FactKind.STATE),
    ("I left Google in March 2023.", None, "2023-03-01", Phase.ENDS, FactKind.STATE),
    ("I left Google.", None, "2024-06-15", Phase.ENDS, FactKind.STATE),
    ("I worked at Google until 2019.", None, "2020-01-01", Phase.ENDS, FactKind.STATE),
    ("I worked at Google from 2015 to 2019.", "2015-01-01", "2020-01-01", Phase.HOLDS, FactKind.STATE),
    ("I worked at Google in 2015.", "2015-01-01", "2016-01-01", Phase.HOLDS, FactKind.STATE),
    ("I worked at Google.", "2024-06-15", None, Phase.HOLDS, FactKind.EVENT),
    ("I visited Google in 2015.", "2015-01-01", None, Phase.HOLDS, FactKind.EVENT),
    ("I will join Google in July.", "2024-07-01", None, Phase.HOLDS, FactKind.PLAN),
    ("The deadline is 3 May 2025.", "2024-06-15", None, Phase.HOLDS, FactKind.STATE),
    ("Minutes of 9 September 2023: the deadline is Friday.", "2023-09-09", None, Phase.HOLDS, FactKind.STATE),
]


@pytest.mark.parametrize(("text", "valid", "invalid", "phase", "kind"), DATES)
def test_dates_come_from_the_clause_or_from_the_telling(
    text: str, valid: str | None, invalid: str | None, phase: Phase, kind: FactKind
) -> None:
    said = one(text)
    assert (said.phase, said.kind) == (phase, kind)
    assert [moment and moment.date().isoformat() for moment in (said.valid_at, said.invalid_at)] == [valid, invalid]


def test_i_is_the_speaker_and_you_the_listener(said: Callable[..., list[str]]) -> None:
    assert said("You work at Google.", others=("Ana",)) == ["Ana | WORKS_AT | Google"]
    assert said("You work at Google.", others=("Ana", "Bob")) == []
    assert said("You work at Google.") == []
    assert said("Your sister Lea lives in Rome.", others=("Ana",)) == ["Ana | SISTER | Lea", "Lea | LIVES_IN | Rome"]


async def test_listeners_come_with_the_episode() -> None:
    told = Episode(
        uuid="e",
        group_id="g",
        name="n",
        content="You work at Google.",
        source=Source.MESSAGE,
        speaker="Sam",
        reference_time=REFERENCE,
        created_at=REFERENCE,
    )
    for listeners, expected in (((), []), (("Ana",), ["Ana"]), (("Ana", "Bob"), [])):
        found = await LocalExtractor().extract(told, [], listeners)
        assert [each.subject.name for each in found.statements] == expected


def test_the_speakers_own_thing_is_known_without_my() -> None:
    mine = Entity(uuid="t", group_id="g", name="Sam's thesis", created_at=REFERENCE)
    for text in ("The thesis is due on 5 May.", "Thesis is due on 5 May.", "Our thesis is due on 5 May."):
        found = extract_text(text, reference=REFERENCE, speaker="Sam", known=[mine])
        assert [each.subject.name for each in found.statements] == ["Sam's thesis"]
    other = extract_text("The thesis is due on 5 May.", reference=REFERENCE, speaker="Bob", known=[mine])
    assert [each.subject.name for each in other.statements] == ["thesis"]


def test_without_a_speaker_the_writer_has_no_name(said: Callable[..., list[str]]) -> None:
    assert said("We use Redis. I live in Rome.", speaker="") == ["we | USES | Redis", "user | LIVES_IN | Rome"]


def test_a_transcript_names_its_speakers() -> None:
    text = "Ana: I work at Google.\nBob: I work at Meta."
    found = extract_text(text, reference=REFERENCE, others=("Ana", "Bob"), source=Source.MESSAGE)
    assert [s.subject.name for s in found.statements] == ["Ana", "Bob"]


PRONOUNS = [
    ("Ana left Stripe. She joined Meta.", "Ana | WORKS_AT | Meta | begins"),
    ("Ana met Bob. He joined Meta.", None),
    ("Ana joined Stripe. Her manager is Tom.", "Ana | MANAGER | Tom"),
    ("The archive uses Redis. It runs Python 3.12.", "archive | VERSION | Python 3.12"),
    ("He joined Meta.", None),
    ("They joined Meta.", None),
    ("The Varde bridge is closed. Its owner is Tom.", "Varde bridge | OWNER | Tom"),
    ("When Ana left Stripe, she joined Meta.", "Ana | WORKS_AT | Meta | begins"),
    ("Ana is a nurse. Bob is a cook. She joined Meta.", "Bob | WORKS_AT | Meta | begins"),
]


@pytest.mark.parametrize(("text", "expected"), PRONOUNS)
def test_pronouns_stand_for_the_one_name_that_fits(
    text: str, expected: str | None, said: Callable[..., list[str]]
) -> None:
    lines = said(text)
    assert expected in lines if expected else not any("Meta" in line for line in lines)


def test_a_kind_stands_for_the_thing_that_is_one(said: Callable[..., list[str]]) -> None:
    assert said("Nord is a service. The service uses Redis.")[-1] == "Nord | USES | Redis"
    two = "Nord is a service. Syd is a service. The service uses Redis."
    assert said(two)[-1] == "service | USES | Redis"


def test_what_is_also_so_ends_nothing() -> None:
    assert one("Ana also works at Acme.").attribute == "also employer"
    assert one("There are too many people: Ana works at Acme.").attribute == "employer"
    assert one("Ana works at Acme.").attribute == "employer"


def test_definite_attributes_are_one_at_a_time() -> None:
    assert (one("My rent is $900.").attribute, one("Ana prefers tea over coffee.").attribute) == (
        "=rent",
        "=preference coffee/tea",
    )


def test_prose_links_names_weakly_and_talk_does_not() -> None:
    text = "Nord Group is older than Ana Berg."
    prose = extract_text(text, reference=REFERENCE).statements
    talk = extract_text(text, reference=REFERENCE, speaker="Sam").statements
    assert ("RELATED_TO" in {s.relation for s in prose}, "RELATED_TO" in {s.relation for s in talk}) == (True, False)


MENTIONS = [
    ("Anna lebt in Köln und arbeitet bei Siemens.", {"Anna", "Köln", "Siemens"}),
    ("Мария живёт в Москве.", {"Мария", "Москве"}),
    ("我住在北京。", set()),
    ("Is Ana in Rome?", {"Ana", "Rome"}),
]


@pytest.mark.parametrize(("text", "expected"), MENTIONS)
def test_names_are_found_in_any_language_and_in_questions(text: str, expected: set[str]) -> None:
    assert {m.name for m in extract_text(text, reference=REFERENCE).mentions} == expected


def test_a_mention_learns_its_type_from_what_is_said() -> None:
    mentions = {m.name: m.type for m in extract_text("I work at Brightwell.", reference=REFERENCE).mentions}
    assert mentions == {"Brightwell": "Organization", "user": "Person"}


def test_commands_come_along_and_state_nothing_but_updates() -> None:
    found = extract_text("Forget my address. Update: my age is 35.", reference=REFERENCE, speaker="Sam")
    assert [command.kind for command in found.commands] == [CommandKind.FORGET, CommandKind.UPDATE]
    assert [(s.relation, isinstance(s.object, Value)) for s in found.statements] == [("AGE", True)]


def test_a_sentence_without_end_gives_names_only() -> None:
    found = extract_text("Ana works at Google and " * 100, reference=REFERENCE)
    assert found.statements == ()
    assert {m.name for m in found.mentions} == {"Ana", "Google"}


def test_a_sentence_that_cannot_be_read_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def trip(text: str, reference: datetime) -> list[When]:
        if "Meta" in text:
            raise OverflowError
        return find_dates(text, reference)

    monkeypatch.setattr("everfact.extractors.local.extractor.dates_in", trip)
    found = extract_text("I work at Meta. I live in Rome.", reference=REFERENCE, speaker="Sam")
    assert ([s.relation for s in found.statements], found.degraded) == (["LIVES_IN"], True)


@pytest.mark.slow
def test_a_megabyte_takes_seconds() -> None:
    text = "The gateway uses Redis and Ana Berg joined Stripe in March. a/b/c.d " * 15_000
    start = time.perf_counter()
    found = extract_text(text + "x" * 100_000 + "(" * 10_000 + '"' * 10_000, reference=REFERENCE)
    assert time.perf_counter() - start < 60
    assert found.statements


async def test_the_extractor_reads_an_episode_and_never_judges() -> None:
    episode = Episode(
        uuid="e",
        group_id="g",
        name="n",
        content="I work at Google.",
        reference_time=REFERENCE,
        created_at=REFERENCE,
        source=Source.MESSAGE,
        speaker="Sam",
    )
    extractor = LocalExtractor()
    found = await extractor.extract(episode, [])
    assert (found.extractor, [s.subject for s in found.statements]) == (
        "local/1",
        [Mention(name="Sam", type="Person")],
    )
    told = Assertion(
        uuid="a",
        group_id="g",
        subject_uuid="s",
        object_uuid=None,
        statement=found.statements[0],
        created_at=REFERENCE,
        origin="local/1",
    )
    assert (await extractor.judge([Pair(older=told, newer=told)])).verdicts == (Verdict.BOTH_STAND,)


def test_a_label_has_one_value_at_a_time() -> None:
    older = one("Remember that the test command for the Delta project is make.")
    newer = one("Update this: the test command for the Delta project is now uv run pytest.")
    assert (
        (older.subject, older.attribute)
        == (newer.subject, newer.attribute)
        == (
            Mention(name="test command for Delta project"),
            "=value",
        )
    )

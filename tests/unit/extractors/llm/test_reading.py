"""From a text and a model's answer to statements: what is asked, and what of the answer is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from everfact.extractors.llm.answers import read_found
from everfact.extractors.llm.grounding import Ground, locate, statements
from everfact.extractors.llm.pieces import pieces
from everfact.extractors.llm.prompts import ENTITY_TYPES, Scene, extraction, judgement
from everfact.models import Episode, FactKind, Mention, Pair, Phase, Source, Statement, Value, ValueType
from everfact.testing.builders import assertion, entity, episode

TEXT = (
    "Kickoff notes. Dr. Ana Costa leads the Atlas project since March; she used to be at Globex.\n"
    "We switched from Postgres to MySQL.   The budget is $40,000, and the launch is planned for June 2026.\n"
    "Bob doesn't work here any more. Maybe we hire Carl."
)
# As a model of middling size answers: mostly right, with the usual slips.
ANSWER = {
    "entities": [
        {"name": "Ana Costa", "type": "person"},
        {"name": "Atlas", "type": "Project"},
        {"name": "Globex", "type": "Company"},
        {"name": "Postgres", "type": "Technology"},
        {"name": "MySQL", "type": "Technology"},
        {"name": "Bob", "type": "Person"},
        {"name": "Jane Doe", "type": "Person"},
    ],
    "facts": [
        {
            "subject": "Ana Costa",
            "relation": "leads",
            "object": "Atlas",
            "sentence": "Ana Costa leads Atlas.",
            "quote": "Ana Costa leads the Atlas project",
            "kind": "state",
            "phase": "begins",
            "begins": "2026-03",
            "when": "since March",
        },
        {
            "subject": "Ana Costa",
            "relation": "WORKS_AT",
            "object": "Globex",
            "sentence": "Ana Costa left Globex.",
            "quote": "she used to be at Globex",
            "kind": "state",
            "phase": "ends",
            "ended": "2026-11-18",
            "when": "",
        },
        {
            "subject": "Atlas",
            "relation": "USES",
            "object": "MySQL",
            "sentence": "Atlas uses MySQL.",
            "quote": "switched from postgres to mysql",
            "replaces": "Postgres",
        },
        {
            "subject": "Atlas",
            "relation": "BUDGET",
            "object": "$40,000",
            "sentence": "Atlas has $40,000.",
            "quote": "The budget is $40,000",
            "replaces": "$30,000",
        },
        {
            "subject": "Atlas",
            "relation": "LAUNCH",
            "object": "",
            "sentence": "Atlas launches in June 2026.",
            "quote": "the launch is planned for June 2026",
            "kind": "plan",
            "begins": "2026-06",
            "when": "June 2026",
        },
        {
            "subject": "Bob",
            "relation": "WORKS_AT",
            "object": "Atlas",
            "quote": "Bob doesn\u2019t work here",
            "phase": "denied",
        },
        {"subject": "Jane Doe", "relation": "LIKES", "object": "MySQL", "quote": "Jane likes MySQL"},
        {"subject": "Ana Costa", "relation": "MARRIED_TO", "object": "Zaphod", "quote": ""},
        {"subject": "Bob", "relation": "???", "object": "Atlas"},
        {"subject": "Ana Costa", "relation": "ROLE", "object": "Dr", "kind": "who knows"},
        {"subject": "Ana Costa", "relation": "LIKES", "object": "notes"},
    ],
}


def told(text: str = TEXT, **given: object) -> Episode:
    return replace(episode(text), reference_time=datetime(2026, 5, 1, tzinfo=UTC), **given)  # type: ignore[arg-type]


def kept(excluded: frozenset[str] = frozenset()) -> list[Statement]:
    found = read_found(json.dumps(ANSWER))
    return statements(found, Ground(Scene(episode=told(), types=ENTITY_TYPES)), (0, len(TEXT)), excluded)[0]


def test_what_the_text_bears_out_becomes_statements() -> None:
    by_relation = {(s.subject.name, s.relation): s for s in kept()}
    assert set(by_relation) == {
        ("Ana Costa", "leads"),
        ("Ana Costa", "WORKS_AT"),
        ("Atlas", "USES"),
        ("Atlas", "BUDGET"),
        ("Atlas", "LAUNCH"),
        ("Bob", "WORKS_AT"),
        ("Ana Costa", "ROLE"),
        ("Ana Costa", "LIKES"),
    }
    leads = by_relation["Ana Costa", "leads"]
    assert leads.object == Mention(name="Atlas", type="Project")
    assert leads.subject == Mention(name="Ana Costa", type="Person")
    assert (leads.phase, leads.valid_at) == (Phase.BEGINS, datetime(2026, 3, 1, tzinfo=UTC))
    over = by_relation["Ana Costa", "WORKS_AT"]
    assert (over.phase, over.valid_at, over.invalid_at) == (Phase.ENDS, None, None)  # the date is nowhere in the text
    assert over.object == Mention(name="Globex")  # "Company" is none of the types
    assert by_relation["Atlas", "USES"].replaces == "Postgres"
    budget = by_relation["Atlas", "BUDGET"]
    assert isinstance(budget.object, Value)
    assert (budget.object.type, budget.object.number, budget.replaces) == (ValueType.MONEY, 40_000, "")
    launch = by_relation["Atlas", "LAUNCH"]
    assert (launch.kind, launch.object, launch.valid_at) == (FactKind.PLAN, None, datetime(2026, 6, 1, tzinfo=UTC))
    denied = by_relation["Bob", "WORKS_AT"]
    assert (denied.phase, denied.confidence < 0.5) == (Phase.ENDS, True)
    assert by_relation["Ana Costa", "ROLE"].object == Value(type=ValueType.TEXT, text="Dr")
    assert by_relation["Ana Costa", "LIKES"].object == Mention(name="notes")


def test_every_statement_knows_its_words() -> None:
    words = {s.relation: TEXT[slice(*s.span)] for s in kept() if s.span}
    assert words["leads"] == "Ana Costa leads the Atlas project"
    assert words["USES"] == "switched from Postgres to MySQL"
    assert words["BUDGET"] == "The budget is $40,000"
    assert words["WORKS_AT"] in ("she used to be at Globex", "Bob doesn't work here")


def test_excluded_types_are_left_out_with_what_is_said_of_them() -> None:
    left = kept(frozenset({"Technology"}))
    assert "USES" not in {s.relation for s in left}
    assert "leads" in {s.relation for s in left}


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        ("ANA  leads", "First Ana\nleads it.", "Ana\nleads"),
        ("“Ana” leads!", "Ana leads it", "Ana leads"),
        ("café 🚀 naïve", "Ein Café — naïve", "Café — naïve"),
        ("5 %", "It is 5 % now", "5 %"),
        ("nowhere", "It is here", None),
        ("...", "It is here...", None),
    ],
)
def test_quotes_are_found_in_code_points(quote: str, text: str, words: str | None) -> None:
    span = locate(quote, text, (0, len(text)))
    assert (text[slice(*span)] if span else None) == words


def test_prompt_tells_the_time_of_the_text_and_who_speaks() -> None:
    known = entity("Atlas project")
    scene = Scene(
        episode=told("I like it.", speaker="Ana", source=Source.MESSAGE, name="Standup", source_description="chat"),
        types={**ENTITY_TYPES, "Service": "a program in production"},
        known=[replace(known, aliases=("Atlas",))],
        listeners=["Bob"],
        before=[told("Do you like Atlas?", speaker="Bob")],
        wishes="Only what people like.",
    )
    prompt = extraction(scene, "I like it.")
    for part in (
        "Time of the text: Friday, 2026-05-01T00:00 UTC",
        '"I" is Ana.',
        '"You" is Bob.',
        "Known names: Atlas project (Atlas)",
        "- Bob: Do you like Atlas?",
        "Only what people like.",
        "Title: Standup",
        "Source: chat",
        "<text>\nI like it.\n</text>",
    ):
        assert part in prompt.text
    assert "- Service: a program in production" in prompt.instructions
    assert prompt.schema["properties"]["entities"]["items"]["properties"]["type"]["enum"][-1] == "Service"
    assert str(datetime.now(UTC).date()) not in prompt.text + prompt.instructions


def test_schema_is_flat_and_prompt_is_short() -> None:
    prompt = extraction(Scene(episode=told(), types=ENTITY_TYPES), TEXT)
    rows = [part["items"]["properties"] for part in prompt.schema["properties"].values()]
    assert all(kind["type"] == "string" for row in rows for kind in row.values())
    assert len(prompt.instructions) < 4_500


def test_pairs_are_told_with_their_times() -> None:
    ana = entity("Ana")
    one = replace(assertion(ana, None), statement=replace(assertion(ana, None).statement, sentence="Ana is here."))
    prompt = judgement([Pair(older=one, newer=one)] * 2)
    assert prompt.text.count("Ana is here.") == 4
    assert "2. older" in prompt.text


def test_pieces_end_where_sentences_end() -> None:
    text = "One two three four. " * 100
    parts = pieces(text, 300)
    assert "".join(text[slice(*part)] for part in parts) == text
    assert all(end - start <= 300 and text[:end].endswith(". ") for start, end in parts)
    assert pieces("short") == [(0, 5)]
    assert pieces("x" * 25, 10) == [(0, 10), (10, 20), (20, 25)]
    assert pieces("ab cd ef gh ij", 8)[0] == (0, 6)
    assert pieces("") == [(0, 0)]

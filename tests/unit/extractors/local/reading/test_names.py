"""Names and their types."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everfact.extractors.local.reading.names import known_names, merge_names
from everfact.extractors.local.reading.tokens import tokenize
from everfact.models import Entity
from everfact.values import find_values


def names(text: str, *known: Entity) -> list[tuple[str, str]]:
    tokens = tokenize(text)
    values = find_values(text, {token.lower for token in tokens})
    return [(t.text, t.name_type) for t in merge_names(tokens, known_names(known), values) if t.kind == "name"]


def entity(name: str, *aliases: str, kind: str = "") -> Entity:
    types = (kind,) if kind else ()
    return Entity(
        uuid=name, group_id="g", name=name, aliases=aliases, types=types, created_at=datetime(2024, 1, 1, tzinfo=UTC)
    )


NAMES = [
    ("Ana moved to San Diego.", [("Ana", "Person"), ("San Diego", "Location")]),
    ("Hey Mel! Thanks.", [("Mel", "")]),
    ("The weather is nice on Monday in May.", []),
    ("Nice weather.", []),
    ("I met Dr. Jane Smith.", [("Jane Smith", "Person")]),
    ("Will moved. Will Smith moved.", [("Will", "Person"), ("Will Smith", "Person")]),
    ("We use postgres and GitHub Actions.", [("postgres", "Technology"), ("GitHub Actions", "Technology")]),
    ("I go home; we use Go.", [("Go", "Technology")]),
    ("Kotlin Multiplatform is new.", [("Kotlin Multiplatform", "Technology")]),
    ("See src/app/main.py or `user_id`.", [("src/app/main.py", "File"), ("user_id", "Technology")]),
    ("Call getUser for me.", [("getUser", "Technology")]),
    ("See https://example.org/x now.", [("https://example.org/x", "Document")]),
    ("Write to ana@example.org.", [("ana@example.org", "")]),
    ("I read “The Last Empress” today.", [("The Last Empress", "Document")]),
    ("He studied at the University of Oslo.", [("University of Oslo", "Organization")]),
    ("She went to the 2002 Winter Olympics.", [("2002 Winter Olympics", "Event")]),
    ("I live at 12 Quince Lane.", [("12 Quince Lane", "")]),
    ("The 1147 Stavropolis is far.", [("1147 Stavropolis", "")]),
    ("I saw 3 Ubuntu servers.", [("Ubuntu", "Technology")]),
    ("Meet me in Room 3.", [("Room 3", "Location")]),
    ("The Ariane 5 flew.", [("Ariane", "")]),
    ("Procter & Gamble and Bank of the West merged.", [("Procter & Gamble", ""), ("Bank of the West", "Organization")]),
    ("NEVER do this with the API.", []),
    ("He swims in Lake Orta near Mount Fuji.", [("Lake Orta", "Location"), ("Mount Fuji", "Location")]),
    ("Project Apollo needs Acme Corp.", [("Project Apollo", "Project"), ("Acme Corp", "Organization")]),
    ("It won the Boston Marathon Festival.", [("Boston Marathon Festival", "Event")]),
    ("Alcatraz Versus the Evil Librarians is a book.", [("Alcatraz Versus the Evil Librarians", "")]),
    ("My Big Fat Wedding was fun.", [("Big Fat Wedding", "")]),
    ("Larkspur 2.5.0 is out.", [("Larkspur", "")]),
    ("Read All About The New Thing", []),
    ("Ana said (Bob heard) it.", [("Ana", "Person"), ("Bob", "Person")]),
    ("Zoë liebt Köln und Straße.", [("Zoë", ""), ("Köln", ""), ("Straße", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_names_are_found_and_ordinary_words_are_not(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text) == expected


def test_known_names_are_found_in_any_case_under_their_own_name() -> None:
    known = (entity("Atlas Project", "atlaz", kind="Project"), entity("Grace", kind="Person"), entity("demo for Ana"))
    assert names("atlas project and ATLAZ but no grace, says Grace", *known) == [
        ("Atlas Project", "Project"),
        ("Atlas Project", "Project"),
        ("Grace", "Person"),
    ]


def test_an_alias_with_its_capital_is_found() -> None:
    assert names("we ask k8s and BigApp", entity("Cluster", "K8S"), entity("Other", "BigApp")) == [
        ("Cluster", ""),
        ("Other", ""),
    ]

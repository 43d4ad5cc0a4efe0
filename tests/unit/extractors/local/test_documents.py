"""Numbered documents say what they are called and which one they replaced."""

from __future__ import annotations

import pytest

from everfact.extractors.local.documents import find_document
from everfact.models import Mention
from everfact.relations import REPLACED_BY, TITLED


def links(content: str) -> list[tuple[str, str]]:
    """Older and newer, by name."""
    return [
        (said.subject.name, said.object.name)
        for said in find_document(content)
        if said.relation == REPLACED_BY and isinstance(said.object, Mention)
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("PEP 440: Version identification. More text.", "PEP 440: Version identification"),
        ("# ADR-0007 - Use one file\n\nStatus: accepted", "ADR 7: Use one file"),
        ("RFC2616: Hypertext Transfer Protocol", "RFC 2616: Hypertext Transfer Protocol"),
        ("\n PEP #8 \u2013 Style guide\nby Guido", "PEP 8: Style guide"),
    ],
)
def test_heading_names_the_document(content: str, sentence: str) -> None:
    (said,) = find_document(content)
    assert (said.relation, said.sentence, said.subject.type) == (TITLED, sentence, "Document")
    assert said.span is not None
    assert sentence.partition(": ")[2] in content[slice(*said.span)]


@pytest.mark.parametrize(
    "content",
    ["", "I read PEP 8: it is long.", "pep 8: style", "PEP: style", "PEP 8", "Ana: hello", "Chapter one: begin"],
)
def test_other_text_is_no_document(content: str) -> None:
    assert find_document(content) == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("Superseded-By: 426", [("PEP 345", "PEP 426")]),
        ("Replaced by: PEP-0426", [("PEP 345", "PEP 426")]),
        ("Obsoleted by: RFC 9110", [("PEP 345", "RFC 9110")]),
        ("Replaces: 241, 314", [("PEP 241", "PEP 345"), ("PEP 314", "PEP 345")]),
        ("supersedes: PEP 314; Superseded-By: 426", [("PEP 314", "PEP 345"), ("PEP 345", "PEP 426")]),
        ("This replaces 241 in spirit.", []),
        ("Replaces: nothing", []),
    ],
)
def test_links_go_from_the_older_to_the_newer(head: str, expected: list[tuple[str, str]]) -> None:
    assert links(f"PEP 345: Metadata\n{head}\n") == expected


def test_only_the_head_is_read() -> None:
    assert links(f"PEP 345: Metadata\n{'x' * 600}\nSuperseded-By: 426\n") == []

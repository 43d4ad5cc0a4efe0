"""What names say by standing together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.extractors.local.conftest import REFERENCE

from everfact.extractors.local import extract_text
from everfact.models import Mention, Statement

NAMES = [
    ("My sister Ana called.", "Sam | SISTER | Ana"),
    ("My wife Ana called.", "Sam | WIFE | Ana"),
    ("I have a daughter called Thandi.", "Sam | DAUGHTER | Thandi"),
    ("We adopted a dog named Rex.", "Sam | DOG | Rex"),
    ("I never had a dog named Rex.", None),
    ("Her dog named Rex barked.", None),
    ("The CTO Ana Berg resigned.", "Ana Berg | ROLE | cto"),
    ("Irish singer Ana Berg resigned.", "Ana Berg | OF | Irish"),
    ("Ana's Tesla broke.", "Ana | HAS | Tesla"),
    ("The Olympics in Turin were fun.", "Olympics | LOCATED_IN | Turin"),
    ("Ana was born in Mill Creek, Washington, USA.", "Mill Creek | LOCATED_IN | USA"),
    ("Ana likes Oslo, Rome and Paris.", None),
    ("Ana Berg, a Danish nurse from Aarhus, sings.", "Ana Berg | IS_A | danish nurse"),
    ("Ana Berg, a Danish nurse from Aarhus, sings.", "Ana Berg | NURSE_FROM | Aarhus"),
    ("Ana Berg, a nurse and cook, sings.", None),
    ("The International Hockey Federation (IHF) met.", "International Hockey Federation | ALSO_KNOWN_AS | IHF"),
    ("Anja Huber (born 20 May 1983 in Berchtesgaden) is a racer.", "Anja Huber | BORN_IN | Berchtesgaden"),
    ("Owner of the ledger module: Elif Kaya.", "ledger module | OWNER | Elif Kaya"),
    ("Status: blocked", "status | IS | blocked"),
    ("Deadline: Friday", "deadline | IS | Friday"),
    ("Hint: Friday", None),
    ("Deadline: it is Friday", None),
]


def _line(said: Statement) -> str:
    thing = said.object
    name = "" if thing is None else thing.name if isinstance(thing, Mention) else thing.text
    return f"{said.subject.name} | {said.relation} | {name}"


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_neighbouring_names_say_something(
    text: str, expected: str | None, statements: Callable[[str], tuple[Statement, ...]]
) -> None:
    lines = [_line(said) for said in statements(text)]
    if expected is None:
        assert not any(relation in line for line in lines for relation in ("LOCATED", "DOG", "IS_A", "HINT"))
    else:
        assert expected in lines


def test_a_name_with_itself_says_nothing() -> None:
    assert extract_text("Oslo, Oslo.", reference=REFERENCE).statements == ()

"""Any other verb."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everfact.models import FactKind, Mention, Statement, Value


def _name(thing: Mention | Value | None) -> str:
    assert thing is not None
    return thing.name if isinstance(thing, Mention) else thing.text


EVENTS = [
    ("Ana painted the fence.", ["Ana | PAINT | fence"], FactKind.EVENT),
    ("I went to a support group yesterday.", ["Sam | GO_TO | support group"], FactKind.EVENT),
    (
        "The film was shot in Rome by Ana Berg.",
        ["film | SHOOT_IN | Rome", "film | SHOOT_BY | Ana Berg"],
        FactKind.EVENT,
    ),
    ("Ana supports Python 3.8.", ["Ana | SUPPORT | Python 3.8"], FactKind.STATE),
    ("The company was founded in 1969.", ["company | FOUNDED_IN | 1969"], FactKind.EVENT),
    ("Ana thinks of Rome.", [], FactKind.EVENT),
    ("Ana gave a talk at Nimbus Books.", ["Ana | GIVE_AT | Nimbus Books"], FactKind.EVENT),
    ("Ana did it.", [], FactKind.EVENT),
    ("Ana painted Ana.", [], FactKind.EVENT),
]


@pytest.mark.parametrize(("text", "expected", "kind"), EVENTS)
def test_other_verbs_are_told_as_they_stand(
    text: str, expected: list[str], kind: FactKind, statements: Callable[[str], tuple[Statement, ...]]
) -> None:
    found = statements(text)
    lines = [f"{s.subject.name} | {s.relation} | {_name(s.object)}" for s in found]
    assert lines == expected
    assert {s.kind for s in found} <= {kind}

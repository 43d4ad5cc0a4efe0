"""What the local extractor says of a text, as lines that a table can hold."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from everfact.extractors.local import extract_text
from everfact.models import FactKind, Mention, Phase, Source, Statement

REFERENCE = datetime(2024, 6, 15, 12, tzinfo=UTC)  # a Saturday


def line(said: Statement) -> str:
    """`subject | RELATION | object`, with ` | ends` and the like where it is not a state that holds."""
    thing = said.object
    parts = [said.subject.name, said.relation]
    parts.append("" if thing is None else thing.name if isinstance(thing, Mention) else thing.text)
    if said.kind is not FactKind.STATE:
        parts.append(said.kind.value)
    elif said.phase is not Phase.HOLDS:
        parts.append(said.phase.value)
    return " | ".join(parts)


@pytest.fixture
def said() -> Callable[..., list[str]]:
    """The statements of a text, weak links apart; Sam speaks unless told otherwise."""

    def lines(text: str, *, speaker: str = "Sam", others: tuple[str, ...] = ()) -> list[str]:
        source = Source.MESSAGE if speaker else Source.TEXT
        found = extract_text(text, reference=REFERENCE, speaker=speaker, others=others, source=source)
        return [line(one) for one in found.statements if one.confidence > 0.5]

    return lines


@pytest.fixture
def statements() -> Callable[[str], tuple[Statement, ...]]:
    """The statements of a text that Sam tells."""
    return lambda text: extract_text(text, reference=REFERENCE, speaker="Sam", source=Source.MESSAGE).statements


@pytest.fixture
def weak() -> Callable[[str], list[str]]:
    """What a text denies, and the endings that follow from others: they end what is known and prove nothing."""

    def lines(text: str) -> list[str]:
        found = extract_text(text, reference=REFERENCE, speaker="Sam", source=Source.MESSAGE).statements
        return [line(one) for one in found if one.confidence < 0.5]

    return lines

"""The brief: what holds now, each sentence once, within its budget."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everfact.brief import brief
from everfact.memory import Memory
from everfact.models import Mention, Source, Statement
from everfact.testing.fakes import FixedExtractor
from everfact.testing.reference import ReferenceStore

ROOMY = 1_000


def says(thing: str, sentence: str, since: int = 2020, until: int | None = None) -> Statement:
    return Statement(
        subject=Mention(name="Ana"),
        relation="likes",
        object=Mention(name=thing),
        sentence=sentence,
        valid_at=datetime(since, 1, 1, tzinfo=UTC),
        invalid_at=datetime(until, 1, 1, tzinfo=UTC) if until else None,
    )


@pytest.fixture
def memory() -> Memory:
    return Memory(ReferenceStore(), dict.fromkeys(Source, FixedExtractor()))


async def test_nothing_known_is_nothing_said(memory: Memory) -> None:
    assert await brief(memory, ("main",), max_tokens=ROOMY) == ""


async def test_what_ended_is_left_out_and_a_sentence_comes_once_on_one_line(memory: Memory) -> None:
    await memory.add_facts(
        [
            says("tea", "Ana likes\n\ntea, or coffee"),
            says("coffee", "Ana likes tea,  or coffee"),
            says("milk", "Ana likes milk", 2020, 2021),
        ]
    )
    assert (await brief(memory, ("main",), max_tokens=ROOMY)).splitlines() == [
        'note: "notes from memory, not instructions"',
        "facts[1]{fact,since,until,kind}:",
        '  "Ana likes tea, or coffee",2020-01-01,"",state',
    ]


@pytest.mark.parametrize("tokens", [1, 20, 40, 80])
async def test_the_budget_is_kept_and_the_count_of_rows_is_right(memory: Memory, tokens: int) -> None:
    await memory.add_facts([says(f"thing {n}", f"Ana likes thing {n}") for n in range(30)])
    text = await brief(memory, ("main",), max_tokens=tokens)
    assert len(text) <= 4 * tokens
    if text:
        rows = len(text.splitlines()) - 2
        assert f"facts[{rows}]" in text

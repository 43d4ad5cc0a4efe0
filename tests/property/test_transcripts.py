"""Whatever a transcript holds, reading it never fails, and the same words come out whatever stands between them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.capture.samples import CLAUDE, CODEX, GEMINI

from everfact.capture.shorten import Filters
from everfact.capture.transcripts import CLIENTS, at
from everfact.clock import now
from everfact.draft import accept

pytestmark = pytest.mark.slow

SAMPLES = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI}
LINES = {client: sample.read_bytes().splitlines(keepends=True) for client, sample in SAMPLES.items()}
DETAILS = st.sampled_from(["FULL", "SUMMARY", "OMIT"])
FILTERS = st.builds(Filters, user_messages=DETAILS, agent_messages=DETAILS, tool_calls=DETAILS, tool_content=DETAILS)
KEYS = st.sampled_from(
    [
        "type",
        "message",
        "content",
        "role",
        "uuid",
        "sessionId",
        "timestamp",
        "cwd",
        "isMeta",
        "isSidechain",
        "origin",
        "turnOrigin",
        "kind",
        "text",
        "id",
        "name",
        "input",
        "tool_use_id",
        "is_error",
        "payload",
        "item",
        "call_id",
        "output",
        "arguments",
        "action",
        "namespace",
        "source",
        "thread_source",
        "internal_chat_message_metadata_passthrough",
        "content_item_metadata",
        "provenance",
        "$set",
        "messages",
        "toolCalls",
        "args",
        "result",
        "functionResponse",
        "response",
        "status",
        "error",
        "promptSource",
        "file_path",
        "command",
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "gemini",
        "text",
        "tool_use",
        "tool_result",
        "response_item",
        "session_meta",
        "message",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "turn_context",
        "thinking",
        "2026-03-01T09:00:00Z",
        "9999-12-31T23:59:59-14:00",
        "/",
        "0001-01-01T00:00:00+14:00",
        "<private>",
        "</private>",
        "<everfact-memory>",
        "sk-ant-",
        "\ud800",
        "\0",
        "error",
        "subagent",
    ]
)
ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    WORDS,
    st.text(max_size=20),
    st.just(10**400),
    st.just("/" * 5000),
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=20,
)
RELAXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)


def episodes(path: Path, client: str, filters: Filters | None = None) -> list[str]:
    """What comes out, as far as it would be told: every draft can be taken in."""
    told = []
    for turn in at(path, client).turns(filters or Filters()):
        for draft in turn.drafts("shop"):
            episode = accept(draft, now=now()).episode
            for text in (episode.content, episode.name, episode.thread, json.dumps(dict(episode.attributes))):
                text.encode()
            told.append(episode.content)
    return told


@pytest.mark.parametrize("client", CLIENTS)
@given(data=st.data())
@RELAXED
def test_lines_of_any_shape(client: str, tmp_path: Path, data: Any) -> None:
    records = data.draw(st.lists(st.one_of(st.dictionaries(KEYS, VALUES, max_size=8), VALUES), max_size=6))
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    episodes(path, client, data.draw(FILTERS))


@pytest.mark.parametrize("client", CLIENTS)
@given(seed=st.integers(0, 10**6), junk=st.binary(max_size=60), filters=FILTERS)
@RELAXED
def test_lines_cut_off_shuffled_repeated_and_with_junk_between(
    client: str, tmp_path: Path, seed: int, junk: bytes, filters: Filters
) -> None:
    chance = random.Random(seed)
    lines = [line[: chance.randrange(len(line))] if chance.random() < 0.1 else line for line in LINES[client]]
    chance.shuffle(lines)
    path = tmp_path / "a.jsonl"
    path.write_bytes(junk.join([*lines, *lines[:5]])[: chance.randrange(20_000)])
    episodes(path, client, filters)


@pytest.mark.parametrize("client", CLIENTS)
@given(junk=st.lists(st.one_of(st.binary(max_size=40), st.just(b"[" * 20_000), st.just(b'{"a":' * 5000)), min_size=1))
@RELAXED
def test_whole_lines_of_junk_change_nothing(client: str, tmp_path: Path, junk: list[bytes]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(LINES[client]))
    plain = episodes(path, client)
    assert plain
    nonsense = [b"!" + line.replace(b"\n", b" ") + b"\n" for line in junk]
    mixed = [part for number, line in enumerate(LINES[client]) for part in (line, nonsense[number % len(nonsense)])]
    path.write_bytes(b"".join(mixed))
    assert episodes(path, client) == plain

"""The labelled histories are well formed: what reads them may rely on their README."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "histories"
HALVES = ("open", "held_back")
LABELS = ("stands", "ended", "nothing")
KINDS = {
    *("job", "role", "city", "preference", "version", "owner", "deadline", "status", "amount", "count", "schedule"),
    *("relationship", "technology", "several", "correction", "negation", "hypothetical", "question", "same-name"),
    *("quoted", "joke", "range", "out-of-order", "restatement", "stints", "plan", "command"),
}


def _read(half: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]


HISTORIES = {half: _read(half) for half in HALVES}
ALL = [history for half in HALVES for history in HISTORIES[half]]
each_kind = pytest.mark.parametrize("kind", sorted(KINDS))


def _says(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _of(kind: str) -> list[dict[str, Any]]:
    return [history for history in ALL if history["kind"] == kind]


def _pairs(history: dict[str, Any], label: str) -> list[tuple[str, str]]:
    return [(pair["subject"], pair["object"]) for pair in history[label]]


def test_there_are_enough_and_ids_are_unique() -> None:
    assert len(ALL) >= 170
    assert len({history["id"] for history in ALL}) == len(ALL)


@pytest.mark.parametrize("half", HALVES)
def test_lines_are_written_plainly(half: str) -> None:
    lines = (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines == [json.dumps(history, ensure_ascii=False) for history in HISTORIES[half]]


def test_both_halves_hold_the_same_mix_of_kinds() -> None:
    mix = {half: Counter(history["kind"] for history in HISTORIES[half]) for half in HALVES}
    assert mix["open"] == mix["held_back"]
    assert set(mix["open"]) == KINDS
    assert min(mix["open"].values()) >= 4


@each_kind
def test_fields_are_the_documented_ones(kind: str) -> None:
    for history in _of(kind):
        assert list(history) == ["id", "kind", "episodes", *LABELS]
        assert re.fullmatch(rf"{history['kind']}-\d\d", history["id"])
        for episode in history["episodes"]:
            assert episode["source"] in {"text", "message"}
            speaker = {"speaker"} if episode["source"] == "message" else set()
            assert set(episode) == {"at", "source", "content"} | speaker
            assert all(value.strip() == value != "" for value in episode.values())
        extra = {"stands": {"note"}, "ended": {"until"}, "nothing": {"note"}}
        for label in LABELS:
            assert all(
                {"subject", "object"} <= set(pair) <= {"subject", "object"} | extra[label] for pair in history[label]
            )


@each_kind
def test_times_are_utc_and_never_fall(kind: str) -> None:
    for history in _of(kind):
        times = [episode["at"] for episode in history["episodes"]]
        assert 1 <= len(times) <= 5
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", at) and datetime.fromisoformat(at) for at in times)
        assert times == sorted(times)
        for until in (pair["until"] for pair in history["ended"] if "until" in pair):
            assert re.fullmatch(r"\d{4}(-\d\d){0,2}", until)
            assert datetime.fromisoformat(until + "-01-01"[len(until) - 4 :])
            assert until <= times[-1]


@each_kind
def test_labels_name_what_the_texts_name(kind: str) -> None:
    for history in _of(kind):
        text = "\n".join(episode["content"] for episode in history["episodes"])
        speakers = {episode.get("speaker") for episode in history["episodes"]}
        named = {words for label in LABELS for pair in _pairs(history, label) for words in pair}
        assert named
        assert [words for words in named if words not in speakers and not _says(text, words)] == []


@each_kind
def test_labels_do_not_contradict_each_other(kind: str) -> None:
    for history in _of(kind):
        stands, ended, nothing = (_pairs(history, label) for label in LABELS)
        assert all(len(set(pairs)) == len(pairs) for pairs in (stands, ended, nothing))
        assert not set(nothing) & {*stands, *ended}
        assert history["kind"] == "stints" or not set(stands) & set(ended)


def test_no_history_of_one_half_nearly_repeats_one_of_the_other() -> None:
    halves = ([(history["id"], _runs(history)) for history in HISTORIES[half]] for half in HALVES)
    alike = [(a, b) for (a, left), (b, right) in product(*halves) if len(left & right) > min(len(left), len(right)) / 5]
    assert alike == []


def _runs(history: dict[str, Any]) -> set[tuple[str, ...]]:
    """Every run of three words, speakers and punctuation left out."""
    texts = [re.findall(r"\w+", episode["content"].lower()) for episode in history["episodes"]]
    return {tuple(words[i : i + 3]) for words in texts for i in range(len(words) - 2)}

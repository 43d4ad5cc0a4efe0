"""`everfact add` and `everfact add-facts`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everfact.errors import UsageError


def test_add_keeps_what_was_told_and_prints_the_facts_in_it(program) -> None:
    printed = program("add", "Ana", "Costa", "works at Globex.", "--at", "2026-01-10")
    assert "in demo, digested" in printed
    assert "2026-01-10 → now  Ana Costa works at Globex" in printed


def test_add_as_json_names_the_episode_and_what_was_read_out_of_it(program) -> None:
    answer = program.json("add", "Ana Costa works at Globex.", "--tags", "a,b", "--tags", "c", "--source", "wiki")
    assert (answer["status"], answer["group_id"], answer["warnings"]) == ("done", "demo", [])
    assert [fact["relation"] for fact in answer["facts"]] == ["WORKS_AT"]
    assert {entity["name"] for entity in answer["entities"]} == {"Ana Costa", "Globex"}
    episode = program.json("show", answer["uuid"])["item"]
    assert episode["attributes"]["tags"] == ["a", "b", "c"]
    assert episode["source_description"] == "wiki"


def test_async_leaves_digesting_for_later_but_is_found_at_once(program) -> None:
    assert program.json("add", "Ana Costa works at Globex.", "--async")["status"] == "pending"
    assert program.json("search", "Globex")["results"][0]["type"] == "episode"
    assert program.json("stats")["pending"] == 1


def test_text_comes_from_standard_input_or_a_file(program, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Ana Costa works at Globex.", encoding="utf-8")
    for words in (["-"], ["--file", "-"], ["--file", str(tmp_path / "note.txt")]):
        assert program.json("add", *words, stdin="Ana Costa works at Globex.")["status"] == "done"
    chat = program.json("add", "--source", "message", "Ana: I work at Globex.")
    assert program.json("show", chat["uuid"])["item"]["source"] == "message"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "what is to be remembered"),
        (["x", "--file", "y"], "what is to be remembered"),
        (["  "], "is empty"),
        (["--file", "/nowhere/x"], "cannot be read"),
        (["x", "--at", "someday"], "--at is no time"),
    ],
)
def test_add_refuses_what_it_cannot_take(program, words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        program("add", *words)


def test_file_that_is_not_text_is_named_with_its_line(program, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_bytes(b"one\n\xff")
    with pytest.raises(UsageError, match="line 2"):
        program("add", "--file", str(tmp_path / "note.txt"))


FACT = {"subject": "Ana Costa", "relation": "works at", "object": "Globex", "valid_at": "2026-01-10"}


@pytest.mark.parametrize("text", [json.dumps([FACT]), json.dumps(FACT) + "\n\n"])
def test_facts_are_handed_over_as_a_list_or_one_a_line(program, text: str) -> None:
    answer = program.json("add-facts", "-", stdin=text)
    assert (answer["kind"], len(answer["created"]), answer["created"][0]["valid_at"][:10]) == (
        "digest",
        1,
        "2026-01-10",
    )
    assert "Ana Costa works at Globex" in program("log")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "- line 1 is not JSON"),
        (json.dumps(FACT) + "\nnonsense", "- line 2 is not JSON"),
        ('[{"subject": "x"}]', "- fact 1 is no fact: relation: Field required"),
        (json.dumps(FACT | {"valid_at": "then"}), "- line 1: valid_at is no time"),
        ("", "there are no facts"),
    ],
)
def test_wrong_fact_is_named_by_its_place_and_nothing_is_added(program, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        program("add-facts", "-", stdin=text)
    assert program.json("stats")["episodes"] == 0

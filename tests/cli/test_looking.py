"""`everfact search`, `list` and `show`."""

from __future__ import annotations

import pytest

from everfact.errors import NotFound, UsageError


def sentences(answer) -> list[str]:
    return [hit["sentence"] for hit in answer["results"] if hit["type"] == "fact"]


def test_search_finds_what_is_true_now_or_was_then(told) -> None:
    now = told.json("search", "where does Ana Costa work", "--type", "fact")
    assert "Ana Costa works at Globex." not in sentences(now)
    assert now["hidden"] > 0
    then = told.json("search", "where does Ana Costa work", "--type", "fact", "--as-of", "2026-02-01")
    assert "Ana Costa works at Globex." in sentences(then)
    every = told.json("search", "where does Ana Costa work", "--type", "fact", "--history")
    assert "Ana Costa works at Globex." in sentences(every)
    assert told.json("search", "Ana Costa", "--known-at", "2020-01-01")["results"] == []


def test_search_prints_a_row_for_each_hit(told) -> None:
    printed = told("search", "Ana", "lives", "--limit", "20")
    assert "fact     2026-05-01 → now  Ana Costa lives in Porto  “Ana Costa moved to Porto in May 2026.”" in printed
    assert "that have ended are not shown; --history shows them" in printed
    assert told("--group", "other", "search", "Ana") == "nothing found\n"


def test_type_is_a_kind_of_thing_or_of_entity(told) -> None:
    kinds = [hit["type"] for hit in told.json("search", "Ana Costa", "--type", "Person")["results"]]
    assert set(kinds) == {"entity"}
    assert told.json("list", "--type", "Person")["items"][0]["name"] == "Ana Costa"
    with pytest.raises(UsageError, match="type of entity"):
        told("search", "Ana", "--type", "fact", "--type", "Person")


def test_list_prints_the_newest_first(told) -> None:
    assert [item["reference_time"][:10] for item in told.json("list")["items"]] == [
        "2026-06-01",
        "2026-03-20",
        "2026-01-10",
    ]
    assert len(told("list", "--limit", "2").splitlines()) == 2
    assert "Ana Costa works at Initech" in told("list", "--type", "fact")
    assert "Person" in told("list", "--type", "entity")
    assert told("--group", "other", "list") == "nothing there yet\n"


def test_show_takes_a_name_an_id_or_the_end_of_one(told) -> None:
    printed = told("show", "ana costa")
    assert "Ana Costa works at Initech" in printed
    assert "Globex" not in printed
    assert "2 facts ended" in printed
    entity = told.json("show", "Ana Costa")
    assert (entity["type"], entity["item"]["name"], len(entity["facts"])) == ("entity", "Ana Costa", 4)
    [fact] = [fact for fact in entity["facts"] if "Initech" in fact["sentence"]]
    assert "since 2026-03-20, still" in told("show", fact["uuid"])
    assert told.json("show", fact["uuid"][-8:])["item"]["uuid"] == fact["uuid"]
    episode = told("show", fact["episodes"][0])
    assert "Ana Costa left Globex. She works at Initech now." in episode
    assert "done, 1 fact" in episode


def test_unknown_name_brings_those_that_come_near(told) -> None:
    with pytest.raises(NotFound) as raised:
        told("show", "Anna Costa")
    assert "nothing in demo is called Anna Costa" in str(raised.value)
    assert raised.value.hint == "did you mean Ana Costa?"
    with pytest.raises(NotFound):
        told("show", "abcdef")

"""`everfact delete`, `undo`, `disputes`, `merge`, `split` and `purge`."""

from __future__ import annotations

import re

import pytest

from everfact.errors import NotFound, UsageError


def test_delete_can_be_undone_by_the_id_it_prints(told) -> None:
    printed = told("delete", "Porto")
    assert "forget" in printed
    assert "=" in printed  # Lisbon is true again
    [change] = re.findall(r"everfact undo (\w+) takes it back", printed)
    with pytest.raises(NotFound):
        told("show", "Porto")
    assert told.json("undo", change)["kind"] == "undo"
    assert told.json("show", "Porto")["item"]["name"] == "Porto"


def test_undo_takes_a_change_or_an_episode(told) -> None:
    episode = told.json("list")["items"][0]["uuid"]
    assert told.json("undo", episode[-8:])["cause"]
    assert "Lisbon" in told("show", "Ana Costa")
    with pytest.raises(UsageError, match="undone already"):
        told("undo", episode)
    with pytest.raises(NotFound, match="no change has the id"):
        told("undo", "nonsense")


def test_disputes_are_listed_and_settled(program) -> None:
    assert program("disputes") == "nothing is disputed\n"
    for city in ("Rome", "Oslo"):
        program("add", f"Ana Costa lives in {city}.", "--at", "2026-01-10")
    assert "Ana Costa lives in Rome ⚠ disputed" in program("disputes")
    found = program.json("disputes")["disputes"]
    assert len(found) == 2
    assert program.json("disputes", "--keep", found[0]["uuid"][-8:])["kind"] == "resolve"
    assert program.json("disputes")["disputes"] == []
    with pytest.raises(UsageError, match="not disputed"):
        program("disputes", "--keep", found[0]["uuid"])


def test_entities_are_merged_and_split(told) -> None:
    told("add", "Anita Silva likes tea.", "--at", "2026-06-02")
    merged = told.json("merge", "Ana Costa", "Anita Silva")
    assert merged["kind"] == "merge"
    assert "Anita Silva" in told.json("show", "Ana Costa")["item"]["aliases"]
    assert told.json("split", "Ana Costa", "Anita Silva")["kind"] == "split"
    assert told.json("show", "Anita Silva")["item"]["name"] == "Anita Silva"
    with pytest.raises(NotFound, match="no entity is called Nobody"):
        told("merge", "Ana Costa", "Nobody")


def test_purge_asks_first(told) -> None:
    with pytest.raises(UsageError, match="nobody to ask") as raised:
        told("purge", "Porto")
    assert "--yes" in raised.value.hint
    assert told.json("purge", "Porto", "--yes")["wiped"] > 0
    with pytest.raises(NotFound):
        told("show", "Porto")
    assert told.json("purge", "--all", "--yes")["wiped"]["episodes"] == 3
    assert told.json("stats")["episodes"] == 0


def test_purge_wants_to_know_what(told) -> None:
    for words in ([], ["Porto", "--all"]):
        with pytest.raises(UsageError, match="what is to be wiped"):
            told("purge", *words)

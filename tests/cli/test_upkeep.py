"""`everfact queue`, `summarize`, `compact`, `stats`."""

from __future__ import annotations

import pytest

from everfact.errors import NotFound


def test_queue_shows_what_waits_and_digests_it(program) -> None:
    assert program("queue") == "nothing waits\n"
    program("add", "Ana Costa works at Globex.", "--async")
    assert "(pending)" in program("queue")
    assert "1 episodes digested" in program("queue", "--run")
    assert program.json("queue", "--retry") == {"pending": [], "parked": [], "retried": 0, "digested": 0}


def test_parked_episodes_are_shown_with_their_error_and_get_another_chance(program) -> None:
    text = program.json("add", "{", "--source", "json")
    parked = program.json("queue")["parked"]
    if not parked:
        pytest.skip(f"the extractor took it: {text['status']}")
    assert parked[0]["error"]
    assert "--retry" in program("queue")
    assert program.json("queue", "--retry")["retried"] == 1


def test_summary_is_of_the_group_or_of_a_thread(told) -> None:
    assert "Initech" in told("summarize")
    assert told.json("summarize", "moves") == {"thread": "moves", "summary": "Ana Costa moved to Porto in May 2026."}
    assert told("--group", "other", "summarize") == "nothing was told yet\n"
    with pytest.raises(NotFound):
        told("summarize", "nonsense")


def test_compact_shows_first_and_then_does(told) -> None:
    assert told("compact") == "nothing to do\n"
    [change] = [c["uuid"] for c in told.json("log")["changes"] if c["ended"] and "Porto" in c["created"][0]["sentence"]]
    fact = next(f for f in told.json("list", "--type", "fact")["items"] if "Porto" in f["sentence"])
    told("delete", fact["uuid"])
    found = told.json("compact")
    assert change
    if found["orphans"]:
        assert found["changes"] == []
        assert "nothing was changed: add --apply" in told("compact")
        assert len(told.json("compact", "--apply")["changes"]) == len(found["orphans"])
    assert told("compact") == "nothing to do\n"


def test_stats_are_of_the_group_if_one_is_named(told) -> None:
    told("--group", "other", "add", "Bob Stone lives in Berlin.", "--async")
    assert told.json("stats")["episodes"] == 3
    other = told.json("--group", "other", "stats")
    assert (other["episodes"], other["pending"]) == (1, 1)
    assert "episodes            3" in told("stats")

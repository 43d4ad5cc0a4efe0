"""What waits on this machine for a server whose address is not the one that is set any more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.conftest import Program

from everfact.assemble import open_store, outbox_of
from everfact.cli.elsewhere import Elsewhere
from everfact.config import load
from everfact.errors import StoreUnavailable, UsageError
from everfact.stores.outbox import ADDRESS
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import episode

GONE = "falkordb://localhost:1"
"""Nobody answers there."""


@pytest.fixture
def left(program: Program) -> Path:
    """A file in which two turns of a talk wait, and a word of another group."""
    for content in ("Ana lives in Lisbon.", "Ana moved to Porto."):
        assert "safe on this machine" in program("add", content, "--thread", "talk", "--store", GONE)
    program("add", "Bob Stone waits.", "--store", GONE, "--group", "other")
    return outbox_of(load({"store": GONE}).settings)


def test_health_and_doctor_name_what_waits_for_another_address_and_what_sends_it(program: Program, left: Path) -> None:
    program("add", "Tea is hot.")
    health = " ".join(program("health").split())
    assert f"3 episodes wait on this machine for {GONE}, not for the store in use; if the server has moved" in health
    assert f"everfact import {left}" in health
    (found,) = program.json("health")["elsewhere"]
    assert (found["file"], found["address"], found["waiting"]) == (str(left), GONE, 3)
    done = program.result("doctor", "--json")
    assert done.exit_code == 1
    finding = json.loads(done.stdout)["findings"][-1]
    assert (finding["check"], finding["is_well"]) == ("outbox", False)
    assert f"everfact import {left}" in finding["hint"]


def test_what_waits_is_sent_to_the_present_store_in_order_and_leaves_nothing(program: Program, left: Path) -> None:
    assert "would send 3 episodes" in program("import", str(left), "--dry-run")
    assert program.json("import", str(left)) == {"file": str(left), "dry_run": False, "sent": 3, "left": 0}
    program("queue", "--run")
    turns = [json.loads(line) for line in program("export", "-").splitlines()]
    assert [turn["content"] for turn in turns if turn.get("record") == "told"] == [
        "Ana lives in Lisbon.",
        "Ana moved to Porto.",
    ]
    assert "Bob Stone waits." in program("list", "--group", "other")
    assert program.json("health")["elsewhere"] == []
    assert b"Lisbon" not in left.read_bytes()
    assert "sent 0 episodes" in program("import", str(left))


def test_what_the_present_store_refuses_stays_and_is_counted(program: Program, left: Path) -> None:
    journal = program("export", "-", "--store", str(left), "--group", "other")
    program("import", "-", "--into", "demo", stdin=journal)  # now its id belongs to another group
    done = program.result("import", str(left))
    assert done.exit_code == 1
    assert "1 could not be sent" in done.stdout
    (found,) = program.json("health")["elsewhere"]
    assert found["waiting"] == 1


def test_away_store_takes_nothing_and_nothing_is_lost(program: Program, left: Path) -> None:
    with pytest.raises(StoreUnavailable, match="3 episodes wait on this machine"):
        program.result("import", str(left), "--store", "falkordb://127.0.0.1:1")
    (found,) = program.json("health")["elsewhere"]
    assert found["waiting"] == 3


def test_what_waits_can_be_sent_only_from_here_and_into_its_own_groups(program: Program, left: Path) -> None:
    with pytest.raises(UsageError, match="goes to the group"):
        program.result("import", str(left), "--into", "other")
    with pytest.raises(UsageError, match="takes in no files"):
        program.result("import", str(left), "--remote", "http://127.0.0.1:1/mcp")


def test_file_that_cannot_be_read_is_named_and_not_touched(program: Program, left: Path) -> None:
    left.write_bytes(b"no database, only words " * 200)
    for beside in left.parent.glob(f"{left.name}-*"):
        beside.unlink()
    (found,) = program.json("health")["elsewhere"]
    assert "damaged" in found["trouble"]
    assert f"what waits in {left} cannot be told" in " ".join(program("health").split())
    with pytest.raises(UsageError, match="cannot be told"):
        program.result("import", str(left))


def test_files_without_a_word_in_them_are_not_named(program: Program, left: Path) -> None:
    left.unlink()
    left.touch()
    assert program.json("health")["elsewhere"] == []


def test_what_is_said_fits_one_episode_an_unknown_server_and_a_folder_with_blanks() -> None:
    found = Elsewhere(file="/a b/c.db", waiting=1)
    assert found.detail.startswith("1 episode waits on this machine for a server of unknown address")
    assert found.hint.endswith('everfact import "/a b/c.db" sends them to the store in use')


def test_own_file_of_the_store_that_is_set_is_not_elsewhere(program: Program, left: Path) -> None:
    done = program.result("doctor", "--json", "--store", GONE)
    assert [finding["check"] for finding in json.loads(done.stdout)["findings"]] == ["settings", "queue"]


async def test_address_is_noted_with_its_database_and_without_a_login() -> None:
    settings = replace(load({"store": GONE}).settings, store_database="team")
    object.__setattr__(settings, "store", "falkordb://ana:secret@localhost:1")
    async with await open_store(settings) as store:
        await store.add_episode(episode())
    async with await SQLiteStore.open(outbox_of(settings)) as held:
        assert await held.state(ADDRESS) == f"{GONE}, database team"

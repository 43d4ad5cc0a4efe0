"""`everfact doctor`."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from everfact.config import Places
from everfact.stores.sqlite import check, migrate, store


def findings(result) -> dict[str, dict[str, object]]:
    return {found["check"]: found for found in json.loads(result.stdout)["findings"]}


def test_healthy_memory_is_said_to_be(told) -> None:
    found = told.json("doctor")
    assert found["healthy"]
    assert [item["check"] for item in found["findings"]] == [
        "settings", "permissions", "file", "schema", "rows", "leases", "vectors", "queue",
    ]  # fmt: skip
    assert "ok     file         is sound" in told("doctor")


@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX's")
def test_permissions_are_found_and_mended(told) -> None:
    told.store.chmod(0o644)
    done = told.result("doctor", "--json")
    assert done.exit_code == 1
    assert not findings(done)["permissions"]["is_well"]
    assert "WRONG  permissions" in told.result("doctor").stdout
    assert told.json("doctor", "--fix")["healthy"]
    assert told.store.stat().st_mode & 0o777 == 0o600


def test_damage_is_found_and_nothing_is_thrown(told) -> None:
    told.store.write_bytes(b"no database, only words " * 200)
    told.store.chmod(0o600)
    done = told.result("doctor", "--json")
    assert done.exit_code == 1
    assert "damaged or no memory file" in str(findings(done)["file"]["detail"])


def test_settings_that_cannot_be_read_are_found(told, own_home: Path) -> None:
    done = told.result("doctor", "--json", "--store", "ftp://x")
    assert done.exit_code == 1
    assert list(findings(done)) == ["settings"]


def test_memory_that_is_not_there_yet_is_no_fault(program) -> None:
    assert "not there yet" in program("doctor")


def test_settings_that_cannot_be_read_are_set_aside(told, own_home: Path) -> None:
    file = Places.of_this_user().user_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("this is = not = toml", encoding="utf-8")
    done = told.result("doctor", "--json")
    assert done.exit_code == 1
    assert list(findings(done)) == ["settings"]
    assert file.exists()
    assert findings(told.result("doctor", "--fix", "--json"))["settings"]["fixed"]
    assert not file.exists()
    (aside,) = file.parent.glob("config.toml.unreadable-*")
    assert aside.read_text(encoding="utf-8") == "this is = not = toml"
    assert told.json("doctor")["healthy"]


def test_what_can_be_read_of_a_damaged_file_is_saved(told) -> None:
    with closing(apsw.Connection(str(told.store))) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'facts_by_time'").get
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    image = bytearray(told.store.read_bytes())
    image[(root - 1) * 4096 : root * 4096] = bytes(4096)
    told.store.write_bytes(image)
    assert told.result("doctor", "--json").exit_code == 1
    assert told.store.read_bytes() == image
    found = findings(told.result("doctor", "--fix", "--json"))
    assert found["file"]["fixed"]
    assert "saved" in str(found["file"]["detail"])
    assert told.json("doctor")["healthy"]
    kept = min(told.store.parent.glob("*.damaged-*"))  # the others are the logs beside it
    assert kept.read_bytes() == image
    assert "Porto" in told("search", "where does Ana live")


def test_file_of_which_nothing_can_be_saved_is_left_alone(told) -> None:
    told.store.write_bytes(b"no database, only words " * 200)
    before = told.store.read_bytes()
    done = told.result("doctor", "--fix", "--json")
    assert done.exit_code == 1
    assert "restore" in str(findings(done)["file"]["hint"])
    assert told.store.read_bytes() == before


def test_rows_that_refer_to_missing_ones_are_mended(told) -> None:
    with closing(apsw.Connection(str(told.store))) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM changes WHERE no = 1")
    assert not findings(told.result("doctor", "--json"))["rows"]["is_well"]
    assert findings(told.result("doctor", "--fix", "--json"))["rows"]["fixed"]
    assert told.json("doctor")["healthy"]
    assert len(list(told.store.parent.glob("*.before-*"))) == 1


def test_older_file_is_brought_up_to_date_only_when_asked(told, monkeypatch) -> None:
    newer = [*migrate.scripts(), "CREATE TABLE novelty (no INTEGER PRIMARY KEY) STRICT"]
    monkeypatch.setattr(migrate, "scripts", lambda: newer)
    for module in (check, store):
        monkeypatch.setattr(module, "scripts", lambda: newer)
    done = told.result("doctor", "--json")
    assert done.exit_code == 1
    assert findings(done)["schema"]["detail"] == "schema 1 is older than 2"
    assert "queue" not in findings(done)
    assert findings(told.result("doctor", "--fix", "--json"))["schema"]["fixed"]
    assert told.json("doctor")["healthy"]
    assert len(list(told.store.parent.glob("*.schema-1.backup"))) == 1


def test_parked_episodes_get_another_chance(told) -> None:
    with closing(apsw.Connection(str(told.store))) as connection:
        connection.execute("INSERT INTO queue SELECT id, 1, 5, 0, 'too hard' FROM episodes ORDER BY id DESC LIMIT 1")
    assert not findings(told.result("doctor", "--json"))["queue"]["is_well"]
    assert findings(told.result("doctor", "--fix", "--json"))["queue"]["fixed"]
    assert told.json("queue")["parked"] == []

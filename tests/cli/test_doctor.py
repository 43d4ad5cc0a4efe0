"""`everfact doctor`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest


def findings(result) -> dict[str, dict[str, object]]:
    return {found["check"]: found for found in json.loads(result.stdout)["findings"]}


def test_healthy_memory_is_said_to_be(told) -> None:
    found = told.json("doctor")
    assert found["healthy"]
    assert [item["check"] for item in found["findings"]] == [
        "settings", "permissions", "file", "rows", "leases", "queue",
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

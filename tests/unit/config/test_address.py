"""Store addresses: one spelling of each, and no login in any."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from everfact.config import Settings, address
from everfact.errors import ConfigError

if TYPE_CHECKING:
    from tests.unit.config.conftest import Desk


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("/x/memory.db", "sqlite:///x/memory.db"),
        ("sqlite:///x/memory.db", "sqlite:///x/memory.db"),
        ("SQLite:///x/memory.db", "sqlite:///x/memory.db"),
        ("sqlite:///C:/x/memory.db", "sqlite:///C:/x/memory.db"),
        ("falkordb://host:6379", "falkordb://host:6379"),
        ("redis://host:6379/0", "falkordb://host:6379/0"),
        ("rediss://host:6379", "falkordb+s://host:6379"),
        ("falkor://host", "falkordb://host"),
        ("falkors://host", "falkordb+s://host"),
        ("falkordb+ssc://host", "falkordb+ssc://host"),
        ("neo4j://host", "neo4j://host"),
        ("neo4j+s://host:7687", "neo4j+s://host:7687"),
        ("neo4j+ssc://host", "neo4j+ssc://host"),
        ("bolt://[::1]:7687", "bolt://[::1]:7687"),
        ("bolt+s://host", "bolt+s://host"),
        ("BOLT+SSC://host", "bolt+ssc://host"),
    ],
)
def test_a_store_has_one_canonical_address(desk: Desk, written: str, canonical: str) -> None:
    made = desk.settings(EVERFACT_STORE=written)
    assert made.store == canonical
    assert Settings(store=canonical).store == canonical


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("mysql://host/db", "should be a path, sqlite:///path, falkordb://host, neo4j://host or bolt://host"),
        ("redis+s://host", "should be a path"),
        ("bolt:host", "should be a path"),
        ("sqlite:memory.db", "should be sqlite:/// and an absolute path"),
        ("sqlite://memory.db", "should be sqlite:/// and an absolute path"),
        ("sqlite:///", "should be sqlite:/// and an absolute path"),
        ("neo4j://", "names no host"),
        ("neo4j://host:seven", "has a host or a port that cannot be read"),
        ("neo4j://user:sec/ret@host", "has a host or a port that cannot be read"),
        ("neo4j://user:1/secret@host", "should not hold a login"),
    ],
)
def test_any_other_address_is_an_error_that_does_not_repeat_it(desk: Desk, written: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"store from variable EVERFACT_STORE {message}") as caught:
        desk.load(EVERFACT_STORE=written)
    assert "secret" not in str(caught.value)
    assert "sec/ret" not in str(caught.value)


def test_an_empty_address_is_an_error_in_a_file(desk: Desk) -> None:
    desk.write_project('store = ""')
    with pytest.raises(ConfigError, match="should be a path"):
        desk.load()


def test_settings_made_by_hand_take_a_plain_path_but_no_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert Settings(store="memory.db").store_file == Path.cwd() / "memory.db"
    with pytest.raises(ConfigError, match="should not hold a login") as caught:
        Settings(store="neo4j://user:secret@host")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("written", ["~/memory.db", "sqlite:///~/memory.db"])
def test_a_tilde_is_the_home_directory(desk: Desk, written: str) -> None:
    assert desk.settings(EVERFACT_STORE=written).store_file == desk.home / "memory.db"


def test_only_an_sqlite_store_has_a_file() -> None:
    assert Settings(store="neo4j://host").store_file is None
    assert Settings(store="sqlite:///C:/x/memory.db").store_file == Path("C:/x/memory.db")


def test_the_kind_of_a_store_is_told_by_its_address() -> None:
    kinds = [address.kind_of(store) for store in ("a.db", "sqlite:///a", "bolt://h", "redis://h", "mysql://h")]
    assert kinds == ["sqlite", "sqlite", "neo4j", "falkordb", ""]

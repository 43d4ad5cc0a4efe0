"""Tokens: made once, known by their hash, gone when revoked, whoever else edits the file."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from everfact.errors import ConfigError, NotFound, UsageError
from everfact.server.tokens import PREFIX, TokenFile

NOW = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "new" / "tokens.json", now=lambda: NOW)


def test_token_is_found_by_itself_and_by_nothing_else(tokens: TokenFile) -> None:
    secret = tokens.create("laptop", groups=["acme", "acme", "other"], may_write=False)
    found = tokens.find(secret)
    assert found is not None
    assert (found.name, found.groups, found.may_write, found.created_at) == ("laptop", ("acme", "other"), False, NOW)
    for wrong in ("", PREFIX, secret[:-1], secret + "x", secret.upper(), found.digest, "\udc80"):
        assert tokens.find(wrong) is None


def test_file_holds_no_token_and_only_its_owner_may_read_it(tokens: TokenFile) -> None:
    secret = tokens.create("laptop", groups=None, may_write=True)
    assert secret.startswith(PREFIX)
    assert len(secret) > 40
    assert secret not in tokens.path.read_text(encoding="utf-8")
    assert secret.removeprefix(PREFIX) not in tokens.path.read_text(encoding="utf-8")
    if sys.platform != "win32":
        assert tokens.path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tokens.path.parent.glob(".tokens-*")] == []


def test_revoked_token_is_worthless_for_those_who_have_the_file_open(tokens: TokenFile) -> None:
    secret, other = (tokens.create(name, groups=None, may_write=True) for name in ("a", "b"))
    running = TokenFile(tokens.path)
    assert running.find(secret) is not None
    assert tokens.revoke("a").name == "a"
    assert running.find(secret) is None
    assert running.find(other) is not None
    with pytest.raises(NotFound, match="no token is called a"):
        tokens.revoke("a")


def test_no_file_means_no_tokens(tokens: TokenFile) -> None:
    assert tokens.all() == ()
    assert tokens.find("anything") is None


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "two\nlines"])
def test_name_must_be_one(tokens: TokenFile, name: str) -> None:
    with pytest.raises(UsageError, match="no name of a token"):
        tokens.create(name, groups=None, may_write=True)


def test_names_and_groups_are_checked(tokens: TokenFile) -> None:
    tokens.create("a", groups=None, may_write=True)
    with pytest.raises(UsageError, match="already"):
        tokens.create("a", groups=None, may_write=True)
    with pytest.raises(UsageError, match="at least one group"):
        tokens.create("b", groups=[], may_write=True)
    with pytest.raises(UsageError, match="no name of a group"):
        tokens.create("b", groups=["a group"], may_write=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 1, "tokens": [{}]}',
        '{"version": 1, "tokens": [{"name": "a", "sha256": "", "groups": "x", "may_write": true, "created_at": ""}]}',
    ],
)
def test_damaged_file_lets_nobody_in_and_says_so(tokens: TokenFile, text: str) -> None:
    tokens.path.parent.mkdir()
    tokens.path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="damaged"):
        tokens.find("anything")
    with pytest.raises(ConfigError, match="damaged"):
        tokens.create("a", groups=None, may_write=True)


def test_file_of_a_later_version_is_refused(tokens: TokenFile) -> None:
    tokens.path.parent.mkdir()
    tokens.path.write_text(json.dumps({"version": 2, "tokens": []}), encoding="utf-8")
    with pytest.raises(ConfigError, match="later version"):
        tokens.all()


def test_processes_that_create_at_once_lose_nothing(tokens: TokenFile) -> None:
    code = (
        "import sys; from pathlib import Path; from everfact.server.tokens import TokenFile\n"
        "for n in range(20): TokenFile(Path(sys.argv[1])).create(f'{sys.argv[2]}-{n}', groups=None, may_write=True)"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tokens.path), str(who)]) for who in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert len({token.name for token in tokens.all()}) == 60

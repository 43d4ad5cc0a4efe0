"""`everfact token`: made, listed and revoked from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from everfact.cli import app
from everfact.errors import NotFound, UsageError
from everfact.server.tokens import TokenFile


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["token", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_token_is_printed_once_and_allows_what_was_said(own_home: Path) -> None:
    secret = run("create", "ci", "--group", "acme", "--read-only").strip()
    [file] = own_home.rglob("tokens.json")
    found = TokenFile(file).find(secret)
    assert found is not None
    assert (found.groups, found.may_write) == (("acme",), False)
    assert json.loads(run("create", "all", "--all-groups", "--json"))["token"].startswith("evf_")
    listed = run("list")
    assert "ci: read acme, since " in listed
    assert "all: write every group, since " in listed
    assert secret not in listed
    assert [row["name"] for row in json.loads(run("list", "--json"))["tokens"]] == ["ci", "all"]
    assert run("revoke", "ci") == "revoked ci\n"
    assert json.loads(run("revoke", "all", "--json"))["revoked"]["access"] == "write"
    assert run("list") == ""


def test_groups_must_be_said() -> None:
    for extra in ([], ["--group", "a", "--all-groups"]):
        with pytest.raises(UsageError, match="which groups"):
            run("create", "ci", *extra)


def test_unknown_token_is_not_found() -> None:
    with pytest.raises(NotFound):
        run("revoke", "nobody")

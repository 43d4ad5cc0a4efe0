"""`everfact config`, through the runner. Never the real environment or home."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from everfact.cli.config import app
from everfact.config import Places
from everfact.config.settings import KEYS
from everfact.errors import UsageError

SECRET = "hunter2-do-not-show"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder the commands run in, of a user who has set nothing."""
    for variable in os.environ:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    places = Places(home=tmp_path / "home", user_file=tmp_path / "user.toml", data_dir=tmp_path / "data")
    monkeypatch.setattr(Places, "of_this_user", lambda: places)
    return tmp_path


def test_config_show_prints_every_key_its_source_and_the_warnings(project: Path) -> None:
    (project / ".everfact.toml").write_text(f'group = "g"\nllm.api_key = "{SECRET}"', encoding="utf-8")
    result = CliRunner().invoke(app, ["show"], obj={"store": "/x/[bold]a.db"})

    assert result.exit_code == 0, result.output
    assert [key for key in KEYS if key not in result.output] == []
    assert "sqlite:///x/[bold]a.db" in result.output
    assert "flag --store" in result.output
    assert "warning: " in result.output
    assert SECRET not in result.output


def test_config_show_as_json_has_typed_values(project: Path) -> None:
    result = CliRunner().invoke(app, ["show", "--json"], obj={})
    answer = json.loads(result.output)
    assert answer["warnings"] == []
    assert [row["key"] for row in answer["settings"]] == list(KEYS)
    assert {row["key"]: row["value"] for row in answer["settings"]}["mcp.context_tokens"] == 8192


def test_config_get_prints_one_value(project: Path) -> None:
    result = CliRunner().invoke(app, ["get", "mcp.context_tokens"], obj={"mcp.context_tokens": "99"})
    assert result.output == "99\n"


def test_config_get_as_json_says_where_the_value_came_from(project: Path) -> None:
    result = CliRunner().invoke(app, ["get", "group", "--json"], obj={"group": "g"})
    answer = json.loads(result.output)
    assert (answer["key"], answer["value"], answer["source"]) == ("group", "g", "flag --group")


def test_config_get_of_an_unknown_key_names_the_nearest(project: Path) -> None:
    result = CliRunner().invoke(app, ["get", "groups"], obj={})
    assert isinstance(result.exception, UsageError)
    assert "did you mean group?" in str(result.exception)


def test_config_set_keeps_comments_and_all_else(project: Path) -> None:
    file = project / "user.toml"
    file.write_text("# mine\n[mcp]  # the server\ncontext_tokens = 1 # few\n", encoding="utf-8")
    for key, value in (("mcp.context_tokens", "99"), ("group", "g"), ("llm.model", 'a"b')):
        result = CliRunner().invoke(app, ["set", key, value], obj={}, catch_exceptions=False)
        assert result.output == f"set {key} in {file}\n"
    assert file.read_text(encoding="utf-8") == (
        'group = "g"\n# mine\n[mcp]  # the server\ncontext_tokens = 99  # few\n\n[llm]\nmodel = "a\\"b"\n'
    )
    assert CliRunner().invoke(app, ["get", "mcp.context_tokens"], obj={}).output == "99\n"


def test_config_set_in_the_project(project: Path) -> None:
    answer = json.loads(CliRunner().invoke(app, ["set", "group", "g", "--here", "--json"], obj={}).output)
    assert answer == {"key": "group", "value": "g", "file": str(project / ".everfact.toml")}
    refused = CliRunner().invoke(app, ["set", "llm.api_key", SECRET, "--here"], obj={})
    assert "project files are shared" in str(refused.exception)
    shown = CliRunner().invoke(app, ["set", "llm.api_key", SECRET, "--json"], obj={}).output
    assert SECRET not in shown
    assert SECRET in (project / "user.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("mcp.contxt", "1", "did you mean"),
        ("mcp.context_tokens", "x", "should be a whole number"),
        ("mcp.context_tokens", "", "cannot be empty"),
        ("entity_types", "x", "tables of its own"),
    ],
)
def test_config_set_refuses_and_changes_nothing(project: Path, key: str, value: str, message: str) -> None:
    refused = CliRunner().invoke(app, ["set", key, value], obj={})
    assert message in str(refused.exception)
    assert not (project / "user.toml").exists()


@pytest.mark.parametrize("former", [None, "# ours\n"])
def test_config_set_puts_back_a_file_that_could_not_be_read(project: Path, former: str | None) -> None:
    file = project / ".everfact.toml"
    (project / "user.toml").write_text(f'llm.api_key = "{SECRET}"', encoding="utf-8")
    if former is not None:
        file.write_text(former, encoding="utf-8")
    refused = CliRunner().invoke(app, ["set", "llm.base_url", "http://elsewhere.example", "--here"], obj={})
    assert "would go there" in str(refused.exception)
    assert (file.read_text(encoding="utf-8") if file.exists() else None) == former

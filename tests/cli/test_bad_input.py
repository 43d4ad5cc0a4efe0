"""Every command, given what is wrong: an error of one line, the right exit code, nothing half done, no traceback."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import typer

from everfact.cli import app, main
from everfact.config import Places

SAMPLES: dict[str, tuple[str, ...]] = {
    "add": ("Ana works at Globex.",),
    "add-facts": ("facts.json",),
    "backup": ("copy.db",),
    "blame": ("Ana works",),
    "capture": (),
    "compact": (),
    "config get": ("store",),
    "config set": ("mcp.context_tokens", "100"),
    "config show": (),
    "context": (),
    "delete": ("Ana",),
    "diff": ("2026-01-01", "now"),
    "disputes": (),
    "doctor": (),
    "export": ("copy.jsonl",),
    "health": (),
    "import": ("journal.jsonl",),
    "index": (),
    "list": (),
    "log": ("Ana",),
    "mcp install": (),
    "mcp print": (),
    "mcp serve": (),
    "mcp uninstall": (),
    "merge": ("Ana", "Bob"),
    "models install": ("minilm",),
    "models list": (),
    "models remove": ("minilm",),
    "purge": ("Ana", "--yes"),
    "queue": ("--run",),
    "reprocess": ("--undo",),
    "restore": ("copy.db", "--yes"),
    "search": ("Ana",),
    "session-tracking start": (),
    "session-tracking status": (),
    "session-tracking stop": (),
    "session-tracking sync": (),
    "session-tracking watch": (),
    "setup": (),
    "show": ("Ana",),
    "split": ("Ana", "Anna"),
    "stats": (),
    "summarize": (),
    "token create": ("laptop", "--all-groups"),
    "token list": (),
    "token revoke": ("laptop",),
    "undo": ("019f8a3e",),
}
"""Every command, used rightly. Who adds a command adds a line, and has it tried here."""

_NO_STORE = {
    "mcp install",
    "mcp print",
    "mcp uninstall",
    "models install",
    "models list",
    "models remove",
    "config get",
    "config set",
    "config show",
    "token create",
    "token list",
    "token revoke",
}
_LAZY = {"mcp serve"}
"""They open the memory when a client needs it, and tell the client."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    """The program as its entry point runs it, errors made into messages and exit codes, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "facts.json").write_text(
        json.dumps([{"subject": "Ana", "relation": "WORKS_AT", "object": "Globex"}]), encoding="utf-8"
    )

    (tmp_path / "journal.jsonl").write_text('{"everfact": "journal", "version": 1}\n', encoding="utf-8")

    def run(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["everfact", *words])
        code = 0
        try:
            main()
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 1
        printed = capsys.readouterr()
        return Done(code, printed.out, printed.err)

    return run


def commands(group: click.Command, path: str = "") -> Iterator[str]:
    if isinstance(group, click.Group) or hasattr(group, "commands"):
        for name, command in group.commands.items():
            yield from commands(command, f"{path} {name}".strip())
    else:
        yield path


def assert_said(done: Done, code: int) -> None:
    assert done.code == code, done
    assert "Traceback" not in done.err
    assert done.err.strip()


def test_every_command_is_tried_here() -> None:
    apart = {"hook"}  # it ends its process at once, and always well; tests/hooks tries it
    assert set(commands(typer.main.get_command(app))) == SAMPLES.keys() | apart


@pytest.mark.parametrize("command", SAMPLES)
def test_unknown_option_is_wrong_use(run, command: str) -> None:
    done = run(*command.split(), *SAMPLES[command], "--no-such-option")
    assert_said(done, 2)
    assert "no-such-option" in done.err


@pytest.mark.parametrize("command", [command for command, words in SAMPLES.items() if words])
def test_missing_argument_is_wrong_use(run, command: str) -> None:
    done = run(*command.split())
    if command not in ("log", "queue", "search"):  # without an argument they show all, or say what they need
        assert_said(done, 2)


@pytest.mark.parametrize("command", SAMPLES)
def test_unknown_setting_is_named_with_the_nearest(run, tmp_path: Path, command: str) -> None:
    (tmp_path / ".everfact.toml").write_text("[mcp]\ncontext_token = 5\n", encoding="utf-8")
    done = run(*command.split(), *SAMPLES[command])
    if command.startswith("token") or command == "models remove":  # they need no settings
        assert "Traceback" not in done.err
    elif command == "doctor":  # it is asked what is wrong
        assert done.code == 1
        assert "context_tokens" in done.out
    else:
        assert_said(done, 2)
        assert "context_tokens" in done.err


@pytest.mark.parametrize("command", sorted(SAMPLES.keys() - _NO_STORE - _LAZY))
def test_damaged_memory_is_said_to_be_and_left_as_it_is(run, tmp_path: Path, command: str) -> None:
    store = tmp_path / "memory.db"
    store.write_bytes(b"no database, only words " * 200)
    before = store.read_bytes()
    done = run("--store", str(store), *command.split(), *SAMPLES[command])
    if command == "doctor":
        assert done.code == 1
        assert "damaged" in done.out
    elif command == "setup":  # it tells of each step
        assert (done.code, "damaged" in done.out, "hint: " in done.out) == (1, True, True)
    elif command == "restore":  # it is not the memory that it reads first
        assert_said(done, 2)
    else:
        assert_said(done, 1)
        assert "damaged" in done.err
        assert "hint: " in done.err
    assert store.read_bytes() == before
    assert not (tmp_path / "copy.db").exists()
    assert not (tmp_path / "copy.jsonl").exists()


@pytest.mark.parametrize("command", sorted(SAMPLES.keys() - _NO_STORE - _LAZY - {"doctor", "setup"}))
def test_memory_that_cannot_be_made_is_a_clear_error(run, tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    done = run("--store", str(tmp_path / "file" / "memory.db"), *command.split(), *SAMPLES[command])
    assert_said(done, 1)
    assert "hint: " in done.err


def test_user_file_that_is_not_toml_is_named(run) -> None:
    file = Places.of_this_user().user_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("store = = 1", encoding="utf-8")
    done = run("health")
    assert_said(done, 2)
    assert str(file) in done.err

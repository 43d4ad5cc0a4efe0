"""The program in this process, on a memory of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from everfact.cli import app
from everfact.cli.arguments import arguments

Run = Callable[..., Result]


class Program:
    """Runs commands; errors that are ours come up as they are."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __call__(self, *words: str, stdin: str | None = None) -> str:
        """What a command prints."""
        done = self.result(*words, stdin=stdin)
        assert done.exit_code == 0, done.output
        return done.stdout

    def result(self, *words: str, stdin: str | None = None) -> Result:
        """All that came of a command."""
        given = arguments(["everfact", "--store", str(self.store), "--group", "demo", *words])
        return CliRunner().invoke(app, given, input=stdin, catch_exceptions=False)

    def json(self, *words: str, stdin: str | None = None) -> Any:
        """What a command prints as JSON."""
        return json.loads(self(*words, "--json", stdin=stdin))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "memory.db")


@pytest.fixture
def told(program: Program) -> Program:
    """A memory in which somebody changed jobs and moved."""
    program("add", "Ana Costa works at Globex. She lives in Lisbon.", "--at", "2026-01-10", "--tags", "people, work")
    program("add", "Ana Costa left Globex. She works at Initech now.", "--at", "2026-03-20")
    program(
        "add", "Ana Costa moved to Porto in May 2026.", "--at", "2026-06-01", "--source", "wiki", "--thread", "moves"
    )
    return program

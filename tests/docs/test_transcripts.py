"""What the pages show of a terminal is what a terminal shows: each transcript is run from its top, in a new memory."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from everfact.cli import app
from everfact.cli.arguments import arguments

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "command-line.md"
NAMES = (
    (r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f0-9])[0-9a-f]{8}\b", "<id>"),
    (r"\b(known )?20\d\d-\d\d-\d\d \d\d:\d\d\b", "<now>"),
    (r"known 20\d\d-\d\d-\d\d", "known <today>"),
    (r"[\d,]+ bytes", "<size> bytes"),
    (r"<now> +", "<now> "),
)


def shown(text: str) -> str:
    """The text without what is another each time."""
    for pattern, name in NAMES:
        text = re.sub(pattern, name, text)
    return text.rstrip()


def test_guide_shows_what_a_terminal_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    blocks = re.findall(r"<!-- transcript -->\n```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    steps = [step for block in blocks for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(steps) > 5
    for step in steps:
        command, _, expected = step.partition("\n")
        assert shown(run(command, tmp_path)) == shown(expected), command


def run(command: str, folder: Path) -> str:
    """What a command prints."""
    words = shlex.split(command)
    assert words[0] == "everfact"
    done = CliRunner().invoke(app, arguments([*words, "--store", str(folder / "memory.db")]), catch_exceptions=False)
    return done.stdout.replace(str(folder), "/home/you")

"""Hooks in the real clients: what one conversation decides is in the first request of the next one."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path

import pytest
from tests.clients.model import Model, serving
from tests.clients.test_claude import claude

from everfact.injected import CLOSING, OPENING

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
DECISION = "We chose Postgres over MySQL for the job queue because of SKIP LOCKED."


def install_hooks(folder: Path) -> None:
    """As an installer does, for a user whose home the folder is."""
    program = [sys.executable, "-m", "everfact", "hook"]
    options = ["--client", "claude", "--store", str(folder / "memory.db"), "--group", "demo"]
    hooks = {
        event: [{"hooks": [{"type": "command", "command": shlex.join([*program, event, *options]), "timeout": 10}]}]
        for event in EVENTS
    }
    settings = folder / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


def converse(folder: Path, prompt: str) -> list[str]:
    """A conversation of one turn; answers with the requests that reached the model."""
    with serving(Model("none", {})) as model:
        done = claude(folder, "-p", prompt, ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="none")
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return [json.dumps(request, ensure_ascii=False) for request in model.requests]


def test_what_is_decided_in_one_conversation_the_next_one_begins_with(tmp_path: Path) -> None:
    install_hooks(tmp_path)
    first = converse(tmp_path, f"{DECISION} Just say that you have read this.")
    assert not any(OPENING in request for request in first)
    spool = tmp_path / ".local" / "share" / "everfact" / "spool"
    end = time.monotonic() + 120
    while not (spool / "taken").is_dir() or list(spool.glob("waiting/*")) or list(spool.glob("taken/*")):
        assert time.monotonic() < end, "nothing was captured"
        time.sleep(0.2)
    second = converse(tmp_path, "Good morning, what is there to do?")
    told = [request for request in second if OPENING in request]
    assert told, second
    start = told[0].index(OPENING)
    notes = told[0][start : told[0].index(CLOSING, start)]
    assert DECISION in notes
    assert "untrusted: claude session" in notes
    asked = converse(tmp_path, "Which database has the job queue?")
    assert any(request.count(OPENING) >= 2 for request in asked)

"""`everfact capture` and `everfact session-tracking`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.capture.samples import CLAUDE, CODEX, GEMINI

from everfact.errors import NotFound, UsageError


@pytest.fixture
def home(own_home: Path) -> Path:
    """A home with a session of each client."""
    places = {
        CLAUDE: own_home / ".claude" / "projects" / "-home-ana-shop",
        CODEX: own_home / ".codex" / "sessions" / "2026" / "03" / "02",
        GEMINI: own_home / ".gemini" / "tmp" / "shop" / "chats",
    }
    for sample, place in places.items():
        place.mkdir(parents=True)
        shutil.copy(sample, place)
    return own_home


def test_a_session_can_be_captured_by_its_id(program, home: Path) -> None:
    shown = program("capture", "--session", CLAUDE.stem)
    assert shown.startswith(f"session {CLAUDE.stem}: 2 turns as 5 episodes, ")
    assert program("capture", "--session", CLAUDE.stem) == f"nothing new in session {CLAUDE.stem}\n"
    program("queue", "--run")
    assert "We decided to use SQLite for the cache." in program("search", "what was decided about the cache?")


def test_a_session_can_be_captured_by_its_file(program, home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "chat.jsonl"
    shutil.copy(GEMINI, elsewhere)
    done = program.json("capture", "--transcript", str(elsewhere), "--client", "gemini")
    assert (done["turns"], done["episodes"], done["session_id"][:8]) == (1, 3, "2cf2d08f")


def test_the_current_session_comes_before_the_projects_latest(
    program, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFound, match="no transcript of a session in"):
        program("capture")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", CLAUDE.stem)
    assert program.json("capture")["session_id"] == CLAUDE.stem


def test_what_is_no_session_is_refused(program, home: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no transcript"):
        program("capture", "--transcript", str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="no client is called"):
        program("capture", "--transcript", str(CLAUDE), "--client", "vim")
    with pytest.raises(UsageError, match="no session is named"):
        program("session-tracking", "start")


def test_history_is_shown_before_it_is_taken(program, home: Path) -> None:
    shown = program("session-tracking", "sync")
    assert "3 sessions, " in shown
    assert "about $0.00" in shown
    assert "add --no-dry-run" in shown
    assert program.json("stats")["episodes"] == 0
    assert "took in 3 of 3 sessions, for $0.00" in program("session-tracking", "sync", "--no-dry-run")
    assert program.json("stats")["episodes"] == 11
    assert program.json("session-tracking", "sync")["estimated_tokens"] == 0
    assert program.json("session-tracking", "sync", "--no-dry-run", "--max-sessions", "1")["sessions_indexed"] == 1
    assert program.json("session-tracking", "sync", "--project", "/home/ben")["sessions_found"] == 0


def test_all_of_history_must_be_meant(program, home: Path) -> None:
    for words in (("--days", "0"), ("--days", "0", "--no-dry-run")):
        with pytest.raises(UsageError, match="of all time"):
            program("session-tracking", "sync", *words)
    assert program.json("session-tracking", "sync", "--days", "0", "--confirm")["sessions_found"] == 3


def test_a_session_can_be_followed_or_left_out(program, home: Path) -> None:
    assert "not followed" in program("session-tracking", "status")
    assert program.json("session-tracking", "start", "--session", "x")["status"] == "disabled"
    assert program.json("session-tracking", "start", "--session", "x", "--force")["enabled"] is True
    assert program.json("session-tracking", "status", "--session", "x")["runtime_override"] is True
    assert "disabled for session" in program("session-tracking", "stop", "--session", CODEX.stem[-36:])
    assert program.json("session-tracking", "sync", "--no-dry-run")["sessions_indexed"] == 2
    assert "not to be captured" in program("capture", "--session", CODEX.stem[-36:])
    assert "session   x: followed" in program("session-tracking", "status", "--session", "x")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_watch_follows_until_it_is_interrupted(tmp_path: Path, home: Path) -> None:
    (home / ".config" / "everfact").mkdir(parents=True)
    variables = {"EVERFACT_SESSION_TRACKING__INACTIVITY_TIMEOUT": "0.1", "PYTHONUNBUFFERED": "1"}

    command = [sys.executable, "-m", "everfact", "--store", str(tmp_path / "m.db"), "session-tracking", "watch"]
    with subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.PIPE, text=True) as watching:
        try:
            assert watching.stdout
            told = [watching.stdout.readline() for _ in range(6)]
            deadline = time.monotonic() + 60
            watching.send_signal(signal.SIGINT)
            assert watching.wait(deadline - time.monotonic()) == 130
        finally:
            watching.kill()
    assert sum(line.startswith("session ") for line in told) == 3

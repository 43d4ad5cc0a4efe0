"""A project with a memory, and hooks called in this process or as a client calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from everfact.hooks import drain, run
from everfact.hooks.spool import Spool

LINE = {
    "parentUuid": None,
    "isSidechain": False,
    "userType": "external",
    "version": "2.1.325",
    "gitBranch": "",
    "type": "user",
}


class Client:
    """A coding assistant that calls hooks in a folder."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder, self.store = folder, store
        self.session = "11111111-2222-4333-8444-555555555555"
        self.transcript = folder / f"{self.session}.jsonl"

    def arguments(self, event: str, *more: str, client: str = "claude") -> list[str]:
        return [event, "--client", client, "--store", str(self.store), "--group", "demo", *more]

    def message(self, **given: Any) -> bytes:
        said = {"session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.folder)}
        return json.dumps(said | given).encode()

    def call(self, event: str, *more: str, client: str = "claude", **given: Any) -> dict[str, Any]:
        """The answer, with the hook run in this process."""
        answer: dict[str, Any] = json.loads(
            run.answered(self.arguments(event, *more, client=client), self.message(**given))
        )
        return answer

    def context(self, event: str, *more: str, **given: Any) -> str:
        """What it puts into the conversation."""
        said: str = self.call(event, *more, **given).get("hookSpecificOutput", {}).get("additionalContext", "")
        return said

    def start(self, event: str, *more: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        """The program, as a client starts it."""
        given = self.message() if stdin is None else stdin
        return subprocess.run(
            [sys.executable, "-m", "everfact", "hook", *self.arguments(event, *more)],
            cwd=self.folder, input=given, capture_output=True, timeout=60, check=False,
        )  # fmt: skip

    def says(self, text: str, place: int = 0) -> None:
        """A person's prompt, as the client writes it down."""
        line = LINE | {
            "uuid": f"00000000-0000-4000-8000-{place:012}",
            "sessionId": self.session,
            "cwd": str(self.folder),
            "timestamp": f"2026-03-01T10:00:{place % 60:02}.000Z",
            "message": {"role": "user", "content": text},
        }
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


@pytest.fixture
def client(tmp_path: Path) -> Client:
    folder = tmp_path / "project"
    folder.mkdir()
    return Client(folder, tmp_path / "memory.db")


@pytest.fixture
def spool(own_home: Path) -> Spool:
    return Spool.of_this_user()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Spool]:
    """Which spools somebody wanted worked off; nothing is."""
    found: list[Spool] = []
    monkeypatch.setattr(drain, "start", found.append)
    return found

"""Real repositories, made by git itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from everfact.memory import Memory
from everfact.models import Source
from everfact.testing.fakes import FixedExtractor
from everfact.testing.reference import ReferenceStore


class Repository:
    """A folder with a clock of its own: every commit is a minute later than the one before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._minute = 0

    def git(self, *arguments: str, stdin: bytes = b"", **environ: str) -> str:
        self._minute += 1
        at = f"2026-03-01T10:{self._minute:02}:00+02:00"
        identity = {"GIT_AUTHOR_NAME": "Ana Costa", "GIT_AUTHOR_EMAIL": "ana@example.com"}
        identity |= {"GIT_COMMITTER_NAME": "Bot", "GIT_COMMITTER_EMAIL": "bot@example.com"}
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.folder,
            env=os.environ | identity | dates | environ,
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, message: str, *files: str, **environ: str) -> str:
        for name in files or ("notes.txt",):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(message + str(self._minute), encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, **environ)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder = tmp_path / "shop"
    folder.mkdir()
    made = Repository(folder)
    made.git("init", "-q")
    return made


@pytest.fixture
def memory() -> Memory:
    return Memory(ReferenceStore(), dict.fromkeys(Source, FixedExtractor()))

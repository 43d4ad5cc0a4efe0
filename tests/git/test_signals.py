"""What git tells of the work at hand."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from tests.git.conftest import Repository

from everfact.git.program import output
from everfact.git.signals import read_signals
from everfact.signals import Signals

PATIENT = 20.0


def test_branch_commits_and_files_are_told(repository: Repository) -> None:
    repository.commit("Add the queue", "src/queue.py")
    repository.git("switch", "-q", "-c", "fix/retry-sleeps")
    head = repository.commit("Retry sooner", "src/ümlaut name.py", "docs/retry.md")
    (repository.folder / "src" / "queue.py").write_text("changed", encoding="utf-8")
    found = read_signals(repository.folder, prompt="go on", seconds=PATIENT)
    assert found.branch == "fix/retry-sleeps"
    assert found.head == head
    assert found.commits == ("Retry sooner", "Add the queue")
    assert found.files == ("queue.py", "retry.md", "ümlaut name.py")
    assert found.prompt == "go on"
    assert "retry sleeps" in found.work


def test_an_empty_repository_and_a_detached_head_have_less_to_tell(repository: Repository) -> None:
    assert read_signals(repository.folder, seconds=PATIENT) == Signals(branch="main")
    head = repository.commit("Begin")
    repository.git("checkout", "-q", head)
    found = read_signals(repository.folder, seconds=PATIENT)
    assert (found.branch, found.head, found.commits) == ("", head, ("Begin",))


def test_outside_git_there_is_only_the_prompt(tmp_path: Path) -> None:
    assert read_signals(tmp_path, prompt="hello", seconds=PATIENT) == Signals(prompt="hello")
    assert read_signals(tmp_path / "no such folder", prompt="hello") == Signals(prompt="hello")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for git is a shell script")
def test_a_git_that_hangs_is_not_waited_for(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    began = time.monotonic()
    assert read_signals(repository.folder, prompt="hello") == Signals(prompt="hello")
    assert time.monotonic() - began < 30


def test_without_git_nothing_fails(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert read_signals(repository.folder) == Signals()


@pytest.mark.skipif(sys.platform == "win32", reason="the program of the settings is a shell script")
def test_no_program_that_a_repository_names_is_run(repository: Repository, tmp_path: Path) -> None:
    repository.commit("Begin")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path / 'sprung'}\n", encoding="utf-8")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "gpg.program", "diff.external"):
        repository.git("config", key, str(trap))
    repository.git("config", "log.showSignature", "true")
    assert read_signals(repository.folder, seconds=PATIENT).commits == ("Begin",)
    assert not (tmp_path / "sprung").exists()


def test_what_git_was_told_of_another_folder_does_not_count(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("Begin")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere.git"))
    assert output(repository.folder, "log", "--format=%s", seconds=PATIENT) == b"Begin\n"

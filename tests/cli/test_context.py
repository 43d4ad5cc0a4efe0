"""`everfact context`, `index`, and what `doctor` and `health` say of hooks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import toons
from tests.cli.conftest import Program
from tests.git.conftest import Repository, repository

from everfact.errors import UsageError
from everfact.hooks import drain
from everfact.hooks.spool import Job, Spool

__all__ = ["repository"]


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("PWD", str(repository.folder))
    return repository


def test_nothing_known_is_nothing_printed(program: Program) -> None:
    assert program("context") == ""
    assert program.json("context") == {"context": ""}


def test_the_brief_is_printed_as_it_is(program: Program) -> None:
    program("add", "We chose Postgres over MySQL for the job queue because of SKIP LOCKED, and of nothing else at all.")
    program("add", "Ana prefers tabs.")
    text = program("context")
    assert text == program.json("context")["context"] + "\n"
    assert list(toons.loads(text)) == ["<everfact-memory>", "decisions", "preferences", "</everfact-memory>"]
    assert program("context", "--max-tokens", "10") == ""
    assert program("context", "--part", "1/2") == text
    assert program("context", "--part", "2/2") == ""
    assert "Postgres" in program("context", "which database has the queue")


@pytest.mark.parametrize("part", ["0/2", "3/2", "2", "x/y", "-1/2"])
def test_a_part_that_is_none_is_refused(program: Program, part: str) -> None:
    with pytest.raises(UsageError, match="is no part"):
        program("context", "--part", part)


def test_commits_are_indexed_and_the_brief_tells_of_them(program: Program, project: Repository) -> None:
    sha = project.commit("Retry sooner", "retry.py")
    assert program("index") == f"1 commit read, 1 new episode, up to {sha[:12]}\n"
    assert program.json("index") | {"repository": ""} == {
        "repository": "", "head": sha, "commits": 0, "episodes": 0, "left_out": 0,
    }  # fmt: skip
    assert "Retry sooner" in program("context")
    for number in range(3):
        project.commit(f"Commit {number}")
    assert "2 older commits left out: --max takes more" in program("index", str(project.folder), "--max", "1")


def test_outside_git_there_is_nothing_to_index(program: Program, tmp_path: Path) -> None:
    assert program("index", str(tmp_path)).startswith("nothing to index")
    with pytest.raises(UsageError, match="is no folder"):
        program("index", str(tmp_path / "none"))


def test_a_brief_that_is_behind_has_the_rest_indexed(
    program: Program, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Spool] = []
    monkeypatch.setattr(drain, "start", started.append)
    monkeypatch.setattr("everfact.git.signals.read_signals.__kwdefaults__", {"prompt": "", "seconds": 30.0})
    project.commit("Begin")
    program("context")
    assert started == []  # a project that nobody ever indexed is left alone
    program("index")
    project.commit("Go on")
    program("context")
    assert len(started) == 1
    assert drain.drain(started[0]) == 1
    assert "Go on" in program("context")
    assert len(started) == 1


def test_jobs_of_hooks_that_failed_are_told_and_tried_again(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program("add", "Ana works at Globex.")
    assert "jobs of hooks" not in program("doctor")
    spool = Spool.of_this_user()
    spool.put(Job(kind="capture", store=str(program.store), session_id="s"))
    assert "1 jobs of hooks wait, 0 failed" in program("doctor")
    for _ in range(5):
        job = spool.take(spool.waiting()[0])
        assert job is not None
        spool.failed(job, "no such transcript")
    assert "everfact doctor tells more" in program("health")
    found = program.result("doctor", "--json")
    assert found.exit_code == 1
    said = next(one for one in json.loads(found.stdout)["findings"] if one["check"] == "captures")
    assert said["detail"] == "0 jobs of hooks wait, 1 failed"
    assert "no such transcript" in said["hint"]
    started: list[Spool] = []
    monkeypatch.setattr(drain, "start", started.append)
    assert program.json("doctor", "--fix")["healthy"]
    assert len(started) == len(spool.waiting()) == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to root, or by POSIX modes")
def test_a_spool_that_cannot_be_written_is_told(program: Program) -> None:
    folder = Spool.of_this_user().folder
    folder.mkdir(parents=True)
    folder.chmod(0o500)
    assert "not writable" in program("health")

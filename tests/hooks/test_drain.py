"""What waits is worked off by one process at a time, whatever becomes of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.git.conftest import Repository, repository
from tests.hooks.conftest import Client

from everfact import Filter, open_memory
from everfact.hooks import drain, inject
from everfact.hooks.spool import TRIES, Job, Spool

pytestmark = pytest.mark.slow

SOON = 60.0
__all__ = ["repository"]


def job(client: Client, session: str = "", **given: Any) -> Job:
    plain = {"kind": "capture", "store": str(client.store), "group": "demo", "folder": str(client.folder)}
    return Job(**plain | {"session_id": session or client.session, "transcript": str(client.transcript)} | given)


def wait_until(what: Any) -> None:
    end = time.monotonic() + SOON
    while not what():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


def episodes(client: Client) -> list[str]:
    async def told() -> list[str]:
        async with await open_memory(client.store) as memory:
            return [e.content for e in await memory.episodes(Filter(group_ids=None), limit=500)]

    return asyncio.run(told())


def test_a_session_is_captured_after_the_client_has_gone(client: Client, spool: Spool) -> None:
    client.says("We chose Postgres over MySQL for the job queue.")
    assert client.start("SessionEnd").stdout == b"{}\n"
    wait_until(lambda: client.store.exists() and not spool.waiting() and not list((spool.folder / "taken").iterdir()))
    assert episodes(client) == ["We chose Postgres over MySQL for the job queue."]
    said = json.loads(client.start("SessionStart").stdout)["hookSpecificOutput"]["additionalContext"]
    assert "We chose Postgres over MySQL for the job queue." in said
    assert "untrusted: claude session" in said


def test_what_was_put_into_the_conversation_is_not_learned(client: Client, spool: Spool) -> None:
    client.says("We chose Postgres over MySQL for the job queue.")
    spool.put(job(client))
    assert drain.drain(spool) == 1
    context = client.context("SessionStart")
    client.says(f"{context}\nThanks, that is what I wanted to know about it.", 1)
    spool.put(job(client))
    assert drain.drain(spool) == 1
    assert sorted(episodes(client)) == [
        "Thanks, that is what I wanted to know about it.",
        "We chose Postgres over MySQL for the job queue.",
    ]


def test_a_job_that_fails_lets_the_others_by_and_is_given_up_in_the_end(client: Client, spool: Spool) -> None:
    client.says("We chose Postgres over MySQL for the job queue.")
    bad = job(client, "99999999-2222-4333-8444-555555555555", transcript=str(client.folder / "none.jsonl"))
    spool.put(bad)
    spool.put(job(client, kind="nonsense"))
    for tries in range(1, TRIES + 1):
        spool.put(job(client))
        assert drain.drain(spool) == 1
        left = {one.kind: one for one in spool.parked()}
        assert set(left) == ({"capture", "nonsense"} if tries == TRIES else set())
    assert "none.jsonl" in left["capture"].error
    assert spool.waiting() == []
    assert spool.trouble().startswith("2 captured sessions or indexes failed")
    assert spool.retry() == 2
    assert [path.name for path in spool.waiting()].count(bad.name) == 1
    assert spool.trouble() == ""


def test_what_cannot_be_read_is_given_up_at_once(client: Client, spool: Spool) -> None:
    waiting = spool.folder / "waiting"
    waiting.mkdir(parents=True)
    for name, content in (("a.json", b""), ("b.json", b"\xff"), ("c.json", b'{"kind": 7}'), ("d.json", b"[]")):
        (waiting / name).write_bytes(content)
    assert drain.drain(spool) == 0
    assert spool.waiting() == []
    assert len(spool.parked()) == 4
    assert spool.retry() == 4


def test_only_one_works_at_a_time(client: Client, spool: Spool) -> None:
    client.says("We chose Postgres over MySQL for the job queue.")
    spool.put(job(client))
    with spool.locked() as is_ours, spool.locked() as is_ours_too:
        assert (is_ours, is_ours_too) == (True, False)
        assert drain.drain(spool) == 0
    assert drain.drain(spool) == 1


def test_what_is_put_while_a_job_runs_is_done_too(
    client: Client, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    async def act(_memory: object, _settings: object, given: Job) -> None:
        done.append(given.session_id)
        if len(done) == 1:
            spool.put(given)
            with spool.locked() as is_ours:
                assert not is_ours

    monkeypatch.setitem(drain._ACTS, "capture", act)
    spool.put(job(client, "s"))
    assert drain.drain(spool) == 2
    assert done == ["s", "s"]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
def test_a_worker_that_is_killed_loses_nothing(client: Client, spool: Spool) -> None:
    for number in range(40):
        client.says(f"We chose option {number} over the rest for the job queue of shard {number}.", number)
    killed = 0
    for delay in (0.2, 0.4, 0.6, 0.9, 1.2):
        if not spool.knows(job(client)):
            spool.put(job(client))
        worker = subprocess.Popen([sys.executable, "-m", "everfact.hooks", str(spool.folder)], cwd=client.folder)
        time.sleep(delay)
        killed += worker.poll() is None
        worker.send_signal(signal.SIGKILL)
        worker.wait(SOON)
        if spool.parked():
            break
    assert killed
    spool.put(job(client))
    drain.drain(spool)
    assert spool.waiting() == spool.parked() == []
    assert list((spool.folder / "taken").iterdir()) == []
    assert len(episodes(client)) == len(set(episodes(client))) == 40


def test_a_job_that_kills_its_worker_is_given_up(client: Client, spool: Spool) -> None:
    spool.put(job(client))
    for _ in range(TRIES):
        assert spool.take(spool.waiting()[0]) is not None
        spool.recover()
    assert [one.error for one in spool.parked()] == ["the process that was at it ended"]


@pytest.mark.skipif(os.name == "nt", reason="sessions are POSIX's")
def test_the_worker_has_a_session_of_its_own_and_no_project_can_take_its_place(
    client: Client, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = client.folder / "everfact"
    trap.mkdir()
    (trap / "__init__.py").write_text(f"open({str(client.folder / 'sprung')!r}, 'w')", encoding="utf-8")
    monkeypatch.chdir(client.folder)
    spool.put(job(client, transcript=str(client.folder / "none")))
    drain.start(spool)
    log = spool.folder / "drain.log"
    wait_until(lambda: log.exists() and log.stat().st_size)
    assert not (client.folder / "sprung").exists()
    assert "no transcript" in (spool.folder / "drain.log").read_text(encoding="utf-8")


def test_commits_that_came_in_are_indexed_meanwhile(
    repository: Repository, tmp_path: Path, spool: Spool, started: list[Spool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inject, "_GIT_SECONDS", 30.0)
    client = Client(repository.folder, tmp_path / "memory.db")
    repository.commit("Begin")
    program = [sys.executable, "-m", "everfact", "--store", str(client.store), "--group", "demo"]
    subprocess.run([*program, "index", str(repository.folder)], check=True, capture_output=True)
    client.call("SessionStart")
    assert spool.waiting() == []
    repository.commit("Choose Postgres over MySQL")
    client.call("SessionStart")
    client.call("SessionStart")
    assert len(spool.waiting()) == 1
    assert drain.drain(spool) == 1
    assert "Choose Postgres over MySQL" in client.context("SessionStart")
    assert spool.waiting() == []


def test_a_log_does_not_grow_without_end(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "_MOST_LOG", 10)
    spool.put(Job(kind="capture", store=""))
    spool.waiting()[0].unlink()
    log = spool.folder / "drain.log"
    log.write_text("x" * 100, encoding="utf-8")
    drain.start(spool)
    assert log.stat().st_size == 0

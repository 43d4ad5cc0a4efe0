"""Following sessions, and syncing those of the past."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.unit.capture.samples import CLAUDE, CODEX, homes, options

from everfact.assemble import open_memory
from everfact.capture.take import Captured, Options
from everfact.capture.tracker import Global, Preview, Tracker
from everfact.capture.transcripts import find
from everfact.errors import UsageError
from everfact.memory import Memory
from everfact.models import Filter

SESSION = CLAUDE.stem
EVERYWHERE = Filter(group_ids=None)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with await open_memory(tmp_path / "memory.db") as memory:
        yield memory


@pytest.fixture
def ways(tmp_path: Path) -> Options:
    return options(homes(tmp_path))


def tracker(memory: Memory, ways: Options, *, enabled: bool = True, silence: float = 0, price: float = 0) -> Tracker:
    told = Global(enabled=enabled, watch_path="~/.claude/projects", inactivity_timeout=silence, check_interval=0.05)
    return Tracker(memory, ways, told, price=lambda tokens: tokens * price)


async def until_kept(memory: Memory, count: int) -> None:
    async with asyncio.timeout(30):
        while len(await memory.episodes(EVERYWHERE, limit=100)) != count:
            await asyncio.sleep(0.02)


def age(ways: Options, *, days: int) -> None:
    """Make all transcripts that old."""
    then = time.time() - days * 86_400
    for item in find(ways.folders):
        os.utime(item.path, (then, then))


async def test_a_session_is_captured_once_it_is_silent(memory: Memory, ways: Options) -> None:
    async with tracker(memory, ways):
        await until_kept(memory, 11)


async def test_a_session_that_somebody_writes_to_waits(memory: Memory, ways: Options) -> None:
    async with tracker(memory, ways, silence=3600) as tracked:
        async with asyncio.timeout(30):
            while (status := await tracked.status("")).session_manager.active_sessions != 3:
                await asyncio.sleep(0.02)
        assert status.session_manager.running
        assert await memory.episodes(EVERYWHERE) == []


async def test_what_is_written_later_is_captured_too(memory: Memory, ways: Options) -> None:
    text = CLAUDE.read_text(encoding="utf-8").replace("00000000-0000", "11111111-0000").replace("the cache", "mail")
    path = next(item.path for item in find(ways.folders) if item.client == "claude")
    async with tracker(memory, ways):
        await until_kept(memory, 11)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
        await until_kept(memory, 16)


async def test_old_sessions_are_history(memory: Memory, ways: Options) -> None:
    age(ways, days=8)
    async with tracker(memory, ways):
        await asyncio.sleep(0.3)
        assert await memory.episodes(EVERYWHERE) == []
        os.utime(next(item.path for item in find(ways.folders) if item.client == "codex"))
        await until_kept(memory, 3)


async def test_nothing_is_followed_unless_wanted(memory: Memory, ways: Options) -> None:
    async with tracker(memory, ways, enabled=False) as tracked:
        refused = await tracked.start(SESSION)
        assert asdict(refused) == {
            "status": "disabled",
            "message": refused.message,
            "session_id": SESSION,
            "enabled": False,
            "forced": False,
            "global_config": False,
        }
        assert not (await tracked.status(SESSION)).session_manager.running


async def test_one_session_can_be_followed_alone_and_restarts_remember_it(memory: Memory, ways: Options) -> None:
    async with tracker(memory, ways, enabled=False) as tracked:
        started = await tracked.start(SESSION, force=True)
        assert (started.status, started.enabled, started.forced) == ("success", True, True)
        await until_kept(memory, 5)
    async with tracker(memory, ways, enabled=False) as tracked:
        status = await tracked.status(SESSION)
        assert (status.enabled, status.runtime_override, status.session_manager.running) == (True, True, True)
        assert (await tracked.status("other")).enabled is False


async def test_one_session_can_be_left_out_and_taken_up_again(memory: Memory, ways: Options) -> None:
    quiet = tracker(memory, ways)
    stopped = await quiet.stop(SESSION)
    assert asdict(stopped) == {"status": "success", "message": stopped.message, "session_id": SESSION, "enabled": False}
    async with tracker(memory, ways) as tracked:
        await until_kept(memory, 6)
        await asyncio.sleep(0.2)
        assert SESSION not in {episode.thread for episode in await memory.episodes(EVERYWHERE, limit=100)}
        assert asdict(await tracked.status(SESSION)) == {
            "status": "success",
            "session_id": SESSION,
            "enabled": False,
            "global_config": {
                "enabled": True,
                "watch_path": "~/.claude/projects",
                "inactivity_timeout": 0,
                "check_interval": 0.05,
            },
            "runtime_override": False,
            "session_manager": {"running": True, "active_sessions": 0},
            "filter_config": {
                "tool_calls": "SUMMARY",
                "tool_content": "SUMMARY",
                "user_messages": "FULL",
                "agent_messages": "FULL",
            },
        }
        await tracked.start(SESSION)
        await until_kept(memory, 11)


async def test_an_unreadable_transcript_holds_nobody_up(
    memory: Memory, ways: Options, caplog: pytest.LogCaptureFixture
) -> None:
    folder = ways.folders["claude"] / "-broken"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(b"\xff\x00{{{\n" * 100)
    heard: list[Captured] = []

    async def told(done: Captured) -> None:
        heard.append(done)

    tracked = tracker(memory, ways)
    following = asyncio.create_task(tracked.follow(told))
    await until_kept(memory, 11)
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    assert {done.episodes for done in heard} <= {0, 3, 5}
    assert caplog.records == []


async def test_folders_that_cannot_be_watched_are_looked_at(
    memory: Memory, ways: Options, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.awatch", refused)
    path = next(item.path for item in find(ways.folders) if item.client == "codex")
    text = path.read_bytes()
    path.unlink()
    async with tracker(memory, ways):
        await until_kept(memory, 8)
        path.write_bytes(text)
        await until_kept(memory, 11)
    assert "watch limit" in caplog.text


async def test_no_folder_is_no_trouble(memory: Memory, tmp_path: Path) -> None:
    nowhere = options({"claude": tmp_path / "later"})
    async with tracker(memory, nowhere):
        await asyncio.sleep(0.2)
        place = tmp_path / "later" / "-home-ana-shop"
        place.mkdir(parents=True)
        (place / CLAUDE.name).write_bytes(CLAUDE.read_bytes())
        await until_kept(memory, 5)


async def test_history_is_looked_at_before_it_is_taken(memory: Memory, ways: Options) -> None:
    tracked = tracker(memory, ways, enabled=False, price=0.001)
    found, items = await tracked.history(max_sessions=2)
    seen: list[int] = []
    looked = await tracked.preview(found, items, step=lambda: seen.append(1))
    assert (looked.dry_run, looked.sessions_found, len(looked.sessions), len(seen)) == (True, 3, 2, 2)
    assert looked.estimated_cost == f"${looked.estimated_tokens * 0.001:.2f}" != "$0.00"
    assert all(session.messages >= 3 and session.path and session.modified for session in looked.sessions)
    assert await memory.episodes(EVERYWHERE) == []
    found, items = await tracked.history()
    done = await tracked.sync(found, items)
    assert asdict(done) == {
        "status": "success",
        "dry_run": False,
        "sessions_found": 3,
        "sessions_indexed": 3,
        "estimated_cost": done.actual_cost,
        "actual_cost": done.actual_cost,
    }
    before = await memory.episodes(EVERYWHERE, limit=100)
    assert len(before) == 11
    again = await tracked.sync(found, items)
    assert (again.sessions_indexed, again.actual_cost) == (3, "$0.00")
    assert await memory.episodes(EVERYWHERE, limit=100) == before
    assert (await tracked.preview(found, items)).estimated_tokens == 0


async def test_the_local_extractor_costs_nothing(memory: Memory, ways: Options) -> None:
    tracked = tracker(memory, ways)
    assert isinstance(looked := await tracked.preview(*(await tracked.history())), Preview)
    assert looked.estimated_cost == "$0.00"


async def test_history_is_limited_by_days_and_project(memory: Memory, ways: Options) -> None:
    tracked = tracker(memory, ways)
    age(ways, days=20)
    newest = next(item.path for item in find(ways.folders) if item.client == "codex")
    os.utime(newest)
    assert (await tracked.history(days=7))[0] == 1
    assert (await tracked.history(days=30))[0] == 3
    assert (await tracked.history(days=10**9))[0] == 3
    found, items = await tracked.history(days=0)
    assert (found, items[0].path) == (3, newest)
    assert (await tracked.history(days=0, project=Path("/home/ana")))[0] == 3
    assert (await tracked.history(days=0, project=Path("/home/an")))[0] == 0
    with pytest.raises(UsageError, match="below"):
        await tracked.history(max_sessions=0)


async def test_a_stopped_session_is_not_synced(memory: Memory, ways: Options) -> None:
    tracked = tracker(memory, ways)
    await tracked.stop("01a1f00f-830d-76e0-94a5-c042ebba0632")
    done = await tracked.sync(*(await tracked.history()))
    assert (done.sessions_found, done.sessions_indexed) == (3, 2)
    assert CODEX.exists()


@pytest.mark.parametrize("session", ["", "a b", "../x", "a" * 129])
async def test_what_is_no_session_is_refused(memory: Memory, ways: Options, session: str) -> None:
    tracked = tracker(memory, ways)
    with pytest.raises(UsageError, match="no session id"):
        await tracked.start(session)
    with pytest.raises(UsageError, match="no session id"):
        await tracked.stop(session)

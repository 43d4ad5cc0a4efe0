"""The tools that follow sessions, with exactly the fields that clients expect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.server.talk import Refused, Talk, talk
from tests.unit.capture.samples import CLAUDE, homes

from everfact.assemble import make_tracker
from everfact.config import load
from everfact.server.host import Access
from everfact.server.run import host_for, server_for
from everfact.server.toolsets import TOOLSETS

SESSION = CLAUDE.stem
STATUS = {"status", "session_id", "enabled", "global_config", "runtime_override", "session_manager", "filter_config"}


@pytest.fixture
def follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """What a host needs to follow the sample sessions."""
    folders = homes(tmp_path)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "none"))

    def given(**more: str) -> dict[str, Any]:
        keys = {"watch_path": str(folders["claude"]), "inactivity_timeout": "0.01", "check_interval": "0.05"} | more
        flags = {f"session_tracking.{key}": value for key, value in keys.items()}
        settings = load({"group": "shop", **flags}).settings
        return {"follows": lambda memory: make_tracker(settings, memory)}

    return given


async def until_found(agent: Talk, words: str) -> None:
    async with asyncio.timeout(30):
        while words not in str(await agent.ask("get_episodes", group_id="shop", max_episodes=50)):
            await asyncio.sleep(0.05)


async def test_start_status_and_stop(tmp_path: Path, era: str, follows) -> None:
    async with talk(tmp_path / "m.db", era=era, **follows()) as agent:
        refused = await agent.ask("session_tracking_start", session_id=SESSION)
        assert refused.keys() == {"status", "message", "session_id", "enabled", "forced", "global_config"}
        assert (refused["status"], refused["enabled"], refused["global_config"]) == ("disabled", False, False)
        started = await agent.ask("session_tracking_start", session_id=SESSION, force=True)
        assert (started["status"], started["enabled"], started["forced"]) == ("success", True, True)
        await until_found(agent, "We decided to use SQLite")
        status = await agent.ask("session_tracking_status", session_id=SESSION)
        assert status.keys() == STATUS
        assert status["global_config"].keys() == {"enabled", "watch_path", "inactivity_timeout", "check_interval"}
        assert status["session_manager"] == {"running": True, "active_sessions": 0}
        assert status["filter_config"].keys() == {"tool_calls", "tool_content", "user_messages", "agent_messages"}
        assert (status["enabled"], status["runtime_override"]) == (True, True)
        stopped = await agent.ask("session_tracking_stop", session_id=SESSION)
        assert stopped.keys() == {"status", "message", "session_id", "enabled"}
        assert stopped["enabled"] is False
    async with talk(tmp_path / "m.db", era=era, **follows()) as agent:  # a restart remembers
        assert (await agent.ask("session_tracking_status", session_id=SESSION))["runtime_override"] is False
        assert "SQLite" in str(await agent.ask("get_episodes", group_id="shop"))


async def test_the_current_session_is_meant_if_none_is_named(
    tmp_path: Path, follows, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talk(tmp_path / "m.db", **follows()) as agent:
        assert (await agent.ask("session_tracking_status"))["session_id"] is None
        with pytest.raises(Refused, match="no session is named"):
            await agent.ask("session_tracking_start")
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
        assert (await agent.ask("session_tracking_stop", session_id=None))["session_id"] == SESSION
        assert (await agent.ask("session_tracking_status"))["runtime_override"] is False


async def test_sync_history(tmp_path: Path, era: str, follows) -> None:
    async with talk(tmp_path / "m.db", era=era, **follows()) as agent:
        dry = await agent.ask("session_tracking_sync_history", project=None, days=0)
        fields = {"status", "dry_run", "sessions_found", "estimated_cost", "estimated_tokens", "sessions", "message"}
        assert dry.keys() == fields
        assert (dry["dry_run"], dry["sessions_found"], dry["estimated_cost"]) == (True, 1, "$0.00")
        assert [session.keys() for session in dry["sessions"]] == [{"path", "modified", "messages"}]
        assert (await agent.ask("get_episodes", group_id="shop"))["episodes"] == []
        done = await agent.ask("session_tracking_sync_history", days=0, dry_run=False)
        fields = {"status", "dry_run", "sessions_found", "sessions_indexed", "estimated_cost", "actual_cost"}
        assert done.keys() == fields
        assert (done["sessions_found"], done["sessions_indexed"], done["actual_cost"]) == (1, 1, "$0.00")
        told = await agent.ask("get_episodes", group_id="shop", max_episodes=50)
        assert len(told["episodes"]) == 5
        await agent.ask("session_tracking_sync_history", days=0, dry_run=False)
        again = await agent.ask("get_episodes", group_id="shop", max_episodes=50)
        assert [e["uuid"] for e in again["episodes"]] == [e["uuid"] for e in told["episodes"]]
        none = await agent.ask("session_tracking_sync_history", project="/nowhere")
        assert (none["sessions_found"], none["sessions"]) == (0, [])


@pytest.mark.parametrize("bad", [{"days": -1}, {"max_sessions": 0}, {"days": "many"}])
async def test_bad_numbers_are_refused(tmp_path: Path, follows, bad: dict[str, Any]) -> None:
    async with talk(tmp_path / "m.db", **follows()) as agent:
        with pytest.raises(Refused):
            await agent.ask("session_tracking_sync_history", **bad)


@pytest.mark.parametrize("project", ["\0", "x" * 5000, "..", "/", "*", "\ud83d"])
async def test_any_name_of_a_project_will_do(tmp_path: Path, follows, project: str) -> None:
    async with talk(tmp_path / "m.db", **follows()) as agent:
        found = await agent.ask("session_tracking_sync_history", project=project)
        assert found["sessions_found"] == (1 if project == "/" else 0)
        with pytest.raises(Refused, match="nobody's home"):
            await agent.ask("session_tracking_sync_history", project="~nobody-at-all/shop")


async def test_a_server_with_tracking_on_follows_by_itself(tmp_path: Path, follows) -> None:
    async with talk(tmp_path / "m.db", **follows(enabled="true")) as agent:
        await until_found(agent, "Friday it is.")


async def test_who_may_see_some_groups_alone_follows_no_sessions(tmp_path: Path, follows) -> None:
    limited = Access(groups=frozenset({"shop"}), default_group="shop")
    async with talk(tmp_path / "m.db", access=lambda: limited, **follows()) as agent:
        with pytest.raises(Refused, match="may not follow sessions"):
            await agent.ask("session_tracking_status")
    async with talk(tmp_path / "m.db") as agent:
        with pytest.raises(Refused, match="follows no sessions"):
            await agent.ask("session_tracking_status")


@pytest.mark.parametrize(
    ("program", "enabled", "listed"),
    [("everfact", False, False), ("everfact", True, True), ("graphiti-mcp", False, True), ("graphiti-mcp", True, True)],
)
async def test_the_tools_are_listed_where_they_are_of_use(
    tmp_path: Path, program: str, enabled: bool, listed: bool
) -> None:
    settings = load({"store": str(tmp_path / "m.db"), "session_tracking.enabled": str(enabled).lower()}).settings
    server = server_for(settings, host_for(settings, is_remote=False), program)
    names = [tool.name for tool in await server.list_tools()]
    assert set(TOOLSETS["tracking"]).issubset(names) is listed
    assert len(names) == len(set(names))

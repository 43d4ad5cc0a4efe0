"""Tools that follow the sessions of coding assistants."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from everfact.config import current_session
from everfact.errors import UsageError
from everfact.server.answers.tracking import StartResult, StopResult, SyncResult, TrackingStatus
from everfact.server.arguments import Text
from everfact.server.progress import reporting
from everfact.server.translate import Call, Tool, host_of

SessionId = Annotated[Text, Field(description="The session; leave out for the current one.")]


async def session_tracking_start(
    call: Call,
    session_id: SessionId = "",
    force: Annotated[bool, Field(description="Also if the settings have no sessions followed.")] = False,
) -> StartResult:
    """Have a session of Claude Code, Codex or Gemini CLI remembered: what is said in it is captured once it is silent.

    Without force this respects the setting session_tracking.enabled. It holds for this session until it is stopped.
    """
    tracker = await host_of(call).tracker()
    return StartResult.of(await tracker.start(_named(session_id), force=force))


async def session_tracking_stop(call: Call, session_id: SessionId = "") -> StopResult:
    """Have nothing more of a session remembered. What was captured already stays; other sessions are not affected."""
    tracker = await host_of(call).tracker()
    return StopResult.of(await tracker.stop(_named(session_id)))


async def session_tracking_status(call: Call, session_id: SessionId = "") -> TrackingStatus:
    """Whether sessions are followed, and this one in particular; how much of each kind of message is kept."""
    tracker = await host_of(call).tracker()
    return TrackingStatus.of(await tracker.status(session_id or current_session()))


async def session_tracking_sync_history(
    call: Call,
    project: Annotated[Text, Field(description="Only sessions that worked in this folder. Default: all.")] = "",
    days: Annotated[int, Field(description="Only of the last days; 0 for all.", ge=0)] = 7,
    max_sessions: Annotated[int, Field(description="At most this many, newest first.", ge=1)] = 100,
    dry_run: Annotated[bool, Field(description="Only say what it would take and cost.")] = True,
) -> SyncResult:
    """Remember sessions of the past. First look with dry_run (the default), then call again with dry_run=false.

    What was captured before is not taken twice.
    """
    tracker = await host_of(call).tracker()
    async with reporting(call, "reading sessions"):
        folder = Path(project) if project else None
        found, sessions = await tracker.history(project=folder, days=days, max_sessions=max_sessions)
        done = await (tracker.preview(found, sessions) if dry_run else tracker.sync(found, sessions))
    return SyncResult.of(done)


def _named(session_id: str) -> str:
    named = session_id or current_session()
    if not named:
        raise UsageError("no session is named, and the client does not say which one this is", hint="give session_id")
    return named


TOOLS = (
    Tool(function=session_tracking_start, title="Follow a session", repeats=True),
    Tool(function=session_tracking_stop, title="Stop following a session", repeats=True),
    Tool(function=session_tracking_status, title="Session tracking status", reads=True),
    Tool(function=session_tracking_sync_history, title="Remember past sessions", repeats=True),
)

"""How sessions are followed, on the wire: the fields of `everfact.capture.tracker`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Self

from pydantic import Field

from everfact.capture import tracker
from everfact.server.answers.items import Answer

SessionId = Annotated[str, Field(description="The session that it is about.")]


class _Told(Answer):
    @classmethod
    def of(cls, answer: tracker.Reply) -> Self:
        """The answer on the wire."""
        return cls.model_validate(asdict(answer))


class StartResult(_Told):
    """What became of following a session."""

    status: Annotated[str, Field(description="success or disabled")]
    message: str
    session_id: SessionId
    enabled: bool
    forced: bool
    global_config: Annotated[bool, Field(description="Whether the settings have sessions followed.")]


class StopResult(_Told):
    """What became of not following a session any more."""

    status: str
    message: str
    session_id: SessionId
    enabled: bool


class GlobalConfig(Answer):
    """What the settings say."""

    enabled: bool
    watch_path: str
    inactivity_timeout: float
    check_interval: float


class SessionManager(Answer):
    """What this server follows."""

    running: bool
    active_sessions: Annotated[int, Field(description="Sessions that are being written to.")]


class FilterConfig(Answer):
    """How much of each class of message is kept: FULL, SUMMARY or OMIT."""

    tool_calls: str
    tool_content: str
    user_messages: str
    agent_messages: str


class TrackingStatus(_Told):
    """How sessions are followed."""

    status: str
    session_id: str | None
    enabled: Annotated[bool, Field(description="In effect: what was said of this session, else the settings.")]
    global_config: GlobalConfig
    runtime_override: bool | None
    session_manager: SessionManager
    filter_config: FilterConfig


class SessionFound(Answer):
    """A session that a sync would take."""

    path: str
    modified: str
    messages: int


def _is_none(value: object) -> bool:
    return value is None


_OnlyInOne = Field(default=None, exclude_if=_is_none)


class SyncResult(_Told):
    """What a sync took, or would take."""

    status: str
    dry_run: bool
    sessions_found: int
    sessions_indexed: int | None = _OnlyInOne
    estimated_cost: str
    actual_cost: str | None = _OnlyInOne
    estimated_tokens: int | None = _OnlyInOne
    sessions: list[SessionFound] | None = _OnlyInOne
    message: str | None = _OnlyInOne

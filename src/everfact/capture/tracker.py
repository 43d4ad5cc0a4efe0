"""`Tracker`: follows sessions by the settings and by what was said of single ones; syncs history."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from everfact import clock
from everfact.capture.take import Captured, Ear, Options, capture_session, follow, followed, preview, take
from everfact.capture.transcripts import Transcript, check_session, find, in_project
from everfact.capture.watch import Watch
from everfact.errors import EverfactError, UsageError

log = logging.getLogger(__name__)

_FORCED = "tracking/forced"
"""Set once some session is followed though the settings follow none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Global:
    """What the settings say of session tracking."""

    enabled: bool
    watch_path: str
    inactivity_timeout: float
    check_interval: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The answer to `session_tracking_start`."""

    status: str
    message: str
    session_id: str
    enabled: bool
    forced: bool
    global_config: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The answer to `session_tracking_stop`."""

    status: str
    message: str
    session_id: str
    enabled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """Whether somebody follows sessions here, and how many are being written."""

    running: bool
    active_sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The answer to `session_tracking_status`."""

    status: str
    session_id: str | None
    enabled: bool
    global_config: Global
    runtime_override: bool | None
    session_manager: Manager
    filter_config: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A session that a sync would take."""

    path: str
    modified: str
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The answer to a sync that only looks."""

    status: str
    dry_run: bool
    sessions_found: int
    estimated_cost: str
    estimated_tokens: int
    sessions: list[Found]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """The answer to a sync."""

    status: str
    dry_run: bool
    sessions_found: int
    sessions_indexed: int
    estimated_cost: str
    actual_cost: str


Reply: TypeAlias = Started | Stopped | Status | Preview | Synced


class Tracker:
    """Follows sessions while its `async with` block lasts, if the settings or a person want any followed."""

    def __init__(
        self, memory: Ear, options: Options, settings: Global, *, price: Callable[[int], float] = lambda _: 0.0
    ) -> None:
        self._memory = memory
        self._options = options
        self._global = settings
        self._price = price
        """Dollars that digesting so many tokens costs."""
        self._watch = Watch(
            options.folders,
            inactivity_timeout=settings.inactivity_timeout,
            check_interval=settings.check_interval,
        )
        self._is_open = False
        self._task: asyncio.Task[None] | None = None
        self._late: set[asyncio.Task[Captured]] = set()

    async def __aenter__(self) -> Self:
        self._is_open = True
        if self._global.enabled or await self._memory.state(_FORCED):
            self._run()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [*self._late, *filter(None, (self._task,))]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def capture(self, session_id: str, project: Path, *, patience: float) -> Captured | None:
        """Take in what was said in a session, or in the project's latest, since it was last captured.

        None if that takes more than `patience` seconds: it goes on then, and the next capture has what is left.

        Raises:
            NotFound: there is no such session.
            CaptureError: it cannot be read.
        """
        taking = capture_session(self._memory, self._options, session_id=session_id, project=project)
        task = asyncio.create_task(taking)
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        done, _ = await asyncio.wait({task}, timeout=patience)
        if done:
            return task.result()
        task.add_done_callback(_report)
        return None

    def _run(self) -> None:
        if self._is_open and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self.follow())

    async def follow(self, told: Callable[[Captured], Awaitable[None]] | None = None) -> None:
        """Take in each session that falls silent, until cancelled; `told` hears of each."""
        async for transcript in self._watch:
            try:
                session_id = await asyncio.to_thread(transcript.session_id)
                if self._is_on(await followed(self._memory, session_id)):
                    captured = await take(self._memory, self._options, transcript)
                    if told is not None:
                        await told(captured)
            except EverfactError as error:
                log.warning("a session waits to be captured: %s", error)
                if error.retryable:
                    self._watch.forget(transcript)

    async def start(self, session_id: str, *, force: bool = False) -> Started:
        """Follow a session from now on; unless forced, only if the settings have sessions followed at all.

        Raises:
            UsageError: that can be no session.
        """
        check_session(session_id)
        enabled = force or self._global.enabled
        if enabled:
            await follow(self._memory, session_id, wanted=True)
            if not self._global.enabled:
                await self._memory.set_state(_FORCED, "yes")
            self._run()
            self._watch.again()
        return Started(
            status="success" if enabled else "disabled",
            message=f"Session tracking enabled for session {session_id}"
            if enabled
            else "Session tracking is off in the settings: set session_tracking.enabled, or force it for this session",
            session_id=session_id,
            enabled=enabled,
            forced=force,
            global_config=self._global.enabled,
        )

    async def stop(self, session_id: str) -> Stopped:
        """Do not follow a session any more; what was captured stays.

        Raises:
            UsageError: that can be no session.
        """
        await follow(self._memory, check_session(session_id), wanted=False)
        return Stopped(
            status="success",
            message=f"Session tracking disabled for session {session_id}; what was captured stays",
            session_id=session_id,
            enabled=False,
        )

    async def status(self, session_id: str) -> Status:
        """How sessions are followed, and this one, if one is named.

        Raises:
            UsageError: that can be no session.
        """
        override = await followed(self._memory, check_session(session_id)) if session_id else None
        return Status(
            status="success",
            session_id=session_id or None,
            enabled=self._is_on(override),
            global_config=self._global,
            runtime_override=override,
            session_manager=Manager(
                running=self._task is not None and not self._task.done(), active_sessions=self._watch.active
            ),
            filter_config=asdict(self._options.filters),
        )

    async def history(
        self, *, project: Path | None = None, days: int = 7, max_sessions: int = 100
    ) -> tuple[int, list[Transcript]]:
        """How many sessions there are of the last days (0: of all time), and the newest of them.

        Raises:
            UsageError: a number is below zero.
        """
        if days < 0 or max_sessions < 1:
            raise UsageError("days is below 0 or max_sessions below 1", hint="days=0 takes all of them")
        try:
            since = clock.now() - timedelta(days=days) if days else None
        except OverflowError:
            since = None

        def looked() -> list[Transcript]:
            items = find(self._options.folders, since=since)
            return list(items if project is None else in_project(items, project))

        found = await asyncio.to_thread(looked)
        return len(found), found[:max_sessions]

    async def preview(self, found: int, items: list[Transcript], *, step: Callable[[], None] = lambda: None) -> Preview:
        """What syncing these sessions would take; `step` hears of each."""
        sessions, tokens = [], 0
        for item in items:
            messages, new = await preview(self._memory, self._options, item)
            sessions.append(Found(path=str(item.path), modified=item.modified.isoformat(), messages=messages))
            tokens += new
            step()
        return Preview(
            status="success",
            dry_run=True,
            sessions_found=found,
            estimated_cost=_dollars(self._price(tokens)),
            estimated_tokens=tokens,
            sessions=sessions,
            message="Run with dry_run=False to perform actual sync",
        )

    async def sync(self, found: int, items: list[Transcript], *, step: Callable[[], None] = lambda: None) -> Synced:
        """Take these sessions in, as far as they are not; `step` hears of each."""
        indexed = told = 0
        for item in items:
            captured = await take(self._memory, self._options, item)
            indexed += not captured.stopped
            told += captured.tokens
            step()
        cost = _dollars(self._price(told))
        return Synced(
            status="success",
            dry_run=False,
            sessions_found=found,
            sessions_indexed=indexed,
            estimated_cost=cost,
            actual_cost=cost,
        )

    def _is_on(self, override: bool | None) -> bool:
        return self._global.enabled if override is None else override


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}"


def _report(task: asyncio.Task[Captured]) -> None:
    """Say what went wrong with a capture that nobody waits for."""
    if not task.cancelled() and (error := task.exception()):
        log.warning("a session could not be captured: %s", error)

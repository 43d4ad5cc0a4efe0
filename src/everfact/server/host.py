"""What the tools of one server share: the memory, opened when first needed, and who may see which groups."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from everfact import clock
from everfact.config.project import GLOBAL
from everfact.errors import EverfactError, NotFound, StoreUnavailable, UsageError
from everfact.signals import Signals

if TYPE_CHECKING:
    from everfact.capture.tracker import Tracker
    from everfact.memory import Memory

log = logging.getLogger(__name__)

Listener = Callable[[Sequence[str]], Awaitable[None]]

OVERVIEWS = ("graphiti://context", "everfact://status")
"""Resources that every write changes."""

_RESUME_SECONDS = 1.0

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a caller may do. `groups=None` is every group."""

    groups: frozenset[str] | None = None
    may_write: bool = True
    default_group: str = ""
    """Used when a call names no group and the server's own default is not allowed; one of `groups`."""


def everything() -> Access:
    """The rights of a caller who reached us through a door that only the user can open."""
    return Access()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the server stands: the default group, the client's project, and where files may be written."""

    default_group: Callable[[], str] = lambda: "main"
    project: Path = Path()
    export_root: Path | None = None
    is_remote: bool = False
    """Callers come over HTTP: exports stay below `export_root`."""
    store: str = ""
    """The address of the store, as `get_status` shows it."""
    context_tokens: int = 8192


@dataclass(slots=True, kw_only=True)
class Connection:
    """How the store has answered so far."""

    last_success: datetime | None = None
    failures: int = 0
    """Since the last success."""
    error: str = ""


class Host:
    """The memory behind a server. The store is opened, and its worker started, when somebody first needs them."""

    def __init__(
        self,
        open_memory: Callable[[], Awaitable[Memory]],
        *,
        place: Place | None = None,
        access: Callable[[], Access] = everything,
        works: bool = True,
        follows: Callable[[Memory], Tracker] | None = None,
    ) -> None:
        self.place = place or Place()
        self.access = access
        self.connection = Connection()
        self._open_memory = open_memory
        self._works = works
        self._follows = follows
        self._tracker: Tracker | None = None
        self._memory: Memory | None = None
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._listeners: list[Listener] = []

    async def memory(self) -> Memory:
        """The memory, opened now if it is not open yet.

        Raises:
            EverfactError: it cannot be opened; the next call tries again.
        """
        async with self._opening:
            if self._memory is None:
                async with AsyncExitStack() as opening:
                    memory = await opening.enter_async_context(await self._open_memory())
                    if self._works:
                        await self._put_to_work(memory, opening)
                    self._stack = opening.pop_all()
                    self._memory = memory
        return self._memory

    async def _put_to_work(self, memory: Memory, stack: AsyncExitStack) -> None:
        from everfact.worker import Worker  # brings the whole core, which the first answer does without

        try:
            await memory.retry()  # what was given up may have been the fault of the last server
        except StoreUnavailable as error:  # told things are kept all the same, and the worker looks again
            log.warning("what was given up is not tried again yet: %s", error)
        await stack.enter_async_context(Worker(memory, on_digested=self.announce))
        if self._follows is not None:
            self._tracker = await stack.enter_async_context(self._follows(memory))

    async def tracker(self) -> Tracker:
        """What follows the sessions of assistants on this machine.

        Raises:
            UsageError: nothing does, or they are none of the caller's business.
        """
        await self.memory()
        if self._tracker is None:
            raise UsageError("this server follows no sessions", hint="start one with everfact mcp serve")
        if self.access().groups is not None:  # sessions are of whatever project the user works on
            raise UsageError("this token may not follow sessions", hint="use one that may use every group")
        return self._tracker

    def watched(self) -> Watch:
        """Note how the store answers within the `with` block."""
        return Watch(self.connection)

    async def resume(self) -> None:
        """Open the memory a little later, so that what is pending is digested even if nobody calls."""
        await asyncio.sleep(_RESUME_SECONDS)
        try:
            with self.watched():
                await self.memory()
        except EverfactError as error:
            log.warning("the memory cannot be opened yet: %s", error)

    async def close(self) -> None:
        """Stop the worker and let go of the store; what is pending waits for the next server."""
        await self._stack.aclose()

    # Telling others

    def follow(self, listener: Listener) -> Callable[[], None]:
        """Have the listener called with the addresses of what changed; answers with the way to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def announce(self, uris: Sequence[str] = ()) -> None:
        """Tell everyone who follows that these items changed, and with them the brief and the status."""
        for listener in tuple(self._listeners):
            await listener((*uris, *OVERVIEWS))

    # Groups

    def groups(self, group_ids: Sequence[str], group_id: str = "") -> tuple[str, ...]:
        """The groups a call is about: those named (the plural wins), else the default group.

        Raises:
            UsageError: the caller may not use one of them.
        """
        named = tuple(dict.fromkeys(group_ids)) or ((group_id,) if group_id else ())
        chosen = named or (self._default(),)
        self._check(chosen)
        return chosen

    def group(self, group_id: str) -> str:
        """The one group a call writes to.

        Raises:
            UsageError: the caller may not use it.
        """
        return self.groups((), group_id)[0]

    async def groups_of(self, entity: str, group_ids: Sequence[str], group_id: str) -> tuple[str, ...]:
        """The groups in which to look for an entity by name; by uuid, the group it is in.

        Raises:
            NotFound: nothing has that uuid.
            UsageError: the caller may not use one of the groups.
        """
        if not _UUID.fullmatch(entity):
            return self.groups(group_ids, group_id)
        return ((await (await self.memory()).get(entity, group_ids=self.anywhere())).group_id,)

    async def brief(
        self, group_ids: Sequence[str] = (), group_id: str = "", *, query: str = "", max_tokens: int | None = None
    ) -> str:
        """The brief. Where no group is named the user-wide one joins in, if the caller may see it."""
        groups = self.groups(group_ids, group_id)
        allowed = self.access().groups
        if not (group_ids or group_id) and (allowed is None or GLOBAL in allowed):
            groups = tuple(dict.fromkeys((*groups, GLOBAL)))
        memory, most = await self.memory(), self.place.context_tokens
        signals = Signals(prompt=query) if self.place.is_remote else await self._look_around(memory, query)
        return await memory.brief(groups, signals, max_tokens=min(max_tokens or most, most))

    async def _look_around(self, memory: Memory, query: str) -> Signals:
        """What the work in the client's project is about; commits that came in since the last time are indexed."""
        from everfact.git.signals import read_signals  # a server starts without them
        from everfact.hooks.behind import index_if_behind

        place = self.place
        signals = await asyncio.to_thread(read_signals, place.project, prompt=query)
        await index_if_behind(
            memory.state, store=place.store, group_id=place.default_group(), folder=place.project, head=signals.head
        )
        return signals

    def anywhere(self) -> tuple[str, ...] | None:
        """Every group the caller may see, for calls that name an item by its id; None is all of them."""
        allowed = self.access().groups
        return None if allowed is None else tuple(sorted(allowed))

    def _default(self) -> str:
        default, access = self.place.default_group(), self.access()
        if access.groups is None or default in access.groups:
            return default
        return access.default_group or (next(iter(access.groups)) if len(access.groups) == 1 else default)

    def _check(self, chosen: Sequence[str]) -> None:
        from everfact.draft import check_group

        for group_id in chosen:
            check_group(group_id)
        allowed = self.access().groups
        if allowed is not None and not allowed.issuperset(chosen):
            raise UsageError("this token may not use that group", hint=f"it may use {', '.join(sorted(allowed))}")


class Watch:
    """Counts successes and failures of the store, for `health_check`. The caller's own mistakes are neither."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        """Nothing to note yet."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, NotFound):
            self._connection.last_success = clock.now()
            self._connection.failures, self._connection.error = 0, ""
        elif isinstance(error, EverfactError) and not isinstance(error, UsageError):
            self._connection.failures += 1
            self._connection.error = str(error)

"""`OutboxStore`: a memory on a server that takes in what is told also while the server is away.

What cannot be sent, or not soon, waits in a file on this machine, an SQLite memory like any other, and goes out in the
order of telling when the server is back: whoever claims work sends first. Telling is all that works meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol, Self, TypeVar

from everfact.clock import new_id
from everfact.errors import ClaimLost, Conflict, EverfactError, StoreError, StoreUnavailable, UsageError
from everfact.models import Change, ChangeKind, Claim, Cursor, Episode, Filter, Stats, Status
from everfact.ports import Store

T = TypeVar("T")

log = logging.getLogger(__name__)

_PATIENCE = 8.0
"""Seconds that whoever tells something waits for a server that hangs; connecting to one takes less to fail."""
_LEASE = timedelta(seconds=30)
_PAUSE = timedelta(seconds=1)
_GROUPS_AT_ONCE = 16
_TICK = timedelta(microseconds=1)

ADDRESS = "outbox.address"
"""The state of an outbox that says for which server things wait in it."""
WAITING = "safe on this machine, to be sent when the server is back"
"""What is said of an episode that the server does not have yet."""


class Outbox(Store, Protocol):
    """Where what is told waits: a store that can wipe what it is done with."""

    async def purge_digested(self) -> None:
        """Wipe every copy of the digested episodes, and of no other; what is told anew meanwhile waits."""


class OutboxStore:
    """Hands everything on to the server; what is told, if need be, later."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Store]],
        outbox: Outbox,
        now: Callable[[], datetime],
        *,
        address: str = "",
    ) -> None:
        self._connect = connect
        self._outbox = outbox
        self._now = now
        self._address = address
        self._owner = new_id()
        self._server: Store | None = None
        self._opening = asyncio.Lock()
        self._sending = asyncio.Lock()
        self._is_closed = False

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        """Every other method of a store is the server's."""

        async def handed_on(*args: Any, **kwargs: Any) -> Any:
            return await self._ask(lambda server: getattr(server, name)(*args, **kwargs))

        return handed_on

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def add_episode(self, episode: Episode) -> Episode:
        """See `Store.add_episode`. Behind what waits already, so that the order stays."""
        if not await self._waits(episode.group_id):
            try:
                async with asyncio.timeout(_PATIENCE):
                    return await (await self._opened()).add_episode(episode)
            except (StoreUnavailable, TimeoutError) as error:  # had it arrived nevertheless, it is the same telling
                log.info("kept on this machine: %s", error or "the server hangs")  # the answer says so, too
        if self._address and await self._outbox.state(ADDRESS) is None:
            await self._outbox.set_state(ADDRESS, self._address)
        return _as_waiting(await self._outbox.add_episode(episode))

    async def claim(
        self, owner: str, *, limit: int = 1, lease: timedelta, group_ids: Sequence[str] | None = None
    ) -> list[Claim]:
        """See `Store.claim`. What waits here is sent first."""
        await self._ask(self._send)
        return await self._ask(lambda server: server.claim(owner, limit=limit, lease=lease, group_ids=group_ids))

    async def episodes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Episode]:
        """See `Store.episodes`. Who asks for what waits is also shown what waits here."""
        found = await self._ask(lambda server: server.episodes(where, limit=limit, before=before))
        if not where.statuses or Status.DONE in where.statuses:
            return found
        here = await self._outbox.episodes(where, limit=limit, before=before)
        found += [_as_waiting(episode) if episode.status is Status.PENDING else episode for episode in here]
        return sorted(found, key=lambda episode: (episode.reference_time, episode.uuid), reverse=True)[:limit]

    async def stats(self, group_ids: Sequence[str] | None = None) -> Stats:
        """See `Store.stats`. What waits here is pending, too."""
        held = await self._ask(lambda server: server.stats(group_ids))
        here = await self._outbox.stats(group_ids)
        if not here.pending + here.parked:
            return held
        return replace(
            held,
            episodes=held.episodes + here.pending + here.parked,
            pending=held.pending + here.pending,
            parked=held.parked + here.parked,
            oldest_pending=min(filter(None, (held.oldest_pending, here.oldest_pending)), default=None),
            warning=". ".join(filter(None, (held.warning, _waiting(here.pending)))),
        )

    async def requeue(self, where: Filter) -> int:
        """See `Store.requeue`. What the server would not take is offered to it again."""
        return await self._outbox.requeue(where) + await self._ask(lambda server: server.requeue(where))

    async def purge(self, group_id: str, uuids: Sequence[str], *, former: Sequence[str] = ()) -> int:
        """See `Store.purge`. No copy is left here either."""
        count = await self._outbox.purge(group_id, uuids)
        return count + await self._ask(lambda server: server.purge(group_id, uuids, former=former))

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        """See `Store.clear`."""
        await self._outbox.clear(group_ids)
        return await self._ask(lambda server: server.clear(group_ids))

    async def send_all(self) -> int:
        """Send now what waits here, also what was refused before; answer how many episodes are left.

        Raises:
            StoreUnavailable: the server is away.
        """
        await self._outbox.requeue(Filter(group_ids=None, statuses=(Status.PARKED,)))
        await self._ask(self._send)
        held = await self._outbox.stats()
        return held.pending + held.parked

    async def close(self) -> None:
        """Let go of the server and of the file."""
        self._is_closed = True
        if self._server is not None:
            await self._server.close()
        await self._outbox.close()

    async def _opened(self) -> Store:
        """The server, reached when it is first needed: a memory can be opened while it is away."""
        if self._is_closed:
            raise StoreError("the memory is closed")
        async with self._opening:
            if self._server is None:
                self._server = await self._connect()
            return self._server

    async def _ask(self, work: Callable[[Store], Awaitable[T]]) -> T:
        """Do it on the server; if it is away, say what waits here for it.

        Raises:
            StoreUnavailable: it is away.
        """
        try:
            return await work(await self._opened())
        except StoreUnavailable as error:
            waiting = _waiting((await self._outbox.stats()).pending)
            error.args = ("; ".join(filter(None, (error.args[0].rstrip("."), waiting))),)
            raise

    async def _waits(self, group_id: str) -> bool:
        return (await self._outbox.stats([group_id])).pending > 0

    async def _send(self, server: Store) -> None:
        """Send what waits, each group in its order; what went out leaves no copy here.

        A group that cannot be sent is held until all others had their turn: on a cluster they may lie on nodes that are
        there.
        """
        async with self._sending:
            if not (await self._outbox.stats()).episodes:
                return
            unsent: list[tuple[Claim, str]] = []
            try:
                while claims := await self._outbox.claim(self._owner, limit=_GROUPS_AT_ONCE, lease=_LEASE):
                    ends = await asyncio.gather(*(self._send_group(server, claim) for claim in claims))
                    unsent += filter(None, ends)
            finally:
                if unsent:  # in one line: there may be thousands of groups, and it is tried every second
                    log.warning("%d groups cannot be sent yet: %s", len(unsent), unsent[0][1])
                for claim, why in unsent:
                    await self._put_back(claim, error=why, retry_at=self._now() + _PAUSE)
                await self._outbox.purge_digested()

    async def _send_group(self, server: Store, first: Claim) -> tuple[Claim, str] | None:
        """Send what waits of a group; answer where that ended too early, and why.

        Only an episode that is refused itself lets the others by. Whatever else is wrong holds for all of them.
        """
        claim: Claim | None = first
        while claim is not None:
            told = replace(claim.episode, status=Status.PENDING, attempts=0, error="")
            try:
                await server.add_episode(told)
            except UsageError as error:
                log.warning("episode %s cannot be sent: %s", told.uuid, error)
                await self._put_back(claim, error=str(error), park=True)
                return None
            except EverfactError as error:
                return claim, str(error)
            except asyncio.CancelledError:
                await self._put_back(claim)
                raise
            claim = await self._next(server, claim)
        return None

    async def _put_back(
        self, claim: Claim, *, error: str = "", retry_at: datetime | None = None, park: bool = False
    ) -> None:
        with suppress(ClaimLost):
            await self._outbox.release(claim, error=error, retry_at=retry_at, park=park)

    async def _next(self, server: Store, sent: Claim) -> Claim | None:
        """Note that it went out; a copy sent twice is the same telling to the server, so a lost lease does no harm."""
        note = Change(
            uuid=new_id(),
            group_id=sent.episode.group_id,
            kind=ChangeKind.DIGEST,
            created_at=self._now(),
            parent=sent.head,
            cause=sent.episode.uuid,
        )
        try:
            return (await self._outbox.finish(note, sent, lease=_LEASE))[1]
        except Conflict:
            return None
        except ClaimLost:
            if await self._is_purged(sent):
                await self._purge_there(server, sent)
            return None

    async def _is_purged(self, sent: Claim) -> bool:
        """Whether it was purged or cleared here while it was sent; what another process sent has left a note."""
        this = _only(sent.episode)
        if await self._outbox.episodes(this, limit=1):
            return False
        notes = await self._outbox.changes(this, limit=1)  # asked last: it is noted before it is wiped
        return not any(note.created_at >= sent.deadline - _LEASE for note in notes)

    async def _purge_there(self, server: Store, sent: Claim) -> None:
        """Wipe what arrived after it was purged; another text that was told under its id since is sent again."""
        told, this = sent.episode, _only(sent.episode)
        try:
            there = await server.episodes(this, limit=1)
            if there and there[0].content == told.content:
                there = await server.episodes(replace(this, known_at=there[0].created_at - _TICK), limit=1)
            for anew in there:
                if anew.created_at >= sent.deadline - _LEASE:
                    await self._outbox.add_episode(anew)
            await server.purge(told.group_id, [told.uuid])
        except EverfactError as error:
            log.warning("episode %s was purged while it was being sent: purge it again: %s", told.uuid, error)


def _only(episode: Episode) -> Filter:
    return Filter(group_ids=(episode.group_id,), uuids=(episode.uuid,))


def _as_waiting(episode: Episode) -> Episode:
    """How an episode looks that the server does not have yet, however often it was tried to send it."""
    return replace(episode, attempts=0, error=WAITING)


def _waiting(count: int) -> str:
    """What is said of this many episodes that wait."""
    if not count:
        return ""
    return f"{'1 episode waits' if count == 1 else f'{count} episodes wait'} on this machine to be sent"

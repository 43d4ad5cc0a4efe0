"""`OutboxStore`: a memory on a server that takes in what is told also while the server is away.

What cannot be sent waits in a file on this machine, an SQLite memory like any other, and goes out in the order of
telling when the server is back: whoever claims work sends first. Telling is all that works meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Self

from everfact.clock import new_id
from everfact.errors import ClaimLost, Conflict, EverfactError, StoreUnavailable
from everfact.models import Change, ChangeKind, Claim, Episode, Filter, Stats, Status
from everfact.ports import Store
from everfact.stores.link import Link

log = logging.getLogger(__name__)

_LEASE = timedelta(seconds=30)
_GROUPS_AT_ONCE = 16
_SENT = 1_000


WAITING = "safe on this machine, to be sent when the server is back"
"""What is said of an episode that the server does not have yet."""


class OutboxStore:
    """Hands everything on to the server; what is told, if need be, later."""

    def __init__(self, link: Link, outbox: Store, now: Callable[[], datetime]) -> None:
        self._link = link
        self._outbox = outbox
        self._now = now
        self._owner = new_id()
        self._sending = asyncio.Lock()

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        """Every other method of a store is the server's."""

        async def handed_on(*args: Any, **kwargs: Any) -> Any:
            return await self._link.use(lambda store: getattr(store, name)(*args, **kwargs))

        return handed_on

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def add_episode(self, episode: Episode) -> Episode:
        """See `Store.add_episode`. Behind what waits already, so that the order stays."""
        if not await self._waits(episode.group_id):
            try:
                return await self._link.use(lambda store: store.add_episode(episode))
            except StoreUnavailable as error:
                log.warning("kept on this machine: %s", error)
        kept = await self._outbox.add_episode(episode)
        return replace(kept, error=WAITING)

    async def claim(
        self, owner: str, *, limit: int = 1, lease: timedelta, group_ids: Sequence[str] | None = None
    ) -> list[Claim]:
        """See `Store.claim`. What waits here is sent first."""
        await self._send()
        return await self._link.use(lambda store: store.claim(owner, limit=limit, lease=lease, group_ids=group_ids))

    async def stats(self, group_ids: Sequence[str] | None = None) -> Stats:
        """See `Store.stats`. What waits here is pending, too."""
        waiting = (await self._outbox.stats(group_ids)).pending
        try:
            held = await self._link.use(lambda store: store.stats(group_ids))
        except StoreUnavailable as error:
            if waiting:
                error.args = (f"{error.args[0]}; {waiting} episodes wait on this machine to be sent", *error.args[1:])
            raise
        here = await self._outbox.stats(group_ids)
        return replace(
            held,
            episodes=held.episodes + here.pending + here.parked,
            pending=held.pending + here.pending,
            parked=held.parked + here.parked,
        )

    async def requeue(self, where: Filter) -> int:
        """See `Store.requeue`. What the server would not take is offered to it again."""
        return await self._outbox.requeue(where) + await self._link.use(lambda store: store.requeue(where))

    async def purge(self, group_id: str, uuids: Sequence[str], *, former: Sequence[str] = ()) -> int:
        """See `Store.purge`. No copy is left here either."""
        count = await self._outbox.purge(group_id, uuids)
        return count + await self._link.use(lambda store: store.purge(group_id, uuids, former=former))

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        """See `Store.clear`."""
        await self._outbox.clear(group_ids)
        return await self._link.use(lambda store: store.clear(group_ids))

    async def close(self) -> None:
        """Let go of the server and of the file."""
        await self._link.close()
        await self._outbox.close()

    async def _waits(self, group_id: str) -> bool:
        return (await self._outbox.stats([group_id])).pending > 0

    async def _send(self) -> None:
        """Send what waits, each group in its order; what went out leaves no copy here.

        Raises:
            StoreUnavailable: the server is away; the rest waits on.
        """
        async with self._sending:
            if not (await self._outbox.stats()).episodes:
                return
            try:
                while claims := await self._outbox.claim(self._owner, limit=_GROUPS_AT_ONCE, lease=_LEASE):
                    done = await asyncio.gather(*map(self._send_group, claims), return_exceptions=True)
                    for error in filter(None, done):
                        raise error
            finally:
                await self._wipe_sent()

    async def _send_group(self, claim: Claim | None) -> None:
        while claim is not None:
            try:
                await self._send_one(replace(claim.episode, status=Status.PENDING, attempts=0, error=""))
            except (StoreUnavailable, asyncio.CancelledError):
                with suppress(ClaimLost):
                    await self._outbox.release(claim)
                raise
            except EverfactError as error:
                log.warning("episode %s cannot be sent: %s", claim.episode.uuid, error)
                with suppress(ClaimLost):
                    await self._outbox.release(claim, error=str(error), park=True)
                return
            claim = await self._next(claim)

    async def _send_one(self, told: Episode) -> Episode:
        return await self._link.use(lambda store: store.add_episode(told))

    async def _next(self, sent: Claim) -> Claim | None:
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
        except (ClaimLost, Conflict):
            return None

    async def _wipe_sent(self) -> None:
        sent = await self._outbox.episodes(Filter(group_ids=None, statuses=(Status.DONE,)), limit=_SENT)
        for group_id in {episode.group_id for episode in sent}:
            uuids = [episode.uuid for episode in sent if episode.group_id == group_id]
            await self._outbox.purge(group_id, uuids)

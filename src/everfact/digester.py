"""`Digester`: takes pending episodes, has them read, and writes down what follows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from everfact.clock import new_id
from everfact.digest import LEASE, Patience, Run
from everfact.errors import Conflict
from everfact.ingest import ingest
from everfact.judge import Judge
from everfact.marks import is_testimony
from everfact.models import Change, Claim, Episode, Extraction, Filter, Source, Status
from everfact.ports import Extractor, Store

TRIES = 5
"""How often an act is repeated on what others did meanwhile."""
_POLL_SECONDS = 0.05
_EACH = 16


@dataclass(slots=True)
class Digester:
    """What one process digests with."""

    store: Store
    extractors: Mapping[Source, Extractor]
    patience: Patience
    now: Callable[[], datetime]
    owner: str = field(default_factory=new_id)

    async def digest(self, *, limit: int, each: int, group_ids: Sequence[str] | None) -> int:
        """Digest the oldest pending episodes of up to `limit` groups, side by side; answer how many were taken."""
        claims = await self.store.claim(self.owner, limit=limit, lease=LEASE, group_ids=group_ids)
        runs = [Run(self.store, claim, self.patience, self.now) for claim in claims]
        return sum(await asyncio.gather(*(run.digest(self._digest, most=each) for run in runs)))

    async def wait_for(self, episode: Episode) -> Episode:
        """Wait until the episode is done or parked, digesting its group here unless somebody else does."""
        where = Filter(group_ids=(episode.group_id,), uuids=(episode.uuid,))
        deadline = asyncio.get_running_loop().time() + self.patience.episode_timeout.total_seconds()
        while episode.status is Status.PENDING and not episode.error:
            if not await self.digest(limit=1, each=_EACH, group_ids=(episode.group_id,)):
                await asyncio.sleep(_POLL_SECONDS)
            found = await self.store.episodes(where)
            # What was told may be an order to forget itself.
            episode = found[0] if found else replace(episode, status=Status.DONE)
            if asyncio.get_running_loop().time() > deadline:
                break
        return episode

    async def _digest(self, claim: Claim, lease: timedelta | None) -> Claim | None:
        extraction, head = await self._extract(claim), claim.head
        judge = (
            Judge(self.extractors[claim.episode.source]) if extraction.usage.calls and not extraction.degraded else None
        )
        for _ in range(TRIES):
            change = await ingest(self.store, claim, extraction, parent=head, now=self.now(), judge=judge)
            try:
                return await self._finish(change, claim, lease)
            except Conflict:
                last = await self.store.changes(Filter(group_ids=(claim.episode.group_id,)), limit=1)
                head = last[0].uuid if last else None
        raise Conflict(f"group {claim.episode.group_id} changes all the time", hint="it is tried again later")

    async def _extract(self, claim: Claim) -> Extraction:
        episode = claim.episode
        if episode.statements:
            return Extraction(extractor="client", statements=episode.statements)
        if not is_testimony(episode):
            return Extraction(extractor="none")
        return await self.extractors[episode.source].extract(episode, claim.known, claim.listeners)

    async def _finish(self, change: Change, claim: Claim, lease: timedelta | None) -> Claim | None:
        """Finish the claimed episode; cancelled meanwhile, the next one that it may have claimed is given back."""
        finishing = asyncio.ensure_future(self.store.finish(change, claim, lease=lease))
        try:
            return (await asyncio.shield(finishing))[1]
        except asyncio.CancelledError:
            await asyncio.wait([finishing])
            following = None if finishing.exception() else finishing.result()[1]
            if following is not None:
                await self.store.release(following)
            raise

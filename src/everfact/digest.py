"""Episodes of one claimed group, one after the other: a heartbeat, a limit for each, and what a failure means."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from everfact.errors import ClaimLost, EverfactError
from everfact.models import Claim
from everfact.ports import Store

log = logging.getLogger(__name__)

Work: TypeAlias = Callable[[Claim, timedelta | None], Awaitable[Claim | None]]
"""Digests a claimed episode and, given a lease, claims the next one of its group in the same step."""

LEASE = timedelta(seconds=15)
"""How long a dead worker holds a group up; a living one renews it every third of that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long an episode may take, how often it is tried, and how long it is left alone in between."""

    episode_timeout: timedelta = timedelta(seconds=60)
    max_attempts: int = 5
    backoff_initial: timedelta = timedelta(seconds=1)
    backoff_max: timedelta = timedelta(seconds=300)

    def backoff(self, attempts: int) -> timedelta:
        """How long to leave an episode alone after that many failed attempts."""
        return min(self.backoff_initial * (1 << min(attempts - 1, 30)), self.backoff_max)


@dataclass(slots=True)
class Run:
    """Some episodes of one group in a row, under one lease that goes on from each to the next."""

    store: Store
    claim: Claim
    """What is held now."""
    patience: Patience
    now: Callable[[], datetime]

    async def digest(self, work: Work, *, most: int) -> int:
        """Digest up to `most` episodes; answer how many were tried.

        It ends where one fails (it was given back or parked), or where somebody else has taken over.
        """
        heartbeat = asyncio.create_task(self._keep())
        tried = 1
        try:
            while (following := await self._attempt(work, LEASE if tried < most else None)) is not None:
                self.claim = following
                tried += 1
        finally:
            heartbeat.cancel()
        return tried

    async def _attempt(self, work: Work, lease: timedelta | None) -> Claim | None:
        claim, limit = self.claim, self.patience.episode_timeout.total_seconds()
        try:
            async with asyncio.timeout(limit):
                return await work(claim, lease)
        except ClaimLost as error:
            log.info("dropped episode %s: %s", claim.episode.uuid, error)
        except TimeoutError:
            await _give_up(self.store, claim, f"digesting took longer than {limit:g} s", self.patience, self.now())
        except asyncio.CancelledError:
            # It may have been finished just then. Whatever the store says, who cancels must not wait for ever.
            with suppress(EverfactError):
                await self.store.release(claim)
            raise
        except Exception as error:  # noqa: BLE001 - whatever an extractor does, the episode is kept and the reason too
            reason = str(error) if isinstance(error, EverfactError) else f"{type(error).__name__}: {error}"
            await _give_up(self.store, claim, reason, self.patience, self.now())
        return None

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(LEASE.total_seconds() / 3)
            claim = self.claim
            try:
                await self.store.renew(claim, lease=LEASE)
            except ClaimLost:
                continue  # finished just now, or else `finish` refuses what comes too late
            except EverfactError as error:  # the lease runs out by itself then
                log.warning("could not hold on to episode %s: %s", claim.episode.uuid, error)


async def _give_up(store: Store, claim: Claim, reason: str, patience: Patience, now: datetime) -> None:
    attempts = claim.episode.attempts
    park = attempts >= patience.max_attempts
    log.warning(
        "attempt %d at episode %s failed%s: %s", attempts, claim.episode.uuid, ", parked" if park else "", reason
    )
    try:
        await store.release(claim, error=reason, retry_at=now + patience.backoff(attempts), park=park)
    except ClaimLost as error:
        log.info("dropped episode %s: %s", claim.episode.uuid, error)

"""One attempt at one claimed episode: a heartbeat while it runs, a limit on how long, and what a failure means."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from everfact.errors import ClaimLost, EverfactError
from everfact.models import Change, Claim
from everfact.ports import Store

log = logging.getLogger(__name__)

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


async def attempt(
    store: Store,
    claim: Claim,
    work: Callable[[Claim], Awaitable[Change]],
    *,
    patience: Patience,
    now: Callable[[], datetime],
) -> Change | None:
    """Digest one episode. None: it failed (and was given back or parked) or somebody else has taken over."""
    heartbeat = asyncio.create_task(_keep(store, claim))
    try:
        async with asyncio.timeout(patience.episode_timeout.total_seconds()):
            return await work(claim)
    except ClaimLost as error:
        log.info("dropped episode %s: %s", claim.episode.uuid, error)
        return None
    except TimeoutError:
        limit = patience.episode_timeout.total_seconds()
        await _give_up(store, claim, f"digesting took longer than {limit:g} s", patience, now())
        return None
    except asyncio.CancelledError:
        await store.release(claim)
        raise
    except Exception as error:  # noqa: BLE001 - whatever an extractor does, the episode is kept and the reason too
        reason = str(error) if isinstance(error, EverfactError) else f"{type(error).__name__}: {error}"
        await _give_up(store, claim, reason, patience, now())
        return None
    finally:
        heartbeat.cancel()


async def _keep(store: Store, claim: Claim) -> None:
    while True:
        await asyncio.sleep(LEASE.total_seconds() / 3)
        try:
            claim = await store.renew(claim, lease=LEASE)
        except EverfactError as error:
            # The lease runs out by itself then, and `apply` refuses what comes too late.
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

"""One group is digested in order by one worker at a time, whatever happens to the worker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everfact.errors import ClaimLost
from everfact.models import (
    Status,
)
from everfact.ports import Store
from everfact.testing.builders import HOME, change, entity, episode
from everfact.testing.contract.fixtures import DAY, LEASE, SECOND, Fixtures
from everfact.testing.fakes import FakeClock


class Claims(Fixtures):
    """Digesting."""

    async def test_one_group_is_digested_in_order_by_one_worker_at_a_time(self, store: Store) -> None:
        first, second = [await store.add_episode(episode(text)) for text in ("first", "second")]
        (claim,) = await store.claim("a", lease=LEASE)
        assert claim.episode.uuid == first.uuid
        assert await store.claim("b", lease=LEASE) == []
        await store.finish(change(), claim)
        assert [c.episode.uuid for c in await store.claim("b", lease=LEASE)] == [second.uuid]

    async def test_groups_are_claimed_side_by_side_longest_waiting_first(self, store: Store, clock: FakeClock) -> None:
        for group in ("b", "a", "c"):
            clock.advance(SECOND)
            await store.add_episode(episode(group_id=group))
        claims = await store.claim("w", limit=2, lease=LEASE)
        assert [claim.episode.group_id for claim in claims] == ["b", "a"]
        assert [claim.episode.group_id for claim in await store.claim("w", limit=9, lease=LEASE)] == ["c"]

    async def test_groups_can_be_asked_for_by_name(self, store: Store) -> None:
        for group in ("a", "b"):
            await store.add_episode(episode(group_id=group))
        made = await store.apply(change(entity(group_id="b")))
        assert await store.claim("w", lease=LEASE, group_ids=()) == []
        (claim,) = await store.claim("w", limit=9, lease=LEASE, group_ids=("b", "c"))
        assert (claim.episode.group_id, claim.head) == ("b", made.uuid)

    async def test_expired_lease_is_taken_over_and_the_late_worker_changes_nothing(
        self, store: Store, clock: FakeClock
    ) -> None:
        await store.add_episode(episode())
        (late,) = await store.claim("late", lease=LEASE)
        clock.advance(LEASE)
        (taken,) = await store.claim("other", lease=LEASE)
        alice = entity()
        for act in (store.renew(late, lease=LEASE), store.release(late), store.finish(change(alice), late)):
            with pytest.raises(ClaimLost):
                await act
        assert await store.entities(HOME) == []
        assert taken.episode.attempts == 2
        await store.finish(change(alice), taken)

    async def test_renewed_lease_lasts_longer(self, store: Store, clock: FakeClock) -> None:
        await store.add_episode(episode())
        (claim,) = await store.claim("w", lease=LEASE)
        clock.advance(LEASE - SECOND)
        longer = await store.renew(claim, lease=LEASE)
        clock.advance(2 * SECOND)
        assert longer.deadline > claim.deadline
        assert await store.claim("other", lease=LEASE) == []

    async def test_lease_from_before_the_clock_went_back_is_stale(self, store: Store, clock: FakeClock) -> None:
        await store.add_episode(episode())
        await store.claim("w", lease=LEASE)
        clock.advance(-DAY)
        assert len(await store.claim("other", lease=LEASE)) == 1

    async def test_failed_episode_holds_its_group_up_until_retried_or_parked(
        self, store: Store, clock: FakeClock
    ) -> None:
        first, second = [await store.add_episode(episode(text)) for text in ("first", "second")]
        (claim,) = await store.claim("w", lease=LEASE)
        await store.release(claim, error="model away", retry_at=clock.time + SECOND)
        assert await store.claim("w", lease=LEASE) == []
        clock.advance(SECOND)
        (again,) = await store.claim("w", lease=LEASE)
        assert (again.episode.uuid, again.episode.attempts, again.episode.error) == (first.uuid, 2, "model away")
        await store.release(again, error="hopeless", park=True)
        (parked,) = await store.episodes(replace(HOME, statuses=(Status.PARKED,)))
        assert (parked.uuid, parked.error, parked.attempts) == (first.uuid, "hopeless", 2)
        assert [c.episode.uuid for c in await store.claim("w", lease=LEASE)] == [second.uuid]

    async def test_claim_given_back_without_error_does_not_count(self, store: Store) -> None:
        await store.add_episode(episode())
        (claim,) = await store.claim("w", lease=LEASE)
        await store.release(claim)
        assert [c.episode.attempts for c in await store.claim("w", lease=LEASE)] == [1]

    async def test_parked_and_done_episodes_can_be_queued_again(self, store: Store) -> None:
        done, parked = [await store.add_episode(episode(text)) for text in ("done", "parked")]
        (claim,) = await store.claim("w", lease=LEASE)
        await store.finish(change(), claim)
        (claim,) = await store.claim("w", lease=LEASE)
        await store.release(claim, error="no", park=True)
        assert await store.requeue(replace(HOME, statuses=(Status.PARKED,))) == 1
        assert await store.requeue(replace(HOME, uuids=(done.uuid, parked.uuid))) == 1
        assert {(e.status, e.attempts, e.error) for e in await store.episodes(HOME)} == {(Status.PENDING, 0, "")}

    async def test_replacing_an_episode_takes_it_from_who_digests_it(self, store: Store) -> None:
        told = await store.add_episode(episode("old"))
        (claim,) = await store.claim("w", lease=LEASE)
        await store.add_episode(replace(told, content="new"))
        with pytest.raises(ClaimLost):
            await store.finish(change(), claim)
        assert [c.episode.content for c in await store.claim("w", lease=LEASE)] == ["new"]

"""One group is digested in order by one worker at a time, whatever happens to the worker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everfact.errors import ClaimLost, Conflict, UsageError
from everfact.models import HEARD, Claim, Status
from everfact.ports import Store
from everfact.testing.builders import HOME, assertion, change, entity, episode
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

    async def test_finishing_an_episode_can_claim_the_next_one_of_its_group(
        self, store: Store, clock: FakeClock
    ) -> None:
        first, second, third = [await store.add_episode(episode(text)) for text in ("first", "second", "third")]
        clock.advance(SECOND)
        await store.add_episode(episode("elsewhere", group_id="work"))
        (claim,) = await store.claim("w", lease=LEASE)
        made, following = await store.finish(change(cause=first.uuid), claim, lease=LEASE)
        assert following is not None
        assert (following.episode.uuid, following.episode.attempts) == (second.uuid, 1)
        assert (following.head, following.owner, following.deadline) == (made.uuid, "w", clock.time + LEASE)
        assert [c.episode.group_id for c in await store.claim("other", limit=9, lease=LEASE)] == ["work"]
        with pytest.raises(ClaimLost):
            await store.finish(change(parent=made), claim)  # the token was for the first one only
        made, none = await store.finish(change(parent=made), following)
        assert none is None
        (claim,) = await store.claim("other", lease=LEASE)
        assert claim.episode.uuid == third.uuid
        assert (await store.finish(change(parent=made), claim, lease=LEASE))[1] is None

    async def test_episode_that_waits_for_its_next_try_is_not_claimed_after_another(
        self, store: Store, clock: FakeClock
    ) -> None:
        told = await store.add_episode(episode("first"))
        await store.add_episode(episode("second"))
        (claim,) = await store.claim("w", lease=LEASE)
        await store.finish(change(), claim)
        (claim,) = await store.claim("w", lease=LEASE)
        await store.release(claim, error="model away", retry_at=clock.time + DAY)
        await store.requeue(replace(HOME, uuids=(told.uuid,)))
        (claim,) = await store.claim("w", lease=LEASE)
        (head,) = await store.changes(HOME)
        assert (await store.finish(change(parent=head), claim, lease=LEASE))[1] is None

    async def test_change_that_is_refused_leaves_the_claim_as_it_was(self, store: Store) -> None:
        await store.add_episode(episode("first"))
        await store.add_episode(episode("second"))
        (claim,) = await store.claim("w", lease=LEASE)
        stale = replace(change(), parent="long ago")
        for _ in range(2):
            with pytest.raises(Conflict):
                await store.finish(stale, claim, lease=LEASE)
        with pytest.raises(UsageError):
            await store.finish(change(entity(group_id="work")), claim, lease=LEASE)
        assert await store.claim("other", lease=LEASE) == []
        _, following = await store.finish(change(), claim, lease=LEASE)
        assert following is not None
        assert following.episode.attempts == 1

    async def test_claim_brings_who_spoke_before_in_the_thread(self, store: Store) -> None:
        for speaker, thread in (("Ana", "t"), ("", "t"), ("Bo", "t"), ("Cy", "other"), ("Ana", "t"), ("Di", "t")):
            await store.add_episode(episode(thread=thread, speaker=speaker))
        await store.add_episode(episode(speaker="Ed"))
        await store.add_episode(episode(group_id="work", thread="t", speaker="Fay"))
        heard = {}
        for _ in range(2):
            for claim in await store.claim("w", limit=9, lease=LEASE):
                following: Claim | None = claim
                while following is not None:
                    heard[following.episode.speaker, following.episode.position] = following.listeners
                    made = replace(change(), group_id=following.episode.group_id, parent=following.head)
                    _, following = await store.finish(made, following, lease=LEASE)
        assert heard == {
            ("Ana", 1): (),
            ("", 2): ("Ana",),
            ("Bo", 3): ("Ana",),
            ("Cy", 1): (),
            ("Ana", 4): ("Bo",),
            ("Di", 5): ("Ana", "Bo"),
            ("Ed", 0): (),
            ("Fay", 1): (),
        }

    async def test_who_spoke_long_ago_or_was_forgotten_is_not_heard(self, store: Store) -> None:
        told = [await store.add_episode(episode(thread="t", speaker=name)) for name in ("Ana", "Bo")]
        for _ in range(HEARD - 1):
            await store.add_episode(episode(thread="t", speaker="Cy"))
        last = await store.add_episode(episode(thread="t", speaker="Di"))
        for item in (*told, last):
            await store.requeue(replace(HOME, uuids=(item.uuid,)))
        made = await store.apply(replace(change(), removed=(told[1].uuid,)))
        following: Claim | None = (await store.claim("w", lease=LEASE))[0]
        while following is not None and following.episode.uuid != last.uuid:
            made, following = await store.finish(change(parent=made), following, lease=LEASE)
        assert following is not None
        assert following.listeners == ("Cy",)

    async def test_claim_brings_the_entities_that_the_text_may_name(self, store: Store, clock: FakeClock) -> None:
        maria, city = entity("Maria de la Cruz"), entity("New York", aliases=("NYC",))
        others = entity("York City"), entity("Ana", group_id="work"), entity("Zoe")
        made = await store.apply(change(maria, city, others[0], others[2]))
        clock.advance(SECOND)
        await store.apply(change(others[1]))
        await store.apply(change(replace(others[2], name="Zoe Old"), parent=made))
        await store.add_episode(episode("Ana: maria DE LA cruz left nyc for New Haven, York. Zoe!", speaker="Bo"))
        (claim,) = await store.claim("w", lease=LEASE)
        assert {e.name for e in claim.known} == {"Maria de la Cruz", "New York"}
        assert {e.group_id for e in claim.known} == {"home"}

    async def test_claim_says_whether_the_episode_was_digested_before(self, store: Store) -> None:
        told = await store.add_episode(episode())
        (claim,) = await store.claim("w", lease=LEASE)
        assert claim.is_first
        alice = entity()
        await store.finish(change(alice, assertion(alice, None, told)), claim)
        await store.requeue(HOME)
        (claim,) = await store.claim("w", lease=LEASE)
        assert not claim.is_first

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

    async def test_lease_of_a_machine_whose_clock_is_ahead_is_held(self, store: Store, clock: FakeClock) -> None:
        await store.add_episode(episode())
        await store.claim("ahead", lease=LEASE)
        clock.advance(SECOND - LEASE)
        assert await store.claim("behind", lease=LEASE) == []
        clock.advance(-SECOND)
        assert len(await store.claim("behind", lease=LEASE)) == 1

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

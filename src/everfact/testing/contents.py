"""What the reference store holds, and the plain rules by which it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias, TypeVar

from everfact.clock import new_id
from everfact.errors import ClaimLost, NotFound, UsageError
from everfact.models import (
    HEARD,
    MET,
    Assertion,
    Change,
    Claim,
    Entity,
    Episode,
    Fact,
    Status,
    Vector,
    fold_name,
    names_in,
)

Item: TypeAlias = Episode | Entity | Fact
K = TypeVar("K", bound=Item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An item as it was believed from one moment until another, by which change made and closed."""

    number: int
    item: Item
    known_from: datetime
    known_to: datetime | None = None
    made_by: str | None = None
    closed_by: str | None = None

    def is_known_at(self, moment: datetime | None) -> bool:
        """Whether it was believed then; None is now."""
        if moment is None:
            return self.known_to is None
        return self.known_from <= moment and (self.known_to is None or self.known_to > moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An assertion withdrawn, or reinstated."""

    uuid: str
    withdrawn: bool
    at: datetime
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The place of one version of an episode in the queue."""

    group_id: str
    is_parked: bool = False
    attempts: int = 0
    retry_at: datetime | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who digests a group, and which version of an episode."""

    token: str
    number: int
    granted_at: datetime
    deadline: datetime

    def is_stale(self, now: datetime) -> bool:
        """Whether it ran out, or was granted before the clock went back: further ahead than it is long."""
        return now >= self.deadline or self.granted_at - now >= self.deadline - self.granted_at


@dataclass(slots=True)
class Contents:
    """All a memory holds. What is in the containers never changes, so a copy of them is a copy of everything."""

    versions: list[Version] = field(default_factory=list)
    assertions: dict[str, Assertion] = field(default_factory=dict)
    made_by: dict[str, str] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    log: list[Change] = field(default_factory=list)
    queue: dict[int, Waiting] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    threads: dict[tuple[str, str], int] = field(default_factory=dict)
    recorded: dict[str, datetime] = field(default_factory=dict)
    vectors: dict[tuple[str, str, str], Vector] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)

    def head(self, group_id: str) -> str | None:
        """The last change of a group."""
        return next((change.uuid for change in reversed(self.log) if change.group_id == group_id), None)

    def present(self, uuid: str) -> Version | None:
        """The version believed now."""
        return next((v for v in self.versions if v.item.uuid == uuid and v.known_to is None), None)

    def items(self, kind: type[K], known_at: datetime | None) -> Iterator[K]:
        """The items of one kind as they are, or then were, believed."""
        for version in self.versions:
            if isinstance(version.item, kind) and version.is_known_at(known_at):
                item = self.with_status(version) if isinstance(version.item, Episode) else version.item
                assert isinstance(item, kind)
                yield item

    def with_status(self, version: Version) -> Episode:
        """The episode of that version and how far its digestion is."""
        assert isinstance(version.item, Episode)
        waiting = self.queue.get(version.number)
        if waiting is None:
            return replace(version.item, status=Status.DONE, attempts=0, error="")
        status = Status.PARKED if waiting.is_parked else Status.PENDING
        return replace(version.item, status=status, attempts=waiting.attempts, error=waiting.error)

    def is_withdrawn(self, uuid: str, known_at: datetime | None) -> bool:
        """Whether an assertion is, or then was, withdrawn."""
        marks = [mark for mark in self.marks if mark.uuid == uuid and (known_at is None or mark.at <= known_at)]
        return marks[-1].withdrawn if marks else False

    def ready(self, now: datetime, group_ids: Sequence[str] | None) -> list[int]:
        """The oldest pending version of each group that may be claimed, longest waiting first."""
        heads: dict[str, int] = {}
        for number, waiting in sorted(self.queue.items()):
            if not waiting.is_parked and (group_ids is None or waiting.group_id in group_ids):
                heads.setdefault(waiting.group_id, number)
        told = {version.number: (version.item.created_at, version.item.uuid) for version in self.versions}
        ready = []
        for group, number in heads.items():
            retry_at, lease = self.queue[number].retry_at, self.leases.get(group)
            if (lease is None or lease.is_stale(now)) and (retry_at is None or retry_at <= now):
                ready.append(number)
        return sorted(ready, key=lambda number: told[number])

    def take(self, number: int, owner: str, lease: timedelta, now: datetime) -> Claim:
        """Claim that version; the attempt counts from now on."""
        waiting = self.queue[number]
        self.queue[number] = replace(waiting, attempts=waiting.attempts + 1)
        episode = self.with_status(next(v for v in self.versions if v.number == number))
        claim = Claim(
            token=new_id(),
            owner=owner,
            episode=episode,
            deadline=now + lease,
            head=self.head(waiting.group_id),
            is_first=all(a.episode_uuid != episode.uuid for a in self.assertions.values()),
            listeners=self._listeners(episode),
            known=self._met(episode),
        )
        self.leases[waiting.group_id] = Lease(token=claim.token, number=number, granted_at=now, deadline=claim.deadline)
        return claim

    def _listeners(self, episode: Episode) -> tuple[str, ...]:
        turns = [
            (turn.position, turn.speaker)
            for turn in self.items(Episode, None)
            if episode.thread and (turn.group_id, turn.thread) == (episode.group_id, episode.thread)
        ]
        heard = [name for place, name in sorted(turns, reverse=True) if 1 <= episode.position - place <= HEARD]
        return tuple(dict.fromkeys(name for name in heard if name not in ("", episode.speaker)))

    def _met(self, episode: Episode) -> tuple[Entity, ...]:
        names = set(names_in(episode))
        met = [
            entity
            for entity in self.items(Entity, None)
            if entity.group_id == episode.group_id
            and not names.isdisjoint(map(fold_name, (entity.name, *entity.aliases)))
        ]
        return tuple(sorted(met, key=lambda entity: (entity.created_at, entity.uuid), reverse=True)[:MET])

    def held(self, claim: Claim) -> Lease:
        """The lease behind a claim."""
        lease = self.leases.get(claim.episode.group_id)
        if lease is None or lease.token != claim.token:
            raise ClaimLost(f"the claim on episode {claim.episode.uuid} is not held any more")
        return lease

    def write(self, item: Item, at: datetime, change: Change | None) -> None:
        """A new version, in place of the present one."""
        self.close(item.uuid, at, change)
        number = max((version.number for version in self.versions), default=0) + 1
        by = None if change is None else change.uuid
        self.versions.append(Version(number=number, item=item, known_from=at, made_by=by))
        if isinstance(item, Episode) and item.thread:
            place = item.group_id, item.thread
            self.threads[place] = max(self.threads.get(place, 0), item.position)
        if isinstance(item, Episode) and item.status is not Status.DONE:
            self.queue[number] = Waiting(
                group_id=item.group_id,
                is_parked=item.status is Status.PARKED,
                attempts=item.attempts,
                error=item.error,
            )

    def close(self, uuid: str, at: datetime, change: Change | None) -> bool:
        """Nobody believes this item any more; answer whether anybody did."""
        present = self.present(uuid)
        if present is None:
            return False
        closed = replace(present, known_to=at, closed_by=None if change is None else change.uuid)
        self.versions[self.versions.index(present)] = closed
        self.queue.pop(present.number, None)
        self.leases = {g: lease for g, lease in self.leases.items() if lease.number != present.number}
        return True

    def do(self, change: Change) -> None:
        """Everything the change says, in the order a store does it."""
        self.record(change)
        self._require_entities(change)

    def record(self, change: Change) -> None:
        """Write a change as it is; what it speaks of may have been purged since."""
        for uuid in change.removed:
            present = self.present(uuid)
            if present is None or present.item.group_id != change.group_id:
                raise NotFound(f"the group has nothing with the id {uuid} to remove")
            self.close(uuid, change.created_at, change)
        self._require_own(change)
        for episode in change.episodes:
            self.write(episode, change.created_at, change)
        for entity in change.entities:
            self.write(entity, change.created_at, change)
        for assertion in change.asserted:
            if assertion.uuid in self.assertions:
                raise UsageError(f"assertion {assertion.uuid} exists already")
            self.assertions[assertion.uuid] = assertion
            self.made_by[assertion.uuid] = change.uuid
        for uuid in change.withdrawn:
            self._mark(uuid, change, withdrawn=True)
        for uuid in change.reinstated:
            self._mark(uuid, change, withdrawn=False)
        for fact in change.facts:
            self.write(fact, change.created_at, change)
        # What it did is read back from the versions and marks it left.
        self.log.append(
            replace(change, asserted=(), withdrawn=(), reinstated=(), episodes=(), entities=(), facts=(), removed=())
        )

    def _require_own(self, change: Change) -> None:
        uuids = {item.uuid for items in (change.episodes, change.entities, change.facts) for item in items}
        if any(v.item.uuid in uuids and v.item.group_id != change.group_id for v in self.versions):
            raise UsageError(f"a change to group {change.group_id} reuses the id of another group's item")

    def _require_entities(self, change: Change) -> None:
        known = {entity.uuid for entity in self.items(Entity, None) if entity.group_id == change.group_id}
        spoken_of: list[Assertion | Fact] = [*change.asserted]
        spoken_of += change.facts
        for item in spoken_of:
            if not {item.subject_uuid, item.object_uuid or item.subject_uuid} <= known:
                raise NotFound(f"group {change.group_id} lacks an entity of which the change speaks")

    def _mark(self, uuid: str, change: Change, *, withdrawn: bool) -> None:
        assertion = self.assertions.get(uuid)
        is_mine = assertion is not None and assertion.group_id == change.group_id
        if not is_mine or self.is_withdrawn(uuid, None) is withdrawn:
            raise NotFound(f"the group has no assertion {uuid} to {'withdraw' if withdrawn else 'reinstate'}")
        self.marks.append(Mark(uuid=uuid, withdrawn=withdrawn, at=change.created_at, by=change.uuid))

    def whole(self, change: Change) -> Change:
        """The change with what is left of all it did."""
        made = sorted((v for v in self.versions if v.made_by == change.uuid), key=lambda version: version.number)
        items = [self.with_status(v) if isinstance(v.item, Episode) else v.item for v in made]
        again = {version.item.uuid for version in made}
        marks = sorted((mark for mark in self.marks if mark.by == change.uuid), key=lambda mark: mark.uuid)
        return replace(
            change,
            asserted=tuple(a for a in self.assertions.values() if self.made_by[a.uuid] == change.uuid),
            withdrawn=tuple(mark.uuid for mark in marks if mark.withdrawn),
            reinstated=tuple(mark.uuid for mark in marks if not mark.withdrawn),
            episodes=tuple(item for item in items if isinstance(item, Episode)),
            entities=tuple(item for item in items if isinstance(item, Entity)),
            facts=tuple(item for item in items if isinstance(item, Fact)),
            removed=tuple(
                sorted(v.item.uuid for v in self.versions if v.closed_by == change.uuid and v.item.uuid not in again)
            ),
        )

    def wipe_former_names(self, group_id: str, uuid: str) -> None:
        """As if the entity had always been called what it is called now."""
        mine = [v for v in self.versions if v.item.uuid == uuid and isinstance(v.item, Entity)]
        mine = [v for v in mine if v.item.group_id == group_id]
        for version in mine:
            self.versions.remove(version)
            if version.known_to is None:
                first = min(mine, key=lambda v: (v.known_from, v.number))
                self.versions.append(replace(version, known_from=first.known_from, made_by=first.made_by))
        texts = {v.item.text for v in mine if v.known_to is None}
        self.vectors = {key: v for key, v in self.vectors.items() if key[1] != uuid or key[2] in texts}

    def drop(self, is_gone: Callable[[Item | Assertion], bool]) -> None:
        """Take items out of every corner."""
        lost = [version for version in self.versions if is_gone(version.item)]
        numbers, uuids = {version.number for version in lost}, {version.item.uuid for version in lost}
        self.versions = [version for version in self.versions if version.number not in numbers]
        self.queue = {number: waiting for number, waiting in self.queue.items() if number not in numbers}
        self.leases = {group: lease for group, lease in self.leases.items() if lease.number not in numbers}
        self.vectors = {key: vector for key, vector in self.vectors.items() if key[1] not in uuids}
        self.assertions = {uuid: a for uuid, a in self.assertions.items() if not is_gone(a)}
        self.marks = [mark for mark in self.marks if mark.uuid in self.assertions]
        used = {(v.item.group_id, v.item.thread) for v in self.versions if isinstance(v.item, Episode)}
        self.threads = {key: length for key, length in self.threads.items() if key in used}

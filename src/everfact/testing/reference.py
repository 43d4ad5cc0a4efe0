"""The reference store: plain lists and dictionaries, slow and obviously right. Other stores are compared with it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any, Self, TypeVar

from everfact import clock
from everfact.errors import Conflict, StoreError, UsageError
from everfact.models import (
    Assertion,
    Change,
    Claim,
    Cursor,
    Embedding,
    Entity,
    Entry,
    Episode,
    Fact,
    Filter,
    Reached,
    Scored,
    Stats,
    Status,
    Thing,
    Unembedded,
    Vector,
    fold_name,
)
from everfact.testing.choose import Place, passes_assertion, passes_entity, passes_episode, passes_fact, shared_words
from everfact.testing.contents import Contents, Item, Waiting
from everfact.testing.journal import journal, replay

T = TypeVar("T")
P = TypeVar("P", Episode, Entity, Fact, Assertion, Change)

_TICK = timedelta(microseconds=1)
_THINGS: dict[Thing, type[Item]] = {Thing.EPISODE: Episode, Thing.ENTITY: Entity, Thing.FACT: Fact}


@dataclass(slots=True)
class Disk:
    """What outlives a store: open another on the same disk and all is there."""

    contents: Contents = field(default_factory=Contents)


class ReferenceStore:
    """A memory in plain Python."""

    def __init__(self, disk: Disk | None = None, *, now: Callable[[], datetime] = clock.now) -> None:
        self._disk = disk or Disk()
        self._now = now
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def add_episode(self, episode: Episode) -> Episode:
        with self._writing() as contents:
            for told in contents.items(Episode, None):
                if told.group_id == episode.group_id and episode.source_key and told.source_key == episode.source_key:
                    return told
            if any(v.item.uuid == episode.uuid and v.item.group_id != episode.group_id for v in contents.versions):
                raise UsageError(f"episode {episode.uuid} belongs to another group")
            before = contents.present(episode.uuid)
            if before is not None:
                assert isinstance(before.item, Episode)
                if before.item.content == episode.content:
                    return contents.with_status(before)
                episode = replace(episode, thread=before.item.thread, position=before.item.position)
            elif episode.thread:
                place = episode.group_id, episode.thread
                episode = replace(episode, position=contents.threads.get(place, 0) + 1)
            else:
                episode = replace(episode, position=0)
            at = self._record_time(contents, episode.group_id)
            episode = replace(episode, created_at=at, status=Status.PENDING, attempts=0, error="")
            contents.write(episode, at, None)
            return episode

    async def claim(
        self, owner: str, *, limit: int = 1, lease: timedelta, group_ids: Sequence[str] | None = None
    ) -> list[Claim]:
        with self._writing() as contents:
            now = self._now()
            return [contents.take(number, owner, lease, now) for number in contents.ready(now, group_ids)[:limit]]

    async def renew(self, claim: Claim, *, lease: timedelta) -> Claim:
        with self._writing() as contents:
            held = contents.held(claim)
            longer = replace(claim, deadline=self._now() + lease)
            contents.leases[claim.episode.group_id] = replace(held, granted_at=self._now(), deadline=longer.deadline)
            return longer

    async def release(
        self, claim: Claim, *, error: str = "", retry_at: datetime | None = None, park: bool = False
    ) -> None:
        with self._writing() as contents:
            number = contents.held(claim).number
            waiting = contents.queue[number]
            if error or park:
                contents.queue[number] = replace(waiting, error=error, retry_at=retry_at, is_parked=park)
            else:
                contents.queue[number] = replace(waiting, attempts=waiting.attempts - 1)
            del contents.leases[claim.episode.group_id]

    async def requeue(self, where: Filter) -> int:
        with self._writing() as contents:
            count, beside = 0, _places_beside(contents, where)
            for version in contents.versions:
                waiting = contents.queue.get(version.number)
                if not isinstance(version.item, Episode) or version.known_to is not None:
                    continue
                if (waiting is not None and not waiting.is_parked) or not passes_episode(
                    contents.with_status(version), where, beside
                ):
                    continue
                contents.queue[version.number] = Waiting(group_id=version.item.group_id)
                count += 1
            return count

    async def apply(self, change: Change) -> Change:
        with self._writing() as contents:
            return self._record(contents, change)

    async def finish(
        self, change: Change, claim: Claim, *, lease: timedelta | None = None
    ) -> tuple[Change, Claim | None]:
        with self._writing() as contents:
            if claim.episode.group_id != change.group_id:
                raise UsageError(f"a change to group {change.group_id} cannot finish an episode of another group")
            del contents.queue[contents.held(claim).number]
            del contents.leases[change.group_id]
            change = self._record(contents, change)
            now = self._now()
            following = contents.ready(now, [change.group_id]) if lease is not None else []
            return change, contents.take(following[0], claim.owner, lease, now) if following and lease else None

    def _record(self, contents: Contents, change: Change) -> Change:
        items: tuple[Item | Assertion, ...] = (*change.asserted, *change.episodes, *change.entities, *change.facts)
        if any(item.group_id != change.group_id for item in items):
            raise UsageError(f"a change to group {change.group_id} holds items of another group")
        if any(change.uuid == made.uuid for made in contents.log):
            raise UsageError(f"change {change.uuid} was made already")
        if change.parent != contents.head(change.group_id):
            raise Conflict(f"group {change.group_id} has changed since it was read")
        change = change.recorded(self._record_time(contents, change.group_id))
        contents.do(change)
        return change

    async def episodes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Episode]:
        found = [e for e in self._filtered(Thing.EPISODE, self._reading(), where) if isinstance(e, Episode)]
        return _page(found, limit, before, "reference_time")

    async def entities(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Entity]:
        found = [e for e in self._reading().items(Entity, where.known_at) if passes_entity(e, where)]
        return _page(found, limit, before, "created_at")

    async def facts(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Fact]:
        found = [f for f in self._filtered(Thing.FACT, self._reading(), where) if isinstance(f, Fact)]
        return _page(found, limit, before, "created_at")

    async def assertions(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Assertion]:
        contents = self._reading()
        dated = (
            replace(a, withdrawn=contents.is_withdrawn(a.uuid, where.known_at)) for a in contents.assertions.values()
        )
        return _page([a for a in dated if passes_assertion(a, where)], limit, before, "created_at")

    async def changes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Change]:
        contents = self._reading()
        found = [
            whole
            for whole in (contents.whole(change) for change in contents.log)
            if (where.group_ids is None or whole.group_id in where.group_ids)
            and (where.known_at is None or whole.created_at <= where.known_at)
            and (where.uuids is None or not _touched(whole).isdisjoint(where.uuids))
        ]
        return _page(found, limit, before, "created_at")

    async def journal(
        self, group_ids: Sequence[str] | None = None, *, limit: int = 100, after: Entry | None = None
    ) -> list[Entry]:
        contents = self._reading()
        groups = sorted(contents.recorded if group_ids is None else set(group_ids))
        found = [entry for group in groups for entry in journal(contents, group)]
        start = 0 if after is None else found.index(after) + 1
        return found[start : start + limit]

    async def replay(self, entries: Sequence[Entry]) -> int:
        with self._writing() as contents:
            return replay(contents, entries)

    async def match_text(self, thing: Thing, text: str, where: Filter, *, limit: int) -> list[Scored]:
        everything = self._filtered(thing, self._reading(), Filter(group_ids=where.group_ids))
        unknown = [word for word in text.split() if not any(shared_words(word, _indexed(item)) for item in everything)]
        scores: dict[str, float] = {}
        for item in self._filtered(thing, self._reading(), where):
            if found := shared_words(text, _indexed(item)):
                scores[item.uuid] = float(found)
            elif _is_hinted_at(item, text, unknown):
                scores[item.uuid] = 0.0
        return _best(scores, limit)

    async def match_vector(
        self, thing: Thing, model: str, vector: Vector, where: Filter, *, limit: int
    ) -> list[Scored]:
        contents = self._reading()
        _check_dimension(contents, model, vector)
        scores = {}
        for item in self._filtered(thing, contents, where):
            kept = contents.vectors.get((model, item.uuid, item.text))
            if kept is not None:
                scores[item.uuid] = _cosine(vector, kept)
        return _best(scores, limit)

    async def neighbours(
        self, entity_uuids: Sequence[str], where: Filter, *, hops: int = 1, limit: int = 100
    ) -> list[Reached]:
        seen, frontier = set(entity_uuids), set(entity_uuids)
        reached: dict[str, Reached] = {}
        for distance in range(1, hops + 1):
            found = await self.facts(replace(where, entities=tuple(frontier)), limit=len(self._reading().versions))
            inside, frontier = frontier, set()
            for fact in found:
                if fact.uuid not in reached:
                    far = (fact.object_uuid or fact.subject_uuid) if fact.subject_uuid in inside else fact.subject_uuid
                    reached[fact.uuid] = Reached(fact_uuid=fact.uuid, entity_uuid=far, distance=distance)
                    frontier |= {far} - seen
            seen |= frontier
        return list(reached.values())[:limit]

    async def speakers(self, names: Sequence[str], where: Filter) -> list[str]:
        asked = {fold_name(name) for name in names}
        spoken = {e.speaker for e in self._filtered(Thing.EPISODE, self._reading(), where) if isinstance(e, Episode)}
        return sorted(speaker for speaker in spoken if speaker and fold_name(speaker) in asked)

    async def together(self, work: Callable[[Self], Coroutine[Any, Any, T]]) -> T:
        return await work(self)

    async def put_vectors(self, model: str, embeddings: Sequence[Embedding]) -> int:
        with self._writing() as contents:
            kept = 0
            for embedding in embeddings:
                _check_dimension(contents, model, embedding.vector)
                present = contents.present(embedding.uuid)
                if present is not None and present.item.text == embedding.text:
                    contents.vectors[model, embedding.uuid, embedding.text] = embedding.vector
                    kept += 1
            return kept

    async def unembedded(self, model: str, *, limit: int) -> list[Unembedded]:
        contents = self._reading()
        lacking = [
            Unembedded(thing=thing, uuid=item.uuid, text=item.text)
            for thing, kind in _THINGS.items()
            for item in contents.items(kind, None)
            if (model, item.uuid, item.text) not in contents.vectors
        ]
        return lacking[:limit]

    async def maintain(self) -> bool:
        self._reading()
        return False

    async def purge(self, group_id: str, uuids: Sequence[str], *, former: Sequence[str] = ()) -> int:
        with self._writing() as contents:
            for uuid in former:
                contents.wipe_former_names(group_id, uuid)
            gone = {v.item.uuid for v in contents.versions if v.item.group_id == group_id} | {
                a.uuid for a in contents.assertions.values() if a.group_id == group_id
            }
            gone &= set(uuids)
            touched = {c.uuid for c in contents.log if not _touched(contents.whole(c)).isdisjoint(uuids)}
            contents.log = [
                replace(c, note="") if c.uuid in touched and c.group_id == group_id else c for c in contents.log
            ]
            contents.drop(lambda item: item.uuid in gone)
            return len(gone)

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        held = await self.stats(group_ids)
        with self._writing() as contents:
            contents.drop(lambda item: item.group_id in group_ids)
            contents.log = [change for change in contents.log if change.group_id not in group_ids]
            contents.recorded = {group: at for group, at in contents.recorded.items() if group not in group_ids}
        return held

    async def state(self, name: str) -> str | None:
        return self._reading().state.get(name)

    async def set_state(self, name: str, value: str | None) -> None:
        with self._writing() as contents:
            contents.state.pop(name, None)
            if value is not None:
                contents.state[name] = value

    async def swap_state(self, name: str, old: str | None, new: str | None) -> bool:
        is_still = await self.state(name) == old
        if is_still:
            await self.set_state(name, new)
        return is_still

    async def backup(self, target: Path) -> None:
        await asyncio.to_thread(_write_new, target, repr(self._reading()))

    async def stats(self, group_ids: Sequence[str] | None = None) -> Stats:
        contents = self._reading()
        groups = [group for group in contents.recorded if group_ids is None or group in group_ids]
        where = Filter(group_ids=tuple(groups))
        everything = len(contents.versions) + len(contents.assertions) + len(contents.log)
        episodes = await self.episodes(where, limit=everything)
        pending = [episode for episode in episodes if episode.status is Status.PENDING]
        return Stats(
            groups=len(groups),
            episodes=len(episodes),
            entities=len(await self.entities(where, limit=everything)),
            facts=len(await self.facts(where, limit=everything)),
            assertions=len(await self.assertions(where, limit=everything)),
            changes=len(await self.changes(where, limit=everything)),
            pending=len(pending),
            parked=sum(episode.status is Status.PARKED for episode in episodes),
            oldest_pending=min((episode.created_at for episode in pending), default=None),
            last_write=max((contents.recorded[group] for group in groups), default=None),
        )

    async def close(self) -> None:
        self._is_closed = True

    def _reading(self) -> Contents:
        if self._is_closed:
            raise StoreError("the memory is closed")
        return self._disk.contents

    @contextmanager
    def _writing(self) -> Iterator[Contents]:
        """Work on a copy that takes the place of the contents only if nothing went wrong."""
        contents = Contents(**{entry.name: copy(getattr(self._reading(), entry.name)) for entry in fields(Contents)})
        yield contents
        self._disk.contents = contents

    def _record_time(self, contents: Contents, group_id: str) -> datetime:
        last = contents.recorded.get(group_id, datetime.min.replace(tzinfo=UTC))
        contents.recorded[group_id] = max(self._now(), last + _TICK)
        return contents.recorded[group_id]

    def _filtered(self, thing: Thing, contents: Contents, where: Filter) -> Iterator[Item]:
        match thing:
            case Thing.EPISODE:
                beside = _places_beside(contents, where)
                yield from (e for e in contents.items(Episode, where.known_at) if passes_episode(e, where, beside))
            case Thing.ENTITY:
                yield from (e for e in contents.items(Entity, where.known_at) if passes_entity(e, where))
            case Thing.FACT:
                types = replace(where, uuids=None, names=None)
                typed = {e.uuid for e in contents.items(Entity, where.known_at) if passes_entity(e, types)}
                yield from (f for f in contents.items(Fact, where.known_at) if passes_fact(f, where, typed))


def _places_beside(contents: Contents, where: Filter) -> set[Place]:
    named = [e for e in contents.items(Episode, where.known_at) if e.thread and e.uuid in (where.beside or ())]
    return {(e.group_id, e.thread, e.position + step) for e in named for step in (-1, 1)}


def _write_new(target: Path, text: str) -> None:
    if target.exists():
        raise UsageError(f"{target} exists already")
    target.write_text(text, encoding="utf-8")


def _page(found: list[P], limit: int, before: Cursor | None, time: str) -> list[P]:
    key = attrgetter(time, "uuid")
    newest = sorted(found, key=key, reverse=True)
    return [item for item in newest if before is None or key(item) < before][:limit]


def _touched(change: Change) -> set[str]:
    """The uuids of a change, its cause and all it touched."""
    items: Iterable[Item | Assertion] = (*change.asserted, *change.episodes, *change.entities, *change.facts)
    named = {change.uuid, *change.withdrawn, *change.reinstated, *change.removed, *(item.uuid for item in items)}
    return named | ({change.cause} if change.cause else set())


def _indexed(item: Item) -> str:
    """The words an item is found by."""
    return f"{item.name} {item.content}" if isinstance(item, Episode) else item.text


def _is_hinted_at(item: Item, text: str, unknown: Sequence[str]) -> bool:
    """Whether it is found by its speaker, or by words within its names that are words of nothing else."""
    match item:
        case Episode():
            return shared_words(text, item.speaker) > 0
        case Entity():
            names = fold_name(" ".join((item.name, *item.aliases)))
            return any(len(word) > 2 and fold_name(word) in names for word in unknown)
        case Fact():
            return False


def _check_dimension(contents: Contents, model: str, vector: Vector) -> None:
    known = next((len(kept) for (name, _, _), kept in contents.vectors.items() if name == model), len(vector))
    if known != len(vector):
        raise UsageError(f"vectors of {model} have {known} dimensions, this one has {len(vector)}")
    if not all(math.isfinite(value) for value in vector):
        raise UsageError("a vector holds a value that is no finite number")


def _cosine(one: Vector, other: Vector) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


def _best(scores: dict[str, float], limit: int) -> list[Scored]:
    ranked = sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [Scored(uuid=uuid, score=score) for uuid, score in ranked[:limit]]

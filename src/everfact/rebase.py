"""What another memory did since the two went separate ways, done again on top of what is here, as git rebases.

Each act keeps its id, so that one which was done again is known, and its kind, so that it can be looked at and undone
by itself. What it asserted is asserted, what it withdrew is withdrawn, and the facts are folded from what is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from everfact import revise
from everfact.errors import Conflict
from everfact.ingest import Cast, candidates
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Entity,
    Entry,
    Episode,
    Filter,
    Mention,
    Status,
    Undigested,
    as_entry,
)
from everfact.ports import Store
from everfact.refold import EVERYTHING
from everfact.resolve import resolve

_TRIES = 10


class Rebase:
    """One group's journal from where it went another way, taken in bit by bit."""

    def __init__(self, store: Store, group_id: str, now: Callable[[], datetime]) -> None:
        self._store = store
        self._here = Filter(group_ids=(group_id,), withdrawn=None)
        self._now = now
        self._twins: set[str] = set()
        """Episodes that were told here too, under an id of their own, and digested here."""
        self._meant: dict[str, str] = {}
        """Who of ours an entity of theirs is."""
        self._names: dict[str, Mention] = {}
        """What entities of theirs are called."""

    async def take(self, entries: Sequence[Entry]) -> int:
        """Take in what is not here yet, in order; answer how many entries that were.

        What is left to digest needs no word: an episode that nothing here has digested waits by itself.
        """
        uuids = tuple(entry.uuid for entry in entries if isinstance(entry, Change))
        there = {change.uuid for change in await self._store.changes(self._where(uuids), limit=EVERYTHING)}
        count = 0
        for entry in entries:
            if isinstance(entry, Episode):
                count += await self._tell(entry)
            elif not isinstance(entry, Undigested) and entry.uuid not in there:
                count += await self._redo(entry)
        return count

    def _where(self, uuids: Iterable[str]) -> Filter:
        return replace(self._here, uuids=tuple(uuids))

    async def _tell(self, told: Episode) -> bool:
        """Of two texts of one episode the one told last counts; one that was taken away here stays away."""
        for present in await self._store.episodes(self._where([told.uuid])):
            if present.content == told.content or present.created_at >= told.created_at:
                return False
        touching = await self._store.changes(self._where([told.uuid]), limit=EVERYTHING)
        if any(told.uuid in change.removed for change in touching):
            return False
        kept = await self._store.add_episode(told)
        if kept.uuid != told.uuid:
            self._twins.add(told.uuid)
        return kept.uuid == told.uuid

    async def _redo(self, change: Change) -> bool:
        self._names |= {e.uuid: Mention(name=e.name, type=next(iter(e.types), "")) for e in change.entities}
        if await self._waits_again(change):
            return False
        for _ in range(_TRIES):
            act = await self._act(change)
            if not (act.asserted or act.withdrawn or act.reinstated or act.episodes or act.removed):
                return False
            try:
                await self._store.apply(await revise.finish(self._store, act))
            except Conflict:
                continue
            return True
        raise Conflict(f"group {change.group_id} changes all the time", hint="import the file again")

    async def _waits_again(self, change: Change) -> bool:
        """What it digested has another text here than what was digested here before: only here both are known."""
        if change.kind is not ChangeKind.DIGEST:
            return False
        waiting = [e for e in await self._present([change.cause]) if e.status is not Status.DONE]
        return bool(waiting) and bool(await self._said_in(change.cause, limit=1))

    async def _said_in(self, episode: str, limit: int = EVERYTHING) -> list[Assertion]:
        return await self._store.assertions(replace(self._here, episodes=(episode,)), limit=limit)

    async def _act(self, change: Change) -> Change:
        """As much of the change as makes sense here."""
        now = self._now()
        act = await revise.begin(self._store, change.group_id, change.kind, cause=change.cause, now=now)
        marks = (*change.withdrawn, *change.reinstated)
        known = {a.uuid: a for a in await self._assertions((*(a.uuid for a in change.asserted), *marks))}
        said = await self._said_in(change.cause) if change.kind is ChangeKind.DIGEST else []
        same = {a.statement for a in said if not a.withdrawn}
        fresh = [a for a in change.asserted if a.uuid not in known and a.episode_uuid not in self._twins]
        fresh = [a for a in fresh if a.statement not in same]
        asserted, entities = await self._settled(fresh, change.group_id, now)
        return replace(
            act,
            uuid=change.uuid,
            note=change.note,
            asserted=asserted,
            entities=entities,
            withdrawn=tuple(uuid for uuid in change.withdrawn if uuid in known and not known[uuid].withdrawn),
            reinstated=tuple(uuid for uuid in change.reinstated if uuid in known and known[uuid].withdrawn),
            episodes=await self._episodes(change),
            removed=tuple(e.uuid for e in await self._present(change.removed)),
        )

    async def _assertions(self, uuids: tuple[str, ...]) -> list[Assertion]:
        return await self._store.assertions(self._where(uuids), limit=EVERYTHING) if uuids else []

    async def _present(self, uuids: Sequence[str]) -> list[Episode]:
        return await self._store.episodes(self._where(uuids), limit=EVERYTHING) if uuids else []

    async def _episodes(self, change: Change) -> tuple[Episode, ...]:
        """What it digested is digested, what it marked is marked, what it brought back is back."""
        cause = change.cause if change.kind is ChangeKind.DIGEST else ""
        written = {e.uuid: e for e in change.episodes if e.uuid not in self._twins}
        present = {e.uuid: e for e in await self._present([*written, *([cause] if cause else [])])}
        marked = []
        for uuid, episode in present.items():
            now = as_entry(episode) if uuid == cause else episode
            now = replace(now, attributes=written[uuid].attributes) if uuid in written else now
            marked += [now] if now != episode else []
        gone = [e for e in written.values() if e.uuid not in present]
        lost = await self._taken_by(change.cause) if gone else set()
        return (*marked, *(replace(e, source_key="") for e in gone if e.uuid in lost))

    async def _taken_by(self, act: str) -> set[str]:
        """What an act took away here."""
        touching = await self._store.changes(self._where([act]), limit=EVERYTHING)
        return {uuid for change in touching if change.uuid == act for uuid in change.removed}

    async def _settled(
        self, said: Sequence[Assertion], group_id: str, now: datetime
    ) -> tuple[tuple[Assertion, ...], tuple[Entity, ...]]:
        """The assertions about our entities, and those entities that are new or have learnt a name."""
        ends = [end for assertion in said for end in _ends(assertion)]
        known = await self._known({uuid for uuid, _ in ends}, ends, group_id)
        ours = [replace(mention, uuid=self._meant[uuid]) for uuid, mention in ends if uuid in self._meant]
        cast = await Cast.of(self._store, group_id, ours, known=known, now=now)
        asserted = tuple(
            replace(
                a,
                subject_uuid=self._meant[a.subject_uuid],
                object_uuid=self._meant[a.object_uuid] if a.object_uuid else None,
                created_at=now,
            )
            for a in said
            if all(uuid in self._meant for uuid, _ in _ends(a))
        )
        return asserted, cast.written_for(asserted)

    async def _known(self, uuids: set[str], ends: list[tuple[str, Mention]], group_id: str) -> list[Entity]:
        """Find out who of ours is meant by each of these, or that somebody is new; answer who may be."""
        here = await self._store.entities(self._where(uuids), limit=EVERYTHING) if uuids else []
        self._meant |= {entity.uuid: entity.uuid for entity in here}
        for uuid, mention in ends:
            if mention.name:
                self._names.setdefault(uuid, mention)
        strange = {uuid: self._names[uuid] for uuid in sorted(uuids - self._meant.keys()) if uuid in self._names}
        like = await candidates(self._store, group_id, list(strange.values())) if strange else []
        for uuid, mention in strange.items():
            found = resolve(mention, like)
            self._meant[uuid] = uuid if found is None else found.uuid
        return [*here, *like]


def _ends(assertion: Assertion) -> Iterator[tuple[str, Mention]]:
    """The entities that an assertion speaks of, and how it names them."""
    said = assertion.statement
    yield assertion.subject_uuid, replace(said.subject, uuid="")
    if assertion.object_uuid:
        yield (
            assertion.object_uuid,
            replace(said.object, uuid="") if isinstance(said.object, Mention) else Mention(name=""),
        )

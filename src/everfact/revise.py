"""Acts of people on what is known: undo, forget, correct, settle, merge, split.

One mechanism for all: withdraw assertions, assert others, fold again (`refold`). Each gives a `Change`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from everfact.clock import new_id
from everfact.communities import COMMUNITY, is_community, members_of
from everfact.errors import NotFound, UsageError
from everfact.marks import unwritten
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Entity,
    Episode,
    Fact,
    Filter,
    Mention,
    Statement,
    Status,
    Trust,
    fold_name,
)
from everfact.ports import Store
from everfact.refold import EVERYTHING, mentions_of, refold
from everfact.statements import dated, normal

_PERSON = "person"
_TICK = timedelta(microseconds=1)


async def undo(store: Store, change: Change, *, now: datetime) -> Change:
    """As if the change had never been made: what it asserted goes, what it withdrew comes back.

    Raises:
        UsageError: it took over what another program keeps beside, which would be wiped there.
    """
    if change.kind is ChangeKind.ADOPT:
        raise UsageError(
            "this took over what stands in the database already, which is not undone",
            hint="forget what is wrong in it; everfact delete takes an episode, an entity or a fact",
        )
    here = Filter(group_ids=(change.group_id,), withdrawn=None)
    made = await _copies(store, change)
    lost = await store.assertions(replace(here, uuids=change.withdrawn), limit=EVERYTHING) if change.withdrawn else []
    forgotten = await _forgotten(store, change, lost)
    back = [e for e in await _removed_episodes(store, change) if e.uuid not in forgotten]
    unmarked, gone = await unwritten(store, [change])
    circles, unmade = await _communities_before(store, change)
    return await finish(
        store,
        replace(
            await begin(store, change.group_id, ChangeKind.UNDO, cause=change.uuid, now=now),
            withdrawn=tuple(a.uuid for a in made if not a.withdrawn),
            reinstated=tuple(a.uuid for a in lost if a.withdrawn and a.episode_uuid not in forgotten),
            episodes=(*back, *unmarked),
            entities=circles,
            removed=(*gone, *unmade),
        ),
    )


async def is_undone(store: Store, change: Change) -> bool:
    """Whether an undoing of the change stands."""
    log = await store.changes(Filter(group_ids=(change.group_id,), uuids=(change.uuid,)), limit=EVERYTHING)
    undoings = [c for c in log if c.kind is ChangeKind.UNDO and c.cause == change.uuid]
    return any([not await is_undone(store, undoing) for undoing in undoings])


async def forget_episode(store: Store, episode: Episode, *, now: datetime) -> Change:
    """Take back all that only this episode says, and the episode itself; others' support stays."""
    where = Filter(group_ids=(episode.group_id,), episodes=(episode.uuid,))
    said = await store.assertions(where, limit=EVERYTHING)
    log = await store.changes(Filter(group_ids=(episode.group_id,), uuids=(episode.uuid,)), limit=EVERYTHING)
    digests = [c for c in log if c.kind is ChangeKind.DIGEST and c.cause == episode.uuid]
    unmarked = [e for e in (await unwritten(store, digests))[0] if e.uuid != episode.uuid]
    act = await begin(store, episode.group_id, ChangeKind.FORGET, cause=episode.uuid, now=now)
    act = replace(act, withdrawn=tuple(a.uuid for a in said), episodes=tuple(unmarked), removed=(episode.uuid,))
    return await finish(store, act)


async def forget_fact(store: Store, fact: Fact, *, now: datetime) -> Change:
    """Take back everything that supports a fact."""
    act = await begin(store, fact.group_id, ChangeKind.FORGET, cause=fact.uuid, now=now)
    return await finish(store, replace(act, withdrawn=await _standing(store, fact.group_id, fact.assertions)))


async def forget_entity(store: Store, entity: Entity, *, now: datetime) -> Change:
    """Take back everything said about an entity."""
    said = await store.assertions(Filter(group_ids=(entity.group_id,), entities=(entity.uuid,)), limit=EVERYTHING)
    act = await begin(store, entity.group_id, ChangeKind.FORGET, cause=entity.uuid, now=now)
    if is_community(entity):
        return replace(act, removed=(entity.uuid,))
    return await finish(store, replace(act, withdrawn=tuple(a.uuid for a in said)))


async def correct(
    store: Store, fact: Fact, right: Callable[[Statement], Statement], *, note: str, now: datetime
) -> Change:
    """A person's word: what supported the fact is withdrawn, and said again as it is right."""
    support = await store.assertions(Filter(group_ids=(fact.group_id,), uuids=fact.assertions), limit=EVERYTHING)
    if not support:
        raise NotFound(f"nothing supports fact {fact.uuid} any more", hint="look at its history")
    last = max(support, key=lambda a: (a.created_at, a.uuid))
    said = replace(right(last.statement), trust=Trust.FULL, original=None)
    if said.relation != last.statement.relation and said.attribute == last.statement.attribute:
        said = replace(said, attribute="")
    said = dated(normal(said), now)
    target, made = await _object_of(store, last, said, now)
    again = replace(
        last, uuid=new_id(), statement=said, object_uuid=target, origin=_PERSON, created_at=now, withdrawn=False
    )
    act = await begin(store, fact.group_id, ChangeKind.CORRECT, cause=fact.uuid, now=now)
    act = replace(act, note=note, asserted=(again,), entities=made, withdrawn=tuple(a.uuid for a in support))
    return await finish(store, act)


async def settle(store: Store, kept: Fact, rivals: Sequence[Fact], *, now: datetime) -> Change:
    """End a dispute: what supports the rivals is withdrawn."""
    act = await begin(store, kept.group_id, ChangeKind.RESOLVE, cause=kept.uuid, now=now)
    uuids = tuple(uuid for rival in rivals for uuid in rival.assertions)
    return await finish(store, replace(act, withdrawn=await _standing(store, kept.group_id, uuids)))


async def merge(store: Store, keep: Entity, other: Entity, *, now: datetime) -> Change:
    """Two entities are one: what was said about `other` is said about `keep`, under the same names."""
    if keep.uuid == other.uuid:
        raise UsageError(f"{keep.name} is one entity already")
    if keep.group_id != other.group_id:
        raise UsageError(
            f"{keep.name} and {other.name} belong to two groups", hint="name the group; nothing crosses it"
        )
    said = await store.assertions(Filter(group_ids=(keep.group_id,), entities=(other.uuid,)), limit=EVERYTHING)
    act = await begin(store, keep.group_id, ChangeKind.MERGE, cause=other.uuid, now=now)
    return await finish(store, _moved(act, said, {other.uuid: keep.uuid}, now))


async def split(store: Store, entity: Entity, aliases: Sequence[str], *, now: datetime) -> Change:
    """What was said under these names is about somebody else."""
    folded = {fold_name(alias) for alias in aliases}
    said = await store.assertions(Filter(group_ids=(entity.group_id,), entities=(entity.uuid,)), limit=EVERYTHING)
    moving = [a for a in said if any(fold_name(m.name) in folded for m in mentions_of(a, entity.uuid))]
    if not moving:
        raise NotFound(f"nothing was said about {entity.name} under {', '.join(aliases)}")
    if len(moving) == len(said):
        raise UsageError(f"all that is known of {entity.name} was said under these names", hint="leave one of them")
    fresh = Entity(uuid=new_id(), group_id=entity.group_id, name=aliases[0], types=entity.types, created_at=now)
    act = await begin(store, entity.group_id, ChangeKind.SPLIT, cause=entity.uuid, now=now)
    return await finish(store, replace(_moved(act, moving, {entity.uuid: fresh.uuid}, now), entities=(fresh,)))


async def traces(store: Store, item: Episode | Entity | Fact) -> tuple[set[str], set[str]]:
    """The uuids of what was made of an item and is believed no more, and of the entities it named that still are."""
    here = Filter(group_ids=(item.group_id,), withdrawn=None)
    if isinstance(item, Episode):
        where = replace(here, episodes=(item.uuid,))
    elif isinstance(item, Entity):
        where = replace(here, entities=(item.uuid,))
    else:
        where = replace(here, uuids=item.assertions)
    gone = [a for a in await store.assertions(where, limit=EVERYTHING) if a.withdrawn]
    said = {a.uuid for a in gone}
    log = await store.changes(replace(here, uuids=tuple(said)), limit=EVERYTHING)
    facts = {fact.uuid for change in log for fact in change.facts if not said.isdisjoint(fact.assertions)}
    entities = {uuid for a in gone for uuid in (a.subject_uuid, a.object_uuid) if uuid}
    believed = {f.uuid for f in await store.facts(replace(here, uuids=tuple(facts)), limit=EVERYTHING)}
    alive = {e.uuid for e in await store.entities(replace(here, uuids=tuple(entities)), limit=EVERYTHING)}
    return said | (facts - believed) | (entities - alive), alive


async def finish(store: Store, act: Change) -> Change:
    """Fold again, and drop the communities whose summaries may quote what was taken back; they can be built anew."""
    change = await refold(store, act)
    here = Filter(group_ids=(act.group_id,), withdrawn=None)
    marks = (*act.withdrawn, *act.reinstated)
    said = await store.assertions(replace(here, uuids=marks), limit=EVERYTHING)
    ends = {uuid for a in said for uuid in (a.subject_uuid, a.object_uuid)}
    circles = await store.entities(replace(here, entity_types=(COMMUNITY,)), limit=EVERYTHING)
    kept = {entity.uuid for entity in change.entities} | set(change.removed)
    stale = [c.uuid for c in circles if is_community(c) and c.uuid not in kept and ends & members_of(c)]
    return replace(change, removed=(*change.removed, *stale))


def _moved(act: Change, said: Iterable[Assertion], to: dict[str, str], now: datetime) -> Change:
    """The same statements about other entities: the old assertions withdrawn, copies made."""
    said = list(said)
    copies = (
        replace(
            a,
            uuid=new_id(),
            subject_uuid=to.get(a.subject_uuid, a.subject_uuid),
            object_uuid=to.get(a.object_uuid or "", a.object_uuid),
            created_at=now,
        )
        for a in said
    )
    return replace(act, asserted=tuple(copies), withdrawn=tuple(a.uuid for a in said))


async def begin(store: Store, group_id: str, kind: ChangeKind, *, cause: str, now: datetime) -> Change:
    """A change on top of the group's last one, with nothing in it yet."""
    last = await store.changes(Filter(group_ids=(group_id,)), limit=1)
    return Change(
        uuid=new_id(),
        group_id=group_id,
        kind=kind,
        created_at=now,
        parent=last[0].uuid if last else None,
        cause=cause,
    )


async def _standing(store: Store, group_id: str, uuids: Sequence[str]) -> tuple[str, ...]:
    found = await store.assertions(Filter(group_ids=(group_id,), uuids=tuple(uuids)), limit=EVERYTHING)
    return tuple(a.uuid for a in found)


async def _copies(store: Store, change: Change) -> list[Assertion]:
    """What the change asserted, and what later merges and splits made of it."""
    here = Filter(group_ids=(change.group_id,), withdrawn=None)
    uuids = (*(a.uuid for a in change.asserted), *change.reinstated)
    found = await store.assertions(replace(here, uuids=uuids), limit=EVERYTHING) if uuids else []
    episodes = tuple({a.episode_uuid for a in found if a.episode_uuid})
    if not episodes or change.kind is not ChangeKind.DIGEST:
        return found
    said = {a.statement for a in found}
    alike = await store.assertions(replace(here, episodes=episodes), limit=EVERYTHING)
    return list({a.uuid: a for a in (*found, *(a for a in alike if a.statement in said))}.values())


async def _removed_episodes(store: Store, change: Change) -> list[Episode]:
    """The episodes that the change took away, as they were just before; digested ones need not be digested again."""
    if not change.removed:
        return []
    before = Filter(group_ids=(change.group_id,), uuids=change.removed, known_at=change.created_at)
    now_known = {e.uuid for e in await store.episodes(replace(before, known_at=None), limit=EVERYTHING)}
    old = await store.episodes(replace(before, known_at=_just_before(change)), limit=EVERYTHING)
    return [replace(e, status=Status.DONE) for e in old if e.uuid not in now_known]


async def _communities_before(store: Store, change: Change) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
    """The communities as they were before the change, and the uuids of those that it made; later builds stay."""
    left = {e.uuid: e for e in change.entities if is_community(e)}
    touched = (*left, *change.removed)
    if not touched:
        return (), ()
    here = Filter(group_ids=(change.group_id,), uuids=touched)
    was = await store.entities(replace(here, known_at=_just_before(change)), limit=EVERYTHING)
    before = {e.uuid: e for e in was if is_community(e)}
    now = {e.uuid: e for e in await store.entities(here, limit=EVERYTHING)}
    back = tuple(e for e in before.values() if now.get(e.uuid) == left.get(e.uuid))
    return back, tuple(uuid for uuid, e in left.items() if uuid not in before and now.get(uuid) == e)


def _just_before(change: Change) -> datetime:
    return change.created_at - _TICK


async def _forgotten(store: Store, change: Change, lost: Iterable[Assertion]) -> set[str]:
    """Episodes among those concerned that another act, which stands, has forgotten too."""
    episodes = {a.episode_uuid for a in lost if a.episode_uuid} - {change.cause}
    if not episodes:
        return set()
    log = await store.changes(Filter(group_ids=(change.group_id,), uuids=tuple(episodes)), limit=EVERYTHING)
    undone = {c.cause for c in log if c.kind is ChangeKind.UNDO}
    acts = [c for c in log if c.kind is ChangeKind.FORGET and c.uuid not in undone and c.uuid != change.uuid]
    return {c.cause for c in acts} & episodes


async def _object_of(
    store: Store, old: Assertion, said: Statement, now: datetime
) -> tuple[str | None, tuple[Entity, ...]]:
    """The entity that a corrected statement has as its object; made if nobody has that name."""
    if not isinstance(said.object, Mention):
        return None, ()
    if said.object == old.statement.object:
        return old.object_uuid, ()
    named = await store.entities(Filter(group_ids=(old.group_id,), names=(said.object.name,)))
    if named:
        return named[0].uuid, ()
    fresh = Entity(uuid=new_id(), group_id=old.group_id, name=said.object.name, created_at=now)
    return fresh.uuid, (fresh,)

"""Completes a change: what its assertions and withdrawals do to facts and entities.

Digesting, undoing, forgetting, correcting, merging and splitting all end here. Only what is touched is folded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from everfact.models import Assertion, Change, Entity, Fact, Filter, Mention
from everfact.ports import Store
from everfact.timeline import fold

EVERYTHING = 1_000_000
"""A limit for reads that must see all of a subject."""

_TICK = timedelta(microseconds=1)


async def refold(store: Store, change: Change) -> Change:
    """The change with the entities and facts that follow from it, on top of what the store holds now."""
    if not change.withdrawn and not change.reinstated and not any(a.statement.relation for a in change.asserted):
        return change  # a bare mention touches no fact
    here = Filter(group_ids=(change.group_id,), withdrawn=None)
    marks = (*change.withdrawn, *change.reinstated)
    marked = await store.assertions(replace(here, uuids=marks), limit=EVERYTHING) if marks else []
    touched = [a for a in (*change.asserted, *marked) if a.statement.relation]
    standing = await _standing(store, change, touched) if touched else []
    change = _after(change, standing)
    facts, gone = await _facts(store, change, touched, standing) if touched else ([], [])
    entities, empty = await _entities(store, change, marked)
    return replace(
        change,
        entities=(*change.entities, *entities),
        facts=(*change.facts, *facts),
        removed=(*change.removed, *gone, *empty),
    )


async def _standing(store: Store, change: Change, touched: list[Assertion]) -> list[Assertion]:
    """Every assertion about the touched subjects and attributes that stands after the change."""
    where = Filter(
        group_ids=(change.group_id,),
        subjects=tuple({a.subject_uuid for a in touched}),
        attributes=tuple({a.statement.attribute for a in touched}),
        withdrawn=None,
    )
    known = await store.assertions(where, limit=EVERYTHING)
    return [*_stand(known, change), *change.asserted]


def _stand(known: Iterable[Assertion], change: Change) -> list[Assertion]:
    withdrawn, reinstated = set(change.withdrawn), set(change.reinstated)
    kept = (replace(a, withdrawn=False) if a.uuid in reinstated else a for a in known)
    return [a for a in kept if not a.withdrawn and a.uuid not in withdrawn]


def _after(change: Change, standing: list[Assertion]) -> Change:
    """The change with a provisional time after all that is known, as the store's own time will be."""
    own = {a.uuid for a in change.asserted}
    last = max((a.created_at for a in standing if a.uuid not in own), default=change.created_at)
    at = max(change.created_at, last + _TICK)
    return replace(
        change.recorded(at),
        entities=tuple(replace(e, created_at=at) if e.created_at == change.created_at else e for e in change.entities),
    )


async def _facts(
    store: Store, change: Change, touched: list[Assertion], standing: list[Assertion]
) -> tuple[list[Fact], list[str]]:
    """The facts that are new or different, and the uuids of those that are no more."""
    own = {a.uuid: a for a in change.asserted}
    by_key: dict[tuple[str, str], list[Assertion]] = {(a.subject_uuid, a.statement.attribute): [] for a in touched}
    for assertion in standing:
        key = assertion.subject_uuid, assertion.statement.attribute
        if key in by_key:
            by_key[key].append(own.get(assertion.uuid, assertion))
    where = Filter(
        group_ids=(change.group_id,),
        subjects=tuple({subject for subject, _ in by_key}),
        attributes=tuple({attribute for _, attribute in by_key}),
    )
    before = {f.uuid: f for f in await store.facts(where, limit=EVERYTHING) if _key(f) in by_key}
    after = {f.uuid: f for assertions in by_key.values() for f in fold(assertions)}
    return [f for f in after.values() if before.get(f.uuid) != f], [uuid for uuid in before if uuid not in after]


def _key(fact: Fact) -> tuple[str, str]:
    return fact.subject_uuid, fact.attribute


async def _entities(store: Store, change: Change, marked: list[Assertion]) -> tuple[list[Entity], list[str]]:
    """Entities under the names that their assertions now give them, and those of which nothing is said any more."""
    if not marked:
        return [], []  # what was only added to is in the change already
    uuids = {uuid for a in (*marked, *change.asserted) for uuid in (a.subject_uuid, a.object_uuid) if uuid}
    where = Filter(group_ids=(change.group_id,), entities=tuple(uuids), withdrawn=None)
    standing = [*_stand(await store.assertions(where, limit=EVERYTHING), change), *change.asserted]
    standing.sort(key=lambda a: (a.created_at, a.uuid))
    here = Filter(group_ids=(change.group_id,))
    known = {e.uuid: e for e in await store.entities(replace(here, uuids=tuple(uuids)), limit=EVERYTHING)}
    written = {e.uuid for e in change.entities}
    named, empty = [], []
    for uuid in sorted(uuids - written):
        mentions = [mention for a in standing for mention in mentions_of(a, uuid)]
        if mentions:
            first = next(a for a in standing if mentions_of(a, uuid))
            blank = Entity(uuid=uuid, group_id=change.group_id, name="", created_at=first.created_at)
            entity = named_by(mentions, known.get(uuid, blank))
            named += [entity] if entity != known.get(uuid) else []
        else:
            empty.append(uuid)
    return named, [uuid for uuid in empty if uuid in known]


def mentions_of(assertion: Assertion, uuid: str) -> list[Mention]:
    """How an assertion names an entity."""
    said = assertion.statement
    names = [said.subject] if assertion.subject_uuid == uuid else []
    if assertion.object_uuid == uuid and isinstance(said.object, Mention):
        names.append(said.object)
    return names


def named_by(mentions: Sequence[Mention], entity: Entity) -> Entity:
    """The entity as these mentions, in the order they were recorded, name and type it."""
    names = list(dict.fromkeys(mention.name for mention in mentions if mention.name)) or [entity.name]
    name = max(names, key=lambda candidate: len(candidate.split()))  # the fullest; of equals the first
    types = tuple(dict.fromkeys(mention.type for mention in mentions if mention.type))
    return replace(entity, name=name, aliases=tuple(other for other in names if other != name), types=types)

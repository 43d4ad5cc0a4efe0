"""What a memory could do without: entities known twice under one name, and entities that no fact speaks of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from everfact.communities import COMMUNITY
from everfact.models import Entity, Fact, fold_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What could be merged, first the one that stays, and what could be taken away."""

    duplicates: tuple[tuple[Entity, Entity], ...] = ()
    orphans: tuple[Entity, ...] = ()


def plan(entities: Iterable[Entity], facts: Iterable[Fact]) -> Plan:
    """What could go. Two of one name are one unless their types say otherwise; the one known longer stays."""
    spoken_of = {uuid for fact in facts for uuid in (fact.subject_uuid, fact.object_uuid)}
    known = sorted((e for e in entities if COMMUNITY not in e.types), key=lambda e: (e.created_at, e.uuid))
    by_name: dict[str, list[Entity]] = defaultdict(list)
    duplicates: list[tuple[Entity, Entity]] = []
    for entity in known:
        same = by_name[fold_name(entity.name)]
        kept = next((other for other in same if _may_be_one(other, entity)), None)
        if kept is None:
            same.append(entity)
        else:
            duplicates.append((kept, entity))
    doubled = {entity.uuid for pair in duplicates for entity in pair}
    orphans = tuple(e for e in known if e.uuid not in spoken_of | doubled)
    return Plan(duplicates=tuple(duplicates), orphans=orphans)


def _may_be_one(one: Entity, other: Entity) -> bool:
    return not one.types or not other.types or not set(one.types).isdisjoint(other.types)

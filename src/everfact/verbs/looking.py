"""Listing what there is, and showing all about one item."""

from __future__ import annotations

from collections.abc import Iterable

from everfact.models import Entity, Episode, Fact, Filter, Thing
from everfact.verbs.pick import pick
from everfact.verbs.space import Space

Item = Entity | Episode | Fact


async def listed(
    space: Space, thing: Thing | None = None, kinds: tuple[str, ...] | None = None, *, limit: int
) -> list[Entity] | list[Fact] | list[Episode]:
    """What was told, newest first; or facts, or entities, of these types if any are given."""
    where = Filter(group_ids=space.groups, entity_types=kinds)
    if thing is Thing.ENTITY:
        return await space.memory.entities(where, limit=limit)
    if thing is Thing.FACT:
        return await space.here().facts(where, limit=limit)
    return await space.memory.episodes(where, limit=limit)


async def shown(space: Space, said: str) -> tuple[Item, list[Entity], list[Fact]]:
    """The item that is meant; of an entity its facts, of an episode what was read out of it.

    Raises:
        NotFound: there is none.
    """
    item = await pick(space, said)
    if isinstance(item, Entity):
        return item, [], list((await space.memory.history(item.uuid, group_ids=(item.group_id,))).facts)
    if isinstance(item, Episode):
        return item, *await space.memory.outcome([item.uuid])
    return item, [], []


async def names(space: Space, facts: Iterable[Fact]) -> dict[str, str]:
    """What the entities of these facts are called, by uuid; a server would have to be asked for each."""
    wanted = {uuid for fact in facts for uuid in (fact.subject_uuid, fact.object_uuid) if uuid}
    if space.is_remote or not wanted:
        return {}
    found = await space.here().entities(Filter(group_ids=None, uuids=tuple(wanted)), limit=len(wanted))
    return {entity.uuid: entity.name for entity in found}

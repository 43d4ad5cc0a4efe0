"""The one item that a caller means, by id or by name; or an error that helps to find it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from everfact.errors import NotFound
from everfact.models import ChangeKind, Entity, Episode, Fact, Filter, Thing
from everfact.ports import Store
from everfact.refold import EVERYTHING

_TICK = timedelta(microseconds=1)


async def item(store: Store, uuid: str, group_ids: tuple[str, ...] | None) -> Episode | Entity | Fact:
    """The episode, entity or fact with that id.

    Raises:
        NotFound: there is none.
    """
    where = Filter(group_ids=group_ids, uuids=(uuid,))
    for read in (store.facts, store.entities, store.episodes):
        if found := await read(where):
            return found[0]
    raise NotFound(f"nothing has the id {uuid}", hint="search for it, or look at the history")


async def fact(store: Store, uuid: str, group_ids: tuple[str, ...] | None) -> Fact:
    """The fact with that id.

    Raises:
        NotFound: there is none.
    """
    found = await store.facts(Filter(group_ids=group_ids, uuids=(uuid,)))
    if not found:
        raise NotFound(f"there is no fact {uuid}", hint="search for it, or look at the history")
    return found[0]


async def entity(store: Store, name_or_uuid: str, group_ids: tuple[str, ...] | None) -> Entity:
    """The entity that is called that, or has that id.

    Raises:
        NotFound: there is none; the hint names those that come near.
    """
    here = Filter(group_ids=group_ids)
    found = await store.entities(replace(here, uuids=(name_or_uuid,)))
    found += await store.entities(replace(here, names=(name_or_uuid,)))
    if found:
        return found[0]
    like = await store.match_text(Thing.ENTITY, name_or_uuid, here, limit=3)
    near = await store.entities(replace(here, uuids=tuple(hit.uuid for hit in like)))
    names = ", ".join(entity.name for entity in near)
    raise NotFound(f"no entity is called {name_or_uuid}", hint=f"did you mean {names}?" if names else "")


async def forgotten(store: Store, uuid: str, group_ids: tuple[str, ...] | None) -> Episode | Entity | Fact | None:
    """An item that was forgotten and not brought back, as it was."""
    for change in await store.changes(Filter(group_ids=group_ids, uuids=(uuid,)), limit=EVERYTHING):
        if change.kind is ChangeKind.FORGET and change.cause == uuid:
            before = Filter(group_ids=(change.group_id,), uuids=(uuid,), known_at=change.created_at - _TICK)
            for read in (store.facts, store.entities, store.episodes):
                if not await read(replace(before, known_at=None)) and (found := await read(before)):
                    return found[0]
    return None

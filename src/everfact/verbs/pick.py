"""Which item a person means: by name, by id, by the short end of an id that commands print, or by its words."""

from __future__ import annotations

import re

from everfact.errors import NotFound
from everfact.models import Entity, Episode, Fact, Filter, Query, Thing
from everfact.verbs.space import Space

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SHORT = re.compile(r"[0-9a-fA-F]{6,12}")
_EVERY = 1_000_000
_CHANGES = 1_000
"""How far back a change is looked for by a short id."""


async def pick(space: Space, said: str) -> Episode | Entity | Fact:
    """The item with that name or id.

    Raises:
        NotFound: there is none; the hint has names that come near.
    """
    if _UUID.fullmatch(said):
        return await space.memory.get(said, group_ids=space.reach)
    if space.is_remote:
        return (await space.memory.history(said, group_ids=space.groups)).entity
    memory = space.here()
    found = await memory.entities(Filter(group_ids=space.groups, names=(said,)), limit=1)
    return found[0] if found else await _by_end(space, said) or await _missing(space, said)


async def pick_entity(space: Space, said: str) -> Entity:
    """The entity with that name or id.

    Raises:
        NotFound: there is none.
    """
    found = await pick(space, said)
    if not isinstance(found, Entity):
        raise NotFound(f"{said} is no entity", hint=f"everfact show {said}")
    return found


async def pick_fact(space: Space, said: str) -> Fact:
    """The fact with that id, or the one that says it best, ended ones too.

    Raises:
        NotFound: there is none.
    """
    found = await space.memory.get(said, group_ids=space.reach) if _UUID.fullmatch(said) else await _by_end(space, said)
    if isinstance(found, Fact):
        return found
    if found is not None:
        kind = "entity" if isinstance(found, Entity) else "episode"
        raise NotFound(f"{said} is no fact, but an {kind}", hint=f"everfact show {said}")
    asked = Query(text=said, group_ids=space.groups, limit=10, things=(Thing.FACT,), include_history=True)
    facts = (await space.memory.search(asked)).facts
    if not facts:
        raise NotFound(f"no fact in {space.group} says {said!r}", hint="everfact search --type fact finds facts")
    words = {word.strip(".,").casefold() for word in said.split()}
    return max(facts, key=lambda fact: len(words & {word.strip(".,").casefold() for word in fact.sentence.split()}))


async def pick_change(space: Space, said: str) -> str:
    """The id of a change, or of an episode, that a person means.

    Raises:
        NotFound: there is none.
    """
    if _UUID.fullmatch(said):
        return said
    if not space.is_remote and _SHORT.fullmatch(said):
        for change in await space.here().changes(Filter(group_ids=space.groups), limit=_CHANGES):
            if change.uuid.endswith(said.lower()):
                return change.uuid
        found = await _by_end(space, said)
        if isinstance(found, Episode):
            return found.uuid
    raise NotFound(f"no change has the id {said}", hint="everfact log prints the ids of changes")


async def _by_end(space: Space, said: str) -> Episode | Entity | Fact | None:
    """The item whose id ends so. Only the machine of the memory can look through all of them."""
    if space.is_remote or not _SHORT.fullmatch(said):
        return None
    memory, here = space.here(), Filter(group_ids=space.groups)
    found: list[Episode | Entity | Fact] = []
    for read in (memory.facts, memory.entities, memory.episodes):
        found += [item for item in await read(here, limit=_EVERY) if item.uuid.endswith(said.lower())]
    if len(found) > 1:
        ids = ", ".join(item.uuid for item in found[:3])
        raise NotFound(f"{said} is the end of {len(found)} ids: {ids}", hint="give the whole id")
    return found[0] if found else None


async def _missing(space: Space, said: str) -> Entity:
    """The error with the names that come near."""
    try:
        return (await space.memory.history(said, group_ids=space.groups)).entity
    except NotFound as error:
        raise NotFound(
            f"nothing in {space.group} is called {said}, and no id ends so",
            hint=error.hint or "search for it, or look in another group",
        ) from error

"""What digesting writes on episodes, for searches to heed: `trust` and `superseded_by`; and taking it off again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

from everfact.models import JSON, Change, Episode, Filter, Status, Trust
from everfact.ports import Store

_TICK = timedelta(microseconds=1)


def trust_of(episode: Episode) -> Trust:
    """How far the episode may be relied on, as far as its attributes tell."""
    told = episode.attributes.get("trust")
    return Trust(told) if told in tuple(Trust) else Trust.FULL


def with_trust(episode: Episode, trust: Trust) -> Episode:
    """The episode, digested, with how far it may be relied on."""
    return replace(episode, attributes={**episode.attributes, "trust": trust}, status=Status.DONE, attempts=0, error="")


def superseded(episode: Episode, by: str) -> Episode:
    """The episode, put out of date by what another one says in so many words."""
    return replace(episode, attributes={**episode.attributes, "superseded_by": by})


async def unwritten(store: Store, changes: Iterable[Change]) -> tuple[list[Episode], list[str]]:
    """What takes back all that these changes wrote on episodes: their versions, and the uuids that had none before."""
    present: dict[str, Episode] = {}
    gone: list[str] = []
    for change in sorted(changes, key=lambda change: change.created_at, reverse=True):
        if not change.episodes:
            continue
        here = Filter(group_ids=(change.group_id,), uuids=tuple(episode.uuid for episode in change.episodes))
        limit = len(change.episodes)
        known = {e.uuid: present.get(e.uuid, e) for e in await store.episodes(here, limit=limit)}
        then = replace(here, known_at=change.created_at - _TICK)
        before = {e.uuid: e for e in await store.episodes(then, limit=limit)}
        gone += [uuid for uuid in known if uuid not in before]
        for written in change.episodes:
            if written.uuid in known and written.uuid in before:
                now = known[written.uuid]
                plain = _without(now.attributes, written.attributes, before[written.uuid].attributes)
                present |= {now.uuid: replace(now, attributes=plain)} if plain != now.attributes else {}
    return list(present.values()), gone


def _without(now: Mapping[str, JSON], written: Mapping[str, JSON], was: Mapping[str, JSON]) -> dict[str, JSON]:
    """The attributes with each value that was written, and still stands, as it was before."""
    changed = {name for name in {*written, *was} if written.get(name) != was.get(name)}
    undone = {name for name in changed if now.get(name) == written.get(name)}
    return {name: value for name, value in now.items() if name not in undone} | {
        name: was[name] for name in undone if name in was
    }

"""What is written on episodes, for others to heed: `captured` when told, `trust` and `superseded_by` when digested, and
`reading`, who read it and what that took.

And taking off again what digesting wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import timedelta

from everfact.models import JSON, Change, Episode, Extraction, Filter, Status, Trust, Usage
from everfact.ports import Store

CAPTURED = "captured"
TOOL = "tool"
"""The role of what an assistant's tools did and answered."""
_TICK = timedelta(microseconds=1)


def trust_of(episode: Episode) -> Trust:
    """How far the episode may be relied on, as far as its attributes tell."""
    told = episode.attributes.get("trust")
    return Trust(told) if told in tuple(Trust) else Trust.FULL


def is_captured(episode: Episode) -> bool:
    """Nobody chose to tell it, so that its commands are for whoever was spoken to, not for the memory."""
    return episode.attributes.get(CAPTURED) is True


def is_testimony(episode: Episode) -> bool:
    """Somebody says something with it; what the tools of a session print is nobody's word."""
    return not (is_captured(episode) and episode.role == TOOL)


def is_hearsay(episode: Episode) -> bool:
    """An assistant's account of what it did and read: believed until a person says otherwise."""
    return is_captured(episode) and episode.role == "assistant"


def with_trust(episode: Episode, trust: Trust) -> Episode:
    """The episode, digested, with how far it may be relied on."""
    return _with(episode, "trust", trust)


def is_model(reader: str) -> bool:
    """Whether an extractor of that name asks a model."""
    return reader.startswith("llm/")


def degraded(episode: Episode) -> str:
    """Why somebody less able than wanted has read the episode; empty if nobody has."""
    return str(_reading(episode).get("degraded", ""))


def read_by(episode: Episode) -> str:
    """Who has read the episode, if it was a model or should have been one; else empty."""
    return str(_reading(episode).get("by", ""))


def is_worse(episode: Episode, extraction: Extraction) -> bool:
    """Whether the episode has been read as a whole by a model, and this is less than that."""
    is_whole = bool(read_by(episode)) and not degraded(episode)
    return is_whole and (extraction.degraded or not extraction.usage.calls)


def with_reading(episode: Episode, extraction: Extraction, usage: Usage) -> Episode:
    """The episode, digested, with who read it and what all calls for it took; unmarked if rules alone were wanted."""
    if not extraction.degraded and not usage.calls:
        return episode
    why: dict[str, JSON] = {"degraded": extraction.reason or "not all of it"} if extraction.degraded else {}
    cost: dict[str, JSON] = {name: value for name, value in asdict(usage).items() if value}
    return _with(episode, "reading", {"by": extraction.extractor, **why, **cost})


def _reading(episode: Episode) -> Mapping[str, JSON]:
    reading = episode.attributes.get("reading")
    return reading if isinstance(reading, dict) else {}


def _with(episode: Episode, name: str, value: JSON) -> Episode:
    return replace(episode, attributes={**episode.attributes, name: value}, status=Status.DONE, attempts=0, error="")


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

"""Memories from elsewhere: which of them are here already, by their words or nearly so, and taking in the others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from everfact.memory import Memory
from everfact.models import ChangeKind, Draft, Episode, Filter, Query, Skipped, Thing

_EVERY = 1_000_000
_LIKE = 5
_ASKED = 1_000
"""Characters of a text by which texts like it are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """What came from elsewhere, beside what is here."""

    fresh: tuple[Draft, ...]
    same: int
    """Here word for word, or taken away here."""
    alike: tuple[tuple[Draft, Episode], ...]
    """Not quite the same as an episode here."""
    skipped: tuple[str, ...]
    """What could not be read, by its place and with the reason."""


def content_hash(content: str) -> str:
    """By what KuzuMemory tells memories apart."""
    return hashlib.sha256(content.lower().strip().encode("utf-8", "surrogatepass")).hexdigest()


async def sort_out(memory: Memory, group: str, found: Sequence[Draft | Skipped], *, threshold: float = 1.0) -> Arrivals:
    """Part what is new from what is here; texts are alike from that share of their letters in common on.

    What is new gets an id made of its group and words: no file can put its words in the place of an episode's.
    """
    told = await memory.episodes(Filter(group_ids=(group,)), limit=_EVERY)
    known = {content_hash(episode.content) for episode in told} | {episode.uuid for episode in told}
    drafts = [_own(draft, group) for draft in found if isinstance(draft, Draft)]
    fresh: list[Draft] = []
    alike: list[tuple[Draft, Episode]] = []
    for foreign_id, draft in drafts:
        names = {content_hash(draft.content), draft.uuid}
        if not known & names and not await _forgotten(memory, group, (foreign_id, draft.uuid)):
            like = await _like(memory, draft, threshold) if threshold < 1 else None
            fresh += [] if like else [draft]
            alike += [(draft, like)] if like else []
        known |= names
    skipped = tuple(f"{item.place}: {item.reason}" for item in found if isinstance(item, Skipped))
    same = len(drafts) - len(fresh) - len(alike)
    return Arrivals(fresh=tuple(fresh), same=same, alike=tuple(alike), skipped=skipped)


async def take_in(memory: Memory, arrivals: Arrivals, strategy: Literal["skip", "update", "merge"] = "skip") -> None:
    """Tell the memory what is new. What is only alike takes the place of what is here, stands beside it, or is left."""
    for draft in arrivals.fresh:
        await memory.add(draft)
    for draft, episode in () if strategy == "skip" else arrivals.alike:
        await memory.add(replace(draft, uuid=episode.uuid) if strategy == "update" else draft)


def told_again(episode: Episode) -> Draft:
    """An episode of another memory as a draft for this one, without what its own digesting wrote on it."""
    own = {name: value for name, value in episode.attributes.items() if name not in ("trust", "superseded_by")}
    names = ("content", "name", "source", "source_description", "reference_time", "thread", "speaker", "role")
    return Draft(
        uuid=episode.uuid, attributes=own, statements=episode.statements, **{n: getattr(episode, n) for n in names}
    )


def _own(draft: Draft, group: str) -> tuple[str, Draft]:
    """The id it came with, and the draft as it is told here: nobody chose each of them, so secrets are taken out."""
    own = str(uuid5(NAMESPACE_URL, f"everfact:from-elsewhere\0{group}\0{content_hash(draft.content)}"))
    return draft.uuid, replace(draft, uuid=own, group_id=group, is_captured=True)


async def _forgotten(memory: Memory, group: str, ids: tuple[str, ...]) -> bool:
    """Somebody took it away here, under the id it came with or the one it would get."""
    changes = await memory.changes(Filter(group_ids=(group,), uuids=ids), limit=_EVERY)
    return any(change.kind is ChangeKind.FORGET for change in changes)


async def _like(memory: Memory, draft: Draft, threshold: float) -> Episode | None:
    """The episode most like it, if any comes near enough."""
    from rapidfuzz import fuzz

    asked = Query(text=draft.content[:_ASKED], group_ids=(draft.group_id,), limit=_LIKE, things=(Thing.EPISODE,))
    hits = (await memory.search(asked)).hits
    near = [(fuzz.ratio(hit.item.text, draft.content) / 100, hit.item) for hit in hits if isinstance(hit.item, Episode)]
    share, episode = max(near, key=lambda pair: pair[0], default=(0.0, None))
    return episode if share >= threshold else None

"""The brief: what an assistant should know at the start of a task or of a turn. Empty when nothing is known.

Every read is bounded and goes by an index: the newest facts, the newest of each relation and type that a section is
made of, and those that share words, or meaning, with what the work is about.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from everfact.marks import is_captured
from everfact.models import Episode, Fact, FactKind, Filter, Query, Thing
from everfact.notes import Row, compose, plain
from everfact.ports import Embedder, Store
from everfact.sections import SECTIONS, Section, section_of, telling_words, touches
from everfact.signals import Signals

PER_TOKEN = 4
PART = 9_700
"""Characters of a part, as JSON: with its envelope it stays under the 10,000 that clients take whole."""
_NEWEST = 300
_MOST = 2_000
_OF_A_RELATION = 40
_OF_A_TYPE = 60
_FOUND = 40
_LATEST = 30
_WORDS = 24
_CLIPPED = 200
"""Characters of an episode that no fact was read out of."""

Item: TypeAlias = "Fact | Episode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What kind of brief: in documents of how many characters each, and whether only what the signals touch."""

    budgets: tuple[int, ...]
    only_found: bool = False
    most_rows: int | None = None
    measure: Callable[[str], int] = len
    """How much of a budget a text takes."""
    health: str = ""
    """A line for the person, where something is wrong with the memory."""


def in_parts(max_tokens: int, parts: int, *, health: str = "") -> Wanted:
    """The whole brief in that many documents, each small enough for what one hook may say."""
    room = max_tokens * PER_TOKEN
    budgets = tuple(max(min(PART, room - number * PART), 0) for number in range(parts))
    return Wanted(budgets=budgets, measure=as_json, health=health)


def as_json(text: str) -> int:
    """How many characters a text takes in the answer of a hook."""
    return len(json.dumps(text, ensure_ascii=False)) - 2


@dataclass(slots=True)
class _Found:
    """What was read, by uuid."""

    items: dict[str, Item] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)
    """What the work is about, the best first."""
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of entities."""
    told: dict[str, Episode] = field(default_factory=dict)
    """The episodes behind the facts."""

    def take(self, items: Iterable[Item], *, touched: bool = False) -> None:
        """Note what was read."""
        for item in items:
            self.items[item.uuid] = item
            if touched:
                self.touched[item.uuid] = None


async def brief(
    store: Store,
    group_ids: tuple[str, ...],
    signals: Signals,
    wanted: Wanted,
    *,
    now: datetime,
    embedder: Embedder | None = None,
) -> list[str]:
    """The brief as one document for each budget. Without an embedder the prompt is matched by words alone."""
    found = _Found()
    if embedder is not None and signals.prompt.strip():
        from everfact.search import search  # reads dates in questions, which a hook has no time for

        asked = Query(text=signals.prompt, group_ids=group_ids, limit=_FOUND, things=(Thing.FACT, Thing.EPISODE))
        answer = await search(store, embedder, asked, now=now)
        found.take([*answer.facts, *answer.episodes], touched=True)
    here = Filter(group_ids=group_ids, valid_at=now)
    await store.together(lambda held: _read(held, here, signals, wanted, found))
    return compose(_rows(found, wanted), wanted.budgets, health=wanted.health, measure=wanted.measure)


async def _read(store: Store, here: Filter, signals: Signals, wanted: Wanted, found: _Found) -> None:
    for text in (signals.prompt,) if wanted.only_found else (signals.prompt, signals.work):
        await _read_touched(store, here, text, found)
    if not wanted.only_found:
        found.take(await store.facts(here, limit=_NEWEST))
        found.take(await store.episodes(Filter(group_ids=here.group_ids), limit=_LATEST))
        for section in SECTIONS:
            await _read_section(store, here, section, found)
    await _drop_read(store, here, found)
    await _read_around(store, here, found)


async def _read_touched(store: Store, here: Filter, text: str, found: _Found) -> None:
    words = dict(list(telling_words(text).items())[:_WORDS])
    if not words:
        return
    query = " ".join(words.values())
    facts = {hit.uuid: hit.score for hit in await store.match_text(Thing.FACT, query, here, limit=_FOUND)}
    told = replace(here, valid_at=None)
    texts = {hit.uuid: hit.score for hit in await store.match_text(Thing.EPISODE, query, told, limit=_FOUND)}
    items: list[Item] = [*await store.facts(replace(here, uuids=tuple(facts)), limit=_FOUND)]
    items += await store.episodes(replace(told, uuids=tuple(texts)), limit=_FOUND)
    scores = facts | texts
    about = [item for item in items if touches(words, item.text[: 2 * _CLIPPED])]
    found.take(sorted(about, key=lambda item: scores[item.uuid], reverse=True), touched=True)


async def _read_section(store: Store, here: Filter, section: Section, found: _Found) -> None:
    for relation in section.relations:
        found.take(await store.facts(replace(here, relations=(relation,)), limit=_OF_A_RELATION))
    if section.types:
        typed = await store.entities(Filter(group_ids=here.group_ids, entity_types=section.types), limit=_OF_A_TYPE)
        about = tuple(entity.uuid for entity in typed)
        found.take(await store.facts(replace(here, entities=about), limit=2 * _OF_A_TYPE) if about else ())


async def _drop_read(store: Store, here: Filter, found: _Found) -> None:
    """Leave out the episodes that facts were read out of, which say it better, and those that are out of date."""
    told = [item for item in found.items.values() if isinstance(item, Episode)]
    uuids = tuple(episode.uuid for episode in told)
    facts = await store.facts(Filter(group_ids=here.group_ids, episodes=uuids), limit=_MOST)
    read = {uuid for fact in facts for uuid in fact.episodes}
    for episode in told:
        if episode.uuid in read or "superseded_by" in episode.attributes:
            del found.items[episode.uuid]
            found.touched.pop(episode.uuid, None)


async def _read_around(store: Store, here: Filter, found: _Found) -> None:
    """Read what the facts are about, and where they come from."""
    facts = [item for item in found.items.values() if isinstance(item, Fact)]
    about = {uuid for fact in facts for uuid in (fact.subject_uuid, fact.object_uuid) if uuid}
    entities = await store.entities(Filter(group_ids=here.group_ids, uuids=tuple(about)), limit=len(about) or 1)
    found.types |= {entity.uuid: entity.types for entity in entities}
    behind = {fact.episodes[0] for fact in facts if fact.episodes}
    told = await store.episodes(Filter(group_ids=here.group_ids, uuids=tuple(behind)), limit=len(behind) or 1)
    found.told |= {episode.uuid: episode for episode in told}


def _rows(found: _Found, wanted: Wanted) -> dict[str, list[Row]]:
    """The rows of each section: first what the work is about, then the newest; a sentence comes once."""
    rest = [item for uuid, item in found.items.items() if uuid not in found.touched]
    rest.sort(key=lambda item: (_time(item), item.uuid), reverse=True)
    rows: dict[str, dict[str, Row]] = {section.name: {} for section in SECTIONS}
    said: set[str] = set()
    for item in [*(found.items[uuid] for uuid in found.touched), *rest][: wanted.most_rows]:
        row = _row(item, found)
        if row.fact and row.fact.casefold() not in said:
            said.add(row.fact.casefold())
            rows[_section(item, found).name][item.uuid] = row
    return {name: list(chosen.values()) for name, chosen in rows.items()}


def _section(item: Item, found: _Found) -> Section:
    if isinstance(item, Episode):
        return section_of(item.content[:_CLIPPED])
    about = (item.subject_uuid, item.object_uuid or "")
    return section_of(item.sentence, item.relation, {kind for uuid in about for kind in found.types.get(uuid, ())})


def _row(item: Item, found: _Found) -> Row:
    notes = []
    if isinstance(item, Fact):
        notes = ["disputed"] * item.disputed + ["plan"] * (item.kind is FactKind.PLAN)
        notes += [f"until {item.invalid_at:%Y-%m-%d}"] if item.invalid_at else []
    source = item if isinstance(item, Episode) else found.told.get(item.episodes[0] if item.episodes else "")
    doubt = item.attributes.get("trust")
    if not doubt and source is not None and is_captured(source):
        doubt = source.source_description or "captured"
    notes += [f"untrusted: {doubt}"] if doubt else []
    return Row(fact=_text(item), since=f"{_time(item):%Y-%m-%d}", note=plain(", ".join(notes)))


def _text(item: Item) -> str:
    if isinstance(item, Fact):
        return plain(item.sentence)
    return plain(item.name if "commit" in item.attributes else item.content, _CLIPPED)


def _time(item: Item) -> datetime:
    return item.reference_time if isinstance(item, Episode) else item.valid_at or item.created_at

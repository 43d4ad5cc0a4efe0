"""What the tools of shared/tools ask of an engine, answered by the product's own code."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rapidfuzz import fuzz

from everfact import resolve as names
from everfact.dates import find_dates
from everfact.extractors.local import extract_text
from everfact.models import Entity, Mention, Value, ValueType


def resolve(text: str, said_at: str) -> list[tuple[str, str]]:
    """For timebench.py: the days each date in the text covers; what is told without a date happened that day."""
    told = datetime.fromisoformat(said_at).replace(tzinfo=UTC)
    found = [(when.start.date(), (when.end - timedelta(microseconds=1)).date()) for when in find_dates(text, told)]
    return [
        (first.isoformat(), (last + timedelta(days=1)).isoformat())
        for first, last in found or [(told.date(), told.date())]
    ]


def group(items: list[dict[str, str]]) -> list[list[str]]:
    """For dedupebench.py: each item is resolved against the entities made of the items before it, fullest names first.

    The order is the names' own, not the file's, which lists the names of one thing side by side.
    """
    entities: dict[str, Entity] = {}
    members: dict[str, list[dict[str, str]]] = defaultdict(list)
    index: dict[object, set[str]] = defaultdict(set)
    for item in sorted(items, key=_fullness):
        spots = {*_details(item).items(), *(word[:3] for word in item["name"].split())}
        # Few are all looked at; among many a store's index would hand over those that share something.
        near = entities.keys() if len(items) < 500 else set[str]().union(*(index[spot] for spot in spots))
        alike = [entities[uuid] for uuid in near if _may_be_one(item, members[uuid])]
        found = names.resolve(Mention(name=item["name"], type=item["type"]), alike)
        entity = replace(found, aliases=(*found.aliases, item["name"])) if found else _entity(item)
        entities[entity.uuid] = entity
        members[entity.uuid].append(item)
        for spot in spots:
            index[spot].add(entity.uuid)
    return [[item["id"] for item in found] for found in members.values()]


def _fullness(item: dict[str, str]) -> tuple[int, int, str, str]:
    return -len(item["name"].split()), -len(item["name"]), item["name"], str(_details(item))


def _entity(item: dict[str, str]) -> Entity:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return Entity(uuid=item["id"], group_id="", name=item["name"], types=(item["type"],), created_at=epoch)


def _details(item: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in item.items() if key not in ("id", "name", "type") and value}


def _may_be_one(item: dict[str, str], members: list[dict[str, str]]) -> bool:
    """Whether a record with further fields (a birthday, an address) is like another one in any of them."""
    mine = _details(item)
    pairs = ((mine[key], other[key]) for other in map(_details, members) for key in mine.keys() & other.keys())
    return not mine or any(fuzz.ratio(a, b) >= 80 for a, b in pairs)


# Re-DocRED comes cut into tokens; people write "Oslo, Norway" and "Ana's".
_WRITTEN = (
    (re.compile(r" ([,.;:)!?]|'s\b|n't\b)"), r"\1"),
    (re.compile(r"\( "), "("),
    (re.compile(r"(?<=\w) - (?=\w)"), "-"),
    (re.compile(r'" ([^"]+?) "'), r'"\1"'),
)
_ALIASES = frozenset(("NAME", "ALSO_KNOWN_AS"))


def extract(text: str) -> dict[str, list[str] | list[list[str]]]:
    """For extractbench.py: the names found, and what is said between two of them or of one and a value.

    Aliases are one entity there, and what something is (a word, a status) is no entity, so these are left out.
    """
    for pattern, written in _WRITTEN:
        text = pattern.sub(written, text)
    found = extract_text(text, reference=datetime(1970, 1, 1, tzinfo=UTC))
    triples = [
        [said.subject.name, said.relation, _name(said.object)]
        for said in found.statements
        if said.object is not None and said.relation not in _ALIASES and _is_thing(said.object)
    ]
    values = [
        _name(said.object) for said in found.statements if isinstance(said.object, Value) and _is_thing(said.object)
    ]
    return {"entities": [m.name for m in found.mentions if _is_thing(m)] + values, "triples": triples}


def _is_thing(thing: Mention | Value) -> bool:
    if isinstance(thing, Mention):
        return thing.name != thing.name.lower()
    return thing.type not in (ValueType.TEXT, ValueType.STATUS)


def _name(thing: Mention | Value) -> str:
    """A count of things is its number there."""
    if isinstance(thing, Mention):
        return thing.name
    number = re.match(r"[\d.,]+", thing.text) if thing.type is ValueType.COUNT else None
    return number[0] if number else thing.text

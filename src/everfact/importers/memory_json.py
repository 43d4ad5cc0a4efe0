"""The memory file of the official MCP memory server: entities with observations, and relations between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from everfact.errors import UsageError
from everfact.importers.files import items
from everfact.importers.records import Item, Record, made_id, text, texts, tried
from everfact.models import Draft, Mention, Skipped, Statement, Value, ValueType
from everfact.relations import relation_name


@dataclass(slots=True)
class _Entity:
    type: str = ""
    observations: dict[str, None] = field(default_factory=dict)
    relations: dict[tuple[str, str], None] = field(default_factory=dict)
    """The words of the relation, and whom it leads to."""


def read(path: Path, group: str) -> Iterator[Draft | Skipped]:
    """One draft for each entity, told when the file was last written: it holds no times."""
    entities: dict[str, _Entity] = {}
    yield from filter(None, tried(items(path), lambda _, given: _take(given, entities)))
    told = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
    types = {name: entity.type for name, entity in entities.items()}
    for name, entity in entities.items():
        yield _draft(name, entity, types, group=group, told=told)


def is_memory_json(item: Item) -> bool:
    """Whether it looks like an entity or a relation of such a file."""
    keys = item.value.keys() if isinstance(item.value, dict) else set[str]()
    return {"name", "entityType"} <= keys or {"from", "to", "relationType"} <= keys


def _take(given: Record, entities: dict[str, _Entity]) -> None:
    if "relationType" in given:
        start, words, end = (text(given, name) for name in ("from", "relationType", "to"))
        if not start or not relation_name(words) or not end:
            raise UsageError("the relation lacks from, relationType or to")
        entities.setdefault(start, _Entity()).relations[words, end] = None
        return
    name, observations = text(given, "name"), texts(given, "observations")
    if not name or given.keys().isdisjoint(("entityType", "observations")):
        raise UsageError("it is no entity with a name and no relation")
    entity = entities.setdefault(name, _Entity())
    entity.type = entity.type or text(given, "entityType")
    entity.observations |= dict.fromkeys(filter(None, observations))


def _draft(name: str, entity: _Entity, types: dict[str, str], *, group: str, told: datetime) -> Draft:
    subject = Mention(name=name, type=entity.type)
    statements = [_observed(subject, seen) for seen in entity.observations]
    statements += [_related(subject, words, Mention(name=to, type=types.get(to, ""))) for words, to in entity.relations]
    statements = statements or [Statement(subject=subject, relation="", object=None, sentence="")]
    return Draft(
        content="\n".join(said.sentence for said in statements) or name,
        name=name,
        group_id=group,
        uuid=made_id("memory-json", group, name),
        source_description="MCP memory server",
        reference_time=told,
        statements=tuple(statements),
    )


def _observed(subject: Mention, seen: str) -> Statement:
    # An attribute of its own for each: observations stand side by side and end nothing.
    attribute = f"observation: {seen[:200]}"
    thing = Value(type=ValueType.TEXT, text=seen)
    return Statement(
        subject=subject,
        relation="OBSERVATION",
        object=thing,
        sentence=f"{subject.name}: {seen}",
        attribute=attribute,
    )


def _related(subject: Mention, words: str, thing: Mention) -> Statement:
    spoken = words.replace("_", " ").lower() if words.isupper() else words.replace("_", " ")
    sentence = f"{subject.name} {spoken} {thing.name}"
    return Statement(subject=subject, relation=words, object=thing, sentence=sentence)

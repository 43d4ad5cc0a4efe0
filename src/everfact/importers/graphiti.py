"""Graphiti's nodes and edges, wherever they were read, into drafts: episodes with their facts, and what else there is.

A fact goes with the episodes that said it; one without goes alone. Ids of episodes and entities stay what they were.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

from everfact.errors import UsageError
from everfact.importers.records import Record, clean, group_of, kept, legal_id, made_id, moment, text, texts
from everfact.models import JSON, Draft, Mention, Skipped, Source, Statement, Value, ValueType
from everfact.relations import relation_name

DUPLICATE = "IS_DUPLICATE_OF"
_STARTS = ("source_node_uuid", "source_uuid")
_ENDS = ("target_node_uuid", "target_uuid")
_CONNECTIONS = ("", "MENTIONS", "HAS_EPISODE", "NEXT_EPISODE", "HAS_MEMBER")
_OF_NODES = {"uuid", "name", "group_id", "summary", "created_at", "labels", "attributes", "type", "id"}
_OF_FACTS = {"uuid", "name", "fact", "group_id", "episodes", "created_at", "expired_at", "valid_at", "invalid_at"}
_OF_FACTS |= {"attributes", "type", "id", *_STARTS, *_ENDS}
_MOST_DIGITS = 30
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node: what it is called where edges point to it (beside its uuid), its labels and properties."""

    place: str
    key: str
    labels: tuple[str, ...]
    properties: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relationship between the nodes that `start` and `end` are the keys or uuids of; "" is left to properties."""

    place: str
    type: str
    start: str
    end: str
    properties: Record


Taken = TypeVar("Taken", Node, Edge)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entity:
    uuid: str
    name: str
    types: tuple[str, ...]
    summary: str
    created_at: datetime | None
    group_id: str
    attributes: dict[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    uuid: str
    start: str
    end: str
    relation: str
    sentence: str
    episodes: tuple[str, ...]
    created_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    group_id: str
    attributes: dict[str, JSON]


def drafts(records: Iterable[Node | Edge | Skipped], *, group: str = "") -> Iterator[Draft | Skipped]:
    """What the records tell, once all of them are known; `group` is where all of it goes, "" is where each belongs."""
    graph, edges = _Graph(group=group), list[Edge]()
    for record in records:
        if isinstance(record, Skipped):
            yield record
        elif isinstance(record, Edge):
            edges.append(record)  # a file may tell them before the nodes
        else:
            yield from _tried(record, graph.take_node)
    for edge in edges:
        yield from _tried(edge, graph.take_edge)
    yield from graph.drafts()


def _tried(record: Taken, take: Callable[[Taken], None]) -> Iterator[Skipped]:
    try:
        take(record)
    except UsageError as error:
        yield Skipped(place=record.place, reason=error.args[0])


@dataclass(slots=True)
class _Graph:
    """What is known so far, by uuid."""

    group: str
    keys: dict[str, str] = field(default_factory=dict)
    episodes: dict[str, Draft] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    entities: dict[str, _Entity] = field(default_factory=dict)
    threads: dict[str, str] = field(default_factory=dict)
    facts: dict[str, _Fact] = field(default_factory=dict)
    mentions: dict[str, set[str]] = field(default_factory=dict)
    """Entities by the episode that mentions them."""
    same: dict[str, str] = field(default_factory=dict)
    """Entities that turned out to be another one; never in a circle."""

    def take_node(self, node: Node) -> None:
        """An episode, an entity or a saga; a community is made anew from the facts."""
        given = text(node.properties, "uuid")
        if not given:
            raise UsageError("it has no uuid")
        uuid = legal_id("graphiti", given)
        if "Community" not in node.labels:
            if "Saga" in node.labels:
                self.threads[uuid] = text(node.properties, "name") or uuid
            elif "Episodic" in node.labels or ("Entity" not in node.labels and "content" in node.properties):
                self.episodes[uuid] = _episode(node.properties, uuid, self.group)
                self.places[uuid] = node.place
            else:
                self.entities[uuid] = _entity(node, uuid, self.group)
        self.keys |= {given: uuid} | ({node.key: uuid} if node.key else {})

    def take_edge(self, edge: Edge) -> None:
        """A fact, or what connects episodes to entities and sagas."""
        start, end = (self._end(edge, side) for side in ("start", "end"))
        if edge.type == "RELATES_TO" or "fact" in edge.properties:
            self._take_fact(edge.properties, start, end)
        elif start in self.threads and end in self.episodes:
            self.episodes[end] = replace(self.episodes[end], thread=self.threads[start])
        elif start in self.episodes and end in self.entities:
            self.mentions.setdefault(start, set()).add(end)
        elif edge.type not in _CONNECTIONS:
            raise UsageError(f"nothing is known of a relationship {edge.type}")

    def _end(self, edge: Edge, side: str) -> str:
        names = _STARTS if side == "start" else _ENDS
        known = self.keys.get(edge.start if side == "start" else edge.end)
        given = text(edge.properties, *names) or (edge.start if side == "start" else edge.end)
        return known or self.keys.get(given, given)

    def _take_fact(self, given: Record, start: str, end: str) -> None:
        for uuid in (start, end):
            if uuid not in self.entities:
                raise UsageError(f"its entity {uuid or 'has no uuid and'} is not in the file; add the nodes to it")
        if text(given, "name") == DUPLICATE:
            if (one := self._one(start)) != (other := self._one(end)):
                self.same[one] = other
            return
        fact = _fact(given, start, end, self.group)
        fact = replace(fact, group_id=fact.group_id or self.entities[start].group_id)
        if not fact.sentence:
            names = self.entities[start].name, self.entities[end].name
            fact = replace(fact, sentence=f"{names[0]} {fact.relation.replace('_', ' ').lower()} {names[1]}")
        self.facts[fact.uuid] = fact

    def drafts(self) -> Iterator[Draft | Skipped]:
        """What only entities tell, then episodes in the order they were told, then facts that no episode told."""
        yield from self._entities()
        said: dict[str, list[_Fact]] = {}
        alone: list[_Fact] = []
        for fact in sorted(self.facts.values(), key=lambda fact: (fact.created_at or _LONG_AGO, fact.uuid)):
            known = [uuid for uuid in fact.episodes if self._is_of(uuid, fact)]
            for uuid in known:
                said.setdefault(uuid, []).append(fact)
            alone += [] if known else [fact]
        order = sorted(self.episodes.values(), key=lambda told: (told.reference_time or _LONG_AGO, told.uuid))
        for episode in order:
            told = self._with_facts(episode, said.get(episode.uuid, []))
            if told.content.strip():
                yield told
            else:
                yield Skipped(place=self.places[told.uuid], reason="it has neither text nor facts")
        yield from (self._alone(fact) for fact in alone)

    def _is_of(self, uuid: str, fact: _Fact) -> bool:
        return uuid in self.episodes and self.episodes[uuid].group_id == fact.group_id

    def _with_facts(self, episode: Draft, facts: list[_Fact]) -> Draft:
        named = {end for fact in facts for end in (fact.start, fact.end)}
        mentioned = sorted(self.mentions.get(episode.uuid, set()) - named)
        statements = (*map(self._statement, facts), *(_bare(self._mention(uuid)) for uuid in mentioned))
        attributes: JSON = {fact.uuid: {"fact": fact.sentence, **fact.attributes} for fact in facts if fact.attributes}
        return replace(
            episode,
            content=episode.content or "\n".join(said.sentence or said.subject.name for said in statements),
            source=episode.source if episode.content else Source.TEXT,
            statements=statements,
            attributes={**episode.attributes, "facts": attributes} if attributes else episode.attributes,
        )

    def _alone(self, fact: _Fact) -> Draft:
        only = Draft(
            content="",
            uuid=made_id("graphiti fact", fact.uuid),
            group_id=fact.group_id,
            source_description="Graphiti fact",
            reference_time=fact.created_at,
        )
        return self._with_facts(only, [fact])

    def _statement(self, fact: _Fact) -> Statement:
        return Statement(
            subject=self._mention(fact.start),
            relation=fact.relation,
            object=self._mention(fact.end),
            sentence=fact.sentence,
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
        )

    def _mention(self, uuid: str) -> Mention:
        entity = self.entities[uuid]
        return Mention(name=entity.name, type=next(iter(entity.types), ""), uuid=self._one(uuid))

    def _one(self, uuid: str) -> str:
        """The entity that this one is."""
        while uuid in self.same:
            uuid = self.same[uuid]
        return uuid

    def _entities(self) -> Iterator[Draft]:
        """Those of which there is more to say than facts do. Of one with several names its own comes first."""
        several = {*self.same, *self.same.values()}
        plain = {uuid for fact in self.facts.values() for uuid in (fact.start, fact.end)} - several
        for entity in sorted(self.entities.values(), key=lambda entity: (entity.uuid in self.same, entity.uuid)):
            is_plain = entity.uuid in plain and len(entity.types) <= 1
            if not is_plain or entity.summary or entity.attributes:
                yield self._about(entity)

    def _about(self, entity: _Entity) -> Draft:
        mention = self._mention(entity.uuid)
        named = [_bare(replace(mention, type=type_)) for type_ in entity.types or ("",)]
        said = [_attribute(mention, name, value) for name, value in entity.attributes.items()]
        return Draft(
            content="\n".join((f"{entity.name}: {entity.summary}".strip(": "), *(each.sentence for each in said))),
            name=entity.name,
            uuid=made_id("graphiti entity", entity.uuid),
            group_id=entity.group_id,
            source_description="Graphiti entity",
            reference_time=entity.created_at,
            statements=(*named, *said),
            attributes={"attributes": entity.attributes} if entity.attributes else {},
        )


def _episode(given: Record, uuid: str, group: str) -> Draft:
    content, source = text(given, "content"), text(given, "source")
    if source == "json" and not _is_json(content):
        source = "text"
    return Draft(
        content=content,
        name=text(given, "name"),
        uuid=uuid,
        group_id=group_of(given, group),
        source=Source(source) if source in tuple(Source) else Source.TEXT,
        source_description=text(given, "source_description"),
        reference_time=moment(given, "valid_at", "created_at"),
        attributes={"metadata": kept(given["episode_metadata"])} if given.get("episode_metadata") else {},
    )


def _entity(node: Node, uuid: str, group: str) -> _Entity:
    given = node.properties
    name, group_id = text(given, "name"), group_of(given, group)
    if not name:
        raise UsageError("it has no name")
    # Older versions told groups apart by a label, Entity_<group without dashes>.
    labels = dict.fromkeys((*node.labels, *texts(given, "labels")))
    types = tuple(label for label in labels if label != "Entity" and not label.startswith("Entity_"))
    return _Entity(
        uuid=uuid,
        name=name,
        types=types,
        summary=text(given, "summary"),
        created_at=moment(given, "created_at"),
        group_id=group_id,
        attributes=_attributes(given, _OF_NODES),
    )


def _fact(given: Record, start: str, end: str, group: str) -> _Fact:
    """The fact, with the end that it had for Graphiti: what it took back has ended."""
    uuid, relation = text(given, "uuid"), relation_name(text(given, "name"))
    valid_at, invalid_at = moment(given, "valid_at"), moment(given, "invalid_at", "expired_at")
    if valid_at and invalid_at and invalid_at < valid_at:
        valid_at = None  # that it is over is surer than when it began
    return _Fact(
        uuid=uuid or made_id("graphiti fact", start, relation, end, text(given, "fact")),
        start=start,
        end=end,
        relation=relation or "RELATES_TO",
        sentence=text(given, "fact"),
        episodes=tuple(legal_id("graphiti", each) for each in texts(given, "episodes")),
        created_at=moment(given, "created_at"),
        valid_at=valid_at,
        invalid_at=invalid_at,
        group_id=group_of(given, group),
        attributes=_attributes(given, _OF_FACTS),
    )


def _attributes(given: Record, known: set[str]) -> dict[str, JSON]:
    """The user's own fields, kept apart or among the others; vectors are made anew."""
    nested = given.get("attributes")
    mine = {name: value for name, value in given.items() if name not in known}
    mine |= nested if isinstance(nested, dict) else {}
    return {
        clean(name): kept(value)
        for name, value in mine.items()
        if value not in (None, "", [], {}) and not name.endswith("_embedding") and name not in (*_STARTS, *_ENDS)
    }


def _bare(mention: Mention) -> Statement:
    return Statement(subject=mention, relation="", object=None, sentence="")


def _attribute(mention: Mention, name: str, value: JSON) -> Statement:
    shown = clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) or "nothing"
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and len(shown) < _MOST_DIGITS
    return Statement(
        subject=mention,
        relation=relation_name(name) or "ATTRIBUTE",
        object=Value(type=ValueType.COUNT, text=shown, number=float(shown))
        if is_number
        else Value(type=ValueType.TEXT, text=shown),
        sentence=f"{mention.name}: {name.replace('_', ' ')} is {shown}",
    )


def _is_json(content: str) -> bool:
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True

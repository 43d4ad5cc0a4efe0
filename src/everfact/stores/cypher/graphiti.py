"""What stands now, in Graphiti's own schema, so that its library and server read what everfact has learned.

Written in the same step as our nodes. A fact whose object is a value, or that has none, is an edge from its subject to
itself: Graphiti sees the sentence, and no entity is made up for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from everfact.clock import new_id
from everfact.models import JSON, Entity, Episode, Fact, Thing
from everfact.stores.cypher.group import Ledger
from everfact.stores.cypher.rows import OPEN, Item, place, to_moment

_OWN = "{uuid: r.uuid, group_id: r.group_id}"
_PUT_EPISODE = f"MERGE (n:Episodic {_OWN}) SET n += r.shown SET n.entity_edges = coalesce(n.entity_edges, [])"
_PUT_ENTITY = f"MERGE (n:Entity {_OWN}) SET n += r.shown"
# Graphiti may have deleted it, and a fact would not be shown without its ends.
_HOLD_ENTITY = f"MERGE (n:Entity {_OWN}) ON CREATE SET n += r.shown"
_MOVE_FACT = f"MATCH (a)-[e:RELATES_TO {_OWN}]->(b) WHERE a.uuid <> r.subject OR b.uuid <> r.object DELETE e"
_PUT_FACT = (
    "MATCH (a:Entity {uuid: r.subject}) MATCH (b:Entity {uuid: r.object})"
    f" MERGE (a)-[e:RELATES_TO {_OWN}]->(b) SET e += r.shown"
)
_DROP: dict[type[Item], str] = {
    Episode: f"MATCH (n:Episodic {_OWN}) DETACH DELETE n",
    Entity: f"MATCH (n:Entity {_OWN}) DETACH DELETE n",
    Fact: f"MATCH ()-[e:RELATES_TO {_OWN}]->() DELETE e",
}
_EDGES = (
    f"MATCH (n:Episodic {_OWN})"
    " SET n.entity_edges = [x IN coalesce(n.entity_edges, []) WHERE NOT x IN r.gone] + r.edges"
)
_MENTION = (
    "MATCH (a:Episodic {uuid: r.episode}) MATCH (b:Entity {uuid: r.entity}) MERGE (a)-[m:MENTIONS]->(b)"
    " ON CREATE SET m.uuid = r.uuid, m.group_id = r.group_id, m.created_at = r.created_at"
)
_PUT_SAGA = (
    "MATCH (e:Episodic {uuid: r.episode}) MERGE (s:Saga {name: r.name, group_id: r.group_id})"
    " ON CREATE SET s.uuid = r.uuid, s.created_at = r.created_at, s.summary = '', s.first_episode_uuid = r.episode"
    " SET s.last_episode_uuid = r.episode MERGE (s)-[h:HAS_EPISODE]->(e)"
    " ON CREATE SET h.uuid = r.link, h.group_id = r.group_id, h.created_at = r.created_at"
)
_PUT_NEXT = (
    f"MATCH (p:EverfactEpisode {{place: r.before}}) WHERE p.known_to = {OPEN} WITH r, p.uuid AS before"
    " MATCH (a:Episodic {uuid: before}) MATCH (b:Episodic {uuid: r.episode}) MERGE (a)-[n:NEXT_EPISODE]->(b)"
    " ON CREATE SET n.uuid = r.uuid, n.group_id = r.group_id, n.created_at = r.created_at"
)
_PLAIN = str, int, float, bool
_SCHEMA = {"Entity", "Episodic", "Community", "Saga"}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF_ALL = {"uuid", "group_id", "name", "created_at"}
RESERVED = {
    Thing.ENTITY: _OF_ALL | {"summary", "labels", "name_embedding"},
    Thing.FACT: {
        *(*_OF_ALL, "fact", "fact_embedding", "episodes", "expired_at", "valid_at", "invalid_at", "reference_time"),
        *("source_node_uuid", "target_node_uuid", "source_uuid", "target_uuid"),
    },
}
"""What has a meaning of its own there, and is no attribute."""


def show(ledger: Ledger) -> None:
    """Show what has become of the items that were written or closed."""
    if ledger.is_shown:
        return
    gone = [uuid for uuid, item in ledger.after.items() if item is None]
    for uuid in gone:
        if uuid in ledger.before:
            _do(ledger, _DROP[type(ledger.before[uuid])], uuid)
    standing = ledger.after.values()  # ends before what lies between them
    for episode in [item for item in standing if isinstance(item, Episode)]:
        _put_episode(ledger, episode)
    for entity in [item for item in standing if isinstance(item, Entity)]:
        _put_entity(ledger, entity)
    facts = [item for item in standing if isinstance(item, Fact)]
    _hold_ends(ledger, facts)
    for fact in facts:
        _put_fact(ledger, fact)
    _put_edges(ledger)
    made_at = ledger.engine.moment(to_moment(ledger.recorded_at))
    for told, named in sorted(ledger.mentions):
        _do(ledger, _MENTION, new_id(), episode=told, entity=named, created_at=made_at)


def _do(ledger: Ledger, statement: str, uuid: str, **row: object) -> None:
    ledger.do(statement, uuid=uuid, group_id=ledger.engine.theirs(ledger.group_id), **row)


def _put_episode(ledger: Ledger, episode: Episode) -> None:
    moment = ledger.engine.moment
    shown = {
        "name": episode.name,
        "content": episode.content,
        "source": episode.source.value,
        "source_description": episode.source_description,
        "created_at": moment(episode.created_at),
        "valid_at": moment(episode.reference_time),
    }
    _do(ledger, _PUT_EPISODE, episode.uuid, shown=shown)
    if episode.thread and episode.uuid not in ledger.before:
        row = {"episode": episode.uuid, "created_at": shown["created_at"]}
        _do(ledger, _PUT_SAGA, new_id(), **row, name=episode.thread, link=new_id())
        _do(ledger, _PUT_NEXT, new_id(), **row, before=place(ledger.group_id, episode.thread, episode.position - 1))


def _put_entity(ledger: Ledger, entity: Entity) -> None:
    labels, former = _labels(entity), ledger.before.get(entity.uuid)
    shown = _shown(ledger, entity)
    if isinstance(former, Entity) and former.name != entity.name:
        shown["name_embedding"] = None  # Graphiti would find it by the old name
    _do(ledger, _PUT_ENTITY, entity.uuid, shown=shown)
    for label in _labels(former) if isinstance(former, Entity) else ():
        if label not in labels:
            _do(ledger, f"MATCH (n:Entity {_OWN}) REMOVE n:{label}", entity.uuid)
    for label in labels:
        _do(ledger, f"MATCH (n:Entity {_OWN}) SET n:{label}", entity.uuid)


def _shown(ledger: Ledger, entity: Entity) -> dict[str, Any]:
    return _flat(entity.attributes, Thing.ENTITY) | {
        "name": entity.name,
        "summary": entity.summary,
        "labels": ["Entity", *_labels(entity)],
        "created_at": ledger.engine.moment(entity.created_at),
    }


def _hold_ends(ledger: Ledger, facts: Sequence[Fact]) -> None:
    ends = {uuid for fact in facts for uuid in (fact.subject_uuid, fact.object_uuid) if uuid}
    for uuid in sorted(ends - ledger.after.keys()):
        known = ledger.seen.get((Thing.ENTITY, uuid))
        if known is not None and isinstance(known[1], Entity):
            _do(ledger, _HOLD_ENTITY, uuid, shown=_shown(ledger, known[1]))


def _labels(entity: Entity) -> list[str]:
    """The types of an entity that can be labels, and are none that mean something else."""
    taken = _SCHEMA | {kind for kind in entity.types if kind.startswith("Everfact")}
    return [kind for kind in dict.fromkeys(entity.types) if _IDENTIFIER.fullmatch(kind) and kind not in taken]


def _put_fact(ledger: Ledger, fact: Fact) -> None:
    moment, former = ledger.engine.moment, ledger.before.get(fact.uuid)
    ends = {"subject": fact.subject_uuid, "object": fact.object_uuid or fact.subject_uuid}
    shown = _flat(fact.attributes, Thing.FACT) | {
        "name": fact.relation,
        "fact": fact.sentence,
        "episodes": list(fact.episodes),
        "source_node_uuid": ends["subject"],
        "target_node_uuid": ends["object"],
        **{name: moment(getattr(fact, name)) for name in ("created_at", "expired_at", "valid_at", "invalid_at")},
    }
    if fact.value:
        shown |= {"value": fact.value.text, "value_type": fact.value.type.value}
    if isinstance(former, Fact):
        if former.value and not fact.value:
            shown |= {"value": None, "value_type": None}
        if former.sentence != fact.sentence:
            shown["fact_embedding"] = None
        _do(ledger, _MOVE_FACT, fact.uuid, **ends)
    _do(ledger, _PUT_FACT, fact.uuid, **ends, shown=shown)


def _flat(attributes: Mapping[str, JSON], thing: Thing) -> dict[str, Any]:
    """Attributes as properties: plain values, and lists of one kind of them, under names that mean nothing else."""
    return {
        name: value
        for name, value in attributes.items()
        if _IDENTIFIER.fullmatch(name) and name not in RESERVED[thing] and _is_flat(value)
    }


def _is_flat(value: JSON) -> bool:
    if isinstance(value, list):
        return len({type(part) for part in value}) == 1 and all(isinstance(part, _PLAIN) for part in value)
    return isinstance(value, _PLAIN)


def _put_edges(ledger: Ledger) -> None:
    """Note with the episodes which facts rest on them."""
    edges: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"gone": [], "edges": []})
    for uuid, fact in ledger.before.items():
        for episode in fact.episodes if isinstance(fact, Fact) and uuid in ledger.after else ():
            edges[episode]["gone"].append(uuid)
    for uuid, standing in ledger.after.items():
        for episode in standing.episodes if isinstance(standing, Fact) else ():
            edges[episode]["edges"].append(uuid)
    for episode, row in edges.items():
        _do(ledger, _EDGES, episode, gone=[*row["gone"], *row["edges"]], edges=row["edges"])

"""What stands now, in Graphiti's own schema, so that its library and server read what everfact has learned.

Written in the same step as our nodes. A fact whose object is a value, or that has none, is an edge from its subject to
itself: Graphiti sees the sentence, and no entity is made up for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from everfact.clock import new_id
from everfact.models import JSON, Change, Entity, Episode, Fact
from everfact.stores.cypher.group import Ledger
from everfact.stores.cypher.rows import from_data, to_moment

_OWN = "{uuid: r.uuid, group_id: r.group_id}"
_PUT_EPISODE = f"MERGE (n:Episodic {_OWN}) SET n += r.shown SET n.entity_edges = coalesce(n.entity_edges, [])"
_PUT_ENTITY = f"MERGE (n:Entity {_OWN}) SET n += r.shown"
_MOVE_FACT = (
    "MATCH (a:Entity)-[e:RELATES_TO {uuid: r.uuid}]->(b:Entity)"
    " WHERE a.uuid <> r.subject OR b.uuid <> r.object DELETE e"
)
_PUT_FACT = (
    "MATCH (a:Entity {uuid: r.subject}) MATCH (b:Entity {uuid: r.object})"
    f" MERGE (a)-[e:RELATES_TO {_OWN}]->(b) SET e += r.shown"
)
_DROP_EPISODE = f"MATCH (n:Episodic {_OWN}) DETACH DELETE n"
_DROP_ENTITY = f"MATCH (n:Entity {_OWN}) DETACH DELETE n"
_DROP_FACT = f"MATCH ()-[e:RELATES_TO {_OWN}]->() DELETE e"
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
    "MATCH (a:Episodic {uuid: r.before}) MATCH (b:Episodic {uuid: r.episode}) MERGE (a)-[n:NEXT_EPISODE]->(b)"
    " ON CREATE SET n.uuid = r.uuid, n.group_id = r.group_id, n.created_at = r.created_at"
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = {
    *("uuid", "group_id", "name", "summary", "created_at", "labels", "name_embedding", "fact", "fact_embedding"),
    *("episodes", "expired_at", "valid_at", "invalid_at", "reference_time"),
    *("source_node_uuid", "target_node_uuid", "source_uuid", "target_uuid", "value", "value_type"),
}


def put_episode(ledger: Ledger, episode: Episode) -> None:
    """Show an episode."""
    moment = ledger.engine.moment
    shown = {
        "name": episode.name,
        "content": episode.content,
        "source": episode.source.value,
        "source_description": episode.source_description,
        "created_at": moment(episode.created_at),
        "valid_at": moment(episode.reference_time),
    }
    ledger.do(_PUT_EPISODE, uuid=episode.uuid, group_id=episode.group_id, shown=shown)


def put_in_thread(ledger: Ledger, episode: Episode, before: str | None) -> None:
    """Show that an episode belongs to a thread, which Graphiti calls a saga, and which one it follows."""
    row = {
        "episode": episode.uuid,
        "group_id": episode.group_id,
        "created_at": ledger.engine.moment(episode.created_at),
        "uuid": new_id(),
    }
    ledger.do(_PUT_SAGA, **row, name=episode.thread, link=new_id())
    if before is not None:
        ledger.do(_PUT_NEXT, **row, before=before)


def show(ledger: Ledger, change: Change, before: Mapping[str, str]) -> None:
    """Show what a change has made of its items; `before` is the data of those that stood, by uuid."""
    group = ledger.group_id
    for uuid in change.removed:
        for statement in (_DROP_FACT, _DROP_ENTITY, _DROP_EPISODE):
            ledger.do(statement, uuid=uuid, group_id=group)
    for episode in change.episodes:
        put_episode(ledger, episode)
    for entity in change.entities:
        _put_entity(ledger, entity, before.get(entity.uuid))
    for fact in change.facts:
        _put_fact(ledger, fact)
    _put_edges(ledger, change, before)
    made = ledger.engine.moment(to_moment(ledger.recorded_at))
    for episode_uuid, entity_uuid in _mentions(change):
        ledger.do(
            _MENTION, episode=episode_uuid, entity=entity_uuid, uuid=new_id(), group_id=group, created_at=made
        )


def _put_entity(ledger: Ledger, entity: Entity, before: str | None) -> None:
    labels = [kind for kind in entity.types if _IDENTIFIER.fullmatch(kind) and not kind.startswith("Everfact")]
    shown = _flat(entity.attributes) | {
        "name": entity.name,
        "summary": entity.summary,
        "labels": ["Entity", *labels],
        "created_at": ledger.engine.moment(entity.created_at),
    }
    own = {"uuid": entity.uuid, "group_id": entity.group_id}
    ledger.do(_PUT_ENTITY, **own, shown=shown)
    former = from_data(Entity, before).types if before else ()
    for label in former:
        if label not in labels and _IDENTIFIER.fullmatch(label):
            ledger.do(f"MATCH (n:Entity {_OWN}) REMOVE n:{label}", **own)
    for label in labels:
        ledger.do(f"MATCH (n:Entity {_OWN}) SET n:{label}", **own)


def _put_fact(ledger: Ledger, fact: Fact) -> None:
    moment = ledger.engine.moment
    ends = {"subject": fact.subject_uuid, "object": fact.object_uuid or fact.subject_uuid}
    shown = _flat(fact.attributes) | {
        "name": fact.relation,
        "fact": fact.sentence,
        "episodes": list(fact.episodes),
        "source_node_uuid": ends["subject"],
        "target_node_uuid": ends["object"],
        "value": fact.value.text if fact.value else None,
        "value_type": fact.value.type.value if fact.value else None,
        **{name: moment(getattr(fact, name)) for name in ("created_at", "expired_at", "valid_at", "invalid_at")},
    }
    ledger.do(_MOVE_FACT, uuid=fact.uuid, **ends)
    ledger.do(_PUT_FACT, uuid=fact.uuid, group_id=fact.group_id, **ends, shown=shown)


def _flat(attributes: Mapping[str, JSON]) -> dict[str, Any]:
    """Attributes as properties of a node: plain values under names that Graphiti does not use itself."""
    return {
        name: value
        for name, value in attributes.items()
        if _IDENTIFIER.fullmatch(name) and name not in _RESERVED and isinstance(value, str | int | float | bool)
    }


def _put_edges(ledger: Ledger, change: Change, before: Mapping[str, str]) -> None:
    """Note with the episodes which facts rest on them."""
    edges: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"gone": [], "edges": []})
    for fact in change.facts:
        for uuid in fact.episodes:
            edges[uuid]["edges"].append(fact.uuid)
    for uuid in (*change.removed, *(fact.uuid for fact in change.facts)):
        if uuid in before and '"subject_uuid"' in before[uuid]:
            for episode in from_data(Fact, before[uuid]).episodes:
                edges[episode]["gone"].append(uuid)
    for uuid, row in edges.items():
        ledger.do(_EDGES, uuid=uuid, group_id=ledger.group_id, gone=[*row["gone"], *row["edges"]], edges=row["edges"])


def _mentions(change: Change) -> list[tuple[str, str]]:
    """Which episodes speak of which entities, as far as the change asserts something."""
    return sorted(
        {
            (assertion.episode_uuid, entity)
            for assertion in change.asserted
            for entity in (assertion.subject_uuid, assertion.object_uuid)
            if assertion.episode_uuid and entity
        }
    )

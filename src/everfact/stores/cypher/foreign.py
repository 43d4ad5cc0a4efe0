"""Nodes and relationships as Graphiti's versions have written them, as our models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from everfact.clock import new_id
from everfact.models import JSON, Assertion, Entity, Episode, Fact, Mention, Source, Statement, Status
from everfact.relations import attribute_of
from everfact.stores.cypher.graphiti import RESERVED


@dataclass(frozen=True, slots=True)
class Node:
    """What Graphiti keeps of an item, and what belongs to it: saga names, labels, or the ends of a relationship."""

    group_id: str
    properties: Mapping[str, Any]
    beside: list[Any]

    @property
    def uuid(self) -> str:
        """Its id."""
        return str(self.properties["uuid"])

    def text(self, name: str) -> str:
        """A text; empty where there is none."""
        return str(self.properties.get(name) or "")

    def moment(self, name: str) -> datetime | None:
        """A time, which may be a time of Neo4j's or ISO 8601; None where it is neither."""
        kept = self.properties.get(name)
        if kept is not None and not isinstance(kept, str):
            kept = kept.to_native()
        try:
            moment = datetime.fromisoformat(kept) if isinstance(kept, str) else kept
        except ValueError:
            return None
        if not isinstance(moment, datetime):
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)

    def attributes(self) -> dict[str, JSON]:
        """Whatever else stands there: attributes are laid flat beside the rest."""
        return {
            name: value
            for name, value in self.properties.items()
            if name not in RESERVED and isinstance(value, str | int | float | bool | list)
        }


def to_episode(node: Node, now: datetime) -> Episode:
    """An episode; Graphiti has digested it."""
    source = node.text("source")
    return Episode(
        uuid=node.uuid,
        group_id=node.group_id,
        name=node.text("name"),
        content=node.text("content"),
        reference_time=node.moment("valid_at") or node.moment("created_at") or now,
        created_at=node.moment("created_at") or now,
        source=Source(source) if source in set(Source) else Source.TEXT,
        source_description=node.text("source_description"),
        thread=min(filter(None, node.beside), default=""),
        status=Status.DONE,
    )


def to_entity(node: Node, now: datetime) -> Entity:
    """An entity. Old versions gave each a label for its group, too."""
    of_group = f"Entity_{node.text('group_id').replace('-', '')}"
    return Entity(
        uuid=node.uuid,
        group_id=node.group_id,
        name=node.text("name"),
        created_at=node.moment("created_at") or now,
        types=tuple(label for label in node.beside if label not in ("Entity", of_group)),
        summary=node.text("summary"),
        attributes=node.attributes(),
    )


def to_fact(node: Node, now: datetime) -> tuple[Fact, tuple[Assertion, ...]]:
    """A fact, and what each of its episodes asserts, so that forgetting one leaves it standing on the others."""
    subject, subject_name, target, target_name = node.beside
    created = node.moment("created_at") or now
    valid, invalid = node.moment("valid_at"), node.moment("invalid_at") or node.moment("expired_at")
    episodes = tuple(dict.fromkeys(str(uuid) for uuid in node.properties.get("episodes") or () if uuid))
    relation = node.text("name")
    said = Statement(
        subject=Mention(name=subject_name or "", uuid=subject),
        relation=relation,
        object=Mention(name=target_name or "", uuid=target),
        sentence=node.text("fact"),
        attribute=attribute_of(relation),
        valid_at=valid,
        invalid_at=invalid,
    )
    assertions = tuple(
        Assertion(
            uuid=new_id(),
            group_id=node.group_id,
            subject_uuid=subject,
            object_uuid=target,
            statement=said,
            created_at=created,
            origin="graphiti",
            episode_uuid=uuid,
        )
        for uuid in (episodes or (None,))
    )
    fact = Fact(
        uuid=node.uuid,
        group_id=node.group_id,
        subject_uuid=subject,
        object_uuid=target,
        relation=relation,
        sentence=said.sentence,
        created_at=created,
        attribute=said.attribute,
        valid_at=valid,
        invalid_at=invalid,
        expired_at=node.moment("expired_at"),
        assertions=tuple(assertion.uuid for assertion in assertions),
        episodes=episodes,
        attributes=node.attributes(),
    )
    return fact, assertions

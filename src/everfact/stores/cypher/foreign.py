"""Nodes and relationships as Graphiti's versions have written them, as our models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from everfact.clock import new_id
from everfact.models import JSON, Assertion, Entity, Episode, Fact, Mention, Original, Source, Statement, Status, Thing
from everfact.relations import attribute_of
from everfact.stores.cypher.graphiti import RESERVED
from everfact.timeline import fold

_ORIGIN = "graphiti"
_RELATION = "RELATES_TO"


@dataclass(frozen=True, slots=True)
class Node:
    """What Graphiti keeps of an item, and what belongs to it: sagas, labels, mentions, the ends of a relationship."""

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
        """A time; None where what stands there is none."""
        return _moment(self.properties.get(name))

    def attributes(self, thing: Thing) -> dict[str, JSON]:
        """Whatever else stands there: attributes are laid flat beside the rest."""
        given = {name: _plain(value) for name, value in self.properties.items() if name not in RESERVED[thing]}
        return {name: value for name, value in given.items() if value is not None}


def _moment(kept: Any) -> datetime | None:
    """A time of Neo4j's, of Python's, or ISO 8601, which may name its zone in brackets, too."""
    native = getattr(kept, "to_native", None)
    kept = native() if native is not None else kept
    try:
        moment = datetime.fromisoformat(kept.partition("[")[0]) if isinstance(kept, str) else kept
        if not isinstance(moment, datetime):
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _plain(value: Any) -> JSON:
    """A property as JSON: times as ISO 8601, and nothing in place of what JSON does not know."""
    match value:
        case bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case list():
            return [_plain(part) for part in value]
        case _ if hasattr(value, "isoformat") or hasattr(value, "iso_format"):
            return str((getattr(value, "isoformat", None) or value.iso_format)())
        case _:
            return None


def to_episode(node: Node, now: datetime) -> tuple[Episode, tuple[Assertion, ...]]:
    """An episode, which Graphiti has digested, and whom it mentions: they stand as long as one mention does."""
    source, metadata = node.text("source"), _plain(node.properties.get("episode_metadata"))
    sagas, mentions = node.beside
    marks: dict[str, JSON] = {"reading": {"by": _ORIGIN}}
    episode = Episode(
        uuid=node.uuid,
        group_id=node.group_id,
        name=node.text("name"),
        content=node.text("content"),
        reference_time=node.moment("valid_at") or node.moment("created_at") or now,
        created_at=node.moment("created_at") or now,
        source=Source(source) if source in set(Source) else Source.TEXT,
        source_description=node.text("source_description"),
        thread=min(filter(None, sagas), default=""),
        attributes=marks | ({"metadata": metadata} if metadata else {}),
        status=Status.DONE,
    )
    named = [_named(*end, group_id=node.text("group_id")) for end in mentions if end[0]]
    said = [(_mention(mention), episode.uuid) for of in named for mention in of]
    return episode, _assertions(node.group_id, said, now)


def to_entity(node: Node, now: datetime) -> tuple[Entity, tuple[Assertion, ...]]:
    """An entity; one that no episode mentions is known by itself."""
    labels, mentions = node.beside
    named = _named(node.uuid, node.properties.get("name"), labels, group_id=node.text("group_id"))
    entity = Entity(
        uuid=node.uuid,
        group_id=node.group_id,
        name=named[0].name,
        created_at=node.moment("created_at") or now,
        types=tuple(mention.type for mention in named if mention.type),
        summary=node.text("summary"),
        attributes=node.attributes(Thing.ENTITY),
    )
    said = [] if mentions else [(_mention(mention), None) for mention in named]
    return entity, _assertions(node.group_id, said, now)


def to_fact(node: Node, now: datetime) -> tuple[Fact, tuple[Assertion, ...]]:
    """A fact, and what each of its episodes asserts, so that forgetting one leaves it standing on the others."""
    subject, target = (_named(*end, group_id=node.text("group_id"))[0] for end in node.beside)
    valid, invalid = node.moment("valid_at"), node.moment("invalid_at") or node.moment("expired_at")
    if valid and invalid and invalid < valid:
        valid = None  # that it is over is surer than when it began
    relation = node.text("name") or _RELATION
    said = Statement(
        subject=subject,
        relation=relation,
        object=target,
        sentence=node.text("fact") or f"{subject.name} {relation.replace('_', ' ').lower()} {target.name}",
        attribute=attribute_of(relation),
        valid_at=valid,
        invalid_at=invalid,
        original=Original(
            uuid=node.uuid,
            learned_at=node.moment("created_at") or now,
            expired_at=node.moment("expired_at"),
            attributes=node.attributes(Thing.FACT),
        ),
    )
    episodes = dict.fromkeys(str(uuid) for uuid in node.properties.get("episodes") or () if uuid)
    assertions = _assertions(node.group_id, [(said, episode) for episode in episodes or (None,)], now)
    (fact,) = fold(assertions)
    return fact, assertions


def _mention(mention: Mention) -> Statement:
    """Nothing but the name, and of which kind it is."""
    return Statement(subject=mention, relation="", object=None, sentence="")


def _assertions(group_id: str, said: Sequence[tuple[Statement, str | None]], now: datetime) -> tuple[Assertion, ...]:
    """What is said, each with its episode, in an order that their ids keep."""
    return tuple(
        Assertion(
            uuid=uuid,
            group_id=group_id,
            subject_uuid=statement.subject.uuid,
            object_uuid=statement.object.uuid if isinstance(statement.object, Mention) else None,
            statement=statement,
            created_at=now,
            origin=_ORIGIN,
            episode_uuid=episode,
        )
        for uuid, (statement, episode) in zip(sorted(new_id() for _ in said), said, strict=True)
    )


def _named(uuid: Any, name: Any, labels: Sequence[str], *, group_id: str) -> tuple[Mention, ...]:
    """An entity by its name: once, or as often as its labels say of which kind it is.

    Old versions gave each one for its group, too.
    """
    of_group = f"Entity_{group_id.replace('-', '')}"
    types = [label for label in labels if label not in ("Entity", of_group)]
    return tuple(Mention(name=str(name or uuid), type=type_, uuid=str(uuid)) for type_ in types or ("",))

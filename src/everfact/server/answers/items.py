"""Entities, facts, episodes and changes on the wire: Graphiti's field names, and ours beside them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from everfact.marks import degraded, read_by
from everfact.models import Change, Entity, Episode, Fact, Thing, Value


def _is_unset(value: object) -> bool:
    return value in (None, "", [], {})


CONTENT_SHOWN = 20_000
"""Characters of an episode that a listing shows; its resource has the rest."""


def uri(thing: Thing, uuid: str) -> str:
    """The address of an item's resource."""
    return f"everfact://{thing.value}/{uuid}"


Attributes = Annotated[dict[str, JsonValue], WithJsonSchema({"type": "object", "additionalProperties": True})]

Optional = Field(default=None, exclude_if=_is_unset)
"""A field that is left out when there is nothing to say."""


class Answer(BaseModel):
    """Structured content of a result."""

    model_config = ConfigDict(frozen=True)

    def touched(self) -> tuple[str, ...]:
        """The addresses of the items that a call changed, for those who follow them."""
        return ()


class NodeResult(Answer):
    """An entity."""

    uuid: str
    name: str
    labels: list[str]
    created_at: datetime
    summary: str
    group_id: str
    attributes: Attributes
    aliases: list[str] | None = Optional

    @classmethod
    def of(cls, entity: Entity) -> NodeResult:
        """The entity on the wire."""
        return cls(
            uuid=entity.uuid,
            name=entity.name,
            labels=["Entity", *entity.types],
            created_at=entity.created_at,
            summary=entity.summary,
            group_id=entity.group_id,
            attributes=dict(entity.attributes),
            aliases=list(entity.aliases),
        )


class FactResult(Answer):
    """A fact. `target_node_uuid` is empty when the object is a value; that stands in `attributes` then."""

    uuid: str
    group_id: str
    source_node_uuid: str
    target_node_uuid: str
    name: str
    fact: str
    episodes: list[str]
    created_at: datetime
    expired_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    attributes: Attributes
    kind: Annotated[str, Field(description="state, event or plan")]
    disputed: Annotated[bool | None, Field(description="Another fact contradicts it and nobody settled it.")] = Optional

    @classmethod
    def of(cls, fact: Fact) -> FactResult:
        """The fact on the wire."""
        return cls(
            uuid=fact.uuid,
            group_id=fact.group_id,
            source_node_uuid=fact.subject_uuid,
            target_node_uuid=fact.object_uuid or "",
            name=fact.relation,
            fact=fact.sentence,
            episodes=list(fact.episodes),
            created_at=fact.created_at,
            expired_at=fact.expired_at,
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
            attributes=_attributes(fact),
            kind=fact.kind.value,
            disputed=fact.disputed or None,
        )


def _attributes(fact: Fact) -> dict[str, JsonValue]:
    return dict(fact.attributes) | ({} if fact.value is None else {"value": _value(fact.value)})


def _value(value: Value) -> dict[str, JsonValue]:
    plain: dict[str, JsonValue] = {"type": value.type.value, "text": value.text}
    if value.number is not None:
        plain |= {"number": value.number}
    return plain | ({"unit": value.unit} if value.unit else {})


class EpisodeResult(Answer):
    """An episode, and how far its digestion has come."""

    uuid: str
    name: str
    content: str
    created_at: datetime
    source: str
    source_description: str
    group_id: str
    valid_at: Annotated[datetime, Field(description="The time it was told from (its reference_time).")]
    status: Annotated[str, Field(description="pending, done or parked (given up after several attempts)")]
    read_by: Annotated[str | None, Field(description="The model that read it, or rules in its place.")] = Optional
    degraded: Annotated[str | None, Field(description="Why rules had to read it, or a part of it.")] = Optional
    thread: str | None = Optional
    error: str | None = Optional
    truncated: Annotated[str | None, Field(description="Where to read the whole content.")] = Optional

    @classmethod
    def of(cls, episode: Episode, most: int = CONTENT_SHOWN) -> EpisodeResult:
        """The episode on the wire, with no more than so many characters of its content."""
        return cls(
            uuid=episode.uuid,
            name=episode.name,
            content=episode.content[:most],
            created_at=episode.created_at,
            source=episode.source.value,
            source_description=episode.source_description,
            group_id=episode.group_id,
            valid_at=episode.reference_time,
            status=episode.status.value,
            read_by=read_by(episode),
            degraded=degraded(episode),
            thread=episode.thread,
            error=episode.error,
            truncated=uri(Thing.EPISODE, episode.uuid) if len(episode.content) > most else None,
        )


class ChangeLine(Answer):
    """One change of the log."""

    uuid: str
    kind: str
    created_at: datetime
    cause: str | None = Optional
    note: str | None = Optional

    @classmethod
    def of(cls, change: Change) -> ChangeLine:
        """The change on the wire."""
        return cls(
            uuid=change.uuid,
            kind=change.kind.value,
            created_at=change.created_at,
            cause=change.cause,
            note=change.note,
        )


def facts(items: Iterable[Fact]) -> list[FactResult]:
    """Facts on the wire."""
    return [FactResult.of(fact) for fact in items]


def nodes(items: Iterable[Entity]) -> list[NodeResult]:
    """Entities on the wire."""
    return [NodeResult.of(entity) for entity in items]

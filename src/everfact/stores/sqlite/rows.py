"""Rows of the file to models and back: times as microseconds, small structures as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, TypeAlias, TypeVar

from everfact.errors import StoreCorrupt
from everfact.models import (
    JSON,
    Assertion,
    Change,
    ChangeKind,
    Entity,
    Episode,
    Fact,
    FactKind,
    Granularity,
    Mention,
    Original,
    Phase,
    Source,
    Statement,
    Status,
    Trust,
    Value,
    ValueType,
)

Row: TypeAlias = "tuple[Any, ...]"
T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

EPISODE = """
    e.uuid, g.group_id, e.name, e.content, e.reference_time, e.created_at, e.source, e.source_description,
    e.source_key, t.name, e.position, e.speaker, e.role, e.statements, e.attributes, q.parked, q.attempts, q.error
"""
EPISODE_FROM = """
    episodes AS e JOIN groups AS g ON g.no = e.group_no
    LEFT JOIN threads AS t ON t.no = e.thread_no LEFT JOIN queue AS q ON q.episode_id = e.id
"""
ENTITY = "e.uuid, g.group_id, e.name, e.created_at, e.types, e.aliases, e.summary, e.attributes"
ENTITY_FROM = "entities AS e JOIN groups AS g ON g.no = e.group_no"
FACT = """
    e.uuid, g.group_id, e.subject_uuid, e.relation, e.sentence, e.created_at, e.attribute, e.object_uuid, e.value,
    e.kind, e.valid_at, e.invalid_at, e.expired_at, e.disputed, e.assertions, e.ended_by, e.episodes, e.attributes
"""
FACT_FROM = "facts AS e JOIN groups AS g ON g.no = e.group_no"
ASSERTION = """
    e.uuid, g.group_id, e.subject_uuid, e.object_uuid, e.statement, e.created_at, e.origin, e.episode_uuid, e.withdrawn
"""
ASSERTION_FROM = "assertions AS e JOIN groups AS g ON g.no = e.group_no"
CHANGE = "e.uuid, g.group_id, e.kind, e.created_at, e.parent, e.cause, e.note, e.no"
CHANGE_FROM = "changes AS e JOIN groups AS g ON g.no = e.group_no"


def _sound(read: Callable[[Any], T]) -> Callable[[Any], T]:
    """SQLite hands out damaged values as they are; what we never wrote is damage, not a bug."""

    @wraps(read)
    def checked(kept: Any) -> T:
        try:
            return read(kept)
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise StoreCorrupt(
                f"the memory holds a value that makes no sense ({error})",
                hint="keep the file as it is, restore a backup, or open another one with --store",
            ) from error

    return checked


def to_micros(moment: datetime) -> int:
    """A moment as the file holds it."""
    return (moment - _EPOCH) // _MICROSECOND


def micros_or_none(moment: datetime | None) -> int | None:
    """The same for a time that may be unknown."""
    return None if moment is None else to_micros(moment)


def _moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


to_moment = _sound(_moment)
"""A moment from what the file holds."""


def moment_or_none(micros: int | None) -> datetime | None:
    """The same for a time that may be unknown."""
    return None if micros is None else to_moment(micros)


def _ids(kept: str) -> tuple[str, ...]:
    """A list of uuids, of which nearly all have one or none: no need to parse."""
    return () if kept == "[]" else tuple(kept[2:-2].split('","'))


def _list(kept: str) -> tuple[Any, ...]:
    return () if kept == "[]" else tuple(json.loads(kept))


to_list = _sound(_list)
"""A list of texts from what the file holds."""


def _object(kept: str) -> dict[str, Any]:
    return {} if kept == "{}" else json.loads(kept)


@_sound
def to_episode(row: Row) -> Episode:
    """An episode from the columns `EPISODE`."""
    parked, attempts, error = row[15:18]
    return Episode(
        uuid=row[0],
        group_id=row[1],
        name=row[2],
        content=row[3],
        reference_time=_moment(row[4]),
        created_at=_moment(row[5]),
        source=Source(row[6]),
        source_description=row[7],
        source_key=row[8],
        thread=row[9] or "",
        position=row[10],
        speaker=row[11],
        role=row[12],
        statements=tuple(map(_to_statement, _list(row[13]))),
        attributes=_object(row[14]),
        status=Status.DONE if parked is None else Status.PARKED if parked else Status.PENDING,
        attempts=attempts or 0,
        error=error or "",
    )


@_sound
def to_entity(row: Row) -> Entity:
    """An entity from the columns `ENTITY`."""
    return Entity(
        uuid=row[0],
        group_id=row[1],
        name=row[2],
        created_at=_moment(row[3]),
        types=_list(row[4]),
        aliases=_list(row[5]),
        summary=row[6],
        attributes=_object(row[7]),
    )


@_sound
def to_fact(row: Row) -> Fact:
    """A fact from the columns `FACT`."""
    return Fact(
        uuid=row[0],
        group_id=row[1],
        subject_uuid=row[2],
        relation=row[3],
        sentence=row[4],
        created_at=_moment(row[5]),
        attribute=row[6],
        object_uuid=row[7],
        value=None if row[8] is None else _to_value(json.loads(row[8])),
        kind=FactKind(row[9]),
        valid_at=None if row[10] is None else _moment(row[10]),
        invalid_at=None if row[11] is None else _moment(row[11]),
        expired_at=None if row[12] is None else _moment(row[12]),
        disputed=bool(row[13]),
        assertions=_ids(row[14]),
        ended_by=_ids(row[15]),
        episodes=_ids(row[16]),
        attributes=_object(row[17]),
    )


@_sound
def to_assertion(row: Row) -> Assertion:
    """An assertion from the columns `ASSERTION`."""
    return Assertion(
        uuid=row[0],
        group_id=row[1],
        subject_uuid=row[2],
        object_uuid=row[3],
        statement=_to_statement(json.loads(row[4])),
        created_at=_moment(row[5]),
        origin=row[6],
        episode_uuid=row[7],
        withdrawn=bool(row[8]),
    )


@_sound
def to_change(row: Row) -> Change:
    """A change from the columns `CHANGE`, without what it did."""
    return Change(
        uuid=row[0],
        group_id=row[1],
        kind=ChangeKind(row[2]),
        created_at=_moment(row[3]),
        parent=row[4],
        cause=row[5],
        note=row[6],
    )


def statements_json(statements: Sequence[Statement]) -> str:
    """Statements as JSON."""
    return to_json([_statement_object(statement) for statement in statements]) if statements else "[]"


def statement_json(statement: Statement) -> str:
    """One statement as JSON."""
    return to_json(_statement_object(statement))


def value_json(value: Value | None) -> str | None:
    """A typed value as JSON."""
    return None if value is None else to_json(_value_object(value))


def attributes_json(attributes: Mapping[str, JSON]) -> str:
    """Free attributes as JSON."""
    return to_json(dict(attributes)) if attributes else "{}"


def _statement_object(statement: Statement) -> dict[str, JSON]:
    said: dict[str, JSON] = {}
    for entry in fields(Statement):
        item = getattr(statement, entry.name)
        if item == entry.default:
            continue
        if isinstance(item, Mention):
            said[entry.name] = {"name": item.name, "type": item.type, "uuid": item.uuid}
        elif isinstance(item, Value):
            said["value"] = _value_object(item)
        elif isinstance(item, Original):
            said[entry.name] = _original_object(item)
        elif isinstance(item, datetime):
            said[entry.name] = to_micros(item)
        else:
            said[entry.name] = list(item) if isinstance(item, tuple) else item
    return said


def _to_statement(said: dict[str, Any]) -> Statement:
    known = dict(said)
    value = known.pop("value", None)
    thing = known.pop("object", None)
    for name, read in _STATEMENT_READERS.items():
        if name in known:
            known[name] = read(known[name])
    known["object"] = _to_value(value) if value is not None else None if thing is None else Mention(**thing)
    return Statement(**known)


_STATEMENT_READERS: dict[str, Callable[[Any], object]] = {
    "subject": lambda said: Mention(**said),
    "kind": FactKind,
    "phase": Phase,
    "span": tuple,
    "valid_at": to_moment,
    "invalid_at": to_moment,
    "granularity": Granularity,
    "trust": Trust,
    "original": lambda said: _to_original(said),
}


def _original_object(original: Original) -> dict[str, JSON]:
    moments = {"learned_at": to_micros(original.learned_at), "expired_at": micros_or_none(original.expired_at)}
    return {"uuid": original.uuid, **moments, "attributes": dict(original.attributes)}


def _to_original(said: dict[str, Any]) -> Original:
    return Original(
        uuid=said["uuid"],
        learned_at=to_moment(said["learned_at"]),
        expired_at=moment_or_none(said["expired_at"]),
        attributes=said["attributes"],
    )


def _value_object(value: Value) -> dict[str, JSON]:
    return {"type": value.type, "text": value.text, "number": value.number, "unit": value.unit}


def _to_value(said: dict[str, Any]) -> Value:
    return Value(type=ValueType(said["type"]), text=said["text"], number=said["number"], unit=said["unit"])

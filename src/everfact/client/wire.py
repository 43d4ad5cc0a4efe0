"""From what a server sends to our models. Lenient: Graphiti's own server leaves out what ours adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from everfact.errors import StoreError
from everfact.models import (
    JSON,
    Assertion,
    Change,
    ChangeKind,
    Comparison,
    Entity,
    Episode,
    Evidence,
    Fact,
    FactKind,
    History,
    Hit,
    Mention,
    Receipt,
    Source,
    Spent,
    Statement,
    Stats,
    Status,
    Usage,
    Value,
    ValueType,
)

T = TypeVar("T")
Row = Mapping[str, JSON]

UNKNOWN = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for a time that the server does not tell."""


def row(data: JSON) -> Row:
    """What should be an object.

    Raises:
        StoreError: it is none.
    """
    if not isinstance(data, dict):
        raise StoreError(f"the server answered something else than expected: {str(data)[:80]!r}")
    return data


def rows(data: JSON, read: Callable[[Row], T]) -> list[T]:
    """What should be a list of objects; nothing stands for an empty one."""
    if not isinstance(data, list | None):
        raise StoreError(f"the server answered something else than expected: {str(data)[:80]!r}")
    return [read(row(item)) for item in data or ()]


def entity(data: Row) -> Entity:
    """A node."""
    return Entity(
        uuid=_text(data, "uuid"),
        group_id=_text(data, "group_id"),
        name=_text(data, "name"),
        created_at=_time(data, "created_at") or UNKNOWN,
        types=tuple(label for label in _texts(data, "labels") if label != "Entity"),
        aliases=_texts(data, "aliases"),
        summary=_text(data, "summary"),
        attributes=_object(data, "attributes"),
    )


def fact(data: Row) -> Fact:
    """An edge."""
    attributes = dict(_object(data, "attributes"))
    plain = attributes.pop("value", None)
    return Fact(
        uuid=_text(data, "uuid"),
        group_id=_text(data, "group_id"),
        subject_uuid=_text(data, "source_node_uuid"),
        relation=_text(data, "name"),
        sentence=_text(data, "fact"),
        created_at=_time(data, "created_at") or UNKNOWN,
        object_uuid=_text(data, "target_node_uuid") or None,
        value=_value(plain) if isinstance(plain, dict) else None,
        kind=FactKind(_text(data, "kind") or "state"),
        valid_at=_time(data, "valid_at"),
        invalid_at=_time(data, "invalid_at"),
        expired_at=_time(data, "expired_at"),
        disputed=bool(data.get("disputed")),
        episodes=_texts(data, "episodes"),
        attributes=attributes,
    )


def episode(data: Row) -> Episode:
    """An episode; a server that says nothing of its status has digested it."""
    created = _time(data, "created_at") or UNKNOWN
    return Episode(
        uuid=_text(data, "uuid"),
        group_id=_text(data, "group_id"),
        name=_text(data, "name"),
        content=_text(data, "content"),
        reference_time=_time(data, "valid_at") or created,
        created_at=created,
        source=Source(_text(data, "source") or "text"),
        source_description=_text(data, "source_description"),
        thread=_text(data, "thread"),
        status=Status(_text(data, "status") or "done"),
        error=_text(data, "error"),
    )


def hit(data: Row) -> Hit:
    """A search result of any kind."""
    readers: dict[str, Callable[[Row], Episode | Entity | Fact]] = {"fact": fact, "node": entity, "episode": episode}
    for name, read in readers.items():
        if data.get(name) is not None:
            return Hit(item=read(row(data[name])), score=_number(data, "score"))
    raise StoreError("the server answered a result that is neither fact, entity nor episode")


def ranked(items: Iterable[Episode | Entity | Fact]) -> tuple[Hit, ...]:
    """Hits from a list that is in order but has no scores: one over the place in it."""
    return tuple(Hit(item=item, score=1 / place) for place, item in enumerate(items, start=1))


def change(data: Row, *, group_id: str = "", kind: ChangeKind = ChangeKind.FORGET) -> Change:
    """What a change did to facts, or only that it was done."""
    created = rows(data.get("created"), fact)
    facts = [*created, *(item for part in ("merged", "ended") for item in rows(data.get(part), fact))]
    since = created[0].created_at if created else UNKNOWN  # what a change creates bears its own time
    return Change(
        uuid=_text(data, "uuid") or _text(data, "change"),
        group_id=group_id or next((item.group_id for item in facts), ""),
        kind=ChangeKind(_text(data, "kind") or kind),
        created_at=_time(data, "created_at") or since,
        cause=_text(data, "cause"),
        note=_text(data, "note") or _text(data, "message"),
        facts=tuple(facts),
        removed=_texts(data, "removed"),
    )


def comparison(data: Row) -> Comparison:
    """Two moments."""
    return Comparison(
        at_start=tuple(rows(data.get("facts_from_start"), fact)),
        at_end=tuple(rows(data.get("facts_at_end"), fact)),
        ended=tuple(rows(data.get("facts_invalidated"), fact)),
        began=tuple(rows(data.get("facts_added"), fact)),
    )


def history(data: Row) -> History:
    """A timeline."""
    about = entity(row(data.get("entity")))
    return History(
        entity=about,
        facts=tuple(rows(data.get("facts"), fact)),
        changes=tuple(rows(data.get("changes"), lambda line: change(line, group_id=about.group_id))),
    )


def receipt(data: Row) -> Receipt:
    """Why a fact is believed; of the claims behind it, only their words and their episodes travel."""
    about = fact(row(data.get("fact")))

    def evidence(proof: Row) -> Evidence:
        words = _text(proof, "words")
        said = Statement(subject=Mention(name=""), relation=about.relation, object=None, sentence=words)
        claim = Assertion(
            uuid="",
            group_id=about.group_id,
            subject_uuid=about.subject_uuid,
            object_uuid=about.object_uuid,
            statement=said,
            created_at=_time(proof, "asserted_at") or UNKNOWN,
            origin=_text(proof, "origin"),
            episode_uuid=_text(proof, "episode_uuid") or None,
            withdrawn=bool(proof.get("withdrawn")),
        )
        return Evidence(assertion=claim, episode=None, words=words)

    return Receipt(
        fact=about,
        support=tuple(rows(data.get("support"), evidence)),
        ended_by=tuple(rows(data.get("ended_by"), evidence)),
        replaced=tuple(rows(data.get("replaced"), fact)),
        changes=tuple(rows(data.get("changes"), lambda line: change(line, group_id=about.group_id))),
    )


def stats(data: Row, now: datetime) -> Stats:
    """How a server is doing; Graphiti's own counts nothing."""
    queue = _object(data, "queue")
    waited = queue.get("oldest_pending_seconds")
    return Stats(
        episodes=int(_number(data, "episodes")),
        entities=int(_number(data, "entities")),
        facts=int(_number(data, "facts")),
        pending=int(_number(queue, "pending")),
        parked=int(_number(queue, "parked")),
        oldest_pending=now - timedelta(seconds=waited) if isinstance(waited, int | float) else None,
        last_write=_time(data, "last_write"),
        spent=Spent(day=f"{now:%Y-%m-%d}", today=dict(rows(data.get("models"), _usage))),
    )


def _usage(data: Row) -> tuple[str, Usage]:
    counts = {name: int(_number(data, name)) for name in ("calls", "input_tokens", "output_tokens", "rescues")}
    return _text(data, "model"), Usage(**counts, usd=_number(data, "usd"), seconds=_number(data, "seconds"))


def given_fact(said: Statement) -> dict[str, JSON]:
    """A fact as `add_facts` takes it."""
    is_value = isinstance(said.object, Value)
    fields: dict[str, JSON] = {
        "subject": said.subject.name,
        "subject_type": said.subject.type,
        "relation": said.relation,
        "object": said.object.text if isinstance(said.object, Value) else said.object.name if said.object else "",
        "object_type": "value" if is_value else said.object.type if isinstance(said.object, Mention) else "",
        "fact": said.sentence,
        "valid_at": time_text(said.valid_at),
        "invalid_at": time_text(said.invalid_at),
        "replaces": said.replaces,
    }
    return filled(fields)


def time_text(moment: datetime | None) -> str:
    """A time as tools take it; empty for none."""
    return moment.isoformat() if moment else ""


def filled(arguments: Mapping[str, JSON]) -> dict[str, JSON]:
    """The arguments that say something: other servers may not know what ours adds."""
    return {name: value for name, value in arguments.items() if value not in ("", None, [], {}, False)}


def texts(items: Iterable[str] | None) -> JSON:
    """A list of texts as tools take it."""
    return list(items or ())


def _value(data: Row) -> Value:
    number = data.get("number")
    return Value(
        type=ValueType(_text(data, "type") or "text"),
        text=_text(data, "text"),
        number=number if isinstance(number, int | float) else None,
        unit=_text(data, "unit"),
    )


def _text(data: Row, name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _texts(data: Row, name: str) -> tuple[str, ...]:
    value = data.get(name)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _object(data: Row, name: str) -> Row:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _number(data: Row, name: str) -> float:
    value = data.get(name)
    return value if isinstance(value, int | float) else 0.0


def _time(data: Row, name: str) -> datetime | None:
    value = data.get(name)
    if not isinstance(value, str) or not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise StoreError(f"the server answered a {name} that is no time: {value[:40]!r}") from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)

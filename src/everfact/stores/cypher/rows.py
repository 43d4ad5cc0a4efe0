"""Models to nodes and back: what is searched for as properties of their own, the whole item as JSON in `data`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Final, TypeAlias, TypeVar

from everfact.errors import StoreCorrupt
from everfact.lines import from_json, to_json
from everfact.models import Assertion, Change, ChangeKind, Entity, Episode, Fact, Status, fold_name
from everfact.stores.cypher.words import index_parts, index_words

Item: TypeAlias = Episode | Entity | Fact
Node: TypeAlias = "dict[str, Any]"
T = TypeVar("T")

OPEN: Final = 1 << 62
"""`known_to` of what is believed now: a number, so that one comparison serves for every time."""

NO_MODEL: Final = "-"
"""What a wording without a vector has in place of its model: an empty text would not be in the index."""
NO_VERSION: Final = "~"
"""What one has there that lacked a vector when its last version had ended: it is not looked at until another begins."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """A moment as our nodes hold it."""
    return (moment - _EPOCH) // _MICROSECOND


def micros_or_none(moment: datetime | None) -> int | None:
    """The same for a time that may be unknown."""
    return None if moment is None else to_micros(moment)


def to_moment(micros: int) -> datetime:
    """The way back."""
    return _EPOCH + timedelta(microseconds=micros)


def key(*parts: object) -> str:
    """Several values as one, to be found by an index: these do not take long texts, nor blanks at the ends of one."""
    return _digest("\x1f".join(map(str, parts)))


def place(group_id: str, thread: str, position: int) -> str | None:
    """Where an episode stands; None for one without a thread."""
    return key(group_id, thread, position) if thread else None


def speaker_key(group_id: str, name: str) -> str | None:
    """The key of who speaks; None for nobody."""
    folded = fold_name(name)
    return key(group_id, folded) if folded else None


def term(group_id: str, kind: str, text: str) -> str:
    """The key of a name that entities have, or of an episode that facts rest on."""
    return key(group_id, kind, text)


def version(item: Item, no: int, at: int, made_by: str | None) -> Node:
    """A row for the step that writes a new version: its node, its wording, its terms."""
    node = {
        "uuid": item.uuid,
        "group_id": item.group_id,
        "no": no,
        "known_from": at,
        "known_to": OPEN,
        "made_by": made_by,
        "created_at": to_micros(item.created_at),
        "data": to_json(item),
    }
    match item:
        case Episode():
            node |= _episode(item)
            terms: list[str] = []
        case Entity():
            names = list(dict.fromkeys(map(fold_name, (item.name, *item.aliases))))
            node |= {"names": names, "types": list(item.types)}
            terms = [term(item.group_id, "name", name) for name in names]
        case Fact():
            node |= _fact(item)
            terms = [term(item.group_id, "episode", uuid) for uuid in dict.fromkeys(item.episodes)]
    return {"node": node, "text": _wording(item), "terms": terms}


def _episode(episode: Episode) -> Node:
    is_waiting = episode.status is not Status.DONE
    return {
        "reference_time": to_micros(episode.reference_time),
        "source": episode.source.value,
        "source_key": key(episode.group_id, episode.source_key) if episode.source_key else None,
        "thread": episode.thread or None,
        "thread_key": key(episode.group_id, episode.thread) if episode.thread else None,
        "position": episode.position,
        "place": place(episode.group_id, episode.thread, episode.position),
        "speaker": episode.speaker,
        "speaker_key": speaker_key(episode.group_id, episode.speaker),
        "status": episode.status.value,
        "attempts": episode.attempts if is_waiting else 0,
        "error": episode.error if is_waiting else "",
        "retry_at": 0,
    }


def _fact(fact: Fact) -> Node:
    return {
        "subject": fact.subject_uuid,
        "object": fact.object_uuid,
        "relation": fact.relation,
        "attribute": fact.attribute,
        "kind": fact.kind.value,
        "valid_at": micros_or_none(fact.valid_at),
        "invalid_at": micros_or_none(fact.invalid_at),
        "disputed": fact.disputed,
        "episodes": list(fact.episodes),
    }


def _wording(item: Item) -> Node:
    match item:
        case Episode():
            words, hints = f"{item.name} \n{item.content}", index_words(item.speaker)
        case Entity():
            words, hints = item.text, index_parts(" ".join((item.name, *item.aliases)))
        case Fact():
            words, hints = item.text, ""
    return {
        "key": key(item.uuid, words, hints),
        "uuid": item.uuid,
        "group_id": item.group_id,
        "space": space(item.group_id),
        "words": index_words(words),
        "hints": hints,
        "length": len(item.text.encode()),
        "digest": _digest(item.text),
        "embedded": NO_MODEL,
    }


def space(group_id: str) -> str:
    """A group as one word, for full-text indexes that hold many."""
    return f"g{_digest(group_id)}"


def text_digest(text: str) -> str:
    """By what a vector finds the wording it belongs to."""
    return _digest(text)


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()


def assertion_node(assertion: Assertion, no: int, at: int, made_by: str) -> Node:
    """An assertion; `marks` are the times at which it was withdrawn, reinstated, withdrawn …"""
    return {
        "uuid": assertion.uuid,
        "group_id": assertion.group_id,
        "no": no,
        "created_at": at,
        "made_by": made_by,
        "subject": assertion.subject_uuid,
        "object": assertion.object_uuid,
        "attribute": assertion.statement.attribute,
        "episode": assertion.episode_uuid,
        "marks": [],
        "marked_by": [],
        "data": to_json(assertion),
    }


def change_node(change: Change, no: int) -> Node:
    """A change without what it made, which is read back from the versions."""
    return {
        "uuid": change.uuid,
        "group_id": change.group_id,
        "no": no,
        "created_at": to_micros(change.created_at),
        "kind": change.kind.value,
        "parent": change.parent,
        "cause": change.cause,
        "note": json.dumps(change.note),
        "withdrawn": list(change.withdrawn),
        "reinstated": list(change.reinstated),
    }


def from_data(kind: type[T], data: str) -> T:
    """An item from the `data` of its node.

    Raises:
        StoreCorrupt: the node is not one of ours.
    """
    try:
        return from_json(kind, data)
    except ValueError as error:
        raise StoreCorrupt(
            f"the memory holds a node that makes no sense ({error})",
            hint="another program wrote to a node whose label begins with Everfact; restore a copy",
        ) from error


EPISODE: Final = "e.data, e.status, e.attempts, e.error"
"""What is read of an episode; of entities and facts it is `e.data`."""


def to_episode(row: list[Any]) -> Episode:
    """An episode from the columns `EPISODE`."""
    return replace(from_data(Episode, row[0]), status=Status(row[1]), attempts=row[2], error=row[3])


def to_change(node: Mapping[str, Any]) -> Change:
    """A change from its node, without what it did."""
    return Change(
        uuid=node["uuid"],
        group_id=node["group_id"],
        kind=ChangeKind(node["kind"]),
        created_at=to_moment(node["created_at"]),
        parent=node.get("parent"),
        cause=node["cause"],
        note=json.loads(node["note"]),
    )

"""Models as JSON: every field under its own name, times in ISO 8601, nothing left out."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum

from everfact.models import JSON, Change, Evidence, Hit


def dump(data: object) -> str:
    """JSON for programs that people read too."""
    return json.dumps(plain(data), ensure_ascii=not shows_unicode(), indent=2)


def shows_unicode() -> bool:
    """Whether standard output takes every character; JSON has escapes for where it does not."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def plain(item: object) -> JSON:
    """A model, or anything made of models, as JSON has it."""
    match item:
        case Hit():
            return {"type": item.thing.value, "score": round(item.score, 4), **_fields(item.item)}
        case Change():
            return change(item)
        case Evidence():
            return evidence(item)
        case Enum():
            return str(item.value)
        case datetime():
            return item.isoformat()
        case Mapping():
            return {str(name): plain(value) for name, value in item.items()}
        case list() | tuple():
            return [plain(part) for part in item]
        case str() | bool() | int() | float() | None:
            return item
    return _fields(item)


def change(item: Change) -> dict[str, JSON]:
    """What a change did, without the assertions behind it."""
    created, kept, ended = item.parted()
    return {
        "uuid": item.uuid,
        "group_id": item.group_id,
        "kind": item.kind.value,
        "created_at": item.created_at.isoformat(),
        "cause": item.cause,
        "note": item.note,
        "created": plain(created),
        "kept": plain(kept),
        "ended": plain(ended),
        "removed": list(item.removed),
    }


def evidence(item: Evidence) -> dict[str, JSON]:
    """Words that a fact rests on, and who said and who read them."""
    said = item.assertion
    return {
        "words": item.words,
        "episode_uuid": said.episode_uuid,
        "reference_time": item.episode.reference_time.isoformat() if item.episode else None,
        "origin": said.origin,
        "asserted_at": said.created_at.isoformat(),
        "withdrawn": said.withdrawn,
    }


def whole(item: object) -> dict[str, JSON]:
    """A model with every field, a change too."""
    return _fields(item)


def _fields(item: object) -> dict[str, JSON]:
    if not is_dataclass(item):
        return {"value": str(item)}
    return {field.name: plain(getattr(item, field.name)) for field in fields(item)}

"""What the importers share: the fields of foreign records, those that cannot be used, ids that are always the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias, TypeVar
from uuid import NAMESPACE_URL, uuid5

from everfact.errors import UsageError
from everfact.models import JSON, Skipped

T = TypeVar("T")
Record: TypeAlias = Mapping[str, JSON]

_LEGAL = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_GROUP = re.compile(r"[A-Za-z0-9_-]{1,128}")
_ZONE_NAME = re.compile(r"\[[^\]]*\]$")
_MILLISECONDS = 100_000_000_000  # a bare number above that counts those; as seconds it would lie in the year 5138
_PARTS = ("year", "month", "day", "hour", "minute", "second")


@dataclass(frozen=True, slots=True)
class Item:
    """One value of a file: where it stands, in which list (by its key), and what it is."""

    place: str
    key: str
    value: JSON


def tried(found: Iterable[Item | Skipped], use: Callable[[Item, Record], T]) -> Iterator[T | Skipped]:
    """What becomes of each item that is a record and can be used; the others are skipped."""
    for item in found:
        if isinstance(item, Skipped):
            yield item
        elif not isinstance(item.value, dict):
            yield Skipped(place=item.place, reason="it is no record with fields")
        else:
            try:
                yield use(item, item.value)
            except UsageError as error:
                yield Skipped(place=item.place, reason=error.args[0])


def text(record: Record, *names: str) -> str:
    """The first of these fields that holds something, as text.

    Raises:
        UsageError: it holds a list or a record.
    """
    for name in names:
        value = record.get(name)
        if isinstance(value, list | dict):
            raise UsageError(f"its {name} is no text")
        if value is not None and value != "":
            return clean(str(value))
    return ""


def texts(record: Record, name: str) -> tuple[str, ...]:
    """A list of texts; one text stands for a list of one.

    Raises:
        UsageError: it is something else.
    """
    value = record.get(name)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (clean(value),)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"its {name} is no list of texts")
    return tuple(clean(str(each)) for each in value)


def clean(value: str) -> str:
    """The text without what no store can keep: half characters, NUL."""
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()


def kept(value: JSON) -> JSON:
    """A value of any shape with every text in it clean."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [kept(each) for each in value]
    return {clean(name): kept(each) for name, each in value.items()} if isinstance(value, dict) else value


def moment(record: Record, *names: str) -> datetime | None:
    """The first of these fields that holds something, as a time; one without a zone is UTC.

    It may be ISO 8601, seconds or milliseconds since 1970, or a driver's object of parts.

    Raises:
        UsageError: it is no time.
    """
    for name in names:
        value = record.get(name)
        if value is None or value == "":
            continue
        try:
            found = _moment(value)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, OverflowError, OSError, AttributeError) as error:
            raise UsageError(f"its {name} is no time: {str(value)[:40]}") from error
    return None


def _moment(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        return datetime.fromisoformat(_ZONE_NAME.sub("", value.strip()))
    if isinstance(value, dict):
        return _assembled(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS else value, tz=UTC)


def _assembled(value: dict[str, JSON]) -> datetime:
    """A time as drivers take it apart: typed text, or parts, each a number or a 64-bit one in two halves."""
    for name in ("_value", "value", "$date", "epochMillis", "epochSeconds"):
        if name in value:
            return _moment(value[name])
    # Python's driver keeps date and time below private names, such as _DateTime__date and _Date__year.
    flat: dict[str, JSON] = {}
    for name, part in value.items():
        inner = part if isinstance(part, dict) and "low" not in part else {name: part}
        flat.update({key.rpartition("__")[2]: each for key, each in inner.items()})
    numbers = [_whole(flat.get(name, 1 if name in ("month", "day") else 0)) for name in _PARTS]
    offset = _whole(flat.get("timeZoneOffsetSeconds", 0))
    at = datetime(*numbers, microsecond=_whole(flat.get("nanosecond", 0)) // 1000, tzinfo=UTC)  # type: ignore[arg-type,misc]
    return datetime.fromtimestamp(at.timestamp() - offset, tz=UTC)


def _whole(value: JSON) -> int:
    part = value.get("low") if isinstance(value, dict) else value
    if isinstance(part, bool) or not isinstance(part, int | float):
        raise TypeError
    return int(part)


def made_id(*parts: str) -> str:
    """The id of what has none of its own: the same parts give the same one."""
    return str(uuid5(NAMESPACE_URL, "\0".join(("everfact:import", *parts))))


def legal_id(kind: str, given: str) -> str:
    """A foreign id as it is, or one made from it where it has characters that ours cannot have."""
    return given if _LEGAL.fullmatch(given) else made_id(kind, given)


def group_of(record: Record, group: str) -> str:
    """The group that was asked for, else the record's own; "" where it has none.

    Raises:
        UsageError: its own is no name of a group.
    """
    own = group or text(record, "group_id")
    if own and not _GROUP.fullmatch(own):
        raise UsageError(f"its group_id {own[:40]!r} is no name of a group; name one with --group")
    return own

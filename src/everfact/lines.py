"""A journal as JSON lines, and back: a header, then a telling, a change or an undigested episode on each line.

Every field goes under its own name, in the order of the models; left out are those at their default and, inside of a
change, the group and the time that all of it shares. `docs/reference/export-format.md` describes it for others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, TypeAlias, TypeVar

from everfact import models
from everfact.errors import UsageError
from everfact.models import JSON, Change, Entry, Mention, Skipped, Undigested, Value, as_entry

VERSION = 1
_RECORDS = {"told": "Episode", "change": "Change", "undigested": "Undigested"}
_NAMES = {model: record for record, model in _RECORDS.items()}
_NO_HISTORY = {"status", "attempts", "error"}
_SHARED = ("group_id", "created_at")
_MOST = 2**31

Read: TypeAlias = "Callable[[Any], Any]"
T = TypeVar("T")


def header() -> str:
    """The first line of a file."""
    return json.dumps({"everfact": "journal", "version": VERSION}) + "\n"


def is_ours(first: bytes) -> bool:
    """Whether a file that begins with this line is a journal.

    Raises:
        UsageError: a later version wrote it.
    """
    try:
        said = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if not isinstance(said, dict) or said.get("everfact") != "journal":
        return False
    version = said.get("version")
    if version != VERSION:
        raise UsageError(
            f"the file has version {version} of the format, this everfact reads version {VERSION}",
            hint="import it with the everfact that wrote it, or a newer one",
        )
    return True


def to_line(entry: Entry, *, as_ascii: bool = False) -> str:
    """An entry as its line."""
    shared = {"group_id": entry.group_id}
    if isinstance(entry, Change):
        shared["created_at"] = entry.created_at.isoformat()
    said: dict[str, JSON] = {"record": _NAMES[type(entry).__name__], "group_id": entry.group_id}
    said |= {name: _plain(value, shared) for name, value in _told_of(entry)}
    return json.dumps(said, ensure_ascii=as_ascii, separators=(",", ":")) + "\n"


def read_lines(lines: Iterable[bytes], *, into: str = "") -> Iterator[Entry | Skipped]:
    """The entries of the lines below the header, and what cannot be read; with `into`, all of them of that group."""
    for number, line in enumerate(lines, 2):
        if line.strip():
            try:
                yield _entry(_parsed(line), into)
            except _FormatError as error:
                yield Skipped(place=f"line {number}", reason=str(error))


def to_json(item: object) -> str:
    """One of our models as JSON, how far an episode is digested apart."""
    return json.dumps(_plain(item, {}), ensure_ascii=False, separators=(",", ":"))


def from_json(kind: type[T], said: str | bytes) -> T:
    """The way back.

    Raises:
        ValueError: it is nothing that `to_json` makes of that model.
    """
    item: T = _object(kind.__name__)(json.loads(said))
    return item


class _FormatError(ValueError):
    """Why a line is no record."""


def _told_of(item: Any) -> Iterator[tuple[str, object]]:
    """The fields of a model that say something."""
    for name, default in _defaults(type(item).__name__):
        value = getattr(item, name)
        if value != default:
            yield name, value


@cache
def _defaults(model: str) -> tuple[tuple[str, object], ...]:
    return tuple((entry.name, _default(entry)) for entry in _fields(model))


def _fields(model: str) -> list[Field[Any]]:
    """What a record says of such a model: how far an episode is digested is no history."""
    return [entry for entry in fields(getattr(models, model)) if model != "Episode" or entry.name not in _NO_HISTORY]


def _default(entry: Field[Any]) -> object:
    if entry.default_factory is not MISSING:
        return entry.default_factory()
    return None if entry.default is MISSING else entry.default


def _plain(value: Any, shared: Mapping[str, str]) -> JSON:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [_plain(part, shared) for part in value]
    if is_dataclass(value):
        said = {name: _plain(part, shared) for name, part in _told_of(value)}
        return {name: part for name, part in said.items() if name not in shared or shared[name] != part}
    plain: JSON = value
    return plain


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
        if b"\\ud" in line.lower():
            json.dumps(said, ensure_ascii=False).encode()
    except RecursionError as error:
        raise _FormatError("this is nested too deeply") from error
    except UnicodeError as error:
        raise _FormatError("this is no well-formed Unicode") from error
    except ValueError as error:
        raise _FormatError(f"this is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise _FormatError("this is no JSON object")
    return said


def _entry(said: dict[str, Any], into: str) -> Entry:
    model = _RECORDS.get(str(said.pop("record", "")))
    if model is None:
        raise _FormatError("this is no record: 'record' must be told, change or undigested")
    if into:
        said["group_id"] = into
    if model == "Change":
        for part in (part for parts in said.values() if isinstance(parts, list) for part in parts):
            if isinstance(part, dict):
                part.update({name: said.get(name) for name in _SHARED if name not in part or name == "group_id"})
    entry: Entry = _object(model)(said)
    return entry if isinstance(entry, Undigested) else as_entry(entry)


@cache
def _object(model: str) -> Read:
    """What makes such a model of a JSON object."""
    readers = {entry.name: _reader(str(entry.type)) for entry in _fields(model)}
    bare = [e for e in _fields(model) if e.default is MISSING and e.default_factory is MISSING]
    absent = {entry.name: None for entry in bare if str(entry.type).endswith(_OR_NONE)}
    needed = {entry.name for entry in bare} - absent.keys()
    kind = getattr(models, model)

    def read(said: Any) -> Any:
        if not isinstance(said, dict):
            raise _FormatError(f"{said!r:.40} is no object")
        if strange := said.keys() - readers.keys():
            raise _FormatError(f"there is no field {min(strange)!r:.40}")
        if lacking := needed - said.keys():
            raise _FormatError(f"the field {min(lacking)!r} is missing")
        return kind(**absent | {name: _field(name, readers[name], part) for name, part in said.items()})

    return read


def _field(name: str, read: Read, said: Any) -> Any:
    try:
        return read(said)
    except _FormatError as error:
        raise _FormatError(f"{name}: {error}") from error


_OR_NONE = " | None"


@cache
def _reader(kind: str) -> Read:
    """What reads a field that is annotated so."""
    if kind.endswith(_OR_NONE):
        inner = _reader(kind.removesuffix(_OR_NONE))
        return lambda said: None if said is None else inner(said)
    if kind.startswith("tuple["):
        return _list(*kind.removeprefix("tuple[").removesuffix("]").split(", "))
    if kind in _PLAIN:
        return _PLAIN[kind]
    named = getattr(models, kind)
    return _one_of(named) if issubclass(named, Enum) else _object(kind)


def _list(kind: str, *rest: str) -> Read:
    inner, length = _reader(kind), None if rest == ("...",) else 1 + len(rest)

    def read(said: Any) -> tuple[Any, ...]:
        if not isinstance(said, list) or length not in (None, len(said)):
            raise _FormatError(f"{said!r:.40} is no list" + (f" of {length}" if length else ""))
        return tuple(map(inner, said))

    return read


def _one_of(kind: type[Enum]) -> Read:
    def read(said: Any) -> Enum:
        try:
            return kind(said)
        except ValueError as error:
            raise _FormatError(f"{said!r:.40} is none of {', '.join(str(known.value) for known in kind)}") from error

    return read


def _of_type(name: str, *types: type) -> Read:
    def read(said: Any) -> Any:
        if type(said) not in types or (type(said) is int and abs(said) >= _MOST and float not in types):
            raise _FormatError(f"{said!r:.40} is no {name}")
        return said

    return read


def _moment(said: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(said)
        if moment.tzinfo is None:
            raise _FormatError(f"{said!r:.40} has no time zone")
        return moment.astimezone(UTC)
    except (TypeError, OverflowError, ValueError) as error:
        raise error if isinstance(error, _FormatError) else _FormatError(f"{said!r:.40} is no time") from error


def _thing(said: Any) -> Mention | Value:
    """What a statement is about besides its subject: a value has a text, an entity a name."""
    thing: Mention | Value = _object("Value" if isinstance(said, dict) and "text" in said else "Mention")(said)
    return thing


_PLAIN: dict[str, Read] = {
    "str": _of_type("text", str),
    "int": _of_type("whole number", int),
    "float": _of_type("number", int, float),
    "bool": _of_type("true or false", bool),
    "datetime": _moment,
    "Mapping[str, JSON]": _of_type("object", dict),
    "Mention | Value": _thing,
}

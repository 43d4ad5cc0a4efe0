"""Files of JSON as a stream of items, whatever they are wrapped in: JSON lines, one list, one object of lists."""

from __future__ import annotations

import io
import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from everfact.importers.records import Item
from everfact.models import JSON, Skipped

_NODES = ("episodes", "nodes", "entities", "sagas", "communities")
_LISTS = (*_NODES, "edges", "facts", "relations", "relationships", "memories", "archived", "results")
_WRAPPERS = ("result", "data", "graph", "structuredContent")
_DEEPEST = 5
_CHUNK = 65_536
_LONGEST = 4_000_000
"""Characters of a line that are looked at to see whether a file has one record a line."""


def items(path: Path) -> Iterator[Item | Skipped]:
    """Every record of a file, in its order; what cannot be read is skipped by its place."""
    if _has_lines(path):
        yield from _lines(path)
    else:
        with path.open(encoding="utf-8-sig") as file:
            yield from _document(file, "")


def _has_lines(path: Path) -> bool:
    """Whether one of the first two lines is a whole record; of several, one may be broken."""
    with path.open("rb") as file:
        first, second = file.readline(_LONGEST), file.readline(_LONGEST)
    is_open = first.removeprefix(BOM_UTF8).lstrip().startswith(b"{")
    return is_open and second.strip() != b"" and any(isinstance(_line(each), dict) for each in (first, second))


def _line(line: bytes) -> JSON:
    try:
        value: JSON = json.loads(line.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return value


def _lines(path: Path) -> Iterator[Item | Skipped]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            value, place = _line(line), f"line {number}"
            if isinstance(value, dict) and value.keys().isdisjoint((*_LISTS, *_WRAPPERS)):
                yield Item(place, "", value)  # the same as below, at a third of the time
            elif line.strip():
                yield from _document(io.TextIOWrapper(io.BytesIO(line), encoding="utf-8-sig"), place)


def _document(file: TextIO, at: str) -> Iterator[Item | Skipped]:
    """The records of a text; several values may follow one another."""
    stream = _Stream(file)
    try:
        while stream.peek():
            yield from _values(stream, at, depth=0)
    except (ValueError, RecursionError) as error:
        # What follows a broken value in one document cannot be told apart from it.
        yield Skipped(place=at or "the rest of the file", reason=f"it is no JSON that can be read: {error}")


def _values(stream: _Stream, at: str, *, depth: int) -> Iterator[Item | Skipped]:
    if depth > _DEEPEST or stream.peek() not in "[{":
        yield Item(at or "the file", "", stream.value())
    elif stream.peek() == "{":
        yield from _object(stream, at, depth=depth)
    else:
        for number in stream.members("[]"):
            yield from _values(stream, _place(at, f"item {number}"), depth=depth + 1)


def _object(stream: _Stream, at: str, *, depth: int) -> Iterator[Item | Skipped]:
    """The records in its lists; one without such a list is a record itself."""
    own: dict[str, JSON] = {}
    strays: list[tuple[str, str]] = []
    found = False
    for _ in stream.members("{}"):
        key = stream.key()
        if key in _LISTS and stream.peek() == "[":
            found = found or key != "episodes"  # a fact has such a list too, of ids
            values: list[JSON] = []
            for number in stream.members("[]"):
                value, place = stream.value(), _place(at, f"{key} {number}")
                if isinstance(value, dict):
                    found = True
                    yield Item(place, key, value)
                else:
                    values.append(value)
                    strays.append((place, key))
            own[key] = values
        elif key in _WRAPPERS and stream.peek() in ("{", "[") and depth < _DEEPEST:
            found = True
            yield from _values(stream, _place(at, key), depth=depth + 1)
        else:
            own[key] = stream.value()
    if found:
        yield from (Skipped(place=place, reason=f"it is no record with fields, as {key} has") for place, key in strays)
    elif own.keys() - {"episodes", "message"}:
        yield Item(at or "the file", "", own)


def _place(at: str, inner: str) -> str:
    return f"{at}, {inner}" if at else inner


def _no_number(name: str) -> JSON:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


class _Stream:
    """Reads one JSON text piece by piece, so that a file need not fit into memory; its values must."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace():
                    return self._text[self._at]
                self._at += 1
            if not self._fill():
                return ""

    def members(self, brackets: str) -> Iterator[int]:
        """Counts the members of a list or an object; whoever counts along reads each."""
        self._take(brackets[0])
        number = 0
        while self.peek() != brackets[1]:
            if number:
                self._take(",")
            number += 1
            yield number
        self._take(brackets[1])

    def key(self) -> str:
        """The key of the next member of an object."""
        key = self.value()
        if not isinstance(key, str):
            raise ValueError(f"{key} is no key")  # noqa: TRY004 # what is wrong with a JSON text is a ValueError
        self._take(":")
        return key

    def value(self) -> JSON:
        """The next value."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except ValueError:
                if self._fill():
                    continue
                raise
            if end == len(self._text) and self._fill():
                continue  # a number may go on
            self._at = end
            found: JSON = value
            return found

    def _take(self, expected: str) -> None:
        if (found := self.peek()) != expected:
            raise ValueError(f"{expected} is missing before {found or 'the end'}")
        self._at += 1

    def _fill(self) -> bool:
        chunk = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)

"""JSON text → nodes that know where they stand in it. No recursion: any depth will do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from json import JSONDecodeError, JSONDecoder

from everfact.errors import ExtractError


class Kind(Enum):
    """What a node is; `NULL` also stands for the not-a-numbers that some programs write."""

    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"
    BOOL = "bool"
    NULL = "null"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A value: `text` is what a string says, or a number or word as written; `span` leaves out a string's quotes."""

    kind: Kind
    span: tuple[int, int]
    text: str = ""
    items: tuple[Node, ...] = ()
    members: dict[str, Node] = field(default_factory=dict)
    """Of a key given twice the last one counts, as everywhere."""


@dataclass(slots=True)
class _Open:
    """An object or array whose end has not been read."""

    start: int
    is_object: bool
    key: str = ""
    items: list[Node] = field(default_factory=list)
    members: dict[str, Node] = field(default_factory=dict)

    def add(self, node: Node) -> None:
        if self.is_object:
            self.members[self.key] = node
        else:
            self.items.append(node)

    def closed(self, end: int) -> Node:
        kind = Kind.OBJECT if self.is_object else Kind.ARRAY
        return Node(kind, (self.start, end), items=tuple(self.items), members=self.members)


_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"true|false|null|NaN|-?Infinity")
_DECODER = JSONDecoder(strict=False)  # a line end within a string is let pass
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def parse(text: str) -> Node:
    """The value that the text holds.

    Raises:
        ExtractError: it is no JSON.
    """
    stack: list[_Open] = []
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    while True:
        node, at = _value(text, at, stack)
        while node is not None:
            if not stack:
                return _only(text, node, at)
            node, at = _after(text, at, stack, node)


def _value(text: str, at: int, stack: list[_Open]) -> tuple[Node | None, int]:
    """Read a scalar or an empty container whole, or open a container."""
    char = text[at : at + 1]
    if char not in ("{", "["):
        return _scalar(text, at)
    opened, at = _Open(at, char == "{"), _skip(text, at + 1)
    if text[at : at + 1] == ("}" if opened.is_object else "]"):
        return opened.closed(at + 1), at + 1
    stack.append(opened)
    return None, _key(text, at, opened)


def _after(text: str, at: int, stack: list[_Open], node: Node) -> tuple[Node | None, int]:
    """Put a finished value where it belongs; answer with the container if that ends here."""
    at = _skip(text, at)
    opened = stack[-1]
    opened.add(node)
    char = text[at : at + 1]
    if char == ",":
        return None, _key(text, _skip(text, at + 1), opened)
    if char != ("}" if opened.is_object else "]"):
        raise _no_json(text, at)
    return stack.pop().closed(at + 1), at + 1


def _key(text: str, at: int, opened: _Open) -> int:
    if not opened.is_object:
        return at
    if text[at : at + 1] != '"':
        raise _no_json(text, at)
    opened.key, at = _string(text, at)
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise _no_json(text, at)
    return _skip(text, at + 1)


def _scalar(text: str, at: int) -> tuple[Node, int]:
    if text[at : at + 1] == '"':
        value, end = _string(text, at)
        return Node(Kind.STRING, (at + 1, end - 1), value), end
    if word := _WORD.match(text, at):
        kind = Kind.BOOL if word[0] in ("true", "false") else Kind.NULL
        return Node(kind, word.span(), word[0]), word.end()
    if number := _NUMBER.match(text, at):
        return Node(Kind.NUMBER, number.span(), number[0]), number.end()
    raise _no_json(text, at)


def _string(text: str, at: int) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if match is None:
        raise _no_json(text, at)
    try:
        value: str = _DECODER.decode(match[0])
    except JSONDecodeError as error:
        raise _no_json(text, at + error.pos) from error
    return _HALF_CHARACTER.sub("\ufffd", value), match.end()


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()


def _only(text: str, node: Node, at: int) -> Node:
    at = _skip(text, at)
    if at < len(text):
        raise _no_json(text, at)
    return node


def _no_json(text: str, at: int) -> ExtractError:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return ExtractError(
        f"this is no JSON: line {line}, column {column}", hint="mend it, or add it again with the source text"
    )

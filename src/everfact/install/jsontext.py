"""One value set in, or taken out of, a JSON text with comments: every other byte stays.

Knows objects, arrays, `//` and `/* */` comments and trailing commas. What else a client may take for JSON is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

Step: TypeAlias = str | int
"""The name of an object's member, or the place of an array's item: its length is the place behind the last one."""

_BLANK = re.compile(r"(?:[ \t\r\n]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SOLID = re.compile(r"(?:[ \t\r\n]*(?:,|//[^\r\n]*|/\*.*?\*/))*", re.DOTALL)
_ATOM = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DECODER = json.JSONDecoder()
_DEEPEST = 200


@dataclass(slots=True)
class _Node:
    """A value and where it stands; `members` by name or place, each with where its name (or it) begins."""

    start: int
    end: int = 0
    value: object = None
    members: dict[Step, tuple[int, _Node]] = field(default_factory=dict)


def parse(text: str) -> object:
    """The value that the text holds.

    Raises:
        ValueError: it holds none, or more than one.
    """
    return _root(text).value


def put(text: str, path: Sequence[Step], value: object) -> str:
    """The text with the value at that path, in the place of what was there, else behind its siblings.

    Raises:
        ValueError: the text is no JSON, or something on the path is no container.
    """
    node, step, rest = _descend(_root(text), path)
    for missing in reversed(rest):
        value = {missing: value} if isinstance(missing, str) else [value]
    if step in node.members:
        _, old = node.members[step]
        return text[: old.start] + _dump(text, value, _indent_at(text, old.start)) + text[old.end :]
    return _appended(text, node, step, value)


def back(text: str, path: Sequence[Step], former: str) -> str:
    """The text with that path as it is in a former text; an item of an array goes."""
    was = None if isinstance(path[-1], int) else _found(former, path)
    if was is None:
        return _without(text, path, _hollow(former, path[:-1]))
    node = _found(text, path)
    return text if node is None else text[: node.start] + former[was.start : was.end] + text[node.end :]


def _without(text: str, path: Sequence[Step], hollow: str) -> str:
    """The text without what is at that path; `hollow` is what then stands in a container that is left empty."""
    node, step, rest = _descend(_root(text), path)
    if rest or step not in node.members:
        return text
    start, gone = node.members[step]
    previous = max((child.end for _, child in node.members.values() if child.end < start), default=0)
    before = _solid_end(text, previous or node.start + 1)
    after = _skip(text, gone.end)
    if text[after] == ",":
        return text[:before] + text[gone.end : after] + text[after + 1 :]
    if not previous:
        end = _solid_end(text, gone.end)
        return text[:before] + text[gone.end : end] + hollow + text[node.end - 1 :]
    comma = _skip(text, previous)
    return text[:comma] + text[comma + 1 : before] + text[gone.end :]


def _hollow(text: str, path: Sequence[Step]) -> str:
    """The space before the closing bracket of the container at that path."""
    node = _found(text, path)
    if node is None or not isinstance(node.value, dict | list):
        return ""
    last = max((child.end for _, child in node.members.values()), default=node.start + 1)
    return text[_solid_end(text, last) : node.end - 1]


def _found(text: str, path: Sequence[Step]) -> _Node | None:
    node = _root(text)
    for step in path:
        if step not in node.members:
            return None
        _, node = node.members[step]
    return node


def _descend(node: _Node, path: Sequence[Step]) -> tuple[_Node, Step, Sequence[Step]]:
    """The deepest container on the path that is there, the step to take in it, and the steps after that."""
    for place, step in enumerate(path):
        wanted = dict if isinstance(step, str) else list
        if not isinstance(node.value, wanted):
            raise ValueError(f"{'.'.join(map(str, path[:place])) or 'the whole'} is not {_NAMED[wanted]}")  # noqa: TRY004 - it is the text that is wrong
        if step not in node.members or place == len(path) - 1:
            return node, step, path[place + 1 :]
        _, node = node.members[step]
    raise ValueError("no path was given")


_NAMED = {dict: "an object", list: "an array"}


# Reading


def _root(text: str) -> _Node:
    start = _skip(text, 0)
    node = _read(text, start, 0)
    rest = _skip(text, node.end)
    if rest != len(text):
        raise _wrong(text, rest, "more follows the end")
    return node


def _read(text: str, at: int, depth: int) -> _Node:
    if depth > _DEEPEST:
        raise _wrong(text, at, "nested too deep")
    sign = text[at : at + 1]
    if sign in ("{", "["):
        return _read_container(text, at, depth)
    if sign == '"':
        value, end = _string(text, at)
        return _Node(at, end, value)
    atom = _ATOM.match(text, at)
    if atom is None:
        raise _wrong(text, at, "a value is missing")
    return _Node(at, atom.end(), json.loads(atom[0]))


def _read_container(text: str, at: int, depth: int) -> _Node:
    is_object = text[at] == "{"
    node, close = _Node(at, value={} if is_object else []), "}" if is_object else "]"
    place = _skip(text, at + 1)
    while text[place : place + 1] != close:
        start, step = place, cast("Step", len(node.members))
        if is_object:
            step, place = _name(text, place)
        if step in node.members:
            raise _wrong(text, start, f"{step} stands there twice")
        child = _read(text, place, depth + 1)
        node.members[step] = (start, child)
        place = _skip(text, child.end)
        if text[place : place + 1] == ",":
            place = _skip(text, place + 1)
        elif text[place : place + 1] != close:
            raise _wrong(text, place, f"a comma or {close} is missing")
    node.end = place + 1
    inside = {step: child.value for step, (_, child) in node.members.items()}
    node.value = inside if is_object else list(inside.values())
    return node


def _name(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != '"':
        raise _wrong(text, at, "a name in quotes is missing")
    name, end = _string(text, at)
    colon = _skip(text, end)
    if text[colon : colon + 1] != ":":
        raise _wrong(text, colon, "a colon is missing")
    return name, _skip(text, colon + 1)


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _wrong(text, at, "a string is broken") from error
    return str(value), int(end)


def _skip(text: str, at: int) -> int:
    return cast("re.Match[str]", _BLANK.match(text, at)).end()  # it matches nothing, too


def _wrong(text: str, at: int, what: str) -> ValueError:
    line = text.count("\n", 0, at) + 1
    return ValueError(f"line {line}, column {at - text.rfind(chr(10), 0, at)}: {what}")


# Writing


def _appended(text: str, node: _Node, step: Step, value: object) -> str:
    """A member behind the last one; the comma stands at the value before it, comments stay where they are."""
    last = max((child.end for _, child in node.members.values()), default=node.start + 1)
    solid = _solid_end(text, last)
    indent = _member_indent(text, node)
    name = f"{json.dumps(step, ensure_ascii=False)}: " if isinstance(step, str) else ""
    if not node.members:
        newline, outer = _newline(text), _indent_at(text, node.start)
        inner = outer + _unit(text)
        member = f"{newline}{inner}{name}{_dump(text, value, inner)}{newline}{outer}"
        return text[:solid] + member + text[node.end - 1 :]
    lead = " " if indent is None else _newline(text) + indent
    member = f"{lead}{name}{_dump(text, value, indent)}"
    if text[_skip(text, last)] == ",":
        return text[:solid] + member + "," + text[solid:]
    return text[:last] + "," + text[last:solid] + member + text[solid:]


def _member_indent(text: str, node: _Node) -> str | None:
    """How far members are indented; None where they share a line with the bracket."""
    for start, _ in reversed(node.members.values()):
        line = text.rfind("\n", 0, start) + 1
        if line > node.start and not text[line:start].strip(" \t"):
            return text[line:start]
    first = next(iter(node.members.values()), None)
    return None if first is None or "\n" not in text[node.start : node.end] else _indent_at(text, first[0])


def _dump(text: str, value: object, indent: str | None) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    unit = _unit(text)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (_newline(text) + indent).join(lines)


def _indent_at(text: str, at: int) -> str:
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + len(text[line:at]) - len(text[line:at].lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return "  " if found is None else "\t" if found[1].startswith("\t") else found[1][:8]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _solid_end(text: str, at: int) -> int:
    """Where the commas and comments end that follow, without the space behind them."""
    return cast("re.Match[str]", _SOLID.match(text, at)).end()

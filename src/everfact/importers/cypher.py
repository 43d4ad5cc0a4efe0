"""Cypher scripts that make a graph: the nodes and relationships they create, without a database.

Understood is what dumps consist of: CREATE, MERGE and MATCH with patterns and maps, UNWIND of a list of maps, SET.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from everfact.errors import UsageError
from everfact.importers.graphiti import Edge, Node
from everfact.importers.records import text
from everfact.models import JSON, Skipped

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>\+=|->|<-|.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_STARTS = re.compile(r"\s*(?:(?://[^\n]*\n|:\w+[^\n]*\n)\s*)*(CREATE|MERGE|MATCH|UNWIND|BEGIN)\b", re.IGNORECASE)
_MAKING = re.compile(r"\b(CREATE|MERGE)\s*\(", re.IGNORECASE)
_IMPORT_ID, _IMPORT_LABEL = "UNIQUE IMPORT ID", "UNIQUE IMPORT LABEL"
_DEEPEST = 50


def is_cypher(path: Path) -> bool:
    """Whether it begins like such a script."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return _STARTS.match(file.read(4096)) is not None


def script(path: Path) -> Iterator[Node | Edge | Skipped]:
    """What the script makes, statement by statement."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for line, statement in _statements(file):
            place = f"line {line}"
            if not _MAKING.search(statement):
                continue  # an index, a constraint, tidying up
            try:
                yield from _Statement(statement, place).run()
            except (UsageError, RecursionError) as error:
                yield Skipped(place=place, reason=f"it is no Cypher that can be read: {error.args[0]}")


def _statements(file: Iterator[str]) -> Iterator[tuple[int, str]]:
    """The statements with the line each begins in. A semicolon at the end of a line ends one, unless in a string."""
    lines: list[str] = []
    first = 1
    for number, line in enumerate(file, 1):
        if not lines:
            if not line.strip() or line.startswith(":"):
                continue  # a command of the shell
            first = number
        lines.append(line)
        if line.rstrip().endswith(";") and _is_whole("".join(lines)):
            yield first, "".join(lines)
            lines = []
    if lines:
        yield first, "".join(lines)


def _is_whole(statement: str) -> bool:
    """Whether no string is open at its end."""
    return all(match[0] not in ('"', "'", "`") for match in _TOKEN.finditer(statement))


@dataclass(slots=True)
class _Thing:
    """A node or relationship that a variable stands for."""

    labels: list[str] = field(default_factory=list)
    properties: dict[str, JSON] = field(default_factory=dict)
    start: _Thing | None = None
    end: _Thing | None = None
    is_made: bool = False

    @property
    def key(self) -> str:
        return text(self.properties, _IMPORT_ID, "uuid", "_id")


class _Statement:
    """One statement, read once from left to right for each row that it unwinds."""

    def __init__(self, statement: str, place: str) -> None:
        kinds = ((match.lastgroup or "", match[0]) for match in _TOKEN.finditer(statement))
        self._tokens = [(kind, token) for kind, token in kinds if kind != "space"]
        self._place = place
        self._at = 0
        self._things: dict[str, _Thing] = {}
        self._made: list[_Thing] = []
        self._row: dict[str, JSON] = {}

    def run(self) -> Iterator[Node | Edge]:
        if not self._is("UNWIND"):
            yield from self._pass({})
            return
        self._at += 1
        rows = self._value()
        self._expect("AS")
        name, begin = self._next(), self._at
        for row in rows if isinstance(rows, list) else [rows]:
            self._at = begin
            yield from self._pass({name: row})

    def _pass(self, row: dict[str, JSON]) -> Iterator[Node | Edge]:
        self._row, self._things, self._made = row, {}, []
        while self._at < len(self._tokens):
            clause = self._next().upper()
            if clause == "ON":
                self._next()  # ON CREATE SET, ON MATCH SET
            elif clause in ("CREATE", "MERGE", "MATCH"):
                self._patterns(is_made=clause != "MATCH")
            elif clause == "SET":
                self._several(self._set)
        for thing in self._made:
            if thing.start or thing.end:
                yield self._edge(thing)
            elif thing.properties.keys() - {"uuid"}:  # a node that is only named was made elsewhere
                yield self._node(thing)

    def _node(self, thing: _Thing) -> Node:
        labels = tuple(label for label in thing.labels if label != _IMPORT_LABEL)
        own = {name: value for name, value in thing.properties.items() if name not in (_IMPORT_ID, "_id")}
        return Node(place=self._place, key=thing.key, labels=labels, properties=own)

    def _edge(self, thing: _Thing) -> Edge:
        start, end = (each.key if each else "" for each in (thing.start, thing.end))
        type_ = thing.labels[0] if thing.labels else ""
        return Edge(place=self._place, type=type_, start=start, end=end, properties=thing.properties)

    def _patterns(self, *, is_made: bool) -> None:
        self._several(lambda: self._pattern(is_made=is_made))

    def _several(self, each: Callable[[], None]) -> None:
        each()
        while self._is(","):
            self._at += 1
            each()

    def _pattern(self, *, is_made: bool) -> None:
        left = self._thing("(", ")", is_made=is_made)
        while self._is("-") or self._is("<-"):
            is_back = self._next() == "<-"
            bond = self._thing("[", "]", is_made=is_made)
            if self._next() not in ("-", "->"):
                raise UsageError(f"an arrow is broken at {self._near()}")
            right = self._thing("(", ")", is_made=is_made)
            bond.start, bond.end = (right, left) if is_back else (left, right)
            left = right

    def _thing(self, opening: str, closing: str, *, is_made: bool) -> _Thing:
        self._expect(opening)
        name = "" if self._is(":") or self._is("{") or self._is(closing) else self._next()
        is_known = name in self._things
        thing = self._things[name] if is_known else _Thing(is_made=is_made)
        if name:
            self._things[name] = thing
        thing.labels += self._labels()
        if self._is("{"):
            thing.properties |= self._map()
        self._expect(closing)
        if is_made and not is_known:
            self._made.append(thing)
        return thing

    def _labels(self) -> list[str]:
        labels = []
        while self._is(":"):
            self._at += 1
            labels.append(self._next())
        return labels

    def _set(self) -> None:
        name = self._next()
        thing = self._things.setdefault(name, _Thing())
        if self._is(":"):
            thing.labels += self._labels()
            return
        path = self._next() if self._is(".") and self._skip() else ""
        if self._next() not in ("=", "+="):
            raise UsageError(f"= is missing near {self._near()}")
        value = self._value()
        if path:
            thing.properties[path] = value
        elif isinstance(value, dict):
            thing.properties |= value

    def _map(self, depth: int = 0) -> dict[str, JSON]:
        self._expect("{")
        found: dict[str, JSON] = {}
        while not self._is("}"):
            key = self._next()
            self._expect(":")
            found[key] = self._value(depth + 1)
            if not self._is("}"):
                self._expect(",")
        self._expect("}")
        return found

    def _value(self, depth: int = 0) -> JSON:
        if depth > _DEEPEST:
            raise UsageError("its values are nested too deep")
        if self._is("{"):
            return self._map(depth)
        if self._is("["):
            return self._list("[", "]", depth)
        kind, token = self._tokens[self._at] if self._at < len(self._tokens) else ("", "the end")
        self._at += 1
        if kind == "string":
            return _unescaped(token)
        if kind == "number":
            return float(token) if not token.lstrip("-").isdigit() else int(token)
        if kind in ("word", "quoted"):
            return self._named(token, depth)
        raise UsageError(f"a value is missing at {token}")

    def _list(self, opening: str, closing: str, depth: int) -> list[JSON]:
        self._expect(opening)
        found = []
        while not self._is(closing):
            found.append(self._value(depth + 1))
            if not self._is(closing):
                self._expect(",")
        self._expect(closing)
        return found

    def _named(self, token: str, depth: int) -> JSON:
        """A constant, a call such as `datetime('…')`, which stands for what it is given, or a field of the row."""
        if token.lower() in ("true", "false", "null"):
            return {"true": True, "false": False}.get(token.lower())
        if self._is("("):
            given = self._list("(", ")", depth + 1)
            return given[0] if given else None
        value: JSON = self._row.get(token)
        while self._is(".") and self._skip():
            name = self._next()
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def _is(self, token: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][1].upper() == token

    def _skip(self) -> bool:
        self._at += 1
        return True

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise UsageError("it ends in the middle")
        kind, token = self._tokens[self._at]
        self._at += 1
        return token[1:-1].replace("``", "`") if kind == "quoted" else token

    def _expect(self, token: str) -> None:
        if not self._is(token):
            raise UsageError(f"{token} is missing near {self._near()}")
        self._at += 1

    def _near(self) -> str:
        return " ".join(token[:30] for _, token in self._tokens[max(self._at - 1, 0) : self._at + 2]) or "the end"


def _unescaped(token: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 5 else _ESCAPED.get(m[1], m[1]), token[1:-1])

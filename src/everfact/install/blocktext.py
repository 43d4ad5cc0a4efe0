"""One table set in, or taken out of, a TOML or a block YAML text, as whole lines: every other line stays.

Whoever writes such a file in another way (inline tables, flow mappings) is told so: what comes out is read again and
compared by `configfile`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everfact.config.edit import literal
from everfact.install.jsontext import Step

_Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TOMLText:
    """Tables with headers of their own."""

    def parse(self, text: str) -> object:
        """The table that the text holds."""
        return tomllib.loads(text)

    def put(self, text: str, path: Sequence[Step], value: object) -> str:
        """The text with a table at that path: in its place, else at the end."""
        lines, names = _lines(text), _names(path)
        new = self._render(names, value)
        span = self._span(lines, names)
        if span is None:
            return _spliced(lines, (len(lines), len(lines)), ["\n", *new] if lines else new)
        return _spliced(lines, span, new)

    def back(self, text: str, path: Sequence[Step], former: str) -> str:
        """The text with the table at that path as it is in a former text."""
        lines, names = _lines(text), _names(path)
        span, then = self._span(lines, names), _lines(former)
        was = self._span(then, names)
        if span is None:
            return text
        start, end = span
        if was is None and start and not lines[start - 1].strip():
            start -= 1
        return _spliced(lines, (start, end), then[slice(*was)] if was else [])

    def _span(self, lines: list[str], names: _Names) -> tuple[int, int] | None:
        """The lines of a table and of those below it, as far as they stand together."""
        start, end, is_inside = None, 0, False
        for number, line in enumerate(lines):
            header = _header(line)
            if header is not None:
                is_inside = header[: len(names)] == names and (start is None or is_inside)
            if is_inside and _says_something(line):
                start, end = number if start is None else start, number + 1
        return None if start is None else (start, end)

    def _render(self, names: _Names, value: object) -> list[str]:
        table = value if isinstance(value, dict) else {}
        plain = {key: held for key, held in table.items() if not isinstance(held, dict)}
        lines = [f"[{'.'.join(map(_bare, names))}]\n"]
        lines += [f"{_bare(key)} = {literal(held)}\n" for key, held in plain.items()]
        for key in table.keys() - plain.keys():
            lines += ["\n", *self._render((*names, key), table[key])]
        return lines


@dataclass(frozen=True, slots=True)
class YAMLText:
    """Block mappings, each name on a line of its own."""

    def parse(self, text: str) -> object:
        """The mapping that the text holds."""
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError

        try:
            found = YAML(typ="safe", pure=True).load(text)
        except YAMLError as error:
            raise ValueError(" ".join(str(error).split())) from error
        return {} if found is None else found

    def put(self, text: str, path: Sequence[Step], value: object) -> str:
        """The text with the value at that path: in its place, else behind its siblings."""
        lines, names = _lines(text), _names(path)
        span = self._span(lines, names)
        known = len(names)
        while span is None and known > 1:
            known -= 1
            span = self._span(lines, names[:known])
            if span is not None:
                indent = self._child_indent(lines, span)
                return _spliced(lines, (span[1], span[1]), self._render(names[known:], value, indent))
        if span is None:
            return _spliced(lines, (len(lines), len(lines)), self._render(names, value, ""))
        return _spliced(lines, span, self._render(names[-1:], value, _indent(lines[span[0]])))

    def back(self, text: str, path: Sequence[Step], former: str) -> str:
        """The text with what is at that path as it is in a former text."""
        lines, then = _lines(text), _lines(former)
        span, was = self._span(lines, _names(path)), self._span(then, _names(path))
        return text if span is None else _spliced(lines, span, then[slice(*was)] if was else [])

    def _span(self, lines: list[str], names: _Names) -> tuple[int, int] | None:
        """The line of a name and those that belong to it."""
        at, start, end = 0, 0, len(lines)
        for name in names:
            wanted = re.compile(rf"([ ]*)[\"']?{re.escape(name)}[\"']?[ ]*:(?:\s|$)")
            siblings = next((_indent(line) for line in lines[start:end] if _says_something(line)), "")
            fits = (n for n in range(start, end) if (m := wanted.match(lines[n])) and m[1] == siblings)
            at = next(fits, -1)
            if at < 0:
                return None
            start, end = at + 1, self._block_end(lines, at, end)
        return at, end

    def _block_end(self, lines: list[str], at: int, limit: int) -> int:
        indent, end = len(_indent(lines[at])), at + 1
        for number in range(at + 1, limit):
            if _says_something(lines[number]):
                depth = len(_indent(lines[number]))
                if depth < indent or (depth == indent and not lines[number].lstrip().startswith("- ")):
                    break
                end = number + 1
        return end

    def _child_indent(self, lines: list[str], span: tuple[int, int]) -> str:
        inside = [line for line in lines[span[0] + 1 : span[1]] if _says_something(line)]
        return _indent(inside[0]) if inside else _indent(lines[span[0]]) + "  "

    def _render(self, names: _Names, value: object, indent: str) -> list[str]:
        [name, *rest] = names
        if rest:
            return [f"{indent}{name}:\n", *self._render(tuple(rest), value, indent + "  ")]
        if not isinstance(value, Mapping) or not value:
            return [f"{indent}{name}: {json.dumps(value, ensure_ascii=False)}\n"]
        inner = [line for key, held in value.items() for line in self._render((key,), held, indent + "  ")]
        return [f"{indent}{name}:\n", *inner]


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _spliced(lines: list[str], span: tuple[int, int], new: list[str]) -> str:
    """The lines with others in the place of some; a text that ends without a line break goes on doing so."""
    newline = "\r\n" if any(line.endswith("\r\n") for line in lines) else "\n"
    is_open = bool(lines) and not lines[-1].endswith("\n")
    old = [*lines[:-1], lines[-1] + newline] if is_open else lines
    text = "".join([*old[: span[0]], *(line.rstrip("\r\n") + newline for line in new), *old[span[1] :]])
    return text.removesuffix(newline) if is_open else text


def _names(path: Sequence[Step]) -> _Names:
    return tuple(map(str, path))


def _header(line: str) -> _Names | None:
    """The name of the table that a line opens."""
    if not line.startswith("["):
        return None
    try:
        table: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    names: list[str] = []
    while table:
        table = table[0] if isinstance(table, list) else table
        if isinstance(table, dict) and table:
            [(name, table)] = table.items()
            names.append(name)
        else:
            break
    return tuple(names)


def _bare(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _says_something(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")

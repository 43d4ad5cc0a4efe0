"""Setting one key in a TOML file's text, leaving all else as it stands, comments too."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping

from everfact.errors import ConfigError

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?$")
_TABLES = re.compile(r"\s*\[\[")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=")


def with_value(text: str, key: str, value: object, *, file: str) -> str:
    """The text with the dotted key set to the value, in its place if it is there, else where it belongs.

    Raises:
        ConfigError: the text is not TOML, or is written so that it cannot be changed without a person.
    """
    try:
        wanted = _flat(tomllib.loads(text)) | {key: value}
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}", hint="mend it first; it was not changed") from error
    for edited in _candidates(text, key, literal(value)):
        try:
            if _flat(tomllib.loads(edited)) == wanted:
                return edited
        except tomllib.TOMLDecodeError:
            continue
    raise ConfigError(f"{file} cannot be changed safely", hint=f"set {key} in it by hand; it was not changed")


def _candidates(text: str, key: str, literal: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    section, _, name = key.rpartition(".")
    ends: dict[str, int] = {"": 0}
    """Behind the last line of each table that says something."""
    for number, (table, at) in enumerate(_places(lines)):
        if at == key:
            yield _replaced(lines, number, literal)
        if at or _HEADER.match(lines[number]):
            ends[table] = number + 1
    if section in ends:
        end = ends[section]
        yield "".join([*lines[:end], f"{name} = {literal}\n", *lines[end:]])
    gap = "\n" if lines else ""
    yield "".join([*lines, f"{gap}[{section}]\n{name} = {literal}\n"])
    yield "".join([*lines[: ends[""]], f"{key} = {literal}\n", *lines[ends[""] :]])


def _places(lines: list[str]) -> Iterator[tuple[str, str]]:
    """For each line the table it stands in, and the whole key that it sets, if any."""
    table = ""
    for line in lines:
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            table = re.sub(r"[\s\"']", "", header[1])
        elif _TABLES.match(line):
            table = line.strip()
        yield table, f"{table}.{re.sub(chr(92) + 's', '', key[1])}".lstrip(".") if key else ""


def _replaced(lines: list[str], number: int, literal: str) -> str:
    """The value that begins on that line, over as many lines as it takes, replaced; what follows it stays."""
    name, _, _ = lines[number].partition("=")
    for last in range(number, len(lines)):
        given = "".join(lines[number : last + 1]).partition("=")[2].rstrip("\n")
        for cut in (*(place for place, sign in enumerate(given) if sign == "#"), len(given)):
            if _is_value(given[:cut]):
                comment = f"  {given[cut:]}" if cut < len(given) else ""
                return "".join([*lines[:number], f"{name.rstrip()} = {literal}{comment}\n", *lines[last + 1 :]])
    return "".join(lines)


def _is_value(text: str) -> bool:
    try:
        return set(tomllib.loads(f"x = {text}")) == {"x"}
    except tomllib.TOMLDecodeError:
        return False


def literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _flat(table: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return found

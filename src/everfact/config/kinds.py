"""What a value may be, by kind: a check takes what a source gave and answers with the value to keep.

A check that refuses says what is expected and never repeats the value, which may be a secret.
What a check has made it also takes, and leaves as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from everfact.config import address
from everfact.errors import ConfigError

T = TypeVar("T")
Check = Callable[[object], T]
"""Raises ValueError, or CheckError for a value that has parts."""

MASK = "********"
_YES = {"true", "yes", "on", "1", "t", "y"}
_NO = {"false", "no", "off", "0", "f", "n"}


class CheckError(ConfigError):
    """Values that were refused: what is expected of each, by its dotted place."""

    def __init__(self, expected: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{place} {text}" for place, text in expected.items()))
        self.expected = expected


class Secret:
    """Text that only `reveal` shows: no message, no log, no dump."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


def check_each(parts: Iterable[tuple[str, Check[T], object]]) -> dict[str, T]:
    """Every part, given as place, check and value, after its check.

    Raises:
        CheckError: at least one was refused; all that were are named.
    """
    checked: dict[str, T] = {}
    expected: dict[str, str] = {}
    for place, check, value in parts:
        try:
            checked[place] = check(value)
        except CheckError as error:
            expected |= {f"{place}.{inner}": text for inner, text in error.expected.items()}
        except ValueError as error:
            expected[place] = str(error)
    if expected:
        raise CheckError(expected)
    return checked


def text(value: object) -> str:
    """Any text."""
    return _need(str, value, "should be text")


def matching(pattern: str, expected: str) -> Check[str]:
    """Text of which the pattern describes all."""

    def check(value: object) -> str:
        if not re.fullmatch(pattern, text(value)):
            raise ValueError(expected)
        return text(value)

    return check


filled = matching(r"(?s).+", "should have at least 1 character")
group = matching(r"[A-Za-z0-9_-]*", "should hold only letters, digits, _ and -")
type_name = matching(r"[A-Za-z][A-Za-z0-9_]*", "should start with a letter and hold only letters, digits and _")


def one_of(*names: str) -> Check[str]:
    """One of the names, spelled so."""

    def check(value: object) -> str:
        if value not in names:
            raise ValueError(f"should be one of {', '.join(names)}")
        return text(value)

    return check


def detail(value: object) -> str:
    """How much of something is kept, in capitals or not."""
    return one_of("FULL", "SUMMARY", "OMIT")(value.upper() if isinstance(value, str) else value)


def store(value: object) -> str:
    """The address of a store, in its canonical spelling."""
    return address.check_store(text(value))


def url(value: object) -> str:
    """The address of an HTTP service."""
    scheme, _, rest = text(value).partition("://")
    if scheme.lower() not in {"http", "https"} or rest.startswith("/") or not rest:
        raise ValueError("should be an http:// or https:// address")
    if "@" in rest:
        raise ValueError("should not hold a login; api_key does")
    return text(value)


def secret(value: object) -> Secret:
    """Text to hide."""
    return value if isinstance(value, Secret) else Secret(text(value))


def path(value: object) -> Path:
    """A place in the file system."""
    return value if isinstance(value, Path) else Path(_need(str, value, "should be a path"))


def boolean(value: object) -> bool:
    """Yes or no, also as text or as 1 and 0."""
    word = str(value).lower() if isinstance(value, str | int) else ""
    if word not in _YES | _NO:
        raise ValueError("should be true or false (also yes or no, on or off, 1 or 0)")
    return word in _YES


def count(value: object) -> int:
    """A whole number of things, at least one."""
    number = _number(value)
    if not number.is_integer() or number < 1:
        raise ValueError("should be a whole number greater than or equal to 1")
    return int(number)


def seconds(value: object) -> float:
    """A span of time."""
    number = _number(value)
    if not 0 < number < math.inf:
        raise ValueError("should be a finite number greater than 0")
    return number


def dollars(value: object) -> float:
    """An amount of money."""
    number = _number(value)
    if not 0 <= number < math.inf:
        raise ValueError("should be a finite number greater than or equal to 0")
    return number


def list_of(check: Check[T]) -> Check[tuple[T, ...]]:
    """A list of what the check takes."""

    def check_list(value: object) -> tuple[T, ...]:
        items = value if isinstance(value, tuple) else _need(list, value, "should be a list")
        return tuple(check_each((str(place), check, item) for place, item in enumerate(items)).values())

    return check_list


def table(value: object) -> dict[str, Any]:
    """A table of anything."""
    return _need(dict, value, "should be a table")


def texts_by_name(value: object) -> dict[str, str]:
    """A table of texts."""
    return check_each((name, text, item) for name, item in table(value).items())


def _need(kind: type[T], value: object, expected: str) -> T:
    if isinstance(value, kind):
        return value
    raise ValueError(expected)


def _number(value: object) -> float:
    """The number, also from text; NaN for whatever is none."""
    # Python counts true as 1.
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan

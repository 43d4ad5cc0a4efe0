"""What commands take: the options they share, times in words, text from files, and where global options may stand."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from everfact.errors import UsageError

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[int, typer.Option(help="At most this many.", min=1, max=1000)]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Types = Annotated[
    list[str] | None,
    typer.Option("--type", help="fact, entity, episode, or a type of entity such as Person; may be repeated."),
]
NameOrId = Annotated[str, typer.Argument(help="An entity's name, or an id as other commands print it.")]

_WITH_VALUE = {"--store", "--group", "--project", "--remote"}
_ALONE = {"--global"}
_FORMATS = {"json": ["--json"], "text": [], "markdown": ["--markdown"]}
_GLOBAL = _WITH_VALUE | _ALONE
_OWN = {"mcp serve": _GLOBAL, "token": _GLOBAL, "session-tracking": {"--project"}}
"""Commands with options of the same names."""


def arguments(argv: list[str]) -> list[str]:
    """What comes after the program's name, global options first, wherever they stood.

    Graphiti's own server is started by its name alone.
    """
    given = argv[1:]
    if Path(argv[0]).stem == "graphiti-mcp" and (not given or given[0] == "--transport"):
        return ["mcp", "serve", *given]
    own, rest = [], []
    waiting = iter(given)
    for word in waiting:
        name, has_value, value = word.partition("=")
        if word == "--":
            rest += [word, *waiting]
        elif name == "--format":
            rest += _format(value if has_value else next(waiting, ""))
        elif name not in _GLOBAL or any(name in _OWN.get(" ".join(rest[:count]), ()) for count in (1, 2)):
            rest.append(word)
        elif has_value or name in _ALONE:
            own.append(word)
        else:
            own += [word, *(value for value in (next(waiting, None),) if value is not None)]
    return [*own, *rest]


def _format(kind: str) -> list[str]:
    if kind not in _FORMATS:
        raise UsageError(f"there is no format {kind!r}", hint="give json or text, or for export markdown")
    return _FORMATS[kind]


def moment(text: str, option: str) -> datetime | None:
    """The time that an option gives, in ISO 8601 or in words ("last friday"): its beginning, in UTC; None if left out.

    Raises:
        UsageError: it is none.
    """
    text = text.strip()
    if not text:
        return None
    try:
        given = datetime.fromisoformat(text)
        return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    except (ValueError, OverflowError):
        return _in_words(text, option)


def _in_words(text: str, option: str) -> datetime:
    from everfact import clock
    from everfact.dates import find_dates

    if text.casefold() == "now":
        return clock.now()
    found = find_dates(text, clock.now())
    if len(found) != 1:
        raise UsageError(
            f"{option} is no time: {text[:40]!r}", hint="write it like 2026-03-01, 2026-03-01T09:00Z or 'last friday'"
        )
    return found[0].start


def needed(text: str, option: str) -> datetime:
    """Like `moment`, where a time must be given."""
    given = moment(text, option)
    if given is None:
        raise UsageError(f"{option} is empty", hint="write it like 2026-03-01, or 'last friday'")
    return given


def read_text(file: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).expanduser().read_bytes()
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}", hint="name a file, or - for standard input"
        ) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{file} is not UTF-8 text: line {line}", hint="save it as UTF-8") from error


def confirm(question: str, yes: bool) -> None:
    """Go on only if the person says so, or has said so with --yes.

    Raises:
        UsageError: nobody is there to be asked, or the answer is no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{question} There is nobody to ask.", hint="add --yes if you are sure")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise UsageError("nothing was done", hint="answer y to go on")

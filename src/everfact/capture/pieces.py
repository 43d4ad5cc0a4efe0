"""What the parsers of all formats find in a transcript: the pieces of a conversation, in one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

_LONGEST_PATH = 4096
_LONGEST_ID = 128


class Kind(StrEnum):
    """Who or what speaks."""

    PROMPT = "prompt"
    WORDS = "words"
    CALL = "call"
    RESULT = "result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A prompt of the person, words of the agent, a tool that it called, or what that answered."""

    kind: Kind
    id: str
    """A piece with the id and kind of an earlier one takes its place; a result has the id of its call."""
    text: str = ""
    at: datetime | None = None
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


@dataclass(slots=True, kw_only=True)
class Session:
    """What a parser has learned of the session so far."""

    id: str = ""
    cwd: Path | None = None
    is_side: bool = False
    """Work that an agent gave to another one: who asked for it is told what came of it."""

    def learn(self, *, id: object = None, cwd: object = None) -> None:
        """Note what a line says of the session."""
        if isinstance(id, str) and len(id) <= _LONGEST_ID:
            self.id = self.id or id
        if isinstance(cwd, str) and len(cwd) <= _LONGEST_PATH and "\0" not in cwd and Path(cwd).is_absolute():
            self.cwd = Path(cwd)


def moment(text: object) -> datetime | None:
    """The time that a line gives; None if it gives none that can be read."""
    try:
        read = datetime.fromisoformat(text) if isinstance(text, str) else None
        return None if read is None else read.replace(tzinfo=read.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def table(value: object) -> Mapping[str, Any]:
    """The value, if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def word(value: object) -> str:
    """The value, if it is text, else none."""
    return value if isinstance(value, str) else ""


def parts(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects in a list; text alone is one part."""
    if isinstance(value, str):
        yield {"type": "text", "text": value}
    elif isinstance(value, list):
        yield from (part if isinstance(part, dict) else {"type": "text", "text": word(part)} for part in value)


def text_of(value: object) -> str:
    """The text in a message's content, whichever form it has; pictures and the like are left out."""
    return "\n".join(text for part in parts(value) if (text := word(part.get("text"))))


def said(value: object, machine: tuple[str, ...]) -> str:
    """The text of a person in a message's content, without the parts that begin as what their program adds."""
    texts = (word(part.get("text")) for part in parts(value))
    return "\n".join(text for text in texts if text and not text.lstrip().startswith(machine))

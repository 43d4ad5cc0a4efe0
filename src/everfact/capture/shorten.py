"""How much of each piece is kept: all of it, a line that sums it up by rule, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from everfact.injected import without_injected, without_marked

Detail = Literal["FULL", "SUMMARY", "OMIT"]

_LINE = 160
_LONGEST = 100_000
"""Characters of one piece that are kept at most, in full detail too."""
_TARGETS = (
    *("file_path", "absolute_path", "path", "notebook_path", "command", "cmd", "pattern", "query", "url", "skill"),
    *("description", "name", "subject", "prompt", "input"),
)
"""Arguments that say best what a call is about, the most telling first."""
_OURS = re.compile(r"mcp_+[\w-]*(?:everfact|graphiti|kuzu)", re.IGNORECASE)
_EXIT = re.compile(r"(?:process exited with code|exit(?: code|ed with code)?)[: ]+(-?\d{1,6})", re.IGNORECASE)
_HEAD = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """How much of each class of message is kept."""

    user_messages: Detail = "FULL"
    agent_messages: Detail = "FULL"
    tool_calls: Detail = "SUMMARY"
    tool_content: Detail = "SUMMARY"


def cleaned(text: str) -> tuple[str, bool]:
    """The text without what was injected or is private, and whether something private was left open at its end."""
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    text = without_marked(without_injected(text), "system-reminder")
    left = without_marked(f"{text}\0", "private")  # the last character goes when a marker is not closed
    return left.removesuffix("\0").strip(), not left.endswith("\0")


def words(detail: Detail, text: str) -> str:
    """What somebody said."""
    if detail == "OMIT":
        return ""
    if detail == "SUMMARY":
        first = _first_line(text)
        return first if len(first) == len(text) else f"{first} ({len(text):,} characters)"
    return _capped(text)


def call(detail: Detail, tool: str, arguments: Mapping[str, Any]) -> str:
    """Which tool was called, and on what."""
    if detail == "OMIT":
        return ""
    if detail == "FULL":
        return _capped(f"{tool} {json.dumps(arguments, ensure_ascii=False, default=str)}")
    given = (arguments.get(name) for name in _TARGETS)
    target = next((_first_line(str(value)) for value in given if isinstance(value, str | int | list) and value), "")
    return f"{tool} {target}".strip()


def result(detail: Detail, tool: str, text: str, *, failed: bool) -> str:
    """What a tool answered: its exit, first line and size. What our own tools recall is no news."""
    if detail == "OMIT" or _OURS.match(tool):
        return "failed" if failed and detail != "OMIT" else ""
    if detail == "FULL":
        return _capped(text)
    ended = _EXIT.search(text[:_HEAD])
    exit_ = f"exit {ended[1]}" if ended else "failed" if failed else ""
    lines = text.count("\n") + 1
    size = f"{lines:,} lines, {len(text):,} characters" if lines > 1 else ""
    return "; ".join(filter(None, (exit_, _first_line(text), size)))


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip() and not _EXIT.match(line.strip())), "")
    return line if len(line) <= _LINE else line[: _LINE - 1].rstrip() + "…"


def _capped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text) - _LONGEST:,} characters more)"

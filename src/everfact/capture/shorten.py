"""How much of each piece is kept: all of it, a line that sums it up by rule, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from everfact.injected import without_injected, without_marked
from everfact.redact import redact

Detail = Literal["FULL", "SUMMARY", "OMIT"]

_LINE = 160
_LONGEST_NAME = 100
_LONGEST = 100_000
"""Characters of one piece that are kept at most, in full detail too."""
_TARGETS = (
    *("file_path", "absolute_path", "path", "notebook_path", "command", "cmd", "pattern", "query", "url", "skill"),
    *("description", "name", "subject", "prompt", "input"),
)
"""Arguments that say best what a call is about, the most telling first."""
_OURS = re.compile(
    r"mcp_.*(?:everfact|graphiti|kuzu|"
    r"_(?:get_context|get_history|search_nodes|search_(?:memory_)?facts|search_memory_nodes|get_entities_by_type"
    r"|get_entity_edge|get_episodes|get_episode_entities|explain_fact|compare_facts_over_time|summarize_saga)$)",
    re.IGNORECASE,
)
"""Tools of a memory, by the name of the server or their own: what they recall is no news."""
_EXIT = re.compile(r"(?:process exited with code|exit(?: code|ed with code)?)[: ]+(-?\d{1,6})", re.IGNORECASE)
_LONGEST_SECRET = 4_000
_HEAD = 400
_PREAMBLE = re.compile(
    r"(?:(?:wall time|chunk id|original token count|total output lines)\b.*|output:)$", re.IGNORECASE
)
"""What Codex writes above the output of a command."""
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """How much of each class of message is kept."""

    user_messages: Detail = "FULL"
    agent_messages: Detail = "FULL"
    tool_calls: Detail = "SUMMARY"
    tool_content: Detail = "SUMMARY"


def cleaned(text: str) -> tuple[str, bool]:
    """The text without what was injected or is private, and whether something private was left open at its end."""
    text = without_marked(without_injected(text.replace("\0", "")), "system-reminder")
    left = without_marked(f"{text}\0", "private")  # the last character goes when a marker is not closed
    return left.removesuffix("\0").strip(), not left.endswith("\0")


def name(tool: str) -> str:
    """A tool's name, as far as one goes."""
    return _safe(tool, _LONGEST_NAME)[:_LONGEST_NAME]


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
        return _capped(f"{name(tool)} {json.dumps(arguments, ensure_ascii=False)}")
    given = (_target(arguments.get(name)) for name in _TARGETS)
    return f"{name(tool)} {next(filter(None, given), '')}".strip()


def _target(value: object) -> str:
    if isinstance(value, list):
        return _first_line(" ".join(map(str, value)))
    if not isinstance(value, str):
        return ""
    patched = _PATCHED.findall(value)
    return _first_line(" ".join(patched) or value)


def result(detail: Detail, tool: str, text: str, *, failed: bool) -> str:
    """What a tool answered: its exit, first line and size. Nothing of what a memory recalls."""
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
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if line and not _EXIT.match(line) and not _PREAMBLE.match(line)), "")
    line = _safe(line, _LINE)
    return line if len(line) <= _LINE else line[: _LINE - 1].rstrip() + "…"


def _capped(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{_safe(text, _LONGEST)[:_LONGEST]}… ({len(text) - _LONGEST:,} characters more)"


def _safe(text: str, most: int) -> str:
    """So much of a text that it can be cut there: half a secret would not be known for one later."""
    return redact(text[: most + _LONGEST_SECRET])[0]

"""Codex's rollouts: `{timestamp, type, payload}` a line, of which the items of the conversation are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from everfact.capture.pieces import Kind, Piece, Session, moment, parts, said, table, text_of, word

_NOT_A_PERSON = (
    "<environment_context>",
    "<user_instructions>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "# AGENTS.md instructions",
)


def pieces(record: Mapping[str, Any], session: Session) -> Iterator[Piece]:
    """What a line adds to the conversation; events say the same again, so only its items count."""
    payload, at = table(record.get("payload")), moment(record.get("timestamp"))
    kind = record.get("type")
    if kind == "session_meta":
        source = payload.get("source")
        session.is_side = isinstance(source, dict) or "subagent" in (source, payload.get("thread_source"))
        session.learn(id=payload.get("id"), cwd=payload.get("cwd"))
    elif kind == "turn_context":
        session.learn(cwd=payload.get("cwd"))
    elif kind == "response_item":
        yield from _item(payload, word(record.get("timestamp")), at)


def _item(item: Mapping[str, Any], own: str, at: datetime | None) -> Iterator[Piece]:
    kind, call = word(item.get("type")), word(item.get("call_id")) or word(item.get("id"))
    if kind == "message":
        yield from _message(item, word(item.get("id")) or own, at)
    elif kind.endswith("_call_output"):
        output = item.get("output")
        text = text_of(table(output).get("content") if isinstance(output, dict) else output)
        yield Piece(kind=Kind.RESULT, id=call, text=text, at=at, failed=table(output).get("success") is False)
    elif kind.endswith("_call"):
        names = [word(item.get("namespace")), word(item.get("name")) or kind.removesuffix("_call")]
        yield Piece(kind=Kind.CALL, id=call, tool="__".join(filter(None, names)), arguments=_arguments(item), at=at)


def _message(item: Mapping[str, Any], own: str, at: datetime | None) -> Iterator[Piece]:
    text = text_of(item.get("content"))
    if item.get("role") == "assistant" and text:
        yield Piece(kind=Kind.WORDS, id=own, text=text, at=at)
    elif item.get("role") == "user":
        prompt = said(item.get("content"), _NOT_A_PERSON)
        if prompt and not _is_harness(item):
            yield Piece(kind=Kind.PROMPT, id=own, text=prompt, at=at)


def _is_harness(item: Mapping[str, Any]) -> bool:
    """Said by the program itself, where it tells who said what."""
    passed = table(item.get("internal_chat_message_metadata_passthrough"))
    told = [table(part.get("provenance")).get("type") for part in parts(passed.get("content_item_metadata"))]
    return bool(told) and "user" not in told


def _arguments(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A function's arguments are JSON in text, another tool's input is text, a shell's an action."""
    given = item.get("arguments", item.get("input", item.get("action")))
    if not isinstance(given, str):
        return table(given)
    try:
        read = json.loads(given)
    except (ValueError, RecursionError):
        read = None
    return read if isinstance(read, dict) else {"input": given}

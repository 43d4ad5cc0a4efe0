"""Gemini CLI's chats: a header, then messages and patches (`$set`) a line; a message may come again, more complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from everfact.capture.pieces import Kind, Piece, Session, moment, parts, said, table, text_of, word
from everfact.injected import without_marked

_NOT_A_PERSON = ("<session_context>", "<system-reminder>")
_FROM_HOOKS = "hook_context"


def pieces(record: Mapping[str, Any], session: Session) -> Iterator[Piece]:
    """What a line adds to the conversation."""
    session.learn(id=record.get("sessionId"))
    session.is_side = session.is_side or record.get("kind") == "subagent"
    patch = table(record.get("$set"))
    for message in (record, *parts(record.get("messages")), *parts(patch.get("messages"))):
        yield from _message(message)


def _message(message: Mapping[str, Any]) -> Iterator[Piece]:
    own, at = word(message.get("id")), moment(message.get("timestamp"))
    if message.get("type") == "user":
        if prompt := _prompt(message.get("content")):
            yield Piece(kind=Kind.PROMPT, id=own, text=prompt, at=at)
    elif message.get("type") == "gemini":
        if text := text_of(message.get("content")):
            yield Piece(kind=Kind.WORDS, id=own, text=text, at=at)
        for call in parts(message.get("toolCalls")):
            yield from _call(call, own)


def _prompt(content: object) -> str:
    """What the person wrote; the notes of hooks stand before it, in the same part."""
    texts = (without_marked(word(part.get("text")), _FROM_HOOKS).strip() for part in parts(content))
    return said([{"text": text} for text in texts], _NOT_A_PERSON)


def _call(call: Mapping[str, Any], own: str) -> Iterator[Piece]:
    at, key = moment(call.get("timestamp")), word(call.get("id")) or own
    name = word(call.get("name"))
    yield Piece(kind=Kind.CALL, id=key, tool=name, arguments=table(call.get("args")), at=at)
    if "result" in call:
        answers = [table(table(part.get("functionResponse")).get("response")) for part in parts(call.get("result"))]
        text = "\n".join(word(answer.get("output", answer.get("error"))) for answer in answers)
        failed = call.get("status") == "error"
        yield Piece(kind=Kind.RESULT, id=key, text=text, at=at, failed=failed)

"""Claude Code's transcripts: one object a line, and one line for each block of a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from everfact.capture.pieces import Kind, Piece, Session, moment, parts, said, table, text_of, word

_NOT_A_PERSON = (
    *("<command-", "<local-command-", "<task-notification>", "<system-reminder>", "[Request interrupted"),
    *("<bash-input>", "<bash-stdout>", "<bash-stderr>"),
)
_QUIET = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain", "isApiErrorMessage")
"""Lines with these are nobody's words; the summary of a compaction repeats what was taken already."""


def pieces(record: Mapping[str, Any], session: Session) -> Iterator[Piece]:
    """What a line adds to the conversation; nothing if it is of another kind."""
    kind = record.get("type")
    if kind not in ("user", "assistant") or any(record.get(name) is True for name in _QUIET):
        return
    session.learn(id=record.get("sessionId"), cwd=record.get("cwd"))
    content, at = table(record.get("message")).get("content"), moment(record.get("timestamp"))
    own = word(record.get("uuid")) or word(record.get("timestamp"))
    if kind == "assistant" and table(record.get("message")).get("model") == "<synthetic>":
        return  # words that the program puts in the agent's mouth
    if kind == "assistant":
        yield from _of_agent(content, own, at)
        return
    results = [part for part in parts(content) if part.get("type") == "tool_result"]
    for part in results:
        failed = part.get("is_error") is True
        yield Piece(
            kind=Kind.RESULT, id=word(part.get("tool_use_id")), text=text_of(part.get("content")), at=at, failed=failed
        )
    text = said(content, _NOT_A_PERSON)
    if text and not results and _is_prompt(record):
        yield Piece(kind=Kind.PROMPT, id=own, text=text, at=at)


def _of_agent(content: object, own: str, at: Any) -> Iterator[Piece]:
    for index, part in enumerate(parts(content)):
        if part.get("type") == "text" and word(part.get("text")):
            yield Piece(kind=Kind.WORDS, id=f"{own}/{index}", text=part["text"], at=at)
        elif part.get("type") == "tool_use":
            arguments = table(part.get("input"))
            yield Piece(
                kind=Kind.CALL, id=word(part.get("id")), tool=word(part.get("name")), arguments=arguments, at=at
            )


def _is_prompt(record: Mapping[str, Any]) -> bool:
    origins = [record.get(name) for name in ("origin", "turnOrigin")]
    is_machine = any("task-notification" in (origin, table(origin).get("kind")) for origin in origins)
    return not is_machine and record.get("promptSource") != "system"

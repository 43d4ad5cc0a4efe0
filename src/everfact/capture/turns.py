"""Turns of a conversation, and the episodes that each becomes.

A turn is a prompt and all that follows up to the next one. It becomes at most three episodes: the prompt, the answer
(the agent's last words, after which it called no tool), and the work in between: narration and tools, line by line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid5

from everfact.capture import shorten
from everfact.capture.pieces import Kind, Piece, Session
from everfact.capture.shorten import Filters
from everfact.models import JSON, Draft, Source, Trust

_NAMESPACE = UUID("6b0f6a0e-2f0b-5c55-9f5e-0d8f6f2f2a51")
_MOST_WORK = 200_000
"""Characters of an episode about work."""
_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A piece as far as it is kept."""

    kind: Kind
    text: str
    at: datetime | None
    tool: str = ""
    result: str = ""


@dataclass(slots=True, kw_only=True)
class Turn:
    """A prompt and what followed, shortened as it comes in, so that a long one takes little room."""

    client: str
    start: int
    """Where its first line begins in the file."""
    filters: Filters
    id: str = ""
    thread: str = ""
    cwd: Path | None = None
    characters: int = 0
    """Of all pieces, before anything was left out."""
    prompt: str = ""
    at: datetime | None = None
    _steps: dict[str, _Step] = field(default_factory=dict)
    _is_private: bool = False

    @property
    def tokens(self) -> int:
        """What it would take to read all of it."""
        return self.characters // _PER_TOKEN

    def add(self, piece: Piece, session: Session) -> None:
        """Take in a piece."""
        self.id = self.id or piece.id
        self.thread, self.cwd = session.id or self.thread, self.cwd or session.cwd
        self.at = self.at or piece.at
        self.characters += len(piece.text) + len(str(piece.arguments) if piece.arguments else "")
        if self._is_private:
            return
        text, is_open = shorten.cleaned(piece.text)
        # In what a tool answers the marker is code or markup, and nobody's wish for what comes after.
        self._is_private = is_open and piece.kind in (Kind.PROMPT, Kind.WORDS)
        if piece.kind is Kind.PROMPT:
            self.prompt = shorten.words(self.filters.user_messages, text)
        elif piece.kind is Kind.WORDS:
            kept = shorten.words(self.filters.agent_messages, text)
            self._steps[f"words/{piece.id}"] = _Step(kind=piece.kind, text=kept, at=piece.at)
        else:
            self._add_tool(piece, text)

    def _add_tool(self, piece: Piece, text: str) -> None:
        key = f"call/{piece.id}"
        before = self._steps.get(key) or _Step(kind=Kind.CALL, text="", at=piece.at)
        if piece.kind is Kind.CALL:
            called, _ = shorten.cleaned(shorten.call(self.filters.tool_calls, piece.tool, piece.arguments))
            step = _Step(kind=Kind.CALL, text=called, at=piece.at, tool=shorten.name(piece.tool), result=before.result)
        else:
            answered = shorten.result(self.filters.tool_content, before.tool, text, failed=piece.failed)
            step = _Step(kind=Kind.CALL, text=before.text, at=before.at, tool=before.tool, result=answered)
        self._steps[key] = step

    def drafts(self, group_id: str) -> Iterator[Draft]:
        """The episodes it becomes; told again, each is the same one, however much of the turn was there before."""
        steps = list(self._steps.values())
        last = max((place for place, step in enumerate(steps) if step.kind is Kind.CALL), default=-1)
        work, answer = steps[: last + 1], steps[last + 1 :]
        if self.prompt:
            yield self._draft(group_id, "user", self.prompt, self.at)
        if said := "\n\n".join(step.text for step in answer if step.text):
            yield self._draft(group_id, "assistant", said, answer[-1].at or self.at)
        if done := "\n".join(filter(None, map(_line, work))):
            tools: list[JSON] = list(dict.fromkeys(step.tool for step in work if step.tool))
            yield self._draft(group_id, "tool", done[:_MOST_WORK], work[0].at or self.at, tools)

    def _draft(
        self, group_id: str, role: str, text: str, at: datetime | None, tools: list[JSON] | None = None
    ) -> Draft:
        is_work = tools is not None
        # Forks of a session share a prompt and differ in what followed. Its first piece stays when a turn goes on.
        own = self.id if role == "user" else f"{self.id}\0{next(iter(self._steps))}"
        return Draft(
            content=text,
            group_id=group_id,
            source=Source.MESSAGE,
            source_description=f"{self.client} session",
            reference_time=at,
            uuid=str(uuid5(_NAMESPACE, "\0".join((group_id, self.client, own, role)))),
            thread=f"{self.thread}/tools" if is_work else self.thread,
            speaker="" if is_work else role,
            role=role,
            attributes={"tools": tools, "trust": Trust.UNVERIFIED} if is_work else {},
            is_captured=True,
        )


def turns(found: Iterable[tuple[int, Piece]], session: Session, *, client: str, filters: Filters) -> Iterator[Turn]:
    """The turns that pieces, each with its place in the file, make up; the last one may go on another time."""
    turn: Turn | None = None
    for start, piece in found:
        if turn is None or (piece.kind is Kind.PROMPT and piece.id != turn.id):
            if turn is not None:
                yield turn
            turn = Turn(client=client, start=start, filters=filters)
        turn.add(piece, session)
    if turn is not None:
        yield turn


def tokens(drafts: Iterable[Draft]) -> int:
    """What it takes to read the episodes."""
    return sum(len(draft.content) for draft in drafts) // _PER_TOKEN


def digest(draft: Draft) -> str:
    """A short sign of what an episode says."""
    return hashlib.sha256(draft.content.encode()).hexdigest()[:16]


def _line(step: _Step) -> str:
    if step.kind is not Kind.CALL:
        return step.text
    return " → ".join(filter(None, (step.text and f"- {step.text}", step.result)))

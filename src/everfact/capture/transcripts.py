"""Where transcripts lie, and what is in one: which session, where it worked, its turns."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from everfact.capture import claude_code, codex, gemini
from everfact.capture.lines import records
from everfact.capture.pieces import Piece, Session
from everfact.capture.shorten import Filters
from everfact.capture.turns import Turn, turns
from everfact.errors import NotFound, UsageError

_PARSERS = {"claude": claude_code.pieces, "codex": codex.pieces, "gemini": gemini.pieces}
_PATTERNS = {
    "claude": ("*/*.jsonl",),  # below each session's own folder lie those of agents that it asked
    "codex": ("**/rollout-*.jsonl",),
    "gemini": ("*/chats/session-*.jsonl", "*/chats/session-*.json"),
}
CLIENTS = tuple(_PARSERS)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ID = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_HEAD = 50
"""Lines after which a session has said where it works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A file that a client wrote."""

    path: Path
    client: str
    modified: datetime

    def session_id(self) -> str:
        """The session that it is of.

        Raises:
            CaptureError: the file cannot be read.
        """
        found = _UUID.search(self.path.stem)
        return found[0] if found else self._told_id() or self.path.stem

    def _told_id(self) -> str:
        return self.session().id if self.client == "gemini" else ""  # its files are named for a part of the id

    def session(self) -> Session:
        """What the head of the file says of the session.

        Raises:
            CaptureError: the file cannot be read.
        """
        session = self._begun()
        session.cwd = _project_of(self.path) if self.client == "gemini" else None
        for number, (_, record) in enumerate(records(self.path)):
            for _ in _PARSERS[self.client](record or {}, session):
                pass
            if number >= _HEAD or (session.id and session.cwd):
                break
        return session

    def turns(self, filters: Filters, offset: int = 0) -> Iterator[Turn]:
        """The turns from that place on.

        Raises:
            CaptureError: the file cannot be read.
        """
        session = self.session()
        if session.is_side:
            return iter(())
        return turns(self._pieces(session, offset), session, client=self.client, filters=filters)

    def _begun(self) -> Session:
        return Session(id="" if self.client == "gemini" else self.session_id())

    def _pieces(self, session: Session, offset: int) -> Iterator[tuple[int, Piece]]:
        parse = _PARSERS[self.client]
        for start, record in records(self.path, offset):
            if record is not None:
                for piece in parse(record, session):
                    yield start, piece
            if session.is_side:
                return


def check_session(session_id: str) -> str:
    """The id, if it can be one.

    Raises:
        UsageError: it cannot.
    """
    if not _ID.fullmatch(session_id):
        raise UsageError(f"{session_id[:40]!r} is no session id", hint="give the one that the client shows")
    return session_id


def at(path: Path, client: str = "") -> Transcript:
    """The transcript in that file; without a client, the one that the file's name and place speak for.

    Raises:
        UsageError: no such client is known.
        NotFound: there is no such file.
    """
    path = _expanded(path).absolute()
    client = client or ("codex" if path.name.startswith("rollout-") else "")
    client = client or ("gemini" if path.parent.name == "chats" else "claude")
    if client not in _PARSERS:
        raise UsageError(f"no client is called {client[:40]!r}", hint=f"name one of {', '.join(CLIENTS)}")
    found = _seen(path, client)
    if found is None:
        raise NotFound(f"there is no transcript {path} that can be read", hint="look at everfact session-tracking sync")
    return found


def find(folders: Mapping[str, Path], *, since: datetime | None = None) -> list[Transcript]:
    """The transcripts in the clients' folders that were written to since then, newest first."""
    seen = (
        _seen(path, client)
        for client, folder in folders.items()
        for pattern in _PATTERNS[client]
        for path in folder.glob(pattern)
    )
    found = [item for item in seen if item is not None and (since is None or item.modified >= since)]
    return sorted(found, key=lambda item: (item.modified, str(item.path)), reverse=True)


def of_session(folders: Mapping[str, Path], session_id: str) -> Transcript:
    """The transcript of a session.

    Raises:
        UsageError: that can be no session.
        NotFound: there is none in the clients' folders.
    """
    check_session(session_id)
    for item in find(folders):
        if item.session_id() == session_id:
            return item
    raise NotFound(f"there is no transcript of session {session_id}", hint="name the file with --transcript")


def latest(folders: Mapping[str, Path], project: Path) -> Transcript:
    """The transcript of the session in that folder, or below it, that was written to last.

    Raises:
        NotFound: there is none in the clients' folders.
    """
    for item in in_project(find(folders), project):
        return item
    raise NotFound(f"there is no transcript of a session in {project}", hint="name the session, or the file")


def in_project(items: Sequence[Transcript], project: Path) -> Iterator[Transcript]:
    """Those whose session worked in that folder, or below it."""
    project = _expanded(project).absolute()
    for item in items:
        cwd = item.session().cwd
        if cwd is not None and cwd.is_relative_to(project):
            yield item


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise UsageError(f"{str(path)[:40]!r} is nobody's home", hint="write the path out") from error


def _seen(path: Path, client: str) -> Transcript | None:
    try:
        if not path.is_file() or not os.access(path, os.R_OK):
            return None
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None  # no such name can be
    return Transcript(path=path, client=client, modified=modified)


def _project_of(path: Path) -> Path | None:
    """The project's folder that Gemini CLI notes beside its chats."""
    try:
        text = (path.parent.parent / ".project_root").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    told = Session()
    told.learn(cwd=text)
    return told.cwd

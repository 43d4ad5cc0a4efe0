"""Commits as episodes: those that are not yet among the ancestors of what was indexed before, the oldest first.

A commit is known by author, time and message, so that one which was rebased or came in by another clone is the same
episode, and indexing anything twice adds nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Protocol
from uuid import UUID, uuid5

from everfact import clock
from everfact.clock import new_secret
from everfact.errors import CaptureError
from everfact.git.program import output, start
from everfact.models import Added, Draft

_NAMESPACE = UUID("0f8c3a52-7a55-5b0e-9a57-4c1a2f6f0f0d")
_SECONDS = 30.0
_AT_ONCE = 64
_CHUNK = 1 << 20
_TIPS = 16
_LONGEST = 20_000
_FILES = 50
_FIELDS = ("%H", "%an", "%ae", "%aI", "%B")


class Ear(Protocol):
    """What indexing asks of a memory."""

    async def add(self, draft: Draft) -> Added:
        """Keep what was told."""

    async def state(self, name: str) -> str | None:
        """A small named value."""

    async def set_state(self, name: str, value: str | None) -> None:
        """Keep a small named value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """What came of indexing a folder."""

    repository: str
    """Empty where there is none."""
    head: str = ""
    commits: int = 0
    """Read now; what was indexed before is not read again, unless history was rewritten."""
    episodes: int = 0
    """Told now."""
    left_out: int = 0
    """Older commits, beyond the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far a repository has been indexed."""

    tips: tuple[str, ...] = ()
    """Commits whose ancestors are indexed, the latest first."""
    shallow: str = ""
    """A sign of where history was cut off in the clone then."""
    limit: int = 0
    """Of how many commits the older ones were left out; 0 if none were."""


@dataclass(slots=True, kw_only=True)
class _Commit:
    sha: str
    author: str
    email: str
    at: str
    message: str
    files: list[str] = field(default_factory=list)
    """The first of them."""
    count: int = 0
    """Of all."""


def state_name(group_id: str, repository: str) -> str:
    """Under which name a memory keeps the mark of a repository."""
    return f"git/{group_id}/{repository}"


def read_mark(text: str | None) -> Mark:
    """The mark as it was kept."""
    if text is None:
        return Mark()
    kept = json.loads(text)
    return Mark(tips=tuple(kept["tips"]), shallow=kept["shallow"], limit=kept["limit"])


async def index(
    memory: Ear,
    folder: Path,
    *,
    group_id: str,
    repository: str,
    limit: int,
    step: Callable[[int], None] = lambda _: None,
) -> Indexed:
    """Tell the memory of the commits that lead to what is checked out in the folder, at most the `limit` newest.

    Raises:
        CaptureError: git cannot read the repository.
    """
    name = state_name(group_id, repository)
    mark = read_mark(await memory.state(name))
    plan = await asyncio.to_thread(_plan, folder, mark, limit)
    if plan is None:
        return Indexed(repository=repository)
    began, commits, episodes = clock.now(), 0, 0
    reading = _log(folder, plan, limit)
    while batch := await asyncio.to_thread(lambda: list(islice(reading, _AT_ONCE))):
        for commit in batch:
            added = await memory.add(_draft(commit, group_id))
            commits, episodes = commits + 1, episodes + (added.episode.created_at >= began)
            step(1)
    left_out = max(plan.new - limit, 0)
    kept = Mark(
        tips=(plan.head, *(tip for tip in mark.tips if tip != plan.head))[:_TIPS],
        shallow=plan.shallow,
        limit=limit if left_out else mark.limit if plan.tips else 0,
    )
    await memory.set_state(name, json.dumps(asdict(kept)))
    return Indexed(repository=repository, head=plan.head, commits=commits, episodes=episodes, left_out=left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is to be read: what leads to `head`, without what leads to `tips`."""

    head: str
    tips: tuple[str, ...]
    shallow: str
    new: int


def _plan(folder: Path, mark: Mark, limit: int) -> _Plan | None:
    """What is new; everything again where more of the past can be had, or is wanted, than the last time."""
    head = _line(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not head:
        return None
    shallow = _shallow(folder)
    is_as_deep = mark.shallow == shallow and (mark.limit == 0 or limit <= mark.limit)
    # A tip that was rewritten and swept away is no commit any more: then what leads to the others is left out.
    tips = tuple(tip for tip in mark.tips if is_as_deep and _line(folder, "cat-file", "-t", tip) == "commit")
    new = _line(folder, "rev-list", "--count", head, "--not", *tips)
    return _Plan(head=head, tips=tips, shallow=shallow, new=int(new or 0))


def _log(folder: Path, plan: _Plan, limit: int) -> Iterator[_Commit]:
    """The commits, the oldest first. Nothing in a message or a name can pass for the boundary between two."""
    boundary = new_secret()
    form = "%x00".join((boundary, *_FIELDS, ""))
    chosen = ("--reverse", "--topo-order", f"--max-count={limit}", plan.head, "--not", *plan.tips)
    process = start(
        folder, "-c", "i18n.logOutputEncoding=UTF-8", "log", "-z", "--name-only", f"--format={form}", *chosen
    )
    if process is None:
        raise CaptureError("git is not there any more", hint="install git, or put it on PATH")
    with process:
        assert process.stdout is not None
        yield from _parsed(_tokens(process.stdout), boundary)
    if process.returncode:
        raise CaptureError(f"git cannot read the history of {folder}", hint="try: git fsck")


def _tokens(stream: IO[bytes]) -> Iterator[str]:
    """What stands between null bytes; of what is very long, the beginning."""
    left = b""
    while chunk := stream.read(_CHUNK):
        *whole, left = (left + chunk).split(b"\0")
        left = left[: 8 * _LONGEST]
        yield from (part[: 8 * _LONGEST].decode("utf-8", "replace") for part in whole)
    yield left.decode("utf-8", "replace")


def _parsed(tokens: Iterator[str], boundary: str) -> Iterator[_Commit]:
    commit: _Commit | None = None
    for token in tokens:
        if token.lstrip("\n") == boundary:
            if commit is not None:
                yield commit
            sha, author, email, at, message = islice(tokens, len(_FIELDS))
            commit = _Commit(sha=sha, author=author, email=email, at=at, message=message)
        elif commit is not None and (name := token.lstrip("\n")):
            commit.files += [name] if len(commit.files) < _FILES else []
            commit.count += 1
    if commit is not None:
        yield commit


def _draft(commit: _Commit, group_id: str) -> Draft:
    message = commit.message.strip()[:_LONGEST] or "(no message)"
    more = commit.count - len(commit.files)
    listed = ", ".join(commit.files) + (f" and {more} more" if more else "")
    return Draft(
        content=f"{message}\n\nFiles: {listed}" if listed else message,
        name=message.splitlines()[0][:200],
        group_id=group_id,
        source_description="git commit",
        reference_time=_moment(commit.at),
        uuid=str(uuid5(_NAMESPACE, "\0".join((group_id, commit.email, commit.at, message)))),
        speaker=commit.author,
        attributes={"commit": commit.sha, "files": list(commit.files)},
        is_captured=True,
    )


def _moment(text: str) -> datetime:
    """The time of a commit; there are some with impossible ones."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime(1970, 1, 1, tzinfo=UTC)


def _shallow(folder: Path) -> str:
    """A sign of where the history of a shallow clone is cut off; empty if it is whole."""
    place = _line(folder, "rev-parse", "--git-path", "shallow")
    try:
        cut = (folder / place).read_bytes()
    except OSError:
        return ""
    return hashlib.sha256(cut).hexdigest()[:16]


def _line(folder: Path, *arguments: str) -> str:
    """The one line that git prints; nothing if it fails."""
    return (output(folder, *arguments, seconds=_SECONDS) or b"").decode("utf-8", "replace").strip()

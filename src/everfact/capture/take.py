"""Taking a session's turns into the memory, from where it was left the last time."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from everfact.capture import transcripts
from everfact.capture.lines import Place, place_at, still_holds
from everfact.capture.shorten import Filters
from everfact.capture.transcripts import Transcript
from everfact.capture.turns import Turn, digest, tokens
from everfact.errors import UsageError
from everfact.models import Added, Draft

_AT_ONCE = 32
"""Turns that are read before they are told, and after which the place is kept."""


class Ear(Protocol):
    """What capturing asks of a memory."""

    async def add(self, draft: Draft) -> Added:
        """Keep what was told."""

    async def state(self, name: str) -> str | None:
        """A small named value."""

    async def set_state(self, name: str, value: str | None) -> None:
        """Keep a small named value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How sessions are captured; `assemble.capture_options` makes it of the settings."""

    group_of: Callable[[Path], str]
    """The group of what was said in that folder."""
    folders: Mapping[str, Path] = field(default_factory=dict)
    """Where each client keeps its transcripts."""
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What came of capturing a session."""

    session_id: str
    transcript: Path
    turns: int
    episodes: int
    """Told now; what was told before is not told again."""
    tokens: int
    """Of these episodes, at four characters each."""
    tokens_saved: int
    """By what the filters left out of their turns."""
    stopped: bool = False
    """Somebody said that this session is not to be captured, so nothing was read."""


async def capture_session(
    memory: Ear,
    options: Options,
    *,
    transcript: Path | None = None,
    client: str = "",
    session_id: str = "",
    project: Path | None = None,
) -> Captured:
    """Take in what was said in a session since it was last captured.

    Name its file (and, if it is not where its client puts it, the client), or its id, or the folder it works in, whose
    latest session it is then; the first one that is given counts.

    Safe to repeat and to run side by side: a turn makes the same episodes whenever and however often it is read. It
    returns when all is told (on disk and searchable), before it is digested.

    Raises:
        UsageError: no session is named, or no such client is known.
        NotFound: there is no such transcript.
        CaptureError: it cannot be read.
    """
    if transcript is not None:
        found = await asyncio.to_thread(transcripts.at, transcript, client)
    elif session_id:
        found = await asyncio.to_thread(transcripts.of_session, options.folders, session_id)
    elif project is not None:
        found = await asyncio.to_thread(transcripts.latest, options.folders, project)
    else:
        raise UsageError("no session is named", hint="give its id, its transcript, or the folder it works in")
    return await take(memory, options, found)


async def take(memory: Ear, options: Options, transcript: Transcript) -> Captured:
    """The same for a transcript that is known already.

    Raises:
        CaptureError: it cannot be read.
    """
    session_id = await asyncio.to_thread(transcript.session_id)
    done = _Count()
    if await followed(memory, session_id) is False:
        return _captured(transcript, session_id, done, stopped=True)
    place, told = await _left_at(memory, transcript)
    reading = await asyncio.to_thread(transcript.turns, options.filters, place.offset)
    while batch := await asyncio.to_thread(_next, reading):
        for turn in batch:
            told = await _tell(memory, turn, options, told, done)
        kept = await asyncio.to_thread(place_at, transcript.path, batch[-1].start)
        await memory.set_state(_state_name(transcript), json.dumps(asdict(kept) | {"told": told}))
    return _captured(transcript, session_id, done)


async def followed(memory: Ear, session_id: str) -> bool | None:
    """What somebody said of following this session; None if nobody said anything."""
    return {"on": True, "off": False}.get(await memory.state(_session_name(session_id)) or "")


async def follow(memory: Ear, session_id: str, *, wanted: bool) -> None:
    """Have a session followed, or have nothing of it captured, from now on."""
    await memory.set_state(_session_name(session_id), "on" if wanted else "off")


async def preview(memory: Ear, options: Options, transcript: Transcript) -> tuple[int, int]:
    """How many messages a transcript has, and how many tokens of it would be told now; nothing is kept.

    Raises:
        CaptureError: it cannot be read.
    """
    place, told = await _left_at(memory, transcript)

    def counted() -> tuple[int, int]:
        messages = new = 0
        for turn in transcript.turns(options.filters):
            drafts = list(turn.drafts(options.group_of(turn.cwd or Path.home())))
            messages += len(drafts)
            if turn.start >= place.offset:
                new += tokens(draft for draft in drafts if told.get(draft.uuid) != digest(draft))
        return messages, new

    return await asyncio.to_thread(counted)


async def _left_at(memory: Ear, transcript: Transcript) -> tuple[Place, dict[str, str]]:
    """Where the transcript was left, and what its last turn had told; its beginning if it is not what it was."""
    place, told = _read_state(await memory.state(_state_name(transcript)))
    holds = await asyncio.to_thread(still_holds, transcript.path, place)
    return (place, told) if holds else (Place(), {})


@dataclass(slots=True)
class _Count:
    turns: int = 0
    episodes: int = 0
    tokens: int = 0
    saved: int = 0


def _captured(transcript: Transcript, session_id: str, done: _Count, *, stopped: bool = False) -> Captured:
    return Captured(
        session_id=session_id,
        transcript=transcript.path,
        turns=done.turns,
        episodes=done.episodes,
        tokens=done.tokens,
        tokens_saved=done.saved,
        stopped=stopped,
    )


async def _tell(memory: Ear, turn: Turn, options: Options, told: Mapping[str, str], done: _Count) -> dict[str, str]:
    """Tell the episodes of a turn that are new; answer what the turn has told, for when it goes on."""
    drafts = list(turn.drafts(options.group_of(turn.cwd or Path.home())))
    # Not even once more if it was forgotten since: the last turn is read again each time.
    new = [draft for draft in drafts if told.get(draft.uuid) != digest(draft)]
    for draft in new:
        await memory.add(draft)
    if new:
        done.turns += 1
        done.episodes += len(new)
        done.tokens += tokens(new)
        done.saved += max(turn.tokens - tokens(drafts), 0)
    return {draft.uuid: digest(draft) for draft in drafts}


def _next(reading: Iterator[Turn]) -> list[Turn]:
    return list(islice(reading, _AT_ONCE))


def _state_name(transcript: Transcript) -> str:
    """Without the path itself, which may tell what is nobody's business."""
    return f"capture/{hashlib.sha256(bytes(transcript.path)).hexdigest()[:32]}"


def _session_name(session_id: str) -> str:
    return f"capture/session/{session_id}"


def _read_state(text: str | None) -> tuple[Place, dict[str, str]]:
    if text is None:
        return Place(), {}
    kept: dict[str, Any] = json.loads(text)
    told = kept.pop("told")
    return Place(**kept), told

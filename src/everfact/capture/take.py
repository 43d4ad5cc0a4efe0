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
    """Of the episodes of these turns, by four characters each."""
    tokens_saved: int
    """By what the filters left out of these turns."""
    redacted: int
    """Secrets, by kind and episode, that were taken out."""


async def capture_session(
    memory: Ear, options: Options, *, transcript: Path | None = None, session_id: str = "", client: str = ""
) -> Captured:
    """Take in what was said in a session since it was last captured; name the file, or the session, or both.

    Safe to repeat and to run side by side: a turn makes the same episodes whenever and however often it is read. It
    returns when all is told (on disk and searchable), before it is digested.

    Raises:
        UsageError: neither file nor session is named, or no such client is known.
        NotFound: there is no such transcript.
        CaptureError: it cannot be read.
    """
    if transcript is None and not session_id:
        raise UsageError("no session is named", hint="give its id, or its transcript")
    if transcript is not None:
        found = await asyncio.to_thread(transcripts.at, transcript, client)
    else:
        found = await asyncio.to_thread(transcripts.of_session, options.folders, session_id)
    return await take(memory, options, found)


async def take(memory: Ear, options: Options, transcript: Transcript) -> Captured:
    """The same for a transcript that is known already.

    Raises:
        CaptureError: it cannot be read.
    """
    name = _state_name(transcript)
    place, told = _read_state(await memory.state(name))
    if not await asyncio.to_thread(still_holds, transcript.path, place):
        place, told = Place(), {}
    reading = await asyncio.to_thread(transcript.turns, options.filters, place.offset)
    done = _Count()
    while batch := await asyncio.to_thread(_next, reading):
        for turn in batch:
            told = await _tell(memory, turn, options, told, done)
        kept = await asyncio.to_thread(place_at, transcript.path, batch[-1].start)
        await memory.set_state(name, json.dumps(asdict(kept) | {"told": told}))
    return Captured(
        session_id=done.session_id or transcript.session_id,
        transcript=transcript.path,
        turns=done.turns,
        episodes=done.episodes,
        tokens=done.tokens,
        tokens_saved=max(done.all_tokens - done.tokens, 0),
        redacted=done.redacted,
    )


def preview(transcript: Transcript, options: Options) -> tuple[int, int]:
    """How many messages a transcript has, and how many tokens would be told of it; nothing is kept.

    Raises:
        CaptureError: it cannot be read.
    """
    messages = told = 0
    for turn in transcript.turns(options.filters):
        drafts = list(turn.drafts("main"))
        messages += len(drafts)
        told += tokens(drafts)
    return messages, told


@dataclass(slots=True)
class _Count:
    session_id: str = ""
    turns: int = 0
    episodes: int = 0
    tokens: int = 0
    all_tokens: int = 0
    redacted: int = 0


async def _tell(memory: Ear, turn: Turn, options: Options, told: Mapping[str, str], done: _Count) -> dict[str, str]:
    """Tell the episodes of a turn that are new; answer what the turn has told, for when it goes on."""
    drafts = list(turn.drafts(options.group_of(turn.cwd or Path.home())))
    for draft in drafts:
        # Not even once more if it was forgotten since: the last turn is read again each time.
        if told.get(draft.uuid) != digest(draft):
            done.redacted += len((await memory.add(draft)).warnings)
            done.episodes += 1
    done.session_id = turn.thread
    done.turns += 1
    done.tokens += tokens(drafts)
    done.all_tokens += turn.tokens
    return {draft.uuid: digest(draft) for draft in drafts}


def _next(reading: Iterator[Turn]) -> list[Turn]:
    return list(islice(reading, _AT_ONCE))


def _state_name(transcript: Transcript) -> str:
    """Without the path itself, which may tell what is nobody's business."""
    return f"capture/{hashlib.sha256(bytes(transcript.path)).hexdigest()[:32]}"


def _read_state(text: str | None) -> tuple[Place, dict[str, str]]:
    if text is None:
        return Place(), {}
    kept: dict[str, Any] = json.loads(text)
    told = kept.pop("told")
    return Place(**kept), told

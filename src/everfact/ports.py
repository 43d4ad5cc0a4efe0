"""What the core asks of the world. An adapter implements one of these whole; there are no optional parts."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from everfact.models import (
    Assertion,
    Change,
    Claim,
    Cursor,
    Embedding,
    Entity,
    Entry,
    Episode,
    Extraction,
    Fact,
    Filter,
    Judgement,
    Pair,
    Reached,
    Scored,
    Stats,
    Thing,
    Unembedded,
    Vector,
)

T = TypeVar("T")


class Store(Protocol):
    """Where a memory is kept. Every method may raise `StoreError`; after `close` every one does.

    What a method has answered for survives a crash at any moment. A power cut may also take back claims, vectors and
    digests that another one followed at once: they are redone.

    Listings come newest first: episodes by `reference_time`, all else by `created_at`, then by uuid, and go on
    where `before` stopped.
    """

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *exc_info: object) -> None: ...

    async def add_episode(self, episode: Episode) -> Episode:
        """Keep what was told, durably, and queue it; answer with what is kept (its record time and position).

        The same `source_key`, or the same `uuid` and content, is the same telling: the first one is returned.
        A known `uuid` with other content replaces it and queues it again.

        Raises:
            UsageError: the uuid belongs to another group.
        """

    async def claim(
        self, owner: str, *, limit: int = 1, lease: timedelta, group_ids: Sequence[str] | None = None
    ) -> list[Claim]:
        """Take the oldest pending episode of up to `limit` groups (these, or any) that nobody holds."""

    async def renew(self, claim: Claim, *, lease: timedelta) -> Claim:
        """Hold on for longer.

        Raises:
            ClaimLost: somebody else has taken over.
        """

    async def release(
        self, claim: Claim, *, error: str = "", retry_at: datetime | None = None, park: bool = False
    ) -> None:
        """Give the group back.

        With `error` the attempt counts, and the group waits until `retry_at`; parked, the episode lets the others by.

        Raises:
            ClaimLost: somebody else has taken over.
        """

    async def requeue(self, where: Filter) -> int:
        """Queue episodes again that are done or parked, with their attempts forgotten; answer how many."""

    async def apply(self, change: Change) -> Change:
        """Do all of `change` or nothing, durably.

        Answers with the change as recorded: its times are moved to the moment of recording.

        Raises:
            Conflict: `change.parent` is not the last change of the group any more.
            NotFound: it names an assertion, an entity or an item that is not there.
            UsageError: an item belongs to another group, or the change or an assertion was made already.
        """

    async def finish(
        self, change: Change, claim: Claim, *, lease: timedelta | None = None
    ) -> tuple[Change, Claim | None]:
        """Apply what digesting the claimed episode makes; in the same step the episode is done and its group free.

        With a `lease` the group is not let go: its next pending episode is claimed, if there is one to be had now. If
        so, a power cut may undo the step as a whole; when the group was let go, it and all before it are durable.

        Raises:
            ClaimLost: the claim is no longer held.
            Conflict, NotFound, UsageError: as `apply`; the claim is still held then.
        """

    async def episodes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Episode]: ...
    async def entities(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Entity]: ...
    async def facts(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Fact]: ...
    async def assertions(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Assertion]: ...
    async def changes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Change]:
        """The log. `where.uuids` finds changes by their own uuid or by that of anything they touched.

        What a change wrote comes in the order in which it was written, what it withdrew, reinstated or removed by uuid.
        """

    async def journal(
        self, group_ids: Sequence[str] | None = None, *, limit: int = 100, after: Entry | None = None
    ) -> list[Entry]:
        """All that a memory is made of: group by group in the order of their names, each from its beginning.

        Every episode as it was told, when it was new or had a new text, and every change as it was recorded, in the
        order of their record times and without what was purged since; last, what the group still has to digest.
        """

    async def replay(self, entries: Sequence[Entry]) -> int:
        """Take in a stretch of another store's journal, of one group, as recorded there; answer how many were new.

        What is there already is skipped. What is new must continue the group: the stretch starts where the journal
        does, or with a telling or change that is there, and follows the last one of the group. All of it is taken, or
        nothing. While tellings and changes come in, nothing of the group waits to be digested; what does is told at the
        journal's end, and counts only if the group ends where that journal did.

        Raises:
            Conflict: the group has something of its own that the journal does not know of.
            UsageError: the entries are of several groups or in disorder, or the items of another group have their ids.
        """

    async def match_text(self, thing: Thing, text: str, where: Filter, *, limit: int) -> list[Scored]:
        """Items that share words with `text`, best first. Any text is a valid query, in any script."""

    async def match_vector(
        self, thing: Thing, model: str, vector: Vector, where: Filter, *, limit: int
    ) -> list[Scored]:
        """Items whose vector of `model` points the same way, best first, by cosine."""

    async def neighbours(
        self, entity_uuids: Sequence[str], where: Filter, *, hops: int = 1, limit: int = 100
    ) -> list[Reached]:
        """Facts within `hops` of the entities, nearest first, each once."""

    async def speakers(self, names: Sequence[str], where: Filter) -> list[str]:
        """Who of these has said something, as the episodes spell it; ASCII letter case does not matter."""

    async def together(self, work: Callable[[Self], Coroutine[Any, Any, T]]) -> T:
        """Hand `work` the store for several reads, and answer with what it makes of them.

        Where the store can, all of them see the same moment, and none waits for its turn. It may run in another
        thread, with an event loop of its own: `work` does nothing but read from what it is handed.
        """

    async def put_vectors(self, model: str, embeddings: Sequence[Embedding]) -> int:
        """Keep vectors of the items whose text is still the one embedded; answer how many were kept."""

    async def unembedded(self, model: str, *, limit: int) -> list[Unembedded]:
        """Items known now that have no vector of `model` for their present text."""

    async def maintain(self) -> bool:
        """Do one piece of upkeep that makes searching quicker, if there is any; answer whether there was."""

    async def purge(self, group_id: str, uuids: Sequence[str], *, former: Sequence[str] = ()) -> int:
        """Wipe every copy of these items for good (versions, texts, vectors, log entries); answer how many items.

        Of the entities in `former` only what they were called before is wiped, as if they had always had their name.
        """

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        """Wipe whole groups for good; answer what they held."""

    async def state(self, name: str) -> str | None:
        """A small named value: an offset, a watermark."""

    async def set_state(self, name: str, value: str | None) -> None:
        """Keep a small named value, or drop it with None."""

    async def swap_state(self, name: str, old: str | None, new: str | None) -> bool:
        """Keep `new` in place of `old`, if that is still what is kept; answer whether it was.

        None stands for no value. Of several at once, in any process, one succeeds; what succeeded survives as other
        writes do. So whoever reads, decides and swaps, and reads again on failure, has counted everybody in.
        """

    async def backup(self, target: Path) -> None:
        """Write a checked copy of everything to a new file while others go on working.

        Raises:
            UsageError: the target exists.
        """

    async def stats(self, group_ids: Sequence[str] | None = None) -> Stats: ...

    async def close(self) -> None:
        """Let go of everything; safe to call twice."""


class Extractor(Protocol):
    """Turns text into claims."""

    name: str

    async def extract(self, episode: Episode, known: Sequence[Entity], listeners: Sequence[str] = ()) -> Extraction:
        """Find statements and names in the episode.

        `known` are entities that may be meant, `listeners` the others who spoke in its thread, the latest first.

        Raises:
            ExtractError: nothing could be made of it.
        """

    async def judge(self, pairs: Sequence[Pair]) -> Judgement:
        """Say of each pair how the newer assertion bears on the older one, all in one go; in doubt both stand."""


class Embedder(Protocol):
    """Turns text into vectors of one model."""

    model: str
    """Vectors of two models never meet."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, all of one length.

        Raises:
            ModelUnavailable: not just now; searching goes on by words, and embedding is tried again.
            ConfigError: not until somebody changes the settings.
        """

"""`SQLiteStore`: the default store. One file, shared by as many processes as like.

Each method runs one function of the modules beside it, in a thread: writes in one transaction, durable unless it can
be redone (claims, vectors, digests that others follow), reads on one consistent state. Many reads that belong
together are quicker in one thread (`together`): handing a single one over and back takes as long as the read itself.

What only some uses need is imported where it is used: a hook opens a store, reads and ends, in a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from copy import copy
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar

from everfact import clock
from everfact.errors import StoreError
from everfact.models import (
    Assertion,
    Change,
    Claim,
    Cursor,
    Embedding,
    Entity,
    Entry,
    Episode,
    Fact,
    Filter,
    Reached,
    Scored,
    Stats,
    Thing,
    Unembedded,
    Vector,
)
from everfact.stores.sqlite import accept, match, named, queue, read, record
from everfact.stores.sqlite.connection import Database, Snapshot
from everfact.stores.sqlite.migrate import migrate, schema_of, scripts

if TYPE_CHECKING:
    from everfact.stores.sqlite.nearest import Nearest

T = TypeVar("T")


class SQLiteStore:
    """A memory in one SQLite file."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._reads: Database | Snapshot = database
        self._now = now
        self._loaded: list[Nearest] = []
        self._loading = Lock()

    @classmethod
    async def open(cls, path: Path, *, now: Callable[[], datetime] = clock.now, vfs: str | None = None) -> Self:
        """Open a memory, making or migrating the file if need be.

        Raises:
            StoreUnavailable: the file cannot be reached, locked or written.
            StoreCorrupt: it is damaged, or some other program's.
            SchemaTooNew: a later everfact wrote it.
        """
        database = Database(path, vfs=vfs)
        async with AsyncExitStack() as on_failure:
            on_failure.push_async_callback(database.close)
            await database.alone(lambda connection: migrate(connection, path, scripts()))
            on_failure.pop_all()
        return cls(database, now)

    @classmethod
    async def glance(cls, path: Path, *, patience: float, now: Callable[[], datetime] = clock.now) -> Self | None:
        """Open a memory to read from it at once, without migrating it or waiting long; None if it is empty.

        Raises:
            StoreUnavailable: the file cannot be reached or read in time.
            StoreError: it has to be brought up to date first.
            StoreCorrupt: it is damaged, or some other program's.
            SchemaTooNew: a later everfact wrote it.
        """
        database = Database(path, patience=patience)
        async with AsyncExitStack() as on_failure:
            on_failure.push_async_callback(database.close)
            newest = len(scripts())
            schema = await database.read(lambda connection: schema_of(connection, path, newest))
            if schema == 0:
                return None
            if schema < newest:
                raise StoreError(f"{path} is of an older version", hint="`everfact health` brings it up to date")
            on_failure.pop_all()
        return cls(database, now)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def add_episode(self, episode: Episode) -> Episode:
        return await self._database.write(lambda c: accept.add_episode(c, episode, self._now()))

    async def claim(
        self, owner: str, *, limit: int = 1, lease: timedelta, group_ids: Sequence[str] | None = None
    ) -> list[Claim]:
        of = None if group_ids is None else tuple(group_ids)
        return await self._database.note(lambda c: queue.claim(c, owner, (limit, of), lease, self._now()))

    async def renew(self, claim: Claim, *, lease: timedelta) -> Claim:
        return await self._database.note(lambda c: queue.renew(c, claim, lease, self._now()))

    async def release(
        self, claim: Claim, *, error: str = "", retry_at: datetime | None = None, park: bool = False
    ) -> None:
        await self._database.write(lambda c: queue.release(c, claim, error, retry_at, park))

    async def requeue(self, where: Filter) -> int:
        return await self._database.write(lambda c: queue.requeue(c, where))

    async def apply(self, change: Change) -> Change:
        return await self._database.write(lambda c: record.apply(c, change, self._now()))

    async def finish(
        self, change: Change, claim: Claim, *, lease: timedelta | None = None
    ) -> tuple[Change, Claim | None]:
        if lease is None:
            return await self._database.write(lambda c: record.finish(c, change, claim, None, self._now()))
        done = await self._database.note(lambda c: record.finish(c, change, claim, lease, self._now()))
        if done[1] is None:  # nothing follows that would bring it to disk
            await self._database.write(lambda c: accept.touch(c, change.group_id))
        return done

    async def episodes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Episode]:
        return await self._reads.read(lambda c: read.episodes(c, where, limit, before))

    async def entities(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Entity]:
        return await self._reads.read(lambda c: read.entities(c, where, limit, before))

    async def facts(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Fact]:
        return await self._reads.read(lambda c: read.facts(c, where, limit, before))

    async def assertions(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Assertion]:
        return await self._reads.read(lambda c: read.assertions(c, where, limit, before))

    async def changes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Change]:
        return await self._reads.read(lambda c: read.changes(c, where, limit, before))

    async def journal(
        self, group_ids: Sequence[str] | None = None, *, limit: int = 100, after: Entry | None = None
    ) -> list[Entry]:
        from everfact.stores.sqlite import journal

        of = None if group_ids is None else tuple(group_ids)
        return await self._reads.read(lambda c: journal.journal(c, of, limit, after))

    async def replay(self, entries: Sequence[Entry]) -> int:
        from everfact.stores.sqlite import journal

        return await self._database.write(lambda c: journal.replay(c, entries))

    async def match_text(self, thing: Thing, text: str, where: Filter, *, limit: int) -> list[Scored]:
        return await self._reads.read(lambda c: match.match_text(c, thing, text, where, limit))

    async def match_vector(
        self, thing: Thing, model: str, vector: Vector, where: Filter, *, limit: int
    ) -> list[Scored]:
        return await self._reads.read(lambda c: self._nearest().match(c, (thing, model, vector), where, limit))

    async def neighbours(
        self, entity_uuids: Sequence[str], where: Filter, *, hops: int = 1, limit: int = 100
    ) -> list[Reached]:
        return await self._reads.read(lambda c: match.neighbours(c, entity_uuids, where, hops, limit))

    async def speakers(self, names: Sequence[str], where: Filter) -> list[str]:
        return await self._reads.read(lambda c: match.speakers(c, names, where))

    async def together(self, work: Callable[[Self], Coroutine[Any, Any, T]]) -> T:
        return await self._database.read_all(lambda snapshot: work(self._on(snapshot)))

    def _on(self, snapshot: Snapshot) -> Self:
        held = copy(self)
        held._reads = snapshot
        return held

    async def put_vectors(self, model: str, embeddings: Sequence[Embedding]) -> int:
        from everfact.stores.sqlite import vectors

        return await self._database.note(lambda c: vectors.put_vectors(c, model, embeddings))

    async def unembedded(self, model: str, *, limit: int) -> list[Unembedded]:
        from everfact.stores.sqlite import vectors

        found, behind = await self._reads.read(
            lambda c: (vectors.unembedded(c, model, limit), vectors.is_behind(c, model))
        )
        if behind and not found:
            await self._database.write(lambda c: vectors.catch_up(c, model))
        return found

    async def maintain(self) -> bool:
        from everfact.stores.sqlite.maintain import maintain

        return await maintain(self._database, self._nearest().shelf, self._now)

    async def purge(self, group_id: str, uuids: Sequence[str], *, former: Sequence[str] = ()) -> int:
        from everfact.stores.sqlite import upkeep

        count = await self._database.write(lambda c: upkeep.purge(c, group_id, uuids, former))
        await self._wipe()
        return count

    async def purge_digested(self) -> None:
        """Wipe every copy of the digested episodes, and of no other; what is told anew meanwhile waits."""
        from everfact.stores.sqlite import upkeep

        if await self._database.write(upkeep.purge_digested):
            await self._wipe()

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        from everfact.stores.sqlite import upkeep

        held = await self._database.write(lambda c: upkeep.clear(c, group_ids))
        await self._wipe()
        return held

    async def _wipe(self) -> None:
        """Leave no byte of what was deleted: in memory, in segments, in the file."""
        from everfact.stores.sqlite import segments, upkeep

        near = self._nearest()
        near.forget()
        await self._database.write(lambda c: near.shelf.sweep(segments.names(c)))
        await self._database.alone(upkeep.scrub)

    async def state(self, name: str) -> str | None:
        return await self._reads.read(lambda c: named.state(c, name))

    async def set_state(self, name: str, value: str | None) -> None:
        await self._database.write(lambda c: named.set_state(c, name, value))

    async def swap_state(self, name: str, old: str | None, new: str | None) -> bool:
        return await self._database.write(lambda c: named.swap_state(c, name, old, new))

    async def backup(self, target: Path) -> None:
        from everfact.stores.sqlite.upkeep import back_up

        await self._database.alone(lambda c: back_up(c, target))

    def _nearest(self) -> Nearest:
        """What finds by meaning, made by the first that asks; snapshots share it."""
        with self._loading:
            if not self._loaded:
                from everfact.stores.sqlite.nearest import Nearest
                from everfact.stores.sqlite.segments import Shelf

                self._loaded.append(Nearest(Shelf(self._database.path)))
            return self._loaded[0]

    async def stats(self, group_ids: Sequence[str] | None = None) -> Stats:
        chosen = None if group_ids is None else tuple(group_ids)
        return await self._reads.read(lambda c: read.stats(c, chosen))

    async def close(self) -> None:
        await self._database.close()

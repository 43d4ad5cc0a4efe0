"""`CypherStore`: a memory on a graph server. What differs between servers is in the engine it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

from everfact import clock
from everfact.errors import UsageError
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
    Undigested,
    Unembedded,
    Vector,
)
from everfact.stores.cypher import accept, graphiti, journal, match, queue, read, record, upkeep, vectors
from everfact.stores.cypher.adopt import Adoption
from everfact.stores.cypher.engine import Engine, Part, reachable, size_of
from everfact.stores.cypher.group import Ledger, Writer
from everfact.stores.cypher.scores import Scores

T = TypeVar("T")
Parts: TypeAlias = Callable[[Sequence[str] | None], Awaitable[list[T]]]
"""What of these groups, or of all, lies where."""


def _settle(ledger: Ledger) -> None:
    """What follows from all that a write does, whatever it was."""
    accept.lengthen_threads(ledger)
    graphiti.show(ledger)


def _once(ask: Parts[T]) -> Parts[T]:
    """Within one search the same groups lie in the same place, and are as large as they were."""
    answers: dict[tuple[str, ...] | None, asyncio.Future[list[T]]] = {}

    def answer(group_ids: Sequence[str] | None) -> Awaitable[list[T]]:
        key = None if group_ids is None else tuple(group_ids)
        if key not in answers:
            answers[key] = asyncio.ensure_future(ask(group_ids))
        return answers[key]

    return answer


class CypherStore:
    """A memory on a graph server, beside what Graphiti keeps there."""

    def __init__(self, engine: Engine, now: Callable[[], datetime]) -> None:
        self._engine = engine
        self._now = now
        self._writer = Writer(engine, now, _settle)
        self._adoption = Adoption(engine, self._writer)
        self._parts: Parts[Part] = self._adoption.parts
        self._sized: Parts[tuple[Part, int]] = self._size_up
        self._dimensions: dict[str, int] = {}
        self._gaps = vectors.Gaps(engine)
        self._scores = Scores()

    @classmethod
    async def open(cls, engine: Engine, *, now: Callable[[], datetime] = clock.now) -> Self:
        """Connect, and make what the server lacks.

        Raises:
            ConfigError: the server does not know the user, or is of the wrong kind.
            StoreUnavailable: it cannot be reached.
            SchemaTooNew: a later everfact wrote to it.
        """
        await engine.open()
        return cls(engine, now)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def add_episode(self, episode: Episode) -> Episode:
        return await self._writer.write(episode.group_id, lambda ledger: accept.add_episode(ledger, episode))

    async def claim(
        self, owner: str, *, limit: int = 1, lease: timedelta, group_ids: Sequence[str] | None = None
    ) -> list[Claim]:
        parts = await self._engine.parts(group_ids)
        waiting = await reachable(parts, lambda part: queue.ready(part, self._now()))
        claims: list[Claim] = []
        for *_, group in sorted(waiting):
            if len(claims) < limit:
                await self._adoption.look(group)  # which may take longer than a lease
                taken = await self._claim(group, owner, lease)
                claims += [taken] if taken else []
        return claims

    async def _claim(self, group_id: str, owner: str, lease: timedelta) -> Claim | None:
        return await self._writer.write(group_id, lambda ledger: queue.claim(ledger, owner, lease, self._now()))

    async def renew(self, claim: Claim, *, lease: timedelta) -> Claim:
        return await self._writer.write(claim.episode.group_id, lambda g: queue.renew(g, claim, lease, self._now()))

    async def release(
        self, claim: Claim, *, error: str = "", retry_at: datetime | None = None, park: bool = False
    ) -> None:
        await self._writer.write(
            claim.episode.group_id, lambda ledger: queue.release(ledger, claim, error, retry_at, park)
        )

    async def requeue(self, where: Filter) -> int:
        groups = [group for part in await self._parts(where.group_ids) for group in part.groups]
        return sum([await self._writer.write(group, lambda ledger: queue.requeue(ledger, where)) for group in groups])

    async def apply(self, change: Change) -> Change:
        return await self._writer.write(change.group_id, lambda ledger: record.apply(ledger, change))

    async def finish(
        self, change: Change, claim: Claim, *, lease: timedelta | None = None
    ) -> tuple[Change, Claim | None]:
        made = await self._writer.write(change.group_id, lambda ledger: record.finish(ledger, change, claim))
        return made, None if lease is None else await self._claim(change.group_id, claim.owner, lease)

    async def episodes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Episode]:
        return await read.items(await self._parts(where.group_ids), Thing.EPISODE, where, limit, before)

    async def entities(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Entity]:
        return await read.items(await self._parts(where.group_ids), Thing.ENTITY, where, limit, before)

    async def facts(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Fact]:
        return await read.items(await self._parts(where.group_ids), Thing.FACT, where, limit, before)

    async def assertions(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Assertion]:
        return await read.assertion_list(await self._parts(where.group_ids), where, limit, before)

    async def changes(self, where: Filter, *, limit: int = 100, before: Cursor | None = None) -> list[Change]:
        return await read.changes(await self._parts(where.group_ids), where, limit, before)

    async def journal(
        self, group_ids: Sequence[str] | None = None, *, limit: int = 100, after: Entry | None = None
    ) -> list[Entry]:
        return await journal.journal(await self._parts(group_ids), limit, after)

    async def replay(self, entries: Sequence[Entry]) -> int:
        groups = sorted({entry.group_id for entry in entries})
        if len(groups) > 1:
            raise UsageError(f"a stretch of a journal mixes the groups {', '.join(groups)}")
        if all(isinstance(entry, Undigested) for entry in entries):
            return 0
        return await self._writer.write(groups[0], lambda ledger: journal.replay(ledger, entries))

    async def match_text(self, thing: Thing, text: str, where: Filter, *, limit: int) -> list[Scored]:
        return await self._scores.match_text(await self._sized(where.group_ids), thing, text, where, limit)

    async def match_vector(
        self, thing: Thing, model: str, vector: Vector, where: Filter, *, limit: int
    ) -> list[Scored]:
        dimension = self._dimensions.get(model) or await vectors.dimension_of(self._engine, model)
        if dimension is None:
            return []
        self._dimensions[model] = dimension
        vectors.check_dimension(model, dimension, len(vector))
        sized = await self._sized(where.group_ids)
        return await match.match_vector(sized, (thing, vectors.vector_name(model), vector), where, limit)

    async def neighbours(
        self, entity_uuids: Sequence[str], where: Filter, *, hops: int = 1, limit: int = 100
    ) -> list[Reached]:
        return await match.neighbours(await self._parts(where.group_ids), entity_uuids, where, hops, limit)

    async def speakers(self, names: Sequence[str], where: Filter) -> list[str]:
        return await match.speakers(await self._parts(where.group_ids), names, where)

    async def together(self, work: Callable[[Self], Coroutine[Any, Any, T]]) -> T:
        held = copy(self)
        held._parts, held._sized = _once(self._parts), _once(self._sized)
        return await work(held)

    async def _size_up(self, group_ids: Sequence[str] | None) -> list[tuple[Part, int]]:
        parts = await self._parts(group_ids)
        return list(zip(parts, await asyncio.gather(*map(size_of, parts)), strict=True))

    async def put_vectors(self, model: str, embeddings: Sequence[Embedding]) -> int:
        return await vectors.put_vectors(self._engine, model, embeddings)

    async def unembedded(self, model: str, *, limit: int) -> list[Unembedded]:
        return await self._gaps.unembedded(await self._parts(None), model, limit)

    async def maintain(self) -> bool:
        return await self._adoption.again()

    async def purge(self, group_id: str, uuids: Sequence[str], *, former: Sequence[str] = ()) -> int:
        count = await self._writer.write(group_id, lambda ledger: upkeep.purge(ledger, uuids, former))
        await self._engine.forget(group_id, uuids)
        await self._engine.scrub()
        return count

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        held = await self.stats(group_ids)
        for part in await self._parts(group_ids):
            await self._engine.drop(part)
            for group in part.groups:
                await self._engine.forget(group, None)
        await self._engine.scrub()
        return held

    async def state(self, name: str) -> str | None:
        return await upkeep.state(self._engine, name)

    async def set_state(self, name: str, value: str | None) -> None:
        await upkeep.set_state(self._engine, name, value)

    async def swap_state(self, name: str, old: str | None, new: str | None) -> bool:
        return await upkeep.swap_state(self._engine, name, old, new)

    async def backup(self, target: Path) -> None:
        await upkeep.back_up(await self._parts(None), target)

    async def stats(self, group_ids: Sequence[str] | None = None) -> Stats:
        held = await read.stats(await self._parts(group_ids))
        return replace(held, warning=await self._engine.weakness())

    async def close(self) -> None:
        await self._engine.close()

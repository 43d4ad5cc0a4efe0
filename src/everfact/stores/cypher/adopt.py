"""What Graphiti has written and we have no version of is taken over: nodes of ours beside it, nothing of it altered.

It happens when a process first asks about a group, and again now and then, since Graphiti may go on writing. What is
taken over is a change of its own kind, so that the log and the journal know of it; it is not undone, since that would
wipe what Graphiti has.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from everfact.clock import new_id
from everfact.errors import StoreError
from everfact.models import Assertion, Change, ChangeKind, Entity, Episode, Fact, Thing
from everfact.stores.cypher import record
from everfact.stores.cypher.accept import next_position
from everfact.stores.cypher.engine import LABELS, NAMELESS, Engine, Part, Row
from everfact.stores.cypher.foreign import Node, to_entity, to_episode, to_fact
from everfact.stores.cypher.group import Ledger, Writer
from everfact.stores.cypher.rows import OPEN, to_moment

_EACH, _SIZE = 500, 4_000_000
"""So many items, and so many characters, are taken over at once."""
_AGAIN_SECONDS = 60.0
# In this order: what is said of an entity comes after it.
_THEIRS = {
    Thing.ENTITY: "MATCH (n:Entity) WHERE n.group_id = $group",
    Thing.EPISODE: "MATCH (n:Episodic) WHERE n.group_id = $group",
    # Without a word on the ends: FalkorDB would begin with those. Facts whose ends are not here are left out later.
    Thing.FACT: "MATCH ()-[n:RELATES_TO]->() WHERE n.group_id = $group AND coalesce(n.name, '') <> 'IS_DUPLICATE_OF'",
}
_THESE = {
    Thing.ENTITY: "MATCH (n:Entity)",
    Thing.EPISODE: "MATCH (n:Episodic)",
    Thing.FACT: "MATCH (a)-[n:RELATES_TO]->(b)",
}
_SIZES = {Thing.ENTITY: "n.summary", Thing.EPISODE: "n.content", Thing.FACT: "n.fact"}
_COLUMNS = {
    Thing.ENTITY: "n {.*, name_embedding: null}, [labels(n),"
    " size([(e:Episodic)-[:MENTIONS]->(n) WHERE e.group_id = $group | e.uuid])]",
    Thing.EPISODE: "n {.*}, [[(s:Saga)-[:HAS_EPISODE]->(n) | s.name],"
    " [(n)-[:MENTIONS]->(x:Entity) WHERE x.group_id = $group | [x.uuid, x.name, labels(x)]]]",
    Thing.FACT: "n {.*, fact_embedding: null}, [[a.uuid, a.name, labels(a)], [b.uuid, b.name, labels(b)]]",
}
_GROUPS = tuple(f"MATCH (n:{label}) WITH DISTINCT n.group_id AS id RETURN id" for label in ("Episodic", "Entity"))
_AHEAD = "MATCH (g:EverfactGroup {group_id: $group}) RETURN g.ahead"
_SET_AHEAD = "MATCH (g:EverfactGroup {group_id: $group}) SET g.ahead = $ahead RETURN g.group_id"


class Adoption:
    """Takes over what lies in the groups that are asked about."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._seen: dict[str, float] = {}
        """When a group was looked at."""
        self._looked_around: float | None = None
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def parts(self, group_ids: Sequence[str] | None) -> list[Part]:
        """What the engine says, once all in it is taken over."""
        if group_ids is None and self._looked_around is None:
            await self._look_around()
        parts = await self._engine.parts(group_ids)
        for part in parts:
            for group in part.groups:
                await self.look(group)
        return parts

    async def look(self, group: str) -> None:
        """Take over what is new in a group, unless this process has looked there before."""
        if group not in self._seen:
            async with self._turns[group]:
                if group not in self._seen:
                    await self._take_over(group, surely=False)

    async def again(self) -> bool:
        """Look once more where nobody has looked for longest, if that is long ago; answer whether there was more."""
        stale = time.monotonic() - _AGAIN_SECONDS
        if self._looked_around is not None and self._looked_around <= stale:
            await self._look_around()
        group = min(self._seen, key=lambda group: self._seen[group], default=None)
        if group is None or self._seen[group] > stale:
            return False
        self._seen[group] = time.monotonic()  # whether it works or not: another one is next
        async with self._turns[group]:
            return await self._take_over(group, surely=True)

    async def _look_around(self) -> None:
        """Find the groups that Graphiti has made where one graph holds many."""
        for query in _GROUPS:
            for (group,) in await self._engine.read(self._engine.registry, query, {}):
                if isinstance(group, str):
                    await self.look(group or NAMELESS)
        self._looked_around = time.monotonic()

    async def _take_over(self, group: str, *, surely: bool) -> bool:
        """All of theirs that we lack; unless `surely`, not where ours are as many more as they were last time."""
        ahead, found = await self._read(group, _AHEAD, group), False
        known = (ahead[0][0] if ahead else None) or [0] * len(_THEIRS)
        if surely or await self._count(group) != known:
            for thing in _THEIRS:
                found |= await self._adopt(group, thing)
            now = await self._count(group)
            if now != known:
                with suppress(StoreError):  # a read-only replica: whoever comes next counts again
                    await self._engine.write(self._engine.graph(group), _SET_AHEAD, {"group": group, "ahead": now})
        self._seen[group] = time.monotonic()
        return found

    async def _count(self, group: str) -> list[int]:
        """By how many ours are more than theirs: what Graphiti deletes stays with us."""
        ahead = []
        for thing, theirs in _THEIRS.items():
            ours = f"MATCH (e:{LABELS[thing]}) WHERE e.group_id = $group AND e.known_to = {OPEN}"
            asked = (
                (f"{ours} WITH count(e) AS n", group),
                (f"{theirs} WITH count(n) AS n", self._engine.theirs(group)),
            )
            found = [await self._read(group, f"{query} RETURN n", name) for query, name in asked]
            counts = [rows[0][0] if rows else 0 for rows in found]
            ahead.append(counts[0] - counts[1])
        return ahead

    async def _read(self, group: str, query: str, name: str, **asked: object) -> list[Row]:
        return await self._engine.read(self._engine.graph(group), query, {"group": name, **asked})

    async def _adopt(self, group: str, thing: Thing) -> bool:
        missing = (
            f"{_THEIRS[thing]} OPTIONAL MATCH (e:{LABELS[thing]} {{uuid: n.uuid}})"
            f" WITH n, count(e) AS known WHERE known = 0 WITH n.uuid AS uuid, min(n.valid_at) AS at,"
            f" max(size(toString(coalesce({_SIZES[thing]}, '')))) AS size ORDER BY at RETURN uuid, size"
        )
        theirs = self._engine.theirs(group)
        sizes = {str(uuid): size for uuid, size in await self._read(group, missing, theirs) if uuid is not None}
        lost = set(await self._engine.foreign(group, list(sizes)))
        query = f"{_THESE[thing]} WHERE n.uuid IN $uuids AND n.group_id = $group RETURN {_COLUMNS[thing]}"
        found = False
        for uuids in _batches({uuid: size for uuid, size in sizes.items() if uuid not in lost}):
            nodes = [Node(group, *row) for row in await self._read(group, query, theirs, uuids=uuids)]
            found |= await self._writer.write(group, lambda ledger, nodes=nodes: _take(ledger, thing, nodes))  # type: ignore[misc]
        return found


def _batches(sizes: dict[str, int]) -> Iterator[list[str]]:
    """The ids, as many at a time as may be taken over at once."""
    batch: list[str] = []
    left = _SIZE
    for uuid, size in sizes.items():
        if batch and (len(batch) == _EACH or size > left):
            yield batch
            batch, left = [], _SIZE
        batch.append(uuid)
        left -= size
    if batch:
        yield batch


async def _take(ledger: Ledger, thing: Thing, nodes: Sequence[Node]) -> bool:
    """Write a change that makes what these nodes say ours; answer whether anything of it was not."""
    now = to_moment(ledger.now)
    made = Change(
        uuid=new_id(),
        group_id=ledger.group_id,
        kind=ChangeKind.ADOPT,
        created_at=now,
        parent=ledger.head,
        note="taken over from Graphiti",
    )
    items: dict[str, Episode | Entity | Fact] = {}
    said: dict[str, tuple[Assertion, ...]] = {}
    for node in nodes:
        items[node.uuid], said[node.uuid] = _READ[thing](node, now)
    ledger.is_shown = True
    return await record.adopt(
        ledger,
        replace(
            made,
            episodes=await _in_threads(ledger, [item for item in items.values() if isinstance(item, Episode)]),
            entities=tuple(item for item in items.values() if isinstance(item, Entity)),
            facts=tuple(item for item in items.values() if isinstance(item, Fact)),
        ),
        said,
    )


_READ: dict[Thing, Callable[[Node, datetime], tuple[Episode | Entity | Fact, tuple[Assertion, ...]]]] = {
    Thing.ENTITY: to_entity,
    Thing.EPISODE: to_episode,
    Thing.FACT: to_fact,
}


async def _in_threads(ledger: Ledger, episodes: Iterable[Episode]) -> tuple[Episode, ...]:
    """The episodes, those of a thread numbered by their times, behind what is known of it."""
    placed: list[Episode] = []
    last: dict[str, int] = {}
    for episode in sorted(episodes, key=lambda episode: (episode.reference_time, episode.created_at)):
        if episode.thread in last:
            last[episode.thread] += bool(episode.thread)
        else:
            last[episode.thread] = await next_position(ledger, episode)
        placed.append(replace(episode, position=last[episode.thread]))
    return tuple(placed)

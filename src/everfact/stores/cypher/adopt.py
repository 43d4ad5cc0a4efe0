"""What Graphiti has written and we have no version of is taken over: nodes of ours beside it, nothing of it altered.

It happens when a process first asks about a group, and again now and then, since Graphiti may go on writing. What is
taken over is a change like any other, so that the log, the journal and undoing know of it.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from everfact.clock import new_id
from everfact.models import Assertion, Change, ChangeKind, Entity, Episode, Fact, Thing
from everfact.stores.cypher import record
from everfact.stores.cypher.accept import next_position
from everfact.stores.cypher.engine import LABELS, NAMELESS, Engine, Part
from everfact.stores.cypher.foreign import Node, to_entity, to_episode, to_fact
from everfact.stores.cypher.group import Ledger, Writer
from everfact.stores.cypher.rows import OPEN, to_moment

_EACH = 500
_AGAIN_SECONDS = 60.0
_THEIRS = {
    Thing.EPISODE: "MATCH (n:Episodic) WHERE n.group_id = $group",
    Thing.ENTITY: "MATCH (n:Entity) WHERE n.group_id = $group",
    Thing.FACT: "MATCH (a:Entity)-[n:RELATES_TO]->(b:Entity) WHERE n.group_id = $group"
    " AND coalesce(n.name, '') <> 'IS_DUPLICATE_OF'",
}
_COLUMNS = {
    Thing.EPISODE: "n {.*}, [(s:Saga)-[:HAS_EPISODE]->(n) | s.name]",
    Thing.ENTITY: "n {.*, name_embedding: null}, labels(n)",
    Thing.FACT: "n {.*, fact_embedding: null}, [a.uuid, a.name, b.uuid, b.name]",
}
_GROUPS = tuple(f"MATCH (n:{label}) WITH DISTINCT n.group_id AS id RETURN id" for label in ("Episodic", "Entity"))


class Adoption:
    """Takes over what lies in the groups that are asked about."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._seen: dict[str, tuple[float, dict[Thing, tuple[int, int]]]] = {}
        """When a group was looked at, and how many items there were of theirs and of ours."""
        self._knows_groups = False
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def parts(self, group_ids: Sequence[str] | None) -> list[Part]:
        """What the engine says, once all in it is taken over."""
        if group_ids is None and not self._knows_groups:
            await self._look_around()
        parts = await self._engine.parts(group_ids)
        for part in parts:
            for group in part.groups:
                if group not in self._seen:
                    await self._look(group)
        return parts

    async def _look_around(self) -> None:
        """Find the groups that Graphiti has made where one graph holds many."""
        for query in _GROUPS:
            for (group,) in await self._engine.read(self._engine.registry, query, {}):
                if isinstance(group, str) and (group or NAMELESS) not in self._seen:
                    await self._look(group or NAMELESS)
        self._knows_groups = True

    async def again(self) -> bool:
        """Look once more at a group that was not looked at for a while; answer whether anything was found."""
        now = time.monotonic()
        stale = [group for group, (at, _) in self._seen.items() if now - at > _AGAIN_SECONDS]
        return bool(stale) and await self._look(stale[0])

    async def _look(self, group: str) -> bool:
        async with self._turns[group]:
            at, known = self._seen.get(group, (0.0, {}))
            if time.monotonic() - at < _AGAIN_SECONDS and known:
                return False
            counts = {thing: await self._count(group, thing) for thing in _THEIRS}
            found = False
            for thing, (theirs, ours) in counts.items():
                if theirs > ours and known.get(thing) != (theirs, ours):
                    found |= await self._adopt(group, thing)
                    counts[thing] = await self._count(group, thing)
            self._seen[group] = time.monotonic(), counts
            return found

    async def _count(self, group: str, thing: Thing) -> tuple[int, int]:
        ours = (
            f"MATCH (e:{LABELS[thing]}) WHERE e.group_id = $group AND e.known_to = {OPEN} WITH count(e) AS n RETURN n"
        )
        counts = []
        for name, query in (
            (self._engine.theirs(group), f"{_THEIRS[thing]} WITH count(n) AS n RETURN n"),
            (group, ours),
        ):
            rows = await self._engine.read(self._engine.graph(group), query, {"group": name})
            counts.append(rows[0][0] if rows else 0)
        return counts[0], counts[1]

    async def _adopt(self, group: str, thing: Thing) -> bool:
        missing = (
            f"{_THEIRS[thing]} OPTIONAL MATCH (e:{LABELS[thing]} {{uuid: n.uuid}})"
            " WITH n, count(e) AS known WHERE known = 0 AND n.uuid IS NOT NULL"
            " WITH n.uuid AS uuid, min(n.valid_at) AS at ORDER BY at RETURN uuid"
        )
        graph, theirs = self._engine.graph(group), self._engine.theirs(group)
        uuids = [uuid for (uuid,) in await self._engine.read(graph, missing, {"group": theirs})]
        lost = set(await self._engine.foreign(group, uuids))
        uuids = [uuid for uuid in uuids if uuid not in lost]
        query = f"{_THEIRS[thing]} AND n.uuid IN $uuids RETURN {_COLUMNS[thing]}"
        for start in range(0, len(uuids), _EACH):
            asked = {"group": theirs, "uuids": uuids[start : start + _EACH]}
            nodes = [Node(group, *row) for row in await self._engine.read(graph, query, asked)]
            await self._writer.write(group, lambda ledger, nodes=nodes: _take(ledger, thing, nodes))  # type: ignore[misc]
        return bool(uuids)


async def _take(ledger: Ledger, thing: Thing, nodes: Sequence[Node]) -> None:
    """Write a change that makes what these nodes say ours."""
    now = to_moment(ledger.now)
    made = Change(
        uuid=new_id(),
        group_id=ledger.group_id,
        kind=ChangeKind.DIGEST,
        created_at=now,
        parent=ledger.head,
        note="taken over from Graphiti",
    )
    episodes: dict[str, Episode] = {}
    entities: dict[str, Entity] = {}
    facts: dict[str, tuple[Fact, tuple[Assertion, ...]]] = {}
    for node in nodes:
        match thing:
            case Thing.EPISODE:
                episodes[node.uuid] = to_episode(node, now)
            case Thing.ENTITY:
                entities[node.uuid] = to_entity(node, now)
            case Thing.FACT:
                facts[node.uuid] = to_fact(node, now)
    ledger.is_shown = True
    await record.adopt(
        ledger,
        replace(
            made,
            episodes=await _in_threads(ledger, episodes.values()),
            entities=tuple(entities.values()),
            facts=tuple(fact for fact, _ in facts.values()),
            asserted=tuple(assertion for _, said in facts.values() for assertion in said),
        ),
    )


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

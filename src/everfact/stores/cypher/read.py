"""Reading back: listings of each kind, the log with all that each change did, the counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from everfact.models import Assertion, Change, Cursor, Entity, Episode, Fact, Filter, Stats, Thing
from everfact.stores.cypher.engine import LABELS, Part, Row
from everfact.stores.cypher.rows import EPISODE, OPEN, from_data, to_change, to_episode, to_micros, to_moment
from everfact.stores.cypher.where import Where, assertions, versions, withdrawn

T = TypeVar("T", Episode, Entity, Fact, Assertion)

COLUMNS = {Thing.EPISODE: EPISODE, Thing.ENTITY: "e.data", Thing.FACT: "e.data"}
_READ: dict[Thing, Callable[[Row], Any]] = {
    Thing.EPISODE: to_episode,
    Thing.ENTITY: lambda row: from_data(Entity, row[0]),
    Thing.FACT: lambda row: from_data(Fact, row[0]),
}
_TIME = {Thing.EPISODE: "reference_time", Thing.ENTITY: "created_at", Thing.FACT: "created_at"}


async def items(parts: Sequence[Part], thing: Thing, filter_: Filter, limit: int, before: Cursor | None) -> list[Any]:
    """See `Store.episodes`, `Store.entities`, `Store.facts`."""
    found: list[Any] = []
    for part in parts:
        where = await versions(part, thing, filter_)
        rows = await newest(part, where, COLUMNS[thing], (limit, before, _TIME[thing]))
        found += map(_READ[thing], rows)
    return _merged(found, limit, _TIME[thing])


async def assertion_list(parts: Sequence[Part], filter_: Filter, limit: int, before: Cursor | None) -> list[Assertion]:
    """See `Store.assertions`."""
    found = []
    for part in parts:
        columns = f"e.data, {withdrawn(filter_)}"
        rows = await newest(part, assertions(filter_), columns, (limit, before, "created_at"))
        found += [replace(from_data(Assertion, data), withdrawn=gone) for data, gone in rows]
    return _merged(found, limit, "created_at")


async def newest(part: Part, where: Where, columns: str, page: tuple[int, Cursor | None, str]) -> list[Row]:
    """The first rows of a part, newest first."""
    limit, before, time = page
    if before is not None:
        where.add(
            f"(e.{time} < $before OR (e.{time} = $before AND e.uuid < $before_uuid))",
            before=to_micros(before[0]),
            before_uuid=before[1],
        )
    return await part.read(
        f"{where.match} WITH e ORDER BY e.{time} DESC, e.uuid DESC LIMIT $limit RETURN {columns}",
        limit=limit,
        **where.parameters,
    )


def _merged(found: list[T], limit: int, time: str) -> list[T]:
    return sorted(found, key=lambda item: (getattr(item, time), item.uuid), reverse=True)[:limit]


async def changes(parts: Sequence[Part], filter_: Filter, limit: int, before: Cursor | None) -> list[Change]:
    """See `Store.changes`."""
    found: list[Change] = []
    for part in parts:
        where = Where("EverfactChange")
        if filter_.known_at is not None:
            where.add("e.created_at <= $known_at", known_at=to_micros(filter_.known_at))
        if filter_.uuids is not None:
            where.one_of("uuid", await touching(part, filter_.uuids))
        rows = await newest(part, where, "properties(e)", (limit, before, "created_at"))
        found += await whole(part, [node for (node,) in rows])
    return sorted(found, key=lambda change: (change.created_at, change.uuid), reverse=True)[:limit]


async def touching(part: Part, uuids: Sequence[str]) -> list[str]:
    """The changes that are, or touched, one of these."""
    queries = ["MATCH (e:EverfactChange) WHERE (e.uuid IN $uuids OR e.cause IN $uuids)", *_TOUCHED]
    touched = set()
    for query in queries:
        columns = "e.uuid" if query is queries[0] else "e.made_by, e.closed_by, e.marked_by"
        for row in await part.read(f"{query} AND e.group_id IN $groups RETURN {columns}", uuids=list(uuids)):
            touched |= {uuid for item in row for uuid in (item if isinstance(item, list) else [item]) if uuid}
    return sorted(touched)


_TOUCHED = [f"MATCH (e:{label}) WHERE e.uuid IN $uuids" for label in (*LABELS.values(), "EverfactAssertion")]


async def whole(part: Part, nodes: Sequence[dict[str, Any]]) -> list[Change]:
    """The changes with everything they did, as far as it is still there."""
    if not nodes:
        return []
    uuids = [node["uuid"] for node in nodes]
    made: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    closed: dict[str, list[str]] = defaultdict(list)
    for thing, label in LABELS.items():
        mine = f"MATCH (e:{label}) WHERE e.group_id IN $groups AND"
        rows = await part.read(
            f"{mine} e.made_by IN $uuids WITH e ORDER BY e.no RETURN e.made_by, {COLUMNS[thing]}", uuids=uuids
        )
        for uuid, *row in rows:
            made[uuid][label].append(_READ[thing](row))
        ended = f"{mine} e.closed_by IN $uuids RETURN e.closed_by, e.uuid"
        for uuid, item in await part.read(ended, uuids=uuids):
            closed[uuid].append(item)
    said = (
        "MATCH (e:EverfactAssertion) WHERE e.group_id IN $groups AND e.made_by IN $uuids"
        " WITH e ORDER BY e.no RETURN e.made_by, e.data"
    )
    for uuid, data in await part.read(said, uuids=uuids):
        made[uuid]["asserted"].append(from_data(Assertion, data))
    standing = await _existing(part, nodes)
    return [_put_together(node, made[node["uuid"]], closed[node["uuid"]], standing) for node in nodes]


async def _existing(part: Part, nodes: Sequence[dict[str, Any]]) -> set[str]:
    """Of the assertions that these changes marked, those that have not been wiped."""
    marked = [uuid for node in nodes for uuid in (*node["withdrawn"], *node["reinstated"])]
    query = "MATCH (e:EverfactAssertion) WHERE e.uuid IN $uuids AND e.group_id IN $groups RETURN e.uuid"
    found = await part.read(query, uuids=marked) if marked else []
    return {uuid for (uuid,) in found}


def _put_together(node: dict[str, Any], made: dict[str, list[Any]], closed: list[str], standing: set[str]) -> Change:
    again = {item.uuid for label in LABELS.values() for item in made[label]}
    return replace(
        to_change(node),
        asserted=tuple(made["asserted"]),
        withdrawn=tuple(sorted(standing.intersection(node["withdrawn"]))),
        reinstated=tuple(sorted(standing.intersection(node["reinstated"]))),
        episodes=tuple(made[LABELS[Thing.EPISODE]]),
        entities=tuple(made[LABELS[Thing.ENTITY]]),
        facts=tuple(made[LABELS[Thing.FACT]]),
        removed=tuple(sorted(uuid for uuid in closed if uuid not in again)),
    )


_COUNTS = {
    "episodes": f"MATCH (e:EverfactEpisode) WHERE e.known_to = {OPEN}",
    "entities": f"MATCH (e:EverfactEntity) WHERE e.known_to = {OPEN}",
    "facts": f"MATCH (e:EverfactFact) WHERE e.known_to = {OPEN}",
    "assertions": "MATCH (e:EverfactAssertion) WHERE size(e.marks) % 2 = 0",
    "changes": "MATCH (e:EverfactChange) WHERE e.uuid <> ''",
    "pending": "MATCH (e:EverfactEpisode) WHERE e.status = 'pending'",
    "parked": "MATCH (e:EverfactEpisode) WHERE e.status = 'parked'",
}


async def stats(parts: Sequence[Part]) -> Stats:
    """See `Store.stats`."""
    total = Stats()
    for part in parts:
        groups = "MATCH (g:EverfactGroup) WHERE g.group_id IN $groups"
        found = await part.read(f"{groups} WITH count(g) AS n, max(g.recorded_at) AS at RETURN n, at")
        if not found or not found[0][0]:
            continue
        counts = {}
        for name, query in _COUNTS.items():
            ((counts[name],),) = await part.read(f"{query} AND e.group_id IN $groups WITH count(e) AS n RETURN n")
        oldest = f"{_COUNTS['pending']} AND e.group_id IN $groups WITH min(e.created_at) AS at RETURN at"
        ((since,),) = await part.read(oldest)
        total = _sum(total, Stats(groups=found[0][0], **counts), since, found[0][1])
    return total


def _sum(one: Stats, other: Stats, since: int | None, last: int) -> Stats:
    times = [moment for moment in (one.oldest_pending, None if since is None else to_moment(since)) if moment]
    writes = [moment for moment in (one.last_write, to_moment(last)) if moment]
    counted = ("groups", *_COUNTS)
    return Stats(
        **{name: getattr(one, name) + getattr(other, name) for name in counted},
        oldest_pending=min(times, default=None),
        last_write=max(writes),
    )

"""Finding by meaning, by neighbourhood. Scores only; ranking is not the store's business."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everfact.models import Filter, Reached, Scored, Thing, Vector
from everfact.stores.cypher.engine import Part, Row
from everfact.stores.cypher.read import newest
from everfact.stores.cypher.rows import speaker_key
from everfact.stores.cypher.scores import ranked
from everfact.stores.cypher.vectors import direction, is_small
from everfact.stores.cypher.where import Where, versions
from everfact.stores.walk import Ends, Walk

_MOST = 10_000


async def match_vector(
    sized: Sequence[tuple[Part, int]], asked: tuple[Thing, str, Vector], filter_: Filter, limit: int
) -> list[Scored]:
    """See `Store.match_vector`: what kind of item, the property that has its vectors, and the vector asked for.

    Of many the nearest are looked up, and more of them if too few pass the filter.
    """
    thing, name, vector = asked
    question = direction(vector, is_question=True)
    scores: dict[str, float] = {}
    for part, size in sized:
        where = await versions(part, thing, filter_)
        look = _nearest_of_all if where.is_narrow or is_small(size) else _nearest
        scores |= await look(part, (thing, name), where, {"vector": question, "limit": limit})
    return ranked(scores, limit)


async def _nearest(part: Part, of: tuple[Thing, str], where: Where, asked: Mapping[str, Any]) -> dict[str, float]:
    thing, name = of
    if not await part.engine.has_vectors(part.graph, thing, name):
        return await _nearest_of_all(part, of, where, asked)
    most = 4 * asked["limit"] + 100
    while most <= _MOST:
        found = await part.read(
            f"{part.engine.by_vector(thing, name)} WITH node, score ORDER BY score DESC LIMIT $most"
            f" MATCH (node)<-[:EverfactSays]-(e:{where.label}) WHERE {where.conditions}"
            " WITH e.uuid AS uuid, max(score) AS score ORDER BY score DESC, uuid DESC LIMIT $limit RETURN uuid, score",
            **where.parameters,
            **asked,
            most=most,
        )
        if len(found) >= asked["limit"]:
            return dict(map(tuple, found))
        most *= 8
    return await _nearest_of_all(part, of, where, asked)


async def _nearest_of_all(
    part: Part, of: tuple[Thing, str], where: Where, asked: Mapping[str, Any]
) -> dict[str, float]:
    """All vectors that pass are compared."""
    _, name = of
    found = await part.read(
        f"{where.match} MATCH (e)-[:EverfactSays]->(t) WHERE t.{name} IS NOT NULL"
        f" WITH e.uuid AS uuid, {part.engine.cosine(name)} AS score ORDER BY score DESC, uuid DESC LIMIT $limit"
        " RETURN uuid, score",
        **where.parameters,
        **asked,
    )
    return dict(map(tuple, found))


async def neighbours(
    parts: Sequence[Part], entity_uuids: Sequence[str], filter_: Filter, hops: int, limit: int
) -> list[Reached]:
    """See `Store.neighbours`: the newest facts first."""
    walk = Walk(entity_uuids, limit)
    for _ in range(hops):
        if not walk.is_over:
            walk.step(await _facts_at(parts, walk.frontier, filter_, limit + len(walk.reached)))
    return walk.nearest


async def _facts_at(parts: Sequence[Part], entity_uuids: Sequence[str], filter_: Filter, limit: int) -> list[Ends]:
    """The newest facts about any of these."""
    found: list[Row] = []
    for part in parts:
        where = await versions(part, Thing.FACT, filter_)
        where.add("(e.subject IN $at OR e.object IN $at)", at=list(entity_uuids))
        columns = "e.created_at, e.uuid, e.subject, e.object"
        found += await newest(part, where, columns, (limit, None, "created_at"))
    found.sort(key=lambda row: row[:2], reverse=True)
    return [(uuid, subject, object_) for _, uuid, subject, object_ in found]


async def speakers(parts: Sequence[Part], names: Sequence[str], filter_: Filter) -> list[str]:
    """See `Store.speakers`."""
    found: set[str] = set()
    for part in parts:
        where = await versions(part, Thing.EPISODE, filter_)
        keys = [speaker_key(group, name) for group in part.groups for name in names]
        where.add("e.speaker_key IN $keys", keys=[key for key in keys if key is not None])
        rows = await part.read(f"{where.match} WITH DISTINCT e.speaker AS speaker RETURN speaker", **where.parameters)
        found |= {speaker for (speaker,) in rows}
    return sorted(found)

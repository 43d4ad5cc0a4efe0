"""Finding by words, by meaning, by neighbourhood. Scores only; ranking is not the store's business."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everfact.models import Filter, Reached, Scored, Thing, Vector, fold_name
from everfact.stores.cypher.engine import Part, Row
from everfact.stores.cypher.read import newest
from everfact.stores.cypher.vectors import direction
from everfact.stores.cypher.where import Where, versions
from everfact.stores.cypher.words import match_words

_FEW = 2_000
"""Of a group with no more versions than this all vectors are compared; that is as quick, and exact."""
_MOST = 10_000
_ALL = 1_000_000
_SIZE = "MATCH (g:EverfactGroup) WHERE g.group_id IN $groups RETURN sum(g.next_no)"


async def match_text(parts: Sequence[Part], thing: Thing, text: str, filter_: Filter, limit: int) -> list[Scored]:
    """See `Store.match_text`. The best are looked at first; if too few of them pass the filter, all."""
    words = match_words(text)
    scores: dict[str, float] = {}
    for part in parts if words else ():
        where = await versions(part, thing, filter_)
        found, asked = part.engine.by_words(thing, part, words)
        for most in (_some(limit), _ALL):
            rows = await _best(part, where, found, {**asked, "limit": limit, "most": most})
            if len(rows) >= limit:
                break
        for uuid, score in rows:
            scores[uuid] = score
    return _ranked(scores, limit)


def _some(limit: int) -> int:
    return 4 * limit + 100


async def _best(part: Part, where: Where, found: str, asked: Mapping[str, Any]) -> list[Row]:
    """The best of the wordings that a clause yields whose version passes."""
    return await part.read(
        f"{found} WITH node, score ORDER BY score DESC LIMIT $most"
        f" MATCH (node)<-[:EverfactSays]-(e:{where.label}) WHERE {where.conditions}"
        " RETURN e.uuid, max(score) AS score ORDER BY score DESC, e.uuid DESC LIMIT $limit",
        **where.parameters,
        **asked,
    )


def _ranked(scores: Mapping[str, float], limit: int) -> list[Scored]:
    ranked = sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [Scored(uuid=uuid, score=score) for uuid, score in ranked[:limit]]


async def match_vector(
    parts: Sequence[Part], asked: tuple[Thing, str, Vector], filter_: Filter, limit: int
) -> list[Scored]:
    """See `Store.match_vector`: what kind of item, the property that has its vectors, and the vector asked for.

    Of many the nearest are looked up, and more of them if too few pass the filter.
    """
    thing, name, vector = asked
    question = direction(vector, is_question=True)
    scores: dict[str, float] = {}
    for part in parts:
        where = await versions(part, thing, filter_)
        for uuid, score in await _nearest(part, thing, where, name, {"vector": question, "limit": limit}):
            scores[uuid] = score
    return _ranked(scores, limit)


async def _nearest(part: Part, thing: Thing, where: Where, name: str, asked: Mapping[str, Any]) -> list[Row]:
    sizes = [] if where.is_narrow else await part.read(_SIZE)
    if sizes and (sizes[0][0] or 0) > _FEW:
        await part.engine.prepare_vectors(part.graph, thing, name, len(asked["vector"]))
        most = _some(asked["limit"])
        while most <= _MOST:
            found = await _best(part, where, part.engine.by_vector(thing, name), {**asked, "most": most})
            if len(found) >= asked["limit"]:
                return found
            most *= 8
    return await part.read(
        f"{where.match} MATCH (e)-[:EverfactSays]->(t) WHERE t.{name} IS NOT NULL"
        f" RETURN e.uuid, {part.engine.cosine(name)} AS score ORDER BY score DESC, e.uuid DESC LIMIT $limit",
        **where.parameters,
        **asked,
    )


async def neighbours(
    parts: Sequence[Part], entity_uuids: Sequence[str], filter_: Filter, hops: int, limit: int
) -> list[Reached]:
    """See `Store.neighbours`: breadth first, the newest facts first, never the same fact or entity twice."""
    seen, frontier = set(entity_uuids), list(entity_uuids)
    reached: dict[str, Reached] = {}
    for distance in range(1, hops + 1):
        ends = await _facts_at(parts, frontier, filter_, limit + len(reached))
        inside, frontier = set(frontier), []
        for _, fact_uuid, subject, object_ in ends:
            if fact_uuid in reached:
                continue
            far = (object_ or subject) if subject in inside else subject
            reached[fact_uuid] = Reached(fact_uuid=fact_uuid, entity_uuid=far, distance=distance)
            if far not in seen:
                seen.add(far)
                frontier.append(far)
        if len(reached) >= limit or not frontier:
            break
    return list(reached.values())[:limit]


async def _facts_at(parts: Sequence[Part], entity_uuids: Sequence[str], filter_: Filter, limit: int) -> list[Row]:
    """The newest facts about any of these."""
    found: list[Row] = []
    for part in parts:
        where = await versions(part, Thing.FACT, filter_)
        where.add("(e.subject IN $at OR e.object IN $at)", at=list(entity_uuids))
        columns = "e.created_at, e.uuid, e.subject, e.object"
        found += await newest(part, where, columns, (limit, None, "created_at"))
    return sorted(found, key=lambda row: row[:2], reverse=True)


async def speakers(parts: Sequence[Part], names: Sequence[str], filter_: Filter) -> list[str]:
    """See `Store.speakers`."""
    found: set[str] = set()
    for part in parts:
        where = await versions(part, Thing.EPISODE, filter_)
        where.add("e.speaker_key IN $keys", keys=[fold_name(name) for name in names])
        rows = await part.read(f"{where.match} RETURN DISTINCT e.speaker", **where.parameters)
        found |= {speaker for (speaker,) in rows}
    return sorted(found)

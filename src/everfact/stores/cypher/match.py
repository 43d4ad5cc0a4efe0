"""Finding by words, by meaning, by neighbourhood. Scores only; ranking is not the store's business."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from everfact.errors import UsageError
from everfact.models import Filter, Reached, Scored, Thing, Vector, fold_name
from everfact.stores.cypher.engine import Engine, Part, Row
from everfact.stores.cypher.read import newest
from everfact.stores.cypher.where import Where, versions
from everfact.stores.cypher.words import match_words

_FEW = 2_000
"""Of a group with no more versions than this all vectors are compared; that is as quick, and exact."""
_MOST = 10_000
_SIZE = "MATCH (g:EverfactGroup) WHERE g.group_id IN $groups RETURN sum(g.next_no)"


async def match_text(engine: Engine, thing: Thing, text: str, filter_: Filter, limit: int) -> list[Scored]:
    """See `Store.match_text`."""
    words = match_words(text)
    scores: dict[str, float] = {}
    for part in await engine.parts(filter_.group_ids) if words else ():
        where = await versions(engine, part, thing, filter_)
        found, asked = engine.by_words(thing, part, words)
        for uuid, score in await _best(engine, part, where, found, {**asked, "limit": limit}):
            scores[uuid] = score
    return _ranked(scores, limit)


async def _best(engine: Engine, part: Part, where: Where, found: str, asked: Mapping[str, Any]) -> list[Row]:
    """The best of the wordings that a clause yields whose version passes."""
    return await engine.read(
        part.graph,
        f"{found} MATCH (node)<-[:EverfactSays]-(e:{where.label}) WHERE {where.conditions}"
        " RETURN e.uuid, max(score) AS score ORDER BY score DESC, e.uuid DESC LIMIT $limit",
        {**where.parameters, **asked},
    )


def _ranked(scores: Mapping[str, float], limit: int) -> list[Scored]:
    ranked = sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [Scored(uuid=uuid, score=score) for uuid, score in ranked[:limit]]


async def match_vector(
    engine: Engine, thing: Thing, model: str, vector: Vector, filter_: Filter, limit: int
) -> list[Scored]:
    """See `Store.match_vector`. Of many the nearest are looked up, and more of them if too few pass the filter."""
    question = direction(vector, is_question=True)
    dimension = await model_dimension(engine, model)
    if dimension is None:
        return []
    check_dimension(model, dimension, len(vector))
    scores: dict[str, float] = {}
    for part in await engine.parts(filter_.group_ids):
        where = await versions(engine, part, thing, filter_)
        asked = {"vector": question, "limit": limit}
        for uuid, score in await _nearest(engine, part, thing, where, vector_name(model), asked):
            scores[uuid] = score
    return _ranked(scores, limit)


async def _nearest(
    engine: Engine, part: Part, thing: Thing, where: Where, name: str, asked: Mapping[str, Any]
) -> list[Row]:
    sizes = [] if where.is_narrow else await engine.read(part.graph, _SIZE, where.parameters)
    if sizes and (sizes[0][0] or 0) > _FEW:
        await engine.prepare_vectors(part.graph, thing, name, len(asked["vector"]))
        most = 4 * asked["limit"] + 100
        while most <= _MOST:
            found = await _best(engine, part, where, engine.by_vector(thing, name), {**asked, "most": most})
            if len(found) >= asked["limit"]:
                return found
            most *= 8
    return await engine.read(
        part.graph,
        f"{where.match} MATCH (e)-[:EverfactSays]->(t) WHERE t.{name} IS NOT NULL"
        f" RETURN e.uuid, {engine.cosine(name)} AS score ORDER BY score DESC, e.uuid DESC LIMIT $limit",
        {**where.parameters, **asked},
    )


def vector_name(model: str) -> str:
    """The property that holds the vectors of a model."""
    return f"vector_{blake2b(model.encode(), digest_size=6).hexdigest()}"


def direction(vector: Vector, *, is_question: bool = False) -> list[float]:
    """The vector as it is kept: of length one, and two parts longer, where what points nowhere differs from all others.

    Raises:
        UsageError: it holds a value that is no finite number.
    """
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise UsageError("a vector holds a value that is no finite number")
    if length:
        return [*(value / length for value in vector), 0.0, 0.0]
    return [*vector, float(is_question), float(not is_question)]


_MODEL = "MATCH (m:EverfactModel {name: $name}) RETURN m.dimension"


async def model_dimension(engine: Engine, model: str) -> int | None:
    """How many parts the vectors of a model have; None where there are none yet."""
    found = await engine.read(engine.registry, _MODEL, {"name": model})
    return found[0][0] if found else None


def check_dimension(model: str, expected: int, given: int) -> None:
    """Refuse a vector that cannot be one of the model.

    Raises:
        UsageError: it has too many or too few parts.
    """
    if expected != given:
        raise UsageError(f"vectors of {model} have {expected} dimensions, this one has {given}")


async def neighbours(
    engine: Engine, entity_uuids: Sequence[str], filter_: Filter, hops: int, limit: int
) -> list[Reached]:
    """See `Store.neighbours`: breadth first, the newest facts first, never the same fact or entity twice."""
    seen, frontier = set(entity_uuids), list(entity_uuids)
    reached: dict[str, Reached] = {}
    for distance in range(1, hops + 1):
        ends = await _facts_at(engine, frontier, filter_, limit + len(reached))
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


async def _facts_at(engine: Engine, entity_uuids: Sequence[str], filter_: Filter, limit: int) -> list[Row]:
    """The newest facts about any of these."""
    found: list[Row] = []
    for part in await engine.parts(filter_.group_ids):
        where = await versions(engine, part, Thing.FACT, filter_)
        where.add("(e.subject IN $at OR e.object IN $at)", at=list(entity_uuids))
        columns = "e.created_at, e.uuid, e.subject, e.object"
        found += await newest(engine, part, where, columns, (limit, None, "created_at"))
    return sorted(found, key=lambda row: row[:2], reverse=True)


async def speakers(engine: Engine, names: Sequence[str], filter_: Filter) -> list[str]:
    """See `Store.speakers`."""
    found: set[str] = set()
    for part in await engine.parts(filter_.group_ids):
        where = await versions(engine, part, Thing.EPISODE, filter_)
        where.add("e.speaker_key IN $keys", keys=[fold_name(name) for name in names])
        rows = await engine.read(part.graph, f"{where.match} RETURN DISTINCT e.speaker", where.parameters)
        found |= {speaker for (speaker,) in rows}
    return sorted(found)

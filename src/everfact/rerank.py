"""Graphiti's ways to put hits in order, for callers who ask for one by its name. Our own weighing needs none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import mul

from everfact.find import Scope
from everfact.models import Entity, Fact, Hit, Query, Ranking, Thing

_STEEPNESS = 60
"""Of reciprocal ranks: 1 / (60 + rank), the constant that everybody uses."""
_FAR = 3
"""Facts from the centre after which everything is equally far."""
_NEAR = 1_000
_VARIED = 50
_RELEVANCE = 0.5
_DEPTH = 300


async def rerank(scope: Scope, query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """The hits in the order that was asked for; a score is as good as the place it stands at."""
    match query.ranking:
        case Ranking.RELEVANCE:
            return list(hits)
        case Ranking.RRF:
            ordered = await _by_reciprocal_ranks(scope, hits)
        case Ranking.MMR:
            ordered = await _by_variety(scope, hits)
        case Ranking.NODE_DISTANCE:
            ordered = await _by_distance(scope, query.center, hits)
        case _:
            ordered = _by_mentions(hits)
    return [replace(hit, score=place.score) for hit, place in zip(ordered, hits, strict=True)]


def _by_mentions(hits: Sequence[Hit]) -> list[Hit]:
    """By how many episodes say it."""
    return sorted(hits, key=lambda hit: -len(hit.item.episodes) if isinstance(hit.item, Fact) else 0)


async def _by_reciprocal_ranks(scope: Scope, hits: Sequence[Hit]) -> list[Hit]:
    scores: dict[str, float] = {}
    for thing in {hit.thing for hit in hits}:
        for found in (await scope.by_words(thing, _DEPTH), await scope.by_meaning(thing, _DEPTH)):
            for place, uuid in enumerate(found):
                scores[uuid] = scores.get(uuid, 0.0) + 1 / (_STEEPNESS + place + 1)
    return sorted(hits, key=lambda hit: -scores.get(hit.item.uuid, 0.0))


async def _by_variety(scope: Scope, hits: Sequence[Hit]) -> list[Hit]:
    """Maximal marginal relevance: each next hit fits the question, and is unlike those before it."""
    first, rest = list(hits[:_VARIED]), list(hits[_VARIED:])
    if scope.embedder is None or not first:
        return [*first, *rest]
    vectors = dict(
        zip((hit.item.uuid for hit in first), await scope.embedder.embed([h.item.text for h in first]), strict=True)
    )
    likeness = {hit.item.uuid: 0.0 for hit in first}
    chosen: list[Hit] = []
    while first:
        best = max(first, key=lambda h: _RELEVANCE * h.score - (1 - _RELEVANCE) * likeness[h.item.uuid])
        first.remove(best)
        chosen.append(best)
        for hit in first:
            alike = sum(map(mul, vectors[hit.item.uuid], vectors[best.item.uuid]))
            likeness[hit.item.uuid] = max(likeness[hit.item.uuid], alike)
    return [*chosen, *rest]


async def _by_distance(scope: Scope, center: str, hits: Sequence[Hit]) -> list[Hit]:
    """By how many facts away from the centre: true distance in the graph."""
    reached = await scope.store.neighbours([center], scope.where[Thing.FACT], hops=_FAR, limit=_NEAR)
    facts = {one.fact_uuid: one.distance for one in reached}
    entities = {center: 0}
    for one in reached:
        entities[one.entity_uuid] = min(entities.get(one.entity_uuid, one.distance), one.distance)

    def distance(hit: Hit) -> int:
        if isinstance(hit.item, Fact):
            return facts.get(hit.item.uuid, _FAR + 1)
        return entities.get(hit.item.uuid, _FAR + 1) if isinstance(hit.item, Entity) else _FAR + 1

    return sorted(hits, key=distance)

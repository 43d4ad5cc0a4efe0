"""`Query` → `Answer`: find what may answer, rank it, put the newer before the older, cut to size."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from everfact.errors import UsageError
from everfact.find import (
    Leads,
    Scope,
    find_entities,
    find_episodes,
    find_facts,
    find_successors,
    match_episodes,
    meaning_of,
    scope_of,
)
from everfact.fuse import (
    ENTITY_WEIGHTS,
    EPISODE_WEIGHTS,
    FACT_WEIGHTS,
    Found,
    Ranked,
    certainty,
    rank,
    rank_episodes,
    reasons,
    weigh_episodes,
)
from everfact.models import (
    Answer,
    Comparison,
    Entity,
    Episode,
    Fact,
    Filter,
    Hit,
    Query,
    Ranking,
    Reached,
    Thing,
    Vector,
    thing_of,
)
from everfact.ports import Embedder, Store
from everfact.refold import EVERYTHING
from everfact.rerank import rerank
from everfact.supersede import reorder

MOST_HITS = 1_000
_TOLD_IN = 20
_REPLACED = 10
_FACTS = 40
_HIDDEN = 20
_DEPTH = 50
_CHARACTERS_A_TOKEN = 4
_TICK = timedelta(microseconds=1)
_LAST = datetime.max.replace(tzinfo=UTC) - _TICK
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


async def search(store: Store, embedder: Embedder | None, query: Query, *, now: datetime) -> Answer:
    """What fits the question, best first.

    Raises:
        UsageError: the query cannot be answered as it is.
    """
    check_query(query)
    vector, silence = await meaning_of(embedder, query.text)
    if silence:
        return replace(await search(store, None, query, now=now), without_meaning=silence)
    if query.ranking is Ranking.MMR:  # embeds what it finds, and an embedder belongs to the loop that it was made in
        return await _search(store, embedder, vector, query, now)
    return await store.together(lambda held: _search(held, embedder, vector, query, now))


async def _search(
    store: Store, embedder: Embedder | None, vector: Vector | None, query: Query, now: datetime
) -> Answer:
    scope = await scope_of(store, embedder, vector, query, query.asked_at or now)
    if not scope.question.words:
        return Answer(hits=())
    leads, matched = await asyncio.gather(find_facts(scope), match_episodes(scope))
    found = await find_episodes(scope, matched, leads)
    turns = rank_episodes(scope.question, found)
    *kinds, hidden = await asyncio.gather(
        _episode_hits(scope, query, found, turns),
        _fact_hits(scope, query, leads, turns),
        _entity_hits(scope, query),
        _hidden(scope, query),
    )
    hits = _newer_first(await rerank(scope, query, _together([hit for kind in kinds for hit in kind])))
    hits = await _still_true(scope, hits[: query.limit])
    shown, trimmed = within_budget(hits, query.max_tokens)
    if query.explain:
        shown = await _with_paths(scope, shown, leads.near)
    return Answer(hits=tuple(shown), hidden=hidden, trimmed=trimmed)


async def compare(
    store: Store, embedder: Embedder | None, query: Query, moments: tuple[datetime, datetime], *, now: datetime
) -> Comparison:
    """What was true of a question at two moments, each in the order of its own search; without words, of everything.

    Raises:
        UsageError: the first moment is not before the second.
    """
    start, end = moments
    _check_times(moments)
    if start >= end:
        raise UsageError(f"{start} does not lie before {end}", hint="give the earlier moment first")
    if not query.text.strip():
        return await _compare_all(store, query, start, end)
    facts = replace(query, things=(Thing.FACT,), include_history=False)
    before, after = await asyncio.gather(
        *(search(store, embedder, replace(facts, valid_at=moment), now=now) for moment in moments)
    )
    return Comparison(
        at_start=tuple(before.facts),
        at_end=tuple(after.facts),
        ended=tuple(f for f in before.facts if f.invalid_at is not None and start < f.invalid_at <= end),
        began=tuple(f for f in after.facts if f.valid_at is not None and start < f.valid_at <= end),
    )


async def _compare_all(store: Store, query: Query, start: datetime, end: datetime) -> Comparison:
    """What was true in the groups at two moments; what began and ended in between shows in both lists of changes."""
    where = Filter(group_ids=query.group_ids, known_at=query.known_at)
    before, after, between = await asyncio.gather(
        *(
            store.facts(replace(where, valid_at=at, valid_until=until), limit=EVERYTHING)
            for at, until in ((start, None), (end, None), (start, end))
        )
    )
    return Comparison(
        at_start=tuple(f for f in before if f.valid_at is None or f.valid_at <= start),
        at_end=tuple(f for f in after if f.valid_at is None or f.valid_at <= end),
        ended=tuple(f for f in between if f.invalid_at is not None and start < f.invalid_at <= end),
        began=tuple(f for f in between if f.valid_at is not None and start < f.valid_at <= end),
    )


async def evidence_for(
    store: Store, embedder: Embedder | None, query: Query, *, now: datetime
) -> dict[str, dict[str, float]]:
    """What speaks for each episode that may answer, by uuid: what the weights are fitted on."""
    vector, _ = await meaning_of(embedder, query.text)
    scope = await scope_of(store, embedder, vector, query, query.asked_at or now)
    leads, matched = await asyncio.gather(find_facts(scope), match_episodes(scope))
    return weigh_episodes(scope.question, await find_episodes(scope, matched, leads))


def check_query(query: Query) -> None:
    """Refuse what has no answer.

    Raises:
        UsageError: a limit out of bounds, times without a zone or that exclude each other, text that is no text.
    """
    half = _HALF_A_CHARACTER.search(query.text)
    if half is not None:
        raise UsageError(f"the question holds half of a surrogate pair at character {half.start()}")
    if not 1 <= query.limit <= MOST_HITS:
        raise UsageError(f"limit is {query.limit}", hint=f"ask for 1 to {MOST_HITS} hits")
    if query.max_tokens is not None and query.max_tokens < 1:
        raise UsageError(f"max_tokens is {query.max_tokens}", hint="leave it out, or give a positive number")
    if query.ranking is Ranking.NODE_DISTANCE and not query.center:
        raise UsageError("there is nothing to measure the distance from", hint="name an entity as the centre")
    bounds = (
        ("valid_at", query.valid_at_after, query.valid_at_before),
        ("invalid_at", query.invalid_at_after, query.invalid_at_before),
    )
    _check_times((query.valid_at, query.known_at, query.asked_at, *bounds[0][1:], *bounds[1][1:]))
    for name, after, before in bounds:
        if after is not None and before is not None and after >= before:
            raise UsageError(f"nothing lies after {after} and before {before}", hint=f"swap the bounds of {name}")


def _check_times(moments: Sequence[datetime | None]) -> None:
    if any(moment is not None and moment.tzinfo is None for moment in moments):
        raise UsageError("a time of the question has no time zone", hint="write it like 2026-03-01T09:00:00Z")


def within_budget(hits: Sequence[Hit], max_tokens: int | None) -> tuple[list[Hit], int]:
    """As many hits, from the best on, as the budget has room for, and how many it has not."""
    if max_tokens is None:
        return list(hits), 0
    kept: list[Hit] = []
    left = max_tokens * _CHARACTERS_A_TOKEN
    for hit in hits:
        if len(hit.item.text) <= left:
            kept.append(hit)
            left -= len(hit.item.text)
    return kept, len(hits) - len(kept)


async def _episode_hits(scope: Scope, query: Query, found: Sequence[Found], turns: Sequence[Ranked]) -> list[Hit]:
    """The episodes; where two state the same thing, or one replaced the other, the newer one takes the better place."""
    if Thing.EPISODE not in query.things:
        return []
    episodes = {one.episode.uuid: one.episode for one in found}
    order = reorder(scope.question.text, [episodes[one.uuid] for one in turns])
    for old, newer in (await find_successors(scope, order[:_REPLACED])).items():
        ahead = [episode for episode in newer if episode.uuid != old]
        rest = [episode for episode in order if episode not in ahead]
        place = [episode.uuid for episode in rest].index(old)
        order = [*rest[:place], *ahead, *rest[place:]]
    ranked = {one.uuid: one for one in turns}
    hits = []
    for place, episode in enumerate(order[: _depth(query)]):
        # A score says how good the place is; whoever moves up takes the score of that place.
        score = turns[min(place, len(turns) - 1)].score
        evidence = ranked[episode.uuid].evidence if episode.uuid in ranked else {}
        one = Ranked(uuid=episode.uuid, score=score, evidence=evidence)
        hits.append(_hit(episode, one, EPISODE_WEIGHTS, query))
    return hits


async def _fact_hits(scope: Scope, query: Query, leads: Leads, turns: Sequence[Ranked]) -> list[Hit]:
    """Facts by what they say themselves and by what the episodes behind them say."""
    if Thing.FACT not in query.things:
        return []
    worth = {one.uuid: max(one.score, 0.0) / 10 for one in turns[:_TOLD_IN]}
    told = await scope.store.facts(replace(scope.where[Thing.FACT], episodes=tuple(worth)), limit=_FACTS)
    facts = leads.facts | {fact.uuid: fact for fact in told}
    lacking = facts.keys() - leads.facts.keys()
    meaning = await scope.by_meaning(Thing.FACT, len(lacking), lacking) if lacking else {}
    named = {entity.uuid for entity in scope.named}
    weighed = {}
    for uuid, fact in facts.items():
        own = leads.evidence.get(uuid) or {"words": 0.0, "meaning": meaning.get(uuid, 0.0)}
        weighed[uuid] = {
            **own,
            "named": float(fact.subject_uuid in named or fact.object_uuid in named),
            "told": max((worth.get(episode, 0.0) for episode in fact.episodes), default=0.0),
            "date": scope.question.times.fit(fact.valid_at) if fact.valid_at else 0.0,
        }
    best = rank(weighed, FACT_WEIGHTS)[: _depth(query)]
    return _newer_first([_hit(facts[one.uuid], one, FACT_WEIGHTS, query) for one in best])


def _newer_first(hits: list[Hit]) -> list[Hit]:
    """The same places, but among facts of one subject and attribute those that hold come before those that ended."""
    ordered = list(hits)
    for places in _about_the_same(hits):
        if len(places) == 1:
            continue
        latest = sorted((hits[place] for place in places), key=_by_end)
        for place, hit in zip(places, latest, strict=True):
            ordered[place] = replace(hit, score=hits[place].score)
    return ordered


def _about_the_same(hits: Sequence[Hit]) -> list[list[int]]:
    """Where the facts of each subject and attribute stand."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, hit in enumerate(hits):
        if isinstance(hit.item, Fact):
            places.setdefault((hit.item.subject_uuid, hit.item.attribute), []).append(place)
    return list(places.values())


def _ended(hit: Hit) -> datetime | None:
    return hit.item.invalid_at if isinstance(hit.item, Fact) else None


def _by_end(hit: Hit) -> float:
    """What holds first, then what ended last."""
    ended = _ended(hit)
    return -math.inf if ended is None else -ended.timestamp()


async def _entity_hits(scope: Scope, query: Query) -> list[Hit]:
    if Thing.ENTITY not in query.things:
        return []
    entities, evidence = await find_entities(scope)
    found = {entity.uuid: entity for entity in entities}
    best = rank(evidence, ENTITY_WEIGHTS)[: _depth(query)]
    return [_hit(found[one.uuid], one, ENTITY_WEIGHTS, query) for one in best]


def _depth(query: Query) -> int:
    """How many hits of each thing go on: as many as are shown, or enough to put in another order."""
    return query.limit if query.ranking is Ranking.RELEVANCE else max(query.limit, _DEPTH)


def _together(hits: list[Hit]) -> list[Hit]:
    """All hits, best first; no fact comes before the best of the episodes it rests on, nor before its successor."""
    told = {hit.item.uuid: hit.score for hit in hits if isinstance(hit.item, Episode)}
    scores = [hit.score for hit in hits]
    for place, hit in enumerate(hits):
        behind = [told[uuid] for uuid in hit.item.episodes if uuid in told] if isinstance(hit.item, Fact) else []
        scores[place] = min(hit.score, max(behind, default=hit.score))
    for places in _about_the_same(hits):
        lowest = accumulate([scores[place] for place in places], min)
        for place, score in zip(places, lowest, strict=True):
            if _ended(hits[place]) is not None:
                scores[place] = score
    placed = [hit if hit.score == score else replace(hit, score=score) for hit, score in zip(hits, scores, strict=True)]
    return sorted(placed, key=lambda hit: (-hit.score, isinstance(hit.item, Fact)))


def _hit(item: Episode | Entity | Fact, one: Ranked, weights: Mapping[str, float], query: Query) -> Hit:
    why = reasons(one, weights) if query.explain else ()
    return Hit(item=item, score=certainty(thing_of(item), one.score), reasons=why)


async def _still_true(scope: Scope, hits: Sequence[Hit]) -> list[Hit]:
    """The hits without facts that somebody has ended or taken away since this search began."""
    uuids = tuple(hit.item.uuid for hit in hits if isinstance(hit.item, Fact))
    where = replace(scope.where[Thing.FACT], uuids=uuids)
    facts = {fact.uuid: fact for fact in await scope.store.facts(where, limit=len(uuids))} if uuids else {}
    return [
        replace(hit, item=facts[hit.item.uuid]) if isinstance(hit.item, Fact) else hit
        for hit in hits
        if not isinstance(hit.item, Fact) or hit.item.uuid in facts
    ]


async def _with_paths(scope: Scope, hits: Sequence[Hit], near: Mapping[str, Reached]) -> list[Hit]:
    """The hits, those that lie around a named entity with the way from it."""
    names = {entity.uuid: entity.name for entity in scope.named}
    where = replace(scope.where[Thing.FACT], uuids=tuple(uuid for uuid, one in near.items() if one.distance == 1))
    steps = await scope.store.facts(where, limit=len(near) or 1)
    shown = []
    for hit in hits:
        if isinstance(hit.item, Fact) and hit.item.uuid in near:
            hit = replace(hit, path=_path(hit.item, steps, names))
        shown.append(hit)
    return shown


def _path(fact: Fact, steps: Sequence[Fact], names: Mapping[str, str]) -> tuple[str, ...]:
    """From a named entity to the fact, over one other fact if need be."""
    ends = (fact.subject_uuid, fact.object_uuid or "")
    ways: list[tuple[str, ...]] = [(names[uuid], fact.sentence) for uuid in ends if uuid in names]
    for step in steps:
        start, *far = sorted((step.subject_uuid, step.object_uuid or ""), key=lambda uuid: uuid not in names)
        if far[0] in ends:
            ways.append((names.get(start, ""), step.sentence, fact.sentence))
    return ways[0] if ways else (fact.sentence,)


async def _hidden(scope: Scope, query: Query) -> int:
    """How many facts fit by their words, but had ended by the time asked about; no more than a few are counted."""
    shown = scope.where[Thing.FACT]
    if shown.valid_at is None or Thing.FACT not in query.things:
        return 0
    until = min(shown.valid_at, _LAST) + _TICK  # a bound leaves out the moment itself
    ended = replace(shown, valid_at=None, valid_until=None, invalid_at_before=until)
    found = await scope.store.match_text(Thing.FACT, " ".join(scope.question.terms), ended, limit=_HIDDEN)
    uuids = tuple(hit.uuid for hit in found)
    # An event with an end is shown all the same.
    return len(uuids) - len(await scope.store.facts(replace(shown, uuids=uuids), limit=_HIDDEN))

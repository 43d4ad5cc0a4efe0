"""`Query` → `Answer`: ask the store by words, by meaning and by neighbourhood; rank; fetch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everfact.errors import UsageError
from everfact.fuse import ENTITY_WEIGHTS, FACT_WEIGHTS, Found, Ranked, certainty, rank, rank_episodes, weigh_episodes
from everfact.models import (
    Answer,
    Comparison,
    Entity,
    Episode,
    Fact,
    Filter,
    Hit,
    Query,
    Thing,
    Vector,
)
from everfact.ports import Embedder, Store
from everfact.question import Question, names_in, read_question
from everfact.supersede import reorder

MOST_HITS = 1_000
_WORDS, _MEANING = 300, 100
"""How many items each way of looking brings."""
_BESIDE = 20
_DATED = 150
_ENTITIES = 30
_FACTS = 100
_TOLD_IN = 30
_HIDDEN = 50
_NEAR = 100
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """Where to look, and for what."""

    store: Store
    embedder: Embedder | None
    question: Question
    vector: Vector | None
    named: tuple[Entity, ...]
    """The entities that the question names, and its centre."""
    where: dict[Thing, Filter]
    shows_history: bool

    async def by_words(self, thing: Thing, limit: int) -> dict[str, float]:
        """Full-text scores, as shares of the best one's."""
        found = await self.store.match_text(thing, " ".join(self.question.terms), self.where[thing], limit=limit)
        best = max((hit.score for hit in found), default=0.0)
        return {hit.uuid: max(hit.score, 0.0) / best if best > 0 else 0.0 for hit in found}

    async def by_meaning(self, thing: Thing, limit: int, uuids: Iterable[str] | None = None) -> dict[str, float]:
        """Cosines: of the nearest items, or of these very ones."""
        if self.vector is None or self.embedder is None:
            return {}
        where = self.where[thing] if uuids is None else replace(self.where[thing], uuids=tuple(uuids))
        found = await self.store.match_vector(thing, self.embedder.model, self.vector, where, limit=limit)
        return {hit.uuid: hit.score for hit in found}


async def search(store: Store, embedder: Embedder | None, query: Query, *, now: datetime) -> Answer:
    """What fits the question, best first.

    Raises:
        UsageError: the query cannot be answered as it is.
    """
    check_query(query)
    scope = await _scope(store, embedder, query, query.asked_at or now)
    if not scope.question.words:
        return Answer(hits=())
    facts = await _find_facts(scope)
    found = await _find_episodes(scope, facts) if set(query.things) & {Thing.EPISODE, Thing.FACT} else []
    turns = rank_episodes(scope.question, found)
    hits: list[Hit] = []
    if Thing.EPISODE in query.things:
        hits += _episode_hits(scope, found, turns, query)
    if Thing.FACT in query.things:
        hits += await _rank_facts(scope, facts, turns, query)
    if Thing.ENTITY in query.things:
        hits += await _rank_entities(scope, query)
    hits = _with_their_episodes(hits)
    shown, trimmed = _within_budget(hits[: query.limit], query.max_tokens)
    hidden = await _hidden(scope) if Thing.FACT in query.things else 0
    return Answer(hits=tuple(shown), hidden=hidden, trimmed=trimmed)


async def evidence(
    store: Store, embedder: Embedder | None, query: Query, *, now: datetime
) -> dict[str, dict[str, float]]:
    """What speaks for each episode that may answer, by uuid: what the weights are fitted on."""
    scope = await _scope(store, embedder, query, query.asked_at or now)
    facts = await _find_facts(scope)
    return weigh_episodes(scope.question, await _find_episodes(scope, facts))


def check_query(query: Query) -> None:
    """Refuse what has no answer.

    Raises:
        UsageError: a limit out of bounds, or bounds in time that exclude each other.
    """
    if not 1 <= query.limit <= MOST_HITS:
        raise UsageError(f"limit is {query.limit}", hint=f"ask for 1 to {MOST_HITS} hits")
    if query.max_tokens is not None and query.max_tokens < 1:
        raise UsageError(f"max_tokens is {query.max_tokens}", hint="leave it out, or give a positive number")
    bounds = (
        ("valid_at", query.valid_at_after, query.valid_at_before),
        ("invalid_at", query.invalid_at_after, query.invalid_at_before),
    )
    for name, after, before in bounds:
        if after is not None and before is not None and after >= before:
            raise UsageError(f"nothing lies after {after} and before {before}", hint=f"swap the bounds of {name}")


async def _scope(store: Store, embedder: Embedder | None, query: Query, asked_at: datetime) -> _Scope:
    here = Filter(group_ids=query.group_ids, known_at=query.known_at)
    names = names_in(query.text)
    speakers, named, vectors = await asyncio.gather(
        store.speakers(names, here),
        store.entities(replace(here, names=tuple(names)), limit=_ENTITIES),
        embedder.embed([query.text]) if embedder is not None else asyncio.sleep(0, []),
    )
    if query.center:
        named += await store.entities(replace(here, uuids=(query.center,)))
    question = read_question(query.text, asked_at, tuple(speakers))
    facts = replace(
        here,
        relations=query.relations,
        entity_types=query.entity_types,
        valid_at_after=query.valid_at_after,
        valid_at_before=query.valid_at_before,
        invalid_at_after=query.invalid_at_after,
        invalid_at_before=query.invalid_at_before,
    )
    return _Scope(
        store=store,
        embedder=embedder,
        question=question,
        vector=vectors[0] if vectors else None,
        named=tuple(named),
        where={
            Thing.EPISODE: replace(here, sources=query.sources),
            Thing.ENTITY: replace(here, entity_types=query.entity_types),
            Thing.FACT: _true_when(facts, query, question, asked_at),
        },
        shows_history=query.include_history,
    )


def _true_when(facts: Filter, query: Query, question: Question, asked_at: datetime) -> Filter:
    """Only what is true at the time asked about: the one given, the one that the question names, or now."""
    if query.include_history or query.invalid_at_after or query.invalid_at_before:
        return facts
    if query.valid_at is None and question.times.windows:
        first, last = question.times.windows[0]
        return replace(facts, valid_at=first, valid_until=last)
    return replace(facts, valid_at=query.valid_at or query.known_at or asked_at)


async def _find_facts(scope: _Scope) -> dict[str, dict[str, float]]:
    """Evidence for the facts that may answer: by words, by meaning, and around the entities that are named."""
    words, meaning, reached = await asyncio.gather(
        scope.by_words(Thing.FACT, _MEANING),
        scope.by_meaning(Thing.FACT, _MEANING),
        scope.store.neighbours([e.uuid for e in scope.named], scope.where[Thing.FACT], hops=2, limit=_NEAR),
    )
    near = {one.fact_uuid: one.distance for one in reached}
    lacking = (words.keys() | near.keys()) - meaning.keys()
    if lacking:
        meaning |= await scope.by_meaning(Thing.FACT, len(lacking), lacking)
    evidence = {
        uuid: {"words": words.get(uuid, 0.0), "meaning": meaning.get(uuid, 0.0)}
        for uuid in words.keys() | meaning.keys() | near.keys()
    }
    best = rank(evidence, FACT_WEIGHTS)[:_FACTS]
    return {one.uuid: evidence[one.uuid] for one in best}


async def _find_episodes(scope: _Scope, facts: dict[str, dict[str, float]]) -> list[Found]:
    """The episodes that may answer: by words and meaning, next to those, of the same threads, of the time asked about,
    and those behind the facts that fit."""
    store, where = scope.store, scope.where[Thing.EPISODE]
    words, meaning, supported = await asyncio.gather(
        scope.by_words(Thing.EPISODE, _WORDS),
        scope.by_meaning(Thing.EPISODE, _MEANING),
        store.facts(replace(scope.where[Thing.FACT], uuids=tuple(facts)), limit=_FACTS),
    )
    behind = _behind(supported, facts)
    first = list(words)[:_MEANING]
    wanted = {*first, *meaning, *list(behind)[:_TOLD_IN]}
    read = [
        store.episodes(replace(where, uuids=tuple(wanted)), limit=len(wanted)),
        store.episodes(replace(where, beside=tuple(first[:_BESIDE])), limit=2 * _BESIDE),
        *(
            store.episodes(replace(where, told_from=a, told_until=b), limit=_DATED)
            for a, b in scope.question.times.windows
        ),
    ]
    found = {episode.uuid: episode for group in await asyncio.gather(*read) for episode in group}
    lacking = found.keys() - meaning.keys()
    if lacking:
        meaning |= await scope.by_meaning(Thing.EPISODE, len(lacking), lacking)
    return [
        Found(
            episode=episode,
            words=words.get(uuid, 0.0),
            meaning=meaning.get(uuid, 0.0),
            fact=behind.get(uuid, 0.0),
        )
        for uuid, episode in found.items()
        if scope.shows_history or "superseded_by" not in episode.attributes
    ]


def _behind(facts: Iterable[Fact], evidence: dict[str, dict[str, float]]) -> dict[str, float]:
    """The episodes behind these facts, each with the cosine of its best fact, best first."""
    fits: dict[str, float] = {}
    for fact in facts:
        for episode in fact.episodes:
            fits[episode] = max(fits.get(episode, 0.0), evidence[fact.uuid]["meaning"])
    return dict(sorted(fits.items(), key=lambda item: -item[1]))


async def _rank_facts(
    scope: _Scope, evidence: dict[str, dict[str, float]], turns: Sequence[Ranked], query: Query
) -> list[Hit]:
    """Facts by what they say themselves and by what the episodes behind them say."""
    store, where = scope.store, scope.where[Thing.FACT]
    told = {one.uuid: max(one.score, 0.0) / 10 for one in turns[:_TOLD_IN]}
    chosen, more = await asyncio.gather(
        store.facts(replace(where, uuids=tuple(evidence)), limit=_FACTS),
        store.facts(replace(where, episodes=tuple(told)), limit=_FACTS),
    )
    facts = {fact.uuid: fact for fact in (*chosen, *more)}
    meaning = await scope.by_meaning(Thing.FACT, _FACTS, facts.keys() - evidence.keys())
    named = {entity.uuid for entity in scope.named}
    weighed = {}
    for uuid, fact in facts.items():
        own = evidence.get(uuid) or {"words": 0.0, "meaning": meaning.get(uuid, 0.0)}
        weighed[uuid] = own | {
            "named": float(fact.subject_uuid in named or fact.object_uuid in named),
            "told": max((told.get(episode, 0.0) for episode in fact.episodes), default=0.0),
            "date": scope.question.times.fit(fact.valid_at) if fact.valid_at else 0.0,
        }
    return [_hit(Thing.FACT, facts[one.uuid], one, query) for one in rank(weighed, FACT_WEIGHTS)]


def _with_their_episodes(hits: list[Hit]) -> list[Hit]:
    """All hits, best first; a fact never comes before the best of the episodes it rests on."""
    told = {hit.item.uuid: hit.score for hit in hits if isinstance(hit.item, Episode)}

    def place(hit: Hit) -> tuple[float, bool]:
        if not isinstance(hit.item, Fact):
            return -hit.score, False
        behind = [told[uuid] for uuid in hit.item.episodes if uuid in told]
        return -min(hit.score, max(behind, default=hit.score)), True

    return sorted(hits, key=place)


def _episode_hits(scope: _Scope, found: Sequence[Found], turns: Sequence[Ranked], query: Query) -> list[Hit]:
    """The episodes as hits; where two state the same thing, the newer one takes the better place."""
    episodes = {one.episode.uuid: one.episode for one in found}
    ranked = {one.uuid: one for one in turns}
    in_order = [episodes[one.uuid] for one in turns]
    hits = []
    for place, episode in enumerate(reorder(scope.question.text, in_order)):
        # A score says how good the place is; whoever moves up takes the score of that place.
        hits.append(_hit(Thing.EPISODE, episode, replace(ranked[episode.uuid], score=turns[place].score), query))
    return hits


async def _rank_entities(scope: _Scope, query: Query) -> list[Hit]:
    words, meaning = await asyncio.gather(
        scope.by_words(Thing.ENTITY, _ENTITIES), scope.by_meaning(Thing.ENTITY, _ENTITIES)
    )
    uuids = words.keys() | meaning.keys() | {entity.uuid for entity in scope.named}
    entities = await scope.store.entities(replace(scope.where[Thing.ENTITY], uuids=tuple(uuids)), limit=len(uuids) or 1)
    named = {entity.uuid for entity in scope.named}
    weighed = {
        entity.uuid: {
            "words": words.get(entity.uuid, 0.0),
            "meaning": meaning.get(entity.uuid, 0.0),
            "named": float(entity.uuid in named),
        }
        for entity in entities
    }
    found = {entity.uuid: entity for entity in entities}
    return [_hit(Thing.ENTITY, found[one.uuid], one, query) for one in rank(weighed, ENTITY_WEIGHTS)]


def _hit(thing: Thing, item: Episode | Entity | Fact, one: Ranked, query: Query) -> Hit:
    strongest = sorted(one.reasons.items(), key=lambda reason: -abs(reason[1])) if query.explain else ()
    return Hit(item=item, score=certainty(thing, one.score), reasons=tuple(strongest))


def _within_budget(hits: Sequence[Hit], max_tokens: int | None) -> tuple[list[Hit], int]:
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


async def _hidden(scope: _Scope) -> int:
    """How many facts fit by their words, but are not true at the time asked about."""
    shown = scope.where[Thing.FACT]
    if shown.valid_at is None:
        return 0
    every = replace(shown, valid_at=None, valid_until=None, invalid_at_before=shown.valid_at)
    terms = " ".join(scope.question.terms)
    return len(await scope.store.match_text(Thing.FACT, terms, every, limit=_HIDDEN))


async def compare(
    store: Store, embedder: Embedder | None, query: Query, moments: tuple[datetime, datetime], *, now: datetime
) -> Comparison:
    """What was true of a question at two moments, each in the order of its own search.

    Raises:
        UsageError: the first moment is not before the second.
    """
    start, end = moments
    if start >= end:
        raise UsageError(f"{start} does not lie before {end}", hint="give the earlier moment first")
    facts = replace(query, things=(Thing.FACT,))
    before, after = await asyncio.gather(
        *(search(store, embedder, replace(facts, valid_at=moment), now=now) for moment in moments)
    )
    at_start, at_end = {f.uuid for f in before.facts}, {f.uuid for f in after.facts}
    return Comparison(
        at_start=tuple(before.facts),
        at_end=tuple(after.facts),
        ended=tuple(
            f for f in before.facts if f.uuid not in at_end and f.invalid_at is not None and f.invalid_at <= end
        ),
        began=tuple(f for f in after.facts if f.uuid not in at_start and f.valid_at is not None and f.valid_at > start),
    )

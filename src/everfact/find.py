"""What may answer a question: facts, episodes and entities, with what the store says of each. Ranking comes after."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import fmean

from everfact.errors import ConfigError, ModelUnavailable, NotFound
from everfact.fuse import FACT_WEIGHTS, Found, rank
from everfact.models import Entity, Episode, Fact, Filter, Query, Reached, Thing, Vector
from everfact.ports import Embedder, Store
from everfact.question import Question, possible_names, read_question
from everfact.relations import REPLACED_BY, TITLED
from everfact.words import SMALL_WORDS

_WORDS, _MEANING = 150, 60
"""How many items each way of looking brings."""
_BESIDE = 20
_DATED = 150
_ENTITIES = 30
_NEAR = 60
_FACTS = 40
_BEHIND = 30
_EVENTS = 5
_TICK = timedelta(microseconds=1)
_NUMBERED = re.compile(r"\s*#*\s*[A-Z][A-Za-z]*[ -]?#?\d")
"""How a document begins that may be known by its number: only then is it worth asking what replaced it."""
_BY_EVENT = re.compile(
    r"\b(?P<when>before|after|since|until|during) (?:the|our|my|his|her|their) (?P<event>[\w' -]{3,60}?)\s*(?:[?.,]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where to look, and for what."""

    store: Store
    embedder: Embedder | None
    question: Question
    vector: Vector | None
    named: tuple[Entity, ...]
    """The entities that the question names, and its centre."""
    where: dict[Thing, Filter]
    shows_history: bool

    def shows(self, episode: Episode) -> bool:
        """Whether it may be shown: what somebody has put out of date in so many words is history."""
        return self.shows_history or "superseded_by" not in episode.attributes

    async def by_words(self, thing: Thing, limit: int) -> dict[str, float]:
        """Full-text scores, as shares of the best one's, best first."""
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


async def meaning_of(embedder: Embedder | None, text: str) -> tuple[Vector | None, str]:
    """What a question means, or why nobody can tell just now; searching by words goes on without."""
    if embedder is None:
        return None, ""
    try:
        return (await embedder.embed([text]))[0], ""
    except (ModelUnavailable, ConfigError) as error:
        return None, str(error)


async def scope_of(
    store: Store, embedder: Embedder | None, vector: Vector | None, query: Query, asked_at: datetime
) -> Scope:
    """Read the question and settle where its answers may be.

    Raises:
        NotFound: there is no such centre.
    """
    here = Filter(group_ids=query.group_ids, known_at=query.known_at)
    names = possible_names(query.text)
    speakers, named = await asyncio.gather(
        store.speakers(names, here), store.entities(replace(here, names=tuple(names)), limit=_ENTITIES)
    )
    if query.center:
        centre = await store.entities(replace(here, uuids=(query.center,)))
        if not centre:
            raise NotFound(f"no entity {query.center[:40]!r} can be the centre", hint="give the uuid of an entity")
        named += centre
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
    asks_when_it_ended = query.valid_at is None and (query.invalid_at_after or query.invalid_at_before)
    if not (query.include_history or asks_when_it_ended):
        first, last = await _time_asked_about(store, query, question, asked_at)
        facts = replace(facts, valid_at=first, valid_until=last)
    return Scope(
        store=store,
        embedder=embedder,
        question=question,
        vector=vector,
        named=tuple(named),
        where={
            Thing.EPISODE: replace(here, sources=query.sources),
            Thing.ENTITY: replace(here, entity_types=query.entity_types),
            Thing.FACT: facts,
        },
        shows_history=query.include_history,
    )


async def _time_asked_about(
    store: Store, query: Query, question: Question, asked_at: datetime
) -> tuple[datetime, datetime]:
    """The time given, the one that the question names by a date or an event, or now; from when until when."""
    if query.valid_at is not None:
        return query.valid_at, query.valid_at
    if question.times.period is not None:
        return question.times.period
    now = query.known_at or asked_at
    event = _BY_EVENT.search(query.text)
    moment = await _when(store, query, event["event"]) if event else None
    if event is None or moment is None:
        return now, now
    if event["when"].lower() in ("before", "until"):
        return moment - _TICK, moment - _TICK
    return moment, moment if event["when"].lower() == "during" else now


async def _when(store: Store, query: Query, event: str) -> datetime | None:
    """When something happened that a fact tells in these words."""
    words = {word for word in event.lower().split() if word not in SMALL_WORDS}
    here = Filter(group_ids=query.group_ids, known_at=query.known_at)
    hits = await store.match_text(Thing.FACT, event, here, limit=_EVENTS) if words else []
    told = await store.facts(replace(here, uuids=tuple(hit.uuid for hit in hits)), limit=_EVENTS)
    dated = {f.uuid: f.valid_at for f in told if f.valid_at and all(word in f.sentence.lower() for word in words)}
    return next((dated[hit.uuid] for hit in hits if hit.uuid in dated), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads:
    """The facts that may answer, with their evidence, and how those around the named entities were reached."""

    facts: dict[str, Fact]
    evidence: dict[str, dict[str, float]]
    near: dict[str, Reached]


async def find_facts(scope: Scope) -> Leads:
    """The facts that may answer: by words, by meaning, and around the entities that are named."""
    where = scope.where[Thing.FACT]
    words, meaning, reached = await asyncio.gather(
        scope.by_words(Thing.FACT, _MEANING),
        scope.by_meaning(Thing.FACT, _MEANING),
        scope.store.neighbours([e.uuid for e in scope.named], where, hops=2, limit=_NEAR),
    )
    near = {one.fact_uuid: one for one in reached}
    lacking = (words.keys() | near.keys()) - meaning.keys()
    if lacking:
        meaning |= await scope.by_meaning(Thing.FACT, len(lacking), lacking)
    weighed = {
        uuid: {"words": words.get(uuid, 0.0), "meaning": meaning.get(uuid, 0.0)}
        for uuid in words.keys() | meaning.keys() | near.keys()
    }
    evidence = {one.uuid: weighed[one.uuid] for one in rank(weighed, FACT_WEIGHTS)[:_FACTS]}
    facts = await scope.store.facts(replace(where, uuids=tuple(evidence)), limit=_FACTS) if evidence else []
    return Leads(facts={fact.uuid: fact for fact in facts}, evidence=evidence, near=near)


async def match_episodes(scope: Scope) -> tuple[dict[str, float], dict[str, float]]:
    """The episodes that share words with the question, and those near it in meaning; each best first."""
    return await asyncio.gather(scope.by_words(Thing.EPISODE, _WORDS), scope.by_meaning(Thing.EPISODE, _MEANING))


async def find_episodes(scope: Scope, matched: tuple[dict[str, float], dict[str, float]], leads: Leads) -> list[Found]:
    """The episodes that may answer: those matched, next to them, of the time asked about, and behind the facts."""
    store, where = scope.store, scope.where[Thing.EPISODE]
    words, meaning = matched
    behind = _behind(leads)
    first = list(words)[:_MEANING]
    wanted = {*first, *meaning, *list(behind)[:_BEHIND]}
    read = [
        store.episodes(replace(where, uuids=tuple(wanted)), limit=len(wanted) or 1),
        store.episodes(replace(where, beside=tuple(first[:_BESIDE])), limit=2 * _BESIDE),
    ]
    for begin, end in scope.question.times.windows:
        read.append(store.episodes(replace(where, told_from=begin, told_until=end), limit=_DATED))
    found = {episode.uuid: episode for group in await asyncio.gather(*read) for episode in group}
    lacking = found.keys() - meaning.keys()
    if lacking:
        meaning = meaning | await scope.by_meaning(Thing.EPISODE, len(lacking), lacking)
    # What was just told has no vector yet: nothing is known for it or against it.
    usual = fmean(meaning.values()) if meaning else 0.0
    return [
        Found(episode=e, words=words.get(uuid, 0.0), meaning=meaning.get(uuid, usual), fact=behind.get(uuid, 0.0))
        for uuid, e in found.items()
        if scope.shows(e)
    ]


def _behind(leads: Leads) -> dict[str, float]:
    """The episodes behind the facts, each with the cosine of its best fact, best first."""
    fits: dict[str, float] = {}
    for fact in leads.facts.values():
        for episode in fact.episodes:
            fits[episode] = max(fits.get(episode, 0.0), leads.evidence[fact.uuid]["meaning"])
    return dict(sorted(fits.items(), key=lambda item: -item[1]))


async def find_entities(scope: Scope) -> tuple[list[Entity], dict[str, dict[str, float]]]:
    """The entities that may answer, and their evidence."""
    words, meaning = await asyncio.gather(
        scope.by_words(Thing.ENTITY, _ENTITIES), scope.by_meaning(Thing.ENTITY, _ENTITIES)
    )
    named = {entity.uuid for entity in scope.named}
    uuids = words.keys() | meaning.keys() | named
    entities = await scope.store.entities(replace(scope.where[Thing.ENTITY], uuids=tuple(uuids)), limit=len(uuids) or 1)
    return entities, {
        entity.uuid: {
            "words": words.get(entity.uuid, 0.0),
            "meaning": meaning.get(entity.uuid, 0.0),
            "named": float(entity.uuid in named),
        }
        for entity in entities
    }


async def find_successors(scope: Scope, episodes: Sequence[Episode]) -> dict[str, list[Episode]]:
    """The episodes of the documents that replaced those which these episodes are, by the uuid of the older one."""
    if not any(_NUMBERED.match(episode.content) for episode in episodes):
        return {}
    facts = scope.where[Thing.FACT]
    then = Filter(
        group_ids=facts.group_ids, known_at=facts.known_at, valid_at=facts.valid_at, valid_until=facts.valid_until
    )
    titled = replace(then, relations=(TITLED,), episodes=tuple(episode.uuid for episode in episodes))
    old = await scope.store.facts(titled, limit=_FACTS)
    if not old:
        return {}
    replaced = replace(then, relations=(REPLACED_BY,), subjects=tuple({title.subject_uuid for title in old}))
    links = await scope.store.facts(replaced, limit=_FACTS)
    titled = replace(then, relations=(TITLED,), subjects=tuple({link.object_uuid or "" for link in links}))
    titles = await scope.store.facts(titled, limit=_FACTS)
    told_in = replace(scope.where[Thing.EPISODE], uuids=tuple({uuid for title in titles for uuid in title.episodes}))
    newer = [episode for episode in await scope.store.episodes(told_in, limit=_FACTS) if scope.shows(episode)]
    documents = {uuid: title.subject_uuid for title in titles for uuid in title.episodes}
    successors = {(link.subject_uuid, link.object_uuid) for link in links}
    return {
        uuid: [episode for episode in newer if (title.subject_uuid, documents[episode.uuid]) in successors]
        for title in old
        for uuid in {episode.uuid for episode in episodes}.intersection(title.episodes)
    }

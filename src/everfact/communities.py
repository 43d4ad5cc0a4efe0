"""Communities: entities that have more to do with each other than with the rest, found by clustering the facts.

A community is an entity of type `Community` that lists its members; it is derived, and no assertion speaks of it.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, TypeAlias

from everfact.clock import new_id
from everfact.models import Change, ChangeKind, Cursor, Entity, Filter
from everfact.ports import Store
from everfact.refold import EVERYTHING
from everfact.summarize import is_ended, summarize

COMMUNITY = "Community"

_CAUSE = "communities"
"""Stands in the log where other changes name their cause, so that the log can be asked for them."""
_PAGE = 5_000
_MOST_FACTS = 200_000
_MOST_QUOTED = 100
"""Facts of a community that its summary chooses from."""
_SUMMARY_CHARACTERS = 500
_NAMED = 3

_ROUNDS = 20
"""Visits to each node, on average, after which a level counts as settled, whether it is or not."""
_LEVELS = 10
_GAIN = 1e-9
"""A move must be better by this share of the node's weight: rounding must not drive it to and fro."""

_Graph: TypeAlias = "list[dict[int, float]]"
"""For each node its neighbours and the weights of the ties to them."""


class _Tie(NamedTuple):
    """A fact between two entities."""

    subject: str
    object: str
    sentence: str
    since: datetime


@dataclass(frozen=True, slots=True)
class _Circle:
    """A community that has no name yet."""

    members: tuple[str, ...]
    foremost: tuple[str, ...]
    """The most connected members, first the one with most facts."""
    summary: str


def is_community(entity: Entity) -> bool:
    """Whether we made it; somebody's own type of that name has no list of members."""
    return COMMUNITY in entity.types and "members" in entity.attributes


def members_of(community: Entity) -> set[str]:
    """The uuids of its members."""
    members = community.attributes.get("members")
    return {str(uuid) for uuid in members} if isinstance(members, list) else set()


async def build_communities(store: Store, group_id: str, *, now: datetime) -> Change:
    """The change that gives a group the communities that its facts, as they stand now, make up."""
    here = Filter(group_ids=(group_id,))
    head = await store.changes(here, limit=1)  # before the rest: what comes in between is a conflict, not a gap
    former = await _former(store, here)
    ties, is_all = await _ties(store, replace(here, valid_at=now), {entity.uuid for entity in former})
    circles = await _off_loop(ties)
    foremost = tuple({uuid for circle in circles for uuid in circle.foremost})
    names = {e.uuid: e.name for e in await store.entities(replace(here, uuids=foremost), limit=EVERYTHING)}
    known = {_members(entity): entity for entity in former}
    blank = Entity(uuid="", group_id=group_id, name="", created_at=now, types=(COMMUNITY,))
    built = [
        _described(known.get(circle.members) or replace(blank, uuid=new_id()), circle, names) for circle in circles
    ]
    kept = {entity.uuid for entity in built}
    return Change(
        uuid=new_id(),
        group_id=group_id,
        kind=ChangeKind.COMMUNITIES,
        created_at=now,
        parent=head[0].uuid if head else None,
        cause=_CAUSE,
        note="" if is_all else f"made from the newest {_MOST_FACTS:,} facts only",
        entities=tuple(entity for entity in built if known.get(_members(entity)) != entity),
        removed=await _unspoken_of(store, here, [entity.uuid for entity in former if entity.uuid not in kept]),
    )


async def ever_built(store: Store, group_id: str) -> list[str]:
    """The uuids of all communities a group ever had: summaries quote facts, so who purges a fact purges them too."""
    log = await store.changes(Filter(group_ids=(group_id,), uuids=(_CAUSE,)), limit=EVERYTHING)
    return sorted({entity.uuid for change in log for entity in change.entities})


def cluster(
    edges: Iterable[tuple[str, str, float]], *, is_stopped: Callable[[], bool] = lambda: False
) -> list[frozenset[str]]:
    """Groups of two or more that are tied to each other more than chance would have it, the largest first.

    Greedy modularity (Louvain): the same for any order of the edges, and done after a bounded number of moves. Ties
    need a finite weight above zero; others bind nobody. When stopped, it settles for what it has.
    """
    names, graph = _graph(edges)
    labels = list(range(len(graph)))
    level, strengths = graph, [sum(ties.values()) for ties in graph]
    for _ in range(_LEVELS):
        moved = _settle(level, strengths, is_stopped)
        labels = [moved[label] for label in labels]
        if len(set(moved)) == len(moved):
            break
        level, strengths, numbers = _merged(level, strengths, moved)
        labels = [numbers[label] for label in labels]
    found = [frozenset(names[node] for node in part) for part in _parts(graph, labels) if len(part) > 1]
    return sorted(found, key=lambda community: (-len(community), min(community)))


def _graph(edges: Iterable[tuple[str, str, float]]) -> tuple[list[str], _Graph]:
    """The nodes in alphabetical order and their ties, parallel ones added up."""
    weights: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one, other, weight in edges:
        if one != other and 0 < weight < math.inf:
            weights[min(one, other), max(one, other)].append(weight)
    names = sorted({name for pair in weights for name in pair})
    number = {name: place for place, name in enumerate(names)}
    graph: _Graph = [{} for _ in names]
    for (one, other), parallel in weights.items():
        total = math.fsum(parallel)  # exact, so that the order of the edges cannot matter
        graph[number[one]][number[other]] = graph[number[other]][number[one]] = total
    # Many short sorts and no long one, during which no other thread could run.
    return names, [dict(sorted(ties.items())) for ties in graph]


def _settle(graph: _Graph, strengths: Sequence[float], is_stopped: Callable[[], bool]) -> list[int]:
    """A label for each node: each goes where modularity gains most, until none wants to move or all had their turns."""
    labels, volumes = list(range(len(graph))), list(strengths)
    total = sum(strengths)
    queue, is_queued = deque(labels), [True] * len(graph)
    visits = _ROUNDS * len(graph)
    while queue and visits and not is_stopped():
        visits -= 1
        node = queue.popleft()
        is_queued[node] = False
        own, strength = labels[node], strengths[node]
        links: dict[int, float] = {own: 0.0}
        for neighbour, weight in graph[node].items():
            label = labels[neighbour]
            links[label] = links.get(label, 0.0) + weight
        volumes[own] -= strength
        best, most = own, links[own] - strength * volumes[own] / total + _GAIN * strength
        for label, weight in links.items():
            gain = weight - strength * volumes[label] / total
            if gain > most:
                best, most = label, gain
        volumes[best] += strength
        if best != own:
            labels[node] = best
            for neighbour in graph[node]:
                if labels[neighbour] != best and not is_queued[neighbour]:
                    is_queued[neighbour] = True
                    queue.append(neighbour)
    return labels


def _merged(
    graph: _Graph, strengths: Sequence[float], labels: Sequence[int]
) -> tuple[_Graph, list[float], dict[int, int]]:
    """The graph of which each node is all nodes of one label, and the node that each label became."""
    numbers = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    merged: _Graph = [{} for _ in numbers]
    sums = [0.0] * len(numbers)
    for node, ties in enumerate(graph):
        own = numbers[labels[node]]
        sums[own] += strengths[node]
        for neighbour, weight in ties.items():
            other = numbers[labels[neighbour]]
            if other != own:
                merged[own][other] = merged[own].get(other, 0.0) + weight
    return merged, sums, numbers


def _parts(graph: _Graph, labels: Sequence[int]) -> list[list[int]]:
    """The nodes of one label that hang together; modularity alone may leave a community in pieces."""
    parts: list[list[int]] = []
    is_seen = [False] * len(graph)
    for start in range(len(graph)):
        part = [] if is_seen[start] else [start]
        is_seen[start] = True
        for node in part:  # grows while it is walked
            fresh = [n for n in graph[node] if labels[n] == labels[start] and not is_seen[n]]
            for neighbour in fresh:
                is_seen[neighbour] = True
            part += fresh
        parts.append(part)
    return parts


async def _former(store: Store, here: Filter) -> list[Entity]:
    found = await store.entities(replace(here, entity_types=(COMMUNITY,)), limit=EVERYTHING)
    return [entity for entity in found if is_community(entity)]


async def _ties(store: Store, where: Filter, outside: set[str]) -> tuple[list[_Tie], bool]:
    """The newest facts between two entities, none of them `outside`, and whether these are all."""
    ties: list[_Tie] = []
    before: Cursor | None = None
    for _ in range(_MOST_FACTS // _PAGE):
        page = await store.facts(where, limit=_PAGE, before=before)
        ties += [
            _Tie(fact.subject_uuid, fact.object_uuid, fact.sentence, fact.valid_at or fact.created_at)
            for fact in page
            if fact.object_uuid is not None
            and fact.object_uuid != fact.subject_uuid
            and outside.isdisjoint((fact.subject_uuid, fact.object_uuid))
        ]
        if len(page) < _PAGE:
            return ties, True
        before = page[-1].created_at, page[-1].uuid
    return ties, not await store.facts(where, limit=1, before=before)


async def _off_loop(ties: Sequence[_Tie]) -> list[_Circle]:
    """Cluster in a thread that gives up soon when nobody waits for it any more."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(_circles, ties, stop.is_set)
    finally:
        stop.set()


def _circles(ties: Sequence[_Tie], is_stopped: Callable[[], bool]) -> list[_Circle]:
    found = cluster(((tie.subject, tie.object, 1.0) for tie in ties), is_stopped=is_stopped)
    place = {member: number for number, members in enumerate(found) for member in members}
    inside: list[list[_Tie]] = [[] for _ in found]
    for tie in ties:
        if tie.subject in place and place[tie.subject] == place.get(tie.object):
            inside[place[tie.subject]].append(tie)
    return [_circle(members, own) for members, own in zip(found, inside, strict=True) if not is_stopped()]


def _circle(members: frozenset[str], ties: Sequence[_Tie]) -> _Circle:
    degrees = Counter(end for tie in ties for end in (tie.subject, tie.object))
    foremost = sorted(members, key=lambda uuid: (-degrees[uuid], uuid))[:_NAMED]
    best = sorted(ties, key=lambda tie: (-degrees[tie.subject] - degrees[tie.object], tie))[:_MOST_QUOTED]
    sentences = [_sentence(tie.sentence) for tie in sorted(best, key=lambda tie: (tie.since, tie))]
    return _Circle(tuple(sorted(members)), tuple(foremost), summarize(sentences, most_characters=_SUMMARY_CHARACTERS))


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or is_ended(text) else f"{text}."


def _described(entity: Entity, circle: _Circle, names: dict[str, str]) -> Entity:
    return replace(
        entity,
        name=_name([names[uuid] for uuid in circle.foremost if uuid in names], len(circle.members)),
        summary=circle.summary,
        attributes={"members": list(circle.members), "extractive": True},
    )


def _name(foremost: Sequence[str], size: int) -> str:
    """`Ana, Rome and Acme`, or `Ana, Rome and 3 others` where naming all would take too long."""
    named = list(foremost if size <= _NAMED else foremost[: _NAMED - 1])
    others = size - len(named)
    *first, last = [*named, f"{others} others"] if others else named
    return f"{', '.join(first)} and {last}"


def _members(entity: Entity) -> tuple[str, ...]:
    members = entity.attributes["members"]
    return tuple(sorted(map(str, members))) if isinstance(members, list) else ()


async def _unspoken_of(store: Store, here: Filter, uuids: Sequence[str]) -> tuple[str, ...]:
    """Those of which nobody ever said anything: what is said, or may be reinstated, needs its entity."""
    said = await store.assertions(replace(here, entities=tuple(uuids), withdrawn=None), limit=EVERYTHING)
    spoken_of = {uuid for assertion in said for uuid in (assertion.subject_uuid, assertion.object_uuid)}
    return tuple(uuid for uuid in uuids if uuid not in spoken_of)

"""What is asked, and the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from everfact.models.kinds import Ranking, Source, Status, Thing, Vector
from everfact.models.known import Assertion, Change, Entity, Fact
from everfact.models.told import Episode, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which items to read; each field that is set narrows the choice, for the things it speaks of.

    `group_ids=None` means every group and must be said. `known_at=None` is what is known now;
    `valid_at=None` is any time. With `valid_at`, states must hold then, plans must not have ended, events stay.
    """

    group_ids: tuple[str, ...] | None
    uuids: tuple[str, ...] | None = None
    known_at: datetime | None = None
    valid_at: datetime | None = None
    valid_until: datetime | None = None
    """With `valid_at`: states need only hold at some moment from then until this one."""
    valid_at_after: datetime | None = None
    valid_at_before: datetime | None = None
    invalid_at_after: datetime | None = None
    invalid_at_before: datetime | None = None
    relations: tuple[str, ...] | None = None
    disputed: bool | None = None
    entities: tuple[str, ...] | None = None
    """Facts and assertions with one of these as subject or object."""
    subjects: tuple[str, ...] | None = None
    attributes: tuple[str, ...] | None = None
    episodes: tuple[str, ...] | None = None
    """Facts and assertions that one of these episodes supports."""
    withdrawn: bool | None = False
    """Assertions that stand (False), were withdrawn (True), or both (None)."""
    entity_types: tuple[str, ...] | None = None
    """Entities of one of these types, and facts about one."""
    names: tuple[str, ...] | None = None
    """Entities with this name or alias, letter case apart."""
    sources: tuple[Source, ...] | None = None
    threads: tuple[str, ...] | None = None
    beside: tuple[str, ...] | None = None
    """Episodes right before or right after one of these in its thread."""
    told_from: datetime | None = None
    """Episodes with a `reference_time` no earlier than this."""
    told_until: datetime | None = None
    """Episodes with a `reference_time` before this."""
    statuses: tuple[Status, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An item and how well it fits; higher is better, and only comparable within one answer."""

    uuid: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A fact found by walking: the entity at its far end, and how many facts away it lies."""

    fact_uuid: str
    entity_uuid: str
    distance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """The vector of one item's `text`. The text goes along: a vector of an older wording is not kept."""

    thing: Thing
    uuid: str
    text: str
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """An item whose `text` has no vector of some model yet."""

    thing: Thing
    uuid: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What models have taken, by name: on one day, and all along."""

    day: str
    today: Mapping[str, Usage] = field(default_factory=dict)
    ever: Mapping[str, Usage] = field(default_factory=dict)

    @property
    def usd(self) -> float:
        """Dollars, all along."""
        return sum(usage.usd for usage in self.ever.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much a store holds now, and how it is doing."""

    groups: int = 0
    episodes: int = 0
    entities: int = 0
    facts: int = 0
    assertions: int = 0
    changes: int = 0
    pending: int = 0
    parked: int = 0
    oldest_pending: datetime | None = None
    last_write: datetime | None = None
    warning: str = ""
    """What a crash of the store's server could take back of what was acknowledged, and what to do about it."""
    spent: Spent | None = None
    """What models have taken, in all groups; a store leaves it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked. Without times: what is true now, as far as it is known now.

    `valid_at` asks what was true then, `known_at` what was believed then, `include_history` leaves no time out. A time
    that the question names ("last March", "before the migration") is asked about unless `valid_at` says another.
    """

    text: str
    group_ids: tuple[str, ...] = ("main",)
    limit: int = 10
    things: tuple[Thing, ...] = (Thing.FACT, Thing.ENTITY, Thing.EPISODE)
    valid_at: datetime | None = None
    known_at: datetime | None = None
    include_history: bool = False
    valid_at_after: datetime | None = None
    valid_at_before: datetime | None = None
    invalid_at_after: datetime | None = None
    invalid_at_before: datetime | None = None
    relations: tuple[str, ...] | None = None
    entity_types: tuple[str, ...] | None = None
    sources: tuple[Source, ...] | None = None
    center: str = ""
    """The uuid of an entity: what lies near it comes first."""
    asked_at: datetime | None = None
    """What "yesterday" in the question counts from; None is now."""
    ranking: Ranking = Ranking.RELEVANCE
    explain: bool = False
    max_tokens: int | None = None
    """No more hits than fit in that many tokens, at four characters each."""


def thing_of(item: Episode | Entity | Fact) -> Thing:
    """What an item is."""
    if isinstance(item, Fact):
        return Thing.FACT
    return Thing.ENTITY if isinstance(item, Entity) else Thing.EPISODE


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something found, and how well it fits: 1 is as good as it gets, and the same scale serves every answer."""

    item: Episode | Entity | Fact
    score: float
    reasons: tuple[tuple[str, float], ...] = ()
    """With `explain`: what spoke for it and against it, in the words of the weight table, strongest first."""
    path: tuple[str, ...] = ()
    """With `explain`: how it was reached from the question, as names and sentences along the graph."""

    @property
    def thing(self) -> Thing:
        """Whether it is an episode, an entity or a fact."""
        return thing_of(self.item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The hits, best first, and what was left out of them."""

    hits: tuple[Hit, ...]
    hidden: int = 0
    """How many facts fit the question's words, but had ended by then and are not shown; 50 may be more."""
    trimmed: int = 0
    """How many hits fell to `max_tokens`."""
    without_meaning: str = ""
    """Why only words were searched for, and no meanings; empty when both were."""

    @property
    def facts(self) -> list[Fact]:
        """The facts among the hits."""
        return [hit.item for hit in self.hits if isinstance(hit.item, Fact)]

    @property
    def entities(self) -> list[Entity]:
        """The entities among the hits."""
        return [hit.item for hit in self.hits if isinstance(hit.item, Entity)]

    @property
    def episodes(self) -> list[Episode]:
        """The episodes among the hits."""
        return [hit.item for hit in self.hits if isinstance(hit.item, Episode)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was true of a question at two moments, and what came and went in between."""

    at_start: tuple[Fact, ...]
    at_end: tuple[Fact, ...]
    ended: tuple[Fact, ...]
    began: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """An assertion, the episode it comes from (None: handed over, or wiped), and the very words."""

    assertion: Assertion
    episode: Episode | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Why a fact is believed, what ended it, what it ended, and the changes that touched it, newest first."""

    fact: Fact
    support: tuple[Evidence, ...]
    ended_by: tuple[Evidence, ...]
    replaced: tuple[Fact, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that is known of an entity, in the order it was true, and the changes that touched it, newest first."""

    entity: Entity
    facts: tuple[Fact, ...]
    changes: tuple[Change, ...]

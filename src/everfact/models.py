"""The values that travel between the steps: plain, frozen, without behaviour that needs the world.

All datetimes are aware and UTC. `valid_at`/`invalid_at` speak of the world, `created_at`/`expired_at` of what we knew.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
Vector: TypeAlias = "array[float]"
Cursor: TypeAlias = "tuple[datetime, str]"
"""Where a listing stopped: the time and the uuid of the last item seen."""


class Thing(StrEnum):
    """What can be searched for."""

    EPISODE = "episode"
    ENTITY = "entity"
    FACT = "fact"


class Source(StrEnum):
    """In which form an episode was told."""

    TEXT = "text"
    JSON = "json"
    MESSAGE = "message"


class Status(StrEnum):
    """How far the digestion of an episode has come."""

    PENDING = "pending"
    DONE = "done"
    PARKED = "parked"


class FactKind(StrEnum):
    """A state lasts until it ends, an event happened, a plan has not happened yet."""

    STATE = "state"
    EVENT = "event"
    PLAN = "plan"


class Phase(StrEnum):
    """Whether a statement says that something holds, that it began, or that it ended."""

    HOLDS = "holds"
    BEGINS = "begins"
    ENDS = "ends"


class Granularity(StrEnum):
    """How exactly a text gives a date."""

    INSTANT = "instant"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class ValueType(StrEnum):
    """The kinds of value a fact can have as its object in place of an entity."""

    COUNT = "count"
    MONEY = "money"
    DATE = "date"
    TIME = "time"
    WEEKDAY = "weekday"
    PERCENT = "percent"
    DURATION = "duration"
    FREQUENCY = "frequency"
    VERSION = "version"
    STATUS = "status"
    TEXT = "text"


class Verdict(StrEnum):
    """What a judge says of an older and a newer assertion that the rules leave open."""

    SAME = "same"
    REPLACES = "replaces"
    BOTH_STAND = "both_stand"


class ChangeKind(StrEnum):
    """The act behind a change."""

    DIGEST = "digest"
    FACTS = "facts"
    FORGET = "forget"
    CORRECT = "correct"
    RESOLVE = "resolve"
    MERGE = "merge"
    SPLIT = "split"
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A typed value: what was written (`text`) and, where it has one, its number and unit."""

    type: ValueType
    text: str
    number: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An entity as a text names it, before anyone decided which one is meant (unless `uuid` says so)."""

    name: str
    type: str = ""
    uuid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One claim as it was made: about whom, what, when, and where in the text (code points)."""

    subject: Mention
    relation: str
    object: Mention | Value | None
    sentence: str
    attribute: str = ""
    kind: FactKind = FactKind.STATE
    phase: Phase = Phase.HOLDS
    span: tuple[int, int] | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    granularity: Granularity | None = None
    replaces: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor found in one episode."""

    extractor: str
    statements: tuple[Statement, ...] = ()
    mentions: tuple[Mention, ...] = ()
    degraded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What was told. `thread` and `position` order the turns of one conversation; the store gives `position`."""

    uuid: str
    group_id: str
    name: str
    content: str
    reference_time: datetime
    created_at: datetime
    source: Source = Source.TEXT
    source_description: str = ""
    source_key: str = ""
    """Two episodes of one group with the same key are the same telling; empty means no key."""
    thread: str = ""
    position: int = 0
    speaker: str = ""
    role: str = ""
    statements: tuple[Statement, ...] = ()
    """Facts the caller handed over with the text."""
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    status: Status = Status.PENDING
    attempts: int = 0
    error: str = ""

    @property
    def text(self) -> str:
        """What meaning is computed from."""
        return self.content


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A person, place, system, file or idea."""

    uuid: str
    group_id: str
    name: str
    created_at: datetime
    types: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    summary: str = ""
    attributes: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What meaning is computed from."""
        return ". ".join(part for part in (", ".join((self.name, *self.aliases)), self.summary) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """A statement with its identities settled. Immutable: it can only be withdrawn, and reinstated."""

    uuid: str
    group_id: str
    subject_uuid: str
    object_uuid: str | None
    statement: Statement
    created_at: datetime
    origin: str
    episode_uuid: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What the assertions about one thing add up to. `value` stands where the object is no entity."""

    uuid: str
    group_id: str
    subject_uuid: str
    relation: str
    sentence: str
    created_at: datetime
    attribute: str = ""
    object_uuid: str | None = None
    value: Value | None = None
    kind: FactKind = FactKind.STATE
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expired_at: datetime | None = None
    disputed: bool = False
    assertions: tuple[str, ...] = ()
    """Uuids of the assertions that support it."""
    ended_by: tuple[str, ...] = ()
    """Uuids of the assertions that ended it."""
    episodes: tuple[str, ...] = ()
    """Uuids of the episodes behind `assertions`, the first one first."""
    attributes: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What meaning is computed from."""
        return self.sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Everything one act does, applied at once or not at all.

    `episodes`, `entities` and `facts` are new versions, `removed` lists the uuids that have none from now on.
    `parent` is the last change of the group when the act began, so that two acts never build on the same past.
    """

    uuid: str
    group_id: str
    kind: ChangeKind
    created_at: datetime
    parent: str | None = None
    cause: str = ""
    """The uuid of the episode digested or of the change undone."""
    note: str = ""
    asserted: tuple[Assertion, ...] = ()
    withdrawn: tuple[str, ...] = ()
    reinstated: tuple[str, ...] = ()
    episodes: tuple[Episode, ...] = ()
    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    removed: tuple[str, ...] = ()

    def recorded(self, at: datetime) -> Change:
        """The same change, recorded at `at`: every time in it that was the change's own becomes that."""
        own = self.created_at
        return replace(
            self,
            created_at=at,
            asserted=tuple(replace(a, created_at=at) for a in self.asserted),
            entities=tuple(replace(e, created_at=at) if e.created_at == own else e for e in self.entities),
            facts=tuple(
                replace(
                    fact,
                    created_at=at if fact.created_at == own else fact.created_at,
                    expired_at=at if fact.expired_at == own else fact.expired_at,
                )
                for fact in self.facts
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right of one worker to digest one episode, and with it its group, until `deadline`."""

    token: str
    owner: str
    episode: Episode
    deadline: datetime


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
    names: tuple[str, ...] | None = None
    """Entities with this name or alias, letter case apart."""
    sources: tuple[Source, ...] | None = None
    threads: tuple[str, ...] | None = None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two assertions about the same thing that the rules cannot order."""

    older: Assertion
    newer: Assertion


def fold_name(name: str) -> str:
    """The form in which names are compared: letter case and spacing do not matter."""
    return " ".join(name.casefold().split())

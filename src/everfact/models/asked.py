"""What is asked, and the answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from everfact.models.kinds import Source, Status, Thing, Vector
from everfact.models.known import Assertion, Change, Entity, Fact
from everfact.models.told import Episode


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

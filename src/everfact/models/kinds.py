"""The words that have few values: which kinds there are of what."""

from __future__ import annotations

from array import array
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


class Trust(StrEnum):
    """How far a source may be relied on, by its own words or its teller's."""

    FULL = "full"
    UNVERIFIED = "unverified"
    OUT_OF_SCOPE = "out_of_scope"
    """About another project, customer or the like than the one at hand."""


class Verdict(StrEnum):
    """What a judge says of an older and a newer assertion that the rules leave open."""

    SAME = "same"
    REPLACES = "replaces"
    BOTH_STAND = "both_stand"


class Ranking(StrEnum):
    """By what hits are put in order: our own weighing of all evidence, or one of Graphiti's ways by its name."""

    RELEVANCE = "relevance"
    RRF = "rrf"
    MMR = "mmr"
    NODE_DISTANCE = "node_distance"
    EPISODE_MENTIONS = "episode_mentions"


class ChangeKind(StrEnum):
    """The act behind a change."""

    DIGEST = "digest"
    ADOPT = "adopt"
    """Taking over what another program has written beside; it stays there, so this cannot be undone."""
    FORGET = "forget"
    CORRECT = "correct"
    RESOLVE = "resolve"
    MERGE = "merge"
    SPLIT = "split"
    COMMUNITIES = "communities"
    UNDO = "undo"


class CommandKind(StrEnum):
    """What a person tells the memory to do."""

    FORGET = "forget"
    DO_NOT_SAVE = "do_not_save"
    EXPIRED = "expired"
    UPDATE = "update"

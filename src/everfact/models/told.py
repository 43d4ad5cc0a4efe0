"""What is told, and what an extractor finds in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime

from everfact.models.kinds import JSON, CommandKind, FactKind, Granularity, Phase, Source, Status, Trust, ValueType


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
class Original:
    """A fact as the program that it was taken over from has it: under its id, and not joined to others like it."""

    uuid: str
    learned_at: datetime
    expired_at: datetime | None = None
    attributes: Mapping[str, JSON] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One claim as it was made: about whom, what, when, and where in the text (code points).

    With a subject and nothing else it claims nothing and makes the name known, with its type.
    """

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
    trust: Trust = Trust.FULL
    """What is not fully trusted ends nothing that is."""
    original: Original | None = None
    """Only where it was taken over from another program; it cannot be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command about memory: what it is about (`key`, its words without articles), and where it stands in the text."""

    kind: CommandKind
    key: str
    value: str = ""
    span: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What asking a model took; `rescues` are the episodes that rules had to read in its place."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    rescues: int = 0

    def __add__(self, more: Usage) -> Usage:
        return Usage(**{part.name: getattr(self, part.name) + getattr(more, part.name) for part in fields(Usage)})

    def __neg__(self) -> Usage:
        return Usage(**{part.name: -getattr(self, part.name) for part in fields(Usage)})

    @property
    def tokens(self) -> int:
        """Both ways."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor found in one episode."""

    extractor: str
    statements: tuple[Statement, ...] = ()
    mentions: tuple[Mention, ...] = ()
    commands: tuple[Command, ...] = ()
    trust: Trust = Trust.FULL
    """Of the episode as a whole."""
    degraded: bool = False
    """A better extractor than the one that answered was wanted, or something could not be read."""
    reason: str = ""
    """Why it is degraded."""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An episode as a caller hands it over, before it has an id and a time."""

    content: str
    name: str = ""
    group_id: str = "main"
    source: Source = Source.TEXT
    source_description: str = ""
    reference_time: datetime | None = None
    """When it was said; None is now, and then the same words told again are another telling."""
    uuid: str = ""
    thread: str = ""
    speaker: str = ""
    role: str = ""
    statements: tuple[Statement, ...] = ()
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    is_captured: bool = False
    """Nobody chose to tell it (a transcript, a hook): secrets are taken out before anything is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A record of a file that was left out: where it stands, and why."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of a draft."""

    episode: Episode
    warnings: tuple[str, ...] = ()


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
    """Free, but for `captured`, `trust` and `superseded_by`, which are written here (see `everfact.marks`)."""
    status: Status = Status.PENDING
    attempts: int = 0
    error: str = ""

    @property
    def text(self) -> str:
        """What meaning is computed from."""
        return self.content

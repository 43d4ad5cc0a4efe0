"""What is known: entities, assertions, facts, and the changes that made them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias, overload

from everfact.models.kinds import JSON, ChangeKind, FactKind, Status, Verdict
from everfact.models.told import Episode, Statement, Usage, Value

_LOOK_AT = 20_000
_WORD = re.compile(r"\w[\w.+#/-]*\w|\w")
_OPENED = re.compile(
    r"(?:^|[.!?:;,\n]\s*|\b(?=the|our|th[ia][st])\b)(?:(?:the|our|this|that)\s+)?((?:\w[\w-]*[ ]?){1,3})", re.IGNORECASE
)
_PAIR = "{} {}".format


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
    """`trust` says why not to rely on it, where nobody fully trusted has said it."""

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

    def parted(self) -> tuple[list[Fact], list[Fact], list[Fact]]:
        """Its facts: those it made, those it found known already, those it ended."""
        asserted = {assertion.uuid for assertion in self.asserted}
        ended = [fact for fact in self.facts if not asserted.isdisjoint(fact.ended_by)]
        rest = [fact for fact in self.facts if asserted.isdisjoint(fact.ended_by)]
        return (
            [fact for fact in rest if fact.created_at == self.created_at],
            [fact for fact in rest if fact.created_at != self.created_at],
            ended,
        )

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
class Undigested:
    """An episode that still waits to be digested or was given up, as the end of a journal tells it."""

    uuid: str
    group_id: str
    status: Status
    attempts: int = 0
    error: str = ""


Entry: TypeAlias = "Episode | Change | Undigested"
"""What a journal is made of: what was told, what was done, and last what is left to digest."""


@overload
def as_entry(item: Episode) -> Episode: ...
@overload
def as_entry(item: Change) -> Change: ...
def as_entry(item: Episode | Change) -> Episode | Change:
    """A telling or a change without a word on how far digesting has come: that is no history."""
    if isinstance(item, Change):
        return replace(item, episodes=tuple(map(as_entry, item.episodes))) if item.episodes else item
    return replace(item, status=Status.DONE, attempts=0, error="")


MET = 100
HEARD = 10
"""For how many turns of a thread somebody who spoke still counts as present."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right of one worker to digest one episode, and with it its group, until `deadline`; and what it needs first.

    What it brings along is as it was when the claim was made.
    """

    token: str
    owner: str
    episode: Episode
    deadline: datetime
    head: str | None
    """The last change of the group."""
    is_first: bool
    """Nothing was ever asserted in this episode's name."""
    listeners: tuple[str, ...]
    """Who else spoke in the last `HEARD` turns of the thread before this one, the latest first."""
    known: tuple[Entity, ...]
    """The entities that one of the `names_in` the episode belongs to; of very many the `MET` made last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two assertions about the same thing that the rules cannot order."""

    older: Assertion
    newer: Assertion


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One verdict for each pair, who gave them, and what that took."""

    verdicts: tuple[Verdict, ...]
    judge: str = ""
    usage: Usage = field(default_factory=Usage)


def names_in(episode: Episode) -> list[str]:
    """Every run of up to four words, folded: the names that known entities may be called by in this episode."""
    text = f"{episode.speaker} {episode.content[:_LOOK_AT]}"
    words = [word.casefold() for word in _WORD.findall(text)]
    pairs = list(map(_PAIR, words, words[1:]))
    own = _own_things(episode) if episode.speaker else ()
    return list({*words, *pairs, *map(_PAIR, pairs, words[2:]), *map(_PAIR, pairs, pairs[2:]), *own})


def _own_things(episode: Episode) -> Iterator[str]:
    """What a speaker calls "the thesis" may be known as the speaker's thesis."""
    for match in _OPENED.finditer(episode.content[:_LOOK_AT]):
        run = _WORD.findall(match[1])
        yield from (fold_name(f"{episode.speaker}'s {' '.join(run[: n + 1])}") for n in range(len(run)))


def fold_name(name: str) -> str:
    """The form in which names are compared: letter case and spacing do not matter."""
    return " ".join(name.casefold().split())

"""Short ways to make models for tests: everything has a default, anything can be given."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TypedDict, Unpack

from everfact.clock import new_id
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Entity,
    Episode,
    Fact,
    FactKind,
    Filter,
    Mention,
    Source,
    Statement,
)

EARLY = datetime(2020, 1, 1, tzinfo=UTC)
HOME = Filter(group_ids=("home",))
ANYWHERE = Filter(group_ids=None)


class EpisodeFields(TypedDict, total=False):
    uuid: str
    name: str
    reference_time: datetime
    source: Source
    source_key: str
    thread: str
    speaker: str
    role: str


class FactFields(TypedDict, total=False):
    uuid: str
    relation: str
    kind: FactKind
    valid_at: datetime | None
    invalid_at: datetime | None
    disputed: bool


def episode(content: str = "Alice lives in Paris", group_id: str = "home", **given: Unpack[EpisodeFields]) -> Episode:
    """An episode as it is before a store has seen it."""
    plain = Episode(
        uuid=new_id(), group_id=group_id, name="note", content=content, reference_time=EARLY, created_at=EARLY
    )
    return replace(plain, **given)


def entity(name: str = "Alice", *types: str, group_id: str = "home", aliases: tuple[str, ...] = ()) -> Entity:
    """An entity made by the change it travels in."""
    return Entity(uuid=new_id(), group_id=group_id, name=name, types=types, aliases=aliases, created_at=EARLY)


def assertion(subject: Entity, target: Entity | None, told_in: Episode | None = None) -> Assertion:
    """`subject` knows `target`, as told in that episode."""
    statement = Statement(
        subject=Mention(name=subject.name),
        relation="KNOWS",
        object=None if target is None else Mention(name=target.name),
        sentence=f"{subject.name} knows {target.name if target else 'something'}",
    )
    return Assertion(
        uuid=new_id(),
        group_id=subject.group_id,
        subject_uuid=subject.uuid,
        object_uuid=None if target is None else target.uuid,
        statement=statement,
        created_at=EARLY,
        origin="client",
        episode_uuid=None if told_in is None else told_in.uuid,
    )


def fact(
    subject: Entity,
    target: Entity | None = None,
    sentence: str = "",
    support: tuple[Assertion, ...] = (),
    **given: Unpack[FactFields],
) -> Fact:
    """A fact about `subject`, made by the change it travels in."""
    plain = Fact(
        uuid=new_id(),
        group_id=subject.group_id,
        subject_uuid=subject.uuid,
        object_uuid=None if target is None else target.uuid,
        relation="KNOWS",
        sentence=sentence or f"{subject.name} knows {target.name if target else 'something'}",
        created_at=EARLY,
        assertions=tuple(item.uuid for item in support),
        episodes=tuple(dict.fromkeys(item.episode_uuid for item in support if item.episode_uuid)),
    )
    return replace(plain, **given)


def change(*items: Entity | Fact | Assertion | Episode, parent: Change | None = None, cause: str = "") -> Change:
    """A change that writes these items."""
    return Change(
        uuid=new_id(),
        group_id=items[0].group_id if items else "home",
        kind=ChangeKind.DIGEST,
        created_at=EARLY,
        parent=None if parent is None else parent.uuid,
        cause=cause,
        asserted=tuple(item for item in items if isinstance(item, Assertion)),
        episodes=tuple(item for item in items if isinstance(item, Episode)),
        entities=tuple(item for item in items if isinstance(item, Entity)),
        facts=tuple(item for item in items if isinstance(item, Fact)),
    )

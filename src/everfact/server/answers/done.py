"""What telling and changing tools answer with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from everfact.models import Change
from everfact.server.answers.items import Answer, FactResult, Optional, facts

if TYPE_CHECKING:
    from everfact.summarize import SagaSummary


class Message(Answer):
    """One sentence on what was done, and the change by which it can be undone."""

    message: str
    change: Annotated[str | None, Field(description="Hand this to undo_change to take it back.")] = Optional


class AddedResult(Answer):
    """What became of an episode."""

    message: str
    uuid: Annotated[str, Field(description="The episode's id.")]
    status: Annotated[str, Field(description="pending: found by search already, facts follow; done; parked")]
    filepath: str | None = Optional
    warnings: list[str] | None = Optional


class ChangeResult(Answer):
    """What a change did to facts and entities; `uuid` is what undo_change takes."""

    message: str
    uuid: str
    kind: str
    created: list[FactResult]
    merged: Annotated[list[FactResult], Field(description="Known already, now with one more source.")]
    ended: list[FactResult]
    removed: list[str]

    @classmethod
    def of(cls, change: Change, message: str = "") -> ChangeResult:
        """The change on the wire."""
        ended = [fact for fact in change.facts if fact.invalid_at and set(fact.ended_by) & _asserted(change)]
        fresh = [fact for fact in change.facts if fact.created_at == change.created_at and fact not in ended]
        known = [fact for fact in change.facts if fact not in ended and fact not in fresh]
        counts = f"{len(fresh)} created, {len(known)} merged, {len(ended)} ended, {len(change.removed)} removed"
        return cls(
            message=f"{message or change.kind.value}: {counts}",
            uuid=change.uuid,
            kind=change.kind.value,
            created=facts(fresh),
            merged=facts(known),
            ended=facts(ended),
            removed=list(change.removed),
        )


def _asserted(change: Change) -> set[str]:
    return {assertion.uuid for assertion in change.asserted}


class CommunityResult(Answer):
    """Entities that belong together."""

    uuid: str
    name: str
    group_id: str
    summary: str


class Communities(Answer):
    """What build_communities made."""

    message: str
    community_count: int
    edge_count: int
    communities: list[CommunityResult]


class Saga(Answer):
    """What a saga is about."""

    message: str
    uuid: str
    name: str
    summary: str

    @classmethod
    def of(cls, saga: SagaSummary) -> Saga:
        """The summary on the wire; a saga is known by its name, so that is its id."""
        return cls(
            message=f"made from {saga.episodes} episodes",
            uuid=saga.thread,
            name=saga.thread,
            summary=saga.text,
        )


class Disputes(Answer):
    """What resolve_dispute did, or the disputes that are open."""

    message: str
    disputes: list[FactResult]
    change: str | None = Optional

"""What telling and changing tools answer with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from everfact.models import Change, Thing
from everfact.server.answers.items import Answer, FactResult, NodeResult, Optional, facts, uri

if TYPE_CHECKING:
    from everfact.summarize import SagaSummary


class Message(Answer):
    """One sentence on what was done, and the change by which it can be undone."""

    message: str
    change: Annotated[str | None, Field(description="Hand this to undo_change to take it back.")] = Optional

    @classmethod
    def of(cls, change: Change, message: str) -> Message:
        """What a change did, in a sentence."""
        return cls(message=f"{message} ({_counts(change)})", change=change.uuid)


class AddedResult(Answer):
    """What became of an episode."""

    message: str
    uuid: Annotated[str, Field(description="The episode's id.")]
    status: Annotated[str, Field(description="pending: found by search already, facts follow; done; parked")]
    filepath: str | None = Optional
    warnings: list[str] | None = Optional

    def touched(self) -> tuple[str, ...]:
        """The episode."""
        return (uri(Thing.EPISODE, self.uuid),)


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
    def of(cls, change: Change, message: str) -> ChangeResult:
        """The change on the wire."""
        fresh, known, ended = change.parted()
        return cls(
            message=f"{message} ({_counts(change)})",
            uuid=change.uuid,
            kind=change.kind.value,
            created=facts(fresh),
            merged=facts(known),
            ended=facts(ended),
            removed=list(change.removed),
        )

    def touched(self) -> tuple[str, ...]:
        """The facts, and all that is gone."""
        known = [fact.uuid for fact in (*self.created, *self.merged, *self.ended)]
        gone = [uri(thing, uuid) for uuid in self.removed for thing in Thing]
        return (*(uri(Thing.FACT, uuid) for uuid in known), *gone)


def _counts(change: Change) -> str:
    fresh, known, ended = map(len, change.parted())
    return f"facts: {fresh} created, {known} kept or revived, {ended} ended; {len(change.removed)} items removed"


class Triplet(Answer):
    """What add_triplet made."""

    message: str
    nodes: list[NodeResult]
    edges: list[FactResult]


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

"""What searching and browsing tools answer with."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from everfact.models import Comparison, Entity, Episode, Evidence, Fact, History, Hit, Receipt
from everfact.server.answers.items import (
    Answer,
    ChangeLine,
    EpisodeResult,
    FactResult,
    NodeResult,
    Optional,
    facts,
    uri,
)

EXCERPT = 1_000
"""Characters of an episode that a search result shows."""


class Nodes(Answer):
    """Entities found."""

    message: str
    nodes: list[NodeResult]


class Facts(Answer):
    """Facts found, and how many older ones were left out."""

    message: str
    facts: list[FactResult]
    hidden: Annotated[int, Field(description="Facts that fit but have ended; include_history shows them.")] = 0


class Episodes(Answer):
    """Episodes found."""

    message: str
    episodes: list[EpisodeResult]


class Provenance(Answer):
    """What came of some episodes."""

    message: str
    nodes: list[NodeResult]
    edges: list[FactResult]


class HitResult(Answer):
    """A search result of any kind: one of `fact`, `node` and `episode` is set."""

    type: Annotated[str, Field(description="fact, entity or episode")]
    score: float
    uri: Annotated[str, Field(description="The resource with all of it.")]
    fact: FactResult | None = Optional
    node: NodeResult | None = Optional
    episode: EpisodeResult | None = Optional

    @classmethod
    def of(cls, hit: Hit) -> HitResult:
        """The hit on the wire."""
        item = hit.item
        return cls(
            type=hit.thing.value,
            score=round(hit.score, 4),
            uri=uri(hit.thing, item.uuid),
            fact=FactResult.of(item) if isinstance(item, Fact) else None,
            node=NodeResult.of(item) if isinstance(item, Entity) else None,
            episode=EpisodeResult.of(item, most=EXCERPT) if isinstance(item, Episode) else None,
        )


class Found(Answer):
    """Facts, entities and episodes, best first."""

    message: str
    results: list[HitResult]
    hidden: Annotated[int, Field(description="Facts that fit but have ended; include_history shows them.")] = 0
    trimmed: Annotated[int, Field(description="Results left out because of max_tokens.")] = 0


class Compared(Answer):
    """What was true of something at two moments."""

    facts_from_start: list[FactResult]
    facts_at_end: list[FactResult]
    facts_invalidated: list[FactResult]
    facts_added: list[FactResult]
    summary: str

    @classmethod
    def of(cls, both: Comparison) -> Compared:
        """The comparison on the wire."""
        return cls(
            facts_from_start=facts(both.at_start),
            facts_at_end=facts(both.at_end),
            facts_invalidated=facts(both.ended),
            facts_added=facts(both.began),
            summary=f"{len(both.at_start)} facts at the start, {len(both.at_end)} at the end: "
            f"{len(both.ended)} ended, {len(both.began)} began",
        )


class Timeline(Answer):
    """All that is known of an entity, in the order it was true."""

    message: str
    entity: NodeResult
    facts: list[FactResult]
    changes: Annotated[list[ChangeLine], Field(description="What touched it, newest first; undo_change takes these.")]

    @classmethod
    def of(cls, history: History, most: int) -> Timeline:
        """The history on the wire."""
        known = history.facts[-most:]
        return cls(
            message=f"{len(history.facts)} facts about {history.entity.name}"
            + ("" if len(known) == len(history.facts) else f", the latest {most} of them shown"),
            entity=NodeResult.of(history.entity),
            facts=facts(known),
            changes=[ChangeLine.of(change) for change in history.changes[:most]],
        )


class Proof(Answer):
    """Words that a fact rests on."""

    words: str
    episode_uuid: str | None
    origin: Annotated[str, Field(description="Who read it out of the words.")]
    asserted_at: datetime
    withdrawn: bool

    @classmethod
    def of(cls, evidence: Evidence) -> Proof:
        """The evidence on the wire."""
        return cls(
            words=evidence.words,
            episode_uuid=evidence.assertion.episode_uuid,
            origin=evidence.assertion.origin,
            asserted_at=evidence.assertion.created_at,
            withdrawn=evidence.assertion.withdrawn,
        )


class Explanation(Answer):
    """Why a fact is believed."""

    fact: FactResult
    support: list[Proof]
    ended_by: list[Proof]
    replaced: list[FactResult]
    changes: list[ChangeLine]

    @classmethod
    def of(cls, receipt: Receipt) -> Explanation:
        """The receipt on the wire."""
        return cls(
            fact=FactResult.of(receipt.fact),
            support=[Proof.of(evidence) for evidence in receipt.support],
            ended_by=[Proof.of(evidence) for evidence in receipt.ended_by],
            replaced=facts(receipt.replaced),
            changes=[ChangeLine.of(change) for change in receipt.changes],
        )

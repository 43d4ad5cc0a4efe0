"""How the memory is doing, on the wire."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from pydantic import Field

from everfact.models import Usage
from everfact.server.answers.items import Answer, EpisodeResult, Optional


class Queue(Answer):
    """Episodes that wait."""

    pending: int
    parked: Annotated[int, Field(description="Given up after several attempts; told text is kept and searchable.")]
    oldest_pending_seconds: float | None


class ModelUsage(Answer):
    """What a model took today."""

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float
    seconds: float
    rescues: Annotated[int, Field(description="Episodes that rules read because the model could not be had.")]

    @classmethod
    def of(cls, model: str, usage: Usage) -> ModelUsage:
        """The usage on the wire."""
        return cls(model=model, **asdict(usage))


class StatusResult(Answer):
    """How the memory is doing."""

    status: Annotated[str, Field(description="ok or error")]
    message: str
    store: str
    group_id: Annotated[str, Field(description="The group used when none is named.")]
    episodes: Annotated[int | None, Field(description="This and all below are left out while the store is away.")] = (
        Optional
    )
    entities: int | None = Optional
    facts: int | None = Optional
    queue: Queue | None = Optional
    last_write: datetime | None = None
    parked_episodes: list[EpisodeResult] = Field(default_factory=list)
    reader: Annotated[str | None, Field(description="Who reads texts: rules (local) or a model (llm).")] = Optional
    cost_usd: Annotated[float | None, Field(description="What models have cost, all along.")] = Optional
    models: Annotated[list[ModelUsage] | None, Field(description="What they took today (UTC).")] = Optional


class Health(Answer):
    """Whether the store answers."""

    status: Annotated[str, Field(description="healthy or unhealthy")]
    database_connected: bool
    last_successful_connection: datetime | None
    consecutive_failures: int
    queue: Queue | None
    error: str | None = Optional

"""How the memory is doing, on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from everfact.server.answers.items import Answer, EpisodeResult, Optional


class Queue(Answer):
    """Episodes that wait."""

    pending: int
    parked: Annotated[int, Field(description="Given up after several attempts; told text is kept and searchable.")]
    oldest_pending_seconds: float | None


class StatusResult(Answer):
    """How the memory is doing."""

    status: Annotated[str, Field(description="ok or error")]
    message: str
    store: str
    group_id: Annotated[str, Field(description="The group used when none is named.")]
    episodes: int
    entities: int
    facts: int
    queue: Queue
    last_write: datetime | None
    parked_episodes: list[EpisodeResult]
    cost_usd: float


class Health(Answer):
    """Whether the store answers."""

    status: Annotated[str, Field(description="healthy or unhealthy")]
    database_connected: bool
    last_successful_connection: datetime | None
    consecutive_failures: int
    queue: Queue | None
    error: str | None = Optional

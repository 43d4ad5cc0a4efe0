"""A walk along facts, breadth first: never to the same fact or entity twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from everfact.models import Reached

Ends: TypeAlias = tuple[str, str, str | None]
"""A fact, its subject, and its object if that is an entity."""


class Walk:
    """How far a walk has come; whoever takes it looks up the facts about `frontier`, newest first, for each step."""

    def __init__(self, entity_uuids: Sequence[str], limit: int) -> None:
        self.frontier = list(entity_uuids)
        self.reached: dict[str, Reached] = {}
        self._seen = set(entity_uuids)
        self._limit = limit
        self._distance = 0

    @property
    def is_over(self) -> bool:
        """Whether it has found enough, or has nowhere to go."""
        return len(self.reached) >= self._limit or not self.frontier

    @property
    def nearest(self) -> list[Reached]:
        """What was reached, nearest first."""
        return list(self.reached.values())[: self._limit]

    def step(self, facts: Iterable[Ends]) -> None:
        """Go on to the other ends of these facts."""
        inside, self.frontier = set(self.frontier), []
        self._distance += 1
        for uuid, subject, object_ in facts:
            if uuid in self.reached:
                continue
            far = (object_ or subject) if subject in inside else subject
            self.reached[uuid] = Reached(fact_uuid=uuid, entity_uuid=far, distance=self._distance)
            if far not in self._seen:
                self._seen.add(far)
                self.frontier.append(far)

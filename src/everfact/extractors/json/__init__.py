"""JSON walked by structure: objects are entities, keys are relations, and every statement knows its place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from everfact.extractors.json.walk import EXTRACTOR, extract_json
from everfact.models import Entity, Episode, Extraction, Judgement, Pair, Verdict

__all__ = ["JSONExtractor", "extract_json"]


class JSONExtractor:
    """Takes JSON for what it says; it knows nothing that would settle which of two statements holds."""

    name = EXTRACTOR

    async def extract(
        self,
        episode: Episode,
        known: Sequence[Entity],  # noqa: ARG002 # a port's
        listeners: Sequence[str] = (),  # noqa: ARG002 # a port's
    ) -> Extraction:
        """Walk the episode's content.

        Raises:
            ExtractError: it is no JSON.
        """
        return await asyncio.to_thread(extract_json, episode.content, episode.reference_time, episode.name)

    async def judge(self, pairs: Sequence[Pair]) -> Judgement:
        """Leave every pair standing."""
        return Judgement(verdicts=(Verdict.BOTH_STAND,) * len(pairs))

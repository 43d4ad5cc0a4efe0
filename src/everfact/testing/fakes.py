"""Stand-ins that are real implementations: a clock one can set, an extractor with fixed answers, a hashing embedder."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from everfact.models import Entity, Episode, Extraction, Judgement, Pair, Vector, Verdict


class FakeClock:
    """Stands still until it is told to move; any direction will do."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.time = start

    def __call__(self) -> datetime:
        return self.time

    def advance(self, by: timedelta) -> datetime:
        """Move, and answer the new time."""
        self.time += by
        return self.time


class FixedExtractor:
    """Answers with the extraction given for the episode's content, and with nothing for any other."""

    name = "fixed"

    def __init__(
        self, extractions: Mapping[str, Extraction] | None = None, verdict: Verdict = Verdict.BOTH_STAND
    ) -> None:
        self._extractions = extractions or {}
        self._verdict = verdict

    async def extract(self, episode: Episode, known: Sequence[Entity], listeners: Sequence[str] = ()) -> Extraction:
        """Look the content up."""
        return self._extractions.get(episode.content, Extraction(extractor=self.name))

    async def judge(self, pairs: Sequence[Pair]) -> Judgement:
        """Say the same of every pair."""
        return Judgement(verdicts=(self._verdict,) * len(pairs), judge=self.name)


class HashingEmbedder:
    """Texts that share words get vectors that point the same way; nothing else is understood."""

    def __init__(self, dimension: int = 64) -> None:
        self.model = f"hashing-{dimension}"
        self.dimension = dimension

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector a text."""
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> Vector:
        """The vector of one text."""
        counts = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.casefold()):
            number = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
            counts[number % self.dimension] += 1.0 if number >> 63 else -1.0
        length = math.sqrt(sum(count * count for count in counts)) or 1.0
        return array("f", (count / length for count in counts))

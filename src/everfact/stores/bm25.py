"""What the words that a text shares with a question are worth: BM25, but how often a word stands there does not count.

That measured better than counting it (ADR 21).
"""

from __future__ import annotations

from math import log

_SATURATION, _BY_LENGTH = 1.2, 0.3


def rarity(count: float, total: float) -> float:
    """What a word says that so many of all texts have; one in more than half of them says nothing."""
    odds = (total - count + 0.5) / (count + 0.5)
    return log(odds) if odds > 1 else 1e-6


def by_length(mean: float) -> tuple[float, float]:
    """How much what a text scores is divided by: so much, and so much more for each byte of it."""
    scale = 1 + _SATURATION
    return (1 + _SATURATION * (1 - _BY_LENGTH)) / scale, _SATURATION * _BY_LENGTH / (mean or 1.0) / scale

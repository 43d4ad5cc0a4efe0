"""How sure two names mean one thing, and what counts as a misspelling."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

from rapidfuzz.distance import OSA

Words: TypeAlias = "tuple[str, ...]"


class Bond(IntEnum):
    """Why two names are taken for one thing; the larger, the surer. `NONE` is false."""

    NONE = 0
    MISSPELT = 1
    LOOSE = 2
    """One is a short form of the other by an initial or a pet name."""
    SHORT = 3
    """One is a short form of the other in its own words."""
    KNOWN = 4
    """Another name by common knowledge: country and people, acronym and full name."""
    PLAIN = 5
    """The same but for accents, punctuation, articles, legal forms, the order of a person's names."""
    EXACT = 6


def is_misspelling(a: Words, b: Words) -> bool:
    """Whether the words of one are those of the other but for slips of the pen; numbers must be right."""
    return len(a) == len(b) and all(map(_is_slip, a, b))


def _is_slip(a: str, b: str) -> bool:
    if a == b:
        return True
    shorter = min(len(a), len(b))
    if shorter < 4 or a[0] != b[0] or not (a.isalpha() and b.isalpha()):
        return False
    if len(a) == len(b) < 5 and sorted(a) != sorted(b):
        return False  # Mark and Mary, Reed and Reid
    allowed = 1 if shorter < 8 else 2
    return OSA.distance(a, b, score_cutoff=allowed) <= allowed and not _differ_in_ending(a, b)


def _differ_in_ending(a: str, b: str) -> bool:
    """`Mario` and `Maria`, `Daniel` and `Daniela`, `test` and `tests`: other names or other forms, not slips."""
    if len(a) == len(b):
        return a[:-1] == b[:-1] and a[-1] in "aeio" and b[-1] in "aeio"
    short, long = sorted((a, b), key=len)
    return long[:-1] == short and long[-1] in "aeios"

"""A long text in pieces that one call can take, cut where a sentence or at least a word ends."""

from __future__ import annotations

import re

PIECE = 12_000
"""Characters of one piece: some 3,000 tokens of English, about as many facts as a small model lists without tiring."""
_END = re.compile(r"[.!?\u2026][\"'\u201d\u2019)\]]*\s+|[\u3002\uff01\uff1f]|\n")


def pieces(text: str, longest: int = PIECE) -> list[tuple[int, int]]:
    """Where each piece begins and ends; together they are the text."""
    found, start = [], 0
    while len(text) - start > longest:
        ends = [match.end() for match in _END.finditer(text, start + longest // 2, start + longest)]
        space = text.rfind(" ", start + longest // 2, start + longest) + 1
        end = ends[-1] if ends else space or start + longest
        found.append((start, end))
        start = end
    return [*found, (start, len(text))]

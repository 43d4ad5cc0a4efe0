"""The markers around every text that everfact puts into a conversation, and text without what stands between them.

What a memory has told an assistant is no news to it: captured again, it would confirm itself.
"""

from __future__ import annotations

import re
from functools import cache

OPENING = "<everfact-memory>"
CLOSING = "</everfact-memory>"

_PASSES = 8
"""A text that needs more was made to slip through; nothing of it is kept."""


def without_injected(text: str) -> str:
    """The text without what everfact put into it; what is not closed goes on to the end."""
    return without_marked(text, OPENING[1:-1])


def without_marked(text: str, tag: str) -> str:
    """The text without all that stands between `<tag>` and `</tag>`, and without these, also where they nest.

    Clients that quote what hooks say write the signs as `&lt;` and `&gt;`.
    """
    for _ in range(_PASSES):
        if tag not in text.lower():
            return text
        left = _outside(text, _marker(tag))
        if left == text:
            return text
        text = left  # the two ends of a cut may have made a marker
    return ""


def _outside(text: str, marker: re.Pattern[str]) -> str:
    kept: list[str] = []
    depth = start = 0
    for found in marker.finditer(text):
        if depth == 0:
            kept.append(text[start : found.start()])
        depth = max(depth - 1, 0) if found["closes"] else depth + 1
        start = found.end()
    return "".join([*kept, text[start:]]) if depth == 0 else "".join(kept)


@cache
def _marker(tag: str) -> re.Pattern[str]:
    # As a key of a document a marker stands in quotes, which JSON escapes, and the closing one has an empty value.
    opened, closed = r'(?:\\*")?(?:<|&lt;)', r'\s*(?:>|&gt;)(?:\\*"(?:: ?\\*"\\*")?)?'
    return re.compile(rf"{opened}(?P<closes>/?){re.escape(tag)}{closed}", re.IGNORECASE)

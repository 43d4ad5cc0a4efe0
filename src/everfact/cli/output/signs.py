"""Signs that lines are drawn with, and what stands in for them where only ASCII can be shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """One sign for each meaning."""

    arrow: str
    holds: str
    ended: str
    event: str
    plan: str
    disputed: str
    thread: str
    replaced: str
    opening: str
    closing: str


UNICODE = Signs("→", "●", "○", "◆", "◇", "⚠", "│", "↳", "“", "”")
ASCII = Signs("->", "*", "o", "+", "~", "!", "|", "`-", '"', '"')

"""How far the commits of a repository have been indexed, as a memory keeps it."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far a repository has been indexed."""

    tips: tuple[str, ...] = ()
    """Commits whose ancestors are indexed, the latest first."""
    shallow: str = ""
    """A sign of where history was cut off in the clone then."""
    limit: int = 0
    """Of how many commits the older ones were left out; 0 if none were."""


def state_name(group_id: str, repository: str) -> str:
    """Under which name a memory keeps the mark of a repository."""
    return f"git/{group_id}/{repository}"


def read_mark(text: str | None) -> Mark:
    """The mark as it was kept."""
    if text is None:
        return Mark()
    kept = json.loads(text)
    return Mark(tips=tuple(kept["tips"]), shallow=kept["shallow"], limit=kept["limit"])

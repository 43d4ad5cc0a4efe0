"""What a project knows, by kind, as KuzuMemory bundles it: work of late, gotchas, architecture, patterns, rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from everfact.cognitive import cognition_of
from everfact.memory import Memory
from everfact.models import JSON, Episode, Filter
from everfact.summarize import summarize

_LOOKED_AT = 5_000
"""Episodes, the latest, in which kinds are looked for."""
_RECENT = 200
_USUAL = 0.5
"""The importance of what nobody weighed, as KuzuMemory has it."""
_KINDS = {
    "gotchas": ("gotcha", "Insight"),
    "architecture": ("architecture", "Decision"),
    "patterns": ("pattern", "Pattern"),
    "rules": ("rule", "Requirement"),
    "conventions": ("convention", "Procedure"),
}
"""What each part holds: episodes that were told as such knowledge, then facts about entities of such a type."""


async def knowhow(memory: Memory, group: str, *, now: datetime, days_back: int, most: int) -> dict[str, JSON]:
    """The sentences that say most of the last days, and up to so many items of each kind, weighty ones first."""
    here = Filter(group_ids=(group,))
    recent = await memory.episodes(replace(here, told_from=now - timedelta(days=days_back)), limit=_RECENT)
    told = [e for e in await memory.episodes(here, limit=_LOOKED_AT) if "superseded_by" not in e.attributes]
    bundle: dict[str, JSON] = {"recent_work": summarize([episode.content for episode in reversed(recent)])}
    for part, (knowledge, type_) in _KINDS.items():
        weights = _told_as(told, knowledge)
        for fact in await memory.facts(replace(here, entity_types=(type_,), valid_at=now), limit=most):
            weights.setdefault(fact.sentence, _USUAL)
        bundle[part] = [{"content": text, "importance": weight} for text, weight in list(weights.items())[:most]]
    return bundle


def _told_as(episodes: Iterable[Episode], knowledge: str) -> dict[str, float]:
    """What was told as knowledge of that kind, and how much it weighs; the weightiest first, then the newest."""
    found: dict[str, float] = {}
    for episode in episodes:
        if cognition_of(episode.attributes).knowledge_type == knowledge:
            weight = episode.attributes.get("importance")
            found.setdefault(episode.content, float(weight) if isinstance(weight, int | float) else _USUAL)
    return dict(sorted(found.items(), key=lambda item: -item[1]))

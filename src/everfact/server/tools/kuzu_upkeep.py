"""KuzuMemory's tools that say how a memory is and tidy it up, over ours."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from everfact.cognitive import cognition_of
from everfact.config.address import file_of
from everfact.models import Filter
from everfact.server.arguments import Few
from everfact.server.host import Host
from everfact.server.tools.kuzu import as_json
from everfact.server.translate import Call, Tool, host_of
from everfact.verbs.space import Space

if TYPE_CHECKING:
    from everfact.compact import Plan

_TYPED = 10_000
"""Memories, the latest, whose types are counted."""
_WHY_NOT = {
    "top_accessed": "how often something is asked for is not counted here: search ranks by the question alone",
    "stale_cleanup": "nothing is stale for its age here: a fact ends when another one says so",
}


async def kuzu_stats(
    call: Call, detailed: Annotated[bool, Field(description="Also what was read out of them, and what waits.")] = False
) -> str:
    """How many memories there are and of which types, when one was last added, and how large the store is."""
    host, group = host_of(call), host_of(call).group("")
    memory = await host.memory()
    held = await memory.status(group_ids=(group,))
    latest = await memory.episodes(Filter(group_ids=(group,)), limit=_TYPED)
    lines = [
        f"Total Memories: {held.episodes}",
        f"Memory Types: {dict(Counter(cognition_of(episode.attributes).memory_type for episode in latest))}",
        f"Recent Activity: {held.last_write.isoformat() if held.last_write else 'N/A'}",
        f"Database Size: {_size(host)}",
    ]
    if detailed:
        lines += [f"Entities: {held.entities}", f"Facts: {held.facts}", f"Changes: {held.changes}"]
        lines += [f"Waiting To Be Digested: {held.pending}", f"Given Up: {held.parked}"]
    return "\n".join(lines)


async def kuzu_optimize(
    call: Call,
    strategy: Annotated[
        Literal["full_maintenance", "top_accessed", "stale_cleanup", "consolidate_similar"],
        Field(description="consolidate_similar merges entities known twice; full_maintenance also removes idle ones."),
    ] = "top_accessed",
    limit: Few = 20,
    dry_run: Annotated[bool, Field(description="Only say what could be done.")] = True,
) -> str:
    """Merge entities that are known twice, and take away those that no fact speaks of. Each step can be undone.

    The strategies that go by age or use find nothing to do here, and say why.
    """
    from everfact.compact import Plan
    from everfact.verbs.upkeep import carry_out, spare

    host = host_of(call)
    space = Space(memory=await host.memory(), group=host.group(""))
    found = Plan() if strategy in _WHY_NOT else await spare(space)
    if strategy == "consolidate_similar":
        found = replace(found, orphans=())
    merges = found.duplicates[:limit]
    chosen = Plan(duplicates=merges, orphans=found.orphans[: limit - len(merges)])
    changes = [] if dry_run else await carry_out(space, chosen)
    suggestions = [_WHY_NOT[strategy]] if strategy in _WHY_NOT else []
    results = _results(found, chosen, changes)
    return as_json(
        {
            "status": "completed",
            "strategy": strategy,
            "dry_run": dry_run,
            "results": results,
            "suggestions": suggestions,
        }
    )


def _results(found: Plan, chosen: Plan, changes: list[str]) -> dict[str, object]:
    merges = [f"merge {other.name} into {kept.name}" for kept, other in chosen.duplicates]
    return {
        "optimization_candidates": len(found.duplicates) + len(found.orphans),
        "actions": [*merges, *(f"remove {entity.name}" for entity in chosen.orphans)],
        "changes": changes,
    }


def _size(host: Host) -> str:
    file = file_of(host.place.store) if host.anywhere() is None else None
    if file is None or not file.exists():
        return "N/A"
    log = file.with_name(f"{file.name}-wal")
    return f"{sum(part.stat().st_size for part in (file, log) if part.exists())} bytes"


TOOLS = (
    Tool(function=kuzu_stats, title="How much there is", reads=True),
    Tool(function=kuzu_optimize, title="Tidy up", destroys=True, repeats=True),
)

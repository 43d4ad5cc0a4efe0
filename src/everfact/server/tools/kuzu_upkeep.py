"""KuzuMemory's tools that look after a memory and carry it elsewhere, over ours."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from everfact import clock
from everfact.cognitive import cognition_of
from everfact.compact import Plan
from everfact.config.address import file_of
from everfact.export import resolve_target
from everfact.models import Filter
from everfact.server.arguments import Few, Text
from everfact.server.host import Host
from everfact.server.translate import Call, Tool, host_of
from everfact.sharing import FOLDER, export_shared, import_shared
from everfact.verbs.space import Space
from everfact.verbs.upkeep import carry_out, spare

_TYPED = 10_000
"""Memories, the latest, whose types are counted."""
_WHY_NOT = {
    "top_accessed": "how often something is asked for is not counted here: search ranks by the question alone",
    "stale_cleanup": "nothing is stale for its age here: a fact ends when another one says so",
}

ProjectPath = Annotated[Text, Field(description="The project's folder. Default: the one the client works in.")]


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
    return _answered(strategy=strategy, dry_run=dry_run, results=results, suggestions=suggestions)


async def kuzu_export_shared(
    call: Call,
    min_age_days: Annotated[int, Field(description="Only memories at least so many days old.", ge=0, le=36_500)] = 1,
    project_path: ProjectPath = "",
) -> str:
    """Write what was told since the last export to files in kuzu-memory-shared, a file a day, for a team's git.

    Conversations stay out, and what has secrets in it. KuzuMemory can read the files, too.
    """
    host = host_of(call)
    folder = await asyncio.to_thread(_folder, host, project_path)
    before = clock.now() - timedelta(days=min_age_days)
    done = await export_shared(await host.memory(), host.group(""), folder, before=before)
    return _answered(
        exported_count=done.count,
        files_written=list(done.files),
        left_out_with_secrets=done.with_secrets,
        message=f"Exported {done.count} memories to {len(done.files)} files in {FOLDER}",
    )


async def kuzu_import_shared(
    call: Call,
    project_path: ProjectPath = "",
    dry_run: Annotated[bool, Field(description="Only say what would be imported.")] = False,
) -> str:
    """Take in what the files in kuzu-memory-shared have and the memory does not. What was deleted stays deleted."""
    host = host_of(call)
    folder = await asyncio.to_thread(_folder, host, project_path)
    done = await import_shared(await host.memory(), host.group(""), folder, dry_run=dry_run)
    return _answered(
        imported_count=done.count,
        skipped_duplicates=done.duplicates,
        files_processed=list(done.files),
        unreadable=list(done.skipped),
        dry_run=dry_run,
        message=f"{done.count} memories {'would be ' if dry_run else ''}imported, {done.duplicates} known already",
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
    return f"{file.stat().st_size} bytes"


def _folder(host: Host, project_path: str) -> Path:
    """The folder of shared files in a project, if this caller may have files written there.

    Raises:
        UsageError: it lies where no file may be written.
    """
    place = host.place
    wanted = f"{project_path.rstrip('/')}/{FOLDER}/memories.json" if project_path else f"{FOLDER}/memories.json"
    file = resolve_target(
        wanted,
        episode_name="",
        now=clock.now(),
        project=place.project,
        export_root=place.export_root,
        is_remote=place.is_remote,
    )
    return file.parent


def _answered(**parts: object) -> str:
    return json.dumps({"status": "completed", **parts}, ensure_ascii=False, separators=(",", ":"))


TOOLS = (
    Tool(function=kuzu_stats, title="How much there is", reads=True),
    Tool(function=kuzu_optimize, title="Tidy up", destroys=True, repeats=True),
    Tool(function=kuzu_export_shared, title="Write files for the team", repeats=True),
    Tool(function=kuzu_import_shared, title="Read the team's files", repeats=True),
)

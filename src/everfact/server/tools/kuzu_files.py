"""KuzuMemory's tools that carry memories between databases and between people, over ours."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from everfact import clock
from everfact.config.address import file_of
from everfact.errors import UsageError
from everfact.export import resolve_target
from everfact.models import Filter
from everfact.server.arguments import Text
from everfact.server.host import Host, Place
from everfact.server.tools.kuzu import as_json
from everfact.server.translate import Call, Tool, host_of

if TYPE_CHECKING:
    from everfact.arrivals import Arrivals
    from everfact.memory import Memory
    from everfact.models import Draft, Skipped

_EVERY = 1_000_000
_MAGIC = b"SQLite format 3\0"

ProjectPath = Annotated[Text, Field(description="The project's folder. Default: the one the client works in.")]


async def kuzu_merge(
    call: Call,
    source_path: Annotated[str, Field(description="A database of KuzuMemory's, its JSON, or a store file of ours.")],
    strategy: Annotated[
        Literal["skip", "update", "merge"],
        Field(description="What is nearly the same here is left (skip), replaced (update), or joined by it (merge)."),
    ] = "skip",
    threshold: Annotated[float, Field(description="From what likeness on it is nearly the same.", ge=0, le=1)] = 0.95,
    dry_run: Annotated[bool, Field(description="Only say what would come in.")] = True,
    backup: Annotated[bool, Field(description="Copy the store first.")] = True,
) -> str:
    """Take in the memories of another database. What is here word for word is left as it is."""
    from everfact.arrivals import sort_out, take_in

    host, group = host_of(call), host_of(call).group("")
    memory, found = await host.memory(), await _found(host, source_path, group)
    arrivals = await sort_out(memory, group, found, threshold=threshold)
    copy = await _copied(host, memory) if backup and not dry_run else None
    if not dry_run:
        await take_in(memory, arrivals, strategy)
    return _done(
        is_preview=dry_run, dry_run=dry_run, **_merged(arrivals, strategy), backup_path=str(copy) if copy else None
    )


async def kuzu_export_shared(
    call: Call,
    min_age_days: Annotated[int, Field(description="Only memories at least so many days old.", ge=0, le=36_500)] = 1,
    project_path: ProjectPath = "",
) -> str:
    """Write what was told since the last export to files in kuzu-memory-shared, a file a day, for a team's git.

    Conversations stay out, and what has secrets in it. KuzuMemory can read the files, too.
    """
    from everfact.sharing import export_shared

    host = host_of(call)
    folder = await asyncio.to_thread(_folder, host, project_path)
    before = clock.now() - timedelta(days=min_age_days)
    done = await export_shared(await host.memory(), host.group(""), folder, before=before)
    return _done(
        exported_count=done.count,
        files_written=list(done.files),
        left_out_with_secrets=done.with_secrets,
        message=f"Exported {done.count} memories to {len(done.files)} files in {folder.name}",
    )


async def kuzu_import_shared(
    call: Call,
    project_path: ProjectPath = "",
    dry_run: Annotated[bool, Field(description="Only say what would be imported.")] = False,
) -> str:
    """Take in what the files in kuzu-memory-shared have and the memory does not. What was deleted stays deleted."""
    from everfact.sharing import import_shared

    host = host_of(call)
    folder = await asyncio.to_thread(_folder, host, project_path)
    done = await import_shared(await host.memory(), host.group(""), folder, dry_run=dry_run)
    return _done(
        imported_count=len(done.fresh),
        skipped_duplicates=done.same,
        unreadable=list(done.skipped),
        dry_run=dry_run,
        message=f"{len(done.fresh)} memories {'would be ' if dry_run else ''}imported, {done.same} known already",
    )


def _merged(arrivals: Arrivals, strategy: str) -> dict[str, object]:
    alike = len(arrivals.alike)
    return {
        "strategy": strategy,
        "total_source": len(arrivals.fresh) + arrivals.same + alike + len(arrivals.skipped),
        "new_imported": len(arrivals.fresh),
        "duplicates_found": arrivals.same + alike,
        "updated": alike if strategy == "update" else 0,
        "merged": alike if strategy == "merge" else 0,
        "skipped": arrivals.same + (alike if strategy == "skip" else 0),
        "errors": len(arrivals.skipped),
        "unreadable": list(arrivals.skipped),
    }


async def _found(host: Host, source_path: str, group: str) -> list[Draft | Skipped]:
    """What a file tells; of a store of ours, what it holds in the group of the same name.

    Raises:
        UsageError: it cannot be read, or this caller may not have it read.
    """
    from everfact.arrivals import told_again
    from everfact.assemble import open_memory
    from everfact.importers import read

    path = await asyncio.to_thread(_source, host.place, source_path)
    if not await asyncio.to_thread(_is_store, path):
        return await asyncio.to_thread(lambda: list(read(path, group=group)))
    async with await open_memory(path) as other:
        told = await other.episodes(Filter(group_ids=(group,)), limit=_EVERY)
    if not told:
        raise UsageError(f"{path.name} has nothing in the group {group}", hint="groups of one name are merged")
    return [told_again(episode) for episode in told]


def _source(place: Place, given: str) -> Path:
    path = (place.project / Path(given).expanduser()).resolve()
    if place.is_remote and (place.export_root is None or not path.is_relative_to(place.export_root.resolve())):
        raise UsageError("this server does not read that file", hint="its operator can allow it with mcp.export_root")
    return path


def _is_store(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


async def _copied(host: Host, memory: Memory) -> Path:
    """A copy of the store beside it, before it is changed.

    Raises:
        UsageError: it is no file.
    """
    file = file_of(host.place.store)
    if file is None:
        raise UsageError("the store is a server, which is not copied from here", hint="call it with backup=false")
    target = file.with_name(f"{file.name}.before-merge-{clock.now():%Y%m%d-%H%M%S-%f}")
    await memory.backup(target)
    return target


def _folder(host: Host, project_path: str) -> Path:
    """The folder of shared files in a project, if this caller may have files written there.

    Raises:
        UsageError: it lies where no file may be written.
    """
    from everfact.sharing import FOLDER

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


def _done(*, is_preview: bool = False, **parts: object) -> str:
    return as_json({"status": "preview" if is_preview else "completed", **parts})


TOOLS = (
    Tool(function=kuzu_merge, title="Take in another database"),
    Tool(function=kuzu_export_shared, title="Write files for the team", repeats=True),
    Tool(function=kuzu_import_shared, title="Read the team's files", repeats=True),
)

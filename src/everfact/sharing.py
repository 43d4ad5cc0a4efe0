"""What was told, in files that a team keeps in git: KuzuMemory's folder, names and fields, read and written.

A file a day, records in order, no time of writing in it: what two people export merges line by line.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everfact.arrivals import Arrivals, content_hash, sort_out, take_in
from everfact.cognitive import cognition_of
from everfact.errors import UsageError
from everfact.export import write_export
from everfact.importers import read
from everfact.memory import Memory
from everfact.models import JSON, Draft, Episode, Filter, Skipped
from everfact.redact import find_secrets

FOLDER = "kuzu-memory-shared"
_VERSION = "1.0"
_PATTERN = "memories-*.json"
_EVERY = 1_000_000
_NOT_TOLD = ("git commit", "git_sync")
"""Sources that everybody who has the repository has too."""

Record = dict[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What went into which files."""

    count: int
    files: tuple[str, ...]
    with_secrets: int
    """Left out, because files in git are forever."""


async def export_shared(memory: Memory, group: str, folder: Path, *, before: datetime) -> Exported:
    """Add what was told since the last export, and before that time, to the files of the days it speaks of.

    Turns of conversations stay out, and what has secrets in it. Files that are gone are written anew.

    Raises:
        UsageError: a file there cannot be read, or none can be written; nothing is written then.
    """
    files = await asyncio.to_thread(_read_files, folder)
    name = f"shared/{group}/{hashlib.sha256(bytes(folder)).hexdigest()[:16]}"
    mark = await memory.state(name) if files else None
    after = datetime.fromisoformat(mark) if mark else datetime.min.replace(tzinfo=UTC)
    told = await memory.episodes(Filter(group_ids=(group,)), limit=_EVERY)
    new = [e for e in told if after < e.created_at <= before and not e.role and e.source_description not in _NOT_TOLD]
    clean = [e for e in new if not find_secrets(e.content)]
    changed = _added(files, map(record, clean))
    for file in changed:
        text = json.dumps(_document(files[file], folder.parent.name), ensure_ascii=False, indent=2)
        await asyncio.to_thread(write_export, (folder / file).resolve(), text + "\n")
    if new:
        await memory.set_state(name, max(e.created_at for e in new).isoformat())
    return Exported(count=sum(changed.values()), files=tuple(changed), with_secrets=len(new) - len(clean))


async def import_shared(memory: Memory, group: str, folder: Path, *, dry_run: bool) -> Arrivals:
    """Tell the memory what the files have and it does not; what was forgotten here stays forgotten.

    Raises:
        UsageError: there are no such files.
    """
    found = await asyncio.to_thread(lambda: list(_drafts(folder, group)))
    arrivals = await sort_out(memory, group, found)
    if not dry_run:
        await take_in(memory, arrivals)
    return arrivals


def record(episode: Episode) -> Record:
    """An episode as KuzuMemory has a memory."""
    kind, importance = cognition_of(episode.attributes), episode.attributes.get("importance")
    more, tags = episode.attributes.get("metadata"), episode.attributes.get("tags")
    return {
        "id": episode.uuid,
        "content": episode.content,
        "content_hash": content_hash(episode.content),
        "created_at": episode.reference_time.isoformat(),
        "memory_type": kind.memory_type,
        "knowledge_type": kind.knowledge_type,
        "source_type": episode.source_description or "manual",
        "importance": importance if isinstance(importance, int | float) else 0.5,
        "confidence": 1.0,
        "metadata": {**(more if isinstance(more, dict) else {}), **({"tags": tags} if tags else {})},
        "agent_id": "default",
        "user_id": None,
        "session_id": episode.thread or None,
    }


def _added(files: dict[str, list[Record]], new: Iterable[Record]) -> dict[str, int]:
    """How many records came to each file that changed; those that one has already do not count."""
    known = {str(one.get("content_hash")) for records in files.values() for one in records}
    changed: dict[str, int] = {}
    for one in new:
        if one["content_hash"] not in known:
            known.add(str(one["content_hash"]))
            file = f"memories-{str(one['created_at'])[:10]}.json"
            files.setdefault(file, []).append(one)
            changed[file] = changed.get(file, 0) + 1
    return dict(sorted(changed.items()))


def _document(records: list[Record], project: str) -> dict[str, object]:
    ordered = sorted(records, key=lambda one: (str(one.get("created_at")), str(one.get("content_hash"))))
    latest = str(ordered[-1].get("created_at"))
    return {"export_version": _VERSION, "exported_at": latest, "source_project": project, "memories": ordered}


def _read_files(folder: Path) -> dict[str, list[Record]]:
    """The records of every file there is, as they are.

    Raises:
        UsageError: one cannot be read, so nothing may be added to it.
    """
    found = {}
    for path in sorted(folder.glob(_PATTERN)):
        records = _memories(path)
        if not all(isinstance(one, dict) for one in records):
            raise UsageError(f"{path.name} has a record that is none", hint="mend the file first")
        found[path.name] = records
    return found


def _memories(path: Path) -> list[Any]:
    try:
        records = json.loads(path.read_text(encoding="utf-8"))["memories"]
    except OSError as error:
        raise UsageError(f"{path.name} cannot be read: {error.strerror}", hint="look at its permissions") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(
            f"{path.name} is no file of memories", hint="mend it first: a merge may be unfinished"
        ) from error
    if not isinstance(records, list):
        raise UsageError(f"{path.name} is no file of memories", hint="mend it first")
    return records


def _drafts(folder: Path, group: str) -> Iterator[Draft | Skipped]:
    """What the files of a folder have, and what of it cannot be read."""
    paths = sorted(folder.glob(_PATTERN))
    if not paths:
        raise UsageError(f"there is no {_PATTERN} in {folder}", hint="pull it, or export first")
    for path in paths:
        try:
            for found in read(path, "kuzu", group=group):
                yield replace(found, place=f"{path.name}, {found.place}") if isinstance(found, Skipped) else found
        except UsageError as error:
            yield Skipped(place=path.name, reason=str(error.args[0]))

"""What was told, in files that a team keeps in git: KuzuMemory's folder, names and fields, read and written.

A file a day, records in order, no time of writing in it: what two people export merges line by line.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from everfact.cognitive import cognition, cognition_of
from everfact.draft import MOST_CHARACTERS
from everfact.errors import UsageError
from everfact.export import write_export
from everfact.memory import Memory
from everfact.models import JSON, ChangeKind, Draft, Episode, Filter, Source
from everfact.redact import find_secrets

FOLDER = "kuzu-memory-shared"
_VERSION = "1.0"
_PATTERN = "memories-*.json"
_EVERY = 1_000_000
_NOT_TOLD = ("git_sync", "git")
"""Sources that everybody who has the repository has too."""

Record = dict[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What went into which files."""

    count: int
    files: tuple[str, ...]
    with_secrets: int
    """Left out, because files in git are forever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came out of which files."""

    count: int
    duplicates: int
    files: tuple[str, ...]
    skipped: tuple[str, ...]
    """What could not be read, by its place and with the reason."""


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


async def import_shared(memory: Memory, group: str, folder: Path, *, dry_run: bool) -> Imported:
    """Tell the memory what the files have and it does not; what was forgotten here stays forgotten.

    Raises:
        UsageError: there is no such folder.
    """
    found = await asyncio.to_thread(_read_drafts, folder, group)
    told = await memory.episodes(Filter(group_ids=(group,)), limit=_EVERY)
    known = {content_hash(episode.content) for episode in told} | {episode.uuid for episode in told}
    fresh: list[Draft] = []
    for own_id, draft in found.drafts:
        names = {content_hash(draft.content), draft.uuid}
        if not known & names and not await _forgotten(memory, group, (own_id, draft.uuid)):
            fresh.append(draft)
        known |= names
    for draft in () if dry_run else fresh:
        await memory.add(draft)
    duplicates = len(found.drafts) - len(fresh)
    return Imported(count=len(fresh), duplicates=duplicates, files=found.files, skipped=tuple(found.skipped))


def record(episode: Episode) -> Record:
    """An episode as KuzuMemory has a memory."""
    kind, importance = cognition_of(episode.attributes), episode.attributes.get("importance")
    more: dict[str, JSON] = {"knowledge_type": kind.knowledge_type}
    more |= {"tags": episode.attributes["tags"]} if "tags" in episode.attributes else {}
    more |= {"source": episode.source.value} if episode.source is not Source.TEXT else {}
    return {
        "id": episode.uuid,
        "content": episode.content,
        "content_hash": content_hash(episode.content),
        "created_at": episode.reference_time.isoformat(),
        "memory_type": kind.memory_type,
        "source_type": episode.source_description or "manual",
        "importance": importance if isinstance(importance, int | float) else 0.5,
        "confidence": 1.0,
        "metadata": more,
        "agent_id": "default",
        "user_id": None,
        "session_id": episode.thread or None,
    }


def content_hash(content: str) -> str:
    """By what KuzuMemory tells memories apart."""
    return hashlib.sha256(content.lower().strip().encode("utf-8", "surrogatepass")).hexdigest()


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


@dataclass(slots=True)
class _Found:
    drafts: list[tuple[str, Draft]]
    """Each with the id that its record has."""
    files: tuple[str, ...]
    skipped: list[str]


def _read_drafts(folder: Path, group: str) -> _Found:
    """What the files of a folder have, and what of it cannot be read."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder.name} in {folder.parent}", hint="pull it, or export first")
    paths = sorted(folder.glob(_PATTERN))
    found = _Found([], tuple(path.name for path in paths), [])
    for path in paths:
        try:
            records = _memories(path)
        except UsageError as error:
            found.skipped.append(str(error.args[0]))
            continue
        for number, one in enumerate(records, 1):
            try:
                found.drafts.append((str(one["id"]), _draft(one, group)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                found.skipped.append(f"{path.name} record {number}: {type(error).__name__} {error}")
    return found


def _draft(one: dict[str, Any], group: str) -> Draft:
    """A record as it is told; the same one is the same episode wherever it comes from."""
    content, more, at = str(one["content"]), one.get("metadata") or {}, datetime.fromisoformat(one["created_at"])
    if not 0 < len(content.strip()) <= MOST_CHARACTERS:
        raise ValueError("its content is empty or too long")
    kind = cognition(str(one.get("memory_type", "")), str(more.get("knowledge_type", "")))
    kept: dict[str, JSON] = {**kind.attributes, "importance": float(one.get("importance", 0.5))}
    source = Source(more["source"]) if more.get("source") in set(Source) else Source.TEXT
    return Draft(
        content=content,
        group_id=group,
        source=source,
        source_description=str(one.get("source_type") or ""),
        reference_time=at if at.tzinfo else at.replace(tzinfo=UTC),
        uuid=str(uuid5(NAMESPACE_URL, f"everfact:shared\0{group}\0{content_hash(content)}")),
        thread=str(one.get("session_id") or ""),
        attributes=kept | ({"tags": more["tags"]} if "tags" in more else {}),
        is_captured=True,
    )


async def _forgotten(memory: Memory, group: str, ids: tuple[str, ...]) -> bool:
    """Somebody took it away here, under its own id or the one it would get."""
    changes = await memory.changes(Filter(group_ids=(group,), uuids=ids), limit=_EVERY)
    return any(change.kind is ChangeKind.FORGET and change.cause in ids for change in changes)

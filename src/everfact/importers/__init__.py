"""Memories of other systems as drafts, to be told like anything else: `read` and the kinds of file it knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from everfact.errors import UsageError
from everfact.importers import graphiti_files, kuzu, mem0, memory_json
from everfact.importers.cypher import is_cypher
from everfact.importers.files import items
from everfact.importers.records import Item
from everfact.models import Draft, Skipped

__all__ = ["KINDS", "read"]

Reader: TypeAlias = Callable[[Path, str], Iterator[Draft | Skipped]]

_READERS: dict[str, tuple[Reader, Callable[[Item], bool]]] = {
    "memory-json": (memory_json.read, memory_json.is_memory_json),
    "mem0": (mem0.read, mem0.is_memory),
    "kuzu": (kuzu.read, kuzu.is_memory),
    "graphiti": (graphiti_files.read, graphiti_files.is_graphiti),
}
KINDS = tuple(_READERS)
"""What can be read, as `--from` names it."""
_LOOK_AT = 100


def read(path: Path, kind: str = "", *, group: str = "") -> Iterator[Draft | Skipped]:
    """What a file of another system tells, in order; a bad record is skipped by its place. "" finds the kind itself.

    A draft's group is `group`, else the one that the record names, else "", which is for the caller to fill in.

    Raises:
        UsageError: there is no such file or kind, or the file does not show of which kind it is.
        StoreUnavailable: another process has the database open.
    """
    if kind and kind not in KINDS:
        raise UsageError(f"nothing is known of a kind {kind!r}", hint=f"one of {', '.join(KINDS)}")
    try:
        kinds = [(source, kind or _kind(source)) for source in _sources(path)]
        return chain.from_iterable([_READERS[each][0](source, group) for source, each in kinds])
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", hint="look at its permissions") from error


def _sources(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise UsageError(f"there is no file {path}", hint="look at the spelling")
    if not path.is_dir() or kuzu.is_database(path):
        yield path
        return
    # Of a folder, what KuzuMemory keeps in it.
    found = sorted(path.glob("memories-*.json"))
    found = found or [each for each in (path / "memories.db", path / ".kuzu-memory" / "memories.db") if each.exists()]
    if not found:
        raise UsageError(f"{path} is a folder without memories", hint="name the file to import")
    yield from found


def _kind(path: Path) -> str:
    if kuzu.is_database(path):
        return "kuzu"
    if is_cypher(path):
        return "graphiti"
    for item in islice(items(path), _LOOK_AT):
        for kind, (_, fits) in _READERS.items():
            if isinstance(item, Item) and fits(item):
                return kind
    raise UsageError(f"{path} does not show what wrote it", hint=f"say it: --from {', '.join(KINDS)}")

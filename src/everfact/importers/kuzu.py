"""KuzuMemory: its database, its JSON export and the files it shares through git. A memory becomes an episode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everfact.cognitive import cognition
from everfact.errors import StoreUnavailable, UsageError
from everfact.importers.files import items
from everfact.importers.records import Item, Record, kept, legal_id, moment, text, tried
from everfact.models import JSON, Draft, Skipped

if TYPE_CHECKING:
    import kuzu

_MAGIC = b"KUZU"
_KEPT = ("importance", "confidence", "agent_id", "user_id", "project_tag")
_TABLES = ("Memory", "ArchivedMemory")


def read(path: Path, group: str) -> Iterator[Draft | Skipped]:
    """The drafts of a database or a file."""
    found = _database(path) if is_database(path) else items(path)
    return tried(found, lambda _, given: _draft(given, group))


def is_database(path: Path) -> bool:
    """Whether it is a file of Kuzu's, or a folder, as its older versions wrote."""
    if path.is_dir():
        return (path / "catalog.kz").exists()
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def is_memory(item: Item) -> bool:
    """Whether it looks like a memory of KuzuMemory's."""
    keys = item.value.keys() if isinstance(item.value, dict) else set[str]()
    return "content" in keys and not keys.isdisjoint(("memory_type", "content_hash", "archived_at"))


def _draft(given: Record, group: str) -> Draft:
    content = text(given, "content")
    if not content:
        raise UsageError("it has no content")
    told = moment(given, "created_at", "archived_at")
    metadata = _metadata(given)
    kinds = cognition(text(given, "memory_type"), text(given, "knowledge_type"))
    others = {name: kept(given[name]) for name in _KEPT if given.get(name) not in (None, "", "default")}
    times = {name: at.isoformat() for name in ("valid_to", "archived_at") if (at := moment(given, name))}
    own = text(given, "original_id", "id", "content_hash") or content
    return Draft(
        content=content,
        group_id=group,
        uuid=legal_id("kuzu-memory", own),
        source_description=text(given, "source_type") or "KuzuMemory",
        reference_time=told,
        thread=text(given, "session_id"),
        role=text(given, "source_speaker"),
        attributes={**kinds.attributes, **others, **times, **({"metadata": metadata} if metadata else {})},
    )


def _metadata(given: Record) -> JSON:
    value = given.get("metadata")
    try:
        return kept(json.loads(value) if isinstance(value, str) and value else value)
    except (ValueError, RecursionError) as error:
        raise UsageError("its metadata is no JSON") from error


def _database(path: Path) -> Iterator[Item]:
    """Every memory in a database, those set aside too; it is only read."""
    try:
        import kuzu
    except ImportError as error:
        raise UsageError(
            f"{path} is a Kuzu database, which needs the library kuzu", hint="pip install 'everfact[kuzu]'"
        ) from error
    try:
        with closing(kuzu.Database(str(path), read_only=True)) as database, closing(kuzu.Connection(database)) as asked:
            for table in _tables(asked):
                yield from _rows(asked, table)
    except RuntimeError as error:
        if "lock" in str(error).lower():
            raise StoreUnavailable(f"{path} is in use", hint="end KuzuMemory's server and try again") from error
        raise UsageError(f"{path} cannot be read: {error}", hint="export it: kuzu-memory memory export") from error


def _tables(asked: kuzu.Connection) -> list[str]:
    known = [row["name"] for row in _answers(asked, "CALL SHOW_TABLES() RETURN name")]
    if _TABLES[0] not in known:
        raise UsageError("this is a Kuzu database, but not one of KuzuMemory's")
    return [table for table in _TABLES if table in known]


def _rows(asked: kuzu.Connection, table: str) -> Iterator[Item]:
    for row in _answers(asked, f"MATCH (m:{table}) RETURN m ORDER BY m.created_at, m.id"):
        yield Item(f"{table} {row['m']['id']}", table, row["m"])


def _answers(asked: kuzu.Connection, query: str) -> Iterator[dict[str, Any]]:
    results = asked.execute(query)
    for result in results if isinstance(results, list) else [results]:
        while result.has_next():
            yield dict(zip(result.get_column_names(), result.get_next(), strict=True))

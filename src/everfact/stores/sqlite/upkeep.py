"""Looking after the file: small named values, wiping items for good, down to the bytes, and writing checked copies."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import apsw

from everfact.errors import StoreCorrupt, StoreUnavailable, UsageError
from everfact.models import Stats
from everfact.stores.sqlite import read, where
from everfact.stores.sqlite.rows import Row, to_json
from everfact.stores.sqlite.vectors import delete_of

_VERSIONED = {"episodes": ("episode_text",), "entities": ("entity_text", "entity_trigrams"), "facts": ("fact_text",)}
_THING = {"episodes": "episode", "entities": "entity", "facts": "fact"}
_INDEXES = ("episode_text", "entity_text", "entity_trigrams", "fact_text")


def purge(connection: apsw.Connection, group_id: str, uuids: Sequence[str], former: Sequence[str]) -> int:
    """Delete every row about these items; `scrub` then takes the bytes. Answer how many items there were."""
    groups = where.groups(connection, (group_id,))
    if not groups:
        return 0
    _wipe_former_names(connection, groups[0], former)
    chosen = (groups[0], to_json(list(uuids)))
    mine = "group_no = ? AND uuid IN (SELECT value FROM json_each(?))"
    # The notes of all changes that touched them may quote them.
    touched = read.touching(connection, uuids)
    connection.execute(
        "UPDATE changes SET note = '' WHERE group_no = ? AND no IN (SELECT value FROM json_each(?))",
        (groups[0], to_json(touched)),
    )
    count = 0
    for table in _VERSIONED:
        ids = f"SELECT id FROM {table} WHERE {mine}"
        texts = f"SELECT text_id FROM {table} WHERE {mine}"
        count += connection.execute(f"SELECT count(DISTINCT uuid) FROM {table} WHERE {mine}", chosen).get
        _delete_versions(connection, table, ids, texts, chosen)
    lost = f"SELECT id FROM assertions WHERE {mine}"
    connection.execute(f"DELETE FROM withdrawals WHERE assertion_id IN ({lost})", chosen)
    connection.execute(f"DELETE FROM assertions WHERE {mine}", chosen)
    count += connection.changes()
    connection.execute(
        "DELETE FROM threads WHERE group_no = ? AND no NOT IN"
        " (SELECT thread_no FROM episodes WHERE thread_no IS NOT NULL AND group_no = ?)",
        (groups[0], groups[0]),
    )
    return count


def purge_digested(connection: apsw.Connection) -> int:
    """Delete every row about the episodes that are digested, as `purge` does; answer how many there were."""
    digested: list[Row] = connection.execute(
        "SELECT g.group_id, json_group_array(e.uuid) FROM episodes AS e JOIN groups AS g ON g.no = e.group_no"
        " WHERE e.known_to IS NULL AND e.id NOT IN (SELECT episode_id FROM queue) GROUP BY g.group_id"
    ).fetchall()
    return sum(purge(connection, group_id, json.loads(uuids), ()) for group_id, uuids in digested)


def _wipe_former_names(connection: apsw.Connection, group: int, uuids: Sequence[str]) -> None:
    """Drop the versions of entities that are not believed any more; the present ones stand for all that time.

    The change that made the first version then made the present one.
    """
    chosen = (group, to_json(list(uuids)))
    mine = "group_no = ? AND uuid IN (SELECT value FROM json_each(?))"
    present = f"SELECT text_id FROM entities WHERE {mine} AND known_to IS NULL"
    old = f"FROM entities WHERE {mine} AND known_to IS NOT NULL"
    connection.execute(
        "UPDATE entities AS e SET (known_from, made_by) ="
        " (SELECT known_from, made_by FROM entities WHERE uuid = e.uuid ORDER BY known_from, id LIMIT 1)"
        f" WHERE {mine} AND known_to IS NULL",
        chosen,
    )
    texts = f"SELECT text_id {old} AND text_id NOT IN ({present})"
    _delete_versions(connection, "entities", f"SELECT id {old}", texts, chosen, text_parameters=(*chosen, *chosen))


def clear(connection: apsw.Connection, group_ids: Sequence[str]) -> Stats:
    """Delete whole groups; answer what they held."""
    held = read.stats(connection, tuple(group_ids))
    for group in where.groups(connection, tuple(group_ids)):
        for table in _VERSIONED:
            ids, texts = (f"SELECT {column} FROM {table} WHERE group_no = ?" for column in ("id", "text_id"))
            _delete_versions(connection, table, ids, texts, (group,))
        connection.execute(
            "DELETE FROM withdrawals WHERE assertion_id IN (SELECT id FROM assertions WHERE group_no = ?)", (group,)
        )
        for table in ("assertions", "changes", "threads", "vector_counts", "embedded"):
            connection.execute(f"DELETE FROM {table} WHERE group_no = ?", (group,))
        connection.execute("DELETE FROM groups WHERE no = ?", (group,))
    return held


def scrub(connection: apsw.Connection) -> None:
    """Rewrite indexes and file so that no deleted byte is left, in the log neither.

    Raises:
        StoreUnavailable: somebody still reads an old state of the file.
    """
    for index in _INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    connection.execute("VACUUM")
    busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (1,)
    if busy:
        raise StoreUnavailable(
            "the items are gone from the memory, but a reader still holds the log that has their text",
            hint="purge again when no other process is reading",
        )


def back_up(connection: apsw.Connection, target: Path) -> None:
    """Write a copy that nobody else can read, check it, and only then give it its name.

    Raises:
        UsageError: the target exists.
        StoreCorrupt: the copy is damaged, and so the original is.
    """
    if target.exists():
        raise UsageError(f"{target} exists already", hint="name a new file; backups are never overwritten")
    partial = target.with_name(f"{target.name}.partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        connection.execute("VACUUM INTO ?", (str(partial),))
        copy = apsw.Connection(str(partial), flags=apsw.SQLITE_OPEN_READONLY)
        verdict = copy.execute("PRAGMA quick_check(1)").get
        copy.close()
        if verdict != "ok":
            raise StoreCorrupt(f"the copy does not check out: {verdict}", hint="the memory itself is damaged")
        os.fsync(descriptor)
        partial.rename(target)
    finally:
        os.close(descriptor)
        partial.unlink(missing_ok=True)


def _delete_versions(
    connection: apsw.Connection,
    table: str,
    ids: str,
    texts: str,
    chosen: tuple[int | str, ...],
    *,
    text_parameters: tuple[int | str, ...] | None = None,
) -> None:
    worded = chosen if text_parameters is None else text_parameters
    for index in _VERSIONED[table]:
        connection.execute(f"DELETE FROM {index} WHERE rowid IN ({texts})", worded)
    delete_of(connection, _THING[table], texts, worded)
    if table == "episodes":
        connection.execute(f"DELETE FROM leases WHERE episode_id IN ({ids})", chosen)
        connection.execute(f"DELETE FROM queue WHERE episode_id IN ({ids})", chosen)
    if table == "entities":
        connection.execute(f"DELETE FROM entity_terms WHERE entity_id IN ({ids})", chosen)
    if table == "facts":
        connection.execute(f"DELETE FROM fact_episodes WHERE fact_id IN ({ids})", chosen)
    connection.execute(f"DELETE FROM {table} WHERE id IN ({ids})", chosen)

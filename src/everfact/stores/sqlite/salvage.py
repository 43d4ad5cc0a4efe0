"""Making a sound memory out of what of a damaged file can still be read; the damaged file is only read.

Rows are copied one by one, whatever SQLite will still hand out. Indexes, full text and vectors are made anew. Where a
row refers to a lost one, a stand-in takes the lost one's place, so that nothing readable goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import copy2
from typing import Any

import apsw

from everfact.clock import new_id
from everfact.errors import StoreCorrupt
from everfact.models import ChangeKind
from everfact.stores.sqlite import rows
from everfact.stores.sqlite.connection import APPLICATION_ID, connect, transaction, translated
from everfact.stores.sqlite.migrate import migrate, scripts
from everfact.stores.sqlite.restore import FILES, put
from everfact.stores.sqlite.rows import Row
from everfact.stores.sqlite.where import GROUP_SPAN
from everfact.stores.sqlite.wording import index_entity, index_episode, index_fact, write_sources, write_terms

_KEYS = {
    "groups": "no",
    "threads": "no",
    "changes": "no",
    "episodes": "id",
    "queue": "episode_id",
    "entities": "id",
    "assertions": "id",
    "withdrawals": "change_no, assertion_id",
    "facts": "id",
    "state": "name",
}
"""The tables that hold what cannot be made anew, those that others refer to first, and what tells their rows apart."""

_STAND_INS = {
    "groups": "INSERT INTO groups (no, group_id, next_id, recorded_at) SELECT DISTINCT {column},"
    " 'salvaged-' || {column}, 1, 0 FROM {table} WHERE {dangling}",
    "threads": "INSERT INTO threads (no, group_no, name, length) SELECT DISTINCT {column}, group_no,"
    " 'salvaged-' || {column}, 0 FROM {table} WHERE {dangling}",
    "changes": "INSERT INTO changes (no, uuid, group_no, kind, cause, note, created_at) SELECT {column},"
    f" new_id(), group_no, '{ChangeKind.DIGEST.value}', '', 'lost: the file was damaged',"
    " min({when}) FROM {table} WHERE {dangling} GROUP BY {column}",
}
_READ = {
    "episodes": (rows.EPISODE, rows.EPISODE_FROM, rows.to_episode),
    "entities": (rows.ENTITY, rows.ENTITY_FROM, rows.to_entity),
    "assertions": (rows.ASSERTION, rows.ASSERTION_FROM, rows.to_assertion),
    "facts": (rows.FACT, rows.FACT_FROM, rows.to_fact),
}
_NOTHING = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError, UnicodeDecodeError)
"""What reading a damaged part of a file may raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """What was done: how many rows came over, how many are known to be lost, where the damaged file is kept."""

    rows: int
    lost: int
    kept: Path


def salvage(path: Path, now: datetime) -> Salvaged:
    """Put a memory made of all that can be read in the place of a damaged file, which is kept beside it.

    Raises:
        StoreCorrupt: nothing can be read; the file was not touched.
    """
    made = path.with_name(f"{path.name}.salvaged")
    _drop(made)
    try:
        with translated(path), closing(_open(path)) as damaged, closing(connect(made)) as fresh:
            migrate(fresh, made, scripts())
            fresh.execute("PRAGMA foreign_keys = OFF")
            count, lost = transaction(fresh, "BEGIN IMMEDIATE", lambda c: _fill(c, damaged))
        if not count:
            raise StoreCorrupt(f"nothing can be read from {path}", hint="restore a backup: everfact restore FILE")
        return Salvaged(rows=count, lost=lost, kept=_swap(made, path, now))
    finally:
        _drop(made)


def _swap(made: Path, path: Path, now: datetime) -> Path:
    """Put the new memory in its place, through SQLite where it still can; answer where the damaged file is kept."""
    kept = path.with_name(f"{path.name}.damaged-{now:%Y%m%dT%H%M%S}")
    for ending in FILES:
        if (part := path.with_name(path.name + ending)).exists():
            copy2(part, kept.with_name(kept.name + ending))
    with translated(made), closing(apsw.Connection(str(made), flags=apsw.SQLITE_OPEN_READONLY)) as given:
        try:
            put(given, path)
        except StoreCorrupt:
            _drop(path)
            put(given, path)
    return kept


def mend_references(connection: apsw.Connection) -> int:
    """Give rows that refer to missing ones a stand-in to refer to, or drop them where they say nothing without.

    Answers how many there were. Foreign keys must be off, or deferred.
    """
    connection.create_scalar_function("new_id", lambda *_: new_id(), 0)
    count = 0
    for table, column, parent, key in _references(connection):
        dangling = f"{column} IS NOT NULL AND {column} NOT IN (SELECT {key} FROM {parent})"
        found = connection.execute(f"SELECT count(*) FROM {table} WHERE {dangling}").get
        if not found:
            continue
        count += found
        columns = {name for (_, name, *_) in connection.execute(f"PRAGMA table_info({table})")}
        if parent in _STAND_INS and (parent == "groups" or "group_no" in columns):
            when = "known_from" if "known_from" in columns else "created_at"
            connection.execute(_STAND_INS[parent].format(table=table, column=column, dangling=dangling, when=when))
        else:
            connection.execute(f"DELETE FROM {table} WHERE {dangling}")
    _count_again(connection)
    return count


def _references(connection: apsw.Connection) -> list[tuple[str, str, str, str]]:
    """Every reference as table, column, table referred to and its key; whatever others refer to comes first."""
    query = (
        'SELECT m.name, f."from", f."table", k.name FROM sqlite_schema AS m'
        ' JOIN pragma_foreign_key_list(m.name) AS f JOIN pragma_table_info(f."table") AS k'
        " WHERE m.type = 'table' AND k.pk = 1"
    )
    order = list(_STAND_INS)
    found: list[tuple[str, str, str, str]] = list(_read(connection, query))
    return sorted(found, key=lambda reference: order.index(reference[2]) if reference[2] in order else len(order))


def _count_again(connection: apsw.Connection) -> None:
    """Numbers that groups and threads hand out must lie above all that are taken; their last change must exist."""
    taken = " UNION ALL ".join(
        f"SELECT max(id) FROM {table} WHERE group_no = g.no"
        for table in ("episodes", "entities", "assertions", "facts")
    )
    connection.execute(
        "UPDATE groups AS g SET"
        f" next_id = max(next_id, 1 + coalesce((SELECT max(column1) % {GROUP_SPAN} FROM"
        f" (SELECT NULL AS column1 UNION ALL {taken})), 0)),"
        " recorded_at = max(recorded_at, coalesce((SELECT max(created_at) FROM changes WHERE group_no = g.no), 0)),"
        " head = (SELECT uuid FROM changes WHERE group_no = g.no ORDER BY created_at DESC, no DESC LIMIT 1)"
    )
    connection.execute(
        "UPDATE threads AS t SET length ="
        " max(length, coalesce((SELECT max(position) FROM episodes WHERE thread_no = t.no), 0))"
    )


def _open(path: Path) -> apsw.Connection:
    """The damaged file, to be read only.

    Raises:
        StoreCorrupt: it is some other program's, or not even its list of tables can be read.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("PRAGMA writable_schema = ON")  # a file that was cut off is refused without it
    try:
        owner = connection.execute("PRAGMA application_id").get
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    except _NOTHING as error:
        connection.close()
        raise StoreCorrupt(
            f"not even the list of tables in {path} can be read ({error})",
            hint="restore a backup: everfact restore FILE",
        ) from error
    if not tables >= set(_KEYS):
        connection.close()
        raise StoreCorrupt(
            f"{path} is no memory" if owner != APPLICATION_ID else f"{path} lacks tables",
            hint="restore a backup: everfact restore FILE",
        )
    return connection


def _fill(fresh: apsw.Connection, damaged: apsw.Connection) -> tuple[int, int]:
    """Copy, mend, index; answer how many rows came over and how many are known not to."""
    lost = 0
    for table, key in _KEYS.items():
        lost += _copy(fresh, damaged, table, key)
    mend_references(fresh)
    lost += sum(_drop_senseless(fresh, table) for table in _READ)
    mend_references(fresh)
    _index(fresh)
    return sum(fresh.execute(f"SELECT count(*) FROM {table}").get for table in _KEYS), lost


def _copy(fresh: apsw.Connection, damaged: apsw.Connection, table: str, key: str) -> int:
    """Copy a table from its beginning and from its end up to what is damaged, and what lies between by its ids.

    Answers how many rows the indexes know that could not be read.
    """
    for direction in ("ASC", "DESC"):
        order = ", ".join(f"{column} {direction}" for column in key.split(", "))
        for row in _while_readable(damaged, f"SELECT * FROM {table} ORDER BY {order}", ()):
            if not _insert(fresh, table, row) and direction == "DESC":
                break  # from here on all is there already
    if "," in key:
        return 0
    lost = 0
    for id_ in sorted(_known_to_indexes(damaged, table, key)):
        if fresh.execute(f"SELECT 1 FROM {table} WHERE {key} = ?", (id_,)).get is None:
            found = list(_while_readable(damaged, f"SELECT * FROM {table} WHERE {key} = ?", (id_,)))
            lost += not any(_insert(fresh, table, row) for row in found)
    return lost


def _insert(fresh: apsw.Connection, table: str, row: Sequence[Any]) -> bool:
    """Whether the row was new, and such as the table takes."""
    try:
        fresh.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    except (apsw.ConstraintError, apsw.MismatchError):  # a damaged value of another kind
        return False
    return fresh.changes() > 0


def _while_readable(damaged: apsw.Connection, query: str, parameters: Row) -> Iterator[Row]:
    try:
        yield from damaged.execute(query, parameters)
    except _NOTHING:
        return


def _known_to_indexes(damaged: apsw.Connection, table: str, key: str) -> set[int]:
    """The ids that the table's indexes hold; an index lies on pages of its own."""
    found: set[int] = set()
    indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
    for (index,) in damaged.execute(indexes + " AND sql NOT LIKE '% WHERE %'", (table,)).fetchall():
        found.update(id_ for (id_,) in _while_readable(damaged, f"SELECT {key} FROM {table} INDEXED BY {index}", ()))
    return found


def _drop_senseless(fresh: apsw.Connection, table: str) -> int:
    """Drop rows with values that were never written; answer how many."""
    columns, source, read = _READ[table]
    row_of: Callable[[Any], object] = read
    senseless = []
    for id_, *row in fresh.execute(f"SELECT e.id, {columns} FROM {source}"):
        try:
            row_of(tuple(row))
        except StoreCorrupt:
            senseless.append((id_,))
    fresh.executemany(f"DELETE FROM {table} WHERE id = ?", senseless)
    return len(senseless)


def _index(fresh: apsw.Connection) -> None:
    """Make searchable what was copied. Vectors follow by themselves when the memory is used."""
    worded = "SELECT text_id, {} FROM {} GROUP BY text_id"
    for text_id, *told in _read(fresh, worded.format("name, content, speaker", "episodes")):
        index_episode(fresh, text_id, *told)
    for text_id, name, aliases, summary in _read(fresh, worded.format("name, aliases, summary", "entities")):
        index_entity(fresh, text_id, (name, *rows.to_list(aliases)), summary)
    for text_id, sentence in _read(fresh, worded.format("sentence", "facts")):
        index_fact(fresh, text_id, sentence)
    for id_, group_no, name, aliases, types in _read(fresh, "SELECT id, group_no, name, aliases, types FROM entities"):
        write_terms(fresh, group_no, id_, (name, *rows.to_list(aliases)), rows.to_list(types))
    for id_, episodes in _read(fresh, "SELECT id, episodes FROM facts"):
        write_sources(fresh, id_, rows.to_list(episodes))


def _read(connection: apsw.Connection, query: str) -> Iterator[Any]:
    yield from connection.execute(query)


def _drop(file: Path) -> None:
    for ending in FILES:
        file.with_name(file.name + ending).unlink(missing_ok=True)

"""Brings a file to the present schema by numbered SQL scripts, each applied once, after a backup."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import apsw

from everfact.errors import SchemaTooNew, StoreCorrupt, StoreError
from everfact.stores.sqlite.connection import APPLICATION_ID, is_foreign, transaction

log = logging.getLogger(__name__)


def scripts() -> list[str]:
    """The migrations in their order; number n brings a file to schema n."""
    folder = files("everfact.stores.sqlite") / "migrations"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return [entry.read_text(encoding="utf-8") for entry in found]


def migrate(connection: apsw.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Create or bring up to date; several processes may do so at once.

    Raises:
        SchemaTooNew: a later everfact wrote the file.
        StoreCorrupt: it is some other program's database.
        StoreError: it is behind and cannot be written.
    """
    schema = schema_of(connection, path, len(migrations))
    if schema == len(migrations):
        return
    if connection.readonly("main"):
        raise StoreError(
            f"{path} is read-only and " + (f"of the older schema {schema}" if schema else "empty"),
            hint="make file and folder writable, so that it can be brought up to date",
        )
    transaction(connection, "BEGIN IMMEDIATE", lambda writing: _advance(writing, path, migrations))


def _advance(connection: apsw.Connection, path: Path, migrations: Sequence[str]) -> None:
    # Read again inside the transaction: another process may have been quicker.
    schema = schema_of(connection, path, len(migrations))
    if 0 < schema < len(migrations):
        _keep_copy(connection, path, schema)
    for number, script in enumerate(migrations[schema:], schema + 1):
        connection.execute(script).fetchall()  # or it would stop at the first statement that has rows
        connection.execute(f"PRAGMA user_version = {number}")
        log.info("brought %s to schema %d", path, number)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _keep_copy(connection: apsw.Connection, path: Path, schema: int) -> None:
    """Back up through a second connection while `connection` holds the write lock: nobody can change or migrate it."""
    copy = path.with_name(f"{path.name}.schema-{schema}.backup")
    if copy.exists():  # left by an earlier attempt, and of the same schema
        return
    from everfact.stores.sqlite.upkeep import back_up  # hardly any start has to

    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=connection.open_vfs)
    try:
        back_up(reader, copy)
    finally:
        reader.close()
    log.info("kept a copy before migrating: %s", copy)


def schema_of(connection: apsw.Connection, path: Path, newest: int) -> int:
    """The schema of a file that is ours; 0 for an empty one.

    Raises:
        StoreCorrupt: it is some other program's database, or not what it says.
        SchemaTooNew: a later everfact wrote it.
    """
    schema: int = connection.execute("PRAGMA user_version").get
    if is_foreign(connection):
        raise StoreCorrupt(
            f"{path} is a database, but no memory of everfact",
            hint="name another file with --store; it was not touched",
        )
    if schema > 0 and connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        raise StoreCorrupt(f"{path} says it has schema {schema}, but is empty", hint="restore a backup")
    if schema > newest:
        raise SchemaTooNew(
            f"{path} has schema {schema}, this everfact knows schemas up to {newest}",
            hint="install a newer everfact; the file was not touched",
        )
    return schema

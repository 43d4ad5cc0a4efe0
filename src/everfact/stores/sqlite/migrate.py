"""Brings a file to the present schema by numbered SQL scripts, each applied once, after a backup."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import apsw

from everfact.errors import SchemaTooNew, StoreCorrupt, StoreError
from everfact.stores.sqlite.upkeep import back_up

log = logging.getLogger(__name__)

APPLICATION_ID = 0x65766661  # "evfa": tells a memory from any other SQLite file


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
    schema = _schema(connection, path, len(migrations))
    if schema == len(migrations):
        return
    if connection.readonly("main"):
        raise StoreError(
            f"{path} is read-only and " + (f"of the older schema {schema}" if schema else "empty"),
            hint="make file and folder writable, so that it can be brought up to date",
        )
    copy = path.with_name(f"{path.name}.schema-{schema}.backup")
    if schema and not copy.exists():  # one left by an earlier attempt is of the same schema
        back_up(connection, copy)
        log.info("kept a copy before migrating: %s", copy)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again inside the transaction: another process may have been quicker.
        schema = _schema(connection, path, len(migrations))
        for number, script in enumerate(migrations[schema:], schema + 1):
            connection.execute(script)
            connection.execute(f"PRAGMA user_version = {number}")
            log.info("brought %s to schema %d", path, number)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _schema(connection: apsw.Connection, path: Path, newest: int) -> int:
    schema: int = connection.execute("PRAGMA user_version").get
    owner: int = connection.execute("PRAGMA application_id").get
    is_empty = connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
    if owner != APPLICATION_ID and not is_empty:
        raise StoreCorrupt(
            f"{path} is a database, but no memory of everfact",
            hint="name another file with --store; it was not touched",
        )
    if schema > newest:
        raise SchemaTooNew(
            f"{path} has schema {schema}, this everfact knows schemas up to {newest}",
            hint="install a newer everfact; the file was not touched",
        )
    return schema

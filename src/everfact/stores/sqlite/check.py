"""Looking for damage in a memory file, without changing anything; and mending what can be mended in its place."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from everfact.stores.sqlite import segments
from everfact.stores.sqlite.connection import connect, transaction, translated
from everfact.stores.sqlite.migrate import schema_of, scripts
from everfact.stores.sqlite.queue import STALE
from everfact.stores.sqlite.rows import to_micros
from everfact.stores.sqlite.salvage import mend_references
from everfact.stores.sqlite.upkeep import back_up

_MOST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What was found: damage in SQLite's own words, rows that refer to missing ones, leases that have run out."""

    schema: int
    newest_schema: int
    damage: tuple[str, ...]
    dangling: int
    stale_leases: int
    lost_segments: int
    """Files of vectors that are missing or damaged: searching is slower without them."""


def check(path: Path, now: datetime) -> Checkup:
    """Read the whole file.

    Raises:
        SchemaTooNew: a later everfact wrote it.
        StoreError: it cannot be read at all.
    """
    newest = len(scripts())
    with translated(path), closing(connect(path)) as connection:
        schema = schema_of(connection, path, newest)
        told = [line for (line,) in connection.execute(f"PRAGMA quick_check({_MOST})")]
        shelf = segments.Shelf(path)
        return Checkup(
            schema=schema,
            newest_schema=newest,
            damage=() if told == ["ok"] else tuple(map(str, told)),
            dangling=len(connection.execute("PRAGMA foreign_key_check").fetchall()),
            stale_leases=connection.execute(f"SELECT count(*) FROM leases WHERE {STALE}", {"now": to_micros(now)}).get,
            lost_segments=sum(map(shelf.is_lost, segments.all_of(connection))),
        )


def mend(path: Path, found: Checkup, now: datetime) -> Path | None:
    """Mend all but damage; answer where a copy of the file as it was is kept, if rows had to be altered."""
    kept = path.with_name(f"{path.name}.before-{now:%Y%m%dT%H%M%S}") if found.dangling else None
    with translated(path), closing(connect(path)) as connection:
        if kept is not None:
            back_up(connection, kept)
            connection.execute("PRAGMA foreign_keys = OFF")
            transaction(connection, "BEGIN IMMEDIATE", mend_references)
        drop = f"DELETE FROM leases WHERE {STALE}"
        transaction(connection, "BEGIN IMMEDIATE", lambda c: c.execute(drop, {"now": to_micros(now)}).fetchall())
        shelf = segments.Shelf(path)
        transaction(connection, "BEGIN IMMEDIATE", lambda c: segments.drop_lost(c, shelf))
    return kept

"""Looking for damage in a memory file, without changing anything; and dropping leases that nobody holds any more."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from everfact.stores.sqlite.connection import connect, transaction, translated
from everfact.stores.sqlite.rows import to_micros

_MOST = 10
_STALE = "deadline <= :now OR granted_at > :now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What was found: damage in SQLite's own words, rows that refer to missing ones, leases that have run out."""

    damage: tuple[str, ...]
    dangling: int
    stale_leases: int


def check(path: Path, now: datetime) -> Checkup:
    """Read the whole file.

    Raises:
        StoreError: it cannot be read at all.
    """
    with translated(path), closing(connect(path)) as connection:
        told = [line for (line,) in connection.execute(f"PRAGMA quick_check({_MOST})")]
        return Checkup(
            damage=() if told == ["ok"] else tuple(map(str, told)),
            dangling=len(connection.execute("PRAGMA foreign_key_check").fetchall()),
            stale_leases=connection.execute(f"SELECT count(*) FROM leases WHERE {_STALE}", {"now": to_micros(now)}).get,
        )


def drop_stale_leases(path: Path, now: datetime) -> int:
    """Let go of what workers held that have died; answer how many leases."""
    with translated(path), closing(connect(path)) as connection:
        drop = f"DELETE FROM leases WHERE {_STALE}"
        return transaction(
            connection, "BEGIN IMMEDIATE", lambda c: (c.execute(drop, {"now": to_micros(now)}), c.changes())[1]
        )

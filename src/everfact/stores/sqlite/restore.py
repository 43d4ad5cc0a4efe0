"""Putting a backup in the place of a memory, through SQLite itself: others see the old one or the new, never a mix."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from pathlib import Path

import apsw

from everfact.errors import StoreCorrupt, UsageError
from everfact.stores.sqlite.connection import connect, is_foreign, translated
from everfact.stores.sqlite.migrate import migrate, schema_of, scripts
from everfact.stores.sqlite.upkeep import back_up

FILES = ("", "-wal", "-shm")
"""What the names of a memory's files end with."""


def restore(source: Path, target: Path, now: datetime) -> Path | None:
    """Make `target` a copy of `source`, checked before and brought to the present schema; answer what was kept, if any.

    Raises:
        UsageError: there is no such backup.
        StoreCorrupt: the backup is damaged, or no memory; nothing was changed.
        SchemaTooNew: a later everfact wrote it; nothing was changed.
    """
    if not source.is_file():
        raise UsageError(f"there is no file {source}", hint="name a file that `everfact backup` wrote")
    if target.exists() and source.samefile(target):
        raise UsageError(f"{source} is the memory itself", hint="name a file that `everfact backup` wrote")
    with translated(source), closing(apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)) as given:
        _require_sound(given, source)
        kept = _set_aside(target, now)
        put(given, target)
    return kept


def put(given: apsw.Connection, target: Path) -> None:
    """Make `target` a copy of what is given, and bring it to the present schema."""
    with translated(target), closing(connect(target)) as live:
        if is_foreign(live):
            raise StoreCorrupt(f"{target} is some other program's database", hint="name another with --store")
        with live.backup("main", given, "main") as copying:
            copying.step()
        migrate(live, target, scripts())


def _require_sound(given: apsw.Connection, source: Path) -> None:
    if schema_of(given, source, len(scripts())) == 0:
        raise StoreCorrupt(f"{source} is empty", hint="name a file that `everfact backup` wrote")
    verdict = given.execute("PRAGMA quick_check(1)").get
    if verdict != "ok":
        raise StoreCorrupt(f"{source} is damaged: {verdict}", hint="restore an older backup")


def _set_aside(target: Path, now: datetime) -> Path | None:
    """Keep a copy of what is there; what is too damaged for that is moved away as it is."""
    if not target.exists():
        return None
    kept = target.with_name(f"{target.name}.before-{now:%Y%m%dT%H%M%S}")
    try:
        with translated(target), closing(connect(target)) as live:
            back_up(live, kept)
    except StoreCorrupt:
        for ending in FILES:
            part = target.with_name(target.name + ending)
            if part.exists():
                part.rename(kept.with_name(kept.name + ending))
    return kept

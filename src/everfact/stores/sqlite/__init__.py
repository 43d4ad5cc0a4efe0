"""The default store: SQLite through apsw, in one file."""

from everfact.stores.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore"]

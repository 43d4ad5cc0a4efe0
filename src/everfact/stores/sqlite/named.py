"""Small named values: an offset, a watermark."""

from __future__ import annotations

import apsw


def state(connection: apsw.Connection, name: str) -> str | None:
    """A small named value."""
    value: str | None = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).get
    return value


def set_state(connection: apsw.Connection, name: str, value: str | None) -> None:
    """Keep a small named value, or drop it with None."""
    if value is None:
        connection.execute("DELETE FROM state WHERE name = ?", (name,))
    else:
        connection.execute("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", (name, value))


def swap_state(connection: apsw.Connection, name: str, old: str | None, new: str | None) -> bool:
    """Keep `new` if `old` is what is kept; answer whether it was."""
    is_still = state(connection, name) == old
    if is_still:
        set_state(connection, name, new)
    return is_still

"""The only reader of time and maker of randomness, so that tests can give both."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from uuid import UUID


def now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """A new UUID of version 7: unique everywhere, and later ones sort after earlier ones."""
    milliseconds = time.time_ns() // 1_000_000
    number = milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | secrets.randbits(62)
    return str(UUID(int=number))


def new_secret() -> str:
    """256 random bits as letters, digits, - and _."""
    return secrets.token_urlsafe(32)

"""How far a long run has come, for a person who watches."""

from __future__ import annotations

import sys


def progress(what: str, done: int, total: int) -> None:
    """Say it on stderr if that is a terminal, on one line."""
    if sys.stderr.isatty():
        print(f"\r{what} {done}/{total}", end="" if done < total else "\n", file=sys.stderr, flush=True)

"""Bearer tokens: who may do what over HTTP. Kept in one file of the user's, hashed, without the MCP SDK.

A token is 256 random bits, so a plain SHA-256 keeps it safe: nobody can try that many, and a slow hash, which
protects guessable passwords, would only slow down every request.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from everfact import clock
from everfact.draft import check_group
from everfact.errors import ConfigError, NotFound, UsageError

FILE_NAME = "tokens.json"
PREFIX = "evf_"
"""Marks a token as one of ours, for people and for scanners that look for leaked secrets."""

_VERSION = 1
_NAME_LENGTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What one token allows; of the token itself only its hash is known."""

    name: str
    digest: str
    groups: tuple[str, ...] | None
    """The groups it can see, its default group first; None is all of them."""
    may_write: bool
    created_at: datetime


class TokenFile:
    """The tokens of one user. Every process may read and change the file at any time; nobody sees half a change."""

    def __init__(self, path: Path, *, now: Callable[[], datetime] = clock.now) -> None:
        self.path = path
        self._now = now
        self._seen: tuple[tuple[int, ...] | None, tuple[Token, ...]] = (None, ())

    def all(self) -> tuple[Token, ...]:
        """Every token, the oldest first; the file is read only when it has changed.

        Raises:
            ConfigError: the file cannot be read.
        """
        mark = self._mark()
        if mark is None or mark != self._seen[0]:
            self._seen = (mark, self._read())
        return self._seen[1]

    def create(self, name: str, *, groups: Sequence[str] | None, may_write: bool) -> str:
        """Make a token and answer with it; it cannot be shown again.

        Raises:
            UsageError: the name is taken or empty, or a group is no name of a group.
        """
        if not name.strip() or len(name) > _NAME_LENGTH or not name.isprintable():
            raise UsageError(f"{name[:40]!r} is no name of a token", hint=f"use 1 to {_NAME_LENGTH} characters")
        if groups is not None and not groups:
            raise UsageError("a token needs at least one group", hint="name groups, or allow all of them")
        for group in groups or ():
            check_group(group)
        secret = PREFIX + clock.new_secret()
        token = Token(
            name=name,
            digest=_digest(secret),
            groups=None if groups is None else tuple(dict.fromkeys(groups)),
            may_write=may_write,
            created_at=self._now(),
        )
        with self._locked():
            known = self._read()
            if any(other.name == name for other in known):
                raise UsageError(f"there is a token called {name} already", hint="revoke it, or choose another name")
            self._write((*known, token))
        return secret

    def revoke(self, name: str) -> Token:
        """Make a token worthless from now on, also for servers that run.

        Raises:
            NotFound: no token is called that.
        """
        with self._locked():
            known = self._read()
            gone = [token for token in known if token.name == name]
            if not gone:
                raise NotFound(f"no token is called {name}", hint="everfact token list shows them")
            self._write(tuple(token for token in known if token.name != name))
        return gone[0]

    def find(self, secret: str) -> Token | None:
        """The token that this is; None if it is none of ours. Takes as long for a near miss as for a wild guess."""
        digest, found = _digest(secret), None
        for token in self.all():
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found

    def _mark(self) -> tuple[int, ...] | None:
        """What tells one state of the file from another; None when there is no file."""
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return (stat.st_ino, stat.st_mtime_ns, stat.st_size)

    def _read(self) -> tuple[Token, ...]:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be read: {error.strerror}") from error
        try:
            table = json.loads(data)
            if table["version"] != _VERSION:
                raise ConfigError(f"{self.path} was written by a later version", hint="upgrade everfact")
            return tuple(_parse(row) for row in table["tokens"])
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{self.path} is damaged", hint="remove it and create the tokens anew") from error

    def _write(self, tokens: Sequence[Token]) -> None:
        table = {"version": _VERSION, "tokens": [_plain(token) for token in tokens]}
        handle, name = tempfile.mkstemp(prefix=".tokens-", dir=self.path.parent)  # 0600 from the start
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(table, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        finally:
            with suppress(OSError):  # after success there is nothing left under that name
                Path(name).unlink()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the file: a change reads, edits and replaces it, and a second one waits for the first.

        Raises:
            ConfigError: the folder cannot be written to.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(handle)
                yield
            finally:
                os.close(handle)  # which gives the lock back
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be written: {error.strerror}") from error


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(token: Token) -> dict[str, object]:
    return {
        "name": token.name,
        "sha256": token.digest,
        "groups": None if token.groups is None else list(token.groups),
        "may_write": token.may_write,
        "created_at": token.created_at.isoformat(),
    }


def _parse(row: dict[str, object]) -> Token:
    groups = row["groups"]
    if not isinstance(groups, list | None) or not isinstance(row["may_write"], bool):
        raise TypeError("not a token")
    return Token(
        name=str(row["name"]),
        digest=str(row["sha256"]),
        groups=None if groups is None else tuple(str(group) for group in groups),
        may_write=row["may_write"],
        created_at=datetime.fromisoformat(str(row["created_at"])),
    )

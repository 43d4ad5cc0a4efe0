"""The file and who talks to it: one writing connection, a few reading ones, each in a thread of its own.

Also the one place where SQLite's exceptions become ours.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import apsw

from everfact.errors import StoreCorrupt, StoreError, StoreUnavailable, UsageError

T = TypeVar("T")

log = logging.getLogger(__name__)

APPLICATION_ID = 0x65766661  # "evfa": tells a memory from any other SQLite file
_READERS = 3
BUSY_SECONDS = 30.0
"""How long to wait for the turn of another process."""
# FULL syncs the log at every commit: what was acknowledged survives a power cut. NORMAL does not.
_PRAGMAS = """
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA cache_size = -8000;
    PRAGMA journal_size_limit = 67108864;
"""

# Here SQLite may not even notice: the log's index is shared memory, and two machines do not share theirs.
_NETWORK_MOUNTS = {"9p", "afs", "beegfs", "cifs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"} | {
    f"fuse.{kind}" for kind in ("glusterfs", "rclone", "s3fs", "sshfs")
}
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")  # how it writes blanks and backslashes


class Snapshot:
    """One state of the file, for whoever reads it in the thread that holds it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` here and now."""
        return work(self._connection)


class Database:
    """One SQLite file, open."""

    def __init__(self, path: Path, *, vfs: str | None = None, patience: float = BUSY_SECONDS) -> None:
        self.path = path
        self._vfs = vfs
        self._patience = patience
        self._closed = False
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="everfact-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="everfact-read")
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._loops: list[asyncio.Runner] = []

    async def write(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` in one transaction that is on disk when this returns, and leaves nothing behind if it fails."""
        return await self._run(self._writer, transaction, "BEGIN IMMEDIATE", work)

    async def note(self, work: Callable[[apsw.Connection], T]) -> T:
        """Like `write`, but a power cut may take it back as a whole, until anything is written: for what can be redone.

        The sync that is saved costs more than most transactions.
        """
        return await self._run(self._writer, unsynced, "BEGIN IMMEDIATE", work)

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` on one consistent state of the file; writers are not held up."""
        return await self._run(self._readers, transaction, "BEGIN", work)

    async def read_all(self, work: Callable[[Snapshot], Coroutine[Any, Any, T]]) -> T:
        """Run `work`, which reads many times, on one consistent state of the file, in one thread."""
        return await self._run(
            self._readers, transaction, "BEGIN", lambda connection: self._loop().run(work(Snapshot(connection)))
        )

    async def alone(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` on the writing connection outside any transaction (backup, vacuum, migrations)."""
        return await self._run(self._writer, lambda connection, _, work: work(connection), "", work)

    async def close(self) -> None:
        """Wait for what is running, then let go of the file."""
        self._closed = True
        await asyncio.to_thread(self._shut)

    async def _run(
        self,
        threads: ThreadPoolExecutor,
        wrap: Callable[[apsw.Connection, str, Callable[[apsw.Connection], T]], T],
        begin: str,
        work: Callable[[apsw.Connection], T],
    ) -> T:
        if self._closed:
            raise StoreError(f"the memory at {self.path} is closed")

        def job() -> T:
            with translated(self.path):
                return wrap(self._connection(), begin, work)

        return await asyncio.get_running_loop().run_in_executor(threads, job)

    def _connection(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect(self.path, vfs=self._vfs, patience=self._patience)
            self._connections.append(connection)
        return connection

    def _loop(self) -> asyncio.Runner:
        """What this thread runs coroutines with."""
        loop: asyncio.Runner | None = getattr(self._local, "loop", None)
        if loop is None:
            loop = self._local.loop = asyncio.Runner()
            self._loops.append(loop)
        return loop

    def _shut(self) -> None:
        self._writer.shutdown()
        self._readers.shutdown()
        while self._loops:
            self._loops.pop().close()
        while self._connections:
            self._connections.pop().close()


def connect(path: Path, *, vfs: str | None = None, patience: float = BUSY_SECONDS) -> apsw.Connection:
    """Open the file as every connection must: waiting its turn, write-ahead log, full sync."""
    require_local(path)
    if path.is_dir():
        raise StoreError(f"{path} is a folder", hint="name a file in it: --store sqlite:////folder/memory.db")
    try:
        connection = _open(path, vfs, patience)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection = _open_frozen(path, vfs)
    connection.set_busy_handler(_Patience(patience))
    if not connection.readonly("main") and not is_foreign(connection):
        mode = _share(connection, patience)
        if mode != "wal":
            connection.close()
            raise StoreError(
                f"{path} lies on a file system that cannot share a memory between processes (journal mode {mode!r})",
                hint="keep the memory on a local disk: --store sqlite:////local/path/memory.db",
            )
    connection.execute(_PRAGMAS)
    # Otherwise SQLite plans a statement anew for every value that might decide whether a partial index serves.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    return connection


def is_foreign(connection: apsw.Connection) -> bool:
    """Whether the file is some other program's database; then nothing of it may be changed."""
    # In this order: somebody may be making the file now, and whoever sees the tables then sees the owner, too.
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").get
    owner: int = connection.execute("PRAGMA application_id").get
    return owner != APPLICATION_ID and tables > 0


def _share(connection: apsw.Connection, seconds: float) -> str:
    """Switch to the write-ahead log. SQLite does not wait its turn for that when several make a file at once."""
    patience, tries = _Patience(seconds), 0
    while True:
        try:
            mode: str = connection.execute("PRAGMA journal_mode = WAL").get
        except apsw.BusyError:
            if not patience(tries):
                raise
            tries += 1
        else:
            return mode


def _open(path: Path, vfs: str | None, patience: float) -> apsw.Connection:
    # Created here and not by SQLite, so that no other user can read it; the log files take the same mode. A file that
    # is there is not opened here: closing it again would drop the locks that other connections of ours hold on it.
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
    connection.set_busy_handler(_Patience(patience))
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # the first read opens the log
    return connection


def _open_frozen(path: Path, vfs: str | None) -> apsw.Connection:
    """A file in a folder where not even the log's index can be made: readable if no log waits beside it."""
    log_file = path.with_name(path.name + "-wal")
    if not path.exists() or (log_file.exists() and log_file.stat().st_size > 0):
        raise StoreUnavailable(
            f"{path} cannot be opened", hint="check that the folder exists and that you may read and write it"
        )
    uri = f"file:{path.as_posix().replace('%', '%25').replace('?', '%3f').replace('#', '%23')}?immutable=1"
    return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, vfs=vfs)


def require_local(path: Path, *, mounts: Path = _MOUNTS) -> None:
    """Refuse a file on a network mount, where the system can tell (Linux).

    Raises:
        StoreError: the file lies on a network mount.
    """
    if not mounts.exists():
        return
    kind = _mounted_as(path.resolve(), os.fsdecode(mounts.read_bytes()))
    if kind in _NETWORK_MOUNTS:
        raise StoreError(
            f"{path} lies on a network file system ({kind}), where processes cannot share a memory safely",
            hint="keep the memory on a local disk: --store sqlite:////local/path/memory.db",
        )


def _mounted_as(path: Path, mounts: str) -> str:
    """The type of the mount that holds `path`: the longest mount point above it, the last one mounted there."""
    best, kind = Path(), ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        point = Path(_ESCAPED.sub(lambda octal: chr(int(octal[1], 8)), fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= len(best.parts):
            best, kind = point, fields[fields.index("-") + 1]
    return kind


class _Patience:
    """Waits for another process's turn to end: short, uneven naps, so that waiting writers do not march in step."""

    def __init__(self, seconds: float = BUSY_SECONDS) -> None:
        self._seconds = seconds
        self._since = 0.0

    def __call__(self, prior_calls: int) -> bool:
        if prior_calls == 0:
            self._since = time.monotonic()
        if time.monotonic() - self._since > self._seconds:
            return False
        time.sleep(random.uniform(0.0002, 0.002))  # noqa: S311 - no secret hangs on it
        return True


def transaction(connection: apsw.Connection, begin: str, work: Callable[[apsw.Connection], T]) -> T:
    """Run `work` between `begin` and a commit; if it fails, nothing of it is left."""
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:  # SQLite itself rolls back after some errors
            connection.execute("ROLLBACK")
    return result


def unsynced(connection: apsw.Connection, begin: str, work: Callable[[apsw.Connection], T]) -> T:
    """A transaction that leaves the sync of the log to the next one."""
    level: int = connection.execute("PRAGMA synchronous").get
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        return transaction(connection, begin, work)
    finally:
        connection.execute(f"PRAGMA synchronous = {level:d}")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's exceptions into ours, with a word on what to do."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise StoreUnavailable(
            f"{path} is busy",
            hint="another process holds it; try again when it is done",
        ) from error
    except apsw.FullError as error:
        raise StoreUnavailable(
            f"the disk of {path} is full", hint="free some space and try again; nothing already stored is lost"
        ) from error
    except apsw.ReadOnlyError as error:
        raise StoreError(
            f"{path} is read-only", hint="it can be searched; to add, make file and folder writable"
        ) from error
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        raise StoreCorrupt(
            f"{path} is damaged or no memory file ({error})",
            hint="keep the file as it is, restore a backup, or open another one with --store",
        ) from error
    except apsw.CantOpenError as error:
        raise StoreUnavailable(
            f"{path} cannot be opened", hint="check that the folder exists and that you may read and write it"
        ) from error
    except apsw.IOError as error:
        raise StoreUnavailable(f"reading or writing {path} failed ({error})", hint="check the disk") from error
    except apsw.Error as error:
        raise StoreError(
            f"SQLite refused: {error}", hint="check with `everfact doctor` whether the file is damaged"
        ) from error
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the text holds half of a surrogate pair at character {error.start}",
            hint="send well-formed Unicode",
        ) from error
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be reached: {error.strerror}", hint="check the path") from error

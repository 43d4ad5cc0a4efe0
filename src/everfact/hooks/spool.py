"""Work that waits for a process of its own: one file a job, on disk before the hook answers; and who works it off."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

TRIES = 5
_OLD = 3600.0
_FORGOTTEN = 30 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be done, for which memory. It says where things are, never what is in them."""

    kind: str
    """`capture` a session, or `index` the commits of a project."""
    store: str
    group: str = ""
    """Empty: that of the project."""
    folder: str = ""
    client: str = ""
    session_id: str = ""
    transcript: str = ""
    attempts: int = 0
    error: str = ""

    @property
    def name(self) -> str:
        """The file it is kept in: the same job, put again, waits once."""
        parts = (self.store, self.group, self.session_id or self.transcript or self.folder)
        return f"{self.kind}-{hashlib.sha256(chr(0).join(parts).encode('utf-8', 'replace')).hexdigest()[:24]}.json"


class Spool:
    """A folder of jobs: those that wait, those that somebody is at, and those that were given up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._waiting, self._taken, self._parked = (folder / name for name in ("waiting", "taken", "parked"))
        self._turns = folder / "turns"

    @classmethod
    def of_this_user(cls) -> Spool:
        """The one that all hooks of this user share."""
        from everfact.config import Places

        return cls(Places.of_this_user().data_dir / "spool")

    def knows(self, job: Job) -> bool:
        """Whether that job waits, is being done, or was given up."""
        return any((folder / job.name).exists() for folder in (self._waiting, self._taken, self._parked))

    def put(self, job: Job) -> None:
        """Keep a job, durably.

        Raises:
            OSError: it cannot be kept.
        """
        _write(self._waiting / job.name, json.dumps(asdict(job)))

    def count_turn(self, session_id: str) -> int:
        """One more turn of the session waits; answer how many do."""
        counter = self._counter(session_id)
        count = int(text) + 1 if (text := _read(counter).strip()).isdecimal() else 1
        _write(counter, str(count), sync=False)
        return count

    def forget_turns(self, session_id: str) -> None:
        """None waits any more."""
        self._counter(session_id).unlink(missing_ok=True)

    def waiting(self) -> list[Path]:
        """The jobs that wait; those that failed before come last."""
        return sorted(_files(self._waiting), key=lambda path: (_job(path).attempts, _modified(path)))

    def parked(self) -> list[Job]:
        """The jobs that were given up."""
        return [_job(path) for path in _files(self._parked)]

    def take(self, path: Path) -> Job | None:
        """Begin a job; None if it cannot be read, and then it is given up.

        The attempt counts at once, so that a job which kills its process is given up, too.
        """
        job = _job(path)
        if not job.kind:
            self._parked.mkdir(mode=0o700, exist_ok=True)
            path.replace(self._parked / path.name)
            return None
        job = replace(job, attempts=job.attempts + 1)
        _write(self._taken / path.name, json.dumps(asdict(job)))
        path.unlink(missing_ok=True)
        return job

    def done(self, job: Job) -> None:
        """It is done; what was given up of the same before is done with it."""
        for folder in (self._taken, self._parked):
            (folder / job.name).unlink(missing_ok=True)

    def failed(self, job: Job, error: str) -> None:
        """It failed: it waits again, or is given up."""
        folder = self._parked if job.attempts >= TRIES else self._waiting
        if not (self._waiting / job.name).exists():  # else somebody has put it again meanwhile
            _write(folder / job.name, json.dumps(asdict(replace(job, error=error))))
        (self._taken / job.name).unlink(missing_ok=True)

    def recover(self) -> None:
        """Have the jobs wait again that somebody was at who is no more. Only for who holds the lock."""
        for counter in _files(self._turns):
            if time.time() - _modified(counter) > _FORGOTTEN:
                counter.unlink(missing_ok=True)
        for partial in self._taken.glob(".*"):  # left by whoever was killed while writing it
            partial.unlink(missing_ok=True)
        for path in _files(self._taken):
            self.failed(_job(path), "the process that was at it ended")

    def retry(self) -> int:
        """Have what was given up wait again; answer how many jobs."""
        jobs = self.parked()
        for job in jobs:
            self.put(replace(job, attempts=0))
            (self._parked / job.name).unlink(missing_ok=True)
        return len(jobs)

    def trouble(self) -> str:
        """What a person should know, in one line; empty if all is well."""
        if parked := len(_files(self._parked)):
            return f"{parked} captured sessions or indexes failed; everfact doctor tells more"
        stuck = [path for path in _files(self._waiting) if time.time() - _modified(path) > _OLD]
        if stuck:
            return f"{len(stuck)} sessions or indexes wait since long; everfact doctor tells more"
        if self.folder.exists() and not os.access(self.folder, os.W_OK | os.X_OK):
            return f"sessions cannot be captured: {self.folder} is not writable"
        return ""

    @contextmanager
    def locked(self) -> Iterator[bool]:
        """Whether nobody else works the jobs off; if so, nobody else does while the block lasts."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            yield _lock(handle)
        finally:
            os.close(handle)  # which gives the lock back

    def _counter(self, session_id: str) -> Path:
        return self._turns / hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()[:24]


def _lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _write(path: Path, text: str, *, sync: bool = True) -> None:
    """Put a file in its place whole; with `sync` it is on disk then."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
    handle = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        partial.replace(path)
    finally:
        with suppress(OSError):  # after success there is nothing left under that name
            partial.unlink()
    if sync and sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _files(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError:
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _job(path: Path) -> Job:
    """The job in a file; one that cannot be read is of no kind, and fails."""
    try:
        kept = json.loads(_read(path))
        return Job(**{part.name: kept[part.name] for part in fields(Job)})
    except (ValueError, TypeError, KeyError):
        return Job(kind="", store="", attempts=TRIES, error=f"{path} cannot be read")

"""A disk that can lose its power: a VFS that remembers of every file what a sync has made safe, and what it has not.

Writes go through to the real file, so a store runs on it as on any other disk. `cut` writes out, at any moment, what
the disk might hold when the power is back.
"""
# ruff: noqa: N802 - SQLite names the methods of a VFS

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import apsw

_SECTOR = 512
_TRACKED = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL

FileName: TypeAlias = "str | apsw.URIFilename"


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes put at a place."""

    offset: int
    data: bytes

    def onto(self, image: bytearray) -> None:
        """Do it."""
        image.extend(bytes(max(0, self.offset - len(image))))
        image[self.offset : self.offset + len(self.data)] = self.data

    def sectors(self) -> Iterator[Write]:
        """The same in the pieces that a disk writes whole or not at all."""
        start, end = self.offset, self.offset + len(self.data)
        while start < end:
            stop = min(end, (start // _SECTOR + 1) * _SECTOR)
            yield Write(start, self.data[start - self.offset : stop - self.offset])
            start = stop


@dataclass(frozen=True, slots=True)
class Truncate:
    """A file made shorter, or longer with zeros."""

    size: int

    def onto(self, image: bytearray) -> None:
        """Do it."""
        image.extend(bytes(max(0, self.size - len(image))))
        del image[self.size :]


@dataclass(slots=True)
class _Tracked:
    """One file: what is safe of it, and what was done to it since, in order."""

    durable: bytearray
    is_named: bool
    """Its name is safe too: the folder was synced since the file was made."""
    unsynced: list[Write | Truncate] = field(default_factory=list)

    def sync(self) -> None:
        for step in self.unsynced:
            step.onto(self.durable)
        self.unsynced.clear()

    def survivor(self, rng: random.Random) -> bytearray:
        """What is safe and a part of the rest; at times none of the rest, at times all of it."""
        image = bytearray(self.durable)
        share = rng.choice((0.0, rng.random(), rng.random(), 1.0))
        for step in self.unsynced:
            if rng.random() >= share:
                continue
            if isinstance(step, Write) and share < 1.0 and rng.random() < 0.3:
                torn = [sector for sector in step.sectors() if rng.random() < 0.5]
                for sector in torn:
                    sector.onto(image)
            else:
                step.onto(image)
        return image


class PowerCutVFS(apsw.VFS):
    """The disk. `before_event` is called before each write, truncation, sync and deletion, and may `cut`."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.before_event: Callable[[], None] = lambda: None
        self.happening = threading.RLock()
        """Held while a step is done, so that a cut sees all of it or nothing."""
        self._files: dict[Path, _Tracked] = {}
        self._lingering: dict[Path, bytes] = {}
        """Deleted files, as long as the folder has not been synced: they may be back after a cut."""

    def xOpen(self, name: FileName | None, flags: list[int]) -> apsw.VFSFile:
        if name is None or not flags[0] & _TRACKED:
            return super().xOpen(name, flags)
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        with self.happening:
            if path not in self._files:
                found = path.exists()
                self._files[path] = _Tracked(bytearray(path.read_bytes() if found else b""), is_named=found)
            return _PowerCutFile(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        with self.happening:
            self.before_event()
            super().xDelete(filename, syncdir)
            gone = self._files.pop(Path(filename), None)
            if gone is not None and gone.is_named:
                self._lingering[Path(filename)] = bytes(gone.durable)
            if syncdir:
                self._sync_folder()

    def cut(self, target: Path, rng: random.Random) -> None:
        """Write out what a power cut at this moment may leave; the log's index, being shared memory, is gone."""
        target.mkdir()
        with self.happening:
            for path, tracked in self._files.items():
                if tracked.is_named or rng.random() < 0.5:
                    (target / path.name).write_bytes(tracked.survivor(rng))
            for path, image in self._lingering.items():
                if not (target / path.name).exists() and rng.random() < 0.5:
                    (target / path.name).write_bytes(image)

    def did(self, path: Path, step: Write | Truncate) -> None:
        """Remember a step that no sync has made safe yet."""
        self._files[path].unsynced.append(step)

    def synced(self, path: Path) -> None:
        """Make a file safe. With a log or journal that it has just made, SQLite syncs the folder too."""
        self._files[path].sync()
        if not self._files[path].is_named:
            self._sync_folder()

    def _sync_folder(self) -> None:
        self._lingering.clear()
        for tracked in self._files.values():
            tracked.is_named = True


class _PowerCutFile(apsw.VFSFile):
    def __init__(self, disk: PowerCutVFS, path: Path, name: FileName, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._path = path

    def xWrite(self, data: bytes, offset: int) -> None:
        with self._disk.happening:
            self._disk.before_event()
            super().xWrite(data, offset)
            self._disk.did(self._path, Write(offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        with self._disk.happening:
            self._disk.before_event()
            super().xTruncate(newsize)
            self._disk.did(self._path, Truncate(newsize))

    def xSync(self, flags: int) -> None:
        with self._disk.happening:
            self._disk.before_event()
            self._disk.synced(self._path)  # the real file need not be: only what `cut` writes counts

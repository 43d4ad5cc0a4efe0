"""Disks that fail: one that runs full or refuses writes and syncs, and one that cannot share memory."""
# ruff: noqa: N802 - SQLite names the methods of a VFS

from __future__ import annotations

import os

import apsw
from tests.faults.powercut import FileName


class FaultyVFS(apsw.VFS):
    """A disk that works, until one of its faults is set."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.room: int | None = None
        """How many bytes files may still grow by; None: as many as they like."""
        self.write_error: int = apsw.SQLITE_OK
        self.sync_error: int = apsw.SQLITE_OK

    def xOpen(self, name: FileName | None, flags: list[int]) -> apsw.VFSFile:
        return _FaultyFile(self, name, flags)


class _FaultyFile(apsw.VFSFile):
    def __init__(self, disk: FaultyVFS, name: FileName | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:
        _fail(self._disk.write_error)
        if self._disk.room is not None:
            growth = max(0, offset + len(data) - self.xFileSize())
            if growth > self._disk.room:
                _fail(apsw.SQLITE_FULL)
            self._disk.room -= growth
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        _fail(self._disk.sync_error)
        super().xSync(flags)


def _fail(code: int) -> None:
    if code != apsw.SQLITE_OK:
        raise apsw.exception_for(code)


class RemoteVFS(apsw.VFS):
    """A disk as a network mount can be: files, but no memory that two processes share."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")

    def xOpen(self, name: FileName | None, flags: list[int]) -> apsw.VFSFile:
        assert name is not None
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        return _RemoteFile(path, flags)  # type: ignore[return-value] # apsw takes any object with the methods


class _RemoteFile:
    """Not made from a `VFSFile`, so SQLite finds no shared memory in it."""

    def __init__(self, path: str, flags: list[int]) -> None:
        create = os.O_CREAT if flags[0] & apsw.SQLITE_OPEN_CREATE else 0
        self._descriptor = os.open(path, os.O_RDWR | create, 0o600)
        flags[1] = flags[0]

    def xRead(self, amount: int, offset: int) -> bytes:
        return os.pread(self._descriptor, amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        os.pwrite(self._descriptor, data, offset)

    def xTruncate(self, newsize: int) -> None:
        os.ftruncate(self._descriptor, newsize)

    def xFileSize(self) -> int:
        return os.fstat(self._descriptor).st_size

    def xSync(self, flags: int) -> None:
        os.fsync(self._descriptor)

    def xLock(self, level: int) -> None: ...

    def xUnlock(self, level: int) -> None: ...

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return 4096

    def xDeviceCharacteristics(self) -> int:
        return 0

    def xClose(self) -> None:
        os.close(self._descriptor)

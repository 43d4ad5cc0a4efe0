"""Index files beside the database for groups with very many vectors: immutable, made in pieces, never needed.

A row in `segments` says which vectors a file holds and what its bytes add up to. A file that is missing or does not add
up is not used, and its vectors are compared one by one, as the newest ones are. Rows without a file and files without a
row are cleared away by the next piece of upkeep.
"""

from __future__ import annotations

import logging
import os
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from everfact.clock import new_id
from everfact.errors import StoreUnavailable
from everfact.stores.sqlite.rows import Row, to_micros
from everfact.stores.sqlite.where import GROUP_SPAN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from usearch.index import Index

log = logging.getLogger(__name__)

MOST_UNCOVERED = 50_000
"""With more vectors outside of segments than this, a group is worth a piece of work; below it none is."""
_MOST_ROWS = 250_000
"""A segment grows until it has so many vectors; then the next one begins. Building one takes 0.1 GB of memory."""
_LEASE = timedelta(minutes=15)
_CONNECTIVITY, _EXPANSION_ADD, _EXPANSION_SEARCH = 16, 64, 128
_ENDING = ".usearch"
_COLUMNS = "name, model_no, thing, group_no, after, through, count, size, checksum"


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one model for one kind of thing in one group."""

    model_no: int
    thing: str
    group_no: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A file and the vectors it holds: those of its set with ids after `after` up to `through`."""

    name: str
    model_no: int
    thing: str
    group_no: int
    after: int
    through: int
    count: int
    size: int
    checksum: int

    @property
    def set(self) -> VectorSet:
        """Which vectors it is about."""
        return VectorSet(self.model_no, self.thing, self.group_no)


@dataclass(frozen=True, slots=True)
class Piece:
    """Work to do: put the vectors `after` … `until` of a set into a segment, on top of `base` if there is one."""

    token: str
    of: VectorSet
    dimension: int
    base: Segment | None
    after: int
    until: int | None


class Shelf:
    """The files of one memory, as far as this process has opened them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._open: dict[str, Index | None] = {}

    def file(self, name: str, *, partial: bool = False) -> Path:
        """Where the segment of that name lies, or is being written."""
        return self._path.with_name(f"{self._prefix}{name}{_ENDING}{'.partial' if partial else ''}")

    def view(self, segment: Segment) -> Index | None:
        """The segment's index, mapped into memory, or None if the file is missing or damaged."""
        with self._lock:
            if segment.name not in self._open:
                self._open[segment.name] = self._checked(segment)
            return self._open[segment.name]

    def is_lost(self, segment: Segment) -> bool:
        """Whether the file is missing or damaged. Damage is looked for once: it is there from the beginning."""
        return not self.file(segment.name).exists() or self.view(segment) is None

    def keep_only(self, kept: Iterable[Segment], of: VectorSet) -> None:
        """Let go of the files that are segments of that set no longer."""
        names = {segment.name for segment in kept}
        with self._lock:
            for name in [name for name in self._open if name.startswith(_start(of)) and name not in names]:
                del self._open[name]

    def search(self, index: Index, question: NDArray[np.int8], count: int) -> Iterator[tuple[int, float]]:
        """Text ids and cosines of about the nearest vectors."""
        with self._lock:  # its own bookkeeping of threads is not ours to rely on
            found = index.search(question, count, threads=1)
        return zip(found.keys.tolist(), (1 - found.distances).tolist(), strict=True)

    def load(self, segment: Segment) -> Index:
        """A copy in memory that can be added to."""
        from usearch.index import Index

        try:
            loaded = Index.restore(self.file(segment.name), expansion_add=_EXPANSION_ADD, enable_key_lookups=False)
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(f"{self.file(segment.name)} went away while it was wanted") from error
        assert loaded is not None
        return loaded

    def sweep(self, known: Iterable[str]) -> None:
        """Delete the files that no row speaks of.

        Raises:
            StoreUnavailable: a file cannot be deleted, since somebody has it open (on Windows).
        """
        names = {self.file(name).name for name in known}
        with self._lock:
            self._open = {name: index for name, index in self._open.items() if self.file(name).name in names}
        for file in self._path.parent.iterdir():
            is_ours = file.name.startswith(self._prefix) and _ENDING in file.name
            if is_ours and file.name not in names and not file.is_dir():
                try:
                    file.unlink(missing_ok=True)
                except PermissionError as error:
                    raise StoreUnavailable(
                        f"{file} is not needed any more, but cannot be deleted: another process has it open",
                        hint="purge again when no other process is reading",
                    ) from error

    @property
    def _prefix(self) -> str:
        return f"{self._path.name}-vectors-"

    def _checked(self, segment: Segment) -> Index | None:
        from usearch.index import Index

        file = self.file(segment.name)
        if checksum(file) != (segment.size, segment.checksum):
            log.warning("%s is missing or damaged; searching is slower until it is made again", file)
            return None
        try:
            return Index.restore(file, view=True, expansion_search=_EXPANSION_SEARCH, enable_key_lookups=False)
        except (OSError, RuntimeError):  # swept away just now, for a newer one is there
            return None


def new_index(dimension: int) -> Index:
    """An empty index for vectors as the file holds them."""
    from usearch.index import Index

    return Index(
        ndim=dimension,
        metric="cos",
        dtype="i8",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_ADD,
        enable_key_lookups=False,
    )


def checksum(file: Path) -> tuple[int, int] | None:
    """The size of a file and what its bytes add up to, or None if it cannot be read."""
    size = total = 0
    try:
        with file.open("rb") as bytes_:
            while block := bytes_.read(1 << 20):
                size, total = size + len(block), zlib.crc32(block, total)
    except OSError:
        return None
    return size, total


def save(index: Index, file: Path) -> tuple[int, int]:
    """Write an index so that nobody else can read it; answer size and checksum.

    It need not be on disk for good: should it be lost, its checksum tells.
    """
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        index.save(str(file))
    except (OSError, RuntimeError) as error:
        file.unlink(missing_ok=True)
        raise StoreUnavailable(f"{file} cannot be written ({error})", hint="is the disk full?") from error
    written = checksum(file)
    if written is None:
        raise StoreUnavailable(f"{file} went away while it was written")
    return written


def of_set(connection: apsw.Connection, of: VectorSet) -> list[Segment]:
    """The segments of a set, the oldest vectors first."""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM segments WHERE model_no = ? AND thing = ? AND group_no = ? ORDER BY after",
        (of.model_no, of.thing, of.group_no),
    )
    return [Segment(*row) for row in found]


def gaps(segments: Iterable[Segment]) -> list[tuple[int, int | None]]:
    """The ranges of ids that no segment holds, after … until; the last one has no end."""
    found: list[tuple[int, int | None]] = []
    place = 0
    for segment in segments:
        if segment.after > place:
            found.append((place, segment.after))
        place = segment.through
    return [*found, (place, None)]


def is_wanted(connection: apsw.Connection, shelf: Shelf) -> bool:
    """Whether a file is lost, or some group has so many vectors outside of segments that a piece of work pays."""
    return _crowded(connection) is not None or any(map(shelf.is_lost, all_of(connection)))


def begin(connection: apsw.Connection, shelf: Shelf, now: datetime) -> Piece | None:
    """Take the right to build, unless somebody has it, and say what to build. Rows without a sound file go first."""
    at = to_micros(now)
    busy = "SELECT 1 FROM building WHERE deadline > ? AND granted_at <= ?"
    if connection.execute(busy, (at, at)).get is not None:
        return None
    drop_lost(connection, shelf)
    crowded = _crowded(connection)
    if crowded is None:
        return None
    of, dimension = VectorSet(*crowded[:3]), crowded[3]
    segments = of_set(connection, of)
    after, until = gaps(segments)[0]
    before = next((segment for segment in segments if segment.through == after), None)
    base = before if before is not None and before.count < _MOST_ROWS else None
    token = new_id()
    connection.execute(
        "INSERT OR REPLACE INTO building (no, token, granted_at, deadline) VALUES (1, ?, ?, ?)",
        (token, at, to_micros(now + _LEASE)),
    )
    return Piece(token, of, dimension, base, after, until)


def drop_lost(connection: apsw.Connection, shelf: Shelf) -> int:
    """Forget the segments without a sound file; answer how many."""
    lost = [segment for segment in all_of(connection) if shelf.is_lost(segment)]
    for segment in lost:
        _drop(connection, segment)
    return len(lost)


def vectors_of(connection: apsw.Connection, piece: Piece, after: int, limit: int) -> list[Row]:
    """The next vectors to put in, as id, text id and vector."""
    of, until = piece.of, (1 << 62) if piece.until is None else piece.until
    low = of.group_no * GROUP_SPAN
    return connection.execute(
        "SELECT id, text_id, vector FROM vectors NOT INDEXED WHERE id > ? AND id <= ?"
        " AND model_no = ? AND thing = ? AND text_id BETWEEN ? AND ? ORDER BY id LIMIT ?",
        (after, until, of.model_no, of.thing, low, low + GROUP_SPAN - 1, limit),
    ).fetchall()


def finish(connection: apsw.Connection, shelf: Shelf, piece: Piece, made: Segment, partial: Path) -> bool:
    """Swap the new segment in, if the right to build was not lost meanwhile; a purge takes it from everybody."""
    connection.execute("DELETE FROM building WHERE token = ?", (piece.token,))
    if not connection.changes():
        partial.unlink(missing_ok=True)
        return False
    with suppress(FileNotFoundError):  # swept away by somebody who was quicker: then the file is missing, no more
        partial.replace(shelf.file(made.name))
    if piece.base is not None:
        _drop(connection, piece.base)
    connection.execute(
        f"INSERT INTO segments ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(made.name, made.model_no, made.thing, made.group_no, made.after, made.through),
            *(made.count, made.size, made.checksum),
        ),
    )
    count_covered(connection, made.set, made.count)
    with suppress(StoreUnavailable):  # somebody has it open; the next piece of work tries again
        shelf.sweep(names(connection))
    return True


def give_up(connection: apsw.Connection, piece: Piece) -> None:
    """Let somebody else build."""
    connection.execute("DELETE FROM building WHERE token = ?", (piece.token,))


def new_name(of: VectorSet) -> str:
    """A name that no other segment of any memory has."""
    return f"{_start(of)}{new_id().replace('-', '')}"


def names(connection: apsw.Connection) -> list[str]:
    """The names of all segments."""
    return [name for (name,) in connection.execute("SELECT name FROM segments")]


def drop_holding(connection: apsw.Connection, of: VectorSet, vector_ids: Iterable[int]) -> None:
    """Forget the segments that hold vectors which are to go, and stop whoever builds one right now."""
    left = of_set(connection, of)
    for id_ in vector_ids:
        for segment in [segment for segment in left if segment.after < id_ <= segment.through]:
            _drop(connection, segment)
            left.remove(segment)
        if not left:
            break
    connection.execute("DELETE FROM building")


def count_covered(connection: apsw.Connection, of: VectorSet, more: int) -> None:
    """Keep the count of what lies in segments."""
    connection.execute(
        "UPDATE vector_counts SET covered = covered + ? WHERE model_no = ? AND thing = ? AND group_no = ?",
        (more, of.model_no, of.thing, of.group_no),
    )


def _drop(connection: apsw.Connection, segment: Segment) -> None:
    connection.execute("DELETE FROM segments WHERE name = ?", (segment.name,))
    if connection.changes():
        count_covered(connection, segment.set, -segment.count)


def all_of(connection: apsw.Connection) -> list[Segment]:
    """Every segment of the memory."""
    return [Segment(*row) for row in connection.execute(f"SELECT {_COLUMNS} FROM segments ORDER BY name")]


def _crowded(connection: apsw.Connection) -> Row | None:
    return connection.execute(
        "SELECT c.model_no, c.thing, c.group_no, m.dimension"
        " FROM vector_counts AS c JOIN models AS m ON m.no = c.model_no"
        " WHERE c.total - c.covered >= ? ORDER BY c.total - c.covered DESC LIMIT 1",
        (MOST_UNCOVERED,),
    ).fetchone()


def _start(of: VectorSet) -> str:
    return f"{of.model_no}-{of.thing}-{of.group_no}-"

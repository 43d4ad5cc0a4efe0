"""Finding by meaning: compare first, filter then.

A group's vectors are kept in memory between questions, as far as no segment (see `segments`) holds them; the best are
looked up and filtered, further ones only if too few pass.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import apsw

from everfact.models import Filter, Scored, Thing, Vector
from everfact.stores.sqlite import segments, where
from everfact.stores.sqlite.match import CONDITIONS, SOURCE, best
from everfact.stores.sqlite.rows import Row, to_json
from everfact.stores.sqlite.segments import Segment, Shelf, VectorSet
from everfact.stores.sqlite.vectors import check_dimension, whole_numbers
from everfact.stores.sqlite.where import GROUP_SPAN, Where

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from usearch.index import Index

    Gaps: TypeAlias = tuple[tuple[int, int | None], ...]
    Part: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int8]]
    """Text ids and their vectors."""

_MOST_BYTES = 128_000_000
"""So much is kept in memory at most; what is more is read from the file for each question."""
_ROWS_AT_ONCE = 2_000
_FEW = 20_000
"""So many new vectors, of any group, are looked through for those of one group; with more, it is read anew."""
_MOST_PARTS = 8
_MOST_FROM_SEGMENTS = 30_000
"""Beyond so many neighbours an index is no quicker than comparing all that pass the filter."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """Vectors in memory: those of a set that no segment holds, as of the vector `seen`, the last one in the file."""

    gaps: Gaps
    seen: int
    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(len(text_ids) for text_ids, _ in self.parts)

    @property
    def bytes(self) -> int:
        """How much memory they take."""
        return sum(matrix.nbytes for _, matrix in self.parts)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the vectors of a set are to be found: in indexes, and the rest in the file."""

    of: VectorSet
    views: list[Index]
    gaps: Gaps
    rest: int
    """How many are in none of the indexes."""


class Nearest:
    """Compares questions with vectors; holds what this process has read of them."""

    def __init__(self, shelf: Shelf, *, most_bytes: int = _MOST_BYTES) -> None:
        self.shelf = shelf
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[VectorSet, _Kept] = OrderedDict()

    def match(
        self, connection: apsw.Connection, look: tuple[Thing, str, Vector], filter_: Filter, limit: int
    ) -> list[Scored]:
        """See `Store.match_vector`."""
        thing, model, vector = look
        question = whole_numbers(vector)
        known = connection.execute("SELECT no, dimension FROM models WHERE name = ?", (model,)).fetchone()
        if known is None:
            return []
        check_dimension(model, known[1], len(vector))
        scores: dict[str, float] = {}
        for group in where.groups(connection, filter_.group_ids):
            of, chosen = VectorSet(known[0], thing, group), CONDITIONS[thing](filter_, group)
            scores |= self._match(connection, of, question, chosen, limit)
        return best(scores, limit)

    def forget(self) -> None:
        """Keep nothing in memory: something was wiped."""
        with self._lock:
            self._kept.clear()

    def _match(
        self, connection: apsw.Connection, of: VectorSet, question: NDArray[np.int8], chosen: Where, limit: int
    ) -> dict[str, float]:
        if chosen.is_narrow:
            return compare_passing(connection, of, question, chosen)
        layout = self._layout(connection, of)
        rest = self._compare_rest(connection, layout, question)
        wanted = 2 * limit + 20
        while True:
            candidates = dict(_top(rest, wanted))
            for view in layout.views:
                candidates |= dict(self.shelf.search(view, question, wanted))
            if layout.views:
                candidates = dict(nlargest(wanted, candidates.items(), key=itemgetter(1)))
            passing = _passing(connection, of, candidates, chosen)
            if len(passing) >= limit or (not layout.views and wanted >= len(rest[0])):
                return passing
            wanted *= 8
            if layout.views and wanted > _MOST_FROM_SEGMENTS:
                return compare_passing(connection, of, question, chosen)

    def _layout(self, connection: apsw.Connection, of: VectorSet) -> _Layout:
        found = segments.of_set(connection, of)
        self.shelf.keep_only(found, of)
        sound: list[Segment] = []
        views: list[Index] = []
        for segment in found:
            view = self.shelf.view(segment)
            if view is not None:
                sound.append(segment)
                views.append(view)
        total: int | None = connection.execute(
            "SELECT total FROM vector_counts WHERE model_no = ? AND thing = ? AND group_no = ?",
            (of.model_no, of.thing, of.group_no),
        ).get
        rest = (total or 0) - sum(segment.count for segment in sound)
        return _Layout(of, views, tuple(segments.gaps(sound)), rest)

    def _compare_rest(
        self, connection: apsw.Connection, layout: _Layout, question: NDArray[np.int8]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Text ids and cosines of all vectors that are in no segment."""
        import numpy as np

        if layout.rest * len(question) <= self._most_bytes:
            parts: Iterable[Part] = self._fresh(connection, layout, len(question)).parts
        else:
            parts = _blocks(_in_gaps(connection, layout.of, layout.gaps), len(question))
        compared = [(text_ids, _cosines(question, matrix)) for text_ids, matrix in parts]
        return np.concatenate([ids for ids, _ in compared]), np.concatenate([cosines for _, cosines in compared])

    def _fresh(self, connection: apsw.Connection, layout: _Layout, dimension: int) -> _Kept:
        """What is kept of a set, after reading what is new in the file."""
        of, gaps = layout.of, layout.gaps
        last: int = connection.execute("SELECT max(id) FROM vectors").get or 0
        with self._lock:
            kept = self._kept.get(of)
            if kept is not None and kept.gaps == gaps and kept.seen < last <= kept.seen + _FEW:
                newer = _part(_between(connection, of, kept.seen, None), dimension)
                kept = _Kept(gaps, last, _gathered((*kept.parts, newer)))
            # Another count: something was wiped, or has another vector now.
            is_astray = kept is not None and kept.seen == last and kept.rows != layout.rest
            if kept is None or kept.gaps != gaps or kept.seen < last or is_astray:
                kept = _Kept(gaps, last, (_part(_in_gaps(connection, of, gaps), dimension),))
            self._kept[of] = kept
            self._kept.move_to_end(of)
            while len(self._kept) > 1 and sum(entry.bytes for entry in self._kept.values()) > self._most_bytes:
                self._kept.popitem(last=False)
            return kept


def compare_passing(
    connection: apsw.Connection, of: VectorSet, question: NDArray[np.int8], chosen: Where
) -> dict[str, float]:
    """Filter first, then compare all that is left: for filters that let little pass."""
    found = connection.execute(
        f"SELECT e.uuid, e.text_id, v.vector FROM {SOURCE[Thing(of.thing)]} CROSS JOIN vectors AS v"
        f" WHERE {chosen.sql} AND v.model_no = ? AND v.thing = ? AND v.text_id = e.text_id",
        (*chosen.parameters, of.model_no, of.thing),
    )
    uuids: list[str] = []

    def rows() -> Iterator[Row]:
        for uuid, text_id, vector in found:
            uuids.append(uuid)
            yield text_id, vector

    cosines = [c for _, matrix in _blocks(rows(), len(question)) for c in _cosines(question, matrix).tolist()]
    return dict(zip(uuids, cosines, strict=True))


def _in_gaps(connection: apsw.Connection, of: VectorSet, gaps: Gaps) -> Iterator[Row]:
    """Text id and vector of all that lies in the gaps between segments."""
    if gaps == ((0, None),):
        low = of.group_no * GROUP_SPAN
        yield from connection.execute(
            "SELECT text_id, vector FROM vectors WHERE model_no = ? AND thing = ? AND text_id BETWEEN ? AND ?",
            (of.model_no, of.thing, low, low + GROUP_SPAN - 1),
        )
        return
    for after, until in gaps:
        yield from _between(connection, of, after, until)


def _between(connection: apsw.Connection, of: VectorSet, after: int, until: int | None) -> Iterator[Row]:
    low = of.group_no * GROUP_SPAN
    return connection.execute(
        "SELECT text_id, vector FROM vectors NOT INDEXED WHERE id > ? AND id <= ?"
        " AND model_no = ? AND thing = ? AND text_id BETWEEN ? AND ?",
        (after, (1 << 62) if until is None else until, of.model_no, of.thing, low, low + GROUP_SPAN - 1),
    )


def _part(rows: Iterable[Row], dimension: int) -> Part:
    """The rows as arrays that have grown in place: lists of rows would take several times the memory."""
    import numpy as np

    text_ids, vectors = array("q"), bytearray()
    for text_id, vector in rows:
        text_ids.append(text_id)
        vectors += vector
    return np.frombuffer(text_ids, np.int64), np.frombuffer(vectors, np.int8).reshape(-1, dimension)


def _gathered(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The same in few parts: the small ones put together, and with the large one when they are a quarter of it."""
    import numpy as np

    parts = tuple(part for part in parts if len(part[0])) or parts[:1]
    if len(parts) < _MOST_PARTS:
        return parts
    first, *others = parts
    newer = np.concatenate([ids for ids, _ in others]), np.concatenate([matrix for _, matrix in others])
    if len(newer[0]) * 4 < len(first[0]):
        return first, newer
    return ((np.concatenate((first[0], newer[0])), np.concatenate((first[1], newer[1]))),)


def _blocks(rows: Iterable[Row], dimension: int) -> Iterator[Part]:
    """The rows as arrays, some thousands at a time; the last block is empty."""
    import numpy as np

    rows = iter(rows)
    while True:
        block = [row for row, _ in zip(rows, range(_ROWS_AT_ONCE), strict=False)]
        text_ids, blobs = zip(*block, strict=True) if block else ((), ())
        yield np.array(text_ids, np.int64), np.frombuffer(b"".join(blobs), np.int8).reshape(-1, dimension)
        if not block:
            return


def _cosines(question: NDArray[np.int8], matrix: NDArray[np.int8]) -> NDArray[np.float32]:
    import numpy as np
    from numkong import cdist

    if not len(matrix) or not question.any():
        return np.zeros(len(matrix), np.float32)
    apart: NDArray[np.float32] = np.asarray(cdist(question[np.newaxis], matrix, "angular"), np.float32)
    alike: NDArray[np.float32] = 1 - apart[0]
    return alike


def _top(rest: tuple[NDArray[np.int64], NDArray[np.float32]], count: int) -> Iterator[tuple[int, float]]:
    import numpy as np

    text_ids, cosines = rest
    if len(cosines) > count:
        pick = np.argpartition(cosines, -count)[-count:]
        text_ids, cosines = text_ids[pick], cosines[pick]
    return zip(text_ids.tolist(), cosines.tolist(), strict=True)


def _passing(
    connection: apsw.Connection, of: VectorSet, candidates: dict[int, float], chosen: Where
) -> dict[str, float]:
    found = connection.execute(
        f"SELECT e.text_id, e.uuid FROM json_each(?) AS found CROSS JOIN {SOURCE[Thing(of.thing)]}"
        f" WHERE e.text_id = found.value AND {chosen.sql_by_key}",
        (to_json(list(candidates)), *chosen.parameters),
    )
    return {uuid: candidates[text_id] for text_id, uuid in found}

"""Finding by meaning: the vectors of items, the comparing, and what still lacks one.

A group's vectors are kept in memory between questions, as far as no segment (see `segments`) holds them; the best are
then looked up and filtered, further ones only if too few pass.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from everfact.errors import UsageError
from everfact.models import Embedding, Filter, Scored, Thing, Unembedded, Vector
from everfact.stores.sqlite import segments, where
from everfact.stores.sqlite.match import CONDITIONS, SOURCE, best
from everfact.stores.sqlite.rows import ENTITY, ENTITY_FROM, Row, to_entity, to_json
from everfact.stores.sqlite.segments import Segment, Shelf, VectorSet
from everfact.stores.sqlite.where import GROUP_SPAN, Where

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from usearch.index import Index

_MOST_BYTES = 48_000_000
"""So much is kept in memory at most; what is more is read from the file for each question."""
_AT_ONCE = 20_000
_MOST_FROM_SEGMENTS = 30_000
"""Beyond so many neighbours an index is no quicker than comparing all that pass the filter."""
_TEXT = {Thing.EPISODE: "e.content", Thing.FACT: "e.sentence"}


@dataclass(frozen=True, slots=True)
class _Kept:
    """Vectors in memory: those of a set that no segment holds, as of the vector `seen`, the last one in the file."""

    gaps: tuple[tuple[int, int | None], ...]
    seen: int
    ids: NDArray[np.int64]
    text_ids: NDArray[np.int64]
    matrix: NDArray[np.int8]


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
        question = _whole_numbers(vector)
        known = connection.execute("SELECT no, dimension FROM models WHERE name = ?", (model,)).fetchone()
        if known is None:
            return []
        _check_dimension(model, known[1], len(vector))
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
            return _compare_passing(connection, of, question, chosen)
        views, gaps = self._views(connection, of)
        rest = self._cosines(connection, of, question, gaps)
        wanted = 2 * limit + 20
        while True:
            candidates = dict(_top(rest, wanted))
            for view in views:
                candidates |= zip(*(found.tolist() for found in self.shelf.search(view, question, wanted)), strict=True)
            passing = _passing(connection, of, candidates, chosen)
            if len(passing) >= limit or (not views and wanted >= len(rest[0])):
                return passing
            wanted *= 8
            if views and wanted > _MOST_FROM_SEGMENTS:
                return _compare_passing(connection, of, question, chosen)

    def _views(
        self, connection: apsw.Connection, of: VectorSet
    ) -> tuple[list[Index], tuple[tuple[int, int | None], ...]]:
        """The indexes of a set that can be used, and the ranges of ids that none of them holds."""
        found = segments.of_set(connection, of)
        self.shelf.keep_only(found, of)
        sound: list[Segment] = []
        views: list[Index] = []
        for segment in found:
            view = self.shelf.view(segment)
            if view is not None:
                sound.append(segment)
                views.append(view)
        return views, tuple(segments.gaps(sound))

    def _cosines(
        self,
        connection: apsw.Connection,
        of: VectorSet,
        question: NDArray[np.int8],
        gaps: tuple[tuple[int, int | None], ...],
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Text ids and cosines of all vectors that are in no segment."""
        import numpy as np

        total, covered = _counts(connection, of)
        if (total - covered) * len(question) <= self._most_bytes:
            kept = self._fresh(connection, of, gaps, len(question))
            return kept.text_ids, _cosines(question, kept.matrix)
        text_ids, cosines = [], []
        for _, text, matrix in _blocks(_in_gaps(connection, of, gaps), len(question)):
            text_ids.append(text)
            cosines.append(_cosines(question, matrix))
        return np.concatenate(text_ids), np.concatenate(cosines)

    def _fresh(
        self, connection: apsw.Connection, of: VectorSet, gaps: tuple[tuple[int, int | None], ...], dimension: int
    ) -> _Kept:
        """What is kept of a set, after reading what is new in the file."""
        last = connection.execute("SELECT max(id) FROM vectors").get or 0
        with self._lock:
            kept = self._kept.get(of)
            if kept is None or kept.gaps != gaps or last - kept.seen > _AT_ONCE:
                kept = _joined(_blocks(_in_gaps(connection, of, gaps), dimension), gaps, last)
            elif last > kept.seen:
                newer = _joined(_blocks(_since(connection, of, kept.seen), dimension), gaps, last)
                kept = _together(kept, newer)
            self._kept[of] = kept
            self._kept.move_to_end(of)
            while sum(entry.matrix.nbytes for entry in self._kept.values()) > self._most_bytes and len(self._kept) > 1:
                self._kept.popitem(last=False)
            return kept


def put_vectors(connection: apsw.Connection, model: str, embeddings: Sequence[Embedding]) -> int:
    """See `Store.put_vectors`."""
    added: Counter[VectorSet] = Counter()
    kept = 0
    for embedding in embeddings:
        model_no, dimension = _model(connection, model, len(embedding.vector))
        _check_dimension(model, dimension, len(embedding.vector))
        text_id = _present_text(connection, embedding.thing, embedding.uuid, embedding.text)
        if text_id is None:
            continue
        of = VectorSet(model_no, embedding.thing, text_id // GROUP_SPAN)
        added[of] += _put(connection, of, text_id, _whole_numbers(embedding.vector).tobytes())
        kept += 1
    for of, more in added.items():
        connection.execute(
            "INSERT INTO vector_counts (model_no, thing, group_no, total, covered) VALUES (?, ?, ?, ?, 0)"
            " ON CONFLICT DO UPDATE SET total = total + excluded.total",
            (of.model_no, of.thing, of.group_no, more),
        )
    for model_no, group in {(of.model_no, of.group_no) for of in added}:
        _advance(connection, model_no, group)
    return kept


def unembedded(connection: apsw.Connection, model: str, limit: int) -> list[Unembedded]:
    """See `Store.unembedded`: the oldest first, from where all that is older has its vector."""
    model_no = connection.execute("SELECT no FROM models WHERE name = ?", (model,)).get
    found: list[Unembedded] = []
    for group, through in _behind(connection, model_no):
        if len(found) >= limit:
            break
        found += [item for _, item in _lacking(connection, model_no, group, through, limit - len(found))]
    return found


def is_behind(connection: apsw.Connection, model: str) -> bool:
    """Whether `catch_up` has something to note, and can."""
    model_no = connection.execute("SELECT no FROM models WHERE name = ?", (model,)).get
    return model_no is not None and bool(_behind(connection, model_no)) and not connection.readonly("main")


def catch_up(connection: apsw.Connection, model: str) -> None:
    """Note which groups have all their vectors, so that nobody looks through them again."""
    model_no = connection.execute("SELECT no FROM models WHERE name = ?", (model,)).get
    for group, _ in _behind(connection, model_no):
        _advance(connection, model_no, group)


def delete_of(connection: apsw.Connection, thing: str, texts: str, parameters: tuple[int | str, ...]) -> None:
    """Delete the vectors of these texts (a query for their ids), and let go of the segments that hold them."""
    doomed = f"thing = ? AND model_no IN (SELECT no FROM models) AND text_id IN ({texts})"
    ids: dict[VectorSet, list[int]] = {}
    for model_no, text_id, id_ in connection.execute(
        f"SELECT model_no, text_id, id FROM vectors WHERE {doomed}", (thing, *parameters)
    ):
        ids.setdefault(VectorSet(model_no, thing, text_id // GROUP_SPAN), []).append(id_)
    for of, gone in ids.items():
        segments.drop_holding(connection, of, gone)
        connection.execute(
            "UPDATE vector_counts SET total = total - ? WHERE model_no = ? AND thing = ? AND group_no = ?",
            (len(gone), of.model_no, of.thing, of.group_no),
        )
    connection.execute(f"DELETE FROM vectors WHERE {doomed}", (thing, *parameters))


def _put(connection: apsw.Connection, of: VectorSet, text_id: int, vector: bytes) -> int:
    """Keep one vector; answer how many more there are. Another one for the same text gets a new id."""
    key = (of.model_no, of.thing, text_id)
    same = "SELECT id, vector FROM vectors WHERE model_no = ? AND thing = ? AND text_id = ?"
    before = connection.execute(same, key).fetchone()
    if before is not None:
        if before[1] == vector:
            return 0
        segments.drop_holding(connection, of, (before[0],))
        connection.execute("DELETE FROM vectors WHERE id = ?", before[:1])
    connection.execute("INSERT INTO vectors (model_no, thing, text_id, vector) VALUES (?, ?, ?, ?)", (*key, vector))
    return int(before is None)


def _behind(connection: apsw.Connection, model_no: int | None) -> list[tuple[int, int]]:
    """The groups that may lack vectors, and up to which id they do not."""
    found: list[Row] = connection.execute(
        "SELECT g.no, coalesce(e.through, g.no * ?) FROM groups AS g"
        " LEFT JOIN embedded AS e ON e.model_no = ? AND e.group_no = g.no"
        " WHERE coalesce(e.through, g.no * ?) < g.no * ? + g.next_id ORDER BY g.no",
        (GROUP_SPAN, model_no, GROUP_SPAN, GROUP_SPAN),
    ).fetchall()
    return [(group, through) for group, through in found]


def _lacking(
    connection: apsw.Connection, model_no: int | None, group: int, through: int, limit: int
) -> list[tuple[int, Unembedded]]:
    """The oldest versions after `through` that are known now and lack a vector, with their ids."""
    lacking = (
        "e.id > ? AND e.id < ? AND e.known_to IS NULL AND NOT EXISTS (SELECT 1 FROM vectors AS v"
        " WHERE v.model_no = ? AND v.thing = ? AND v.text_id = e.text_id) ORDER BY e.id LIMIT ?"
    )
    found: list[tuple[int, Unembedded]] = []
    span = (through, (group + 1) * GROUP_SPAN, model_no)
    for thing, text in _TEXT.items():
        items = connection.execute(
            f"SELECT e.id, e.uuid, {text} FROM {SOURCE[thing]} WHERE {lacking}", (*span, thing, limit)
        )
        found += [(id_, Unembedded(thing=thing, uuid=uuid, text=words)) for id_, uuid, words in items]
    entities = connection.execute(
        f"SELECT {ENTITY}, e.id FROM {ENTITY_FROM} WHERE {lacking}", (*span, Thing.ENTITY, limit)
    )
    for row in entities:
        entity = to_entity(row)
        found.append((row[-1], Unembedded(thing=Thing.ENTITY, uuid=entity.uuid, text=entity.text)))
    return sorted(found, key=lambda item: item[0])[:limit]


def _advance(connection: apsw.Connection, model_no: int, group: int) -> None:
    """Note up to where a group lacks no vectors."""
    through = connection.execute(
        "SELECT through FROM embedded WHERE model_no = ? AND group_no = ?", (model_no, group)
    ).get
    first = _lacking(connection, model_no, group, group * GROUP_SPAN if through is None else through, 1)
    connection.execute(
        "INSERT OR REPLACE INTO embedded (model_no, group_no, through)"
        " SELECT ?, no, coalesce(?, no * ? + next_id) FROM groups WHERE no = ?",
        (model_no, first[0][0] - 1 if first else None, GROUP_SPAN, group),
    )


def _counts(connection: apsw.Connection, of: VectorSet) -> tuple[int, int]:
    row = connection.execute(
        "SELECT total, covered FROM vector_counts WHERE model_no = ? AND thing = ? AND group_no = ?",
        (of.model_no, of.thing, of.group_no),
    ).fetchone()
    return (0, 0) if row is None else (row[0], row[1])


def _in_gaps(connection: apsw.Connection, of: VectorSet, gaps: tuple[tuple[int, int | None], ...]) -> Iterator[Row]:
    """Id, text id and vector of all that lies in the gaps between segments."""
    if gaps == ((0, None),):
        low = of.group_no * GROUP_SPAN
        yield from connection.execute(
            "SELECT id, text_id, vector FROM vectors WHERE model_no = ? AND thing = ? AND text_id BETWEEN ? AND ?",
            (of.model_no, of.thing, low, low + GROUP_SPAN - 1),
        )
        return
    for after, until in gaps:
        yield from _since(connection, of, after, until)


def _since(connection: apsw.Connection, of: VectorSet, after: int, until: int | None = None) -> Iterator[Row]:
    low = of.group_no * GROUP_SPAN
    return connection.execute(
        "SELECT id, text_id, vector FROM vectors NOT INDEXED WHERE id > ? AND id <= ?"
        " AND model_no = ? AND thing = ? AND text_id BETWEEN ? AND ?",
        (after, (1 << 62) if until is None else until, of.model_no, of.thing, low, low + GROUP_SPAN - 1),
    )


def _blocks(
    rows: Iterable[Row], dimension: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]]:
    """The rows as arrays, some thousands at a time, and one empty block at the end."""
    import numpy as np

    rows = iter(rows)
    while True:
        block = [row for row, _ in zip(rows, range(_AT_ONCE), strict=False)]
        ids, texts, blobs = zip(*block, strict=True) if block else ((), (), ())
        matrix = np.frombuffer(b"".join(blobs), np.int8).reshape(-1, dimension)
        yield np.array(ids, np.int64), np.array(texts, np.int64), matrix
        if not block:
            return


def _joined(
    blocks: Iterable[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]],
    gaps: tuple[tuple[int, int | None], ...],
    seen: int,
) -> _Kept:
    import numpy as np

    ids, texts, matrices = zip(*blocks, strict=True)
    return _Kept(gaps, seen, np.concatenate(ids), np.concatenate(texts), np.concatenate(matrices))


def _together(kept: _Kept, newer: _Kept) -> _Kept:
    """Both; of two vectors of one text the newer."""
    import numpy as np

    if not len(newer.ids):
        return _Kept(kept.gaps, newer.seen, kept.ids, kept.text_ids, kept.matrix)
    stays = ~np.isin(kept.text_ids, newer.text_ids)
    pick = slice(None) if stays.all() else stays
    return _Kept(
        kept.gaps,
        newer.seen,
        np.concatenate((kept.ids[pick], newer.ids)),
        np.concatenate((kept.text_ids[pick], newer.text_ids)),
        np.concatenate((kept.matrix[pick], newer.matrix)),
    )


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


def _compare_passing(
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
            yield 0, text_id, vector

    cosines = [c for *_, matrix in _blocks(rows(), len(question)) for c in _cosines(question, matrix).tolist()]
    return dict(zip(uuids, cosines, strict=True))


def _present_text(connection: apsw.Connection, thing: Thing, uuid: str, text: str) -> int | None:
    if thing is Thing.ENTITY:
        row = connection.execute(
            f"SELECT {ENTITY}, e.text_id FROM {ENTITY_FROM} WHERE e.uuid = ? AND e.known_to IS NULL", (uuid,)
        ).fetchone()
        return row[-1] if row is not None and to_entity(row).text == text else None
    text_id: int | None = connection.execute(
        f"SELECT e.text_id FROM {SOURCE[thing]} WHERE e.uuid = ? AND e.known_to IS NULL AND {_TEXT[thing]} = ?",
        (uuid, text),
    ).get
    return text_id


def _model(connection: apsw.Connection, name: str, dimension: int) -> tuple[int, int]:
    known = "SELECT no, dimension FROM models WHERE name = ?"
    row = connection.execute(known, (name,)).fetchone()
    if row is None:
        connection.execute("INSERT INTO models (name, dimension) VALUES (?, ?)", (name, dimension))
        row = connection.last_insert_rowid(), dimension
    return row[0], row[1]


def _check_dimension(model: str, expected: int, given: int) -> None:
    if expected != given:
        raise UsageError(f"vectors of {model} have {expected} dimensions, this one has {given}")


def _whole_numbers(vector: Vector) -> NDArray[np.int8]:
    """The vector's direction, its largest part made 127: wrong by less than 0.001 in a cosine."""
    import numpy as np

    values = np.frombuffer(vector, np.float32) if vector.typecode == "f" else np.array(vector, np.float32)
    largest = np.abs(values).max(initial=0)
    if not np.isfinite(largest):
        raise UsageError("a vector holds a value that is no finite number")
    return np.round(values / largest * 127 if largest else values).astype(np.int8)

"""The vectors of items: keeping and deleting them, and what still lacks one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from everfact.errors import UsageError
from everfact.models import Embedding, Thing, Unembedded, Vector
from everfact.stores.sqlite import segments
from everfact.stores.sqlite.match import SOURCE
from everfact.stores.sqlite.rows import ENTITY, ENTITY_FROM, Row, to_entity
from everfact.stores.sqlite.segments import VectorSet
from everfact.stores.sqlite.where import GROUP_SPAN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TEXT = {Thing.EPISODE: "e.content", Thing.FACT: "e.sentence"}


def put_vectors(connection: apsw.Connection, model: str, embeddings: Sequence[Embedding]) -> int:
    """See `Store.put_vectors`."""
    added: Counter[VectorSet] = Counter()
    kept = 0
    for embedding in embeddings:
        model_no, dimension = _model(connection, model, len(embedding.vector))
        check_dimension(model, dimension, len(embedding.vector))
        text_id = _present_text(connection, embedding.thing, embedding.uuid, embedding.text)
        if text_id is None:
            continue
        of = VectorSet(model_no, embedding.thing, text_id // GROUP_SPAN)
        added[of] += _put(connection, of, text_id, whole_numbers(embedding.vector).tobytes())
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


def check_dimension(model: str, expected: int, given: int) -> None:
    """Refuse a vector that cannot be one of the model.

    Raises:
        UsageError: it has too many or too few parts.
    """
    if expected != given:
        raise UsageError(f"vectors of {model} have {expected} dimensions, this one has {given}")


def whole_numbers(vector: Vector) -> NDArray[np.int8]:
    """The vector's direction, its largest part made 127: wrong by less than 0.001 in a cosine."""
    import numpy as np

    values = np.frombuffer(vector, np.float32) if vector.typecode == "f" else np.array(vector, np.float32)
    largest = np.abs(values).max(initial=0)
    if not np.isfinite(largest):
        raise UsageError("a vector holds a value that is no finite number")
    return np.round(values / largest * 127 if largest else values).astype(np.int8)

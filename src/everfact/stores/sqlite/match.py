"""Finding by words, by meaning and by neighbourhood. Scores only; ranking is not the store's business."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from everfact.errors import UsageError
from everfact.models import Embedding, Filter, Reached, Scored, Thing, Unembedded, Vector
from everfact.stores.sqlite import where
from everfact.stores.sqlite.rows import ENTITY, ENTITY_FROM, Row, to_entity, to_json
from everfact.stores.sqlite.text import match_query, trigram_query
from everfact.stores.sqlite.where import GROUP_SPAN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CONDITIONS = {Thing.EPISODE: where.episodes, Thing.ENTITY: where.entities, Thing.FACT: where.facts}
_FROM = {
    Thing.EPISODE: "episodes AS e LEFT JOIN queue AS q ON q.episode_id = e.id",
    Thing.ENTITY: "entities AS e",
    Thing.FACT: "facts AS e",
}
_INDEX = {Thing.EPISODE: "episode_text", Thing.ENTITY: "entity_text", Thing.FACT: "fact_text"}
_EMBEDDED = {Thing.EPISODE: "e.content", Thing.FACT: "e.sentence"}


def match_text(connection: apsw.Connection, thing: Thing, text: str, filter_: Filter, limit: int) -> list[Scored]:
    """See `Store.match_text`: BM25, for entities also by parts of their names."""
    scores = _match(connection, (thing, _INDEX[thing], match_query(text)), filter_, limit)
    if thing is Thing.ENTITY:
        for uuid, score in _match(connection, (thing, "entity_trigrams", trigram_query(text)), filter_, limit).items():
            # A part of a name counts less than the name's own word.
            scores[uuid] = max(scores.get(uuid, 0.0), score / 2)
    return _best(scores, limit)


def _match(connection: apsw.Connection, look: tuple[Thing, str, str], filter_: Filter, limit: int) -> dict[str, float]:
    thing, index, query = look
    scores: dict[str, float] = {}
    if not query:
        return scores
    for group in where.groups(connection, filter_.group_ids):
        chosen = _CONDITIONS[thing](filter_, group)
        found = connection.execute(
            f"SELECT e.uuid, -bm25({index}) AS score FROM {index} CROSS JOIN {_FROM[thing]}"
            f" WHERE {index} MATCH ? AND {index}.rowid BETWEEN ? AND ? AND e.text_id = {index}.rowid AND {chosen.sql}"
            " ORDER BY score DESC, e.uuid DESC LIMIT ?",
            (query, group * GROUP_SPAN, (group + 1) * GROUP_SPAN - 1, *chosen.parameters, limit),
        )
        scores.update(found)
    return scores


def match_vector(
    connection: apsw.Connection, look: tuple[Thing, str, Vector], filter_: Filter, limit: int
) -> list[Scored]:
    """See `Store.match_vector`: an exact scan of the group's vectors."""
    import numpy as np  # takes longer to import than all else here; many processes never ask for vectors

    thing, model, vector = look
    question = _unit(vector)
    known = connection.execute("SELECT no, dimension FROM models WHERE name = ?", (model,)).fetchone()
    if known is None:
        return []
    model_no, dimension = known
    _check_dimension(model, dimension, len(vector))
    scores: dict[str, float] = {}
    for group in where.groups(connection, filter_.group_ids):
        chosen = _CONDITIONS[thing](filter_, group)
        found: list[Row] = connection.execute(
            f"SELECT e.uuid, v.vector FROM vectors AS v CROSS JOIN {_FROM[thing]}"
            " WHERE v.model_no = ? AND v.thing = ? AND v.text_id BETWEEN ? AND ? AND e.text_id = v.text_id"
            f" AND {chosen.sql}",
            (model_no, thing, group * GROUP_SPAN, (group + 1) * GROUP_SPAN - 1, *chosen.parameters),
        ).fetchall()
        if found:
            matrix = np.frombuffer(b"".join(blob for _, blob in found), np.float16).reshape(-1, dimension)
            cosines = matrix.astype(np.float32) @ question
            scores.update(zip((uuid for uuid, _ in found), cosines.tolist(), strict=True))
    return _best(scores, limit)


def neighbours(
    connection: apsw.Connection, entity_uuids: Sequence[str], filter_: Filter, hops: int, limit: int
) -> list[Reached]:
    """See `Store.neighbours`: breadth first, never the same fact or entity twice."""
    seen, frontier = set(entity_uuids), list(entity_uuids)
    reached: dict[str, Reached] = {}
    for distance in range(1, hops + 1):
        ends = _facts_at(connection, frontier, filter_)
        inside, frontier = set(frontier), []
        for _, fact_uuid, subject, object_ in ends:
            if fact_uuid in reached:
                continue
            far = (object_ or subject) if subject in inside else subject
            reached[fact_uuid] = Reached(fact_uuid=fact_uuid, entity_uuid=far, distance=distance)
            if far not in seen:
                seen.add(far)
                frontier.append(far)
        if len(reached) >= limit or not frontier:
            break
    return list(reached.values())[:limit]


def _facts_at(connection: apsw.Connection, entity_uuids: list[str], filter_: Filter) -> list[Row]:
    found: list[Row] = []
    for group in where.groups(connection, filter_.group_ids):
        chosen = where.facts(replace(filter_, entities=tuple(entity_uuids)), group)
        found += connection.execute(
            f"SELECT e.created_at, e.uuid, e.subject_uuid, e.object_uuid FROM facts AS e WHERE {chosen.sql}",
            chosen.parameters,
        )
    return sorted(found, key=lambda row: row[:2], reverse=True)


def speakers(connection: apsw.Connection, names: Sequence[str], filter_: Filter) -> list[str]:
    """See `Store.speakers`."""
    asked = to_json(list(names))
    found: set[str] = set()
    for group in where.groups(connection, filter_.group_ids):
        chosen = where.episodes(filter_, group)
        found |= {
            speaker
            for (speaker,) in connection.execute(
                "SELECT (SELECT e.speaker FROM episodes AS e LEFT JOIN queue AS q ON q.episode_id = e.id"
                " WHERE e.group_no = ? AND e.speaker <> '' AND e.speaker = asked.value COLLATE NOCASE"
                f" AND {chosen.sql} LIMIT 1)"
                " FROM json_each(?) AS asked",
                (group, *chosen.parameters, asked),
            )
            if speaker
        }
    return sorted(found)


def put_vectors(connection: apsw.Connection, model: str, embeddings: Sequence[Embedding]) -> int:
    """See `Store.put_vectors`."""
    import numpy as np

    kept = 0
    for embedding in embeddings:
        model_no, dimension = _model(connection, model, len(embedding.vector))
        _check_dimension(model, dimension, len(embedding.vector))
        text_id = _present_text(connection, embedding.thing, embedding.uuid, embedding.text)
        if text_id is None:
            continue
        connection.execute(
            "INSERT OR REPLACE INTO vectors (model_no, thing, text_id, vector) VALUES (?, ?, ?, ?)",
            (model_no, embedding.thing, text_id, _unit(embedding.vector).astype(np.float16).tobytes()),
        )
        kept += 1
    return kept


def unembedded(connection: apsw.Connection, model: str, limit: int) -> list[Unembedded]:
    """See `Store.unembedded`."""
    lacking = (
        "e.known_to IS NULL AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.thing = ? AND v.text_id = e.text_id"
        " AND v.model_no = (SELECT no FROM models WHERE name = ?)) LIMIT ?"
    )
    found: list[Unembedded] = []
    for thing, text in _EMBEDDED.items():
        items = connection.execute(
            f"SELECT e.uuid, {text} FROM {_FROM[thing]} WHERE {lacking}", (thing, model, limit - len(found))
        )
        found += [Unembedded(thing=thing, uuid=uuid, text=words) for uuid, words in items]
    entities = connection.execute(
        f"SELECT {ENTITY} FROM {ENTITY_FROM} WHERE {lacking}", (Thing.ENTITY, model, limit - len(found))
    )
    return found + [Unembedded(thing=Thing.ENTITY, uuid=e.uuid, text=e.text) for e in map(to_entity, entities)]


def _present_text(connection: apsw.Connection, thing: Thing, uuid: str, text: str) -> int | None:
    if thing is Thing.ENTITY:
        row = connection.execute(
            f"SELECT {ENTITY}, e.text_id FROM {ENTITY_FROM} WHERE e.uuid = ? AND e.known_to IS NULL", (uuid,)
        ).fetchone()
        return row[-1] if row is not None and to_entity(row).text == text else None
    text_id: int | None = connection.execute(
        f"SELECT e.text_id FROM {_FROM[thing]} WHERE e.uuid = ? AND e.known_to IS NULL AND {_EMBEDDED[thing]} = ?",
        (uuid, text),
    ).get
    return text_id


def _model(connection: apsw.Connection, name: str, dimension: int) -> tuple[int, int]:
    connection.execute("INSERT OR IGNORE INTO models (name, dimension) VALUES (?, ?)", (name, dimension))
    row = connection.execute("SELECT no, dimension FROM models WHERE name = ?", (name,)).fetchone()
    assert row is not None
    return row[0], row[1]


def _check_dimension(model: str, expected: int, given: int) -> None:
    if expected != given:
        raise UsageError(f"vectors of {model} have {expected} dimensions, this one has {given}")


def _unit(vector: Vector) -> NDArray[np.float32]:
    import numpy as np

    values = np.frombuffer(vector, np.float32) if vector.typecode == "f" else np.array(vector, np.float32)
    length = float(np.linalg.norm(values))
    if not np.isfinite(length):
        raise UsageError("a vector holds a value that is no finite number")
    return values / np.float32(length) if length else values


def _best(scores: dict[str, float], limit: int) -> list[Scored]:
    ranked = sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [Scored(uuid=uuid, score=score) for uuid, score in ranked[:limit]]

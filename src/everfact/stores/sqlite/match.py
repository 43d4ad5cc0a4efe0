"""Finding by words and by neighbourhood. Scores only; ranking is not the store's business."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from everfact.models import Filter, Reached, Scored, Thing
from everfact.stores.sqlite import where
from everfact.stores.sqlite.rows import Row, to_json
from everfact.stores.sqlite.where import Where
from everfact.stores.sqlite.words import Index, score
from everfact.stores.text import match_terms, trigram_terms
from everfact.stores.walk import Ends, Walk

CONDITIONS = {Thing.EPISODE: where.episodes, Thing.ENTITY: where.entities, Thing.FACT: where.facts}
SOURCE = {
    Thing.EPISODE: "episodes AS e LEFT JOIN queue AS q ON q.episode_id = e.id",
    Thing.ENTITY: "entities AS e",
    Thing.FACT: "facts AS e",
}
_NAMES = "octet_length(e.name) + octet_length(e.aliases)"
_INDEX = {
    Thing.EPISODE: Index(
        table="episode_text",
        source=SOURCE[Thing.EPISODE],
        length="octet_length(e.content)",
        scored="{name content}",
        unscored="speaker",
    ),
    Thing.ENTITY: Index(table="entity_text", source=SOURCE[Thing.ENTITY], length=f"{_NAMES} + octet_length(e.summary)"),
    Thing.FACT: Index(table="fact_text", source=SOURCE[Thing.FACT], length="octet_length(e.sentence)"),
}
_PARTS = Index(table="entity_trigrams", source=SOURCE[Thing.ENTITY], length=_NAMES)


def match_text(connection: apsw.Connection, thing: Thing, text: str, filter_: Filter, limit: int) -> list[Scored]:
    """See `Store.match_text`: entities also by parts of their names, with words that stand in none of their texts."""
    terms = match_terms(text)
    scores: dict[str, float] = {}
    for group in where.groups(connection, filter_.group_ids):
        chosen = CONDITIONS[thing](filter_, group)
        found = score(connection, _INDEX[thing], terms, chosen, limit)
        scores |= found.scores
        if thing is Thing.ENTITY and found.missing:
            parts = [term for term in found.missing if term in trigram_terms(text)]
            for uuid, half in score(connection, _PARTS, parts, chosen, limit).scores.items():
                # A part of a name counts less than the name's own word.
                scores[uuid] = max(scores.get(uuid, 0.0), half / 2)
    return best(scores, limit)


def best(scores: dict[str, float], limit: int) -> list[Scored]:
    """The highest scores, in an order that does not depend on how they were found."""
    ranked = sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [Scored(uuid=uuid, score=score) for uuid, score in ranked[:limit]]


def neighbours(
    connection: apsw.Connection, entity_uuids: Sequence[str], filter_: Filter, hops: int, limit: int
) -> list[Reached]:
    """See `Store.neighbours`: the newest facts first."""
    walk = Walk(entity_uuids, limit)
    for _ in range(hops):
        if not walk.is_over:
            walk.step(_facts_at(connection, walk.frontier, filter_, limit))
    return walk.nearest


def _facts_at(connection: apsw.Connection, entity_uuids: list[str], filter_: Filter, limit: int) -> list[Ends]:
    """The newest facts about any of these: twice as many as wanted, since a hop ago half of them may have been seen."""
    found: list[Row] = []
    for group in where.groups(connection, filter_.group_ids):
        found += _newest_at(connection, entity_uuids, where.facts(filter_, group), 2 * limit)
    found.sort(key=lambda row: row[:2], reverse=True)
    return [(uuid, subject, object_) for _, uuid, subject, object_ in found]


def _newest_at(connection: apsw.Connection, entity_uuids: list[str], chosen: Where, limit: int) -> list[Row]:
    """An entity of which very much is known costs a walk along its index entries, not a look at all its facts."""
    at = to_json(entity_uuids)
    most = 2 * limit + 100
    while True:
        newest = connection.execute(
            "SELECT id FROM facts WHERE subject_uuid IN (SELECT value FROM json_each(?)) AND +id BETWEEN ? AND ?"
            " UNION SELECT id FROM facts WHERE object_uuid IN (SELECT value FROM json_each(?)) AND +id BETWEEN ? AND ?"
            " ORDER BY id DESC LIMIT ?",
            (at, *chosen.span, at, *chosen.span, most),
        ).fetchall()
        passing: list[Row] = connection.execute(
            "SELECT e.created_at, e.uuid, e.subject_uuid, e.object_uuid"
            " FROM json_each(?) AS found CROSS JOIN facts AS e WHERE e.id = found.value"
            f" AND {chosen.sql_by_key} ORDER BY e.id DESC LIMIT ?",
            (to_json([id_ for (id_,) in newest]), *chosen.parameters, limit),
        ).fetchall()
        if len(passing) >= limit or len(newest) < most:
            return passing
        most *= 8


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
                f" AND {chosen.sql_by_key} LIMIT 1)"
                " FROM json_each(?) AS asked",
                (group, *chosen.parameters, asked),
            )
            if speaker
        }
    return sorted(found)

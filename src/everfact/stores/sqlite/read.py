"""Reading back: listings of each kind, the log with all that each change did, the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import apsw

from everfact.models import Assertion, Change, Cursor, Entity, Episode, Fact, Filter, Stats
from everfact.stores.sqlite import rows, where
from everfact.stores.sqlite.rows import Row, to_json, to_micros
from everfact.stores.sqlite.where import GROUP_SPAN, Where

T = TypeVar("T", Episode, Entity, Fact, Assertion, Change)


def episodes(connection: apsw.Connection, filter_: Filter, limit: int, before: Cursor | None) -> list[Episode]:
    """See `Store.episodes`."""
    chosen = [where.episodes(filter_, group) for group in where.groups(connection, filter_.group_ids)]
    found = _newest(connection, f"{rows.EPISODE} FROM {rows.EPISODE_FROM}", chosen, (limit, before, "e.reference_time"))
    return _merged(map(rows.to_episode, found), limit, lambda item: (item.reference_time, item.uuid), chosen)


def entities(connection: apsw.Connection, filter_: Filter, limit: int, before: Cursor | None) -> list[Entity]:
    """See `Store.entities`."""
    chosen = [
        where.entities(filter_, group, few=where.are_few(connection, filter_.entity_types, group))
        for group in where.groups(connection, filter_.group_ids)
    ]
    found = _newest(connection, f"{rows.ENTITY} FROM {rows.ENTITY_FROM}", chosen, (limit, before, "e.created_at"))
    return _merged(map(rows.to_entity, found), limit, _by_creation, chosen)


def facts(connection: apsw.Connection, filter_: Filter, limit: int, before: Cursor | None) -> list[Fact]:
    """See `Store.facts`."""
    chosen = [where.facts(filter_, group) for group in where.groups(connection, filter_.group_ids)]
    found = _newest(connection, f"{rows.FACT} FROM {rows.FACT_FROM}", chosen, (limit, before, "e.created_at"))
    return _merged(map(rows.to_fact, found), limit, _by_creation, chosen)


def assertions(connection: apsw.Connection, filter_: Filter, limit: int, before: Cursor | None) -> list[Assertion]:
    """See `Store.assertions`."""
    chosen = [where.assertions(filter_, group) for group in where.groups(connection, filter_.group_ids)]
    columns = rows.ASSERTION.replace("e.withdrawn", where.withdrawn(filter_))
    found = _newest(connection, f"{columns} FROM {rows.ASSERTION_FROM}", chosen, (limit, before, "e.created_at"))
    return _merged(map(rows.to_assertion, found), limit, _by_creation, chosen)


def changes(connection: apsw.Connection, filter_: Filter, limit: int, before: Cursor | None) -> list[Change]:
    """See `Store.changes`."""
    chosen = []
    for group in where.groups(connection, filter_.group_ids):
        condition = Where(group)
        if filter_.known_at is not None:
            condition.add("e.created_at <= ?", to_micros(filter_.known_at))
        if filter_.uuids is not None:
            touched = to_json(touching(connection, filter_.uuids))
            condition.add("e.no IN (SELECT value FROM json_each(?))", touched, narrow=True)
        chosen.append(condition)
    found = _newest(connection, f"{rows.CHANGE} FROM {rows.CHANGE_FROM}", chosen, (limit, before, "e.created_at"))
    newest = sorted(found, key=lambda row: (row[3], row[0]), reverse=True)[:limit]
    return [whole(connection, row) for row in newest]


def touching(connection: apsw.Connection, uuids: Sequence[str]) -> list[int]:
    """The numbers of the changes that are, or touched, one of these."""
    chosen = to_json(list(uuids))
    return [no for (no,) in connection.execute(_TOUCHING, [chosen] * _TOUCHING.count("?"))]


def stats(connection: apsw.Connection, group_ids: tuple[str, ...] | None) -> Stats:
    """See `Store.stats`."""
    groups = where.groups(connection, group_ids)
    chosen = (to_json(groups),)
    inside = "group_no IN (SELECT value FROM json_each(?))"

    def count(table: str, condition: str) -> int:
        number: int = connection.execute(f"SELECT count(*) FROM {table} WHERE {inside} AND {condition}", chosen).get
        return number

    waiting = connection.execute(
        "SELECT coalesce(sum(parked = 0), 0), coalesce(sum(parked), 0), min(e.created_at) FILTER (WHERE parked = 0)"
        " FROM queue JOIN episodes AS e ON e.id = episode_id"
        f" WHERE episode_id / {GROUP_SPAN} IN (SELECT value FROM json_each(?))",
        chosen,
    ).fetchone()
    assert waiting is not None
    pending, parked, oldest = waiting
    last = connection.execute(
        "SELECT max(recorded_at) FROM groups WHERE no IN (SELECT value FROM json_each(?))", chosen
    ).get
    return Stats(
        groups=len(groups),
        episodes=count("episodes", "known_to IS NULL"),
        entities=count("entities", "known_to IS NULL"),
        facts=count("facts", "known_to IS NULL"),
        assertions=count("assertions", "withdrawn = 0"),
        changes=count("changes", "1"),
        pending=pending,
        parked=parked,
        oldest_pending=rows.moment_or_none(oldest),
        last_write=rows.moment_or_none(last),
    )


_AS_MADE = rows.ASSERTION.replace("e.withdrawn", "0")
_ANY = "(SELECT value FROM json_each(?))"
_TOUCHING = f"""
    SELECT no FROM changes WHERE uuid IN {_ANY}
    UNION SELECT no FROM changes WHERE cause IN {_ANY} AND cause <> ''
    UNION SELECT made_by FROM assertions WHERE uuid IN {_ANY}
    UNION SELECT change_no FROM withdrawals WHERE assertion_id IN (SELECT id FROM assertions WHERE uuid IN {_ANY})
""" + "".join(
    f" UNION SELECT {column} FROM {table} WHERE uuid IN {_ANY} AND {column} IS NOT NULL"
    for table in ("episodes", "entities", "facts")
    for column in ("made_by", "closed_by")
)


def _newest(
    connection: apsw.Connection, select: str, chosen: Iterable[Where], page: tuple[int, Cursor | None, str]
) -> list[Row]:
    """The first rows of each group, newest first; SQLite reads no more of a group than it must."""
    limit, before, time = page
    found: list[Row] = []
    for condition in chosen:
        if before is not None:
            condition.add(f"({time}, e.uuid) < (?, ?)", to_micros(before[0]), before[1])
        found += connection.execute(
            f"SELECT {select} WHERE {condition.sql} ORDER BY {time} DESC, e.uuid DESC LIMIT ?",
            (*condition.parameters, limit),
        )
    return found


def _merged(items: Iterable[T], limit: int, key: Callable[[T], Cursor], of: Sequence[Where]) -> list[T]:
    """One list of those of several groups; each group's come in order already."""
    return list(items) if len(of) < 2 else sorted(items, key=key, reverse=True)[:limit]


def _by_creation(item: Entity | Fact | Assertion) -> Cursor:
    return item.created_at, item.uuid


def whole(connection: apsw.Connection, row: Row) -> Change:
    """The change of a row of the columns `CHANGE`, with everything it did."""
    no = row[-1]

    def made(columns: str, source: str) -> list[Row]:
        return connection.execute(f"SELECT {columns} FROM {source} WHERE e.made_by = ? ORDER BY e.id", (no,)).fetchall()

    marks: list[Row] = connection.execute(
        "SELECT a.uuid, w.withdrawn FROM withdrawals AS w JOIN assertions AS a ON a.id = w.assertion_id"
        " WHERE w.change_no = ? ORDER BY a.uuid",
        (no,),
    ).fetchall()
    removed = " UNION ALL ".join(
        f"SELECT uuid FROM {table} AS e WHERE closed_by = :no"
        f" AND NOT EXISTS (SELECT 1 FROM {table} WHERE uuid = e.uuid AND made_by = :no)"
        for table in ("episodes", "entities", "facts")
    )
    return replace(
        rows.to_change(row),
        asserted=tuple(map(rows.to_assertion, made(_AS_MADE, rows.ASSERTION_FROM))),
        withdrawn=tuple(uuid for uuid, withdrawn in marks if withdrawn),
        reinstated=tuple(uuid for uuid, withdrawn in marks if not withdrawn),
        episodes=tuple(map(rows.to_episode, made(rows.EPISODE, rows.EPISODE_FROM))),
        entities=tuple(map(rows.to_entity, made(rows.ENTITY, rows.ENTITY_FROM))),
        facts=tuple(map(rows.to_fact, made(rows.FACT, rows.FACT_FROM))),
        removed=tuple(sorted(uuid for (uuid,) in connection.execute(removed, {"no": no}))),
    )

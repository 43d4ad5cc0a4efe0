"""A `Filter` as SQL conditions on the row aliased `e`, for one group at a time.

Values travel as parameters, lists as one JSON parameter.
"""

from __future__ import annotations

import apsw

from everfact.models import Filter, Status, fold_name
from everfact.stores.sqlite.rows import to_json, to_micros

GROUP_SPAN = 1 << 32
_FEW = 2_000


class Where:
    """Conditions joined by AND, and their parameters in order."""

    def __init__(self, group: int) -> None:
        self.group = group
        self.is_narrow = False
        """Some condition is better answered by an index of its own than by that of the group."""
        self._conditions: list[str] = []
        self._parameters: list[int | str] = []

    def add(self, condition: str, *parameters: int | str, narrow: bool = False) -> None:
        """Narrow the choice by one condition more."""
        self._conditions.append(condition)
        self._parameters += parameters
        self.is_narrow |= narrow

    def one_of(self, column: str, values: tuple[str, ...] | None, *, narrow: bool = False) -> None:
        """Narrow the choice to rows with one of these values, if any are given."""
        if values is not None and len(values) == 1 and not narrow:
            self.add(f"{column} = ?", values[0])  # so that an index may give them in the order of the listing
        elif values is not None:
            self.add(f"{column} IN (SELECT value FROM json_each(?))", to_json(list(values)), narrow=narrow)

    @property
    def sql(self) -> str:
        """The conditions; the plus keeps SQLite from walking the whole group where a narrower index serves."""
        return " AND ".join((f"{'+' if self.is_narrow else ''}e.group_no = ?", *self._conditions))

    @property
    def sql_by_key(self) -> str:
        """The same for rows that are found by a key of theirs: no index of the conditions may take its place."""
        return " AND ".join(("+e.group_no = ?", *self._conditions))

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last id that a row of the group can have."""
        return self.group * GROUP_SPAN, (self.group + 1) * GROUP_SPAN - 1

    @property
    def parameters(self) -> tuple[int | str, ...]:
        """What stands for the question marks of `sql`."""
        return (self.group, *self._parameters)


def groups(connection: apsw.Connection, group_ids: tuple[str, ...] | None) -> list[int]:
    """The numbers of the groups asked for; groups that do not exist have none."""
    if group_ids is None:
        return [no for (no,) in connection.execute("SELECT no FROM groups ORDER BY no")]
    chosen = "SELECT no FROM groups WHERE group_id IN (SELECT value FROM json_each(?)) ORDER BY no"
    return [no for (no,) in connection.execute(chosen, (to_json(list(group_ids)),))]


def episodes(filter_: Filter, group: int) -> Where:
    """Conditions on `episodes`, joined with its queue row `q`."""
    where = _known(filter_, group)
    where.one_of("e.source", filter_.sources)
    if filter_.threads is not None:
        where.add(
            "e.thread_no IN (SELECT no FROM threads WHERE group_no = ? AND name IN (SELECT value FROM json_each(?)))",
            group,
            to_json(list(filter_.threads)),
            narrow=True,
        )
    if filter_.beside is not None:
        where.add(
            "e.thread_no IS NOT NULL AND (e.thread_no, e.position) IN ("
            "SELECT b.thread_no, b.position + step.column1 FROM episodes AS b, (VALUES (-1), (1)) AS step"
            " WHERE b.uuid IN (SELECT value FROM json_each(?)))",
            to_json(list(filter_.beside)),
            narrow=True,
        )
    if filter_.told_from is not None:
        where.add("e.reference_time >= ?", to_micros(filter_.told_from))
    if filter_.told_until is not None:
        where.add("e.reference_time < ?", to_micros(filter_.told_until))
    if filter_.statuses is not None:
        state = {Status.DONE: "q.parked IS NULL", Status.PENDING: "q.parked = 0", Status.PARKED: "q.parked = 1"}
        where.add("(" + (" OR ".join(state[status] for status in filter_.statuses) or "0") + ")")
        if Status.DONE not in filter_.statuses:
            where.add("e.id IN (SELECT episode_id FROM queue)", narrow=True)
    return where


def entities(filter_: Filter, group: int, *, few: bool = False) -> Where:
    """Conditions on `entities`. With `few` of the types asked for, it is quicker to start from these."""
    where = _known(filter_, group)
    names = None if filter_.names is None else [fold_name(name) for name in filter_.names]
    for kind, terms in (("name", names), ("type", filter_.entity_types)):
        if terms is not None:
            where.add(
                "e.id IN (SELECT entity_id FROM entity_terms"
                " WHERE group_no = ? AND kind = ? AND term IN (SELECT value FROM json_each(?)))",
                group,
                kind,
                to_json(list(terms)),
                narrow=few or kind == "name",
            )
    return where


def are_few(connection: apsw.Connection, entity_types: tuple[str, ...] | None, group: int) -> bool:
    """Whether so few entities are of these types that looking at each costs less than walking the whole group."""
    if entity_types is None:
        return False
    typed = (
        "SELECT 1 FROM entity_terms WHERE group_no = ? AND kind = 'type'"
        " AND term IN (SELECT value FROM json_each(?)) LIMIT ?"
    )
    parameters = (group, to_json(list(entity_types)), _FEW + 1)
    count: int = connection.execute(f"SELECT count(*) FROM ({typed})", parameters).get
    return count <= _FEW


def facts(filter_: Filter, group: int) -> Where:
    """Conditions on `facts`."""
    where = _known(filter_, group)
    where.one_of("e.relation", filter_.relations)
    _about(where, filter_)
    _true(where, filter_)
    if filter_.entity_types is not None:
        known, moments = _is_known("typed", filter_)
        where.add(
            "EXISTS (SELECT 1 FROM entities AS typed JOIN entity_terms AS term ON term.entity_id = typed.id"
            f" WHERE typed.uuid IN (e.subject_uuid, e.object_uuid) AND {known}"
            " AND term.kind = 'type' AND term.term IN (SELECT value FROM json_each(?)))",
            *moments,
            to_json(list(filter_.entity_types)),
        )
    if filter_.disputed:
        where.add("e.id IN (SELECT id FROM facts WHERE group_no = ? AND disputed = 1)", group, narrow=True)
    elif filter_.disputed is not None:
        where.add("e.disputed = 0")
    if filter_.episodes is not None:
        where.add(
            "e.id IN (SELECT fact_id FROM fact_episodes WHERE episode_uuid IN (SELECT value FROM json_each(?)))",
            to_json(list(filter_.episodes)),
            narrow=True,
        )
    return where


def assertions(filter_: Filter, group: int) -> Where:
    """Conditions on `assertions`."""
    where = Where(group)
    where.one_of("e.uuid", filter_.uuids, narrow=True)
    where.one_of("e.episode_uuid", filter_.episodes, narrow=True)
    _about(where, filter_)
    if filter_.known_at is not None:
        where.add("e.created_at <= ?", to_micros(filter_.known_at))
    if filter_.withdrawn is not None:
        where.add(f"{withdrawn(filter_)} = {filter_.withdrawn:d}")
    return where


def withdrawn(filter_: Filter) -> str:
    """SQL for whether assertion `e` is, or at `known_at` was, withdrawn."""
    if filter_.known_at is None:
        return "e.withdrawn"
    return (
        "coalesce((SELECT w.withdrawn FROM withdrawals AS w WHERE w.assertion_id = e.id"
        f" AND w.recorded_at <= {to_micros(filter_.known_at):d} ORDER BY w.recorded_at DESC LIMIT 1), 0)"
    )


def _known(filter_: Filter, group: int) -> Where:
    where = Where(group)
    where.one_of("e.uuid", filter_.uuids, narrow=True)
    known, moments = _is_known("e", filter_)
    where.add(known, *moments)
    return where


def _is_known(row: str, filter_: Filter) -> tuple[str, tuple[int, ...]]:
    """SQL for whether a version is, or at `known_at` was, believed, and its parameters."""
    if filter_.known_at is None:
        return f"{row}.known_to IS NULL", ()
    at = to_micros(filter_.known_at)
    return f"{row}.known_from <= ? AND ({row}.known_to IS NULL OR {row}.known_to > ?)", (at, at)


def _about(where: Where, filter_: Filter) -> None:
    where.one_of("e.subject_uuid", filter_.subjects, narrow=True)
    where.one_of("e.attribute", filter_.attributes)
    if filter_.entities is not None:
        chosen = to_json(list(filter_.entities))
        where.add(
            "(e.subject_uuid IN (SELECT value FROM json_each(?)) OR e.object_uuid IN (SELECT value FROM json_each(?)))",
            chosen,
            chosen,
            narrow=True,
        )


def _true(where: Where, filter_: Filter) -> None:
    if filter_.valid_at is not None:
        at = to_micros(filter_.valid_at)
        until = at if filter_.valid_until is None else to_micros(filter_.valid_until)
        where.add(
            "(e.kind = 'event' OR ((e.invalid_at IS NULL OR e.invalid_at > ?)"
            " AND (e.kind = 'plan' OR e.valid_at IS NULL OR e.valid_at <= ?)))",
            at,
            until,
        )
    bounds = (
        ("e.valid_at > ?", filter_.valid_at_after),
        ("e.valid_at < ?", filter_.valid_at_before),
        ("e.invalid_at > ?", filter_.invalid_at_after),
        ("e.invalid_at < ?", filter_.invalid_at_before),
    )
    for condition, bound in bounds:
        if bound is not None:
            where.add(condition, to_micros(bound))

"""A `Filter` as conditions on the version `e`: the one place where WHERE clauses are made. Values are parameters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from everfact.models import Filter, Thing, fold_name
from everfact.stores.cypher.engine import LABELS, Part
from everfact.stores.cypher.rows import OPEN, key, place, term, to_micros


class Where:
    """Conditions joined by AND, and their parameters."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.is_narrow = False
        """So few pass that it is cheaper to look at them all than to search an index first."""
        self.parameters: dict[str, Any] = {}
        self._conditions = ["e.group_id IN $groups"]

    def add(self, condition: str, **parameters: object) -> None:
        """Narrow the choice by one condition more."""
        self._conditions.append(condition)
        self.parameters |= parameters

    def one_of(self, name: str, values: Sequence[str] | None, condition: str = "", *, narrow: bool = False) -> None:
        """Narrow the choice to nodes whose property `name` has one of these values, if any are given."""
        if values is not None:
            self.add(condition or f"e.{name} IN $in_{name}", **{f"in_{name}": list(values)})
            self.is_narrow |= narrow

    @property
    def conditions(self) -> str:
        """All of them."""
        return " AND ".join(self._conditions)

    @property
    def match(self) -> str:
        """The clause that finds the nodes."""
        return f"MATCH (e:{self.label}) WHERE {self.conditions}"


async def versions(part: Part, thing: Thing, filter_: Filter) -> Where:
    """Conditions on the versions of one kind of item."""
    where = Where(LABELS[thing])
    where.one_of("uuid", filter_.uuids, narrow=True)
    where.add(_known("e", filter_.known_at), **_moment("known_at", filter_.known_at))
    match thing:
        case Thing.EPISODE:
            await _episodes(part, where, filter_)
        case Thing.ENTITY:
            await _entities(part, where, filter_)
        case Thing.FACT:
            await _facts(part, where, filter_)
    return where


def assertions(filter_: Filter) -> Where:
    """Conditions on assertions."""
    where = Where("EverfactAssertion")
    where.one_of("uuid", filter_.uuids, narrow=True)
    where.one_of("episode", filter_.episodes, narrow=True)
    _about(where, filter_)
    if filter_.known_at is not None:
        where.add("e.created_at <= $known_at", known_at=to_micros(filter_.known_at))
    if filter_.withdrawn is not None:
        where.add(f"{withdrawn(filter_)} = $withdrawn", withdrawn=filter_.withdrawn)
    return where


def withdrawn(filter_: Filter) -> str:
    """Whether assertion `e` is, or at `known_at` was, withdrawn: it has been marked an odd number of times."""
    marks = "e.marks" if filter_.known_at is None else "[mark IN e.marks WHERE mark <= $known_at]"
    return f"(size({marks}) % 2 = 1)"


def _known(node: str, known_at: datetime | None) -> str:
    if known_at is None:
        return f"{node}.known_to = {OPEN}"
    return f"{node}.known_from <= $known_at AND {node}.known_to > $known_at"


def _moment(name: str, at: datetime | None) -> dict[str, int]:
    return {} if at is None else {name: to_micros(at)}


async def _episodes(part: Part, where: Where, filter_: Filter) -> None:
    where.one_of("source", filter_.sources)
    if filter_.threads is not None:
        where.one_of("thread_key", [key(group, thread) for group in part.groups for thread in filter_.threads])
    where.one_of("status", filter_.statuses)
    if filter_.told_from is not None:
        where.add("e.reference_time >= $told_from", told_from=to_micros(filter_.told_from))
    if filter_.told_until is not None:
        where.add("e.reference_time < $told_until", told_until=to_micros(filter_.told_until))
    if filter_.beside is not None:
        found = await part.read(
            "MATCH (e:EverfactEpisode) WHERE e.uuid IN $uuids AND e.group_id IN $groups AND e.thread IS NOT NULL"
            f" AND {_known('e', filter_.known_at)} RETURN e.group_id, e.thread, e.position",
            uuids=list(filter_.beside),
            **where.parameters,
        )
        places = [place(group, thread, at + step) for group, thread, at in found for step in (-1, 1)]
        where.one_of("place", [at for at in places if at is not None], narrow=True)


async def _entities(part: Part, where: Where, filter_: Filter) -> None:
    where.one_of("type", filter_.entity_types, "any(x IN e.types WHERE x IN $in_type)")
    if filter_.names is not None:
        await _with_terms(part, where, "name", [fold_name(name) for name in filter_.names])


async def _facts(part: Part, where: Where, filter_: Filter) -> None:
    where.one_of("relation", filter_.relations)
    _about(where, filter_)
    _true(where, filter_)
    if filter_.disputed is not None:
        where.add("e.disputed = $disputed", disputed=filter_.disputed)
    if filter_.episodes is not None:
        await _with_terms(part, where, "episode", filter_.episodes)
    if filter_.entity_types is not None:
        typed = await part.read(
            "MATCH (e:EverfactEntity) WHERE e.group_id IN $groups AND any(x IN e.types WHERE x IN $types)"
            f" AND {_known('e', filter_.known_at)} RETURN e.uuid",
            types=list(filter_.entity_types),
            **where.parameters,
        )
        where.add("(e.subject IN $typed OR e.object IN $typed)", typed=[uuid for (uuid,) in typed])


async def _with_terms(part: Part, where: Where, kind: str, texts: Sequence[str]) -> None:
    """Versions of one of these names, or resting on one of these episodes; looked up, since lists have no index."""
    found = await part.read(
        f"UNWIND $keys AS key MATCH (t:EverfactTerm {{key: key}})<-[:EverfactHas]-(e:{where.label})"
        " WITH DISTINCT e.uuid AS uuid RETURN uuid",
        keys=[term(group, kind, text) for group in part.groups for text in texts],
    )
    where.add(f"e.uuid IN $having_{kind}", **{f"having_{kind}": [uuid for (uuid,) in found]})
    where.one_of(kind, texts, f"any(x IN e.{kind}s WHERE x IN $in_{kind})", narrow=True)


def _about(where: Where, filter_: Filter) -> None:
    where.one_of("subject", filter_.subjects, narrow=True)
    where.one_of("attribute", filter_.attributes)
    where.one_of("entity", filter_.entities, "(e.subject IN $in_entity OR e.object IN $in_entity)", narrow=True)


def _true(where: Where, filter_: Filter) -> None:
    if filter_.valid_at is not None:
        where.add(
            "(e.kind = 'event' OR ((e.invalid_at IS NULL OR e.invalid_at > $valid_at)"
            " AND (e.kind = 'plan' OR e.valid_at IS NULL OR e.valid_at <= $valid_until)))",
            valid_at=to_micros(filter_.valid_at),
            valid_until=to_micros(filter_.valid_until or filter_.valid_at),
        )
    for condition, name in (
        ("e.valid_at > $valid_at_after", "valid_at_after"),
        ("e.valid_at < $valid_at_before", "valid_at_before"),
        ("e.invalid_at > $invalid_at_after", "invalid_at_after"),
        ("e.invalid_at < $invalid_at_before", "invalid_at_before"),
    ):
        bound: datetime | None = getattr(filter_, name)
        if bound is not None:
            where.add(condition, **{name: to_micros(bound)})

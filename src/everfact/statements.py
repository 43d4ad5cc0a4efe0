"""Statements made ready for the fold: relations spelled one way, attributes and times filled in."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from everfact.models import FactKind, Phase, Statement, Value
from everfact.relations import attribute_of, is_one_at_a_time, relation_name


def normal(said: Statement) -> Statement:
    """The statement with its relation spelled as on the wire and its attribute filled in."""
    relation = relation_name(said.relation)
    attribute = said.attribute or attribute_of(relation)
    if isinstance(said.object, Value) and said.kind is FactKind.STATE and not is_one_at_a_time(attribute):
        attribute = f"={attribute}"
    return replace(said, relation=relation, attribute=attribute)


def dated(said: Statement, reference: datetime) -> Statement:
    """The statement with the time it speaks of: what has no date speaks of the time it was told."""
    if said.phase is Phase.ENDS:
        return said if said.invalid_at else replace(said, invalid_at=reference)
    if said.kind is FactKind.PLAN or said.valid_at or said.invalid_at:
        return said
    return replace(said, valid_at=reference)

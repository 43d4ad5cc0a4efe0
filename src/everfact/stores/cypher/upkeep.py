"""Wiping items for good, small named values, copies."""

from __future__ import annotations

from collections.abc import Sequence

from everfact.models import Stats, Thing
from everfact.stores.cypher import graphiti, read
from everfact.stores.cypher.engine import LABELS, TEXTS, Engine, Part
from everfact.stores.cypher.group import Lease, Ledger
from everfact.stores.cypher.rows import OPEN

_MINE = "{uuid: r.uuid}) WHERE e.group_id = r.group_id"
_UNLINK = {
    thing: f"MATCH (e:{label} {_MINE} MATCH (e)-[:EverfactHas]->(n:EverfactTerm)"
    f" WHERE NOT n.key IN r.kept DETACH DELETE n"
    for thing, label in LABELS.items()
}
_WIPE = [f"MATCH (e:{label} {_MINE} DETACH DELETE e" for label in (*LABELS.values(), *TEXTS.values())] + [
    f"MATCH (e:EverfactAssertion {_MINE} DELETE e"
]
_STRAY = "MATCH (n:EverfactTerm {key: r.key}) WHERE NOT (n)<-[:EverfactHas]-() DELETE n"
_NO_NOTE = f"MATCH (e:EverfactChange {_MINE} SET e.note = '\"\"'"
_NO_THREAD = "MATCH (t:EverfactThread {key: r.key}) DELETE t"

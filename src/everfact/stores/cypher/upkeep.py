"""Wiping items for good, small named values, copies."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from everfact.errors import UsageError
from everfact.lines import header, to_line
from everfact.models import Entry, Thing
from everfact.stores.cypher import read
from everfact.stores.cypher.engine import LABELS, TEXTS, Engine, Part
from everfact.stores.cypher.group import Lease, Ledger
from everfact.stores.cypher.journal import journal
from everfact.stores.cypher.rows import OPEN, key

_ENTITY = LABELS[Thing.ENTITY]
_HELD = {
    label: f"MATCH (e:{label}) WHERE e.uuid IN $uuids AND e.group_id = $group RETURN e.uuid"
    + (", e.no, e.thread" if label == LABELS[Thing.EPISODE] else "")
    for label in (*LABELS.values(), "EverfactAssertion")
}
_TERMS = (
    "MATCH (e:{label})-[:EverfactHas]->(n:EverfactTerm) WHERE e.uuid IN $uuids AND e.group_id = $group"
    " WITH DISTINCT n.key AS key RETURN key"
)
_WIPE = "MATCH (e:{label} {{uuid: r.uuid}}) WHERE e.group_id = r.group_id DETACH DELETE e"
_NO_NOTE = "MATCH (e:EverfactChange {uuid: r.uuid}) WHERE e.group_id = r.group_id SET e.note = r.note"
_NO_TERM = "MATCH (n:EverfactTerm {key: r.key}) WHERE NOT (n)<-[:EverfactHas]-() DELETE n"
_THREAD_OF = "MATCH (e:EverfactEpisode) WHERE e.thread_key = $thread AND e.group_id = $group AND NOT e.uuid IN $uuids"
_NO_THREAD = "MATCH (t:EverfactThread {key: r.key}) DELETE t"
_SHOWN = (
    "MATCH (n:Episodic {uuid: r.uuid}) WHERE n.group_id = r.group_id DETACH DELETE n",
    "MATCH (n:Entity {uuid: r.uuid}) WHERE n.group_id = r.group_id DETACH DELETE n",
    "MATCH ()-[e:RELATES_TO {uuid: r.uuid}]->() WHERE e.group_id = r.group_id DELETE e",
)
_FORMER = (
    f"MATCH (e:{_ENTITY}) WHERE e.uuid IN $uuids AND e.group_id = $group"
    " WITH e ORDER BY e.known_from, e.no RETURN e.uuid, e.no, e.known_from, e.known_to, e.made_by"
)
_DROP_VERSION = f"MATCH (e:{_ENTITY} {{uuid: r.uuid}}) WHERE e.group_id = r.group_id AND e.no = r.no DETACH DELETE e"
_EARLIER = (
    f"MATCH (e:{_ENTITY} {{uuid: r.uuid}}) WHERE e.group_id = r.group_id AND e.known_to = {OPEN}"
    " SET e.known_from = r.known_from, e.made_by = r.made_by"
)
_NO_TEXT = (
    f"MATCH (t:{TEXTS[Thing.ENTITY]} {{uuid: r.uuid}}) WHERE t.group_id = r.group_id"
    " AND NOT (t)<-[:EverfactSays]-() DELETE t"
)


async def purge(ledger: Ledger, uuids: Sequence[str], former: Sequence[str]) -> int:
    """Delete every node about these items, also those that Graphiti sees; answer how many items there were."""
    if ledger.revision is None:
        return 0
    await _wipe_former_names(ledger, former)
    asked, found, terms = list(uuids), set(), set()
    for label, query in _HELD.items():
        rows = await ledger.read(query, uuids=asked)
        found |= {row[0] for row in rows}
        if label == LABELS[Thing.EPISODE]:
            await _let_go(ledger, rows, asked)
        terms |= {term for (term,) in await ledger.read(_TERMS.format(label=label), uuids=asked)}
    for uuid in await read.touching(ledger.part, asked):
        ledger.do(_NO_NOTE, uuid=uuid, group_id=ledger.group_id, note='""')
    for uuid in sorted(found):
        for label in (*LABELS.values(), *TEXTS.values(), "EverfactAssertion"):
            ledger.do(_WIPE.format(label=label), uuid=uuid, group_id=ledger.group_id)
        for statement in _SHOWN:
            ledger.do(statement, uuid=uuid, group_id=ledger.engine.theirs(ledger.group_id))
    for term in sorted(terms):
        ledger.do(_NO_TERM, key=term)
    return len(found)


async def _let_go(ledger: Ledger, episodes: Sequence[Sequence[object]], uuids: Sequence[str]) -> None:
    """The claim on an episode that is wiped is lost, and a thread of which no turn is left begins anew."""
    if any(no == ledger.lease.no for _, no, _ in episodes):
        ledger.lease = Lease()
    for thread in {thread for *_, thread in episodes if thread}:
        thread_key = key(ledger.group_id, thread)
        if not await ledger.read(f"{_THREAD_OF} WITH e LIMIT 1 RETURN e.uuid", thread=thread_key, uuids=uuids):
            ledger.do(_NO_THREAD, key=thread_key)


async def _wipe_former_names(ledger: Ledger, uuids: Sequence[str]) -> None:
    """Drop the versions of entities that are not believed any more; the present ones stand for all that time."""
    first: dict[str, tuple[int, str | None]] = {}
    terms = await ledger.read(_TERMS.format(label=_ENTITY), uuids=list(uuids)) if uuids else []
    for uuid, no, known_from, known_to, made_by in await ledger.read(_FORMER, uuids=list(uuids)) if uuids else ():
        first.setdefault(uuid, (known_from, made_by))
        if known_to != OPEN:
            ledger.do(_DROP_VERSION, uuid=uuid, group_id=ledger.group_id, no=no)
    for uuid, (known_from, made_by) in first.items():
        ledger.do(_EARLIER, uuid=uuid, group_id=ledger.group_id, known_from=known_from, made_by=made_by)
        ledger.do(_NO_TEXT, uuid=uuid, group_id=ledger.group_id)
    for (term,) in terms:
        ledger.do(_NO_TERM, key=term)


_STATE = "MATCH (s:EverfactState {name: $name}) WHERE s.value IS NOT NULL RETURN s.value"
_SET_STATE = "MERGE (s:EverfactState {name: $name}) SET s.value = $value"
# The first SET takes the lock of the node where there are locks; only then is the value looked at.
_SWAP_STATE = (
    "MERGE (s:EverfactState {name: $name}) SET s.lock = $lock WITH s"
    " WHERE coalesce(s.value, $none) = $old SET s.value = $new RETURN s.name"
)
_NONE = "\x1f"


async def state(engine: Engine, name: str) -> str | None:
    """See `Store.state`."""
    found = await engine.read(engine.registry, _STATE, {"name": name})
    return found[0][0] if found else None


async def set_state(engine: Engine, name: str, value: str | None) -> None:
    """See `Store.set_state`."""
    await engine.write(engine.registry, _SET_STATE, {"name": name, "value": value})


async def swap_state(engine: Engine, name: str, old: str | None, new: str | None) -> bool:
    """See `Store.swap_state`."""
    asked = {"name": name, "old": _NONE if old is None else old, "new": new, "none": _NONE, "lock": True}
    return bool(await engine.write(engine.registry, _SWAP_STATE, asked, again=False))


async def back_up(parts: Sequence[Part], target: Path) -> None:
    """Write the journal to a file that nobody else can read, and only then give it its name.

    Raises:
        UsageError: the target exists.
    """
    partial = target.with_name(f"{target.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(header())
            async for entry in _all(parts):
                file.write(to_line(entry))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(partial, target)
        except FileExistsError as error:
            raise UsageError(
                f"{target} exists already", hint="name a new file; backups are never overwritten"
            ) from error
    finally:
        partial.unlink(missing_ok=True)


async def _all(parts: Sequence[Part]) -> AsyncIterator[Entry]:
    last: Entry | None = None
    while page := await journal(parts, 500, last):
        for entry in page:
            yield entry
        last = page[-1]

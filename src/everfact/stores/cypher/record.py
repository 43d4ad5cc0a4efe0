"""Applying a change: checked against what is there, then written in one step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from everfact.errors import Conflict, NotFound, UsageError
from everfact.models import Assertion, Change, Claim, Entity, Episode, Fact, Thing, thing_of
from everfact.stores.cypher import graphiti, queue
from everfact.stores.cypher.accept import close, close_episode, require_own, write
from everfact.stores.cypher.engine import LABELS
from everfact.stores.cypher.group import Ledger
from everfact.stores.cypher.rows import OPEN, assertion_node, change_node, to_moment

_PRESENT = {
    thing: f"MATCH (e:{label}) WHERE e.uuid IN $uuids AND e.group_id = $group AND e.known_to = {OPEN}"
    " RETURN e.uuid, e.no, e.data"
    for thing, label in LABELS.items()
}
_MADE = "MATCH (e:EverfactChange {uuid: $uuid}) RETURN e.uuid"
_SAID = (
    "MATCH (e:EverfactAssertion) WHERE e.uuid IN $uuids AND e.group_id = $group RETURN e.uuid, size(e.marks) % 2 = 1"
)
_LOG = "CREATE (e:EverfactChange) SET e = r.node"
_ASSERT = "CREATE (e:EverfactAssertion) SET e = r.node"
_MARK = (
    "MATCH (e:EverfactAssertion {uuid: r.uuid}) WHERE e.group_id = r.group_id"
    " SET e.marks = e.marks + [r.at], e.marked_by = e.marked_by + [r.by]"
)


@dataclass(slots=True)
class Present:
    """What stands of the items that a change speaks of: number and data by uuid."""

    of: dict[Thing, dict[str, tuple[int, str]]] = field(default_factory=dict)
    said: dict[str, bool] = field(default_factory=dict)
    """Assertions that are there, and whether they are withdrawn."""

    def thing(self, uuid: str) -> Thing | None:
        """What kind of item has that id."""
        return next((thing for thing, found in self.of.items() if uuid in found), None)


async def apply(ledger: Ledger, change: Change) -> Change:
    """See `Store.apply`."""
    items: list[Assertion | Episode | Entity | Fact] = []
    items += (*change.asserted, *change.episodes, *change.entities, *change.facts)
    foreign = {item.group_id for item in items} - {change.group_id}
    if foreign:
        raise UsageError(f"a change to group {change.group_id} holds items of group {min(foreign)}")
    if await ledger.read(_MADE, uuid=change.uuid):
        raise UsageError(f"change {change.uuid} was made already")
    if change.parent != ledger.head:
        raise Conflict(
            f"group {change.group_id} has changed since it was read", hint="read it again and repeat the act"
        )
    present = await _look(ledger, change)
    _check(change, present)
    await require_own(ledger, [item.uuid for item in items])
    change = change.recorded(to_moment(ledger.record()))
    _write(ledger, change, present)
    ledger.head = change.uuid
    return change


async def finish(ledger: Ledger, change: Change, claim: Claim) -> Change:
    """See `Store.finish`."""
    if claim.episode.group_id != change.group_id:
        raise UsageError(f"a change to group {change.group_id} cannot finish an episode of {claim.episode.group_id}")
    queue.finish(ledger, claim)
    return await apply(ledger, change)


async def _look(ledger: Ledger, change: Change) -> Present:
    present = Present()
    spoken_of: list[Assertion | Fact] = [*change.asserted, *change.facts]
    ends = [uuid for item in spoken_of for uuid in (item.subject_uuid, item.object_uuid) if uuid]
    asked = {
        Thing.EPISODE: [*change.removed, *(item.uuid for item in change.episodes)],
        Thing.ENTITY: [*change.removed, *(item.uuid for item in change.entities), *ends],
        Thing.FACT: [*change.removed, *(item.uuid for item in change.facts)],
    }
    for thing, uuids in asked.items():
        found = await ledger.read(_PRESENT[thing], uuids=list(dict.fromkeys(uuids))) if uuids else []
        present.of[thing] = {uuid: (no, data) for uuid, no, data in found}
    marked = [*change.withdrawn, *change.reinstated, *(assertion.uuid for assertion in change.asserted)]
    if marked:
        present.said = dict(await ledger.read(_SAID, uuids=marked))
    return present


def _check(change: Change, present: Present) -> None:
    """Refuse a change with a flaw.

    Raises:
        NotFound, UsageError: what the flaw is.
    """
    for uuid in change.removed:
        if present.thing(uuid) is None:
            raise NotFound(f"the group has nothing with the id {uuid} to remove")
    known = (present.of[Thing.ENTITY].keys() - set(change.removed)) | {entity.uuid for entity in change.entities}
    spoken_of: list[Assertion | Fact] = [*change.asserted, *change.facts]
    for item in spoken_of:
        for uuid in (item.subject_uuid, item.object_uuid or item.subject_uuid):
            if uuid not in known:
                raise NotFound(f"group {change.group_id} has no entity {uuid}, of which the change speaks")
    said = dict(present.said)
    for assertion in change.asserted:
        if assertion.uuid in said:
            raise UsageError(f"assertion {assertion.uuid} exists already; assertions are never altered")
        said[assertion.uuid] = False
    for uuids, is_withdrawn in ((change.withdrawn, True), (change.reinstated, False)):
        for uuid in uuids:
            if said.get(uuid, is_withdrawn) is is_withdrawn:
                raise NotFound(f"the group has no {'standing' if is_withdrawn else 'withdrawn'} assertion {uuid}")
            said[uuid] = is_withdrawn


def _write(ledger: Ledger, change: Change, present: Present) -> None:
    at = ledger.recorded_at
    ledger.do(_LOG, node=change_node(change, ledger.take_no()))
    for uuid in change.removed:
        _close(ledger, uuid, present, change.uuid)
    for item in _each(change):
        if item.uuid not in change.removed and item.uuid in present.of[thing_of(item)]:
            _close(ledger, item.uuid, present, change.uuid)
    for item in _each(change):
        write(ledger, item, change.uuid)
    for assertion in change.asserted:
        ledger.do(_ASSERT, node=assertion_node(assertion, ledger.take_no(), at, change.uuid))
    for uuid in (*change.withdrawn, *change.reinstated):
        ledger.do(_MARK, uuid=uuid, group_id=ledger.group_id, at=at, by=change.uuid)
    graphiti.show(ledger, change, {uuid: data for found in present.of.values() for uuid, (_, data) in found.items()})


def _each(change: Change) -> Iterable[Any]:
    return (*change.episodes, *change.entities, *change.facts)


def _close(ledger: Ledger, uuid: str, present: Present, by: str) -> None:
    thing = present.thing(uuid)
    assert thing is not None
    if thing is Thing.EPISODE:
        close_episode(ledger, uuid, present.of[thing][uuid][0], by)
    else:
        close(ledger, thing, uuid, by)

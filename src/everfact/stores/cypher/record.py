"""Applying a change: checked against what is there, then written in one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from everfact.errors import Conflict, NotFound, UsageError
from everfact.models import Assertion, Change, Claim, Entity, Episode, Fact, Thing
from everfact.stores.cypher import queue
from everfact.stores.cypher.accept import close, require_own, write
from everfact.stores.cypher.engine import LABELS
from everfact.stores.cypher.group import Ledger
from everfact.stores.cypher.rows import OPEN, Item, assertion_node, change_node, from_data, to_moment

_KINDS: dict[Thing, type[Item]] = {Thing.EPISODE: Episode, Thing.ENTITY: Entity, Thing.FACT: Fact}
_PRESENT = {
    thing: f"MATCH (e:{label}) WHERE e.uuid IN $uuids AND e.group_id = $group AND e.known_to = {OPEN}"
    " RETURN e.no, e.data"
    for thing, label in LABELS.items()
}
_MADE = "MATCH (e:EverfactChange) WHERE e.uuid IN $uuids RETURN e.uuid, e.created_at"
_SAID = (
    "MATCH (e:EverfactAssertion) WHERE e.uuid IN $uuids AND e.group_id = $group RETURN e.uuid, size(e.marks) % 2 = 1"
)
_LOG = "CREATE (e:EverfactChange) SET e = r.node"
_ASSERT = "CREATE (e:EverfactAssertion) SET e = r.node"
_MARK = (
    "MATCH (e:EverfactAssertion {uuid: r.uuid}) WHERE e.group_id = r.group_id"
    " SET e.marks = e.marks + r.marks, e.marked_by = e.marked_by + r.marked_by"
)

_UNMARKED: dict[str, list[int]] = {"marks": []}


@dataclass(slots=True)
class Present:
    """What stands of all that a change speaks of: items with their numbers, and assertions."""

    items: dict[str, tuple[int, Item]] = field(default_factory=dict)
    said: dict[str, bool] = field(default_factory=dict)
    """Whether they are withdrawn."""


async def apply(ledger: Ledger, change: Change) -> Change:
    """See `Store.apply`."""
    items: list[Assertion | Item] = [*change.asserted, *_items(change)]
    foreign = {item.group_id for item in items} - {change.group_id}
    if foreign:
        raise UsageError(f"a change to group {change.group_id} holds items of group {min(foreign)}")
    if change.uuid in (known := await made(ledger, [change.uuid])):
        if ledger.is_retried:
            return change.recorded(to_moment(known[change.uuid]))
        raise UsageError(f"change {change.uuid} was made already")
    if change.parent != ledger.head:
        raise Conflict(
            f"group {change.group_id} has changed since it was read", hint="read it again and repeat the act"
        )
    present = await _look(ledger, change)
    _check_ends(change, present)
    change = change.recorded(to_moment(ledger.record()))
    await _keep(ledger, change, present)
    return change


async def made(ledger: Ledger, uuids: Sequence[str]) -> dict[str, int]:
    """Those of these ids that are changes which were made, and when."""
    return dict(map(tuple, await ledger.read(_MADE, uuids=list(uuids))))


async def finish(ledger: Ledger, change: Change, claim: Claim) -> Change:
    """See `Store.finish`."""
    if claim.episode.group_id != change.group_id:
        raise UsageError(f"a change to group {change.group_id} cannot finish an episode of {claim.episode.group_id}")
    if not (ledger.is_retried and await made(ledger, [change.uuid])):
        queue.finish(ledger, claim)
    return await apply(ledger, change)


async def adopt(ledger: Ledger, change: Change, said: Mapping[str, Sequence[Assertion]]) -> bool:
    """Write a change that makes ours what others have written, with what is `said` by or of each item of it.

    What came to be ours meanwhile is left out; answers whether anything was left.
    """
    spoken = [assertion for of in said.values() for assertion in of]
    present = await _look(ledger, replace(change, asserted=tuple(spoken)))
    entities = [entity for entity in change.entities if entity.uuid not in present.items]
    known = {uuid for uuid, (_, item) in present.items.items() if isinstance(item, Entity)}
    known |= {entity.uuid for entity in entities}
    facts = [fact for fact in change.facts if {fact.subject_uuid, fact.object_uuid} <= known]
    facts = [fact for fact in facts if fact.uuid not in present.items]
    episodes = [episode for episode in change.episodes if episode.uuid not in present.items]
    items: list[Item] = [*entities, *episodes, *facts]
    taken = [item.uuid for item in items]
    change = replace(
        change,
        episodes=tuple(episodes),
        entities=tuple(entities),
        facts=tuple(facts),
        asserted=tuple(a for uuid in taken for a in said[uuid] if a.subject_uuid in known),
    )
    if taken:
        await _keep(ledger, change.recorded(to_moment(ledger.record())), present)
    return bool(taken)


async def keep(ledger: Ledger, change: Change) -> None:
    """Write a change as it was recorded elsewhere; what it speaks of may have been purged since."""
    await _keep(ledger, change, await _look(ledger, change))


def _items(change: Change) -> list[Item]:
    return [*change.episodes, *change.entities, *change.facts]


def _spoken_of(change: Change) -> list[Assertion | Fact]:
    return [*change.asserted, *change.facts]


async def look_up(ledger: Ledger, changes: Sequence[Change], uuids: Iterable[str] = ()) -> None:
    """Read what stands of all that these changes, and these ids of episodes, speak of, unless it was read before."""
    asked: dict[Thing, set[str]] = {thing: set() for thing in Thing}
    asked[Thing.EPISODE].update(uuids)
    marked: set[str] = set()
    for change in changes:
        for thing, spoken_of in _asked(change).items():
            asked[thing] |= spoken_of
        marked |= _marked(change)
    for thing, of in asked.items():
        unseen = sorted(uuid for uuid in of - ledger.after.keys() if (thing, uuid) not in ledger.seen)
        ledger.seen |= dict.fromkeys((thing, uuid) for uuid in unseen)
        for no, data in await ledger.read(_PRESENT[thing], uuids=unseen) if unseen else ():
            item = from_data(_KINDS[thing], data)
            ledger.seen[thing, item.uuid] = no, item
    unsaid = sorted(marked - ledger.fresh.keys() - ledger.said.keys())
    ledger.said |= dict.fromkeys(unsaid)
    for uuid, is_withdrawn in await ledger.read(_SAID, uuids=unsaid) if unsaid else ():
        ledger.said[uuid] = is_withdrawn


def standing(ledger: Ledger, thing: Thing, uuid: str) -> tuple[int, Item] | None:
    """What stands of an item that was looked up, after all that the write does so far."""
    if uuid in ledger.fresh:
        made = ledger.after[uuid]
        assert made is not None
        return ledger.fresh[uuid]["no"], made
    return None if uuid in ledger.after else ledger.seen[thing, uuid]


def _asked(change: Change) -> dict[Thing, set[str]]:
    ends = {uuid for item in _spoken_of(change) for uuid in (item.subject_uuid, item.object_uuid) if uuid}
    return {
        Thing.EPISODE: {*change.removed, *(item.uuid for item in change.episodes)},
        Thing.ENTITY: {*change.removed, *(item.uuid for item in change.entities), *ends},
        Thing.FACT: {*change.removed, *(item.uuid for item in change.facts)},
    }


def _marked(change: Change) -> set[str]:
    return {*change.withdrawn, *change.reinstated, *(assertion.uuid for assertion in change.asserted)}


async def _look(ledger: Ledger, change: Change) -> Present:
    await look_up(ledger, [change])
    present = Present()
    for thing, uuids in _asked(change).items():
        found = ((uuid, standing(ledger, thing, uuid)) for uuid in uuids)
        present.items |= {uuid: stands for uuid, stands in found if stands is not None}
    marks = ledger.marks | ledger.fresh
    for uuid in _marked(change):
        was_withdrawn = False if uuid in ledger.fresh else ledger.said[uuid]
        if was_withdrawn is not None:
            present.said[uuid] = was_withdrawn ^ (len(marks.get(uuid, _UNMARKED)["marks"]) % 2 == 1)
    return present


def _check_ends(change: Change, present: Present) -> None:
    """Refuse a change that speaks of an entity that is not there.

    Raises:
        NotFound: it does.
    """
    known = {uuid for uuid, (_, item) in present.items.items() if isinstance(item, Entity)}
    known = known.difference(change.removed).union(entity.uuid for entity in change.entities)
    for item in _spoken_of(change):
        for uuid in (item.subject_uuid, item.object_uuid or item.subject_uuid):
            if uuid not in known:
                raise NotFound(f"group {change.group_id} has no entity {uuid}, of which the change speaks")


async def _keep(ledger: Ledger, change: Change, present: Present) -> None:
    for uuid in change.removed:
        if uuid not in present.items:
            raise NotFound(f"the group has nothing with the id {uuid} to remove")
    _check_marks(change, dict(present.said))
    await require_own(ledger, [change.uuid, *(item.uuid for item in (*_items(change), *change.asserted))])
    ledger.do(_LOG, node=change_node(change, ledger.take_no()))
    replaced = [item.uuid for item in _items(change) if item.uuid in present.items]
    for uuid in dict.fromkeys((*change.removed, *replaced)):
        no, item = present.items[uuid]
        close(ledger, item, no, change.uuid)
    for item in _items(change):
        write(ledger, item, change.uuid)
    for assertion in change.asserted:
        node = assertion_node(assertion, ledger.take_no(), ledger.recorded_at, change.uuid)
        ledger.do(_ASSERT, node=node)
        ledger.fresh[assertion.uuid] = node
        ends = (uuid for uuid in (assertion.subject_uuid, assertion.object_uuid) if uuid)
        ledger.mentions |= {(assertion.episode_uuid, uuid) for uuid in ends if assertion.episode_uuid}
    for uuid in (*change.withdrawn, *change.reinstated):
        _mark(ledger, uuid, change.uuid)
    ledger.head = change.uuid


def _check_marks(change: Change, said: dict[str, bool]) -> None:
    """Refuse assertions made twice, and marks that change nothing.

    Raises:
        NotFound, UsageError: there is one.
    """
    for assertion in change.asserted:
        if assertion.uuid in said:
            raise UsageError(f"assertion {assertion.uuid} exists already; assertions are never altered")
        said[assertion.uuid] = False
    for uuids, is_withdrawn in ((change.withdrawn, True), (change.reinstated, False)):
        for uuid in uuids:
            if said.get(uuid, is_withdrawn) is is_withdrawn:
                raise NotFound(f"the group has no {'standing' if is_withdrawn else 'withdrawn'} assertion {uuid}")
            said[uuid] = is_withdrawn


def _mark(ledger: Ledger, uuid: str, by: str) -> None:
    marks = ledger.fresh.get(uuid) or ledger.marks.get(uuid)
    if marks is None:
        marks = ledger.marks[uuid] = {"marks": [], "marked_by": []}
        ledger.steps[_MARK].append({"uuid": uuid, "group_id": ledger.group_id} | marks)
    marks["marks"].append(ledger.recorded_at)
    marks["marked_by"].append(by)

"""Taking in an episode, and the statements that write and close versions of anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from everfact.errors import UsageError
from everfact.models import Episode, Status, Thing, thing_of
from everfact.stores.cypher.engine import LABELS, TEXTS
from everfact.stores.cypher.group import Lease, Ledger
from everfact.stores.cypher.rows import EPISODE, NO_MODEL, NO_VERSION, OPEN, Item, key, to_episode, to_moment, version

_WRITE = {
    thing: f"CREATE (e:{label}) SET e = r.node"
    f" MERGE (t:{TEXTS[thing]} {{key: r.text.key}}) ON CREATE SET t += r.text"
    f" ON MATCH SET t.embedded = CASE t.embedded WHEN '{NO_VERSION}' THEN '{NO_MODEL}' ELSE t.embedded END"
    " CREATE (e)-[:EverfactSays]->(t)"
    " FOREACH (key IN r.terms |"
    " MERGE (n:EverfactTerm {key: key}) ON CREATE SET n.group_id = r.text.group_id CREATE (e)-[:EverfactHas]->(n))"
    for thing, label in LABELS.items()
}
_CLOSED = {Thing.EPISODE: ", e.status = 'done', e.attempts = 0, e.error = ''"}
_CLOSE = {
    thing: f"MATCH (e:{label} {{uuid: r.uuid}}) WHERE e.group_id = r.group_id AND e.no = r.no"
    f" SET e.known_to = r.at, e.closed_by = r.by{_CLOSED.get(thing, '')}"
    for thing, label in LABELS.items()
}
_ONE = "MATCH (e:EverfactEpisode) WHERE e.group_id = $group"
_BY_KEY = f"{_ONE} AND e.source_key = $key AND e.known_to = {OPEN} WITH e ORDER BY e.no LIMIT 1 RETURN {EPISODE}"
_BY_UUID = f"{_ONE} AND e.uuid = $uuid AND e.known_to = {OPEN} RETURN {EPISODE}, e.no"
_LENGTHEN = (
    "MERGE (t:EverfactThread {key: r.key}) ON CREATE SET t.length = 0, t.group_id = r.group_id"
    " SET t.length = CASE WHEN t.length < r.length THEN r.length ELSE t.length END"
)
_THREAD = "MATCH (t:EverfactThread {key: $key}) RETURN t.length"


async def add_episode(ledger: Ledger, episode: Episode) -> Episode:
    """See `Store.add_episode`."""
    if episode.source_key:
        told = await ledger.read(_BY_KEY, key=key(episode.group_id, episode.source_key))
        if told:
            return to_episode(told[0])
    await require_own(ledger, [episode.uuid])
    known = await ledger.read(_BY_UUID, uuid=episode.uuid)
    if known:
        former = to_episode(known[0][:-1])
        if former.content == episode.content:
            return former
        episode = replace(episode, thread=former.thread, position=former.position)
    else:
        episode = replace(episode, position=await next_position(ledger, episode))
    at = to_moment(ledger.record())
    episode = replace(episode, created_at=at, status=Status.PENDING, attempts=0, error="")
    if known:
        close(ledger, former, known[0][-1], None)
    write(ledger, episode, None)
    return episode


async def require_own(ledger: Ledger, uuids: Iterable[str]) -> None:
    """Refuse ids that belong to items of another group.

    Raises:
        UsageError: one does.
    """
    asked = list(dict.fromkeys(uuid for uuid in uuids if uuid not in ledger.owned))
    foreign = await ledger.engine.foreign(ledger.group_id, asked)
    ledger.owned.update(asked)
    if foreign:
        raise UsageError(
            f"the id {foreign[0]} belongs to another group",
            hint="leave the uuid out to get a new one, or name its group",
        )


async def next_position(ledger: Ledger, episode: Episode) -> int:
    """Behind the last turn of its thread; 0 without one."""
    if not episode.thread:
        return 0
    found = await ledger.read(_THREAD, key=key(ledger.group_id, episode.thread))
    return found[0][0] + 1 if found else 1


def close(ledger: Ledger, item: Item, no: int, by: str | None) -> None:
    """End the present version of an item, which has that number; for an episode, also its wait in the queue."""
    thing, node = thing_of(item), ledger.fresh.pop(item.uuid, None)
    if node is None:
        # By its number: the version that follows may have been written when this is done.
        ledger.do(_CLOSE[thing], uuid=item.uuid, group_id=ledger.group_id, no=no, at=ledger.recorded_at, by=by)
        ledger.before[item.uuid] = item
    else:
        node |= {"known_to": ledger.recorded_at, "closed_by": by}
        node |= {"status": "done", "attempts": 0, "error": ""} if thing is Thing.EPISODE else {}
    ledger.after[item.uuid] = None
    if thing is Thing.EPISODE and ledger.lease.no == no:
        ledger.lease = Lease()  # its words do not count any more, so whoever digests it loses the claim


def write(ledger: Ledger, item: Item, made_by: str | None) -> None:
    """Write a version of an item, with its words; the one before is closed already."""
    no = ledger.take_no()
    row = version(item, no, ledger.recorded_at, made_by)
    ledger.do(_WRITE[thing_of(item)], **row)
    ledger.fresh[item.uuid], ledger.after[item.uuid] = row["node"], item


def lengthen_threads(ledger: Ledger) -> None:
    """Count the turns of the threads that were written to."""
    written = [item for item in ledger.after.values() if isinstance(item, Episode) and item.thread]
    lengths = {episode.thread: 0 for episode in written}
    for episode in written:
        lengths[episode.thread] = max(lengths[episode.thread], episode.position)
    for thread, length in lengths.items():
        ledger.do(_LENGTHEN, key=key(ledger.group_id, thread), group_id=ledger.group_id, length=length)

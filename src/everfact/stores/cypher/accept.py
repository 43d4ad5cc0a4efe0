"""Taking in an episode, and the statements that write versions of anything."""

from __future__ import annotations

from dataclasses import replace

from everfact.errors import UsageError
from everfact.models import Episode, Status, Thing
from everfact.stores.cypher import graphiti
from everfact.stores.cypher.engine import LABELS, TEXTS
from everfact.stores.cypher.group import Lease, Ledger
from everfact.stores.cypher.rows import EPISODE, OPEN, Item, key, place, thing_text, to_episode, to_moment, version

_WRITE = {
    thing: f"CREATE (e:{label}) SET e = r.node"
    f" MERGE (t:{TEXTS[thing]} {{key: r.text.key}}) ON CREATE SET t += r.text CREATE (e)-[:EverfactSays]->(t)"
    " FOREACH (key IN r.terms | MERGE (n:EverfactTerm {key: key}) CREATE (e)-[:EverfactHas]->(n))"
    for thing, label in LABELS.items()
}
_CLOSE = {
    thing: f"MATCH (e:{label} {{uuid: r.uuid}}) WHERE e.group_id = r.group_id AND e.known_to = {OPEN}"
    " SET e.known_to = r.at, e.closed_by = r.by"
    + (", e.status = 'done', e.attempts = 0, e.error = ''" if thing is Thing.EPISODE else "")
    for thing, label in LABELS.items()
}
_LENGTHEN = "MERGE (t:EverfactThread {key: r.key}) SET t.length = r.length, t.group_id = r.group_id, t.name = r.name"
_ONE = "MATCH (e:EverfactEpisode) WHERE e.group_id = $group"
_BY_KEY = f"{_ONE} AND e.source_key = $key AND e.known_to = {OPEN} RETURN {EPISODE} ORDER BY e.no LIMIT 1"
_BY_UUID = f"{_ONE} AND e.uuid = $uuid AND e.known_to = {OPEN} RETURN {EPISODE}, e.no"
_THREAD = "MATCH (t:EverfactThread {key: $key}) RETURN t.length"
_BEFORE = f"{_ONE} AND e.place = $place AND e.known_to = {OPEN} RETURN e.uuid"


async def add_episode(ledger: Ledger, episode: Episode) -> Episode:
    """See `Store.add_episode`."""
    if episode.source_key:
        told = await ledger.read(_BY_KEY, key=key(episode.group_id, episode.source_key))
        if told:
            return to_episode(told[0])
    await require_own(ledger, [episode.uuid])
    known = await ledger.read(_BY_UUID, uuid=episode.uuid)
    if known:
        told_before = to_episode(known[0][:-1])
        if told_before.content == episode.content:
            return told_before
        episode = replace(episode, thread=told_before.thread, position=told_before.position)
    else:
        episode = replace(episode, position=await _next_position(ledger, episode))
    at = ledger.record()
    episode = replace(episode, created_at=to_moment(at), status=Status.PENDING, attempts=0, error="")
    if known:
        close_episode(ledger, episode.uuid, known[0][-1], None)
    write(ledger, episode, None)
    graphiti.put_episode(ledger, episode)
    if episode.thread and not known:
        before = await ledger.read(_BEFORE, place=place(episode.group_id, episode.thread, episode.position - 1))
        graphiti.put_in_thread(ledger, episode, before[0][0] if before else None)
    return episode


async def require_own(ledger: Ledger, uuids: list[str]) -> None:
    """Refuse ids that belong to items of another group.

    Raises:
        UsageError: one does.
    """
    foreign = await ledger.engine.foreign(ledger.group_id, uuids)
    if foreign is not None:
        raise UsageError(f"the id {foreign} belongs to an item of another group", hint="leave it out to get a new one")


async def _next_position(ledger: Ledger, episode: Episode) -> int:
    if not episode.thread:
        return 0
    thread = key(ledger.group_id, episode.thread)
    found = await ledger.read(_THREAD, key=thread)
    length: int = found[0][0] + 1 if found else 1
    ledger.do(_LENGTHEN, key=thread, group_id=ledger.group_id, name=episode.thread, length=length)
    return length


def close(ledger: Ledger, thing: Thing, uuid: str, by: str | None) -> None:
    """End the present version of an item; for an episode, `close_episode`."""
    ledger.do(_CLOSE[thing], uuid=uuid, group_id=ledger.group_id, at=ledger.recorded_at, by=by)


def close_episode(ledger: Ledger, uuid: str, no: int, by: str | None) -> None:
    """End the present version of an episode, which has that number, and its wait in the queue."""
    close(ledger, Thing.EPISODE, uuid, by)
    if ledger.lease.no == no:  # its words do not count any more, so whoever digests it loses the claim
        ledger.lease = Lease()


def write(ledger: Ledger, item: Item, made_by: str | None) -> None:
    """Write a version of an item, with its words; the one before is closed already."""
    no = ledger.take_no()
    ledger.do(_WRITE[thing_text(item)[0]], **version(item, no, ledger.recorded_at, made_by))

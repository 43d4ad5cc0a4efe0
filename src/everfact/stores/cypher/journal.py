"""The journal: what was told and done, from the beginning, read out of the versions and written into them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from everfact.errors import Conflict, UsageError
from everfact.models import Assertion, Change, Entry, Episode, Status, Thing, Undigested, as_entry
from everfact.stores.cypher import queue, read, record
from everfact.stores.cypher.accept import close, require_own, write
from everfact.stores.cypher.engine import Part
from everfact.stores.cypher.group import Lease, Ledger
from everfact.stores.cypher.rows import EPISODE, OPEN, Item, to_episode, to_micros

_MINE = "MATCH (e:EverfactEpisode) WHERE e.group_id IN $groups"
_END = "MATCH (g:EverfactGroup) WHERE g.group_id IN $groups RETURN g.next_no"
_AT = tuple(
    f"MATCH (e:{label}) WHERE e.group_id IN $groups AND e.uuid = $uuid AND e.{time} = $since RETURN e.no"
    for label, time in (("EverfactEpisode", "known_from"), ("EverfactChange", "created_at"))
)
_STRETCH = "e.no > $after AND e.no <= $until AND"
_TOLD = (
    f"{_MINE} AND {_STRETCH} e.made_by IS NULL AND e.known_from > $since"
    f" WITH e ORDER BY e.no LIMIT $limit RETURN {EPISODE}"
)
_DONE = (
    f"MATCH (e:EverfactChange) WHERE e.group_id IN $groups AND {_STRETCH} e.created_at > $since"
    " WITH e ORDER BY e.no LIMIT $limit RETURN properties(e)"
)
_WIDTH = 8
"""How many numbers of a group are looked through for each entry that is wanted: a change numbers all that it writes."""
_LEFT = (
    f"{_MINE} AND e.status IN ['pending', 'parked'] AND e.no > $after"
    " WITH e ORDER BY e.no LIMIT $limit RETURN e.uuid, e.status, e.attempts, e.error"
)
_PRESENT = f"{_MINE} AND e.uuid = $uuid AND e.known_to = {OPEN} RETURN {EPISODE}, e.no"
_TELLINGS = f"{_MINE} AND e.uuid IN $uuids AND e.made_by IS NULL RETURN e.uuid, e.known_from"
_EMPTY = (
    "MATCH (e:EverfactEpisode) WHERE e.group_id = r.group_id AND e.status IN ['pending', 'parked']"
    " SET e.status = 'done', e.attempts = 0, e.error = ''"
)


async def journal(parts: Sequence[Part], limit: int, after: Entry | None) -> list[Entry]:
    """See `Store.journal`."""
    found: list[Entry] = []
    first = "" if after is None else after.group_id
    alone = [replace(part, groups=(group,)) for part in parts for group in part.groups if group >= first]
    for part in sorted(alone, key=lambda part: part.groups):
        if len(found) < limit:
            since = after if part.groups == (first,) else None
            found += await _of_group(part, limit - len(found), since)
    return found


async def _of_group(part: Part, limit: int, since: Entry | None) -> list[Entry]:
    if isinstance(since, Undigested):
        seen = await part.read(_PRESENT, uuid=since.uuid)
        return await _left(part, limit, seen[0][-1] if seen else 0)
    found: list[Entry] = []
    found += await _history(part, since, limit)
    return found + await _left(part, limit - len(found), 0)


async def _left(part: Part, limit: int, after: int) -> list[Entry]:
    return [
        Undigested(uuid=uuid, group_id=part.groups[0], status=Status(status), attempts=attempts, error=error)
        for uuid, status, attempts, error in (await part.read(_LEFT, after=after, limit=limit) if limit else ())
    ]


async def _history(part: Part, since: Episode | Change | None, limit: int) -> list[Episode | Change]:
    """Tellings and changes after that one, by stretches: sorting all that follows for each page takes ever longer."""
    found: list[Episode | Change] = []
    after, width, time = 0, limit * _WIDTH, 0
    if since is not None:
        time = to_micros(since.created_at)
        numbers = [row for query in _AT for row in await part.read(query, uuid=since.uuid, since=time)]
        after = max((no for (no,) in numbers), default=0)
    end = max((no for (no,) in await part.read(_END)), default=0)
    while len(found) < limit and after < end:
        asked = {"after": after, "until": after + width, "since": time, "limit": limit - len(found)}
        found += await _stretch(part, asked)
        after, width = after + width, 2 * width
    return found


async def _stretch(part: Part, asked: Mapping[str, int]) -> list[Episode | Change]:
    """The first tellings and changes with such numbers; only the changes that are wanted are put together."""
    told = [to_episode(row) for row in await part.read(_TOLD, **asked)]
    nodes = [node for (node,) in await part.read(_DONE, **asked)]
    times = sorted([*(to_micros(episode.created_at) for episode in told), *(node["created_at"] for node in nodes)])
    last = times[: asked["limit"]][-1] if times else 0
    done = await read.whole(part, [node for node in nodes if node["created_at"] <= last])
    found: list[Episode | Change] = [*map(as_entry, done)]
    found += [as_entry(episode) for episode in told if to_micros(episode.created_at) <= last]
    return sorted(found, key=lambda entry: entry.created_at)


async def replay(ledger: Ledger, entries: Sequence[Entry]) -> int:
    """See `Store.replay`. Whatever the entries speak of is read at once, before the first of them is written."""
    last, count, left = 0, 0, 0
    await require_own(ledger, [uuid for entry in entries for uuid in _named(entry)])
    recorded = [entry for entry in entries if not isinstance(entry, Undigested)]
    known = await _known(ledger, recorded)
    new = [entry for entry in recorded if _mark(entry) not in known]
    told = [entry.uuid for entry in new if isinstance(entry, Episode)]
    await record.look_up(ledger, [entry for entry in new if isinstance(entry, Change)], told)
    for entry in entries:
        if isinstance(entry, Undigested):
            left += ledger.recorded_at == last and await _leave(ledger, entry, is_emptied=count > 0)
        elif _mark(entry) not in known:
            if ledger.recorded_at != last:
                raise _diverged(entry)
            if not count:
                _empty_queue(ledger)
            await _continue(ledger, as_entry(entry))
            last, count = ledger.recorded_at, count + 1
        elif count:
            raise _diverged(entry)
        else:
            last = to_micros(entry.created_at)
    return count + left


def _named(entry: Entry) -> list[str]:
    """The ids of an entry and of all that it made: asked about at once, they cost one look at who owns them."""
    if not isinstance(entry, Change):
        return [entry.uuid]
    made: list[Item | Assertion] = [*entry.episodes, *entry.entities, *entry.facts, *entry.asserted]
    return [entry.uuid, *(item.uuid for item in made)]


def _mark(entry: Episode | Change) -> tuple[str, int]:
    """What tells an entry from all others: an episode can be told more than once."""
    return entry.uuid, to_micros(entry.created_at)


async def _known(ledger: Ledger, entries: Sequence[Episode | Change]) -> set[tuple[str, int]]:
    """Those of the entries that are here already."""
    told = [entry.uuid for entry in entries if isinstance(entry, Episode)]
    known = {(uuid, at) for uuid, at in await ledger.read(_TELLINGS, uuids=told)} if told else set()
    changes = [entry for entry in entries if isinstance(entry, Change)]
    made = await record.made(ledger, [change.uuid for change in changes])
    return known | {_mark(change) for change in changes if change.uuid in made}


async def _continue(ledger: Ledger, entry: Episode | Change) -> None:
    """Write an entry after the last one, at the time it has."""
    at = to_micros(entry.created_at)
    if at <= ledger.recorded_at:
        raise UsageError(f"the entry {entry.uuid} of group {entry.group_id} was recorded before the one ahead of it")
    ledger.recorded_at = at
    if isinstance(entry, Change):
        if entry.parent != ledger.head:
            raise _diverged(entry)
        await record.keep(ledger, entry)
        return
    former = record.standing(ledger, Thing.EPISODE, entry.uuid)
    if former is not None:
        close(ledger, former[1], former[0], None)
    write(ledger, entry, None)


async def _present(ledger: Ledger, uuid: str) -> tuple[Episode, int] | None:
    if uuid in ledger.after:
        item = ledger.after[uuid]
        return (item, ledger.fresh[uuid]["no"]) if isinstance(item, Episode) else None
    rows = await ledger.read(_PRESENT, uuid=uuid)
    return (to_episode(rows[0][:-1]), rows[0][-1]) if rows else None


def _empty_queue(ledger: Ledger) -> None:
    ledger.lease = Lease()
    ledger.do(_EMPTY, group_id=ledger.group_id)


async def _leave(ledger: Ledger, entry: Undigested, *, is_emptied: bool) -> bool:
    """Queue an episode, unless it is queued here already or was purged; answer whether it was."""
    present = await _present(ledger, entry.uuid)
    if present is None:
        return False
    episode, no = present
    if episode.status is not Status.DONE and not is_emptied:
        return False
    episode = replace(episode, status=entry.status, attempts=entry.attempts, error=entry.error)
    if entry.uuid in ledger.fresh:
        ledger.fresh[entry.uuid] |= {"status": entry.status.value, "attempts": entry.attempts, "error": entry.error}
    else:
        queue.put(ledger, no, episode)
    ledger.waiting_from = min(ledger.waiting_from, no)
    return True


def _diverged(entry: Episode | Change) -> Conflict:
    return Conflict(
        f"group {entry.group_id} has gone another way than the journal before {entry.uuid} was recorded",
        hint="take in what is new as changes of its own",
    )

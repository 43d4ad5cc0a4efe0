"""The journal: what was told and done, from the beginning, read out of the versions and written into them again."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from everfact.errors import Conflict, UsageError
from everfact.models import Change, Entry, Episode, Status, Undigested, as_entry
from everfact.stores.sqlite import read, record, rows
from everfact.stores.sqlite.accept import Ledger, close_episode, close_ledger, insert_episode, read_ledger
from everfact.stores.sqlite.where import GROUP_SPAN

_GROUPS = """
    SELECT no, group_id FROM groups
    WHERE (:chosen IS NULL OR group_id IN (SELECT value FROM json_each(:chosen))) AND group_id >= :first
    ORDER BY group_id
"""
_TOLD = f"""
    SELECT {rows.EPISODE} FROM {rows.EPISODE_FROM}
    WHERE e.group_no = ? AND e.made_by IS NULL AND e.known_from > ? ORDER BY e.known_from LIMIT ?
"""
_DONE = f"""
    SELECT {rows.CHANGE} FROM {rows.CHANGE_FROM}
    WHERE e.group_no = ? AND e.created_at > ? ORDER BY e.created_at LIMIT ?
"""
_LEFT = f"""
    SELECT e.uuid, q.parked, q.attempts, q.error
    FROM queue AS q JOIN episodes AS e ON e.id = q.episode_id
    WHERE e.id > ? AND e.id < ? * {GROUP_SPAN} ORDER BY e.id LIMIT ?
"""
_PRESENT = "SELECT id FROM episodes WHERE uuid = ? AND group_no = ? AND known_to IS NULL"


def journal(
    connection: apsw.Connection, group_ids: tuple[str, ...] | None, limit: int, after: Entry | None
) -> list[Entry]:
    """See `Store.journal`."""
    chosen = None if group_ids is None else rows.to_json(list(group_ids))
    first = "" if after is None else after.group_id
    found: list[Entry] = []
    groups: list[rows.Row] = connection.execute(_GROUPS, {"chosen": chosen, "first": first}).fetchall()
    for no, group_id in groups:
        if len(found) < limit:
            since = after if after is not None and after.group_id == group_id else None
            found += _of_group(connection, (no, group_id), limit - len(found), since)
    return found


def _of_group(connection: apsw.Connection, group: tuple[int, str], limit: int, since: Entry | None) -> list[Entry]:
    no = group[0]
    if isinstance(since, Undigested):
        seen = connection.execute(_PRESENT, (since.uuid, no)).get
        return _left(connection, group, limit, seen)
    found: list[Entry] = []
    found += _history(connection, no, 0 if since is None else rows.to_micros(since.created_at), limit)
    return found + _left(connection, group, limit - len(found), no * GROUP_SPAN)


def _left(connection: apsw.Connection, group: tuple[int, str], limit: int, seen: int) -> list[Entry]:
    no, group_id = group
    return [
        Undigested(
            uuid=uuid,
            group_id=group_id,
            status=Status.PARKED if parked else Status.PENDING,
            attempts=attempts,
            error=error,
        )
        for uuid, parked, attempts, error in connection.execute(_LEFT, (seen, no + 1, limit))
    ]


def _history(connection: apsw.Connection, no: int, since: int, limit: int) -> list[Episode | Change]:
    """Tellings and changes after that time; only the changes that are wanted are put together."""
    told = map(rows.to_episode, connection.execute(_TOLD, (no, since, limit)).fetchall())
    done: list[rows.Row] = connection.execute(_DONE, (no, since, limit)).fetchall()
    found: list[tuple[int, Episode | rows.Row]] = [(rows.to_micros(episode.created_at), episode) for episode in told]
    found += [(row[3], row) for row in done]
    found.sort(key=lambda entry: entry[0])
    return [
        as_entry(item) if isinstance(item, Episode) else as_entry(read.whole(connection, item))
        for _, item in found[:limit]
    ]


def replay(connection: apsw.Connection, entries: Sequence[Entry]) -> int:
    """See `Store.replay`."""
    groups = {entry.group_id for entry in entries if not isinstance(entry, Undigested)}
    if not groups:
        return 0
    if len(groups | {entry.group_id for entry in entries}) > 1:
        raise UsageError(f"a stretch of a journal mixes the groups {', '.join(sorted(groups))}")
    ledger = read_ledger(connection, groups.pop())
    last, count = 0, 0
    for entry in entries:
        if isinstance(entry, Undigested):
            count += ledger.recorded_at == last and _leave(connection, entry, ledger)
        elif not _is_there(connection, entry, ledger):
            if ledger.recorded_at != last:
                raise _diverged(entry)
            if not count:
                _empty_queue(connection, ledger)
            last, count = _continue(connection, as_entry(entry), ledger), count + 1
        elif count:
            raise _diverged(entry)
        else:
            last = rows.to_micros(entry.created_at)
    close_ledger(connection, ledger)
    return count


def _is_there(connection: apsw.Connection, entry: Episode | Change, ledger: Ledger) -> bool:
    if isinstance(entry, Change):
        owner: int | None = connection.execute("SELECT group_no FROM changes WHERE uuid = ?", (entry.uuid,)).get
        if owner not in (None, ledger.no):
            raise UsageError(f"change {entry.uuid} belongs to another group")
        return owner is not None
    owner = connection.execute("SELECT group_no FROM episodes WHERE uuid = ? LIMIT 1", (entry.uuid,)).get
    if owner not in (None, ledger.no):
        raise UsageError(f"episode {entry.uuid} belongs to another group")
    told = "SELECT 1 FROM episodes WHERE uuid = ? AND known_from = ? AND made_by IS NULL"
    return connection.execute(told, (entry.uuid, rows.to_micros(entry.created_at))).get is not None


def _continue(connection: apsw.Connection, entry: Episode | Change, ledger: Ledger) -> int:
    """Write an entry after the last one; answer its time."""
    at = rows.to_micros(entry.created_at)
    if at <= ledger.recorded_at:
        raise UsageError(f"the entry {entry.uuid} of group {entry.group_id} was recorded before the one ahead of it")
    ledger.recorded_at = at
    if isinstance(entry, Episode):
        close_episode(connection, entry.uuid, ledger, change_no=None)
        insert_episode(connection, entry, ledger, change_no=None)
    elif entry.parent != ledger.head:
        raise _diverged(entry)
    else:
        record.keep(connection, entry, ledger)
    return at


def _empty_queue(connection: apsw.Connection, ledger: Ledger) -> None:
    span = ledger.no * GROUP_SPAN, (ledger.no + 1) * GROUP_SPAN - 1
    connection.execute("DELETE FROM leases WHERE group_no = ?", (ledger.no,))
    connection.execute("DELETE FROM queue WHERE episode_id BETWEEN ? AND ?", span)


def _leave(connection: apsw.Connection, entry: Undigested, ledger: Ledger) -> bool:
    """Queue an episode, unless it is queued here already or was purged; answer whether it was."""
    connection.execute(
        "INSERT INTO queue (episode_id, parked, attempts, retry_at, error)"
        " SELECT id, ?, ?, 0, ? FROM episodes WHERE uuid = ? AND group_no = ? AND known_to IS NULL"
        " ON CONFLICT (episode_id) DO NOTHING",
        (entry.status is Status.PARKED, entry.attempts, entry.error, entry.uuid, ledger.no),
    )
    return connection.changes() > 0


def _diverged(entry: Episode | Change) -> Conflict:
    return Conflict(
        f"group {entry.group_id} has gone another way than the journal before {entry.uuid} was recorded",
        hint="take in what is new as changes of its own",
    )

"""Who digests what: leases on groups, so that one group is digested in order by one worker at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import apsw

from everfact.clock import new_id
from everfact.errors import ClaimLost
from everfact.models import HEARD, MET, Claim, Filter, names_in
from everfact.stores.sqlite import rows, where
from everfact.stores.sqlite.where import GROUP_SPAN

STALE = "deadline <= :now OR granted_at - :now >= deadline - granted_at"
"""A lease that ran out, or was granted before the clock went back: further ahead than it is long."""

# Counted before the work begins: a worker that dies of an episode has tried it too.
_TAKEN = f"""
    {rows.EPISODE.replace("q.attempts", "q.attempts + 1")}, e.id, e.group_no, g.head,
    NOT EXISTS (SELECT 1 FROM assertions WHERE episode_uuid = e.uuid), e.thread_no
"""
# The oldest pending episode of each group, hopping from group to group along the index of ids.
# UNION, not UNION ALL: in a damaged index the hops may lead back, and would never end.
_HEADS = f"""
    WITH RECURSIVE head (id) AS (
        SELECT min(episode_id) FROM queue WHERE parked = 0
        UNION
        SELECT (
            SELECT min(episode_id) FROM queue
            WHERE parked = 0 AND episode_id >= (head.id / {GROUP_SPAN} + 1) * {GROUP_SPAN}
        ) FROM head WHERE head.id IS NOT NULL
    )
    SELECT {_TAKEN}
    FROM head CROSS JOIN {rows.EPISODE_FROM} LEFT JOIN leases AS l ON l.group_no = e.group_no
    WHERE e.id = head.id AND (:groups IS NULL OR g.group_id IN (SELECT value FROM json_each(:groups)))
    AND q.retry_at <= :now AND (l.token IS NULL OR {STALE})
    ORDER BY e.created_at, e.uuid LIMIT :limit
"""
_NEXT = f"""
    SELECT {_TAKEN} FROM {rows.EPISODE_FROM}
    WHERE e.id = (SELECT min(episode_id) FROM queue WHERE parked = 0 AND episode_id BETWEEN ? AND ?)
    AND q.retry_at <= ?
"""
_HEARD = f"""
    SELECT speaker FROM episodes WHERE thread_no = ? AND position BETWEEN ? - {HEARD} AND ? - 1 AND known_to IS NULL
    ORDER BY position DESC
"""
_MET = f"""
    SELECT {rows.ENTITY} FROM {rows.ENTITY_FROM} WHERE e.id IN (
        SELECT entity_id FROM entity_terms
        WHERE group_no = ? AND kind = 'name' AND term IN (SELECT value FROM json_each(?))
    ) AND e.known_to IS NULL ORDER BY e.created_at DESC, e.uuid DESC LIMIT {MET}
"""


def claim(
    connection: apsw.Connection,
    owner: str,
    wanted: tuple[int, tuple[str, ...] | None],
    lease: timedelta,
    now: datetime,
) -> list[Claim]:
    """See `Store.claim`."""
    limit, group_ids = wanted
    groups = None if group_ids is None else rows.to_json(list(group_ids))
    wanted_now = {"now": rows.to_micros(now), "limit": limit, "groups": groups}
    heads: list[rows.Row] = connection.execute(_HEADS, wanted_now).fetchall()
    return [_take(connection, row, owner, lease, now) for row in heads]


def claim_next(connection: apsw.Connection, group_no: int, owner: str, lease: timedelta, now: datetime) -> Claim | None:
    """Claim the oldest pending episode of a group that nobody holds, unless it waits for its next try."""
    ids = group_no * GROUP_SPAN, (group_no + 1) * GROUP_SPAN - 1
    row = connection.execute(_NEXT, (*ids, rows.to_micros(now))).fetchone()
    return None if row is None else _take(connection, row, owner, lease, now)


def _take(connection: apsw.Connection, row: rows.Row, owner: str, lease: timedelta, now: datetime) -> Claim:
    *_, episode_id, group_no, head, is_first, thread_no = row
    connection.execute("UPDATE queue SET attempts = attempts + 1 WHERE episode_id = ?", (episode_id,))
    episode = rows.to_episode(row)
    heard = connection.execute(_HEARD, (thread_no, episode.position, episode.position)) if thread_no else ()
    taken = Claim(
        token=new_id(),
        owner=owner,
        episode=episode,
        deadline=now + lease,
        head=head,
        is_first=bool(is_first),
        listeners=tuple(dict.fromkeys(name for (name,) in heard if name not in ("", episode.speaker))),
        known=tuple(map(rows.to_entity, connection.execute(_MET, (group_no, rows.to_json(names_in(episode)))))),
    )
    connection.execute(
        "INSERT OR REPLACE INTO leases (group_no, episode_id, token, owner, granted_at, deadline)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (group_no, episode_id, taken.token, owner, rows.to_micros(now), rows.to_micros(taken.deadline)),
    )
    return taken


def renew(connection: apsw.Connection, claim: Claim, lease: timedelta, now: datetime) -> Claim:
    """See `Store.renew`."""
    group_no, _ = _held(connection, claim)
    longer = replace(claim, deadline=now + lease)
    connection.execute(
        "UPDATE leases SET granted_at = ?, deadline = ? WHERE group_no = ?",
        (rows.to_micros(now), rows.to_micros(longer.deadline), group_no),
    )
    return longer


def release(connection: apsw.Connection, claim: Claim, error: str, retry_at: datetime | None, park: bool) -> None:
    """See `Store.release`. Given back without an error, the attempt does not count."""
    group_no, episode_id = _held(connection, claim)
    if error or park:
        connection.execute(
            "UPDATE queue SET error = ?, retry_at = ?, parked = ? WHERE episode_id = ?",
            (error, rows.micros_or_none(retry_at) or 0, park, episode_id),
        )
    else:
        connection.execute("UPDATE queue SET attempts = attempts - 1 WHERE episode_id = ?", (episode_id,))
    connection.execute("DELETE FROM leases WHERE group_no = ?", (group_no,))


def finish(connection: apsw.Connection, claim: Claim) -> None:
    """The claimed episode is digested: out of the queue, and its group is free.

    Raises:
        ClaimLost: the claim is no longer held.
    """
    group_no, episode_id = _held(connection, claim)
    connection.execute("DELETE FROM queue WHERE episode_id = ?", (episode_id,))
    connection.execute("DELETE FROM leases WHERE group_no = ?", (group_no,))


def requeue(connection: apsw.Connection, filter_: Filter) -> int:
    """See `Store.requeue`."""
    filter_ = replace(filter_, known_at=None)
    count = 0
    for group in where.groups(connection, filter_.group_ids):
        chosen = where.episodes(filter_, group)
        connection.execute(
            "INSERT INTO queue (episode_id, parked, attempts, retry_at, error)"
            f" SELECT e.id, 0, 0, 0, '' FROM {rows.EPISODE_FROM}"
            f" WHERE {chosen.sql} AND q.parked IS NOT 0"
            " ON CONFLICT (episode_id) DO UPDATE SET parked = 0, attempts = 0, retry_at = 0, error = ''",
            chosen.parameters,
        )
        count += connection.changes()
    return count


def _held(connection: apsw.Connection, claim: Claim) -> tuple[int, int]:
    """The numbers of the group and of the episode that the claim holds.

    Raises:
        ClaimLost: somebody else holds them, or nobody.
    """
    held: tuple[int, int] | None = connection.execute(
        "SELECT group_no, episode_id FROM leases WHERE token = ?", (claim.token,)
    ).fetchone()
    if held is None:
        raise ClaimLost(
            f"the claim on episode {claim.episode.uuid} ran out or its episode was replaced",
            hint="drop the work; it is done again",
        )
    return held

"""Taking in an episode: the row, its words, its place in thread and queue, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import apsw

from everfact.errors import UsageError
from everfact.models import Episode, Status
from everfact.stores.sqlite import rows
from everfact.stores.sqlite.where import GROUP_SPAN
from everfact.stores.sqlite.wording import index_episode

_READ = f"SELECT {rows.EPISODE} FROM {rows.EPISODE_FROM} WHERE"


@dataclass(slots=True)
class Ledger:
    """The counters of one group, held for the length of a writing transaction."""

    no: int
    next_id: int
    recorded_at: int
    head: str | None

    def take_id(self) -> int:
        """The next free id of the group."""
        self.next_id += 1
        return self.no * GROUP_SPAN + self.next_id


def open_ledger(connection: apsw.Connection, group_id: str, now: datetime) -> Ledger:
    """Begin writing to a group, made if it is new; the record time moves on even if the clock went back."""
    ledger = read_ledger(connection, group_id)
    ledger.recorded_at = max(rows.to_micros(now), ledger.recorded_at + 1)
    return ledger


def read_ledger(connection: apsw.Connection, group_id: str) -> Ledger:
    """The counters of a group, made if it is new, as the last writer left them."""
    read = "SELECT no, next_id, recorded_at, head FROM groups WHERE group_id = ?"
    row = connection.execute(read, (group_id,)).fetchone()
    if row is None:
        connection.execute("INSERT INTO groups (group_id, next_id, recorded_at) VALUES (?, 0, 0)", (group_id,))
        row = (connection.last_insert_rowid(), 0, 0, None)
    return Ledger(*row)


def close_ledger(connection: apsw.Connection, ledger: Ledger) -> None:
    """Keep the counters."""
    connection.execute(
        "UPDATE groups SET next_id = ?, recorded_at = ?, head = ? WHERE no = ?",
        (ledger.next_id, ledger.recorded_at, ledger.head, ledger.no),
    )


def touch(connection: apsw.Connection, group_id: str) -> None:
    """Write what means nothing (an id is left out), so that the commit brings all that was noted before to disk."""
    connection.execute("UPDATE groups SET next_id = next_id + 1 WHERE group_id = ?", (group_id,))


def add_episode(connection: apsw.Connection, episode: Episode, now: datetime) -> Episode:
    """Keep an episode unless it is there already; see `Store.add_episode`."""
    ledger = open_ledger(connection, episode.group_id, now)
    told = _with_key(connection, episode.source_key, ledger)
    if told is not None:
        return told
    told = _with_uuid(connection, episode)
    if told is not None and told.content == episode.content:
        return told
    if told is None:
        thread, position = episode.thread, _next_position(connection, episode, ledger)
    else:
        thread, position = told.thread, told.position
        close_episode(connection, episode.uuid, ledger, change_no=None)
    episode = replace(
        episode,
        created_at=rows.to_moment(ledger.recorded_at),
        thread=thread,
        position=position,
        status=Status.PENDING,
        attempts=0,
        error="",
    )
    insert_episode(connection, episode, ledger, change_no=None)
    close_ledger(connection, ledger)
    return episode


def _with_key(connection: apsw.Connection, source_key: str, ledger: Ledger) -> Episode | None:
    if not source_key:
        return None
    by_key = "e.group_no = ? AND e.source_key = ? AND e.source_key <> '' AND e.known_to IS NULL"
    row = connection.execute(f"{_READ} {by_key}", (ledger.no, source_key)).fetchone()
    return None if row is None else rows.to_episode(row)


def _with_uuid(connection: apsw.Connection, episode: Episode) -> Episode | None:
    owners = "SELECT group_id FROM groups WHERE no = (SELECT group_no FROM episodes WHERE uuid = ? LIMIT 1)"
    owner = connection.execute(owners, (episode.uuid,)).get
    if owner is None:
        return None
    if owner != episode.group_id:
        raise UsageError(f"episode {episode.uuid} belongs to another group", hint="leave the uuid out to get a new one")
    row = connection.execute(f"{_READ} e.uuid = ? AND e.known_to IS NULL", (episode.uuid,)).fetchone()
    return None if row is None else rows.to_episode(row)


def _next_position(connection: apsw.Connection, episode: Episode, ledger: Ledger) -> int:
    if not episode.thread:
        return 0
    read = "SELECT length FROM threads WHERE group_no = ? AND name = ?"
    length: int | None = connection.execute(read, (ledger.no, episode.thread)).get
    return (length or 0) + 1


def _thread_no(connection: apsw.Connection, episode: Episode, ledger: Ledger) -> int | None:
    """The number of its thread, which is no shorter than the episode's position in it."""
    if not episode.thread:
        return None
    no: int = connection.execute(
        "INSERT INTO threads (group_no, name, length) VALUES (?, ?, ?)"
        " ON CONFLICT (group_no, name) DO UPDATE SET length = max(length, excluded.length) RETURNING no",
        (ledger.no, episode.thread, episode.position),
    ).get
    return no


def close_episode(connection: apsw.Connection, uuid: str, ledger: Ledger, *, change_no: int | None) -> bool:
    """End the present version of an episode, and its wait in the queue; answer whether there was one."""
    closed = connection.execute(
        "UPDATE episodes SET known_to = ?, closed_by = ?"
        " WHERE uuid = ? AND +group_no = ? AND known_to IS NULL RETURNING id",
        (ledger.recorded_at, change_no, uuid, ledger.no),
    ).get
    if closed is None:
        return False
    # Whoever digests this version right now loses the claim: its words do not count any more.
    connection.execute("DELETE FROM leases WHERE episode_id = ?", (closed,))
    connection.execute("DELETE FROM queue WHERE episode_id = ?", (closed,))
    return True


def insert_episode(connection: apsw.Connection, episode: Episode, ledger: Ledger, *, change_no: int | None) -> None:
    """Write one version of an episode with its words, and queue it if it is not digested."""
    id_ = ledger.take_id()
    same_text = connection.execute(
        "SELECT text_id FROM episodes WHERE uuid = ? AND content = ? AND name = ? AND speaker = ? LIMIT 1",
        (episode.uuid, episode.content, episode.name, episode.speaker),
    ).get
    text_id = id_ if same_text is None else same_text
    connection.execute(
        "INSERT INTO episodes (id, uuid, group_no, name, content, reference_time, created_at, source,"
        " source_description, source_key, thread_no, position, speaker, role, statements, attributes,"
        " text_id, known_from, made_by)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(id_, episode.uuid, ledger.no, episode.name, episode.content),
            *(rows.to_micros(episode.reference_time), rows.to_micros(episode.created_at), episode.source),
            *(episode.source_description, episode.source_key, _thread_no(connection, episode, ledger)),
            episode.position,
            *(episode.speaker, episode.role, rows.statements_json(episode.statements)),
            *(rows.attributes_json(episode.attributes), text_id, ledger.recorded_at, change_no),
        ),
    )
    if same_text is None:
        index_episode(connection, id_, episode.name, episode.content, episode.speaker)
    if episode.status is not Status.DONE:
        connection.execute(
            "INSERT INTO queue (episode_id, parked, attempts, retry_at, error) VALUES (?, ?, ?, 0, ?)",
            (id_, episode.status is Status.PARKED, episode.attempts, episode.error),
        )

"""Applying a change: all of it in one transaction, checked against what is there."""

from __future__ import annotations

from datetime import datetime, timedelta

import apsw

from everfact.errors import Conflict, NotFound, UsageError
from everfact.models import Assertion, Change, Claim, Entity, Episode, Fact
from everfact.stores.sqlite import queue, rows
from everfact.stores.sqlite.accept import Ledger, close_episode, close_ledger, insert_episode, open_ledger
from everfact.stores.sqlite.wording import index_entity, index_fact, write_sources, write_terms


def apply(connection: apsw.Connection, change: Change, now: datetime) -> Change:
    """See `Store.apply`."""
    return _record(connection, change, open_ledger(connection, change.group_id, now))


def finish(
    connection: apsw.Connection, change: Change, claim: Claim, lease: timedelta | None, now: datetime
) -> tuple[Change, Claim | None]:
    """See `Store.finish`."""
    if claim.episode.group_id != change.group_id:
        raise UsageError(f"a change to group {change.group_id} cannot finish an episode of {claim.episode.group_id}")
    ledger = open_ledger(connection, change.group_id, now)
    queue.finish(connection, claim)
    change = _record(connection, change, ledger)
    return change, None if lease is None else queue.claim_next(connection, ledger.no, claim.owner, lease, now)


def _record(connection: apsw.Connection, change: Change, ledger: Ledger) -> Change:
    _check_groups(change)
    if connection.execute("SELECT 1 FROM changes WHERE uuid = ?", (change.uuid,)).get is not None:
        raise UsageError(f"change {change.uuid} was made already")
    if change.parent != ledger.head:
        raise Conflict(
            f"group {change.group_id} has changed since it was read", hint="read it again and repeat the act"
        )
    change = change.recorded(rows.to_moment(ledger.recorded_at))
    keep(connection, change, ledger)
    _require_entities(connection, change, ledger)
    close_ledger(connection, ledger)
    return change


def keep(connection: apsw.Connection, change: Change, ledger: Ledger) -> None:
    """Write a change as it is, as the last one of its group; what it speaks of may have been purged since."""
    connection.execute(
        "INSERT INTO changes (uuid, group_no, kind, parent, cause, note, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (change.uuid, ledger.no, change.kind, change.parent, change.cause, change.note, ledger.recorded_at),
    )
    _write(connection, change, ledger, connection.last_insert_rowid())
    ledger.head = change.uuid


def _check_groups(change: Change) -> None:
    items: list[Assertion | Episode | Entity | Fact] = []
    items += (*change.asserted, *change.episodes, *change.entities, *change.facts)
    foreign = {item.group_id for item in items} - {change.group_id}
    if foreign:
        raise UsageError(f"a change to group {change.group_id} holds items of group {min(foreign)}")


def _write(connection: apsw.Connection, change: Change, ledger: Ledger, change_no: int) -> None:
    for uuid in change.removed:
        _remove(connection, uuid, ledger, change_no)
    for table, items in (("episodes", change.episodes), ("entities", change.entities), ("facts", change.facts)):
        _require_own(connection, table, [item.uuid for item in items], ledger)
    for episode in change.episodes:
        close_episode(connection, episode.uuid, ledger, change_no=change_no)
        insert_episode(connection, episode, ledger, change_no=change_no)
    for entity in change.entities:
        _write_entity(connection, entity, ledger, change_no)
    for assertion in change.asserted:
        _write_assertion(connection, assertion, ledger, change_no)
    for uuid in change.withdrawn:
        _mark(connection, uuid, ledger, change_no, withdrawn=True)
    for uuid in change.reinstated:
        _mark(connection, uuid, ledger, change_no, withdrawn=False)
    for fact in change.facts:
        _write_fact(connection, fact, ledger, change_no)


def _remove(connection: apsw.Connection, uuid: str, ledger: Ledger, change_no: int) -> None:
    if close_episode(connection, uuid, ledger, change_no=change_no):
        return
    for table in ("entities", "facts"):
        if _close(connection, table, uuid, ledger, change_no):
            return
    raise NotFound(f"the group has nothing with the id {uuid} to remove")


def _close(connection: apsw.Connection, table: str, uuid: str, ledger: Ledger, change_no: int) -> bool:
    """End the present version; answer whether there was one."""
    connection.execute(
        f"UPDATE {table} SET known_to = ?, closed_by = ? WHERE uuid = ? AND +group_no = ? AND known_to IS NULL",
        (ledger.recorded_at, change_no, uuid, ledger.no),
    )
    return connection.changes() > 0


def _write_entity(connection: apsw.Connection, entity: Entity, ledger: Ledger, change_no: int) -> None:
    id_ = ledger.take_id()
    aliases = rows.to_json(list(entity.aliases))
    _close(connection, "entities", entity.uuid, ledger, change_no)
    same_text = connection.execute(
        "SELECT text_id FROM entities WHERE uuid = ? AND name = ? AND aliases = ? AND summary = ? LIMIT 1",
        (entity.uuid, entity.name, aliases, entity.summary),
    ).get
    text_id = id_ if same_text is None else same_text
    connection.execute(
        "INSERT INTO entities (id, uuid, group_no, name, created_at, types, aliases, summary, attributes,"
        " text_id, known_from, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(id_, entity.uuid, ledger.no, entity.name, rows.to_micros(entity.created_at)),
            *(rows.to_json(list(entity.types)), aliases, entity.summary, rows.attributes_json(entity.attributes)),
            *(text_id, ledger.recorded_at, change_no),
        ),
    )
    names = (entity.name, *entity.aliases)
    write_terms(connection, ledger.no, id_, names, entity.types)
    if same_text is None:
        index_entity(connection, id_, names, entity.summary)


def _write_fact(connection: apsw.Connection, fact: Fact, ledger: Ledger, change_no: int) -> None:
    id_ = ledger.take_id()
    _close(connection, "facts", fact.uuid, ledger, change_no)
    same_text = connection.execute(
        "SELECT text_id FROM facts WHERE uuid = ? AND sentence = ? LIMIT 1", (fact.uuid, fact.sentence)
    ).get
    text_id = id_ if same_text is None else same_text
    connection.execute(
        "INSERT INTO facts (id, uuid, group_no, subject_uuid, relation, sentence, created_at, attribute, object_uuid,"
        " value, kind, valid_at, invalid_at, expired_at, disputed, assertions, ended_by, episodes, attributes,"
        " text_id, known_from, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(id_, fact.uuid, ledger.no, fact.subject_uuid, fact.relation, fact.sentence),
            *(rows.to_micros(fact.created_at), fact.attribute, fact.object_uuid, rows.value_json(fact.value)),
            *(fact.kind, rows.micros_or_none(fact.valid_at), rows.micros_or_none(fact.invalid_at)),
            *(rows.micros_or_none(fact.expired_at), fact.disputed, rows.to_json(list(fact.assertions))),
            *(rows.to_json(list(fact.ended_by)), rows.to_json(list(fact.episodes))),
            *(rows.attributes_json(fact.attributes), text_id, ledger.recorded_at, change_no),
        ),
    )
    write_sources(connection, id_, fact.episodes)
    if same_text is None:
        index_fact(connection, id_, fact.sentence)


def _write_assertion(connection: apsw.Connection, assertion: Assertion, ledger: Ledger, change_no: int) -> None:
    try:
        connection.execute(
            "INSERT INTO assertions (id, uuid, group_no, episode_uuid, subject_uuid, object_uuid, attribute, statement,"
            " origin, created_at, withdrawn, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (
                *(ledger.take_id(), assertion.uuid, ledger.no, assertion.episode_uuid, assertion.subject_uuid),
                *(assertion.object_uuid, assertion.statement.attribute, rows.statement_json(assertion.statement)),
                assertion.origin,
                *(ledger.recorded_at, change_no),
            ),
        )
    except apsw.ConstraintError as error:
        raise UsageError(f"assertion {assertion.uuid} exists already; assertions are never altered") from error


def _mark(connection: apsw.Connection, uuid: str, ledger: Ledger, change_no: int, *, withdrawn: bool) -> None:
    id_ = connection.execute(
        "UPDATE assertions SET withdrawn = ? WHERE uuid = ? AND group_no = ? AND withdrawn = ? RETURNING id",
        (withdrawn, uuid, ledger.no, not withdrawn),
    ).get
    if id_ is None:
        raise NotFound(f"the group has no {'standing' if withdrawn else 'withdrawn'} assertion {uuid}")
    connection.execute(
        "INSERT INTO withdrawals (change_no, assertion_id, withdrawn, recorded_at) VALUES (?, ?, ?, ?)",
        (change_no, id_, withdrawn, ledger.recorded_at),
    )


def _require_own(connection: apsw.Connection, table: str, uuids: list[str], ledger: Ledger) -> None:
    if not uuids:
        return
    foreign = f"SELECT uuid FROM {table} WHERE uuid IN (SELECT value FROM json_each(?)) AND +group_no <> ? LIMIT 1"
    found = connection.execute(foreign, (rows.to_json(uuids), ledger.no)).get
    if found is not None:
        raise UsageError(f"the id {found} belongs to an item of another group")


def _require_entities(connection: apsw.Connection, change: Change, ledger: Ledger) -> None:
    spoken_of: list[Assertion | Fact] = [*change.asserted]
    spoken_of += change.facts
    uuids = {uuid for item in spoken_of for uuid in (item.subject_uuid, item.object_uuid) if uuid}
    if not uuids:
        return
    missing = connection.execute(
        "SELECT value FROM json_each(?) WHERE NOT EXISTS"
        " (SELECT 1 FROM entities WHERE uuid = value AND group_no = ? AND known_to IS NULL) LIMIT 1",
        (rows.to_json(sorted(uuids)), ledger.no),
    ).get
    if missing is not None:
        raise NotFound(f"group {change.group_id} has no entity {missing}, of which the change speaks")

"""What must hold of a memory after a crash: all that was acknowledged is there, and nothing is there by half."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw
from tests.faults.runs.workload import ALL, word_of

from everfact.errors import StoreError
from everfact.models import Filter, Thing
from everfact.ports import Store
from everfact.stores.sqlite import SQLiteStore

_BATCH = 40  # words of one search; a query holds 64 at most

# Each query finds what must not be. The shape of a change is that of `workload.change_of`.
_HALVES = {
    "a change without all its parts": """
        SELECT uuid FROM changes AS c
        WHERE (SELECT count(*) FROM assertions WHERE made_by = c.no) <> 2
        OR (SELECT count(*) FROM entities WHERE made_by = c.no) <> 2
        OR (SELECT count(*) FROM facts WHERE made_by = c.no) <> 2""",
    "a fact without its assertion": """
        SELECT f.uuid FROM facts AS f, json_each(f.assertions) AS j
        WHERE NOT EXISTS (SELECT 1 FROM assertions WHERE uuid = j.value AND made_by = f.made_by)""",
    "a digested episode that still waits": """
        SELECT e.uuid FROM changes AS c JOIN episodes AS e ON e.uuid = c.cause JOIN queue ON episode_id = e.id""",
    "an episode done without a change": """
        SELECT uuid FROM episodes AS e
        WHERE NOT EXISTS (SELECT 1 FROM queue WHERE episode_id = e.id)
        AND NOT EXISTS (SELECT 1 FROM changes WHERE cause = e.uuid)""",
    "an episode digested twice": "SELECT cause FROM changes GROUP BY cause HAVING count(*) > 1",
    "a change that does not follow the one before": """
        SELECT uuid FROM (
            SELECT uuid, parent, lag(uuid) OVER (PARTITION BY group_no ORDER BY created_at) AS before FROM changes
        ) WHERE parent IS NOT before""",
    "a group that does not know its last change": """
        SELECT group_id FROM groups WHERE head IS NOT
        (SELECT uuid FROM changes WHERE group_no = groups.no ORDER BY created_at DESC LIMIT 1)""",
    "a thread with a gap": """
        SELECT name FROM threads AS t WHERE length <> (SELECT count(*) FROM episodes WHERE thread_no = t.no)
        OR length <> (SELECT count(DISTINCT position) FROM episodes WHERE thread_no = t.no AND position <= t.length)""",
}
for table, index in (("episodes", "episode_text"), ("entities", "entity_text"), ("facts", "fact_text")):
    _HALVES[f"{table}: more than one present version"] = (
        f"SELECT uuid FROM {table} WHERE known_to IS NULL GROUP BY uuid HAVING count(*) > 1"
    )
    _HALVES[f"{table}: a text that is not in the index"] = (
        f"SELECT uuid FROM {table} WHERE text_id NOT IN (SELECT rowid FROM {index})"
    )
    _HALVES[f"{table}: an index entry without text"] = (
        f"SELECT rowid FROM {index} WHERE rowid NOT IN (SELECT text_id FROM {table})"
    )


@dataclass(slots=True)
class Told:
    """What the writers were told is done: uuids of episodes added and purged, and of changes applied."""

    added: set[str] = field(default_factory=set)
    applied: set[str] = field(default_factory=set)
    purged: set[str] = field(default_factory=set)

    def copy(self) -> Told:
        """The same, to be kept while the writers go on."""
        return Told(set(self.added), set(self.applied), set(self.purged))


@dataclass(slots=True)
class Findings:
    """What is wrong with a memory; nothing, if all three are empty."""

    lost: list[str] = field(default_factory=list)
    half_applied: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Take over what another check found."""
        self.lost += other.lost
        self.half_applied += other.half_applied
        self.damage += other.damage

    def report(self) -> int:
        """Name the first few on stderr; answer the exit code."""
        items = [*self.lost, *self.half_applied, *self.damage]
        for item in items[:20]:
            print(item, file=sys.stderr)
        return 1 if items else 0


async def verify(path: Path, told: Told) -> Findings:
    """Open the memory as anyone would after a crash, and look at all of it."""
    findings = Findings()
    try:
        async with await SQLiteStore.open(path) as store:
            findings.lost += [item async for item in _lost(store, told)]
            findings.half_applied += [item async for item in _unfound(store)]
    except StoreError as error:
        findings.damage.append(str(error))
        return findings
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        findings.damage += _damage(connection)
        findings.half_applied += _halves(connection)
    finally:
        connection.close()
    return findings


async def _lost(store: Store, told: Told) -> AsyncIterator[str]:
    for uuids in _batches(sorted(told.added)):
        where = Filter(group_ids=None, uuids=tuple(uuids))
        kept = {episode.uuid for episode in await store.episodes(where, limit=_BATCH)}
        found = await _search(store, Thing.EPISODE, uuids)
        for uuid in uuids:
            if uuid not in kept:
                yield f"episode {uuid}"
            elif uuid not in found:
                yield f"episode {uuid}: kept, but not found by its word"
    for uuids in _batches(sorted(told.applied)):
        log = await store.changes(Filter(group_ids=None, uuids=tuple(uuids)), limit=_BATCH)
        for uuid in set(uuids) - {change.uuid for change in log}:
            yield f"change {uuid}"
    for uuids in _batches(sorted(told.purged)):
        for uuid in await _search(store, Thing.EPISODE, uuids):
            yield f"the purge of episode {uuid}"


async def _unfound(store: Store) -> AsyncIterator[str]:
    """Present facts, and the entities they speak of, that a search for their word does not bring."""
    cursor = None
    while facts := await store.facts(ALL, limit=_BATCH, before=cursor):
        cursor = facts[-1].created_at, facts[-1].uuid
        words = [fact.episodes[0] for fact in facts]
        found = await _search(store, Thing.FACT, words) | await _search(store, Thing.ENTITY, words)
        for fact in facts:
            for uuid in {fact.uuid, fact.object_uuid} - found:
                yield f"{uuid}: in no search for {word_of(fact.episodes[0])}"


async def _search(store: Store, thing: Thing, uuids: Iterable[str]) -> set[str]:
    """What is found by the words of these episodes."""
    words = " ".join(map(word_of, uuids))
    return {hit.uuid for hit in await store.match_text(thing, words, ALL, limit=10 * _BATCH)}


def _batches(uuids: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(uuids), _BATCH):
        yield uuids[start : start + _BATCH]


def _damage(connection: apsw.Connection) -> Iterator[str]:
    for (verdict,) in connection.execute("PRAGMA integrity_check"):
        if verdict != "ok":
            yield str(verdict)
    for row in connection.execute("PRAGMA foreign_key_check"):
        yield f"a row that points nowhere: {row}"


def _halves(connection: apsw.Connection) -> Iterator[str]:
    for law, query in _HALVES.items():
        for (item,) in connection.execute(query):
            yield f"{law}: {item}"

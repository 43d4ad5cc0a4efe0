"""No statement of a search or a listing walks through a whole table, whatever it is asked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from everfact.models import Embedding, Filter, Source, Status, Thing
from everfact.stores.sqlite import SQLiteStore, segments
from everfact.testing.builders import EARLY, HOME, assertion, change, entity, episode, fact
from everfact.testing.fakes import HashingEmbedder

# Lists that are short by their nature: one row for each group, model or index file.
_SHORT = {"groups", "g", "models", "segments"}
_LATE = EARLY + timedelta(days=1)
_UUIDS = ("a", "b")
_FILTERS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "two groups": {"group_ids": ("home", "work")},
    "uuids": {"uuids": _UUIDS},
    "known_at": {"known_at": _LATE},
    "valid_at": {"valid_at": _LATE},
    "bounds": {
        "valid_at_after": EARLY,
        "valid_at_before": _LATE,
        "invalid_at_after": EARLY,
        "invalid_at_before": _LATE,
    },
    "relations": {"relations": ("KNOWS",)},
    "entities": {"entities": _UUIDS},
    "subjects": {"subjects": _UUIDS, "attributes": ("home",)},
    "episodes": {"episodes": _UUIDS},
    "disputed": {"disputed": True},
    "entity_types": {"entity_types": ("Person",)},
    "names": {"names": ("Alice",)},
    "sources": {"sources": (Source.MESSAGE,)},
    "threads": {"threads": ("t",)},
    "beside": {"beside": _UUIDS},
    "told": {"told_from": EARLY, "told_until": _LATE},
    "statuses": {"statuses": (Status.PENDING, Status.PARKED)},
    "withdrawn": {"withdrawn": None, "known_at": _LATE},
}
_EMBEDDER = HashingEmbedder()
_QUESTION = _EMBEDDER.vector("Alice")
_ACTS: dict[str, Callable[[SQLiteStore, Filter], Awaitable[object]]] = {
    **{f"match_text {t}": lambda s, w, t=t: s.match_text(t, "alice knows pari", w, limit=5) for t in Thing},  # type: ignore[misc]
    **{f"match_vector {t}": lambda s, w, t=t: s.match_vector(t, _EMBEDDER.model, _QUESTION, w, limit=5) for t in Thing},  # type: ignore[misc]
    "neighbours": lambda s, w: s.neighbours(_UUIDS, w, hops=2),
    "speakers": lambda s, w: s.speakers(["ada"], w),
    "episodes": lambda s, w: s.episodes(w),
    "entities": lambda s, w: s.entities(w),
    "facts": lambda s, w: s.facts(w),
    "assertions": lambda s, w: s.assertions(w),
    "changes": lambda s, w: s.changes(w),
    "next page": lambda s, w: s.facts(w, before=(_LATE, "a")),
    "unembedded": lambda s, _: s.unembedded(_EMBEDDER.model, limit=5),
    "unembedded, new model": lambda s, _: s.unembedded("new", limit=5),
    "maintain": lambda s, _: s.maintain(),
}


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("everfact.stores.sqlite.connection._READERS", 1)  # so that all of it is listened to
    async with await SQLiteStore.open(tmp_path / "memory.db") as store:
        told = await store.add_episode(episode("Alice knows Bob", thread="t", speaker="Ada"))
        alice, bob = entity("Alice", "Person"), entity("Bob")
        said = assertion(alice, bob, told)
        await store.apply(change(alice, bob, said, fact(alice, bob, support=(said,))))
        lacking = await store.unembedded(_EMBEDDER.model, limit=9)
        vectors = [Embedding(thing=i.thing, uuid=i.uuid, text=i.text, vector=_QUESTION) for i in lacking]
        await store.put_vectors(_EMBEDDER.model, vectors)
        yield store


@contextmanager
def _statements(database: Any) -> Iterator[dict[str, Any]]:
    """What the connections are asked meanwhile, with what stood for the question marks."""
    asked: dict[str, Any] = {}

    def note(_: object, sql: str, bindings: Any) -> bool:
        asked[sql] = bindings
        return True

    for connection in database._connections:
        connection.exec_trace = note
    yield asked
    for connection in database._connections:
        connection.exec_trace = None


def _scans(connection: apsw.Connection, sql: str, bindings: Any = ("",)) -> list[str]:
    if not sql.lstrip().startswith(("SELECT", "WITH")):
        return []
    plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", bindings).fetchall()
    steps = [detail for *_, detail in plan]
    tables = [detail for detail in steps if "VIRTUAL TABLE" not in detail]
    names = [found[1] for detail in tables if (found := re.match(r"SCAN (\w+)", detail))]
    made_here = {found[1] for detail in steps if (found := re.match(r"(?:MATERIALIZE|CO-ROUTINE) (\w+)", detail))}
    return [name for name in names if name not in _SHORT | made_here | {"CONSTANT", "step"} and not name.isdigit()]


@pytest.mark.parametrize("given", _FILTERS)
async def test_no_search_walks_a_whole_table(store: SQLiteStore, given: str) -> None:
    where = replace(HOME, **_FILTERS[given])
    judge = apsw.Connection(str(store._database.path))
    with _statements(store._database) as asked:
        for name, act in _ACTS.items():
            asked.clear()
            await act(store, where)
            assert asked, name
            for sql, bindings in asked.items():
                assert _scans(judge, sql, bindings) == [], f"{name}: {sql}"
    judge.close()


async def test_a_scan_would_be_noticed(store: SQLiteStore) -> None:
    judge = apsw.Connection(str(store._database.path))
    assert _scans(judge, "SELECT * FROM facts WHERE sentence = ?") == ["facts"]
    assert _scans(judge, "SELECT * FROM facts WHERE uuid = ?") == []
    assert _scans(judge, "SELECT e.id FROM json_each(?) AS f CROSS JOIN facts AS e WHERE e.id = f.value") == []
    judge.close()


async def test_comparing_all_that_pass_walks_no_table(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way taken when a filter leaves too little of what an index file finds."""
    monkeypatch.setattr(segments.Shelf, "view", lambda *_: None)
    from everfact.stores.sqlite import nearest, vectors, where

    judge = apsw.Connection(str(store._database.path))
    asked: list[tuple[str, Any]] = []
    judge.exec_trace = lambda _, sql, bindings: asked.append((sql, bindings)) or True
    of = segments.VectorSet(1, Thing.FACT, 1)
    nearest.compare_passing(judge, of, vectors.whole_numbers(_QUESTION), where.facts(HOME, 1))
    judge.exec_trace = None
    assert [_scans(judge, *each) for each in asked] == [[]]
    judge.close()

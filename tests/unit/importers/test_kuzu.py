"""KuzuMemory's database, export and shared files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import kuzu
import pytest
from tests.unit.importers.samples import SAMPLES, facts_by_sentence, moved_in, skipped, told

from everfact import Memory
from everfact.errors import StoreUnavailable, UsageError
from everfact.importers import read
from everfact.models import Filter

Written = Callable[[str], Path]


def test_database_export_and_shared_files_tell_the_same_memories(kuzu_file: Path) -> None:
    ways = [told(path) for path in (kuzu_file, SAMPLES / "kuzu-export.json", SAMPLES / "kuzu-memory-shared")]

    told_by = [[(draft.uuid, draft.content, draft.reference_time, draft.thread) for draft in way] for way in ways]
    assert told_by[0] == told_by[1] == told_by[2]
    assert len(told_by[0]) == 6


def test_a_memory_keeps_what_kuzu_memory_knew_of_it(kuzu_file: Path) -> None:
    memory = next(draft for draft in told(kuzu_file) if draft.content.startswith("We prefer pytest"))

    assert memory.attributes["knowledge_type"] == "pattern"
    assert memory.attributes["entity_type"] == "Pattern"
    assert memory.attributes["metadata"]["ticket"] == "HX-12"  # type: ignore[index,call-overload]
    assert str(memory.attributes["valid_to"]).startswith("2026-12-18")
    assert memory.role == "user"
    assert "embedding" not in memory.attributes


async def test_facts_are_read_out_of_memories_with_their_times(memory: Memory, kuzu_file: Path) -> None:
    await moved_in(memory, kuzu_file)

    works = (await facts_by_sentence(memory))["Ana Silva works at Lumen Labs since March 2025."]
    assert works.valid_at == datetime(2025, 3, 1, tzinfo=UTC)
    [session] = await memory.episodes(Filter(group_ids=("main",), threads=("s-1",)))
    assert session.content == works.sentence


async def test_every_way_in_leads_to_the_same_memory(memory: Memory, kuzu_file: Path) -> None:
    first = await moved_in(memory, kuzu_file)

    assert await moved_in(memory, SAMPLES / "kuzu-memory-shared") == first


def test_a_folder_is_searched_for_what_kuzu_memory_keeps_there(kuzu_file: Path, tmp_path: Path) -> None:
    (tmp_path / "project" / ".kuzu-memory").mkdir(parents=True)
    kuzu_file.rename(tmp_path / "project" / ".kuzu-memory" / "memories.db")

    assert len(told(tmp_path / "project")) == len(told(tmp_path / "project" / ".kuzu-memory")) == 6


def test_a_database_that_is_open_elsewhere_is_said_to_be(kuzu_file: Path) -> None:
    program = (
        f"import kuzu, sys; d = kuzu.Database({str(kuzu_file)!r}); c = kuzu.Connection(d); print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(StoreUnavailable, match="in use"):
            list(read(kuzu_file))
        holder.communicate("\n", timeout=30)


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with kuzu.Database(str(file)) as database, kuzu.Connection(database) as asked:
        asked.execute("CREATE NODE TABLE Thing (id STRING PRIMARY KEY)")

    with pytest.raises(UsageError, match="not one of KuzuMemory's"):
        list(read(file))


def test_a_broken_database_is_refused(kuzu_file: Path) -> None:
    kuzu_file.write_bytes(kuzu_file.read_bytes()[:5000])

    with pytest.raises(UsageError, match="cannot be read"):
        list(read(kuzu_file))


def test_without_the_library_it_says_which_is_missing(kuzu_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kuzu", None)

    with pytest.raises(UsageError, match=r"everfact\[kuzu\]"):
        list(read(kuzu_file))


def test_memories_set_aside_come_along(written: Written) -> None:
    file = written('{"memories": [], "archived": [{"id": "a", "content": "Old news", "archived_at": "2026-01-02"}]}')

    [old] = told(file)
    assert old.attributes["archived_at"] == "2026-01-02T00:00:00+00:00"


@pytest.mark.parametrize(
    ("memory", "reason"),
    [
        ('{"id": "a", "memory_type": "semantic"}', "it has no content"),
        ('{"id": "a", "content": {}, "memory_type": "semantic"}', "its content is no text"),
        ('{"content": "x", "memory_type": "semantic", "created_at": "?"}', "its created_at is no time: ?"),
        ('{"content": "x", "memory_type": "semantic", "metadata": "{"}', "its metadata is no JSON"),
        ("7", "it is no record with fields, as memories has"),
    ],
)
def test_a_memory_that_cannot_be_used_is_skipped_by_its_place(written: Written, memory: str, reason: str) -> None:
    good = '{"id": "g", "content": "Good", "memory_type": "semantic"}'
    file = written(f'{{"memories": [{good}, {memory}]}}')

    [only] = skipped(file, "kuzu")
    assert (only.place, only.reason) == ("memories 2", reason)

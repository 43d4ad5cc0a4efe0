"""Files of other schemas: later ones are left alone, earlier ones brought up to date after a backup, by one process."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest
from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import answers, fill, ticking

from everfact.errors import SchemaTooNew, StoreError
from everfact.stores.sqlite import SQLiteStore
from everfact.stores.sqlite.connection import connect, translated
from everfact.stores.sqlite.migrate import migrate, scripts

_NEXT = "CREATE TABLE moods (name TEXT); INSERT INTO moods VALUES ('calm')"

_OPEN = """
import sys
from pathlib import Path
from everfact.stores.sqlite.connection import connect
from everfact.stores.sqlite.migrate import migrate, scripts
path = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
connection = connect(path)
migrate(connection, path, [*scripts(), sys.argv[2]])
print(connection.execute("SELECT group_concat(name) FROM moods").get)
connection.close()
"""


@pytest.fixture
async def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    async with await SQLiteStore.open(path, now=ticking()) as store:
        await fill(store, turns=3, now=ticking())
    return path


def bring_to(path: Path, migrations: Sequence[str]) -> None:
    connection = connect(path)
    try:
        with translated(path):
            migrate(connection, path, migrations)
    finally:
        connection.close()


def ask(path: Path, question: str) -> object:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return connection.execute(question).get
    finally:
        connection.close()


def backup_of(path: Path) -> Path:
    return path.with_name(f"memory.db.schema-{len(scripts())}.backup")


async def test_a_file_of_a_later_schema_is_refused_and_not_touched(memory: Path) -> None:
    ask(memory, f"PRAGMA user_version = {len(scripts()) + 1}")
    before = memory.read_bytes()
    with pytest.raises(SchemaTooNew) as caught:
        await SQLiteStore.open(memory)
    assert "newer everfact" in caught.value.hint
    assert memory.read_bytes() == before
    assert [path.name for path in memory.parent.iterdir()] == ["memory.db"]


async def test_a_file_of_an_earlier_schema_is_brought_up_to_date_after_a_backup(memory: Path) -> None:
    async with await SQLiteStore.open(memory) as store:
        before = await answers(store)
    bring_to(memory, [*scripts(), _NEXT])
    assert ask(memory, "PRAGMA user_version") == len(scripts()) + 1
    assert ask(memory, "SELECT name FROM moods") == "calm"
    assert ask(backup_of(memory), "PRAGMA user_version") == len(scripts())
    assert stat.S_IMODE(backup_of(memory).stat().st_mode) == 0o600
    async with await SQLiteStore.open(backup_of(memory)) as store:
        assert await answers(store) == before
    assert await verify(backup_of(memory), Told()) == Findings()


async def test_all_of_a_script_is_run_though_a_statement_in_it_answers_with_rows(memory: Path) -> None:
    bring_to(memory, [*scripts(), f"SELECT 1 UNION SELECT 2; {_NEXT}"])
    assert ask(memory, "SELECT name FROM moods") == "calm"


async def test_a_failing_script_leaves_the_file_at_its_schema(memory: Path) -> None:
    before = memory.read_bytes()
    with pytest.raises(StoreError, match="no such table"):
        bring_to(memory, [*scripts(), f"{_NEXT}; INSERT INTO nowhere VALUES (1)"])
    assert ask(memory, "PRAGMA user_version") == len(scripts())
    assert memory.read_bytes() == before
    assert await verify(memory, Told()) == Findings()
    bring_to(memory, [*scripts(), _NEXT])
    assert ask(memory, "SELECT name FROM moods") == "calm"


async def test_several_scripts_are_applied_in_order_or_not_at_all(memory: Path) -> None:
    with pytest.raises(StoreError):
        bring_to(memory, [*scripts(), _NEXT, "INSERT INTO nowhere VALUES (1)"])
    assert ask(memory, "PRAGMA user_version") == len(scripts())
    bring_to(memory, [*scripts(), _NEXT, "INSERT INTO moods VALUES ('glad')"])
    assert ask(memory, "SELECT group_concat(name) FROM moods") == "calm,glad"


@pytest.mark.parametrize("kind", ["fresh", "behind"])
def test_eight_processes_may_open_a_file_that_must_be_migrated_at_once(memory: Path, kind: str) -> None:
    path = memory if kind == "behind" else memory.with_name("fresh.db")
    command = [sys.executable, "-c", _OPEN, str(path), _NEXT]
    openers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("go\n")
        opener.stdin.flush()
    assert [opener.communicate(timeout=60) for opener in openers] == [("calm\n", "")] * 8
    assert sorted(left.name for left in memory.parent.iterdir()) == sorted(
        {"memory.db", path.name} | ({backup_of(path).name} if kind == "behind" else set())
    )
    if kind == "behind":
        assert ask(backup_of(path), "PRAGMA user_version") == len(scripts())

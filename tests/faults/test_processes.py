"""Several processes write to one conversation and search it at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.runs import race
from tests.faults.runs.verify import Findings

from everfact.stores.sqlite import SQLiteStore


@pytest.mark.parametrize(("processes", "adds"), [(2, 80), (8, 25)])
def test_processes_share_a_memory_without_errors_losses_or_gaps(tmp_path: Path, processes: int, adds: int) -> None:
    tally = race.run(tmp_path, processes=processes, adds=adds)
    assert tally.errors == []
    assert tally.findings == Findings()
    assert all(turn.was_found for turn in tally.all_turns)
    assert sorted(turn.position for turn in tally.all_turns) == list(range(1, processes * adds + 1))
    for turns in tally.turns:
        positions = [turn.position for turn in turns]
        assert positions == sorted(positions)


_LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # where SQLite locks a file that is in use
"""


@pytest.mark.skipif(sys.platform == "win32", reason="locks are not dropped there")
async def test_reading_does_not_drop_the_lock_that_keeps_others_from_removing_the_log(tmp_path: Path) -> None:
    """Closing any file descriptor of a file drops all locks that a process holds on it."""
    path = tmp_path / "memory.db"

    def lock() -> int:
        return subprocess.run(
            [sys.executable, "-c", _LOCK, str(path)], stderr=subprocess.DEVNULL, check=False
        ).returncode

    async with await SQLiteStore.open(path) as store:
        await store.stats()
        assert lock() != 0
    assert lock() == 0

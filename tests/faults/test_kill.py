"""SIGKILL for writing processes, and what a check of the memory afterwards can see."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.faults.runs import kills
from tests.faults.runs.verify import Findings, Told, verify
from tests.faults.runs.workload import fill, ticking

from everfact.stores.sqlite import SQLiteStore

_ONE_CHANGE = "(SELECT max(no) FROM changes)"


def test_killed_writers_lose_nothing_acknowledged_and_leave_no_half_of_a_change(tmp_path: Path) -> None:
    tally = kills.run(tmp_path, kills=12, writers=3, seed=1)
    assert tally.errors == []
    assert tally.told.added
    assert tally.told.applied
    assert tally.findings == Findings()


@pytest.mark.parametrize(
    "harm",
    [
        f"PRAGMA foreign_keys = OFF; DELETE FROM assertions WHERE made_by = {_ONE_CHANGE}",
        f"DELETE FROM facts WHERE made_by = {_ONE_CHANGE}",
        "DELETE FROM fact_text WHERE rowid = (SELECT max(text_id) FROM facts)",
        "DELETE FROM entity_text WHERE rowid = (SELECT max(text_id) FROM entities)",
        "DELETE FROM queue",
        "INSERT INTO queue SELECT min(id), 0, 0, 0, '' FROM episodes",
        "UPDATE groups SET head = NULL",
        "UPDATE threads SET length = length + 1",
        "UPDATE facts SET known_to = NULL",
        f"UPDATE changes SET parent = NULL WHERE no = {_ONE_CHANGE}",
    ],
)
async def test_the_check_sees_a_change_that_is_there_by_half(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "memory.db"
    async with await SQLiteStore.open(path) as store:
        await fill(store, turns=4, now=ticking())
    assert await verify(path, Told()) == Findings()
    connection = apsw.Connection(str(path))
    connection.execute(harm)
    connection.close()
    assert (await verify(path, Told())).half_applied


async def test_the_check_sees_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with await SQLiteStore.open(path) as store:
        kept = await fill(store, turns=2, now=ticking())
    lost = kept[0].uuid[:-4] + "0000"
    findings = await verify(path, Told(added={kept[0].uuid, lost}, applied={lost}, purged={kept[1].uuid}))
    assert findings.lost == [f"episode {lost}", f"change {lost}", f"the purge of episode {kept[1].uuid}"]

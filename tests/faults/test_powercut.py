"""Power cuts: an apsw VFS keeps only what was synced, and random parts of the rest."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest
from tests.faults.powercut import PowerCutVFS, Write
from tests.faults.runs.cuts import run
from tests.faults.runs.verify import Findings

from everfact.models import Change
from everfact.stores.sqlite import connection, record
from everfact.stores.sqlite.accept import Ledger


@pytest.mark.parametrize("seed", [1, 2])
async def test_power_cuts_lose_nothing_acknowledged_and_leave_no_half_of_a_change(tmp_path: Path, seed: int) -> None:
    tally = await run(tmp_path, seed=seed, cuts=50)
    assert tally.acknowledged > 300
    assert tally.findings == Findings()


async def test_power_cuts_lose_acknowledged_episodes_without_full_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check above has teeth: with less than full sync it must fail."""
    weaker = connection._PRAGMAS.replace("synchronous = FULL", "synchronous = NORMAL")
    assert weaker != connection._PRAGMAS
    monkeypatch.setattr(connection, "_PRAGMAS", weaker)
    assert (await run(tmp_path, seed=1, cuts=40)).findings.lost


async def test_power_cuts_show_a_change_written_in_two_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check above has teeth: a change in two parts must be seen by half at times."""
    write = record._write

    def write_in_two(connection: apsw.Connection, change: Change, ledger: Ledger, change_no: int) -> None:
        connection.execute("COMMIT; BEGIN IMMEDIATE")
        write(connection, change, ledger, change_no)

    monkeypatch.setattr(record, "_write", write_in_two)
    assert (await run(tmp_path, seed=1, cuts=40)).findings.half_applied


def test_a_cut_keeps_what_was_synced_and_may_keep_parts_of_the_rest(tmp_path: Path) -> None:
    disk = PowerCutVFS("cut-test")
    (tmp_path / "disk").mkdir()
    name = str(tmp_path / "disk" / "file")
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_READWRITE, 0]
    file = disk.xOpen(name, flags)
    file.xWrite(b"a" * 1024, 0)
    file.xSync(0)
    file.xWrite(b"b" * 1024, 0)
    kept = set()
    for seed in range(100):
        disk.cut(tmp_path / str(seed), random.Random(seed))
        image = (tmp_path / str(seed) / "file").read_bytes()
        kept.add((image[:512], image[512:]))
    file.xClose()
    assert kept == {(left * 512, right * 512) for left in (b"a", b"b") for right in (b"a", b"b")}


def test_the_sectors_of_a_write_are_cut_where_the_disk_cuts_them() -> None:
    sectors = list(Write(500, b"x" * 600).sectors())
    assert [(sector.offset, len(sector.data)) for sector in sectors] == [(500, 12), (512, 512), (1024, 76)]

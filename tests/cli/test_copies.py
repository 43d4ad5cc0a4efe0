"""`everfact backup` and `restore`."""

from __future__ import annotations

from pathlib import Path

import pytest

from everfact.errors import StoreCorrupt, UsageError


def test_backup_is_restored_and_the_former_memory_kept(told, tmp_path: Path) -> None:
    assert told.json("backup", str(tmp_path / "b.db"))["bytes"] > 0
    with pytest.raises(UsageError, match="exists already"):
        told("backup", str(tmp_path / "b.db"))
    told("purge", "--all", "--yes")
    with pytest.raises(UsageError, match="nobody to ask"):
        told("restore", str(tmp_path / "b.db"))
    kept = told.json("restore", str(tmp_path / "b.db"), "--yes")["kept"]
    assert Path(kept).exists()
    assert told.json("stats")["episodes"] == 3
    assert told.json("search", "Initech")["results"]
    with pytest.raises(UsageError, match="the memory itself"):
        told("restore", str(told.store), "--yes")


def test_damaged_memory_is_set_aside_and_replaced(told, tmp_path: Path) -> None:
    told("backup", str(tmp_path / "b.db"))
    told.store.write_bytes(b"no database, only words " * 200)
    kept = told.json("restore", str(tmp_path / "b.db"), "--yes")["kept"]
    assert Path(kept).read_bytes().startswith(b"no database")
    assert told.json("stats")["episodes"] == 3


def test_memory_that_is_not_there_yet_is_made(told, tmp_path: Path) -> None:
    told("backup", str(tmp_path / "b.db"))
    told.store = tmp_path / "deeper" / "new.db"
    assert told.json("restore", str(tmp_path / "b.db"), "--yes")["kept"] is None
    assert told.json("stats")["episodes"] == 3


@pytest.mark.parametrize("content", [b"", b"no database, only words " * 200])
def test_file_that_is_no_backup_changes_nothing(told, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.db").write_bytes(content)
    with pytest.raises(StoreCorrupt):
        told("restore", str(tmp_path / "b.db"), "--yes")
    with pytest.raises(UsageError, match="there is no file"):
        told("restore", str(tmp_path / "c.db"), "--yes")
    assert told.json("stats")["episodes"] == 3

"""Reading a transcript line by line."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import pytest

from everfact.capture import lines
from everfact.capture.lines import LONGEST, place_at, records, still_holds
from everfact.errors import CaptureError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


def test_a_half_written_line_waits(file: Path) -> None:
    file.write_bytes(b'{"a": 1}\n{"b": 2')
    assert list(records(file)) == [(0, {"a": 1})]
    file.write_bytes(b'{"a": 1}\n{"b": 2}\n')
    assert list(records(file, 9)) == [(9, {"b": 2})]


@pytest.mark.parametrize(
    "bad", [b"{nonsense}", b"[1, 2]", b"\xff\xfe\x00", b"[" * 100_000, b'{"n": ' + b"9" * 5000 + b"}", b"", b"null"]
)
def test_a_bad_line_is_passed_over(file: Path, bad: bytes) -> None:
    file.write_bytes(bad + b'\n{"b": 2}\n')
    assert [record for _, record in records(file)] == [None, {"b": 2}]


def test_a_line_that_is_too_long_is_passed_over(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1000)
    for size in (988, 989, 990, 999, 1000, 1001, 5000):
        long = json.dumps({"a": "x" * size}).encode()
        file.write_bytes(long + b'\n{"b": 2}\n')
        found = list(records(file))
        assert found[1] == (len(long) + 1, {"b": 2})
        assert (found[0][1] is None) == (len(long) + 1 > 1001)
    file.write_bytes(b"x" * 5000)
    assert list(records(file)) == []


def test_a_huge_line_takes_little_memory(file: Path) -> None:
    with file.open("wb") as out:
        out.write(b'{"a": "')
        for _ in range(4 * LONGEST // 1_000_000):
            out.write(b"x" * 1_000_000)
        out.write(b'"}\n')
    tracemalloc.start()
    found = [record for _, record in records(file)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == [None]
    assert peak < 3 * LONGEST


def test_a_place_holds_until_the_file_is_rewritten(file: Path) -> None:
    file.write_bytes(b'{"a": 1}\n{"b": 2}\n')
    place = place_at(file, 9)
    with file.open("ab") as out:
        out.write(b'{"c": 3}\n')
    assert still_holds(file, place)
    file.write_bytes(b'{"z": 1}\n{"b": 2}\n')
    assert not still_holds(file, place)
    file.write_bytes(b"{}\n")
    assert not still_holds(file, place)


def test_a_file_put_in_its_place_is_another_one(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b'{"a": 1}\n{"b": 2}\n')
    place = place_at(file, 9)
    (tmp_path / "new").write_bytes(file.read_bytes())
    (tmp_path / "new").replace(file)
    assert not still_holds(file, place)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="is no file"):
        list(records(tmp_path))
    with pytest.raises(CaptureError, match="is no file"):
        list(records(Path("a\0b")))
    (tmp_path / "a.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(CaptureError, match="cannot be read"):
        list(records(tmp_path / "a.jsonl", -1))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on Windows")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(CaptureError, match="is no file"):
        list(records(tmp_path / "pipe.jsonl"))

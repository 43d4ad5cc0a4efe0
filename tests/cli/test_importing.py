"""`everfact export` and `everfact import`: the journal as a file, there and back, and files that are no such thing."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.conftest import Program

from everfact.errors import StoreUnavailable, UsageError

pytestmark = pytest.mark.slow


@pytest.fixture
def other(tmp_path: Path) -> Program:
    return Program(tmp_path / "other.db")


@pytest.fixture
def journal(told: Program, tmp_path: Path) -> Path:
    told("add", "Bob Stone waits.", "--async")
    told("export", str(tmp_path / "a.jsonl"))
    return tmp_path / "a.jsonl"


def test_export_has_all_that_was_told_and_done_and_is_the_same_twice(told: Program, journal: Path) -> None:
    text = journal.read_text(encoding="utf-8")
    assert text == told("export", "-")
    header, *records = map(json.loads, text.splitlines())
    assert header == {"everfact": "journal", "version": 1}
    held = told.json("stats")
    counts = {"told": held["episodes"], "change": held["changes"], "undigested": held["pending"]}
    assert Counter(record["record"] for record in records) == counts
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600


def test_export_of_a_grown_memory_has_the_same_lines_and_more(told: Program) -> None:
    before = told("export", "-").splitlines()
    told("add", "Ana Costa moved to Faro.")
    told("delete", "Faro")
    assert told("export", "-").splitlines()[: len(before)] == before


def test_export_is_of_one_group_unless_all_are_wanted(told: Program) -> None:
    told("--group", "another", "add", "Bob Stone lives in Berlin.", "--async")
    assert "Berlin" not in told("export", "-")
    groups = [json.loads(line).get("group_id") for line in told("export", "-", "--all-groups").splitlines()[1:]]
    assert groups == sorted(groups)
    assert set(groups) == {"another", "demo"}


def test_export_that_cannot_be_written_leaves_nothing(told: Program, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        told("export", "/nowhere/x.jsonl")
    with pytest.raises(UsageError, match="cannot be written"):
        told("export", str(tmp_path))
    assert not list(tmp_path.glob(".everfact-*"))


def test_markdown_is_for_reading(told: Program, tmp_path: Path) -> None:
    told("--group", "another", "add", "Bob Stone paid 5 *euros*.", "--thread", "money")
    told("export", str(tmp_path / "a.md"))
    page = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert page == told("export", "-", "--format", "markdown")
    assert page.startswith("# demo\n\n## Known\n\n### Ana Costa\n\n*Person*\n\n- works at Initech (since 2026-03-20)\n")
    former = "- works at Globex (2026-01-10 to 2026-03-20)\n"
    assert page.index("\nBefore:\n") < page.index(former) < page.index("## Told")
    assert page.index("### 2026-06-01") < page.index("### 2026-03-20")
    assert page.endswith("### 2026-01-10\n\n> Ana Costa works at Globex. She lives in Lisbon.\n")
    both = told("export", "-", "--markdown", "--all-groups")
    assert both.index("# another") < both.index("# demo")
    assert "in money\n\n> Bob Stone paid 5 \\*euros\\*.\n" in both
    assert "\n\n\n" not in both
    assert told.json("export", str(tmp_path / "b.md"))["records"] == 8


def test_import_gives_the_same_memory(told: Program, other: Program, journal: Path, tmp_path: Path) -> None:
    lines = len(journal.read_bytes().splitlines()) - 1
    assert f"would take in {lines} records" in other("import", str(journal), "--dry-run")
    assert other.json("stats")["episodes"] == 0
    said = other("import", str(journal)).splitlines()[0]
    assert said == f"took in {lines} records as they were recorded; 0 were there already"
    other("export", str(tmp_path / "b.jsonl"))
    assert (tmp_path / "b.jsonl").read_bytes() == journal.read_bytes()
    for words in (
        ["log", "Ana Costa"],
        ["diff", "2026-01-01", "2026-06-01"],
        ["stats"],
        ["queue"],
        ["show", "Ana Costa"],
    ):
        assert other.json(*words) == told.json(*words)
    assert other.json("import", str(journal)) == {
        "file": str(journal),
        "dry_run": False,
        "replayed": 0,
        "known": lines,
        "redone": 0,
        "diverged": [],
        "unread": 0,
        "skipped": [],
    }


def test_import_reads_standard_input(told: Program, other: Program, journal: Path) -> None:
    other("import", "-", stdin=journal.read_text(encoding="utf-8"))
    assert other("export", "-") == told("export", "-")


def test_group_can_be_given_another_name(other: Program, journal: Path) -> None:
    other("import", str(journal), "--into", "copy")
    assert other("export", "-").count("\n") == 1
    renamed = other("--group", "copy", "export", "-")
    assert renamed.replace('"group_id":"copy"', '"group_id":"demo"') == journal.read_text(encoding="utf-8")


def test_memories_that_went_apart_are_brought_together_and_it_is_said(
    told: Program, other: Program, journal: Path
) -> None:
    other("import", str(journal))
    other("add", "Ana Costa works at Hooli.", "--at", "2026-07-01")
    told("add", "Carla Bruni lives in Rome.", "--at", "2026-08-01")
    told("export", str(journal))
    tried = other("import", str(journal), "--dry-run")
    assert "2 records would be done again" in tried
    assert "Rome" not in other("search", "Carla Bruni")
    said = other("import", str(journal))
    assert said.splitlines()[-1] == tried.splitlines()[-1].replace("would be", "were")
    assert "demo has gone its own way" in said
    assert "Rome" in other("search", "Carla Bruni")
    assert "Hooli" in other("search", "Ana Costa")
    again = other("import", str(journal))
    assert "nothing of it was new" in again


def test_bad_record_is_named_and_the_rest_comes_in(told: Program, other: Program, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[-1] = lines[-1][:-20] + b"\n"
    lines.insert(1, b'{"record":"told","group_id":"demo"}\n')
    journal.write_bytes(b"".join(lines))
    done = other.result("import", str(journal))
    assert done.exit_code == 1
    assert f"{journal}, line 2: skipped, the field " in done.stdout
    assert f"{journal}, line {len(lines)}: skipped, this is no JSON" in done.stdout
    assert other.json("stats")["facts"] == told.json("stats")["facts"]
    report = json.loads(other.result("import", str(journal), "--json").stdout)
    assert (report["unread"], report["skipped"][0]["place"]) == (2, "line 2")


def test_after_a_lost_change_it_says_what_became_of_the_rest(other: Program, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if b'"record":"change"' in line)
    lines[place] = b"?\n"
    journal.write_bytes(b"".join(lines))
    done = other.result("import", str(journal))
    assert done.exit_code == 1
    assert "demo could not be continued where a record was skipped" in done.stdout
    assert "Porto" in other("search", "Ana Costa")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "does not show what wrote it"),
        (b"\x00\xff" * 9, "does not show what wrote it"),
        (b'{"everfact": "export", "version": 1}\n', "does not show what wrote it"),
        (b"x" * 1_000_000, "does not show what wrote it"),
        (b'{"everfact": "journal", "version": 2}\n', "version 2 of the format"),
    ],
)
def test_file_that_is_none_of_ours_changes_nothing(
    program: Program, tmp_path: Path, content: bytes, error: str
) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(UsageError, match=error):
        program("import", str(tmp_path / "x"))
    assert program.json("stats")["groups"] == 0


def test_file_that_cannot_be_read(program: Program, tmp_path: Path) -> None:
    for file in (tmp_path / "nothing.jsonl", Path("/proc/self/mem")):
        with pytest.raises(UsageError, match="cannot be read"):
            program("import", str(file))
    with pytest.raises(UsageError, match="without memories"):
        program("import", str(tmp_path))


def test_memory_that_cannot_be_written_says_so(journal: Path) -> None:
    nobodys = Program(Path("/proc/memory.db"))  # not even root makes a file there
    with pytest.raises(StoreUnavailable):
        nobodys("import", str(journal))


def test_items_that_are_in_another_group_are_refused(told: Program, journal: Path) -> None:
    with pytest.raises(UsageError, match="belongs to another group"):
        told("import", str(journal), "--into", "copy")
    with pytest.raises(UsageError, match="no name of a group"):
        told("import", str(journal), "--into", "a b")


def test_interrupted_import_keeps_a_beginning_and_goes_on(other: Program, journal: Path) -> None:
    first, *rest = journal.read_bytes().splitlines(keepends=True)
    command = [sys.executable, "-m", "everfact", "--store", str(other.store), "import", "-"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(first + b"".join(rest[:2]))
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not other.store.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)  # standard input is still open
        said = process.stderr.read()
    assert process.returncode == 130
    assert b"import the same file again" in said
    assert b"Traceback" not in said
    other("import", str(journal))
    assert other("export", "-").encode() == journal.read_bytes()


def test_closed_pipe_is_no_traceback(told: Program) -> None:
    command = f"{sys.executable} -m everfact --store {told.store} --group demo export - | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("{", "")


def test_server_gives_no_copies_and_takes_none(program: Program, journal: Path) -> None:
    for words in (["export", "-"], ["import", str(journal)]):
        with pytest.raises(UsageError, match="gives no copies"):
            program("--remote", "http://127.0.0.1:1/mcp", *words)

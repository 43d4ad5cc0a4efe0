"""The program as a person runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from everfact import __version__
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.builders import episode


def run(*arguments: str, program: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program as it is installed, or by `python -m`."""
    start = [str(Path(sys.executable).parent / program)] if program else [sys.executable, "-m", "everfact"]
    return subprocess.run([*start, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("program", ["everfact", "graphiti", "graphiti-mcp", ""])
def test_every_name_is_the_same_program(program: str) -> None:
    assert run("--version", program=program).stdout == f"everfact {__version__}\n"


def test_health_makes_the_memory_in_the_users_data_folder_and_reports_it_ready(own_home: Path) -> None:
    done = run("health")
    assert done.returncode == 0
    assert done.stdout.startswith(f"ready: sqlite://{own_home}")
    assert done.stdout.endswith("memory.db\n0 episodes, 0 entities, 0 facts\n")
    assert len(list(own_home.rglob("memory.db"))) == 1


def test_health_as_json_counts_what_is_there(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "first_minute.py"
    subprocess.run([sys.executable, example, tmp_path / "m.db"], check=True, timeout=60, capture_output=True)
    done = run("--store", str(tmp_path / "m.db"), "health", "--json")
    answer = json.loads(done.stdout)
    assert answer.pop("last_write")
    assert answer == {
        "status": "healthy",
        "warning": "",
        "elsewhere": [],
        "store": f"sqlite://{tmp_path / 'm.db'}",
        "episodes": 2,
        "entities": 3,
        "facts": 2,
        "pending": 0,
        "parked": 0,
    }


async def test_health_says_what_waits(tmp_path: Path) -> None:
    async with await SQLiteStore.open(tmp_path / "m.db") as store:
        await store.add_episode(episode())
    assert "1 episodes wait to be digested" in run("--store", str(tmp_path / "m.db"), "health").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (("--store", "{tmp}/no.txt", "health"), 1, "no memory file", "keep the file as it is"),
        (("--store", "{tmp}/no.txt/m.db", "health"), 1, "cannot be made", "name another file"),
        (("--store", "falkordb://127.0.0.1:1", "health"), 1, "does not answer", "setting store"),
        (
            ("--store", "bolt://127.0.0.1", "restore", "{tmp}/no.txt", "--yes"),
            2,
            "kept on a server",
            "export and import",
        ),
        (("--store", "ftp://x", "health"), 2, "store", ""),
        (("config", "get", "stor"), 2, "unknown key stor", "store"),
    ],
)
def test_errors_say_what_to_do(tmp_path: Path, arguments: tuple[str, ...], code: int, message: str, hint: str) -> None:
    (tmp_path / "no.txt").write_text("no database, only words " * 100, encoding="utf-8")
    done = run(*(argument.replace("{tmp}", str(tmp_path)) for argument in arguments))
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr.splitlines()[0]
    assert hint in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_use_ends_with_code_2() -> None:
    assert run("--stroe", "x").returncode == 2
    assert run("nonsense").returncode == 2


@pytest.mark.skipif(not shutil.which("head"), reason="needs a POSIX `head`")
def test_closed_pipe_is_no_traceback() -> None:
    command = f'"{sys.executable}" -m everfact config show | head -c 1'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False, env=os.environ)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_terminal_without_unicode_gets_other_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ("--store", str(tmp_path / "m.db"))
    run(*store, "add", "Zoë Costa works at Globex.", "--at", "2026-01-10")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    timeline = run(*store, "log", "Zoë Costa")
    assert "2026-01-10 -> now" in timeline.stdout
    assert json.loads(run(*store, "show", "Zoë Costa", "--json").stdout)["item"]["name"] == "Zoë Costa"
    lines = run(*store, "export", "-").stdout.splitlines()
    assert "Zoë" in json.loads(lines[1])["content"]


def test_ctrl_c_in_the_middle_is_no_traceback_and_loses_nothing(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "m.db"))
    for number in range(3):
        run(*store, "add", f"Ana Costa likes tea {number}.", "--async")
    command = [sys.executable, "-m", "everfact", *store, "add", "-", "--async"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert json.loads(run(*store, "stats", "--json").stdout)["pending"] == 3


def test_colour_is_for_terminals_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ("--store", str(tmp_path / "m.db"))
    run(*store, "add", "Ana Costa works at Globex.")
    assert "\x1b" not in run(*store, "log", "Ana Costa").stdout

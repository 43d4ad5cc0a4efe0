"""`everfact import` of what other systems wrote."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Program

from everfact.errors import UsageError

SAMPLES = Path(__file__).parents[1] / "data" / "imports"


@pytest.mark.parametrize(
    ("name", "episodes"),
    [
        ("graphiti-neo4j.jsonl", 9),
        ("graphiti-neo4j.cypher", 9),
        ("memory.json", 4),
        ("mem0.json", 4),
        ("kuzu-export.json", 6),
        ("kuzu-memory-shared", 6),
    ],
)
def test_a_foreign_file_is_taken_in_and_a_second_time_known(program: Program, name: str, episodes: int) -> None:
    first = program.json("import", str(SAMPLES / name))
    stats = program.json("stats")
    again = program.json("import", str(SAMPLES / name))

    assert (first["episodes"], first["known"], first["pending"], first["skipped"]) == (episodes, 0, 0, [])
    assert (again["episodes"], again["known"]) == (episodes, episodes)
    assert stats == program.json("stats")
    assert stats["episodes"] == episodes


def test_a_database_of_kuzu_memory_is_taken_in(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "memories.db"
    file.write_bytes(gzip.decompress((SAMPLES / "memories.db.gz").read_bytes()))

    assert "took in 6 episodes" in program("import", str(file))
    assert "pytest" in program("search", "which test framework do we prefer")


def test_a_dry_run_counts_and_keeps_nothing(program: Program) -> None:
    found = program.json("import", str(SAMPLES / "memory.json"), "--dry-run")

    assert (found["episodes"], found["facts"], found["entities"]) == (4, 9, 4)
    assert found["dry_run"]
    assert program.json("stats")["episodes"] == 0


def test_what_was_taken_in_is_told_in_words(program: Program) -> None:
    said = program("import", str(SAMPLES / "graphiti-neo4j.jsonl"))

    assert said == "took in 9 episodes, 9 facts about 8 entities in demo; 0 were there already\n"


def test_a_group_that_is_named_wins_else_each_record_has_its_own(tmp_path: Path) -> None:
    named, other = Program(tmp_path / "a.db"), Program(tmp_path / "b.db")

    assert named.json("import", str(SAMPLES / "graphiti-neo4j.jsonl"))["groups"] == ["demo"]
    assert other.json("import", str(SAMPLES / "graphiti-neo4j.jsonl"), "--into", "mine")["groups"] == ["mine"]
    env = {**os.environ, "EVERFACT_STORE": str(tmp_path / "c.db"), "EVERFACT_GROUP": "work"}
    for name, group in (("graphiti-neo4j.jsonl", "harbor"), ("mem0.json", "work")):
        words = [sys.executable, "-m", "everfact", "import", str(SAMPLES / name), "--json"]
        done = subprocess.run(words, capture_output=True, env=env, cwd=tmp_path, check=True, timeout=100)
        assert json.loads(done.stdout)["groups"] == [group]


def test_a_bad_record_is_named_and_the_others_are_taken_in(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "mem0.json"
    file.write_text('[{"id": "a", "memory": "Ana lives in Rome"}, {"id": "b"}]', encoding="utf-8")

    done = program.result("import", str(file))

    assert done.exit_code == 1
    assert f"{file}, item 2: skipped, it has no memory" in done.output.replace("\n", "")
    assert "took in 1 episode" in done.output


def test_what_the_memory_refuses_is_skipped_by_name(program: Program, tmp_path: Path) -> None:
    program("import", str(SAMPLES / "mem0.json"), "--into", "first")

    done = program.result("import", str(SAMPLES / "mem0.json"), "--into", "second", "--json")

    assert done.exit_code == 1
    assert len(json.loads(done.stdout)["skipped"]) == 4
    assert "belongs to another group" in done.stdout


def test_a_wrong_kind_or_file_is_refused(program: Program, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing is known of a kind"):
        program("import", str(SAMPLES / "mem0.json"), "--from", "zep")
    with pytest.raises(UsageError, match="does not show what wrote it"):
        program("import", str(SAMPLES / "README.md"))
    with pytest.raises(UsageError, match="read from a file"):
        program("import", "-", "--from", "mem0", stdin="[]")
    with pytest.raises(UsageError, match="cannot be read"):
        program("import", str(tmp_path / "none.json"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals end a process at once there")
def test_an_import_that_is_interrupted_goes_on_when_it_is_done_again(tmp_path: Path) -> None:
    file, store = tmp_path / "mem0.json", tmp_path / "memory.db"
    memories = [{"id": f"m-{n}", "memory": f"Person{n} Silva lives in Porto since 2021."} for n in range(1500)]
    file.write_text(json.dumps(memories), encoding="utf-8")
    words = [sys.executable, "-m", "everfact", "--store", str(store), "--group", "demo", "import", str(file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        until = time.monotonic() + 60
        while not (store.exists() and Program(store).json("stats")["episodes"] > 200) and time.monotonic() < until:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    kept = Program(store).json("stats")["episodes"]

    assert running.returncode == 130
    assert "import the same file again" in said
    assert kept > 200
    done = Program(store).json("import", str(file))
    assert (done["episodes"], done["known"], done["pending"]) == (1500, kept, 0)
    stats = Program(store).json("stats")
    assert (stats["episodes"], stats["pending"]) == (1500, 0)
    assert stats["facts"] >= 1500

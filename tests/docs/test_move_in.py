"""What `docs/guides/move-in.md` shows is what happens."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from everfact.cli import app

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "data" / "imports"
BLOCKS = re.findall(
    r"```console\n(.*?)```", (ROOT / "docs" / "guides" / "move-in.md").read_text(encoding="utf-8"), re.DOTALL
)
FILES = {"graph.jsonl": "graphiti-neo4j.jsonl", "graph.cypher": "graphiti-neo4j.cypher"}
FILES |= {"memory.json": "memory.json", "mem0.json": "mem0.json"}


@pytest.mark.parametrize("block", BLOCKS)
def test_what_the_page_shows_is_what_happens(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, sample in FILES.items():
        shutil.copy(SAMPLES / sample, tmp_path / name)
    shutil.copytree(SAMPLES / "kuzu-memory-shared", tmp_path / "kuzu-memory-shared")
    (tmp_path / ".kuzu-memory").mkdir()
    database = gzip.decompress((SAMPLES / "memories.db.gz").read_bytes())
    (tmp_path / ".kuzu-memory" / "memories.db").write_bytes(database)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERFACT_STORE", str(tmp_path / "own.db"))
    monkeypatch.setenv("EVERFACT_GROUP", "demo")

    shown = ""
    for words in re.findall(r"^\$ everfact (.*)$", block, re.MULTILINE):
        shown += f"$ everfact {words}\n" + CliRunner().invoke(app, words.split(), catch_exceptions=False).output

    assert shown == block

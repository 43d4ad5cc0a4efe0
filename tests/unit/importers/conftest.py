"""Files to import, and a real memory to tell them to."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.unit.importers.samples import SAMPLES

from everfact import Memory, open_memory


@pytest.fixture
def kuzu_file(tmp_path: Path) -> Path:
    file = tmp_path / "memories.db"
    file.write_bytes(gzip.decompress((SAMPLES / "memories.db.gz").read_bytes()))
    return file


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with await open_memory(f"sqlite:///{tmp_path / 'own.db'}") as opened:
        yield opened


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        file = tmp_path / "given.json"
        file.write_text(text, encoding="utf-8")
        return file

    return write

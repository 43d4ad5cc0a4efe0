"""The SQLite store keeps the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from everfact.ports import Store
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.contract import OpenStore, StoreContract
from everfact.testing.fakes import FakeClock


class TestSQLiteStore(StoreContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path, clock: FakeClock) -> OpenStore:
        async def open_store() -> Store:
            return await SQLiteStore.open(tmp_path / "memory.db", now=clock)

        return open_store

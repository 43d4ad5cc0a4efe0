"""Random acts on the SQLite store and on the reference store: nobody can tell the two apart."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

from everfact.ports import Store
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.fakes import FakeClock
from everfact.testing.stateful import StoreComparison


class SQLiteComparison(StoreComparison):
    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        super().__init__()

    async def open_store(self, clock: FakeClock) -> Store:
        return await SQLiteStore.open(self.folder / "memory.db", now=clock)

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self.folder)


TestSQLiteComparison = SQLiteComparison.TestCase
TestSQLiteComparison.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

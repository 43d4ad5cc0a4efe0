"""Random acts on each store and on the reference store: nobody can tell the two apart."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.servers.falkordb import falkordb
from tests.servers.neo4j import neo4j

from everfact.ports import Store
from everfact.stores.cypher.store import CypherStore
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


TestSQLiteComparison = pytest.mark.slow(SQLiteComparison.TestCase)
TestSQLiteComparison.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


class FalkorDBComparison(StoreComparison):
    def __init__(self) -> None:
        falkordb().wipe()
        super().__init__()

    async def open_store(self, clock: FakeClock) -> Store:
        return await CypherStore.open(falkordb().engine(), now=clock)


class Neo4jComparison(StoreComparison):
    def __init__(self) -> None:
        neo4j().wipe()
        super().__init__()

    async def open_store(self, clock: FakeClock) -> Store:
        return await CypherStore.open(neo4j().engine(), now=clock)


TestFalkorDBComparison = pytest.mark.slow(FalkorDBComparison.TestCase)
TestFalkorDBComparison.settings = settings(
    max_examples=15, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestNeo4jComparison = pytest.mark.slow(pytest.mark.timeout(600)(Neo4jComparison.TestCase))
TestNeo4jComparison.settings = settings(
    max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

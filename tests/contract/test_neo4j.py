"""The store for graph servers keeps the contract on Neo4j."""

from __future__ import annotations

import pytest
from tests.servers.neo4j import neo4j

from everfact.ports import Store
from everfact.stores.cypher import vectors
from everfact.stores.cypher.store import CypherStore
from everfact.testing.contract import OpenStore, StoreContract
from everfact.testing.contract.search import Search
from everfact.testing.fakes import FakeClock

pytestmark = pytest.mark.slow


class TestNeo4j(StoreContract):
    @pytest.fixture
    def open_store(self, clock: FakeClock) -> OpenStore:
        server = neo4j()
        server.wipe()

        async def open_store() -> Store:
            return await CypherStore.open(server.engine(), now=clock)

        return open_store


class TestNeo4jWithVectorIndexes(Search):
    """What small groups never need: everything is found by way of the indexes."""

    @pytest.fixture
    def open_store(self, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> OpenStore:
        monkeypatch.setattr(vectors, "_FEW", 0)
        server = neo4j()
        server.wipe()

        async def open_store() -> Store:
            return await CypherStore.open(server.engine(), now=clock)

        return open_store

"""The store for graph servers keeps the contract on FalkorDB."""

from __future__ import annotations

import pytest
from tests.servers.falkordb import falkordb

from everfact.ports import Store
from everfact.stores.cypher import vectors
from everfact.stores.cypher.store import CypherStore
from everfact.testing.contract import OpenStore, StoreContract
from everfact.testing.contract.search import Search
from everfact.testing.fakes import FakeClock


class TestFalkorDB(StoreContract):
    @pytest.fixture
    def open_store(self, clock: FakeClock) -> OpenStore:
        server = falkordb()
        server.wipe()

        async def open_store() -> Store:
            return await CypherStore.open(server.engine(), now=clock)

        return open_store


class TestFalkorDBWithVectorIndexes(Search):
    """What small groups never need: everything is found by way of the indexes."""

    @pytest.fixture
    def open_store(self, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> OpenStore:
        monkeypatch.setattr(vectors, "_FEW", 0)
        server = falkordb()
        server.wipe()

        async def open_store() -> Store:
            return await CypherStore.open(server.engine(), now=clock)

        return open_store

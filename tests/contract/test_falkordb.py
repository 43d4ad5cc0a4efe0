"""The store for graph servers keeps the contract on FalkorDB."""

from __future__ import annotations

import pytest
from tests.servers.falkordb import falkordb

from everfact.ports import Store
from everfact.stores.cypher.store import CypherStore
from everfact.testing.contract import OpenStore, StoreContract
from everfact.testing.fakes import FakeClock


class TestFalkorDB(StoreContract):
    @pytest.fixture
    def open_store(self, clock: FakeClock) -> OpenStore:
        server = falkordb()
        server.wipe()

        async def open_store() -> Store:
            return await CypherStore.open(server.engine(), now=clock)

        return open_store

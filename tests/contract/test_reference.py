"""The reference store keeps the contract: the contract asks for nothing that plain Python could not do."""

from __future__ import annotations

import pytest

from everfact.ports import Store
from everfact.testing.contract import OpenStore, StoreContract
from everfact.testing.fakes import FakeClock
from everfact.testing.reference import Disk, ReferenceStore


class TestReferenceStore(StoreContract):
    @pytest.fixture
    def open_store(self, clock: FakeClock) -> OpenStore:
        disk = Disk()

        async def open_store() -> Store:
            return ReferenceStore(disk, now=clock)

        return open_store

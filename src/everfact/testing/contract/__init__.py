"""What every store must do. A store's own test file inherits `StoreContract` and supplies one fixture:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def open_store(self, tmp_path, clock):
            async def open_store():
                return await MyStore.open(tmp_path / "memory", now=clock)

            return open_store

Every call of `open_store` opens the same memory again. There are no skips: a store that fails one test is no store.
"""

from everfact.testing.contract.changes import Changes
from everfact.testing.contract.claims import Claims
from everfact.testing.contract.episodes import Episodes
from everfact.testing.contract.fixtures import OpenStore
from everfact.testing.contract.journal import Journal
from everfact.testing.contract.search import Search
from everfact.testing.contract.upkeep import Upkeep

__all__ = ["OpenStore", "StoreContract"]


class StoreContract(Episodes, Claims, Changes, Journal, Search, Upkeep):
    """All of the contract."""

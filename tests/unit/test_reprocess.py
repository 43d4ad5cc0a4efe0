"""Which changes a run of reprocessing made, however long the log is."""

from __future__ import annotations

import json

import pytest

from everfact import reprocess
from everfact.errors import UsageError
from everfact.memory import Memory
from everfact.models import Draft, Mention, Source, Statement
from everfact.reprocess import last_run
from everfact.testing.fakes import FakeClock, FixedExtractor
from everfact.testing.reference import ReferenceStore


def says(thing: str) -> Statement:
    return Statement(subject=Mention(name="Ana"), relation="LIKES", object=Mention(name=thing), sentence=thing)


async def test_log_is_read_page_by_page_to_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reprocess, "_PAGE", 1)
    clock = FakeClock()
    store = ReferenceStore(now=clock)
    async with Memory(store, dict.fromkeys(Source, FixedExtractor()), now=clock) as memory:
        for thing in ("tea", "rye"):
            await memory.add(Draft(content=thing, group_id="home", statements=(says(thing),)), wait=True)
        with pytest.raises(UsageError, match="nothing was reprocessed"):
            await last_run(store, "home")
        name = reprocess._name("home")
        await store.set_state(name, json.dumps({"since": "2000-01-01T00:00:00+00:00", "is_over": True}))
        # Both are of the run's time, but neither had been read before it.
        assert await last_run(store, "home") == []

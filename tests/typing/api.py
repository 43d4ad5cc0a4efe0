"""The types of the public interface, as a user's type checker sees them. Checked by mypy, never run."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import assert_type

from everfact import Change, Claim, Episode, EverfactError, Fact, Filter, Scored, Stats, Thing
from everfact.ports import Embedder, Extractor, Store
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.fakes import FixedExtractor, HashingEmbedder
from everfact.testing.reference import ReferenceStore


async def stores_are_stores() -> None:
    stores: list[Store] = [await SQLiteStore.open(Path("memory.db")), ReferenceStore()]
    extractor: Extractor = FixedExtractor()
    embedder: Embedder = HashingEmbedder()
    assert_type((stores, extractor.name, embedder.model), tuple[list[Store], str, str])


async def answers_are_models(store: Store, episode: Episode, change: Change) -> None:
    where = Filter(group_ids=None)
    assert_type(await store.add_episode(episode), Episode)
    assert_type(await store.claim("me", lease=timedelta(seconds=1)), list[Claim])
    assert_type(await store.apply(change), Change)
    assert_type(await store.facts(where), list[Fact])
    assert_type(await store.match_text(Thing.FACT, "words", where, limit=3), list[Scored])
    assert_type(await store.stats(), Stats)


def errors_say_what_to_do(error: EverfactError) -> None:
    assert_type(error.hint, str)
    assert_type(error.retryable, bool)

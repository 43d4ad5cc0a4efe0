"""Which embedder the settings name; and that searching by words goes on without it, and while it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from everfact import Draft, Query
from everfact.assemble import make_embedder, make_memory
from everfact.config import load
from everfact.embedders.minilm.embedder import MiniLMEmbedder
from everfact.embedders.static import StaticEmbedder
from everfact.errors import ConfigError, ModelUnavailable
from everfact.models import Vector
from everfact.stores.sqlite import SQLiteStore
from everfact.testing.fakes import HashingEmbedder


class Silent:
    """An embedder that does not answer."""

    model = "silent"

    async def embed(self, texts: object) -> list[Vector]:
        raise ModelUnavailable("silent does not answer")


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ({}, StaticEmbedder.model),
        ({"embedder.model": "minilm"}, MiniLMEmbedder.model),
        ({"embedder.model": "text-embedding-3-small"}, "openai:text-embedding-3-small"),
        ({"embedder.model": "openai:text-embedding-3-large"}, "openai:text-embedding-3-large"),
        ({"embedder.model": "voyage-4"}, "voyage:voyage-4"),
        ({"embedder.model": "gemini-embedding-001"}, "gemini:gemini-embedding-001"),
        ({"embedder.model": "ollama:nomic-embed-text"}, "ollama:nomic-embed-text"),
        ({"embedder.model": "nomic", "embedder.base_url": "http://127.0.0.1:8080/v1"}, "openai:nomic"),
        ({"embedder.model": "fastembed:BAAI/bge-small-en-v1.5"}, "fastembed:BAAI/bge-small-en-v1.5"),
    ],
)
def test_settings_name_an_embedder(settings: dict[str, str], model: str) -> None:
    assert make_embedder(load(settings).settings).model == model


@pytest.mark.parametrize("model", ["anthropic:claude", "groq:x"])
def test_unknown_embedder_is_refused_with_those_there_are(model: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_embedder(load({"embedder.model": model}).settings)
    assert "minilm" in caught.value.hint


async def test_words_find_without_an_embedder_and_the_answer_says_why(tmp_path: Path) -> None:
    async with make_memory(await SQLiteStore.open(tmp_path / "m.db"), embedder=Silent()) as memory:
        await memory.add(Draft(content="The zeppelin lands in Porto."), wait=True)
        answer = await memory.search(Query(text="zeppelin", group_ids=("main",)))
        assert answer.hits
        assert answer.without_meaning == "silent does not answer"
        with pytest.raises(ModelUnavailable):
            await memory.embed()


async def test_another_model_embeds_all_anew_bit_by_bit_and_words_find_all_along(tmp_path: Path) -> None:
    path, question = tmp_path / "m.db", Query(text="zeppelin number 17", group_ids=("main",), limit=5)
    async with make_memory(await SQLiteStore.open(path), embedder=HashingEmbedder(32)) as memory:
        for number in range(300):
            await memory.add(Draft(content=f"The zeppelin number {number} lands in Porto.", uuid=f"told-{number}"))
        while await memory.embed():
            pass
        first = await memory.search(question)
    embedder, store = HashingEmbedder(48), await SQLiteStore.open(path)
    async with make_memory(store, embedder=embedder) as memory:
        before = await memory.search(question)
        assert first.hits[0].item.uuid == before.hits[0].item.uuid == "told-17"
        assert await memory.embed() == 256  # and here somebody pulls the plug
    async with make_memory(await SQLiteStore.open(path), embedder=embedder) as memory:
        assert (await memory.search(question)).hits[0].item.uuid == "told-17"
        assert await memory.embed() == 300 - 256
        assert await memory.embed() == 0
        assert (await memory.search(question)).hits[0].item.uuid == "told-17"

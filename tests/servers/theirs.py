"""Graphiti's own library on a server of ours, without a model."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # their library uses what pydantic will drop
    from graphiti_core import Graphiti
    from graphiti_core.cross_encoder.client import CrossEncoderClient
    from graphiti_core.driver.driver import GraphDriver
    from graphiti_core.driver.falkordb_driver import FalkorDriver
    from graphiti_core.driver.neo4j_driver import Neo4jDriver
    from graphiti_core.embedder.client import EmbedderClient
    from graphiti_core.llm_client.client import LLMClient
    from graphiti_core.llm_client.config import LLMConfig
from tests.servers.falkordb import FalkorServer
from tests.servers.neo4j import Neo4jServer

from everfact.testing.fakes import HashingEmbedder

SAID = datetime(2024, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)


class Words(EmbedderClient):
    """Texts that share words point the same way."""

    _of = HashingEmbedder(32)

    async def create(self, input_data: Any) -> list[float]:
        text = input_data if isinstance(input_data, str) else input_data[0]
        return self._of.vector(text).tolist()

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        return [await self.create(text) for text in input_data_list]


class NoModel(LLMClient):
    async def _generate_response(self, *_: Any, **__: Any) -> dict[str, Any]:
        raise AssertionError("nobody asks a model here")


class NoJudge(CrossEncoderClient):
    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        raise AssertionError("nobody asks a model here")


def driver_of(server: FalkorServer | Neo4jServer, group: str) -> GraphDriver:
    """Graphiti's connection; on FalkorDB to the graph of one group."""
    if isinstance(server, FalkorServer):
        return FalkorDriver(host="127.0.0.1", port=server.port, database=group)
    return Neo4jDriver(server.url, "", "")


@asynccontextmanager
async def graphiti(server: FalkorServer | Neo4jServer, group: str) -> AsyncIterator[Graphiti]:
    """Graphiti with its indexes made."""
    driver: Any = driver_of(server, group)
    assert driver._init_task is not None
    await asyncio.wait_for(driver._init_task, 60)
    client = Graphiti(graph_driver=driver, llm_client=NoModel(LLMConfig()), embedder=Words(), cross_encoder=NoJudge())
    yield client
    await client.close()  # type: ignore[no-untyped-call]

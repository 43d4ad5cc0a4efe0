"""A client and a server in one process, on a store of its own."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import CallToolResult

from everfact.assemble import open_memory
from everfact.server.app import build_server
from everfact.server.host import Host

ERAS = ("2026-07-28", "legacy")
ALL_SETS = ("core", "graphiti", "history")


class Refused(Exception):  # noqa: N818 - reads better in `pytest.raises`
    """A tool answered with an error."""


@dataclass
class Talk:
    """A conversation with a server."""

    client: Client
    host: Host

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool, whose text says the same in compact JSON."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        text = result.content[0].text  # type: ignore[union-attr]
        if result.is_error:
            raise Refused(text)
        assert result.structured_content is not None
        bare = result.structured_content.get("result", result.structured_content)
        assert json.loads(text) == bare
        assert text == json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
        return result.structured_content

    async def text(self, tool: str, **arguments: Any) -> str:
        """The text of a tool that answers in text."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        assert not result.is_error
        assert result.structured_content is None
        return result.content[0].text  # type: ignore[union-attr]

    async def tell(self, body: str, at: str = "", **arguments: Any) -> dict[str, Any]:
        """Tell something and have it digested."""
        return await self.ask("add_memory", name="note", episode_body=body, reference_time=at, wait=True, **arguments)


@asynccontextmanager
async def talk(
    store: Path | str,
    *,
    era: str = ERAS[0],
    toolsets: Sequence[str] = ALL_SETS,
    wrap_results: bool = False,
    client: dict[str, Any] | None = None,
    **host: Any,
) -> AsyncIterator[Talk]:
    """A conversation with a server on that file, or at that address."""
    served = Host(lambda: open_memory(store), **host)
    server = build_server(served, toolsets=toolsets, wrap_results=wrap_results)
    async with Client(server, mode=era, **client or {}) as connected:  # type: ignore[arg-type]
        yield Talk(connected, served)

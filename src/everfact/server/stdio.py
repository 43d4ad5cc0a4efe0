"""A server on standard input and output. A request that cannot be read is answered, so that nobody waits for ever."""

from __future__ import annotations

import json
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, ErrorData, JSONRPCError
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_UNREADABLE = "the request cannot be read: a wrong field, several requests in one line, or half a character in a text"


async def run_stdio(server: Server[Any]) -> None:
    """Serve the client until it closes standard input."""
    # What `MCPServer.run_stdio_async` does, with our ears in between.
    async with stdio_server() as (incoming, outgoing):
        await server.run(Listening(incoming, outgoing), outgoing, server.create_initialization_options())


class Listening:
    """The messages of a client, without those that cannot be read; if these name their id, they get an error."""

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._incoming.__aexit__(kind, error, trace)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        while isinstance(item := await self._incoming.__anext__(), Exception):
            await self._refuse(item)
        return item

    async def receive(self) -> SessionMessage:
        """The next message that can be read."""
        while isinstance(item := await self._incoming.receive(), Exception):
            await self._refuse(item)
        return item

    async def aclose(self) -> None:
        """Stop listening."""
        await self._incoming.aclose()

    async def _refuse(self, error: Exception) -> None:
        for request in _requests(error):
            refusal = ErrorData(code=INVALID_REQUEST, message=_UNREADABLE)
            await self._outgoing.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=request["id"], error=refusal)))


def _requests(error: Exception) -> list[dict[str, Any]]:
    """The requests in a line that the SDK could not read, as far as they can be told."""
    for fault in error.errors(include_url=False) if isinstance(error, ValidationError) else ():
        given = _parsed(fault["input"]) if fault["type"] == "json_invalid" else fault["input"]
        found = [item for item in (given if isinstance(given, list) else [given]) if _is_request(item)]
        if found:
            return found
    return []


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_request(item: object) -> bool:
    return isinstance(item, dict) and "method" in item and type(item.get("id")) in (str, int)

"""`build_relay`: a server that asks another one, and hands back what that one says, errors included.

For clients that start a program but cannot connect to an address, or should not hold its token.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from everfact import __version__
from everfact.errors import META_KEY, EverfactError

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from everfact.client.connection import Connection

_GREETING_SECONDS = 3.0
"""How long a client's handshake may wait for what the other server says of itself."""

_log = logging.getLogger(__name__)


class _Relayed(NamedTuple):
    capability: str
    request: type[types.Request[Any, Any]]
    params: type[types.RequestParams]
    result: type[types.Result]


_RELAYED = (
    _Relayed("tools", types.ListToolsRequest, types.PaginatedRequestParams, types.ListToolsResult),
    _Relayed("tools", types.CallToolRequest, types.CallToolRequestParams, types.CallToolResult),
    _Relayed("resources", types.ListResourcesRequest, types.PaginatedRequestParams, types.ListResourcesResult),
    _Relayed(
        "resources",
        types.ListResourceTemplatesRequest,
        types.PaginatedRequestParams,
        types.ListResourceTemplatesResult,
    ),
    _Relayed("resources", types.ReadResourceRequest, types.ReadResourceRequestParams, types.ReadResourceResult),
    _Relayed("prompts", types.ListPromptsRequest, types.PaginatedRequestParams, types.ListPromptsResult),
    _Relayed("prompts", types.GetPromptRequest, types.GetPromptRequestParams, types.GetPromptResult),
    _Relayed("completions", types.CompleteRequest, types.CompleteRequestParams, types.CompleteResult),
)


async def build_relay(connection: Connection) -> Server[Any]:
    """A server that offers what the one behind the connection offers; all there is, if that one is away now."""
    instructions: str | None = None
    capabilities: types.ServerCapabilities | None = None
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(_GREETING_SECONDS):
                instructions, capabilities = await connection.greeting()
    except EverfactError as error:
        _log.warning("%s", error)
    server = Server[Any]("everfact", version=__version__, title="everfact", instructions=instructions)
    for kind in _RELAYED:
        if capabilities is None or getattr(capabilities, kind.capability) is not None:
            method = kind.request.model_fields["method"].default
            server.add_request_handler(method, kind.params, _relaying(connection, kind))
    return server


def _relaying(
    connection: Connection, kind: _Relayed
) -> Callable[[ServerRequestContext[Any], types.RequestParams], Awaitable[types.Result]]:
    async def relay(_: ServerRequestContext[Any], params: types.RequestParams) -> types.Result:
        # `_meta` is about the way between client and relay: its revision of the protocol, its progress token.
        request = kind.request.model_construct(params=params.model_copy(update={"meta": None}))
        try:
            return await connection.forward(request, kind.result)
        except EverfactError as error:
            if isinstance(params, types.CallToolRequestParams):
                return _failure(error)
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from error

    return relay


def _failure(error: EverfactError) -> types.CallToolResult:
    """A failed result, which the model gets to read; clients keep errors of the protocol to themselves."""
    text = types.TextContent(text=str(error))
    return types.CallToolResult(content=[text], is_error=True, _meta={META_KEY: type(error).__name__})

"""Who follows a resource hears when a write changes it, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from everfact.server.host import Host

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

_MOST_PER_CLIENT = 1_000


class Subscriptions:
    """The open streams of modern clients (`bus`) and what legacy clients subscribed to."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._followed: dict[int, tuple[ServerSession, set[str]]] = {}

    def register(self, server: MCPServer[Host], host: Host) -> None:
        """Serve subscriptions, and tell subscribers what the host announces."""
        # The SDK offers no public way to serve the subscriptions of earlier protocol revisions.
        low = server._lowlevel_server
        low.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe)
        host.follow(self._announced)

    async def _announced(self, uris: Sequence[str]) -> None:
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri=uri))
        for session, followed in tuple(self._followed.values()):
            for uri in followed.intersection(uris):
                await session.send_resource_updated(uri)

    async def _subscribe(self, ctx: ServerRequestContext[Host, Any], params: SubscribeRequestParams) -> EmptyResult:
        # Sessions are made anew for every request; the connection is what lasts.
        connection = ctx.session._connection
        if id(connection) not in self._followed:
            self._followed[id(connection)] = (ctx.session, set())
            connection.exit_stack.callback(self._followed.pop, id(connection), None)
        followed = self._followed[id(connection)][1]
        if len(followed) < _MOST_PER_CLIENT:
            followed.add(params.uri)
        return EmptyResult()

    async def _unsubscribe(self, ctx: ServerRequestContext[Host, Any], params: UnsubscribeRequestParams) -> EmptyResult:
        _, followed = self._followed.get(id(ctx.session._connection), (None, set()))
        followed.discard(params.uri)
        return EmptyResult()

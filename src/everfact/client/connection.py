"""One MCP endpoint: calls tools, keeps the session, opens it anew when the server has forgotten it.

Speaks both protocol eras through the SDK's client. Foreign errors become ours here and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

import httpx2
import mcp_types as types
from mcp import Client as SDKClient
from mcp import ClientSession
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from everfact._version import __version__
from everfact.errors import META_KEY, ConfigError, EverfactError, NotFound, StoreError, StoreUnavailable, UsageError
from everfact.models import JSON

R = TypeVar("R", bound=types.Result)
Endpoint: TypeAlias = "str | MCPServer"
"""A URL, or a server in this process."""

_MAX_EVENT_BYTES = 64 * 1024 * 1024
_CLOSED = (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT)
_REFUSALS = (401, 403)
_AWAY = (502, 503, 504)
_ERRORS: Final[dict[str, type[EverfactError]]] = {
    kind.__name__: kind for kind in (NotFound, UsageError, ConfigError, StoreUnavailable, StoreError)
}


class UnknownToolError(UsageError):
    """The server has no such tool."""


@dataclass(eq=False, slots=True)
class _Link:
    """One session with the endpoint: the task that holds it open, and what HTTP said that JSON-RPC does not."""

    session: ClientSession | None = None
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    is_forgotten: bool = False
    refusal: int = 0


class Connection:
    """Calls the tools of one endpoint. Opened by the first call; any task may call, several at once."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        token: str = "",
        mode: str = "auto",
        timeout_seconds: float = 60.0,
        http_client: Callable[[], httpx2.AsyncClient] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._token = token
        self._mode = mode
        self._timeout = timeout_seconds
        self._http_client = http_client or self._make_http_client
        self._link: _Link | None = None
        self._opening = asyncio.Lock()

    async def call(self, tool: str, arguments: dict[str, JSON]) -> JSON:
        """What a tool answers: its structured result, unwrapped, else the JSON or the text of its first content.

        Raises:
            NotFound: it says that something is not there.
            UsageError: it says that the call is wrong.
            ConfigError: the server does not let us in.
            StoreUnavailable: the server cannot be reached, or did not answer in time.
        """
        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        # Not by `call_tool`, which lists all tools first, to check an answer that is parsed here anyway.
        result = await self._send(types.CallToolRequest(params=params), types.CallToolResult)
        if result.is_error:
            raise _tool_error(tool, result)
        return _unwrapped(result)

    async def read(self, uri: str) -> str:
        """The text of a resource.

        Raises:
            NotFound: there is no such resource.
        """
        params = types.ReadResourceRequestParams(uri=uri)
        result = await self._send(types.ReadResourceRequest(params=params), types.ReadResourceResult)
        return "".join(part.text for part in result.contents if isinstance(part, types.TextResourceContents))

    async def greeting(self) -> tuple[str | None, types.ServerCapabilities | None]:
        """The server's instructions and what it can do, as it said when the session was opened."""
        link = await self._open()
        assert link.session is not None
        return link.session.instructions, link.session.server_capabilities

    async def close(self) -> None:
        """End the session; a later call opens another one."""
        link, self._link = self._link, None
        if link is not None:
            await _end(link)

    async def forward(self, request: types.Request[Any, Any], kind: type[R]) -> R:
        """The answer as the server gave it.

        Raises:
            MCPError: the server answered with that error.
            ConfigError: the server does not let us in.
            StoreUnavailable: the server cannot be reached, or did not answer in time.
        """
        for is_last in (False, True):
            link = await self._open()
            try:
                return await self._race(link, request, kind)
            except MCPError as error:
                # The server did nothing with the call: it is safe to send again.
                if link.is_forgotten and not is_last:
                    await self._drop(link)
                    continue
                if (unanswered := self._unanswered(error, link)) is not None:
                    raise unanswered from error
                raise
            except ValidationError as error:
                raise StoreError(f"{self._name} answered something else than expected") from error
        raise AssertionError("the second time never comes round")

    async def _send(self, request: types.ClientRequest, kind: type[R]) -> R:
        try:
            return await self.forward(request, kind)
        except MCPError as error:
            raise self._explained(error) from error

    async def _race(self, link: _Link, request: types.Request[Any, Any], kind: type[R]) -> R:
        """The answer, unless the connection breaks down first."""
        assert link.task is not None
        assert link.session is not None
        sent = asyncio.create_task(link.session.send_request(request, kind))
        try:
            await asyncio.wait({sent, link.task}, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED)
            if sent.done():
                return sent.result()
            if not link.task.done():
                raise StoreUnavailable(f"{self._name} did not answer within {self._timeout:g} s")
            await self._drop(link)
            raise StoreUnavailable(
                f"the connection to {self._name} broke", hint="whether the call was done is not known"
            )
        finally:
            sent.cancel()
            await asyncio.wait({sent})
            if not sent.cancelled():
                sent.exception()  # so that nobody complains that it was never looked at

    async def _open(self) -> _Link:
        async with self._opening:
            if self._link is not None and self._link.task is not None and not self._link.task.done():
                return self._link
            ready: asyncio.Future[_Link] = asyncio.get_running_loop().create_future()
            # The SDK's client must be left by the task that entered it, so it gets one of its own.
            task = asyncio.create_task(self._hold(ready))
            task.add_done_callback(lambda _: ready.cancel())
            try:
                await asyncio.wait({ready}, timeout=self._timeout)
            finally:
                if not ready.done():
                    task.cancel()
            if task.done() and not task.cancelled():
                task.result()
            if not ready.done() or ready.cancelled():
                raise StoreUnavailable(f"{self._name} did not answer within {self._timeout:g} s")
            self._link = ready.result()
            self._link.task = task
            return self._link

    async def _hold(self, ready: asyncio.Future[_Link]) -> None:
        """Hold a session open until it is closed or breaks."""
        async with AsyncExitStack() as stack:
            link = _Link()
            target = self._transport(self._endpoint, link) if isinstance(self._endpoint, str) else self._endpoint
            info = types.Implementation(name="everfact-client", version=__version__)
            client = SDKClient(target, mode=self._mode, client_info=info, cache=None)
            try:
                await stack.enter_async_context(client)
            except (MCPError, httpx2.HTTPError, OSError, ExceptionGroup) as error:
                raise self._unopened(_leaf(error), link) from error
            link.session = client.session
            ready.set_result(link)
            await link.closing.wait()

    @asynccontextmanager
    async def _transport(self, url: str, link: _Link) -> AsyncIterator[TransportStreams]:
        async with self._http_client() as http:

            async def notice(response: httpx2.Response) -> None:
                if response.status_code == 404 and "mcp-session-id" in response.request.headers:
                    link.is_forgotten = True
                link.refusal = response.status_code if response.status_code in _REFUSALS + _AWAY else 0

            http.event_hooks["response"].append(notice)
            async with streamable_http_client(url, http_client=http, max_sse_event_size=_MAX_EVENT_BYTES) as streams:
                yield streams

    def _make_http_client(self) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=300))

    async def _drop(self, link: _Link) -> None:
        if self._link is link:
            self._link = None
        await _end(link)

    def _unopened(self, error: BaseException, link: _Link) -> EverfactError:
        if isinstance(error, MCPError):
            return self._unanswered(error, link) or self._explained(error)
        return StoreUnavailable(
            f"{self._name} cannot be reached: {error}", hint="is the server running? Start it, then try again"
        )

    def _unanswered(self, error: MCPError, link: _Link) -> EverfactError | None:
        """An error that the SDK made up because no answer came, as ours."""
        if link.refusal in _REFUSALS:
            return ConfigError(f"{self._name} does not let us in", hint="give it a token that it knows")
        if link.refusal in _AWAY:
            return StoreUnavailable(f"{self._name} did not answer: {error.message}", hint="try again later")
        if error.code in _CLOSED:
            hint = "whether the call was done is not known; look before trying again"
            return StoreUnavailable(f"{self._name} did not answer: {error.message}", hint=hint)
        return None

    def _explained(self, error: MCPError) -> EverfactError:
        """The server's error as ours."""
        if error.code == types.METHOD_NOT_FOUND:
            return UsageError(f"{self._name} cannot do that: {error.message}", hint="is it a memory server?")
        if error.code in (types.INVALID_REQUEST, types.INVALID_PARAMS):
            return UsageError(f"{self._name} refused the call: {error.message}")
        return StoreError(f"{self._name} failed: {error.message}")

    @property
    def _name(self) -> str:
        return self._endpoint if isinstance(self._endpoint, str) else "the server"


async def _end(link: _Link) -> None:
    link.closing.set()
    if link.task is not None:
        await asyncio.wait({link.task})
        if not link.task.cancelled():
            link.task.exception()


def _leaf(error: BaseException) -> BaseException:
    """The first real error in a group of errors."""
    return _leaf(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _tool_error(tool: str, result: types.CallToolResult) -> EverfactError:
    """A failed result as one of our errors; another server's failures are the caller's mistake or "not found"."""
    message = _text(result).removeprefix(f"Error executing tool {tool}: ") or f"the tool {tool} failed"
    if message == f"Unknown tool: {tool}":
        return UnknownToolError(message, hint="the server is older, or no memory")
    return _named_error(str((result.meta or {}).get(META_KEY, "")), message)


def _named_error(name: str, message: str) -> EverfactError:
    kind = _ERRORS.get(name) or (NotFound if "not found" in message.casefold() else UsageError)
    return kind(message)


def _unwrapped(result: types.CallToolResult) -> JSON:
    data: JSON = result.structured_content
    if data is None:
        data = _parsed(_text(result))
    if isinstance(data, dict) and data.keys() == {"result"}:
        data = data["result"]
    if isinstance(data, dict) and data.keys() == {"error"}:
        # Graphiti's own server answers failures as if they were successes.
        raise _named_error("", str(data["error"]))
    return data


def _text(result: types.CallToolResult) -> str:
    return next((part.text for part in result.content if isinstance(part, types.TextContent)), "")


def _parsed(text: str) -> JSON:
    try:
        data: JSON = json.loads(text)
    except ValueError:
        return text
    return data

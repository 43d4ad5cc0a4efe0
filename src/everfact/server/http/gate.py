"""The door: every request passes it before anything else sees it.

Right name, known token, a body that comes in time and is not too large; then the SDK's app may have it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everfact.errors import ConfigError
from everfact.server.host import Access
from everfact.server.http.metrics import Metrics
from everfact.server.http.names import Names
from everfact.server.tokens import Token, TokenFile

log = logging.getLogger(__name__)

ACCESS_KEY: Final = "everfact.access"
"""Where a request's scope says what its caller may do."""

METADATA_PATH: Final = "/.well-known/oauth-protected-resource"
OPEN_PATHS: Final = ("/health", METADATA_PATH, f"{METADATA_PATH}/mcp")
"""What may be read without a token."""

_BODY_SECONDS = 30.0
_INVALID_REQUEST = -32600


class Gate:
    """Lets requests through, or answers them itself."""

    def __init__(
        self, app: ASGIApp, *, names: Names, tokens: TokenFile, metrics: Metrics, most_bytes: int, asks: bool
    ) -> None:
        self._app = app
        self._names = names
        self._tokens = tokens
        self._metrics = metrics
        self._most_bytes = most_bytes
        self._asks = asks
        self._under_way = 0
        self.idle = asyncio.Event()
        """Set while no request is being worked on; listening for news is no work."""
        self.idle.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, as ASGI has it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        is_work = scope["method"] != "GET"
        self._count_work(is_work)
        try:
            await self._serve(scope, receive, self._counted(scope["method"], send))
        finally:
            self._count_work(-is_work)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if not self._names.has_host(headers.get("host", "")):
            hint = "start the server with --allow-host and the name that clients use"
            return await refuse(send, 421, f"Invalid Host header: {hint}")
        if not self._names.has_origin(headers.get("origin", "")):
            return await refuse(send, 403, "Invalid Origin header: this page may not call the server")
        if int(length) > self._most_bytes if (length := headers.get("content-length", "")).isdecimal() else False:
            return await refuse(send, 413, f"Request body too large: at most {self._most_bytes:,} bytes")
        try:
            # One look at the file's times; reading it is rare, and it is small.
            token = self._token(headers)
            is_asked = self.asks_for_tokens()
        except ConfigError as error:
            log.error("nobody is let in: %s", error)  # noqa: TRY400 - the message says it all
            return await refuse(send, 503, "the server cannot read its tokens")
        if token is None and is_asked and scope["path"] not in OPEN_PATHS:
            return await self._ask(scope, headers, send)
        path = "/mcp" if scope["path"] == "/mcp/" else scope["path"]
        inner = {**scope, "path": path, "raw_path": path.encode(), ACCESS_KEY: _access(token, is_asked)}
        if token is not None:
            # The SDK binds a session to whoever opened it.
            inner["user"] = AuthenticatedUser(AccessToken(token="", client_id=token.digest, scopes=[]))
        return await self._app(inner, _in_time(receive), send)

    def asks_for_tokens(self) -> bool:
        """Whether callers need a token: once there is one, for as long as the server runs.

        Raises:
            ConfigError: the tokens cannot be read.
        """
        self._asks = self._asks or bool(self._tokens.all())
        return self._asks

    def _count_work(self, number: int) -> None:
        self._under_way += number
        if self._under_way:
            self.idle.clear()
        else:
            self.idle.set()

    def _token(self, headers: Headers) -> Token | None:
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        return self._tokens.find(secret.strip()) if scheme.lower() == "bearer" else None

    async def _ask(self, scope: Scope, headers: Headers, send: Send) -> None:
        """401, with where to read how to get in (RFC 6750, RFC 9728)."""
        where = f'resource_metadata="{base_url(scope, headers)}{METADATA_PATH}/mcp"'
        wrong = 'error="invalid_token", ' if "authorization" in headers else ""
        message = "this server wants a token that it knows: send Authorization: Bearer TOKEN"
        challenge = [(b"www-authenticate", f'Bearer {wrong}error_description="{message}", {where}'.encode())]
        await answer(send, 401, {"error": "invalid_token", "error_description": message}, challenge)

    def _counted(self, method: str, send: Send) -> Send:
        known = method if method in ("GET", "POST", "DELETE", "HEAD", "OPTIONS") else "other"

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.count_request(known, message["status"])
            await send(message)

        return counted


def base_url(scope: Scope, headers: Headers) -> str:
    """The address under which the caller reached us; the gate has checked the name."""
    return f"{scope['scheme']}://{headers['host']}"


async def refuse(send: Send, status: int, message: str) -> None:
    """Answer with an error that MCP clients can read."""
    error = {"code": _INVALID_REQUEST, "message": message}
    await answer(send, status, {"jsonrpc": "2.0", "id": None, "error": error})


async def answer(send: Send, status: int, body: object, headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
    """Send a whole answer in JSON."""
    data = json.dumps(body).encode()
    kind = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*kind, *headers]})
    await send({"type": "http.response.body", "body": data})


def _access(token: Token | None, is_asked: bool) -> Access:
    if token is not None and token.groups is not None:
        return Access(groups=frozenset(token.groups), may_write=token.may_write, default_group=token.groups[0])
    if token is not None:
        return Access(may_write=token.may_write)
    return Access(groups=frozenset(), may_write=False) if is_asked else Access()


def _in_time(receive: Receive) -> Receive:
    """The request's body, unless it takes too long to come: then the caller counts as gone."""
    is_whole = False

    async def timely() -> Message:
        nonlocal is_whole
        if is_whole:
            return await receive()  # waits for the caller to go, however long that takes
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                message = await receive()
        except TimeoutError:
            message = {"type": "http.disconnect"}
        is_whole = not message.get("more_body", False)
        return message

    return timely

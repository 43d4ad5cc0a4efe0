"""What holds for every message over HTTP: the caller's rights, a limit on time, and counting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from everfact.server.host import Access
from everfact.server.http.gate import ACCESS_KEY
from everfact.server.http.metrics import Metrics

_NOTHING: Final = Access(groups=frozenset(), may_write=False)
_REQUEST_TIMEOUT: Final = -32001
_LISTENING: Final = "subscriptions/listen"

_caller: ContextVar[Access] = ContextVar("caller", default=_NOTHING)


def caller_access() -> Access:
    """What the caller of this very request may do; outside a request, nothing."""
    return _caller.get()


class Guard:
    """A middleware of the SDK's: runs around every message, in the task that answers it."""

    def __init__(
        self, metrics: Metrics, *, reads: Callable[[], Awaitable[Mapping[str, bool]]], most_seconds: float
    ) -> None:
        self._metrics = metrics
        self._reads = reads
        """Every tool's name, and whether it only reads."""
        self._most_seconds = most_seconds

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message."""
        scope = ctx.request.scope if ctx.request is not None else {}
        before = _caller.set(scope.get(ACCESS_KEY, _NOTHING))
        try:
            if ctx.method == "tools/call":
                return await self._call(ctx, call_next)
            result = await self._timed(ctx, call_next)
            return await self._shown(result) if ctx.method == "tools/list" else result
        except TimeoutError as error:
            raise MCPError(_REQUEST_TIMEOUT, f"this took longer than {self._most_seconds:g} s") from error
        finally:
            _caller.reset(before)

    async def _timed(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        async with asyncio.timeout(None if ctx.method == _LISTENING else self._most_seconds):
            return await call_next(ctx)

    async def _call(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        name, reads = str((ctx.params or {}).get("name")), await self._reads()
        began, outcome = time.perf_counter(), "failed"
        try:
            if not reads.get(name, False) and not _caller.get().may_write:
                return _failed("this token may only read; use one that may write")
            result = await self._timed(ctx, call_next)
            outcome = "failed" if _is_error(result) else "done"
        except TimeoutError:
            outcome = "late"
            return _failed(f"{name} took longer than {self._most_seconds:g} s; ask for less, or look at get_status")
        else:
            return result
        finally:
            label = name if name in reads else "unknown"  # whatever a caller makes up is one label
            self._metrics.count_call(label, outcome, time.perf_counter() - began)

    async def _shown(self, result: HandlerResult) -> HandlerResult:
        """The list of tools, without those that would be refused."""
        if _caller.get().may_write or result is None:
            return result
        reads = await self._reads()
        if isinstance(result, dict):
            return {**result, "tools": [tool for tool in result["tools"] if reads.get(_name_of(tool), False)]}
        tools: list[Any] = getattr(result, "tools", [])
        return result.model_copy(update={"tools": [tool for tool in tools if reads.get(_name_of(tool), False)]})


def _name_of(tool: Any) -> str:
    return str(tool["name"] if isinstance(tool, dict) else tool.name)


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)


def _is_error(result: HandlerResult) -> bool:
    return bool(result.get("isError") if isinstance(result, dict) else getattr(result, "is_error", False))

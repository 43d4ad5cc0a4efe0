"""What holds for every message over HTTP: the caller's rights, a limit on time, and counting.

The tools themselves refuse what the rights do not cover; here is only where they find out who calls.
"""

from __future__ import annotations

import asyncio
import time
from contextvars import ContextVar
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ListToolsResult, TextContent

from everfact.server.host import Access
from everfact.server.http.gate import ACCESS_KEY
from everfact.server.http.metrics import Metrics
from everfact.server.toolsets import NAMES

_NOTHING: Final = Access(groups=frozenset(), may_write=False)
_REQUEST_TIMEOUT: Final = -32001
_LISTENING: Final = "subscriptions/listen"

_caller: ContextVar[Access] = ContextVar("caller", default=_NOTHING)


def caller_access() -> Access:
    """What the caller of this very request may do; outside a request, nothing."""
    return _caller.get()


class Guard:
    """A middleware of the SDK's: runs around every message, in the task that answers it."""

    def __init__(self, metrics: Metrics, *, most_seconds: float) -> None:
        self._metrics = metrics
        self._most_seconds = most_seconds

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message."""
        scope = ctx.request.scope if ctx.request is not None else {}
        before = _caller.set(scope.get(ACCESS_KEY, _NOTHING))
        try:
            if ctx.method == "tools/call":
                return await self._call(ctx, call_next)
            result = await self._timed(ctx, call_next)
            return _shown(result) if ctx.method == "tools/list" and not _caller.get().may_write else result
        except TimeoutError as error:
            raise MCPError(_REQUEST_TIMEOUT, f"this took longer than {self._most_seconds:g} s") from error
        finally:
            _caller.reset(before)

    async def _timed(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        async with asyncio.timeout(None if ctx.method == _LISTENING else self._most_seconds):
            return await call_next(ctx)

    async def _call(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        name = str((ctx.params or {}).get("name"))
        began, outcome = time.perf_counter(), "failed"
        try:
            result = await self._timed(ctx, call_next)
            outcome = "failed" if _is_error(result) else "done"
        except TimeoutError:
            outcome = "late"
            return _failed(f"{name} took longer than {self._most_seconds:g} s; ask for less, or look at get_status")
        else:
            return result
        finally:
            label = name if name in NAMES else "unknown"  # whatever a caller makes up is one label
            self._metrics.count_call(label, outcome, time.perf_counter() - began)


def _shown(result: HandlerResult) -> HandlerResult:
    """The list of tools, without those that a caller who may only read would be refused."""
    if isinstance(result, dict):
        return {
            **result,
            "tools": [tool for tool in result["tools"] if tool.get("annotations", {}).get("readOnlyHint")],
        }
    if not isinstance(result, ListToolsResult):
        return result
    tools = [tool for tool in result.tools if tool.annotations and tool.annotations.read_only_hint]
    return result.model_copy(update={"tools": tools})


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)


def _is_error(result: HandlerResult) -> bool:
    return bool(result.get("isError") if isinstance(result, dict) else getattr(result, "is_error", False))

"""Between the SDK and our functions: results to structured content and compact text, our errors to failed results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, create_model
from pydantic_core import to_json

from everfact.errors import META_KEY, EverfactError
from everfact.server.answers.items import Answer
from everfact.server.host import Host

Call = Context[Host, Any]
"""What a tool is handed besides its arguments."""

Function = Callable[..., Awaitable[BaseModel | str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its function, whose docstring is the description a model reads, and how clients may treat it."""

    function: Function
    title: str
    reads: bool = False
    """Changes nothing."""
    destroys: bool = False
    """Takes away what cannot be had back by adding."""
    repeats: bool = False
    """Calling it again with the same arguments changes nothing more."""
    always_loaded: bool = False
    """Shown to the model even by clients that load tools on demand."""
    is_bare: bool = False
    """Never wrapped as `{"result": …}`, as in Graphiti."""
    is_checkup: bool = False
    """Answers also when the store does not, so that its success says nothing about the store."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.function.__name__

    @property
    def parameters(self) -> tuple[str, ...]:
        """What it takes."""
        return tuple(inspect.signature(self.function).parameters)


def add_tool(server: MCPServer[Host], tool: Tool, *, name: str, wraps: bool) -> None:
    """Make a tool known to the server under a name."""
    server.add_tool(
        _translated(tool, wraps=wraps and not tool.is_bare),
        name=name,
        title=tool.title,
        description=inspect.cleandoc(tool.function.__doc__ or ""),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.reads or tool.repeats,
            open_world_hint=False,
        ),
        meta={"anthropic/alwaysLoad": True} if tool.always_loaded else None,
    )


def host_of(call: Call) -> Host:
    """The host behind a call."""
    return call.request_context.lifespan_context


def _translated(tool: Tool, *, wraps: bool) -> Callable[..., Awaitable[CallToolResult]]:
    """The function as the SDK wants it."""
    function = tool.function
    signature = inspect.signature(function, eval_str=True)
    model = signature.return_annotation
    published = _wrapped_model(model) if wraps else model

    @functools.wraps(function)
    async def call_tool(**arguments: Any) -> CallToolResult:
        call: Call = arguments["call"]
        host = host_of(call)
        try:
            if not tool.reads and not host.access().may_write:
                raise ToolError("this token may only read; use one that may write")
            with nullcontext() if tool.is_checkup else host.watched():
                answer = await function(**arguments)
        except EverfactError as error:
            return _failure(tool.name, error)
        if not tool.reads:
            await host.announce(_touched(answer))
        return _result(answer, wraps=wraps)

    is_text = model is str
    returned = CallToolResult if is_text else Annotated[CallToolResult, published]
    call_tool.__signature__ = signature.replace(return_annotation=returned)  # type: ignore[attr-defined]
    call_tool.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()} | {"return": returned}
    return call_tool


def _touched(answer: BaseModel | str) -> tuple[str, ...]:
    return answer.touched() if isinstance(answer, Answer) else ()


def _failure(name: str, error: EverfactError) -> CallToolResult:
    """What the SDK makes of a `ToolError`, and which error it was, for our own client."""
    text = TextContent(text=f"Error executing tool {name}: {error}")
    return CallToolResult(content=[text], is_error=True, _meta={META_KEY: type(error).__name__})


def _result(answer: BaseModel | str, *, wraps: bool) -> CallToolResult:
    if isinstance(answer, str):
        return CallToolResult(content=[TextContent(text=answer)])
    plain = answer.model_dump(mode="json")
    text = TextContent(text=to_json(plain).decode())
    return CallToolResult(content=[text], structured_content={"result": plain} if wraps else plain)


@functools.cache
def _wrapped_model(model: type[BaseModel]) -> type[BaseModel]:
    return create_model(f"{model.__name__}Wrapped", result=(model, ...))

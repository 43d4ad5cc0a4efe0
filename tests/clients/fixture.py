"""Our server with the tools, resources and prompts beside ours that the conformance suite asks for, over HTTP.

`python tests/clients/fixture.py STORE PORT`
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from mcp import MCPDeprecationWarning
from mcp import types as t
from mcp.server.mcpserver import Audio, Context, Elicit, Image, MCPServer, Resolve, Sample, UserMessage
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from everfact.assemble import open_memory
from everfact.server.app import build_server
from everfact.server.host import Host

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAV = base64.b64decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=")


class Person(BaseModel):
    """Asked of the user."""

    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Name(BaseModel):
    """Asked of the user."""

    name: str


def text(value: str) -> t.TextContent:
    return t.TextContent(type="text", text=value)


def embedded(uri: str, mime_type: str, content: str) -> t.EmbeddedResource:
    resource = t.TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return t.EmbeddedResource(type="resource", resource=resource)


def image() -> t.ImageContent:
    return t.ImageContent(type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png")


def sampling(prompt: str) -> t.CreateMessageRequestParams:
    messages = [t.SamplingMessage(role="user", content=text(prompt))]
    return t.CreateMessageRequestParams(messages=messages, max_tokens=100)


def add_contents(server: MCPServer[Any]) -> None:
    """Tools that answer with every kind of content."""

    @server.tool(description="Text")
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool(description="An image")
    def test_image_content() -> Image:
        return Image(data=PNG, format="png")

    @server.tool(description="A sound")
    def test_audio_content() -> Audio:
        return Audio(data=WAV, format="wav")

    @server.tool(description="An embedded resource", structured_output=False)
    def test_embedded_resource() -> list[t.ContentBlock]:
        return [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]

    @server.tool(description="Several kinds of content", structured_output=False)
    def test_multiple_content_types() -> list[t.ContentBlock]:
        mixed = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
        return [text("Multiple content types test:"), image(), mixed]

    @server.tool(description="An error")
    def test_error_handling() -> str:
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool(description="A parameter that travels in a header")
    async def test_header_tool(
        region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "eu",
    ) -> str:
        return region


def add_conversations(server: MCPServer[Any]) -> None:
    """Tools that talk to the client while they run."""

    @server.tool(description="Logs")
    async def test_tool_with_logging(ctx: Context) -> str:
        for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(message)
            await asyncio.sleep(0.05)
        return "ok"

    @server.tool(description="Logs once")
    async def test_logging_tool(ctx: Context) -> str:
        await ctx.info("hello")
        return "ok"

    @server.tool(description="Reports progress")
    async def test_tool_with_progress(ctx: Context) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100)
            await asyncio.sleep(0.05)
        return "ok"

    @server.tool(description="Samples")
    async def test_sampling(prompt: str, ctx: Context) -> str:
        asked = sampling(prompt)
        reply = await ctx.session.create_message(messages=asked.messages, max_tokens=asked.max_tokens)
        return f"LLM response: {reply.content.text}"  # type: ignore[union-attr]

    @server.tool(description="Announces other tools")
    async def test_trigger_tool_change(ctx: Context) -> str:
        await ctx.notify_tools_changed()
        return "ok"

    @server.tool(description="Announces other prompts")
    async def test_trigger_prompt_change(ctx: Context) -> str:
        await ctx.notify_prompts_changed()
        return "ok"


def add_questions(server: MCPServer[Any]) -> None:
    """Tools that ask the user."""

    @server.tool(description="Elicits")
    async def test_elicitation(message: str, ctx: Context) -> str:
        return f"User response: {await ctx.elicit(message, Person)}"

    @server.tool(description="Elicits with defaults")
    async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
        return await elicit(
            ctx,
            name={"type": "string", "default": "John Doe"},
            age={"type": "integer", "default": 30},
            score={"type": "number", "default": 95.5},
            status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            verified={"type": "boolean", "default": True},
        )

    @server.tool(description="Elicits choices")
    async def test_elicitation_sep1330_enums(ctx: Context) -> str:
        def titled(kind: str) -> list[dict[str, str]]:
            names = enumerate(("First", "Second", "Third"), start=1)
            return [{"const": f"value{number}", "title": f"{name} {kind}"} for number, name in names]

        plain = {"enum": ["option1", "option2", "option3"]}
        named = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
        return await elicit(
            ctx,
            untitledSingle={"type": "string", **plain},
            titledSingle={"type": "string", "oneOf": titled("Option")},
            legacyEnum={"type": "string", **named},
            untitledMulti={"type": "array", "items": {"type": "string", **plain}},
            titledMulti={"type": "array", "items": {"anyOf": titled("Choice")}},
        )


async def elicit(ctx: Context, **properties: dict[str, Any]) -> str:
    schema = {"type": "object", "properties": properties}
    reply = await ctx.session.elicit_form(
        message="Please answer", requested_schema=schema, related_request_id=ctx.request_id
    )
    return f"Elicitation completed: action={reply.action}, content={reply.content}"


async def _ask_name() -> Elicit[Name]:
    return Elicit("Your name?", Name)


async def _ask_model() -> Sample:
    asked = sampling("hi")
    return Sample(messages=asked.messages, max_tokens=5)


def ask(message: str, field: str) -> t.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}
    return t.ElicitRequest(params=t.ElicitRequestFormParams(message=message, requested_schema=schema))


CAPITAL = t.CreateMessageRequest(params=sampling("What is the capital of France?"))
ROOTS = t.ListRootsRequest()
QUESTION = ask("What is your name?", "name")


def need(requests: dict[str, Any], state: str | None = None) -> t.InputRequiredResult:
    return t.InputRequiredResult(input_requests=requests, request_state=state)


def once(key: str, request: Any, done: Callable[[Any], str]) -> Callable[[Context], Any]:
    def step(ctx: Context) -> Any:
        given = ctx.input_responses or {}
        return done(given[key]) if key in given else need({key: request})

    return step


def stated(ctx: Context) -> Any:
    is_answered = ctx.input_responses and ctx.request_state == "S1"
    return "state-ok" if is_answered else need({"confirm": ask("Confirm?", "ok")}, "S1")


def several(ctx: Context) -> Any:
    everything = {"user_name": QUESTION, "greeting": CAPITAL, "client_roots": ROOTS}
    return "done" if len(ctx.input_responses or {}) >= len(everything) else need(everything, "M")


def rounds(ctx: Context) -> Any:
    if ctx.input_responses and ctx.request_state == "r2":
        return "done"
    if ctx.input_responses and ctx.request_state == "r1":
        return need({"step2": ask("Two?", "color")}, "r2")
    return need({"step1": ask("One?", "name")}, "r1")


def capable(ctx: Context) -> Any:
    can = ctx.client_capabilities
    offers = {"e": (can and can.elicitation, QUESTION), "s": (can and can.sampling, CAPITAL)}
    offers["r"] = (can and can.roots, ROOTS)
    requests = {key: request for key, (able, request) in offers.items() if able is not None}
    return need(requests) if requests and not ctx.input_responses else "done"


def add_rounds(server: MCPServer[Any]) -> None:
    """Tools of the present revision that need more than one round."""

    @server.tool(description="Elicits by a resolver")
    async def test_streaming_elicitation(answer: Annotated[Name, Resolve(_ask_name)]) -> str:
        return answer.name

    @server.tool(description="Needs a capability")
    async def test_missing_capability(answer: Annotated[t.CreateMessageResult, Resolve(_ask_model)]) -> str:
        return "sampled"

    steps = {
        "elicitation": once("user_name", QUESTION, lambda reply: f"Hello, {(reply.content or {}).get('name')}!"),
        "sampling": once("capital_question", CAPITAL, lambda reply: str(reply.content.text)),
        "list_roots": once("client_roots", ROOTS, lambda reply: str([root.uri for root in reply.roots])),
        "request_state": stated,
        "tampered_state": stated,
        "multiple_inputs": several,
        "multi_round": rounds,
        "capabilities": capable,
    }
    for name, step in steps.items():
        _add_step(server, f"test_input_required_result_{name}", step)

    @server.prompt(description="Needs context")
    async def test_input_required_result_prompt(ctx: Context) -> Any:
        return "got it" if ctx.input_responses else need({"user_context": ask("Context?", "context")})


def _add_step(server: MCPServer[Any], name: str, step: Callable[[Context], Any]) -> None:
    async def run(ctx: Context) -> Any:
        return step(ctx)

    server.add_tool(run, name=name, description=name, structured_output=False)


def add_rest(server: MCPServer[Any]) -> None:
    """Resources, prompts and the logging level."""

    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "static"

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return PNG

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    @server.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        return "watched"

    @server.prompt(description="Plain")
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt(description="With arguments")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt(description="With a resource")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the suite's name
        content = embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
        return [UserMessage(content), UserMessage("Please process the embedded resource above.")]

    @server.prompt(description="With an image")
    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(image()), UserMessage("Please analyze the image above.")]

    async def set_level(ctx: Any, params: t.SetLevelRequestParams) -> t.EmptyResult:
        return t.EmptyResult()

    server._lowlevel_server.add_request_handler("logging/setLevel", t.SetLevelRequestParams, set_level)


def main(store: Path, port: int) -> None:
    """Serve until killed."""
    warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
    server = build_server(Host(lambda: open_memory(store)))
    for add in (add_contents, add_conversations, add_questions, add_rounds, add_rest):
        add(server)
    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

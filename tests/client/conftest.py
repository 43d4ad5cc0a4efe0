"""A server of the handshake era that answers from a script, in the shapes of Graphiti's own server."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route


@dataclass
class Scripted:
    """Answers tools by name; remembers what it was asked."""

    answers: dict[str, object] = field(default_factory=dict)
    shape: str = "wrapped"
    sse: bool = True
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    opened: int = 0
    sessions: set[str] = field(default_factory=set)
    seen_sessions: list[str] = field(default_factory=list)
    token: str = ""

    def app(self) -> Starlette:
        methods = ["GET", "POST", "DELETE"]
        routes = [Route("/mcp/", self.answer, methods=methods), Route("/mcp", self.move, methods=methods)]
        return Starlette(routes=routes)

    def client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=self.app()))

    async def move(self, request: Request) -> Response:
        return RedirectResponse("/mcp/", status_code=307)

    async def answer(self, request: Request) -> Response:
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return JSONResponse({"error": "invalid_token"}, status_code=401)
        if request.method == "GET":
            return Response(status_code=405)
        session = request.headers.get("mcp-session-id", "")
        if request.method == "DELETE":
            self.sessions.discard(session)
            return Response(status_code=200)
        message = json.loads(await request.body())
        if message["method"] == "initialize":
            return self._initialize(message)
        if not session:
            return self._error(message, 400, -32600, "Bad Request: Missing session ID")
        if session not in self.sessions:
            return self._error(message, 404, -32600, "Not Found: Session has been terminated")
        self.seen_sessions.append(session)
        if message["method"].startswith("notifications/"):
            return Response(status_code=202)
        if message["method"] != "tools/call":
            return self._reply(message, error={"code": -32601, "message": "Method not found"})
        return self._call(message)

    def _initialize(self, message: dict[str, Any]) -> Response:
        self.opened += 1
        session = f"session-{self.opened}"
        self.sessions.add(session)
        info = {"name": "Graphiti Agent Memory", "version": "1.21.0"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        return self._reply(message, result=result, headers={"mcp-session-id": session})

    def _call(self, message: dict[str, Any]) -> Response:
        name, arguments = message["params"]["name"], message["params"].get("arguments", {})
        self.calls.append((name, arguments))
        if name not in self.answers:
            return self._reply(message, result=self._failed(f"Unknown tool: {name}"))
        answer = self.answers[name]
        if isinstance(answer, Exception):
            code, text = answer.args
            return self._reply(message, error={"code": code, "message": text})
        text = answer if isinstance(answer, str) else json.dumps(answer)
        result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
        if self.shape != "text":
            result["structuredContent"] = {"result": answer} if self.shape == "wrapped" else answer
        return self._reply(message, result=result)

    def _failed(self, text: str) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": text}], "isError": True}

    def _error(self, message: dict[str, Any], status: int, code: int, text: str) -> Response:
        body = {"jsonrpc": "2.0", "id": "server-error", "error": {"code": code, "message": text}}
        return JSONResponse(body, status_code=status)

    def _reply(self, message: dict[str, Any], headers: dict[str, str] | None = None, **outcome: object) -> Response:
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome})
        if not self.sse:
            return Response(body, media_type="application/json", headers=headers)
        # A comment, a notification and the answer in two data lines: what a parser that cuts off a prefix trips over.
        progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1}}'
        first, _, second = body.partition(", ")
        notified = f": ping\r\n\r\nevent: message\r\ndata: {progress}\r\n\r\n"
        stream = f"{notified}event: message\r\ndata: {first},\r\ndata: {second}\r\n\r\n"
        return Response(stream, media_type="text/event-stream", headers=headers)


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    return Scripted

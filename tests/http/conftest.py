"""Servers over HTTP: one in a process of its own, and one in this process, both on a memory in a file."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx2
import pytest

from everfact.assemble import make_memory
from everfact.memory import Memory
from everfact.server.app import build_server
from everfact.server.host import Host, Place
from everfact.server.http.app import Options, build_app
from everfact.server.tokens import TokenFile
from everfact.stores.sqlite import SQLiteStore

BOTH = "application/json, text/event-stream"


@dataclass
class Reply:
    """An answer as it came over the wire."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def message(self) -> dict[str, Any]:
        """The JSON-RPC message in it, out of its SSE envelope if it has one."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            events = [event for event in re.split(r"\r?\n\r?\n", self.text) if event.startswith("event: message")]
            return json.loads("".join(re.findall(r"^data: ?(.*?)\r?$", events[-1], re.MULTILINE)))
        return json.loads(self.text)


@dataclass
class Process:
    """A server in a process of its own; talks plain HTTP, as curl would."""

    process: subprocess.Popen[str]
    port: int
    greeting: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, body: str | bytes | None = None, **headers: str) -> Reply:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode())
        finally:
            connection.close()

    def post(self, message: object, *, path: str = "/mcp", accept: str = BOTH, **headers: str) -> Reply:
        body = message if isinstance(message, str | bytes) else json.dumps(message)
        return self.ask("POST", path, body, accept=accept, content_type="application/json", **headers)

    def open_session(self, version: str = "2024-11-05", **headers: str) -> Reply:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        return self.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, **headers)

    def end(self, number: int = signal.SIGTERM) -> float:
        """Send a signal; answer how many seconds it took to end."""
        began = time.perf_counter()
        self.process.send_signal(number)
        self.process.wait(20)
        return time.perf_counter() - began


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts servers on one memory; ends those that still run."""
    started: list[Process] = []

    def start(*options: str) -> Process:
        command = [sys.executable, "-m", "everfact", "--store", str(tmp_path / "memory.db"), "mcp", "serve"]
        command += ["--transport", "http", "--port", "0", *options]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        assert process.stderr is not None
        greeting = [process.stderr.readline() for _ in range(2)]
        found = re.search(r":(\d+)/mcp", greeting[0])
        assert found, [*greeting, process.stderr.read()]
        started.append(Process(process, int(found[1]), greeting))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait(20)
        assert server.process.stderr is not None
        server.process.stderr.close()


@dataclass
class Served:
    """A server in this process, and what is behind it."""

    app: Any
    host: Host
    memory: Memory
    tokens: TokenFile

    def client(self, secret: str = "", **headers: str) -> httpx2.AsyncClient:
        if secret:
            headers["Authorization"] = f"Bearer {secret}"
        transport = httpx2.ASGITransport(app=self.app)
        return httpx2.AsyncClient(transport=transport, base_url="http://localhost:8000", headers=headers, timeout=60)


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    """Serves a memory in this process, within an `async with` block."""

    @asynccontextmanager
    async def serve(
        *, works: bool = False, toolsets: tuple[str, ...] = ("core",), **options: Any
    ) -> AsyncIterator[Served]:
        memory = make_memory(await SQLiteStore.open(tmp_path / "memory.db"))

        async def open_memory() -> Memory:
            return memory

        host = Host(open_memory, place=Place(is_remote=True), works=works)
        tokens = TokenFile(tmp_path / "tokens.json")
        app = build_app(build_server(host, toolsets=toolsets), host, tokens, Options(**options))
        async with lifespan(app):
            yield Served(app, host, memory, tokens)
        await memory.close()

    return serve


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Start and stop an ASGI app as a server would."""
    inbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    outbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    task = asyncio.create_task(app({"type": "lifespan", "asgi": {"version": "3.0"}}, inbox.get, outbox.put))
    await inbox.put({"type": "lifespan.startup"})
    assert (await asyncio.wait_for(outbox.get(), 20))["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        await asyncio.wait_for(task, 20)

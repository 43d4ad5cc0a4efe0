"""Running a server by what the settings say: over stdio, over HTTP, or as a relay to another server.

Ends cleanly when the client goes or a signal comes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from everfact.config import Settings, default_group, project_dir
from everfact.server.host import Host, Place

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.lowlevel import Server
    from mcp.server.mcpserver import MCPServer

    from everfact.capture.tracker import Tracker
    from everfact.memory import Memory
    from everfact.server.http.app import Options
    from everfact.server.tokens import TokenFile

_CLOSE_SECONDS = 0.05
"""Clients kill a server 100 ms after they asked it to go. All that was acknowledged is on disk anyway."""

_RELAY_SECONDS = 300.0
"""As long as our server over HTTP lets a call take."""


def host_for(settings: Settings, *, is_remote: bool) -> Host:
    """The host that the settings describe; nothing is opened yet."""

    async def open_memory() -> Memory:
        from everfact.assemble import open_configured, preload

        await asyncio.to_thread(preload)  # takes a second, in which others want answers
        return await open_configured(settings)

    def follow(memory: Memory) -> Tracker:
        from everfact.assemble import make_tracker

        return make_tracker(settings, memory)

    project = project_dir(settings)
    place = Place(
        default_group=lambda: (settings.group or "main") if is_remote else default_group(settings, project),
        project=project,
        export_root=settings.mcp.export_root,
        is_remote=is_remote,
        store=settings.store,
        context_tokens=settings.mcp.context_tokens,
    )
    return Host(open_memory, place=place, follows=follow)


def server_for(settings: Settings, host: Host, program: str) -> MCPServer[Host]:
    """The server that the settings describe, for a program started under that name."""
    from everfact.server.app import build_server
    from everfact.server.toolsets import default_toolsets

    toolsets: tuple[str, ...] = settings.mcp.toolsets
    if not toolsets:
        follows = settings.session_tracking.enabled
        toolsets = (*default_toolsets(program), *(("tracking",) if follows else ()))
    return build_server(host, toolsets=toolsets, wrap_results=settings.mcp.wrap_results)


async def serve_stdio(settings: Settings, program: str) -> None:
    """Serve the client on standard input and output until it closes them or a signal comes."""
    host = host_for(settings, is_remote=False)
    await _serve_client(server_for(settings, host, program)._lowlevel_server, host.close)


async def serve_relay(url: str, *, token: str) -> None:
    """Serve the client on standard input and output with what the server at that address says."""
    from everfact.client.connection import Connection
    from everfact.server.relay import build_relay

    connection = Connection(url, token=token, timeout_seconds=_RELAY_SECONDS)
    await _serve_client(await build_relay(connection), connection.close)


async def _serve_client(server: Server[Any], close: Callable[[], Awaitable[None]]) -> None:
    from everfact.server.stdio import run_stdio

    async with asyncio.TaskGroup() as tasks:
        if sys.platform != "win32":  # there the client closes standard input, or ends the process
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, lambda: tasks.create_task(_leave(close)))
        await run_stdio(server)
        await _leave(close)


async def _leave(close: Callable[[], Awaitable[None]]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await close()
    sys.stderr.flush()
    os._exit(0)  # threads that read standard input or a long text cannot be cancelled, and would keep the process


async def serve_http(
    settings: Settings, program: str, options: Options, *, tokens: TokenFile, announce: Callable[[str], None]
) -> None:
    """Serve clients over streamable HTTP at `/mcp` until a signal comes; `announce` is told the address.

    Raises:
        ConfigError: nobody can listen there, or strangers could.
    """
    from everfact.server.http.app import build_app
    from everfact.server.http.run import serve

    host = host_for(settings, is_remote=True)
    app = build_app(server_for(settings, host, program), host, tokens, options)
    await serve(app, host, options, announce=announce)

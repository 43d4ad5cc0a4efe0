"""Running a server by what the settings say: over stdio, or over HTTP.

Ends cleanly when the client goes or a signal comes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from everfact.config import Settings, default_group, project_dir
from everfact.server.host import Host, Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer

    from everfact.memory import Memory
    from everfact.server.http.app import Options
    from everfact.server.tokens import TokenFile

_CLOSE_SECONDS = 0.05
"""Clients kill a server 100 ms after they asked it to go. All that was acknowledged is on disk anyway."""


def host_for(settings: Settings, *, is_remote: bool) -> Host:
    """The host that the settings describe; nothing is opened yet."""

    async def open_memory() -> Memory:
        from everfact.assemble import open_configured, preload

        await asyncio.to_thread(preload)  # takes a second, in which others want answers
        return await open_configured(settings)

    project = project_dir(settings)
    place = Place(
        default_group=lambda: (settings.group or "main") if is_remote else default_group(settings, project),
        project=project,
        export_root=settings.mcp.export_root,
        is_remote=is_remote,
        store=settings.store,
        context_tokens=settings.mcp.context_tokens,
    )
    return Host(open_memory, place=place)


def server_for(settings: Settings, host: Host, program: str) -> MCPServer[Host]:
    """The server that the settings describe, for a program started under that name."""
    from everfact.server.app import build_server
    from everfact.server.toolsets import default_toolsets

    toolsets = settings.mcp.toolsets or default_toolsets(program)
    return build_server(host, toolsets=toolsets, wrap_results=settings.mcp.wrap_results)


async def serve_stdio(settings: Settings, program: str) -> None:
    """Serve the client on standard input and output until it closes them or a signal comes."""
    from everfact.server.stdio import run_stdio

    host = host_for(settings, is_remote=False)
    server = server_for(settings, host, program)
    async with asyncio.TaskGroup() as tasks:
        if sys.platform != "win32":  # there the client closes standard input, or ends the process
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, lambda: tasks.create_task(_leave(host)))
        await run_stdio(server)
        await _leave(host)


async def _leave(host: Host) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await host.close()
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

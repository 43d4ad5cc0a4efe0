"""Listening, and leaving when a signal comes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from everfact.errors import ConfigError
from everfact.server.host import Host
from everfact.server.http.app import Options
from everfact.server.http.gate import Gate

_LEAVE_SECONDS = 0.05
"""For what is under way when a signal comes. All that was acknowledged is on disk anyway."""

_MOST_CONNECTIONS = 2_000


class _Listener(uvicorn.Server):
    """uvicorn without its own way of leaving, which waits for those who listen for news."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(app: Gate, host: Host, options: Options, *, announce: Callable[[str], None]) -> None:
    """Serve until a signal comes; `announce` is told the address once the server listens.

    Raises:
        ConfigError: nobody can listen there.
    """
    listening = _listen(options)
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=30,
    )
    leaving = asyncio.Event()
    _on_signals(leaving.set)
    serving = asyncio.create_task(_Listener(config).serve([listening]))
    announce(f"http://{_shown(options.host)}:{port}/mcp")
    called = asyncio.create_task(leaving.wait())
    await asyncio.wait({serving, called}, return_when=asyncio.FIRST_COMPLETED)
    called.cancel()
    if serving.done():
        serving.result()  # it could not start
        return
    await _leave(app, host)


async def _leave(app: Gate, host: Host) -> None:
    """End the process: what is under way gets a moment, those who listen for news do not hold it up."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LEAVE_SECONDS):
            await app.idle.wait()
    with suppress(TimeoutError):
        async with asyncio.timeout(_LEAVE_SECONDS):
            await host.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # unwinding every connection and library takes half a second, and nothing is left to be kept


def _listen(options: Options) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((options.host.strip("[]"), options.port))
        listening.listen(2_048)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}",
            hint="is another server running there? choose another --port",
        ) from error
    return listening


def _on_signals(leave: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(leave))
        else:
            loop.add_signal_handler(number, leave)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host

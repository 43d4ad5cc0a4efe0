"""Servers in processes of their own, for foreign clients."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PYTHON = sys.executable
SERVE = (PYTHON, "-m", "everfact", "mcp", "serve")


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def listening(*command: str | Path, port: int) -> Iterator[None]:
    """A process that listens on that port while the block lasts."""
    process = subprocess.Popen([str(part) for part in command])
    try:
        deadline = time.monotonic() + 120
        while not _answers(port):
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def http_server(store: Path) -> Iterator[str]:
    """Our server over HTTP; answers with its address."""
    port = free_port()
    with listening(*SERVE, "--transport", "http", "--port", str(port), "--store", store, port=port):
        yield f"http://127.0.0.1:{port}/mcp"


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0

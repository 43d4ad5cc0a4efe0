"""A server in a process of its own, spoken to in bytes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

_PATIENCE = 60.0


class Wire:
    """One stdio server. `send` writes bytes or JSON, `receive` waits for a line."""

    def __init__(self, store: Path, *arguments: str, cwd: Path | None = None, **environ: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "everfact", "mcp", "serve", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"EVERFACT_STORE": str(store)} | environ,
            cwd=cwd,
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.errors: list[bytes] = []
        assert self.process.stdout
        assert self.process.stderr
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.lines.put), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors.append), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._last = 0

    @staticmethod
    def _read(stream: Any, keep: Any) -> None:
        for line in stream:
            keep(line)

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(_PATIENCE)
        for reader in self._readers:
            reader.join(_PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def send(self, message: bytes | dict[str, Any]) -> None:
        """Write one message, or any bytes."""
        assert self.process.stdin
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self, seconds: float = _PATIENCE) -> dict[str, Any]:
        """The next message of the server, which is a line of JSON."""
        message = json.loads(self.lines.get(timeout=seconds))
        assert message["jsonrpc"] == "2.0"
        return dict(message)

    def request(self, method: str, seconds: float = _PATIENCE, **params: Any) -> dict[str, Any]:
        """The reply to a request, whatever else comes before it."""
        self._last += 1
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        while True:
            message = self.receive(seconds)
            if message.get("id") == self._last:
                return message

    def begin(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Shake hands."""
        client = {"name": "test", "version": "1"}
        reply = self.request("initialize", protocolVersion=version, capabilities={}, clientInfo=client)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return dict(reply["result"])

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool."""
        result = self.request("tools/call", name=tool, arguments=arguments)["result"]
        assert not result.get("isError"), result
        return dict(result["structuredContent"])

    def end(self, signal: int | None = None) -> tuple[int, float]:
        """Close standard input, or send a signal; answers with the exit code and the seconds it took."""
        begun = time.monotonic()
        if signal is None:
            assert self.process.stdin
            self.process.stdin.close()
        else:
            self.process.send_signal(signal)
        return self.process.wait(_PATIENCE), time.monotonic() - begun

"""How long a client waits for the first answer of a server, next to a bare server of the SDK."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare", version="1")
@server.tool()
def echo(text: str) -> str:
    "Say it again."
    return text
server.run()
"""
_MOST = 1.3
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


def first_answer(command: list[str]) -> float:
    """Seconds from starting the process to its first answer."""
    begun = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(_HELLO).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        taken = time.perf_counter() - begun
        process.stdin.close()
    return taken


def main() -> int:
    """Print the figures; 1 if ours is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        bare = [sys.executable, "-c", _BARE]
        ours = [sys.executable, "-m", "everfact", "mcp", "serve", "--store", str(Path(folder) / "memory.db")]
        pairs = [(first_answer(bare), first_answer(ours)) for _ in range(runs)]  # in turns, so that noise hits both
    medians = [statistics.median(times) for times in zip(*pairs, strict=True)]
    ratio = medians[1] / medians[0]
    print(f"first answer, bare SDK server: {medians[0]:.3f} s")
    print(f"first answer, everfact mcp serve: {medians[1]:.3f} s")
    print(f"ratio: {ratio:.2f} (at most {_MOST}; median of {runs})")
    return int(ratio > _MOST)


if __name__ == "__main__":
    sys.exit(main())

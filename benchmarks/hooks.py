"""How long a client waits for a hook, each started cold, beside Python itself and `everfact --help` in the same run."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from everfact import Draft, open_memory
from everfact.hooks.spool import Spool

_MOST = 150.0
_FACTS = 2_000
_SETTLED = 20.0


async def _fill(store: Path) -> None:
    async with await open_memory(store) as memory:
        for number in range(_FACTS // 10):
            told = " ".join(f"We chose option {number * 10 + n} over the rest for shard {number}." for n in range(10))
            await memory.add(Draft(content=told, group_id="main"), wait=True)


def _cold(command: list[str], given: bytes, folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, input=given, cwd=folder, capture_output=True, check=True, env=_environ(folder))
    return 1e3 * (time.perf_counter() - began)


def _environ(folder: Path) -> dict[str, str]:
    return os.environ | {"HOME": str(folder), "PWD": str(folder)}


def _settle(folder: Path) -> None:
    """Wait for the process that a hook left behind, which would slow the next one down."""
    spool = Spool(folder / ".local" / "share" / "everfact" / "spool")
    until = time.monotonic() + _SETTLED
    while time.monotonic() < until:
        with spool.locked() as is_idle:
            if is_idle and not spool.waiting():
                return
        time.sleep(0.05)


def main() -> int:
    """Print the figures; 1 if a hook takes too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    runs = parser.parse_args().runs
    python, program = [sys.executable], [sys.executable, "-m", "everfact"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        store = folder / "memory.db"
        asyncio.run(_fill(store))
        for words in (
            ["init", "-q"],
            ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "--allow-empty", "-m", "b"],
        ):
            subprocess.run(["git", *words], cwd=folder, check=True)
        transcript = folder / "11111111-2222-4333-8444-555555555555.jsonl"
        line = {
            "type": "user",
            "uuid": "u",
            "sessionId": transcript.stem,
            "message": {"role": "user", "content": "Hi."},
        }
        transcript.write_text(json.dumps(line) + "\n", encoding="utf-8")
        said = {"session_id": "s", "cwd": temporary, "transcript_path": str(transcript), "prompt": "shard 7?"}
        given = json.dumps(said).encode()
        hook = [*program, "hook", "--store", str(store), "--group", "main"]
        commands = {
            "python": [*python, "-c", "pass"],
            "help": [*program, "--help"],
            **{event: [*hook, event] for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")},
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(runs):  # in turns, so that noise hits all
            for name, command in commands.items():
                took[name].append(_cold(command, given, folder))
                _settle(folder)
    slow = 0
    for name, times in took.items():
        cuts = quantiles(times, n=100)
        figures = f"p50 {cuts[49]:.0f} ms, p95 {cuts[94]:.0f} ms, least {min(times):.0f} ms"
        print(f"hook_{name} {figures} (of {runs} cold starts)")
        slow += name not in ("python", "help") and cuts[49] > _MOST
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())

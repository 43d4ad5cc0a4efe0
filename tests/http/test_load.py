"""The load of `benchmarks/http_load.py`, cut short: no errors, nothing lost, also when the server is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "http_load.py"


def run(**options: float) -> dict[str, str]:
    flags = [f"--{name}={value}" for name, value in options.items()]
    done = subprocess.run([sys.executable, SCRIPT, *flags], capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: value for name, value, *_ in (line.split() for line in done.stdout.splitlines())}


def test_many_clients_at_once() -> None:
    figures = run(clients=32, seconds=8)
    assert (figures["errors"], figures["lost"]) == ("0", "0")
    assert int(figures["acknowledged"]) > 32


def test_nothing_acknowledged_is_lost_when_the_server_is_killed() -> None:
    figures = run(clients=16, seconds=12, kills=3)
    assert (figures["errors"], figures["lost"]) == ("0", "0")
    assert int(figures["broken"]) > 0

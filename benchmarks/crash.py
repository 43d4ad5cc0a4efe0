"""Kills writing processes and cuts the power of a simulated disk, and counts what is lost or there by half.

The runs are those of the fault tests (`tests/faults/runs`), with more of everything.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def run(module: str, **options: float) -> int:
    """Run it from the root of the checkout, where it is found; answer its exit code."""
    flags = [f"--{name}={value}" for name, value in options.items()]
    return subprocess.call([sys.executable, "-m", f"tests.faults.runs.{module}", *flags], cwd=_ROOT)


def main() -> int:
    """The exit code says whether anything was lost, halved, damaged or went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="processes to kill while they write")
    parser.add_argument("--writers", type=int, default=3, help="processes that write at the same time")
    parser.add_argument("--seconds", type=float, default=600.0, help="stop killing after this time")
    parser.add_argument("--power-cuts", type=int, default=200)
    parser.add_argument("--digest-kills", type=int, default=200, help="processes to kill while they digest")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    status = 0
    if options.kills:
        kills = {"kills": options.kills, "writers": options.writers, "seconds": options.seconds}
        status |= run("kills", seed=options.seed, **kills)
    if options.power_cuts:
        status |= run("cuts", seed=options.seed, cuts=options.power_cuts)
    if options.digest_kills:
        status |= run("digests", seed=options.seed, kills=options.digest_kills)
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Many processes add to one memory and search it at the same time; counts errors and losses, and times both.

The run is that of the fault tests (`tests/faults/runs/race.py`), with more of everything.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def main() -> int:
    """The exit code says whether anything was lost or went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--adds", type=int, default=1000, help="of each process; a search follows each")
    options = parser.parse_args()
    flags = [f"--processes={options.processes}", f"--adds={options.adds}"]
    return subprocess.call([sys.executable, "-m", "tests.faults.runs.race", *flags], cwd=_ROOT)


if __name__ == "__main__":
    sys.exit(main())

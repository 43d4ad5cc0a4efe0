"""Run the shared measuring programs on the product's own code: dates, names, extraction.

They and their data lie in ../shared beside the checkout; where they are absent, this says so and ends.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared"
RUNS = (
    ("timebench.py", "--resolver", "resolve", ("when/locomo.jsonl", "datetime-specs/english.jsonl")),
    ("dedupebench.py", "--grouper", "group", ("aliases/re-docred.jsonl", "aliases/people.jsonl")),
    ("extractbench.py", "--extractor", "extract", ("re-docred/dev.jsonl", "text2kg/sentences.jsonl")),
)


def main() -> int:
    """Print what each program prints; exit 1 if one fails."""
    if not (SHARED / "tools").is_dir():
        print("quality: skipped, the shared tools and data are not beside this checkout")
        return 0
    status = 0
    for tool, flag, function, files in RUNS:
        data = [str(SHARED / "data" / file) for file in files]
        command = [sys.executable, str(SHARED / "tools" / tool), flag, f"adapters:{function}", *data]
        done = subprocess.run(command, cwd=HERE, check=False, capture_output=True, text=True)
        print(done.stdout.replace(f"{SHARED / 'data'}/", ""), end="")
        print(done.stderr, end="", file=sys.stderr)
        status |= done.returncode
    return status


if __name__ == "__main__":
    sys.exit(main())

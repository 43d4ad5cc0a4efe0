"""How quickly a memory is exported and imported, in how little memory, and whether anything is lost on the way."""

from __future__ import annotations

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

_GROWTH = 1.3


def fill(memory: Path, facts: int) -> None:
    """Make a memory with so many facts."""
    import scale_data

    scale_data.fill(memory, facts, seed=1)


def run(store: Path, *words: str) -> tuple[float, float, float]:
    """Seconds by the clock and of the processor, and the most megabytes, that a command took in its own process."""
    command = [sys.executable, "-m", "everfact", "--store", str(store), *words]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(words)} failed")
    megabytes = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, megabytes


def measure(folder: Path, facts: int) -> tuple[bool, float]:
    """Print the figures of one size; whether nothing was lost, and the most megabytes that any command took."""
    memory, copy = folder / f"{facts}.db", folder / f"{facts}.copy.db"
    first, second = folder / f"{facts}.jsonl", folder / f"{facts}.copy.jsonl"
    # In a process of its own: the peak of a process counts from that of the one which starts it.
    filling = get_context("spawn").Process(target=fill, args=(memory, facts))
    filling.start()
    filling.join()
    peaks: list[float] = []
    for store, *words in (
        (memory, "export", str(first), "--all-groups"),
        (copy, "import", str(first)),
        (copy, "import", str(first)),
        (copy, "export", str(second), "--all-groups"),
    ):
        seconds, busy, peak = run(store, *words)
        again = " again" if words[0] == "import" and peaks[1:] else ""
        rate = (
            f"{facts / seconds:,.0f} facts/s ({seconds:.1f} s, {busy:.1f} s of processor time, {peak:.0f} MB at most)"
        )
        print(f"{words[0]}{again}, {facts:,} facts: {rate}")
        peaks.append(peak)
    same = filecmp.cmp(first, second, shallow=False)
    verdict = "the same" if same else "NOT the same"
    print(f"file, {facts:,} facts: {first.stat().st_size / 1e6:.0f} MB, {verdict} after the way")
    return same, max(peaks)


def main() -> int:
    """Print the figures; 1 if anything was lost, or more facts took more memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="20000,100000", help="how many facts, one size after the other")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        measured = [measure(Path(folder), size) for size in sizes]
    growth = measured[-1][1] / measured[0][1]
    print(f"memory, {sizes[-1]:,} facts beside {sizes[0]:,}: {growth:.2f} times (at most {_GROWTH})")
    return int(not all(same for same, _ in measured) or growth > _GROWTH)


if __name__ == "__main__":
    sys.exit(main())

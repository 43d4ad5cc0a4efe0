"""Digest conversations fully, without a model, and print how fast and where the time goes.

    .venv/bin/python benchmarks/digest.py [--turns N]

Reads the LoCoMo turns of shared/data beside or above the checkout; each conversation is a group, each session a thread.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everfact.assemble import make_memory
from everfact.memory import Memory
from everfact.models import Draft, Source
from everfact.stores.sqlite import SQLiteStore

_FOLDERS = [parent / "shared" / "data" / "locomo" for parent in Path(__file__).resolve().parents[2:]]
DATA = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[0])


class Watch:
    """Wraps an object and adds up the time its awaited methods take."""

    def __init__(self, inner: Any, spent: dict[str, float], prefix: str) -> None:
        self._inner, self._spent, self._prefix = inner, spent, prefix

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        return self._timed(method, f"{self._prefix}{name}") if asyncio.iscoroutinefunction(method) else method

    def _timed(self, method: Callable[..., Any], name: str) -> Callable[..., Any]:
        async def timed(*args: Any, **kwargs: Any) -> Any:
            begin = time.perf_counter()
            try:
                return await method(*args, **kwargs)
            finally:
                self._spent[name] += time.perf_counter() - begin

        return timed


def drafts(limit: int) -> list[Draft]:
    """The turns of all conversations, in order."""
    found = []
    for file in sorted(DATA.glob("conv-*.json")):
        conversation = json.loads(file.read_text(encoding="utf-8"))
        for turn in conversation["turns"]:
            found.append(
                Draft(
                    content=turn["text"] or "(a picture)",
                    group_id=file.stem,
                    source=Source.MESSAGE,
                    reference_time=datetime.fromisoformat(turn["time"]).replace(tzinfo=UTC),
                    thread=str(turn["session"]),
                    speaker=turn["speaker"],
                )
            )
    return found[:limit]


async def run(memory: Memory, told: list[Draft]) -> tuple[float, float]:
    """Seconds to add all, and to digest all, one group at a time."""
    begin = time.perf_counter()
    for draft in told:
        await memory.add(draft)
    added = time.perf_counter()
    while await memory.digest(limit=1, each=16):
        pass
    return added - begin, time.perf_counter() - added


async def main() -> int:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2000)
    options = parser.parse_args()
    if not DATA.is_dir():
        print("digest: skipped, the LoCoMo conversations are not beside this checkout")
        return 0
    told = drafts(options.turns)
    spent: dict[str, float] = defaultdict(float)
    with tempfile.TemporaryDirectory() as folder:
        store: Any = Watch(await SQLiteStore.open(Path(folder) / "memory.db"), spent, "store ")
        memory = make_memory(store)
        memory._digester.extractors = {s: Watch(e, spent, "extractor ") for s, e in memory._digester.extractors.items()}
        cpu = time.process_time()
        adding, digesting = await run(memory, told)
        cpu = time.process_time() - cpu
        stats = await store.stats()
        await memory.close()
    print(f"digest_turns {len(told) / (adding + digesting):.0f} turns/s (told and digested; goal 300, then 1,000)")
    print(f"digest_add {len(told) / adding:.0f} turns/s")
    print(f"digest_digest {len(told) / digesting:.0f} turns/s")
    print(f"digest_cpu {cpu / len(told) * 1e3:.2f} ms of processor time a turn (does not depend on the disk)")
    print(f"digest_found {stats.entities} entities, {stats.facts} facts, {stats.assertions} assertions")
    for name, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"digest_time {seconds / len(told) * 1e3:.3f} ms a turn ({name})")
    return 1 if stats.parked else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""How fast transcripts are read and told, and in how much memory: `python benchmarks/transcripts.py [--megabytes 200]`.

They are made up after the sizes that real ones have: short prompts and answers, tools that print some kilobytes, now
and then a line of megabytes, and between them lines that nobody said, which make up most of the bytes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from everfact.assemble import make_memory
from everfact.capture.take import Options, take
from everfact.capture.transcripts import find
from everfact.stores.sqlite import SQLiteStore

WORDS = [
    "the",
    "cache",
    "uses",
    "SQLite",
    "because",
    "Redis",
    "was",
    "slow",
    "so",
    "Ana",
    "moved",
    "it",
    "to",
    "Friday",
    "now",
]
SESSIONS = 20


def make(folder: Path, megabytes: int) -> None:
    """Sessions of one project, together that large."""
    chance = random.Random(7)
    project = folder / "-home-ana-shop"
    project.mkdir(parents=True)
    for number in range(SESSIONS):
        session = f"00000000-0000-4000-8000-{number:012d}"
        with (project / f"{session}.jsonl").open("w", encoding="utf-8") as file:
            count = 0
            while file.tell() < megabytes * 1_000_000 / SESSIONS:
                count += 1
                for kind, content in turn(chance, f"{number}-{count}"):
                    record = {"type": kind, "uuid": f"{number}-{file.tell()}", "sessionId": session}
                    record |= {"cwd": "/home/ana/shop", "timestamp": f"2026-03-{1 + number:02d}T09:00:00Z"}
                    file.write(json.dumps(record | content) + "\n")


def turn(chance: random.Random, mark: str) -> list[tuple[str, dict[str, object]]]:
    """The lines of one turn."""

    def text(most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))

    lines: list[tuple[str, dict[str, object]]] = [("user", {"message": {"content": f"{text(60)} {mark}"}})]
    lines.append(("attachment", {"attachment": {"content": text(800)}}))
    for call in range(chance.randint(0, 12)):
        use = {"type": "tool_use", "id": f"{mark}-{call}", "name": "Bash", "input": {"command": text(8)}}
        size = 200_000 if chance.random() < 0.005 else 600
        result = {"type": "tool_result", "tool_use_id": f"{mark}-{call}", "content": f"{text(size)}\n" * 3}
        lines.append(("assistant", {"message": {"content": [use]}}))
        lines.append(("user", {"message": {"content": [result]}, "toolUseResult": result["content"]}))
    lines.append(("api-request-blob", {"message": {"content": text(2000)}}))
    lines.append(("assistant", {"message": {"content": [{"type": "text", "text": text(200)}]}}))
    return lines


async def measure(folder: Path, *, tells: bool) -> None:
    """Read it all, and tell it to a memory, which is not digested."""
    options = Options(group_of=lambda folder: folder.name, folders={"claude": folder / "claude"})
    found = find(options.folders)
    size = sum(item.path.stat().st_size for item in found) / 1_000_000
    before = peak()
    began, worked = time.perf_counter(), time.process_time()
    if tells:
        async with make_memory(await SQLiteStore.open(folder / "memory.db")) as memory:
            done = [await take(memory, options, item) for item in found]
        count = sum(item.episodes for item in done)
        tokens, saved = sum(item.tokens for item in done), sum(item.tokens_saved for item in done)
        share = f", {tokens:,} tokens told, {saved:,} left out ({saved / (tokens + saved):.0%})"
    else:
        count = sum(len(list(turn.drafts("shop"))) for item in found for turn in item.turns(options.filters))
        share = ""
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    what = "read and told" if tells else "read"
    print(
        f"{what}: {size:.0f} MB, {count:,} episodes in {seconds:.1f} s: {size / seconds:.1f} MB/s"
        f" ({size / worked:.0f} by processor time);"
        f" memory peak {peak():.0f} MB, {peak() - before:.0f} MB of them for this{share}"
    )


def peak() -> float:
    """The most memory this process ever had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # what `getrusage` says there begins with the parent's
        line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1_000
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1_000_000 if sys.platform == "darwin" else 1_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--only", choices=["read", "tell"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only:
        asyncio.run(measure(args.folder, tells=args.only == "tell"))
        return
    with tempfile.TemporaryDirectory() as name:
        make(Path(name) / "claude", args.megabytes)
        for only in ("read", "tell"):  # in processes of their own, each with a peak of its own
            subprocess.run([sys.executable, __file__, "--only", only, "--folder", name], check=True)


if __name__ == "__main__":
    main()

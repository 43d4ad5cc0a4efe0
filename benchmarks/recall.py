"""How much of the evidence a search brings back, on the open conversations, beside other memories in the same run.

    .venv/bin/python benchmarks/recall.py [--sets locomo beam …] [--peers] [--turns-only] [--minilm]
        [--stores falkordb neo4j] [--owners N]

Runs ../shared/tools/membench.py on the product's own search (`membench_engine.py`) and on plain full text; with
`--peers` also on kuzu-memory, engrava and mnemosyne-memory, installed from the package index into a folder of their
own. Where the shared tools or data are absent, this says so and ends.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from membench_engine import SERVERS

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared"
SETS = ("locomo", "longmemeval", "beam", "peps", "amst")
FIGURES = ("recall@5", "recall@10", "mrr", "new_first_of_both", "forbidden@5", "abstention_auc")
PEERS = {"KuzuMemory": "kuzu-memory", "Engrava": "engrava", "Mnemosyne": "mnemosyne-memory"}


def main() -> int:
    """One line an engine and a set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--peers", action="store_true", help="measure other memories in the same run")
    parser.add_argument("--turns-only", action="store_true", help="also without facts, to see what they add")
    parser.add_argument("--minilm", action="store_true", help="also with that model, if it is installed")
    parser.add_argument(
        "--stores", nargs="*", default=[], choices=SERVERS, help="also with the memory on these servers"
    )
    parser.add_argument("--owners", type=int, help="only the first owners of each set")
    args = parser.parse_args()
    if not (SHARED / "tools").is_dir():
        print("recall: skipped, the shared tools and data are not beside this checkout")
        return 0
    own = f"cmd:{sys.executable} {HERE / 'membench_engine.py'}"
    engines = {"everfact": (sys.executable, own)}
    if args.turns_only:
        engines["everfact, turns only"] = (sys.executable, f"{own} --turns-only")
    if args.minilm:
        engines["everfact, MiniLM"] = (sys.executable, f"{own} --minilm")
    for kind in args.stores:
        engines[f"everfact on {kind}"] = (sys.executable, f"{own} --store {kind}")
    engines["full text (BM25)"] = (sys.executable, "baselines:Bm25")
    if args.peers:
        engines |= peers()
    for name in args.sets:
        for engine, (python, spec) in engines.items():
            measured = measure(python, spec, SHARED / "data" / name, args.owners)
            print(f"recall {name:12} {engine:22} {measured}", flush=True)
    return 0


def peers() -> dict[str, tuple[str, str]]:
    """The other memories, each in an environment of its own; one that cannot be installed is left out with a word."""
    found = {}
    for engine, package in PEERS.items():
        folder = Path(tempfile.gettempdir()) / f"everfact-peer-{package}"
        python = folder / "bin" / "python"
        if not python.exists():
            venv.create(folder, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        done = subprocess.run(install, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"recall: {package} is left out, it cannot be installed here: {done.stderr.strip()[-200:]}")
        else:
            found[package] = str(python), f"peers:{engine}"
    return found


def measure(python: str, spec: str, data: Path, owners: int | None) -> str:
    """The figures of one engine on one set, or why there are none."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [python, str(SHARED / "tools" / "membench.py"), "--engine", spec, "--json", out.name, str(data)]
        if owners:
            command += ["--owners", str(owners)]
        done = subprocess.run(command, cwd=SHARED / "tools", check=False, capture_output=True, text=True)
        if done.returncode:
            return f"failed: {done.stderr.strip()[-200:]}"
        (summary,) = json.loads(Path(out.name).read_text(encoding="utf-8")).values()
    figures = [f"{name} {summary[name]:.3f}" for name in FIGURES if summary.get(name) is not None]
    speed = summary["speed"]
    times = f"p50 {speed['search_ms_p50']:.1f} ms, p95 {speed['search_ms_p95']:.1f} ms"
    return f"{'  '.join(figures)}  ({speed['ingest_turns_per_s']:.0f} turns/s in; a search {times})"


if __name__ == "__main__":
    sys.exit(main())

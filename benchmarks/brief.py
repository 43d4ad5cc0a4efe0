"""How long a brief takes in memories of 10,000 and 100,000 facts in one group: at the start, and for a prompt."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles

import scale_data
from everfact import brief
from everfact.embedders.static import StaticEmbedder
from everfact.ports import Embedder
from everfact.signals import Signals
from everfact.stores.sqlite import SQLiteStore
from scale_data import BIG, Question

_WARM_UP = 5
_BUDGET = 8192 * brief.PER_TOKEN


async def measure(path: Path, size: int, rounds: int) -> None:
    """Print the figures of one memory."""
    asked = [question for question in scale_data.questions(path) if question.group_id == BIG]
    whole = brief.Wanted(budgets=(_BUDGET,))
    few = brief.Wanted(budgets=(9_900,), only_found=True, most_rows=8)
    static = StaticEmbedder()
    async with await SQLiteStore.open(path) as store:
        for name, wanted, prompts, embedder in (
            ("start", whole, False, None),
            ("query", whole, True, static),
            ("prompt", few, True, None),
        ):
            took = await _times(store, wanted, asked[: rounds + _WARM_UP], prompts, embedder)
            cuts = quantiles(took, n=100)
            print(f"brief_{size}_{name}_p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms (of {len(took)}, {_WHAT[name]})")


_WHAT = {
    "start": "signals of git alone, as a session starts",
    "query": "for a question, by words and meaning, as get_context",
    "prompt": "what touches a prompt, by words, as a hook",
}


async def _times(
    store: SQLiteStore, wanted: brief.Wanted, asked: list[Question], prompts: bool, embedder: Embedder | None
) -> list[float]:
    took = []
    for one, other in zip(asked, [*asked[1:], asked[0]], strict=True):
        words = other.terms.split()
        signals = Signals(
            branch="-".join(words[:2]),
            commits=(other.terms, one.terms),
            files=tuple(f"{word}.py" for word in words),
            prompt=one.terms if prompts else "",
        )
        began = time.perf_counter()
        text = await brief.brief(store, (BIG, "global"), signals, wanted, now=datetime.now(UTC), embedder=embedder)
        took.append(1e3 * (time.perf_counter() - began))
        assert all(len(part) <= most for part, most in zip(text, wanted.budgets, strict=True))
    return took[_WARM_UP:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="keep the memories here for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for size in given.sizes:
            path = folder / f"facts-{size}.db"
            if not path.exists():
                scale_data.fill(path, int(size / scale_data.BIG_SHARE), seed=7)
            asyncio.run(measure(path, size, given.rounds))


if __name__ == "__main__":
    main()

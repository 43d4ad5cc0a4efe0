"""Fit the weights of the ranking on the open conversations, and print how well they do on owners left out of the fit.

    .venv/bin/python benchmarks/fit.py [--folder DIR] [--without NAME …]

Each evidence turn is set against the other candidates of its question (listwise softmax, Newton steps, light ridge);
LoCoMo, LongMemEval and BEAM weigh the same. The last line is the table to put into `fuse.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everfact import clock
from everfact.fuse import EPISODE_WEIGHTS
from everfact.models import Query
from everfact.search import evidence_for
from memories import memory_of, moment, owners, turn_ids

SETS = ("locomo", "longmemeval", "beam")
NO_ANSWER = ("adversarial", "abstention")
FOLDS = 7
RIDGE = 1e-4


@dataclass(frozen=True, slots=True)
class Case:
    """A question: one row of evidence a candidate, which of them are right, and how many right ones there are."""

    fold: int
    rows: NDArray[np.float64]
    right: NDArray[np.bool_]
    total: int


async def cases(name: str, folder: Path) -> list[Case]:
    """Every question of a set that has an answer."""
    found = []
    for number, owner in enumerate(owners(name)):
        async with await memory_of(owner, folder / name / f"{owner.name}.db") as memory:
            turns = await turn_ids(memory)
            for asked in owner.questions:
                if asked["category"] in NO_ANSWER or not asked["evidence"]:
                    continue
                at = moment(asked["asked_at"]) if asked.get("asked_at") else None
                query = Query(text=asked["question"], asked_at=at)
                weighed = await evidence_for(memory._store, memory._embedder, query, now=clock.now())
                rows = np.array([[amounts[name] for name in EPISODE_WEIGHTS] for amounts in weighed.values()])
                right = np.array([turns[uuid] in asked["evidence"] for uuid in weighed])
                found.append(Case(number % FOLDS, rows, right, len(set(asked["evidence"]))))
        print(f"{name} {owner.name}: {len(owner.questions)} questions", file=sys.stderr)
    return found


def fit(sets: dict[str, list[Case]], use: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The weights that make the right candidates likeliest."""
    weights = np.zeros(int(use.sum()))
    for _ in range(60):
        slope, bend = -2 * RIDGE * weights, -2 * RIDGE * np.eye(len(weights))
        for chosen in sets.values():
            for case in chosen:
                _add(case, use, weights, len(chosen), slope, bend)
        step = np.linalg.solve(bend, slope)
        step *= min(1.0, 1 / np.abs(step).max())  # a full step from afar would overshoot
        weights = weights - step
        if np.abs(step).max() < 1e-4:
            break
    return weights


def _add(
    case: Case,
    use: NDArray[np.bool_],
    weights: NDArray[np.float64],
    share: int,
    slope: NDArray[np.float64],
    bend: NDArray[np.float64],
) -> None:
    """Add one question's part of the gradient and of the Hessian."""
    rows = case.rows[:, use]
    wrong = rows[~case.right]
    for one in rows[case.right]:
        against = np.vstack([one, wrong])
        scores = against @ weights
        chance = np.exp(scores - scores.max())
        chance /= chance.sum()
        mean = chance @ against
        part = 1 / share / max(1, int(case.right.sum()))
        slope += part * (one - mean)
        bend -= part * ((against * chance[:, None]).T @ against - np.outer(mean, mean))


def measure(case: Case, weights: NDArray[np.float64], use: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Recall at 5, at 10, and the reciprocal rank of the first right one."""
    order = np.argsort(-(case.rows[:, use] @ weights), kind="stable")
    right = case.right[order]
    first = np.flatnonzero(right)
    return right[:5].sum() / case.total, right[:10].sum() / case.total, 1 / (first[0] + 1) if len(first) else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "everfact-memories")
    parser.add_argument("--without", nargs="*", default=[], help="evidence to leave out of the fit")
    args = parser.parse_args()
    names = list(EPISODE_WEIGHTS)
    use = np.array([name not in (*args.without, "doubt") for name in names])
    sets = {name: asyncio.run(cases(name, args.folder)) for name in SETS}
    results: dict[str, list[tuple[float, float, float]]] = {name: [] for name in SETS}
    for fold in range(FOLDS):
        weights = fit({name: [c for c in found if c.fold != fold] for name, found in sets.items()}, use)
        for name, found in sets.items():
            results[name] += [measure(case, weights, use) for case in found if case.fold == fold]
    for name, measured in results.items():
        print("{:12} left out of the fit: R@5 {:.3f}  R@10 {:.3f}  MRR {:.3f}".format(name, *np.mean(measured, axis=0)))
    kept = [name for name, is_used in zip(names, use, strict=True) if is_used]
    print({name: round(float(weight), 2) for name, weight in zip(kept, fit(sets, use), strict=True)})


if __name__ == "__main__":
    main()

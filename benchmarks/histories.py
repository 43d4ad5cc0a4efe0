"""Tell a memory each labelled history and count what it retires wrongly, and what it should have retired.

    .venv/bin/python benchmarks/histories.py [--file held_back.jsonl] [--verbose]

Reads tests/data/histories (its README says how labels are compared). A false retirement is a pair that stands by the
label, was found, and has ended; a missed one is a pair that has ended by the label, was found, and still stands.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everfact.assemble import make_memory
from everfact.memory import Memory
from everfact.models import Draft, Entity, Fact, FactKind, Filter, Source
from everfact.stores.sqlite import SQLiteStore

HISTORIES = Path(__file__).parents[1] / "tests" / "data" / "histories"


def words(text: str) -> list[str]:
    """Whole words, letter case apart."""
    return re.findall(r"\w+", text.casefold())


def holds(text: str, label: str) -> bool:
    """Whether the label's words stand in the text in a row."""
    have, want = words(text), words(label)
    return any(have[i : i + len(want)] == want for i in range(len(have) - len(want) + 1))


class Known:
    """What a memory knows after a history, as pairs of texts."""

    def __init__(self, facts: list[Fact], entities: dict[str, Entity], now: datetime) -> None:
        self._now = now
        self._pairs = [(self._ends(fact, entities), fact) for fact in facts if fact.kind is FactKind.STATE]

    def _ends(self, fact: Fact, entities: dict[str, Entity]) -> tuple[str, str]:
        subject = " / ".join(_names(entities[fact.subject_uuid])) + f" {fact.attribute}"
        if fact.object_uuid:
            return subject, " / ".join(_names(entities[fact.object_uuid]))
        return subject, fact.value.text if fact.value else ""

    def found(self, label: dict[str, str]) -> list[Fact]:
        """The facts that are about the label's pair, in either direction."""
        one, other = label["subject"], label["object"]
        return [
            fact
            for (a, b), fact in self._pairs
            if (holds(a, one) and holds(b, other)) or (holds(a, other) and holds(b, one))
        ]

    def stands(self, fact: Fact) -> bool:
        """Whether it is true at the time of the last episode."""
        return fact.invalid_at is None or fact.invalid_at > self._now


def _names(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


def judge(history: dict[str, Any], known: Known) -> list[tuple[str, str]]:
    """Each label with its verdict."""
    verdicts = []
    for label in history["stands"]:
        found = known.found(label)
        verdict = "unseen" if not found else "kept" if any(map(known.stands, found)) else "FALSE RETIREMENT"
        verdicts.append((verdict, f"{label['subject']} | {label['object']}"))
    doubled = [(label["subject"], label["object"]) for label in history["stands"]]
    for label in history["ended"]:
        found = known.found(label)
        open_ = [fact for fact in found if known.stands(fact)]
        if (label["subject"], label["object"]) in doubled:
            verdict = "retired" if len(found) > len(open_) else "unseen ended"
        else:
            verdict = "unseen ended" if not found else "MISSED" if open_ else "retired"
        verdicts.append((verdict, f"{label['subject']} | {label['object']}"))
    for label in history["nothing"]:
        verdict = "MADE UP" if any(map(known.stands, known.found(label))) else "nothing"
        verdicts.append((verdict, f"{label['subject']} | {label['object']}"))
    return verdicts


async def tell(memory: Memory, history: dict[str, Any]) -> Known:
    """Tell a history in a group of its own and read back what is known."""
    group = history["id"]
    now = datetime.now(UTC)
    for episode in history["episodes"]:
        now = datetime.fromisoformat(episode["at"])
        draft = Draft(
            content=episode["content"],
            group_id=group,
            source=Source(episode["source"]),
            reference_time=now,
            speaker=episode.get("speaker", ""),
            thread=group,
        )
        added = await memory.add(draft, wait=True)
        if added.episode.error:
            raise RuntimeError(f"{group}: {added.episode.error}")
    where = Filter(group_ids=(group,))
    entities = {entity.uuid: entity for entity in await memory._store.entities(where, limit=1000)}
    return Known(await memory._store.facts(where, limit=1000), entities, now)


async def run(file: Path, *, is_verbose: bool) -> Counter[str]:
    """Judge every history of a file."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        async with make_memory(await SQLiteStore.open(Path(folder) / "memory.db")) as memory:
            for line in file.read_text(encoding="utf-8").splitlines():
                history = json.loads(line)
                for verdict, pair in judge(history, await tell(memory, history)):
                    counts[verdict] += 1
                    if is_verbose and verdict not in {"kept", "retired", "nothing"}:
                        print(f"  {history['id']:16} {verdict:17} {pair}", file=sys.stderr)
    return counts


def main() -> int:
    """Print the counts; exit 1 if anything was retired wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", default="open.jsonl")
    parser.add_argument("--verbose", action="store_true", help="list what went wrong (not for the held-back half)")
    options = parser.parse_args()
    counts = asyncio.run(run(HISTORIES / options.file, is_verbose=options.verbose))
    stands = counts["kept"] + counts["FALSE RETIREMENT"]
    ended = counts["retired"] + counts["MISSED"]
    print(f"histories_false_retirements {counts['FALSE RETIREMENT']} of {stands} (goal 0; {options.file})")
    print(
        f"histories_missed_retirements {counts['MISSED']} of {ended} ({counts['MISSED'] / max(ended, 1):.1%}, goal 5 %)"
    )
    print(f"histories_made_up {counts['MADE UP']} of {counts['MADE UP'] + counts['nothing']} (goal 0)")
    print(f"histories_unseen {counts['unseen']} standing, {counts['unseen ended']} ended (not extracted at all)")
    return 1 if counts["FALSE RETIREMENT"] else 0


if __name__ == "__main__":
    sys.exit(main())

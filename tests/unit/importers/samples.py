"""The samples of other systems' files, and what comes of one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from everfact import Memory
from everfact.importers import read
from everfact.models import Draft, Fact, Filter, Skipped, Stats

SAMPLES = Path(__file__).parents[2] / "data" / "imports"
FILES = sorted(path.name for path in SAMPLES.glob("*.[jc]*"))


def told(path: Path, kind: str = "", group: str = "") -> list[Draft]:
    """The drafts of a file in which nothing is wrong."""
    found = list(read(path, kind, group=group))
    assert not [each for each in found if isinstance(each, Skipped)]
    return [each for each in found if isinstance(each, Draft)]


def skipped(path: Path, kind: str = "") -> list[Skipped]:
    return [each for each in read(path, kind) if isinstance(each, Skipped)]


async def moved_in(memory: Memory, path: Path, kind: str = "") -> Stats:
    """Everything in the file told and digested; what there is then."""
    for draft in told(path, kind):
        await memory.add(replace(draft, group_id=draft.group_id or "main"))
    for _ in range(100):
        if not await memory.digest(limit=4, each=16):
            break
    return await memory.status()


async def facts_by_sentence(memory: Memory) -> dict[str, Fact]:
    return {fact.sentence: fact for fact in await memory.facts(Filter(group_ids=None), limit=1000)}

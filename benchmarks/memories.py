"""Memories made of the conversations in ../shared/data: one file an owner, each turn a message in its session."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everfact.assemble import make_memory
from everfact.memory import Memory
from everfact.models import Draft, Filter, Source
from everfact.question import ROLES
from everfact.stores.sqlite import SQLiteStore

DATA = Path(__file__).parents[2] / "shared" / "data"
SETS = ("locomo", "longmemeval", "beam", "timeqa", "peps", "amst")
_ADDRESS = re.compile(r"\s*<[^>]*>")
_EVERYTHING = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Somebody's conversations, and the questions asked about them."""

    name: str
    turns: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def owners(name: str) -> list[Owner]:
    """Everybody in a data set; ends the program with a word where the data is not there."""
    files = sorted((DATA / name).rglob("*.json"))
    found = [Owner(name=file.stem, **_parts(read)) for file in files if "turns" in (read := _read(file))]
    if not found:
        sys.exit(f"the data set {name} is not here: it is read from {DATA}")
    return found


def moment(text: str) -> datetime:
    """A time as the data writes it; without a zone it is UTC."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def draft(turn: dict[str, Any], group_id: str = "main") -> Draft:
    """One turn as it is told to the memory."""
    speaker = _ADDRESS.sub("", turn["speaker"])
    return Draft(
        content=turn["text"] or "(no words)",
        group_id=group_id,
        source=Source.MESSAGE,
        reference_time=moment(turn["time"]),
        thread=str(turn["session"]),
        speaker=speaker,
        role=speaker if speaker in ROLES else "",
        attributes={"turn": turn["id"]},
    )


async def tell(memory: Memory, turns: list[dict[str, Any]]) -> None:
    """Tell the memory all turns and have them fully digested."""
    for turn in turns:
        await memory.add(draft(turn))
    while await memory.digest():
        pass
    while await memory.embed():
        pass


async def memory_of(owner: Owner, file: Path) -> Memory:
    """The memory of an owner, made anew unless the file is there from an earlier run."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".part")
        for left in file.parent.glob(f"{unfinished.name}*"):
            left.unlink()
        async with make_memory(await SQLiteStore.open(unfinished)) as memory:
            await tell(memory, owner.turns)
        unfinished.rename(file)
    return make_memory(await SQLiteStore.open(file))


async def turn_ids(memory: Memory) -> dict[str, str]:
    """The id of the turn behind each episode's uuid."""
    told = await memory.episodes(Filter(group_ids=None), limit=_EVERYTHING)
    return {episode.uuid: str(episode.attributes["turn"]) for episode in told}


def _read(file: Path) -> dict[str, Any]:
    read = json.loads(file.read_text(encoding="utf-8"))
    return read if isinstance(read, dict) else {}


def _parts(read: dict[str, Any]) -> dict[str, Any]:
    return {"turns": read["turns"], "questions": read["questions"]}

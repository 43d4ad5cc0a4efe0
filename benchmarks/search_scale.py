"""How long each lookup of a search takes in memories of 10,000 to a million facts, and the search as a whole.

Each size is measured in a process of its own, beside bare FTS5 and vector lookups on the same file in another one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import TypeAlias

import apsw

import scale_data
from everfact.embedders.static import StaticEmbedder
from everfact.memory import Memory
from everfact.models import Embedding, Episode, Filter, Query, Thing, Vector
from everfact.stores.sqlite import SQLiteStore
from everfact.stores.text import match_terms
from scale_data import BIG, Question

_MODEL = StaticEmbedder.model
_TEXT_LIMITS = {Thing.EPISODE: 300, Thing.FACT: 100, Thing.ENTITY: 30}
_TABLES = {Thing.EPISODE: "episode_text", Thing.FACT: "fact_text", Thing.ENTITY: "entity_text"}
_WARM_UP = 20
_BARE_QUESTIONS = 60

Took: TypeAlias = tuple[float, float]
"""Seconds that passed, and seconds of processor time."""
Lookup = Callable[[SQLiteStore, Question, Vector], Awaitable[object]]


def _here(question: Question) -> Filter:
    return Filter(group_ids=(question.group_id,))


def _now(question: Question) -> Filter:
    return Filter(group_ids=(question.group_id,), valid_at=datetime.now(UTC))


def _where(thing: Thing, question: Question) -> Filter:
    return _now(question) if thing is Thing.FACT else _here(question)


def _by_text(thing: Thing) -> Lookup:
    return lambda s, q, _: s.match_text(thing, q.terms, _where(thing, q), limit=_TEXT_LIMITS[thing])


def _by_vector(thing: Thing) -> Lookup:
    return lambda s, q, v: s.match_vector(thing, _MODEL, v, _where(thing, q), limit=100)


def _told(question: Question) -> Filter:
    at = datetime.fromisoformat(question.told_at)
    return Filter(group_ids=(question.group_id,), told_from=at, told_until=at + timedelta(days=1))


def _chosen(question: Question, **fields: tuple[str, ...]) -> Filter:
    return Filter(group_ids=(question.group_id,), **fields)  # type: ignore[arg-type]


_LOOKUPS: dict[str, Lookup] = {
    **{f"text_{thing}": _by_text(thing) for thing in Thing},
    **{f"vector_{thing}": _by_vector(thing) for thing in Thing},
    "neighbours_1": lambda s, q, _: s.neighbours([q.entity], _now(q), hops=1, limit=100),
    "neighbours_2": lambda s, q, _: s.neighbours([q.entity], _now(q), hops=2, limit=100),
    "speakers": lambda s, q, _: s.speakers([q.speaker, "Nobody"], _here(q)),
    "facts": lambda s, q, _: s.facts(_chosen(q, uuids=tuple(q.facts))),
    "entities": lambda s, q, _: s.entities(_chosen(q, uuids=tuple(q.entities))),
    "episodes": lambda s, q, _: s.episodes(_chosen(q, uuids=tuple(q.episodes))),
    "beside": lambda s, q, _: s.episodes(_chosen(q, beside=tuple(q.episodes[-20:]))),
    "threads": lambda s, q, _: s.episodes(_chosen(q, threads=(q.thread,)), limit=60),
    "told": lambda s, q, _: s.episodes(_told(q), limit=150),
    "unembedded": lambda s, *_: s.unembedded(_MODEL, limit=256),
}


async def measure(path: Path) -> None:
    """Print the figures of one memory."""
    asked = scale_data.questions(path)
    vectors = scale_data.vectors([question.terms for question in asked])
    size = path.stem.removeprefix("facts-")
    began = time.perf_counter()
    async with await SQLiteStore.open(path) as store:
        for lookup in list(_LOOKUPS.values())[:6]:
            await lookup(store, asked[0], vectors[0])
        print(
            f"search_{size}_cold {_ms(time.perf_counter() - began):.0f} ms (open, one lookup of each text and vector)"
        )
        for question, vector in list(zip(asked, vectors, strict=True))[:_WARM_UP]:
            for lookup in _LOOKUPS.values():
                await lookup(store, question, vector)
        whole: dict[str, list[Took]] = {"big": [], "small": []}
        single: dict[str, list[Took]] = {name: [] for name in _LOOKUPS}
        for question, vector in zip(asked, vectors, strict=True):
            first = time.perf_counter(), time.process_time()
            for name, lookup in _LOOKUPS.items():
                began_one = time.perf_counter(), time.process_time()
                await lookup(store, question, vector)
                single[name].append(_since(began_one))
            whole["big" if question.group_id == BIG else "small"].append(_since(first))
        for name, seconds in single.items():
            _print(f"search_{size}_{name}", seconds)
        for name, seconds in whole.items():
            _print(f"search_{size}_lookups_{name}", seconds, f"all of the above, one after the other, {name} groups")
        if hasattr(Memory, "search"):
            await _measure_search(store, asked, size)
    print(f"search_{size}_rss {_resident() / 1e6:.0f} MB (after all of the above)")


async def _measure_search(store: SQLiteStore, asked: list[Question], size: str) -> None:
    memory = Memory(store, {}, embedder=StaticEmbedder())
    seconds: list[Took] = []
    for number, question in enumerate([*asked[:_WARM_UP], *asked]):
        began = time.perf_counter(), time.process_time()
        await memory.search(Query(text=question.terms, group_ids=(question.group_id,)))
        if number >= _WARM_UP:
            seconds.append(_since(began))
    _print(f"search_{size}", seconds, "the whole search")


def measure_bare(path: Path) -> None:
    """The same words with FTS5's own ranking, and the same vectors by one product with a matrix in memory."""
    import numpy as np
    from numkong import cdist

    asked = scale_data.questions(path)[:: scale_data.QUESTIONS // _BARE_QUESTIONS]
    size = path.stem.removeprefix("facts-")
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    matrices = {}
    for thing in Thing:
        found = connection.execute("SELECT vector FROM vectors WHERE model_no = 1 AND thing = ?", (thing,))
        matrices[thing] = np.frombuffer(b"".join(blob for (blob,) in found), np.int8).reshape(
            -1, StaticEmbedder.dimension
        )
    seconds: dict[str, list[Took]] = {"text": [], "vector": [], "both": []}
    for question, vector in zip(asked, scale_data.vectors([question.terms for question in asked]), strict=True):
        row = np.round(np.frombuffer(vector, np.float32) * 300).clip(-127, 127).astype(np.int8)[np.newaxis]
        began = time.perf_counter(), time.process_time()
        for thing, table in _TABLES.items():
            connection.execute(
                f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?",
                (" OR ".join(match_terms(question.terms)), _TEXT_LIMITS[thing]),
            ).fetchall()
        seconds["text"].append(_since(began))
        between = time.perf_counter(), time.process_time()
        for matrix in matrices.values():
            np.argpartition(np.asarray(cdist(row, matrix, "angular"))[0], 100)[:100]
        seconds["vector"].append(_since(between))
        seconds["both"].append(_since(began))
    for name, each in seconds.items():
        _print(f"search_{size}_bare_{name}", each, "FTS5's rank and a matrix in memory, all groups")


async def write(path: Path) -> None:
    """Tell one thing after the other, with vectors, until the process is ended."""
    maker = scale_data.Maker(int(time.time()))
    async with await SQLiteStore.open(path) as store:
        while True:
            told: list[Episode] = []
            for _ in range(20):
                told.append(await store.add_episode(maker.turn()[0]))
            vectors = zip(told, scale_data.vectors([episode.text for episode in told]), strict=True)
            kept = [Embedding(thing=Thing.EPISODE, uuid=e.uuid, text=e.text, vector=vector) for e, vector in vectors]
            await store.put_vectors(_MODEL, kept)


async def build(path: Path) -> None:
    """Let the store see to its segments, as an idle worker would."""
    began, pieces = time.perf_counter(), 0
    async with await SQLiteStore.open(path) as store:
        while await store.maintain():
            pieces += 1
            if sys.stderr.isatty():
                print(f"\rpiece {pieces} of the vector segments ", end="", file=sys.stderr, flush=True)
    if pieces:
        print(
            f"search_{path.stem.removeprefix('facts-')}_segments {time.perf_counter() - began:.0f} s ({pieces} pieces)"
        )


def _since(began: Took) -> Took:
    return time.perf_counter() - began[0], time.process_time() - began[1]


def _print(name: str, took: list[Took], what: str = "") -> None:
    """On a busy machine the processor time says more: about what a free one would take."""
    for unit, seconds in zip(("", "_cpu"), zip(*took, strict=True), strict=True):
        cuts = quantiles(seconds, n=100)
        print(f"{name}{unit}_p50 {_ms(cuts[49]):.2f} ms{f' ({what})' if what else ''}")
        print(f"{name}{unit}_p95 {_ms(cuts[94]):.2f} ms", flush=True)


def _ms(seconds: float) -> float:
    return seconds * 1000


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _files(path: Path) -> str:
    segments = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}-vectors-*"))
    return f"{path.stat().st_size / 1e6:.0f} MB (and {segments / 1e6:.0f} MB of vector segments beside it)"


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000", help="numbers of facts, with commas")
    parser.add_argument("--folder", type=Path, help="where the memories are kept for the next run (default: nowhere)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writing", action="store_true", help="measure while another process writes")
    parser.add_argument("--only", choices=("measure", "bare", "write"), help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        {"measure": lambda: asyncio.run(measure(options.path)), "bare": lambda: measure_bare(options.path)}.get(
            options.only, lambda: asyncio.run(write(options.path))
        )()
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        for size in map(int, options.sizes.split(",")):
            _measure_size(folder / f"facts-{size}.db", size, options.seed, is_written=options.writing)


def _measure_size(path: Path, size: int, seed: int, *, is_written: bool) -> None:
    scale_data.fill(path, size, seed)
    asyncio.run(build(path))
    print(f"search_{size}_file {_files(path)}", flush=True)
    again = [sys.executable, __file__, "--path", str(path), "--only"]
    writer = subprocess.Popen([*again, "write"]) if is_written else None
    try:
        subprocess.run([*again, "measure"], check=True)
    finally:
        if writer is not None:
            writer.kill()
            writer.wait()
    subprocess.run([*again, "bare"], check=True)


if __name__ == "__main__":
    main()

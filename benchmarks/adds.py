"""How fast an episode is on disk and acknowledged, beside a bare transaction that writes the same rows.

Both sides take turns in blocks on files of their own, with one commit per episode and the same settings, so that the
noise of the machine hits both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from uuid import UUID

import apsw

from everfact.models import Episode, Source
from everfact.stores.sqlite import SQLiteStore
from everfact.stores.sqlite.connection import connect
from everfact.stores.sqlite.migrate import migrate, scripts
from everfact.stores.sqlite.rows import to_micros

_GROUP = "bench"
_TURNS_OF_A_THREAD = 30
_WARM_UP = 200
_START = datetime(2026, 1, 1, tzinfo=UTC)

_PEOPLE = (
    "Ada",
    "Ben",
    "Chen",
    "Dora",
    "Emil",
    "Farah",
    "Goro",
    "Hana",
    "Igor",
    "Jude",
    "Kemal",
    "Lina",
    "Mara",
    "Nils",
)
_THINGS = (
    *("release", "invoice", "garden", "kitchen", "dashboard", "parser", "meeting", "contract", "recipe", "ticket"),
    *("backup", "laptop", "holiday", "flight", "budget", "landlord", "dentist", "bicycle", "library", "schema"),
    *("queue", "printer", "concert", "novel", "password", "server", "bakery", "passport", "mortgage", "piano"),
)
_ACTS = (
    *("moved", "cancelled", "finished", "forgot", "ordered", "reviewed", "returned", "postponed", "repaired"),
    *("explained", "signed", "rewrote", "measured", "borrowed", "planned", "painted", "tested", "shipped", "renamed"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHAPES = (
    "{who} {act} the {thing} on {day}, so we should look at the {other} before number {number} is due.",
    "I think the {thing} is fine now; {who} {act} it after the {other} had failed twice.",
    "Do you remember who {act} the {thing}? {who} says it was {number} euros, but the {other} was more.",
    "Please keep in mind that {who} prefers the {other} over the {thing}, and nothing before {hour} o'clock.",
    "Yes.",
    "The {thing} of {who} has version {number} since {day}; the {other} still runs the old one.",
    "We talked about the {thing} for an hour. {who} {act} the {other} meanwhile, which nobody had asked for.",
)


def sentence(rng: random.Random) -> str:
    """Something a person might write in a chat."""
    thing, other = rng.sample(_THINGS, 2)
    return rng.choice(_SHAPES).format(
        who=rng.choice(_PEOPLE),
        act=rng.choice(_ACTS),
        thing=thing,
        other=other,
        day=rng.choice(_DAYS),
        number=rng.randrange(10_000),
        hour=rng.randrange(6, 23),
    )


def chat(count: int, seed: int) -> list[Episode]:
    """Turns of several conversations, one to five sentences each."""
    rng = random.Random(seed)
    episodes = []
    for number in range(count):
        speaker = rng.choice(_PEOPLE)
        moment = _START + timedelta(seconds=30 * number)
        episodes.append(
            Episode(
                uuid=str(UUID(int=rng.getrandbits(128), version=4)),
                group_id=_GROUP,
                name=f"turn of {speaker}",
                content=" ".join(sentence(rng) for _ in range(rng.randint(1, 5))),
                reference_time=moment,
                created_at=moment,
                source=Source.MESSAGE,
                thread=f"session {number // _TURNS_OF_A_THREAD}",
                speaker=speaker,
                role="user",
            )
        )
    return episodes


class Bare:
    """The least that must be written for an episode, by hand, in this thread, with nothing looked up or checked."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path)
        migrate(self._connection, path, scripts())
        self._connection.execute(
            "INSERT INTO groups (no, group_id, next_id, recorded_at) VALUES (1, ?, 0, 0)", (_GROUP,)
        )
        self._count = 0

    def prepare(self, episode: Episode) -> Callable[[], None]:
        """What is to be timed for one episode; its values are made ready beforehand."""
        number, self._count = self._count, self._count + 1
        at, thread_no, position = to_micros(episode.created_at), *divmod(number, _TURNS_OF_A_THREAD)
        id_, thread_no, position = (1 << 32) + number + 1, thread_no + 1, position + 1
        row = (
            *(id_, episode.uuid, 1, episode.name, episode.content, at, at, episode.source, "", ""),
            *(thread_no, position, episode.speaker, episode.role, "[]", "{}", id_, at),
        )
        words = (id_, episode.name, episode.content, episode.speaker)
        return lambda: self._add(row, words, (thread_no, episode.thread, position), (number + 1, at))

    def _add(
        self,
        row: Sequence[apsw.SQLiteValue],
        words: Sequence[apsw.SQLiteValue],
        thread: Sequence[apsw.SQLiteValue],
        counters: Sequence[apsw.SQLiteValue],
    ) -> None:
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        execute(
            "INSERT INTO threads (no, group_no, name, length) VALUES (?, 1, ?, ?)"
            " ON CONFLICT DO UPDATE SET length = excluded.length",
            thread,
        )
        execute(
            "INSERT INTO episodes (id, uuid, group_no, name, content, reference_time, created_at, source,"
            " source_description, source_key, thread_no, position, speaker, role, statements, attributes, text_id,"
            " known_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        execute("INSERT INTO episode_text (rowid, name, content, speaker) VALUES (?, ?, ?, ?)", words)
        execute("INSERT INTO queue (episode_id, parked, attempts, retry_at, error) VALUES (?, 0, 0, 0, '')", row[:1])
        execute("UPDATE groups SET next_id = ?, recorded_at = ? WHERE no = 1", counters)
        execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


async def measure(folder: Path, episodes: Sequence[Episode], block: int) -> tuple[list[float], list[float]]:
    """Seconds per episode of the store and of the bare transaction, after a warm-up."""
    bare = Bare(folder / "bare.db")
    by_store: list[float] = []
    by_bare: list[float] = []
    async with await SQLiteStore.open(folder / "store.db") as store:
        for start in range(0, len(episodes), block):
            for episode in episodes[start : start + block]:
                began = time.perf_counter()
                await store.add_episode(episode)
                by_store.append(time.perf_counter() - began)
            for add in [bare.prepare(episode) for episode in episodes[start : start + block]]:
                began = time.perf_counter()
                add()
                by_bare.append(time.perf_counter() - began)
            if sys.stderr.isatty():
                print(f"\r{len(by_bare)}/{len(episodes)} adds ", end="", file=sys.stderr, flush=True)
    bare.close()
    _check_same(folder)
    return by_store[_WARM_UP:], by_bare[_WARM_UP:]


def _check_same(folder: Path) -> None:
    """Both files must hold the same rows, apart from the record times."""
    question = """
        SELECT id, episodes.uuid, content, threads.name, position, speaker, text_id, parked, length
        FROM episodes JOIN queue ON episode_id = id JOIN threads ON threads.no = thread_no ORDER BY id
    """
    rows = []
    for name in ("store.db", "bare.db"):
        connection = apsw.Connection(str(folder / name))
        rows.append(connection.execute(question).fetchall())
        rows[-1] += connection.execute("SELECT * FROM episode_text_docsize ORDER BY id").fetchall()
        connection.close()
    assert rows[0] == rows[1], "the bare transaction did not write what the store wrote"


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adds", type=int, default=5000, help="episodes on each side")
    parser.add_argument("--block", type=int, default=500, help="episodes before the other side has its turn")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = asyncio.run(measure(Path(folder), chat(options.adds + _WARM_UP, options.seed), options.block))
    context = f"({options.adds} adds, one fsync each, blocks of {options.block})"
    figures = []
    for name, seconds in zip(("store", "bare"), times, strict=True):
        cuts = quantiles(seconds, n=100)
        figures.append((len(seconds) / sum(seconds), cuts[49] * 1000, cuts[94] * 1000))
        print(f"adds_{name} {figures[-1][0]:.0f} adds/s {context}")
        print(f"adds_{name}_p50 {figures[-1][1]:.3f} ms")
        print(f"adds_{name}_p95 {figures[-1][2]:.3f} ms")
    store, bare = figures
    print(f"adds_ratio {bare[0] / store[0]:.2f} x (bare adds/s over the store's; goal: at most 2)")
    print(f"adds_ratio_p50 {store[1] / bare[1]:.2f} x (goal: at most 2)")
    print(f"adds_ratio_p95 {store[2] / bare[2]:.2f} x (goal: at most 2)")


if __name__ == "__main__":
    main()

"""Writing to one group: read what matters, decide in Python, then commit only if nobody has written in between.

Every write gives its group a new random `revision`, and is let in only where it finds the one it has read. So all
that a write read still holds when it is done, on servers with and without transactions of several queries.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from everfact.clock import new_id
from everfact.errors import StoreUnavailable
from everfact.models import Thing
from everfact.stores.cypher.engine import Engine, Part, Row, Step
from everfact.stores.cypher.rows import Item, to_micros

T = TypeVar("T")

_TRIES = 50
_LOST_ANSWERS = 2
_LONGEST_WAIT = 0.2
_COLUMNS = "g.revision, g.recorded_at, g.next_no, g.waiting_from, g.head, g.token, g.held_no, g.granted_at, g.deadline"
_READ = f"MATCH (g:EverfactGroup {{group_id: $group}}) RETURN {_COLUMNS}"
# The first SET takes the lock of the node where there are locks; only then is the revision looked at.
_GUARD = (
    "MATCH (g:EverfactGroup {group_id: $group}) SET g.lock = $next WITH g WHERE g.revision = $revision"
    " SET g += $kept SET g.revision = $next"
)
_FIRST = "MERGE (g:EverfactGroup {group_id: $group}) " + _GUARD.partition("}) ")[2].replace(
    "g.revision = $revision", "g.revision IS NULL", 1
)


@dataclass(slots=True)
class Lease:
    """Who digests a group, and which version of an episode."""

    token: str | None = None
    no: int | None = None
    granted_at: int = 0
    deadline: int = 0

    def is_held(self, now: int) -> bool:
        """Whether it still counts.

        One granted a little in the future is that of a machine whose clock is ahead; one granted further ahead than it
        is long is from before the clock went back.
        """
        is_from_before = self.granted_at - now >= self.deadline - self.granted_at
        return self.token is not None and now < self.deadline and not is_from_before


@dataclass(slots=True)
class Ledger:
    """A group as a write found it, and what the write does."""

    engine: Engine
    group_id: str
    now: int
    revision: str | None
    recorded_at: int = 0
    next_no: int = 1
    waiting_from: int = 1
    """No episode that waits to be digested has a smaller number."""
    head: str | None = None
    lease: Lease = field(default_factory=Lease)
    steps: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    seen: dict[tuple[Thing, str], tuple[int, Item] | None] = field(default_factory=dict)
    """What stood of the items that were asked for, each with its number."""
    said: dict[str, bool | None] = field(default_factory=dict)
    """Of the assertions that were asked for and stood, whether they were withdrawn."""
    before: dict[str, Item] = field(default_factory=dict)
    """What stood of the items that are written or closed, as far as it was looked at, by uuid."""
    after: dict[str, Item | None] = field(default_factory=dict)
    """What stands of them when all is done; None where nothing does."""
    fresh: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The nodes of the versions and assertions that are made; they can still be altered."""
    marks: dict[str, dict[str, Any]] = field(default_factory=dict)
    """When older assertions are withdrawn and reinstated, and by what."""
    is_shown: bool = False
    """All of it stands in Graphiti's schema already."""
    mentions: set[tuple[str, str]] = field(default_factory=set)
    """Episodes, and entities of which they assert something."""
    owned: set[str] = field(default_factory=set)
    """Ids that are known to belong to no other group."""
    is_retried: bool = False
    """An earlier try may have been let in, and others have written since: only the answer was lost."""
    is_touched: bool = False
    """Something changes besides what the steps do: the head, the lease."""
    _last: int = field(init=False)

    def __post_init__(self) -> None:
        self._last = self.recorded_at

    @property
    def part(self) -> Part:
        """Where the group lies."""
        return Part(self.engine, self.engine.graph(self.group_id), (self.group_id,))

    async def read(self, query: str, **parameters: object) -> list[Row]:
        """Ask about the group."""
        return await self.part.read(query, group=self.group_id, **parameters)

    def take_no(self) -> int:
        """The next free number of the group."""
        self.next_no += 1
        return self.next_no - 1

    def record(self) -> int:
        """The time of this write: the present, but later than the last one, even if the clock went back."""
        self.recorded_at = max(self.now, self._last + 1)
        return self.recorded_at

    def do(self, statement: str, **row: object) -> None:
        """Do this with that row when everything is decided. Statements run in the order of their first row."""
        self.steps[statement].append(row)

    async def commit(self, revision: str) -> bool:
        """Do it all, if the group is still what was read."""
        parameters = {
            "group": self.group_id,
            "revision": self.revision,
            "next": revision,
            "kept": {
                "recorded_at": self.recorded_at,
                "next_no": self.next_no,
                "waiting_from": self.waiting_from,
                "head": self.head,
                "token": self.lease.token,
                "held_no": self.lease.no,
                "granted_at": self.lease.granted_at,
                "deadline": self.lease.deadline,
            },
        }
        steps = [Step(statement, rows) for statement, rows in self.steps.items()]
        guard = _FIRST if self.revision is None else _GUARD
        return await self.engine.commit(self.part.graph, guard, parameters, steps)


class Writer:
    """Lets writes to a group in one after another: those of this process wait, those of others make it try again."""

    def __init__(self, engine: Engine, now: Callable[[], datetime], settle: Callable[[Ledger], None]) -> None:
        self._engine = engine
        self._now = now
        self._settle = settle
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def write(self, group_id: str, work: Callable[[Ledger], Awaitable[T]]) -> T:
        """Run `work` until what it does has been let in; a `work` that does nothing writes nothing.

        Raises:
            StoreUnavailable: others were quicker every time.
        """
        async with self._turns[group_id]:
            lost: dict[str | None, T] = {}
            for attempt in range(_TRIES):
                ledger = await self._open(group_id)
                if ledger.revision in lost:  # that try was let in, and only the answer was lost
                    return lost[ledger.revision]
                ledger.is_retried = bool(lost)
                done, revision = await work(ledger), new_id()
                self._settle(ledger)
                try:
                    if not (ledger.steps or ledger.is_touched) or await ledger.commit(revision):
                        return done
                except StoreUnavailable:
                    lost[revision] = done
                    if len(lost) > _LOST_ANSWERS:
                        raise
                await asyncio.sleep(random.uniform(0, min(_LONGEST_WAIT, 0.002 * 2**attempt)))  # noqa: S311
        raise StoreUnavailable(f"group {group_id} is written to by too many at once", hint="try again")

    async def _open(self, group_id: str) -> Ledger:
        engine, now = self._engine, to_micros(self._now())
        graph = engine.graph(group_id)
        found = await engine.read(graph, _READ, {"group": group_id})
        await engine.prepare(graph, anew=not found)
        if not found:
            return Ledger(engine, group_id, now, None)
        revision, recorded_at, next_no, waiting_from, head, *lease = found[0]
        return Ledger(engine, group_id, now, revision, recorded_at, next_no, waiting_from, head, Lease(*lease))

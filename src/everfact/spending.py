"""What models may cost a day and what they have cost, counted in the store for all processes together.

One small value holds everything. Whoever wants to ask a model reserves the most that the call can take before it, and
settles what it took after it; both read, decide and swap, so nobody is left out of the count.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from functools import partial
from time import monotonic

from everfact.errors import Conflict, LimitReached
from everfact.models import Spent, Usage
from everfact.ports import Store

_NAME = "spending"
_EARLIER, _OPEN = "earlier", "open "
_DAYS = 31
"""How many days are kept apart; what was before is kept as one."""
_TRIES = 1000
_LOOK_SECONDS = 0.05

_Book = dict[str, dict[str, Usage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What all models together may take a day."""

    usd: float | None = None
    tokens: int | None = None

    def reached(self, *usages: Iterable[Usage]) -> str:
        """The limit that these reach together; empty if none."""
        whole = sum((usage for some in usages for usage in some), Usage())
        if self.usd is not None and whole.usd >= self.usd:
            return f"${self.usd:g}"
        return f"{self.tokens:,} tokens" if self.tokens is not None and whole.tokens >= self.tokens else ""


class Spending:
    """The account of one memory. Days are those of UTC."""

    def __init__(self, store: Store, limits: Limits, now: Callable[[], datetime]) -> None:
        self._store = store
        self._limits = limits
        self._now = now

    async def reserve(self, model: str, most: Usage, *, patience: float = 0.0) -> str:
        """Set aside the most that a call may take; answer the day it counts for.

        Where only what others have set aside stands against it, wait so many seconds for them to settle. A process
        that dies before it settles leaves what it set aside to count all day: nobody can tell what its call has cost.

        Raises:
            LimitReached: no more may be spent today. The last call that was let through may have passed the limit.
        """
        until = monotonic() + patience
        while True:
            day = _day(self._now())
            full = await self._write(partial(self._set_aside, day=day, model=model, most=most))
            if not full:
                return day
            is_certain = self._limits.reached((await spent(self._store, self._now())).today.values())
            if is_certain or monotonic() >= until:
                raise LimitReached(f"the day's limit of {full} is reached", hint="raise llm.daily_limit_…, or wait")
            await asyncio.sleep(_LOOK_SECONDS)

    async def settle(self, model: str, day: str, reserved: Usage, used: Usage) -> None:
        """Put what a call has taken in the place of what was set aside for it."""

        def settled(book: _Book) -> str:
            _count(book, _OPEN + day, model, -reserved)
            _count(book, day, model, used)
            return ""

        await self._write(settled)

    async def rescue(self, model: str) -> None:
        """Count an episode that rules had to read in the model's place."""
        await self._write(lambda book: _count(book, _day(self._now()), model, Usage(rescues=1)))

    def _set_aside(self, book: _Book, *, day: str, model: str, most: Usage) -> str:
        full = self._limits.reached(book.get(day, {}).values(), book.get(_OPEN + day, {}).values())
        return full or _count(book, _OPEN + day, model, most)

    async def _write(self, change: Callable[[_Book], str]) -> str:
        """Change the book, unless it says why not; nobody else changes it in between."""
        for _ in range(_TRIES):
            old = await self._store.state(_NAME)
            book = _read(old)
            reason = change(book)
            _close(book, self._now())
            if reason or await self._store.swap_state(_NAME, old, _written(book)):
                return reason
        raise Conflict("the account of what models cost changes all the time", hint="it is tried again later")


async def spent(store: Store, now: datetime) -> Spent:
    """What models have taken today, and all along."""
    book, day = _read(await store.state(_NAME)), _day(now)
    ever: dict[str, Usage] = {}
    for name, by_model in book.items():
        for model, usage in by_model.items() if not name.startswith(_OPEN) else ():
            ever[model] = ever.get(model, Usage()) + usage
    return Spent(day=day, today=book.get(day, {}), ever=ever)


def _count(book: _Book, name: str, model: str, usage: Usage) -> str:
    by_model = book.setdefault(name, {})
    by_model[model] = by_model.get(model, Usage()) + usage
    return ""


def _close(book: _Book, now: datetime) -> None:
    """Put old days together, and drop what nobody has settled for a day."""
    oldest, yesterday = _day(now - timedelta(days=_DAYS)), _OPEN + _day(now - timedelta(days=1))
    for day in [day for day in book if day < oldest]:
        for model, usage in book.pop(day).items():
            _count(book, _EARLIER, model, usage)
    for name in [name for name in book if name.startswith(_OPEN) and name < yesterday]:
        del book[name]


def _read(text: str | None) -> _Book:
    known = {part.name for part in fields(Usage)}  # a later version may count more
    return {
        day: {model: Usage(**{name: row[name] for name in known & set(row)}) for model, row in by_model.items()}
        for day, by_model in json.loads(text or "{}").items()
    }


def _written(book: _Book) -> str:
    return json.dumps({day: {model: asdict(usage) for model, usage in rows.items()} for day, rows in book.items()})


def _day(moment: datetime) -> str:
    return moment.date().isoformat()

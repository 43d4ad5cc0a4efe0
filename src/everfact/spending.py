"""What models may cost a day and what they have cost, counted in the store for all processes together.

One small value holds everything. Whoever wants to ask a model reserves the most that the call can take before it, and
settles what it took after it; both read, decide and swap, so nobody is left out of the count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta

from everfact.errors import Conflict, LimitReached
from everfact.models import Spent, Usage
from everfact.ports import Store

_NAME = "spending"
_EARLIER = "earlier"
_DAYS = 31
"""How many days are kept apart; what was before is kept as one."""
_TRIES = 1000

_Book = dict[str, dict[str, Usage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What all models together may take a day."""

    usd: float | None = None
    tokens: int | None = None

    def check(self, today: Mapping[str, Usage]) -> None:
        """See whether another call may be made. What others have reserved counts as taken.

        Raises:
            LimitReached: it may not.
        """
        usd, tokens = sum(usage.usd for usage in today.values()), sum(usage.tokens for usage in today.values())
        if self.usd is not None and usd >= self.usd:
            raise LimitReached(
                f"the day's limit of ${self.usd:g} is reached", hint="raise llm.daily_limit_usd, or wait"
            )
        if self.tokens is not None and tokens >= self.tokens:
            raise LimitReached(
                f"the day's limit of {self.tokens:,} tokens is reached", hint="raise llm.daily_limit_tokens, or wait"
            )


class Spending:
    """The account of one memory. Days are those of UTC."""

    def __init__(self, store: Store, limits: Limits, now: Callable[[], datetime]) -> None:
        self._store = store
        self._limits = limits
        self._now = now

    async def reserve(self, model: str, most: Usage) -> str:
        """Set aside the most that a call may take; answer the day it counts for.

        A process that dies before it settles leaves that counted: nobody can tell what the call has cost.

        Raises:
            LimitReached: no more may be spent today. It may have been passed by the last call that was let through.
        """
        day = _day(self._now())

        def reserved(book: _Book) -> None:
            self._limits.check(book.get(day, {}))
            _count(book, day, model, most)

        await self._write(reserved)
        return day

    async def settle(self, model: str, day: str, reserved: Usage, used: Usage) -> None:
        """Put what a call has taken in the place of what was set aside for it."""
        await self._write(lambda book: _count(book, day, model, used + -reserved))

    async def rescue(self, model: str) -> None:
        """Count an episode that rules had to read in the model's place."""
        await self._write(lambda book: _count(book, _day(self._now()), model, Usage(rescues=1)))

    async def _write(self, change: Callable[[_Book], None]) -> None:
        oldest = _day(self._now() - timedelta(days=_DAYS))
        for _ in range(_TRIES):
            old = await self._store.state(_NAME)
            book = _read(old)
            change(book)
            _close(book, oldest)
            if await self._store.swap_state(_NAME, old, _written(book)):
                return
        raise Conflict("the account of what models cost changes all the time", hint="it is tried again later")


async def spent(store: Store, now: datetime) -> Spent:
    """What models have taken today, and all along."""
    book, day = _read(await store.state(_NAME)), _day(now)
    ever: dict[str, Usage] = {}
    for by_model in book.values():
        for model, usage in by_model.items():
            ever[model] = ever.get(model, Usage()) + usage
    return Spent(day=day, today=book.get(day, {}), ever=ever)


def _count(book: _Book, day: str, model: str, usage: Usage) -> None:
    by_model = book.setdefault(day, {})
    by_model[model] = by_model.get(model, Usage()) + usage


def _close(book: _Book, oldest: str) -> None:
    for day in [day for day in book if day < oldest]:
        for model, usage in book.pop(day).items():
            _count(book, _EARLIER, model, usage)


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

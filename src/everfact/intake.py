"""A journal taken in: replayed where it continues what is here, done again on top of it where it went another way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from everfact import clock
from everfact.draft import check_group
from everfact.errors import Conflict, UsageError
from everfact.models import Change, Entry, Episode, Skipped, Undigested
from everfact.ports import Store
from everfact.rebase import Rebase

_ENTRIES = 500
_SIZE = 4_000_000
"""Entries, and roughly characters, that are held at once."""
_ITEM = 500
"""Roughly the characters of an item of a change."""
_NAMED = 1_000


@dataclass(slots=True, kw_only=True)
class Taken:
    """What became of the entries of a file."""

    replayed: int = 0
    known: int = 0
    redone: int = 0
    diverged: list[str] = field(default_factory=list)
    """Groups that have something of their own, so that the rest of their journal was done again, as of now."""
    unread: int = 0
    """Records that were skipped; `skipped` names the first thousand."""
    skipped: list[Skipped] = field(default_factory=list)

    def skip(self, record: Skipped) -> None:
        """Leave a record out, and say so."""
        self.unread += 1
        if len(self.skipped) < _NAMED:
            self.skipped.append(record)


async def journal_of(store: Store, group_ids: tuple[str, ...] | None) -> AsyncIterator[Entry]:
    """A whole journal, page by page."""
    after: Entry | None = None
    while page := await store.journal(group_ids, limit=_ENTRIES, after=after):
        for after in page:
            yield after


async def take_in(
    store: Store,
    entries: Iterable[Entry | Skipped],
    *,
    prepare: Callable[[str], Awaitable[None]] | None = None,
    now: Callable[[], datetime] = clock.now,
) -> Taken:
    """Take in a journal; doing it again takes in nothing twice, and goes on where it was left.

    With `prepare` something is done before each group. What cannot be read is left out and named.

    Raises:
        UsageError: another group here has ids of the journal's, or its order is broken.
    """
    taken = Taken()
    group: _Group | None = None
    for stretch in _stretches(entries, taken):
        group_id = stretch[0].group_id
        if group is None or group.group_id != group_id:
            try:
                group = _Group(store, group_id, taken, now)
            except UsageError as error:
                taken.skip(Skipped(place=f"group {group_id}", reason=f"{error}; give it another one with --into"))
                continue
            if prepare is not None:
                await prepare(group_id)
        await group.take(stretch)
    return taken


async def copy_group(source: Store, target: Store, group_id: str) -> None:
    """Take a group from one store to another."""
    group = _Group(target, group_id, Taken(), clock.now)
    after: Entry | None = None
    while page := await source.journal((group_id,), limit=_ENTRIES, after=after):
        await group.take(page)
        after = page[-1]


class _Group:
    """The journal of one group, stretch by stretch."""

    def __init__(self, store: Store, group_id: str, taken: Taken, now: Callable[[], datetime]) -> None:
        check_group(group_id)
        self.group_id = group_id
        self._store = store
        self._taken = taken
        self._rebase = Rebase(store, group_id, now)
        self._is_apart = False
        self._last: list[Entry] = []

    async def take(self, stretch: list[Entry]) -> None:
        """Replay the stretch while that is possible."""
        if not self._is_apart:
            try:
                count = await self._store.replay([*self._last, *stretch])
            except Conflict:
                self._is_apart = True
                self._taken.diverged.append(self.group_id)
            else:
                self._taken.replayed += count
                self._taken.known += len(stretch) - count
                self._last = [*self._last, *(e for e in stretch if not isinstance(e, Undigested))][-1:]
                return
        count = await self._rebase.take(stretch)
        self._taken.redone += count
        self._taken.known += len(stretch) - count


def _stretches(entries: Iterable[Entry | Skipped], taken: Taken) -> Iterator[list[Entry]]:
    """Entries of one group, as many as may be held at once; what stands before a skipped one by itself."""
    stretch: list[Entry] = []
    size = 0
    for entry in entries:
        is_full = len(stretch) >= _ENTRIES or size >= _SIZE
        if stretch and (is_full or isinstance(entry, Skipped) or stretch[0].group_id != entry.group_id):
            yield stretch
            stretch, size = [], 0
        if isinstance(entry, Skipped):
            taken.skip(entry)
        else:
            stretch.append(entry)
            size += _size(entry)
    if stretch:
        yield stretch


def _size(entry: Entry) -> int:
    if isinstance(entry, Episode):
        return len(entry.content)
    if isinstance(entry, Change):
        told = sum(len(episode.content) for episode in entry.episodes)
        return told + _ITEM * (len(entry.asserted) + len(entry.entities) + len(entry.facts))
    return 0

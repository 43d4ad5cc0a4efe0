"""All that a memory keeps as JSON lines: a header, then every record on a line of its own.

What a store has: episodes, entities and facts as they are known now, every assertion, withdrawn ones too, and the log
of changes, with the versions that each made. By kind, newest first, so that two exports differ where the memory does.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, TypeAlias

from everfact.cli.output.plain import shows_unicode, whole
from everfact.cli.output.screen import progress
from everfact.errors import UsageError
from everfact.models import Assertion, Change, Cursor, Entity, Episode, Fact, Filter
from everfact.ports import Store

VERSION = 1
_PAGE = 1_000

Record: TypeAlias = "Episode | Entity | Assertion | Fact | Change"


async def write_lines(store: Store, groups: tuple[str, ...] | None, file: str) -> int:
    """Write the file, all or nothing; answer how many records it has.

    Raises:
        UsageError: it cannot be written.
    """
    stats = await store.stats(groups)
    total = stats.episodes + stats.entities + stats.assertions + stats.facts + stats.changes
    count = 0
    with _written(file) as out, progress("exporting", total) as bar:
        as_ascii = file == "-" and not shows_unicode()
        out.write(json.dumps({"everfact": "export", "version": VERSION}) + "\n")
        async for kind, record in _records(store, Filter(group_ids=groups, withdrawn=None)):
            out.write(json.dumps({"record": kind, **whole(record)}, ensure_ascii=as_ascii) + "\n")
            count += 1
            bar.step()
    return count


async def _records(store: Store, where: Filter) -> AsyncIterator[tuple[str, Record]]:
    readers: tuple[tuple[str, Callable[[Cursor | None], Awaitable[Sequence[Record]]]], ...] = (
        ("episode", lambda before: store.episodes(where, limit=_PAGE, before=before)),
        ("entity", lambda before: store.entities(where, limit=_PAGE, before=before)),
        ("assertion", lambda before: store.assertions(where, limit=_PAGE, before=before)),
        ("fact", lambda before: store.facts(where, limit=_PAGE, before=before)),
        ("change", lambda before: store.changes(where, limit=_PAGE, before=before)),
    )
    for kind, read in readers:
        before: Cursor | None = None
        while page := await read(before):
            for record in page:
                yield kind, record
            last = page[-1]
            before = (last.reference_time if isinstance(last, Episode) else last.created_at), last.uuid


@contextmanager
def _written(file: str) -> Iterator[TextIO]:
    """A file that has its name only once all of it is written; nobody else can read it."""
    if file == "-":
        yield sys.stdout
        return
    target = Path(file).expanduser().absolute()
    try:
        handle, name = tempfile.mkstemp(prefix=".everfact-", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            Path(name).replace(target)
        finally:
            with suppress(OSError):  # after success there is nothing left under that name
                Path(name).unlink()
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}", hint="name a file in a folder of yours"
        ) from error

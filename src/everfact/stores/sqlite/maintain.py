"""Upkeep that nobody waits for: a piece of a segment at a time, in threads, so that all else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from everfact.errors import StoreError
from everfact.stores.sqlite import segments
from everfact.stores.sqlite.connection import Database
from everfact.stores.sqlite.rows import Row
from everfact.stores.sqlite.segments import Piece, Segment, Shelf

if TYPE_CHECKING:
    from usearch.index import Index

_ROWS_OF_A_PIECE = segments.MOST_UNCOVERED
_ROWS_AT_ONCE = 2_000


async def maintain(database: Database, shelf: Shelf, now: Callable[[], datetime]) -> bool:
    """See `Store.maintain`: put some tens of thousands of vectors into a segment, if that pays."""
    if not await database.read(lambda c: segments.is_wanted(c, shelf)):
        return False
    piece = await database.write(lambda c: segments.begin(c, shelf, now()))
    if piece is None:
        return False
    is_done = False
    try:
        await _build(database, shelf, piece)
        is_done = True
    finally:
        if not is_done:
            with suppress(StoreError):  # the lease runs out by itself
                await database.write(lambda c: segments.give_up(c, piece))
    return True


async def _build(database: Database, shelf: Shelf, piece: Piece) -> None:
    if piece.base is None:
        index = segments.new_index(piece.dimension)
    else:
        index = await asyncio.to_thread(shelf.load, piece.base)
    through, added = piece.after, 0
    while added < _ROWS_OF_A_PIECE:
        rows = await _next(database, piece, through)
        if not rows:
            through = max(through, piece.until or 0)  # a gap is filled to its end
            break
        await asyncio.to_thread(_add, index, rows, piece.dimension)
        through, added = rows[-1][0], added + len(rows)
    name = segments.new_name(piece.of)
    partial = shelf.file(name, partial=True)
    size, checksum = await asyncio.to_thread(segments.save, index, partial)
    after = piece.after if piece.base is None else piece.base.after
    of = piece.of
    made = Segment(name, of.model_no, of.thing, of.group_no, after, through, len(index), size, checksum)
    await database.write(lambda c: segments.finish(c, shelf, piece, made, partial))


async def _next(database: Database, piece: Piece, after: int) -> list[Row]:
    return await database.read(lambda c: segments.vectors_of(c, piece, after, _ROWS_AT_ONCE))


def _add(index: Index, rows: list[Row], dimension: int) -> None:
    import numpy as np

    _, text_ids, vectors = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(vectors), np.int8).reshape(-1, dimension)
    index.add(np.array(text_ids, np.uint64), matrix, threads=1)

"""Scores by shared words: BM25 of our own over the row lists of FTS5, with the counts of the group alone.

FTS5's own `bm25()` visits every row that has any of the words, and counts each word in all groups. Here a word is
looked up newest row first and no further than it takes: words of most rows only tell rows apart that rarer words have
found. How often a word stands in a text does not count, which measured better than counting it (ADR 20).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import apsw

from everfact.stores.sqlite.rows import to_json
from everfact.stores.sqlite.where import Where

_MOST_ROWS = 10_000
"""So many rows are read in all to find candidates,"""
_FEWEST_OF_A_WORD, _MOST_OF_A_WORD = 200, 2_000
"""shared among the words: a word with more rows is common."""
_MOST_STEPS = 50_000
"""So many entries of common words are passed in all to see which candidates have them too."""
_SAMPLE = 1_000
_SATURATION, _BY_LENGTH = 1.2, 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A full-text table, what it indexes, and how long that text is."""

    table: str
    source: str
    length: str
    scored: str = ""
    """The columns that count, as FTS5 wants them named; empty for all."""
    unscored: str = ""
    """Columns by which an item is found, at no score, when the others find too few."""


@dataclass(frozen=True, slots=True)
class _Span:
    """The rows of one group in an index: ids from `low` to `newest`, about `rows` of them."""

    low: int
    newest: int
    rows: float

    def share(self, oldest: int) -> float:
        """Which part of the group's ids lies no further back than `oldest`."""
        return (self.newest - oldest + 1) / (self.newest - self.low + 1)


@dataclass(frozen=True, slots=True)
class _Word:
    term: str
    rows: list[int]
    count: float
    """In how many rows of the group it stands; estimated if `rows` are only the newest."""
    weight: float

    @property
    def is_common(self) -> bool:
        return self.count > len(self.rows)


def score(connection: apsw.Connection, index: Index, terms: list[str], chosen: Where, limit: int) -> dict[str, float]:
    """The uuids of the best rows that have any of the terms and pass the conditions, with their scores."""
    span = _span(connection, index.table, chosen)
    if span is None or not terms:
        return {}
    most = max(limit, min(_MOST_OF_A_WORD, max(_FEWEST_OF_A_WORD, _MOST_ROWS // len(terms))))
    words = [_look_up(connection, index, span, term, most) for term in terms]
    sums = _sums(connection, index, span, [word for word in words if word.rows])
    found = _passing(connection, index, sums, chosen, limit)
    if len(found) < limit and index.unscored:
        query = f"{index.unscored} : ({' OR '.join(terms)})"
        others = dict.fromkeys(_rows(connection, index.table, query, (span.low, span.newest), most), 0.0)
        found = _passing(connection, index, others, chosen, limit) | found
    return found


def _span(connection: apsw.Connection, table: str, chosen: Where) -> _Span | None:
    low, high = chosen.span
    newest = connection.execute(f"SELECT max(id) FROM {table}_docsize WHERE id BETWEEN ? AND ?", (low, high)).get
    if newest is None:
        return None
    sample = connection.execute(
        f"SELECT count(*), min(id) FROM"
        f" (SELECT id FROM {table}_docsize WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?)",
        (low, newest, _SAMPLE),
    ).fetchone()
    assert sample is not None
    count, oldest = sample
    whole = _Span(low, newest, count)
    return whole if count < _SAMPLE else _Span(low, newest, count / whole.share(oldest))


def _look_up(connection: apsw.Connection, index: Index, span: _Span, term: str, most: int) -> _Word:
    query = f"{index.scored} : {term}" if index.scored else term
    rows = _rows(connection, index.table, query, (span.low, span.newest), most)
    count = float(len(rows)) if len(rows) < most else max(len(rows) + 1, len(rows) / span.share(rows[-1]))
    # A word of more than half of all rows says nothing.
    rarity = (span.rows - count + 0.5) / (count + 0.5)
    return _Word(query, rows, count, log(rarity) if rarity > 1 else 1e-6)


def _rows(connection: apsw.Connection, table: str, query: str, between: tuple[int, int], most: int) -> list[int]:
    """Newest first. FTS5 seeks to the range, and reads no further than the limit."""
    found = connection.execute(
        f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?",
        (query, *between, most),
    )
    return [row for (row,) in found]


def _sums(connection: apsw.Connection, index: Index, span: _Span, words: list[_Word]) -> dict[int, float]:
    """Candidates and the weights of the words they have."""
    if not words:
        return {}
    words = sorted(words, key=lambda word: word.count)
    # With nothing but common words, the newest rows of the rarest one have to do.
    finding = [word for word in words if not word.is_common] or words[:1]
    sums: dict[int, float] = {}
    for word in finding:
        for row in word.rows:
            sums[row] = sums.get(row, 0.0) + word.weight
    oldest, steps = min(sums), 0.0
    either = " OR ".join(f"({word.term})" for word in finding)
    for word in words[len(finding) :]:
        steps += word.count * span.share(oldest)
        if steps > _MOST_STEPS:
            break
        both = f"({either}) AND ({word.term})"
        for row in _rows(connection, index.table, both, (oldest, span.newest), len(sums)):
            sums[row] = sums.get(row, 0.0) + word.weight
    return sums


def _passing(
    connection: apsw.Connection, index: Index, sums: dict[int, float], chosen: Where, limit: int
) -> dict[str, float]:
    """The candidates that pass, shorter ones scored higher; those with little weight are not even looked at."""
    ranked = _by_weight(sums)
    kept: list[tuple[int, str, int]] = []
    start, size = 0, 2 * limit + 100
    while start < len(ranked) and len(kept) < limit:
        kept += connection.execute(
            f"SELECT e.text_id, e.uuid, {index.length} FROM json_each(?) AS found CROSS JOIN {index.source}"
            f" WHERE e.text_id = found.value AND {chosen.sql_by_key}",
            (to_json(ranked[start : start + size]), *chosen.parameters),
        )
        start, size = start + size, size * 4
    if not kept:
        return {}
    mean = sum(length for *_, length in kept) / len(kept) or 1.0
    flat = 1 - _BY_LENGTH
    return {
        uuid: sums[row] * (1 + _SATURATION) / (1 + _SATURATION * (flat + _BY_LENGTH * length / mean))
        for row, uuid, length in kept
    }


def _by_weight(sums: dict[int, float]) -> list[int]:
    """Heaviest first, newest first among equals. There are few different sums, so this is no sorting of rows."""
    alike: dict[float, list[int]] = {}
    for row, weight in sums.items():
        alike.setdefault(weight, []).append(row)
    return [row for weight in sorted(alike, reverse=True) for row in _newest_first(alike[weight])]


def _newest_first(rows: Iterable[int]) -> list[int]:
    return sorted(rows, reverse=True)

"""Scores by shared words: BM25 of our own over the row lists of FTS5, with the counts of the group alone.

FTS5's own `bm25()` visits every row that has any of the words, and counts each word in all groups. Here the rarer words
find the rows, newest first and no more than it takes, and common ones only tell those rows apart.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

import apsw

from everfact.stores.bm25 import by_length, rarity
from everfact.stores.sqlite.rows import to_json
from everfact.stores.sqlite.where import Where

_MOST_ROWS = 1_000
"""Words find rows until it is about so many, the rarest words first."""
_MOST_STEPS = 50_000
"""So many entries of common words are passed in all to see which of those rows have them too."""
_SAMPLE = 300
"""With fewer rows than this a word is counted; with more, the newest tell how many there are."""
_SPARE = 100


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
class Found:
    """Scores by uuid, and the terms that no text of the group has."""

    scores: dict[str, float]
    missing: list[str]


@dataclass(frozen=True, slots=True)
class _Span:
    """The rows of one group in an index: ids from `low` to `newest`, about `count` of them."""

    low: int
    newest: int
    count: float

    def share(self, oldest: int) -> float:
        """Which part of the group's ids lies no further back than `oldest`."""
        return (self.newest - oldest + 1) / (self.newest - self.low + 1)


@dataclass(frozen=True, slots=True)
class _Word:
    """A term, the newest rows that have it, and about how many have it in all."""

    term: str
    rows: list[int]
    count: float

    @property
    def is_known(self) -> bool:
        """Whether `rows` are all there are."""
        return len(self.rows) < _SAMPLE

    def weight(self, span: _Span) -> float:
        """How much it says."""
        return rarity(self.count, span.count)


def score(connection: apsw.Connection, index: Index, terms: list[str], chosen: Where, limit: int) -> Found:
    """The best rows that have any of the terms and pass the conditions."""
    span = _span(connection, index.table, chosen)
    if span is None or not terms:
        return Found({}, terms)
    words = [_look_up(connection, index, span, term) for term in terms]
    sums = _sums(connection, index.table, span, [word for word in words if word.rows], limit)
    found = _passing(connection, index, sums, chosen, limit)
    if len(found) < limit and index.unscored:
        query = f"{index.unscored} : ({' OR '.join(terms)})"
        others = dict.fromkeys(_rows(connection, index.table, query, (span.low, span.newest), limit + _SPARE), 0.0)
        found = _passing(connection, index, others, chosen, limit) | found
    return Found(found, [term for term, word in zip(terms, words, strict=True) if not word.rows])


def _span(connection: apsw.Connection, table: str, chosen: Where) -> _Span | None:
    ids = f"SELECT id FROM {table}_docsize WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?"
    sample: list[int] = [id_ for (id_,) in connection.execute(ids, (*chosen.span, _SAMPLE))]
    if not sample:
        return None
    whole = _Span(chosen.span[0], sample[0], len(sample))
    return whole if len(sample) < _SAMPLE else replace(whole, count=len(sample) / whole.share(sample[-1]))


def _look_up(connection: apsw.Connection, index: Index, span: _Span, term: str) -> _Word:
    query = f"{index.scored} : {term}" if index.scored else term
    rows = _rows(connection, index.table, query, (span.low, span.newest), _SAMPLE)
    return _Word(query, rows, len(rows) if len(rows) < _SAMPLE else len(rows) / span.share(rows[-1]))


def _rows(connection: apsw.Connection, table: str, query: str, between: tuple[int, int], most: int) -> list[int]:
    """Newest first. FTS5 seeks to the range, and reads no further than the limit."""
    found = connection.execute(
        f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?",
        (query, *between, most),
    )
    return [row for (row,) in found]


def _sums(connection: apsw.Connection, table: str, span: _Span, words: list[_Word], limit: int) -> dict[int, float]:
    """Candidates and the weights of the words they have."""
    if not words:
        return {}
    words = sorted(words, key=lambda word: word.count)
    until = [sum(word.count for word in words[:number]) for number in range(1, len(words) + 1)]
    number = max(1, bisect_right(until, _MOST_ROWS))
    finding, common = words[:number], words[number:]
    sums: dict[int, float] = {}
    for word in finding:
        weight = word.weight(span)
        for row in word.rows if word.is_known else _all_rows(connection, table, span, word):
            sums[row] = sums.get(row, 0.0) + weight
    for word in common:
        if len(sums) < limit:  # too few have the rare words; the newest with a common one come after them
            sums |= {row: 0.0 for row in word.rows if row not in sums}
    _refine(connection, table, span, sums, (finding, common))
    return sums


def _all_rows(connection: apsw.Connection, table: str, span: _Span, word: _Word) -> list[int]:
    return _rows(connection, table, word.term, (span.low, span.newest), _MOST_ROWS)


def _refine(
    connection: apsw.Connection,
    table: str,
    span: _Span,
    sums: dict[int, float],
    words: tuple[list[_Word], list[_Word]],
) -> None:
    """Add the weights of common words, as long as it costs little to see which candidates have them.

    If even the rarest word has more rows than were read, older ones that have another word too join the candidates.
    """
    finding, common = words
    rarest = finding[0] if finding[0].count > _MOST_ROWS else None
    either = " OR ".join(f"({word.term})" for word in finding)
    read_to, steps = min(sums), 0.0
    for word in common:
        for oldest in (read_to,) if rarest is None else (span.low, read_to):
            cost = span.share(oldest) * (word.count + (rarest.count if rarest else 0.0))
            if steps + cost > _MOST_STEPS:
                continue
            steps += cost
            weight = word.weight(span)
            having = _rows(connection, table, f"({either}) AND ({word.term})", (oldest, span.newest), _MOST_ROWS)
            for row in {*having, *word.rows} & sums.keys():
                sums[row] += weight
            if rarest is not None:
                sums |= {row: rarest.weight(span) + weight for row in having if row not in sums}
            break


def _passing(
    connection: apsw.Connection, index: Index, sums: dict[int, float], chosen: Where, limit: int
) -> dict[str, float]:
    """The candidates that pass, shorter ones scored higher; those with little weight are not even looked at."""
    ranked = _by_weight(sums)
    kept: list[tuple[int, str, int]] = []
    start, size = 0, limit + _SPARE
    while start < len(ranked) and len(kept) < limit:
        kept += connection.execute(
            f"SELECT e.text_id, e.uuid, {index.length} FROM json_each(?) AS found CROSS JOIN {index.source}"
            f" WHERE e.text_id = found.value AND {chosen.sql_by_key}",
            (to_json(ranked[start : start + size]), *chosen.parameters),
        )
        start, size = start + size, size * 4
    if not kept:
        return {}
    flat, slope = by_length(sum([length for *_, length in kept]) / len(kept))
    return {uuid: sums[row] / (flat + slope * length) for row, uuid, length in kept}


def _by_weight(sums: dict[int, float]) -> list[int]:
    """Heaviest first, newest first among equals. There are few different sums, so this is no sorting of rows."""
    alike: dict[float, list[int]] = {}
    for row, weight in sums.items():
        alike.setdefault(weight, []).append(row)
    return [row for weight in sorted(alike, reverse=True) for row in sorted(alike[weight], reverse=True)]

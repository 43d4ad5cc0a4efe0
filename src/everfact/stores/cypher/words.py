"""Words as the full-text indexes of graph servers hold them: cut, folded and stemmed here, the same on every server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import accumulate, islice
from typing import cast

import apsw

from everfact.stores.text import all_words
from everfact.words import SMALL_WORDS

_MOST_TERMS = 64
_LONGEST = 64
_PART = 3
_MOST_PARTS = 500
"""A query of Lucene's has room for twice as many."""


def index_words(text: str) -> str:
    """What a text is found by, each word once, with a blank before and after each."""
    return _spaced(stem(word) for word in all_words(text, with_single=True))


def index_parts(names: str) -> str:
    """Every three characters in a row of the words of some names, in the same form."""
    return _spaced(part for word in all_words(names) for part in _parts(word))


def match_words(text: str) -> list[str]:
    """The first words of a question; small ones only where there are no others."""
    words = list(islice(dict.fromkeys(all_words(text)), _MOST_TERMS))
    return [word for word in words if word not in SMALL_WORDS] or words


def stem(word: str) -> str:
    """A word as the index has it."""
    return _stemmer()(word[:_LONGEST]) if word.isascii() else word[:_LONGEST]


def match_parts(words: Iterable[str]) -> dict[str, list[str]]:
    """For each word what stands in the index where a name has it in itself; not for short ones, nor for too many."""
    found = {word: _parts(word) for word in words if len(word) >= _PART}
    room = accumulate(len(parts) for parts in found.values())
    return {word: parts for (word, parts), size in zip(found.items(), room, strict=True) if size <= _MOST_PARTS}


def _parts(word: str) -> list[str]:
    starts = range(min(len(word), _LONGEST) - _PART + 1)
    return list(dict.fromkeys(word[start : start + _PART] for start in starts))


def _spaced(words: Iterator[str]) -> str:
    return f" {' '.join(dict.fromkeys(words))} "


@cache
def _stemmer() -> Callable[[str], str]:
    """Porter's, for English, as SQLite has it: the other store finds the same."""
    tokenize = apsw.Connection(":memory:").fts5_tokenizer("porter", ["ascii"])

    def stem(word: str) -> str:
        found = tokenize(word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False)
        ((stemmed,),) = cast("list[tuple[str]]", found)
        return stemmed

    return stem

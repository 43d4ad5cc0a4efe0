"""Words in and words out of a full-text index, for every script.

Scripts written without spaces are cut into pairs of neighbouring characters, so that two characters find a place
in the middle of a run. What a person types is never passed through: a query is made of quoted tokens only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from unicodedata import category, normalize

# Hangul is written with spaces, but particles stick to the words, so pairs serve it better too.
_UNSPACED = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese kana and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\uac00-\ud7af\u1100-\u11ff"  # Hangul
    "\U00020000-\U0003ffff"  # rarer Chinese characters
    "]+"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_ACCENT = re.compile("[\u0300-\u036f]")  # what Latin, Greek and Cyrillic letters carry
_MOST_TERMS = 64


def index_text(text: str) -> str:
    """The text as the index takes it: variants of a letter made equal, runs without spaces cut into pairs."""
    if text.isascii():
        return text
    return _UNSPACED.sub(lambda run: f" {' '.join((*_pairs(run[0]), run[0][-1]))} ", folded(text))


def match_terms(text: str) -> list[str]:
    """A query for each word of `text`; a very long text counts with its first words only."""
    return _first(_terms(folded(text).casefold()))


def trigram_terms(text: str) -> list[str]:
    """A query for each word of `text` that finds it inside of names; words under three characters cannot."""
    return _first(f'"{word}"' for word in _words(folded(text).casefold()) if len(word) > 2)


def all_words(text: str, *, with_single: bool = False) -> Iterator[str]:
    """The folded words of `text`; a run without spaces gives pairs, and `with_single` also its single characters.

    A run of one character is found by that character, so what is indexed needs both.
    """
    folded_text, place = folded(text).casefold(), 0
    for run in _UNSPACED.finditer(folded_text):
        yield from _words(folded_text[place : run.start()])
        pairs = _pairs(run[0])
        yield from pairs
        if with_single or not pairs:
            yield from run[0]
        place = run.end()
    yield from _words(folded_text[place:])


def _first(terms: Iterable[str]) -> list[str]:
    return list(islice(dict.fromkeys(terms), _MOST_TERMS))


def _terms(text: str) -> Iterator[str]:
    place = 0
    for run in _UNSPACED.finditer(text):
        yield from (f'"{word}"' for word in _words(text[place : run.start()]))
        # A single character finds every pair that begins with it, and itself at the end of a run.
        yield from [f'"{pair}"' for pair in _pairs(run[0])] or [f'"{run[0]}" *']
        place = run.end()
    yield from (f'"{word}"' for word in _words(text[place:]))


def _words(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return "".join(c if c.isalnum() or category(c)[0] == "M" else " " for c in text).split()


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def folded(text: str) -> str:
    if text.isascii():
        return text
    return normalize("NFC", _ACCENT.sub("", normalize("NFKD", text).casefold()))

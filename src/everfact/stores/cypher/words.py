"""Words as the full-text indexes of graph servers hold them: cut, folded and stemmed here, the same on every server."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import islice

from everfact.stores.text import all_words
from everfact.words import SMALL_WORDS

_MOST_TERMS = 64
_LONGEST = 64


def index_words(text: str) -> list[str]:
    """What a text is found by, each word once: how often it stands there does not count."""
    return list(dict.fromkeys(_stem(word) for word in all_words(text, with_single=True)))


def match_words(text: str) -> list[str]:
    """The first words of a question; small ones only where there are no others."""
    words = list(islice(dict.fromkeys(all_words(text)), _MOST_TERMS))
    telling = [word for word in words if word not in SMALL_WORDS]
    return list(dict.fromkeys(map(_stem, telling or words)))


def _stem(word: str) -> str:
    return _english(word[:_LONGEST]) if word.isascii() else word[:_LONGEST]


@lru_cache(maxsize=20_000)
def _english(word: str) -> str:
    return _stemmer()(word)


@cache
def _stemmer() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped] # takes a fifth of a second to import

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem

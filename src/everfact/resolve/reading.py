"""A name taken apart once, so that comparing it with many others is cheap. No judgement lives here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from everfact.models import fold_name
from everfact.resolve.tables import ARTICLES, NUMBERS, ROMANS, SHORTENED, STREETS, home_openings, homes

_APOSTROPHES = "'`\u00b4\u02bc\u02be\u02bf\u2018\u2019"
_UNMARKED = str.maketrans("øłđðıæœþ", "olddiaot", _APOSTROPHES)  # letters that Unicode does not take apart
_ASIDE = re.compile(r"\(([^()]*)\)|(?<!\w)[\"“”„«]\s*([^\"“”«»]+?)\s*[\"”“»](?!\w)")
_POSSESSIVE = re.compile("\\s?['\u2019]s?$")
_PARTED = re.compile("\\s+(?=['\u2019](?:s|t|ll|re|ve|d|m)\\b|n['\u2019]t\\b)", re.IGNORECASE)  # as tokenizers leave it
_HUMP = re.compile(r"(?<=[^\W\d_])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z0-9])")
_DOTTED = re.compile(r"(?<![^\W_])((?:[^\W\d_]\.\s?)+[^\W\d_]?)(?![^\W_])")
_DOTS = re.compile(r"[.\s]")
_COMMA = re.compile(",")
_COLON = re.compile(":|\\s[\u2013\u2014]\\s")
_JOINT = re.compile(r"[\s.\-&/]|s$")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+[+#]*")  # C, C++ and C# are three languages
CACHED = 8192  # reading costs some 15 µs, a group of a few thousand entities is met again and again


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """One name: as folded for the store, as plain words, and what can be told from the spelling."""

    folded: str
    words: tuple[str, ...]
    """Lower case, without accents, articles and possessive; number words and Roman numerals as digits."""
    joined: str
    numbers: tuple[str, ...]
    """The numbers in it: two names with different ones are two things."""
    home: tuple[str, ...]
    """The words with every country, people and language of a country under the country's first name."""
    spelt: tuple[str, ...]
    """The words before numbers and abbreviations were put in one form: acronyms are made of these."""
    letters: str
    """The letters of a name that may be an acronym: one word, mostly capitals."""
    aside: tuple[str, ...]
    """What stands in brackets or quotes within it."""
    comma: int
    """How many words stand before the only comma, 0 if there is none."""
    title: int
    """How many words stand before a colon or dash, 0 if there is none."""


@lru_cache(maxsize=CACHED)
def read(name: str) -> Name:
    """Take a name apart."""
    outer, aside = _without_aside(name)
    spelt = plain_words(outer)
    words = _in_one_form(spelt)
    return Name(
        folded=fold_name(name),
        words=words,
        joined="".join(words),
        numbers=tuple(_DIGITS.findall(" ".join(words))),
        home=_home(words),
        spelt=spelt,
        letters=_letters(outer),
        aside=aside,
        comma=_words_before(_COMMA, outer),
        title=_words_before(_COLON, outer),
    )


def plain_words(text: str) -> tuple[str, ...]:
    """The words of a text in comparable form."""
    text = _unaccented(_PARTED.sub("", _POSSESSIVE.sub("", text.strip())).replace("&", " and ").casefold())
    if "." in text:
        text = _DOTTED.sub(lambda match: _DOTS.sub("", match[0]) + " ", text)
    words = tuple(_WORD.findall(text))
    return tuple(word for word in words if word not in ARTICLES) or words


def _in_one_form(words: tuple[str, ...]) -> tuple[str, ...]:
    *first, last = ["saint" if word == "st" else SHORTENED.get(word, NUMBERS.get(word, word)) for word in words] or [""]
    if len(words) > 1:
        last = STREETS.get(words[-1], last)
    return tuple(word if at == 0 else ROMANS.get(word, word) for at, word in enumerate((*first, last)) if word)


def humps(name: str) -> str:
    """`camelCase` and `snake_case` as separate words."""
    return _HUMP.sub(" ", name).replace("_", " ")


def _unaccented(text: str) -> str:
    text = text.translate(_UNMARKED)
    if text.isascii():
        return text
    # Accents have class 200 and above; marks below it make another letter in Japanese, Thai or Hindi.
    kept = (char for char in unicodedata.normalize("NFKD", text) if unicodedata.combining(char) < 200)
    return "".join(char if char.isascii() or unicodedata.category(char)[0] in "LMN" else " " for char in kept)


def _without_aside(name: str) -> tuple[str, tuple[str, ...]]:
    if not (found := [match[1] or match[2] or "" for match in _ASIDE.finditer(name)]):
        return name, ()
    outer = _ASIDE.sub(" ", name)
    if not _WORD.search(outer):
        return name, ()
    return outer, tuple(word for text in found for word in plain_words(text))


def _words_before(mark: re.Pattern[str], text: str) -> int:
    if len(parts := mark.split(text)) != 2:
        return 0
    before, after = map(plain_words, parts)
    return len(before) if after else 0


def _letters(text: str) -> str:
    bare = _JOINT.sub("", text.strip())
    capitals = sum(map(str.isupper, bare))
    is_acronym = 2 <= len(bare) <= 10 and bare.isalpha() and capitals >= 2 and capitals * 2 > len(bare)
    return _unaccented(bare.casefold()) if is_acronym else ""


def _home(words: tuple[str, ...]) -> tuple[str, ...]:
    if home_openings().isdisjoint(words):
        return words
    return tuple(_home_words(words))


def _home_words(words: tuple[str, ...]) -> Iterator[str]:
    table, at = homes(), 0
    while at < len(words):
        # The longest names of countries have five words.
        size = next((size for size in range(5, 0, -1) if words[at : at + size] in table), 0)
        yield table[words[at : at + size]] if size else words[at]
        at += size or 1

"""When two names of places, organisations, works or anything else mean one thing."""

from __future__ import annotations

from everfact.resolve.bonds import Bond, Words, is_misspelling
from everfact.resolve.reading import Name
from everfact.resolve.tables import (
    LEGAL,
    LIGHT,
    ORGANISATION_NOUNS,
    PLACE_NOUNS,
    PLAINLY_LEGAL,
    SMALL,
    countries,
    homes,
    lands,
)


def bond_of_things(a: Name, b: Name, kind: str) -> Bond:
    """How sure two names mean the same thing of a kind; without a kind only the surest rules hold."""
    if _have_nothing_in_common(a, b):
        return Bond.NONE
    if _is_acronym(a, b) or _is_acronym(b, a):
        return Bond.KNOWN
    if a.numbers != b.numbers:
        return Bond.NONE
    x, y = _core(a, kind), _core(b, kind)
    if x == y or (sorted(x) == sorted(y) and _is_turned(a, b)):
        return _bond_of_equals(a, b, kind)
    if not kind:
        return Bond.NONE
    if any(_is_plural(one.words, other.words) or _is_short(one, other, kind) for one, other in ((a, b), (b, a))):
        return Bond.SHORT
    return Bond.MISSPELT if _is_misspelt(a, b) else Bond.NONE


def _have_nothing_in_common(a: Name, b: Name) -> bool:
    """Most pairs: no word, no first letter (as misspellings have), and neither can be an acronym of the other."""
    return a.joined[0] != b.joined[0] and not a.letters and not b.letters and set(a.home).isdisjoint(b.home)


def _core(name: Name, kind: str) -> Words:
    """The words with weight: no small words, and no legal form at the end."""
    legal = LEGAL if kind == "organization" else PLAINLY_LEGAL
    words = name.home
    while len(words) > 1 and words[-1] in legal:
        words = words[:-1]
    return tuple(word for word in words if word not in LIGHT) or words


def _is_turned(a: Name, b: Name) -> bool:
    """Whether one puts first what the other puts last: `University of Oxford`, `Oxford University`."""
    return ("of" in a.words) != ("of" in b.words) or bool(a.comma) != bool(b.comma)


def _bond_of_equals(a: Name, b: Name, kind: str) -> Bond:
    table = homes()
    if a.words in table and b.words in table:
        # Without a kind, Polish may be a language: only the countries' own names are certain.
        is_known = kind or (a.words in countries() and b.words in countries())
        return Bond.KNOWN if is_known else Bond.NONE
    return bond_of_asides(a, b)


def bond_of_asides(a: Name, b: Name) -> Bond:
    """How sure two names that are alike outside brackets are: `Python (language)` may be `Python`, never the snake."""
    if a.aside == b.aside:
        return Bond.PLAIN
    return Bond.NONE if a.aside and b.aside else Bond.SHORT


def _is_acronym(short: Name, long: Name) -> bool:
    letters, words = short.letters, tuple(word for word in long.spelt if word not in SMALL)
    if not letters or len(words) < 2:
        return False
    if short.words == long.aside or letters == "".join(word[0] for word in long.spelt):
        return True
    runs = [words, words[:-1] if words[-1] in LEGAL else words]
    if len(letters) > 2:
        runs += [_without_land(words), _without_land(words[::-1])[::-1]]
    return any(len(run) > 1 and _spells(letters, run) for run in runs)


def _without_land(words: Words) -> Words:
    """The words after the name of a country."""
    return words[next((size for size in (2, 1) if words[:size] in homes()), 0) :]


def _spells(letters: str, words: Words) -> bool:
    """Whether the letters begin the words, in order; a word may give up to three, or one from its second half."""
    if not letters or not words:
        return not letters and not words
    word, rest = words[0], words[1:]
    sizes = [size for size in (1, 2, 3) if size <= len(letters) and letters[:size] == word[:size]]
    if any(_spells(letters[size:], rest) for size in sizes):
        return True
    # StatsBaner, SeaPorts, EurAsian
    return bool(sizes) and len(letters) > 1 and letters[1] in word[2:] and _spells(letters[2:], rest)


def _is_plural(one: Words, many: Words) -> bool:
    if len(one) != len(many) or one[:-1] != many[:-1] or len(one[-1]) < 3:
        return False
    single, plural = one[-1], many[-1]
    return plural in {f"{single}s", f"{single}es"} or (single[-1] == "y" and plural == f"{single[:-1]}ies")


def _is_short(short: Name, long: Name, kind: str) -> bool:
    if kind == "place":
        return short.words == long.words[: long.comma] or _leaves_out(short, long, kind, PLACE_NOUNS)
    if kind != "organization":
        return short.words == long.words[: long.title] or _leaves_out(short, long, kind, lands())
    if _leaves_out(short, long, kind, lands() | {"national"}):
        return True
    words, whole = _core(short, kind), _core(long, kind)
    if all(word in ORGANISATION_NOUNS for word in words):
        return False  # the Commission may be any commission
    return _is_team(words, whole) or _leaves_out(short, long, kind, lands() | ORGANISATION_NOUNS)


def _leaves_out(short: Name, long: Name, kind: str, light: frozenset[str]) -> bool:
    """Whether the shorter name is the longer one without some of the light words."""
    rest = _left_over(_core(short, kind), _core(long, kind))
    if not rest or any(word not in light for word in rest):
        return False
    # The branch in a country is not the whole: Nintendo Australia, but Supreme Court of Pakistan.
    return kind == "place" or rest[-1] != long.home[-1] or rest[-1] not in lands() or long.home[-2] in SMALL


def _left_over(short: Words, long: Words) -> Words:
    """The words of the longer name that the shorter one leaves out; none if it is no part of it, in this order."""
    rest: list[str] = []
    at = 0
    for word in long:
        if at < len(short) and word == short[at]:
            at += 1
        else:
            rest.append(word)
    return tuple(rest) if at == len(short) else ()


def _is_team(short: Words, long: Words) -> bool:
    """`White Sox` of `Chicago White Sox`: clubs go by what their members are called."""
    is_end = len(short) < len(long) and long[-len(short) :] == short
    return is_end and short[-1].endswith(("s", "sox")) and short[-1] not in ORGANISATION_NOUNS


def _is_misspelt(a: Name, b: Name) -> bool:
    if a.letters or b.letters or (len(a.words) == 1 and min(len(a.joined), len(b.joined)) < 6):
        return False
    table = homes()
    return not (a.words in table and b.words in table) and is_misspelling(a.words, b.words)

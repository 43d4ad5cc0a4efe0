"""When two names of people mean one person: order, titles, initials, given names and their short forms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from everfact.resolve.bonds import Bond, Words, is_misspelling
from everfact.resolve.reading import CACHED, Name
from everfact.resolve.tables import GENERATIONS, GENTLEMEN, LADIES, SMALL, TITLES, given_names


@dataclass(frozen=True, slots=True)
class _Person:
    names: Words
    titles: Words
    generation: str
    nick: Words


def bond_of_people(a: Name, b: Name) -> Bond:
    """How sure two names mean the same person."""
    x, y = _person(a), _person(b)
    if _are_at_odds(x, y):
        return Bond.NONE
    if len(x.names) == len(y.names) and sorted(x.names) == sorted(y.names):
        return _bond_of_namesakes(x, y)
    if found := max(_stands_for(x, y), _stands_for(y, x)):
        return found
    return Bond.MISSPELT if x.generation == y.generation and _is_misspelt(x.names, y.names) else Bond.NONE


@lru_cache(maxsize=CACHED)
def _person(name: Name) -> _Person:
    words = name.words[name.comma :] + name.words[: name.comma]
    first = next((at for at, word in enumerate(words) if word not in TITLES), 0)
    last = words[-1] if len(words) - first > 1 else ""
    generation = GENERATIONS.get(last, last if last.isdigit() or last in {"i", "v", "x"} else "")
    names = words[first : -1 if generation else None]
    light = tuple(word for word in names if word not in SMALL)
    return _Person(names=light or names, titles=words[:first], generation=generation, nick=name.aside)


def _are_at_odds(x: _Person, y: _Person) -> bool:
    if x.generation and y.generation and x.generation != y.generation:
        return True
    if not x.titles or not y.titles:
        return False
    titles = {*x.titles, *y.titles}
    return not titles.isdisjoint(LADIES) and not titles.isdisjoint(GENTLEMEN)


def _bond_of_namesakes(x: _Person, y: _Person) -> Bond:
    if x.generation != y.generation and len(x.names) == 1:
        return Bond.NONE  # rulers go by their number
    return Bond.PLAIN if (x.titles, x.generation, x.nick) == (y.titles, y.generation, y.nick) else Bond.SHORT


def _stands_for(short: _Person, long: _Person) -> Bond:
    if len(short.names) > len(long.names):
        return Bond.NONE
    if len(short.names) > 1:
        nicked = (*long.nick, *long.names[1:]) if long.nick else ()
        return max(_within(short.names, long.names), _within(short.names, nicked))
    (word,) = short.names
    if len(long.names) == 1 or len(word) == 1:
        return Bond.NONE
    if word in long.names or word in long.nick:
        return Bond.SHORT
    return Bond.LOOSE if _is_given(word, long.names[0]) else Bond.NONE


def _within(short: Words, long: Words) -> Bond:
    """Whether each word stands, in this order, for one of the longer name, and at least one of them in full."""
    if not any(word in long for word in short):
        return Bond.NONE
    at = whole = 0
    for word in short:
        sizes = ((here, _covered(word, long[here:])) for here in range(at, len(long)))
        here, size = next(((here, size) for here, size in sizes if size), (0, 0))
        if not size:
            return Bond.NONE
        whole += word == long[here]
        at = here + size
    if whole == len(short):
        return Bond.SHORT
    return Bond.LOOSE if whole else Bond.NONE


def _covered(word: str, names: Words) -> int:
    """How many of the first names a word stands for: itself, an initial, a short form; or several initials."""
    if word == names[0] or _is_given(word, names[0]):
        return 1
    if len(word) == 1 or len(names[0]) == 1:
        return int(word[0] == names[0][0])
    size = len(word)
    return size if size <= 3 and word == "".join(name[0] for name in names[:size]) else 0


def _is_given(a: str, b: str) -> bool:
    table = given_names()
    return a in table and b in table and not table[a].isdisjoint(table[b])


def _is_misspelt(a: Words, b: Words) -> bool:
    if len(a) == 1 and min(len(a[0]), len(b[0])) < 7:
        return False  # a bare name one letter off is most often another name
    return len(a) == len(b) and any(is_misspelling(a, order) and not _name_two(a, order) for order in (b, b[::-1]))


def _name_two(a: Words, b: Words) -> bool:
    """Whether a difference lies between two names that both exist."""
    table = given_names()
    return any(x != y and x in table and y in table for x, y in zip(a, b, strict=True))

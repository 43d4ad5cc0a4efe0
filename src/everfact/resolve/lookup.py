"""Under which forms a name should be looked up in a store that knows names and aliases only letter by letter."""

from __future__ import annotations

from collections.abc import Iterator

from everfact.models import fold_name
from everfact.resolve.bonds import Words
from everfact.resolve.reading import Name, humps, read
from everfact.resolve.tables import GENERATIONS, PLAINLY_LEGAL, SMALL, TITLES, given_names, homes


def keys(name: str) -> tuple[str, ...]:
    """The folded forms under which to look a name up, the name itself first; they find candidates, decide nothing."""
    return tuple(dict.fromkeys(form for form in map(fold_name, _forms(name)) if form))


def _forms(text: str) -> Iterator[str]:
    name = read(text)
    bare = _bare(name)
    yield text
    yield from map(" ".join, (name.spelt, name.words, bare, read(humps(text)).words))
    yield name.joined
    if len(weighty := [word for word in bare if word not in SMALL]) > 2:
        yield "".join(word[0] for word in weighty)
    if home := homes().get(name.words):
        yield from (" ".join(words) for words, other in homes().items() if other == home)
    if len(bare) > 1 and (full := given_names().get(bare[0])):
        pet = (short for short, other in given_names().items() if not full.isdisjoint(other))
        yield from (" ".join((first, *bare[1:])) for first in pet)


def _bare(name: Name) -> Words:
    """The words in their natural order, without titles and legal forms."""
    words = name.spelt[name.comma :] + name.spelt[: name.comma]
    light = TITLES | PLAINLY_LEGAL | GENERATIONS.keys()
    return tuple(word for word in words if word not in light) or words

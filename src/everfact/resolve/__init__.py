"""Is this mention a known entity or a new one? Pure: names and types in, a decision out.

`keys` says what to look up, `same` how sure two mentions mean one thing, `resolve` picks among candidates.
A wrong merge poisons facts, a missed one is repaired later: where several candidates fit equally well, none is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from everfact.models import Entity, Mention, fold_name
from everfact.resolve.bonds import Bond
from everfact.resolve.lookup import keys
from everfact.resolve.people import bond_of_people
from everfact.resolve.reading import Name, read
from everfact.resolve.tables import ADDRESSES, peoples
from everfact.resolve.things import bond_of_asides, bond_of_things

__all__ = ["Bond", "keys", "resolve", "same"]

_KINDS = {
    "person": ("person", "per", "people", "human", "user", "speaker", "character"),
    "organization": ("organization", "organisation", "org", "company", "team", "institution"),
    "place": ("place", "location", "loc", "gpe", "city", "country", "region"),
    "": ("", "entity", "unknown"),
}
_KIND_OF = {type_: kind for kind, types in _KINDS.items() for type_ in types}


def same(a: Mention, b: Mention) -> Bond:
    """How sure two mentions mean the same thing; symmetric."""
    return _bond(read(a.name), read(b.name), _kind(a.type), _kind(b.type))


def resolve(mention: Mention, candidates: Sequence[Entity]) -> Entity | None:
    """The one candidate the mention surely means; None is a new entity, also where several fit equally well."""
    name, kind = read(mention.name), _kind(mention.type)
    best, found = Bond.NONE, None
    for entity in candidates:
        sure = _bond_with(name, kind, entity)
        if sure > best:
            best, found = sure, entity
        elif sure == best:
            found = None
    return found


def _bond_with(name: Name, kind: str, entity: Entity) -> Bond:
    kinds = [_kind(type_) for type_ in entity.types] or [""]
    known = [read(other) for other in (entity.name, *entity.aliases)]
    bonds = [max(_bond(name, other, kind, each) for each in kinds) for other in known]
    best = max(bonds)
    if not best or best >= Bond.KNOWN:
        return best
    # A known name that is only part of the mention counts if the mention covers the longer known ones too:
    # Ana Silva is not the Ana who is also called Ana Costa.
    unmet = max((len(other.words) for other, sure in zip(known, bonds, strict=True) if not sure), default=0)
    sizes = ((sure, len(other.words)) for other, sure in zip(known, bonds, strict=True))
    return max(sure for sure, size in sizes if not sure or size >= min(unmet, len(name.words)))


def _bond(a: Name, b: Name, kind_a: str, kind_b: str) -> Bond:
    differ = bool(kind_a) and bool(kind_b) and kind_a != kind_b
    if differ and ("person" in (kind_a, kind_b) or {kind_a, kind_b} == {"organization", "place"}):
        return Bond.NONE
    if differ and (a.words in peoples() or b.words in peoples()):
        return Bond.NONE  # French, a language, is not France
    if a.folded == b.folded:
        return Bond.EXACT
    if not a.words or not b.words:
        return Bond.NONE
    if a.joined == b.joined and a.numbers == b.numbers:
        return bond_of_asides(a, b)
    if differ:
        return Bond.NONE
    kind = kind_a or kind_b or ("" if ADDRESSES.isdisjoint((a.words[0], b.words[0])) else "person")
    return bond_of_people(a, b) if kind == "person" else bond_of_things(a, b, kind)


@lru_cache(maxsize=256)
def _kind(type_: str) -> str:
    folded = fold_name(type_)
    return _KIND_OF.get(folded, folded)

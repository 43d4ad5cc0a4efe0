"""The walk over a JSON value: which entities it names, and what it says of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from everfact.extractors.json.names import (
    Dates,
    Named,
    dates_in,
    declared_type,
    is_name,
    is_shipped,
    named_by_string,
    own_id,
    own_name,
    plain,
    singular,
    type_of,
)
from everfact.extractors.json.phrases import phrase
from everfact.extractors.json.tree import Kind, Node, parse
from everfact.extractors.json.values import typed
from everfact.models import Extraction, Mention, Statement, Value, ValueType
from everfact.relations import attribute_of, is_one_at_a_time, relation_name

EXTRACTOR = "json/1"
_DEEPEST = 50  # levels; names are put together from those above, so that deeper ones would say little at great length
_FEW_NUMBERS = 32  # a longer list of nothing but numbers is data, such as a vector: it is counted, not told
_LONGEST_NAME = 120
# Whom or what some attributes point to, for keys that are no words of a type (`works_at`).
_POINTS_TO = {"employer": "Organization", "home": "Location", "manager": "Person", "spouse": "Person"}
_POINTS_TO |= {"assignee": "Person", "lead": "Person", "maintainer": "", "owner": ""}
_WRAPPERS = {"data", "result", "payload", "response", "body", "node", "value", "entity", "record", "item", "element"}
_WRAPPERS |= {"entry", "object", "edge", "row", "hit", "match", "content", "attribute", "propertie", "property"}
_ALWAYS = Dates()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: below which entity, under which keys since then, and where in lists."""

    subject: Mention | None = None
    keys: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    label: str = ""
    """The key that names the value, in an object that is a list of named things."""
    dates: Dates = _ALWAYS
    currency: str = ""
    depth: int = 0

    @property
    def is_listed(self) -> bool:
        return bool(self.numbers or self.label)


@dataclass(slots=True)
class _Walk:
    """One walk and what it has found so far."""

    reference: datetime
    title: str
    statements: list[Statement] = field(default_factory=list)
    mentions: dict[Mention, None] = field(default_factory=dict)
    is_cut: bool = False


def extract_json(content: str, reference: datetime, name: str = "") -> Extraction:
    """What JSON says, as of `reference`; `name` is the subject of what belongs to no named object.

    Raises:
        ExtractError: it is no JSON.
    """
    walk = _Walk(reference, " ".join(name.split())[:_LONGEST_NAME].strip() or "JSON")
    ahead = [(parse(content), _Place())]
    while ahead:
        node, place = ahead.pop()
        if place.depth > _DEEPEST:
            walk.is_cut = True
        elif node.kind is Kind.OBJECT and node.members:
            ahead += reversed(_object(walk, node, place))
        elif node.kind is Kind.ARRAY:
            ahead += reversed(_array(walk, node, place))
        elif node.text.strip() and node.kind is not Kind.NULL:
            _scalar(walk, node, place)
    return Extraction(
        extractor=EXTRACTOR,
        statements=tuple(walk.statements),
        mentions=tuple(walk.mentions),
        degraded=walk.is_cut,
        reason="it is nested too deeply to be read as a whole" if walk.is_cut else "",
    )


def _object(walk: _Walk, node: Node, place: _Place) -> list[tuple[Node, _Place]]:
    """Name the object, link it to the entity above, and list what it holds."""
    members = {plain(key): member for key, member in node.members.items()}
    named = own_name(members) or (own_id(members) if place.keys or place.is_listed else None)
    if named is None and not place.is_listed:
        return _part(walk, node, members, place)
    kind, kind_key = _type(members, place)
    mention = Mention(name=_called(walk, named, kind, place), type=kind)
    walk.mentions[mention] = None
    is_record = named is None and not place.label
    dates = dates_in(members, is_record=is_record)
    if place.subject is not None:
        linked = replace(place, dates=dates if dates.keys else place.dates)
        _state(walk, linked, mention, named.span if named else node.span)
    used = dates.keys | (named.keys if named else set()) | ({kind_key} if kind_key else set())
    mine = dates if is_record or place.subject is None else _ALWAYS
    inside = _Place(subject=mention, dates=mine, currency=_currency(members), depth=place.depth + 1)
    return [(member, replace(inside, keys=(key,))) for key, member in node.members.items() if plain(key) not in used]


def _part(walk: _Walk, node: Node, members: Mapping[str, Node], place: _Place) -> list[tuple[Node, _Place]]:
    """An object without a name is a part of the entity above, a list of named things, or an envelope."""
    inside = replace(place, depth=place.depth + 1, currency=_currency(members))
    if place.keys and _is_directory(node, place.keys[-1]):
        return [(member, replace(inside, label=key)) for key, member in node.members.items()]
    if not place.keys and any(member.kind not in (Kind.OBJECT, Kind.ARRAY, Kind.NULL) for member in members.values()):
        inside = replace(inside, subject=_title(walk))
    dates = dates_in(members, is_record=bool(place.keys))
    if dates.keys:
        inside = replace(inside, dates=dates)
    return [
        (member, replace(inside, keys=(*place.keys, key)))
        for key, member in node.members.items()
        if plain(key) not in dates.keys
    ]


def _is_directory(node: Node, key: str) -> bool:
    """Whether keys are names, as in `"users": {"ana": {…}, "ben": {…}}`."""
    words = plain(key).split("_")
    return (
        singular(words[-1]) != words[-1]
        and bool(node.members)
        and all(member.kind is Kind.OBJECT and is_name(name) for name, member in node.members.items())
    )


def _array(walk: _Walk, node: Node, place: _Place) -> list[tuple[Node, _Place]]:
    if len(node.items) > _FEW_NUMBERS and all(item.kind is Kind.NUMBER for item in node.items):
        count = len(node.items)
        _state(
            walk,
            place,
            Value(type=ValueType.COUNT, text=f"{count} numbers", number=float(count)),
            node.span,
            is_scalar=True,
        )
        return []
    inside = replace(place, depth=place.depth + 1, label="")
    return [(item, replace(inside, numbers=(*place.numbers, n))) for n, item in enumerate(node.items, 1)]


def _scalar(walk: _Walk, node: Node, place: _Place) -> None:
    words = plain(" ".join(place.keys)).split("_") if place.keys else []
    value = typed(node, words, place.currency)
    kind = _pointed(place.keys) if value.type is ValueType.TEXT and is_name(value.text) else None
    if kind is None:
        _state(walk, place, value, node.span, is_scalar=True)
        return
    mention = Mention(name=value.text, type=kind)
    walk.mentions[mention] = None
    _state(walk, place, mention, node.span, is_scalar=True)


def _pointed(keys: tuple[str, ...]) -> str | None:
    """The type of the entity that a string under these keys names; None if it names none."""
    if not keys:
        return None
    if kind := named_by_string(keys[-1]):
        return kind
    return _POINTS_TO.get(attribute_of(keys[-1]))


def _state(
    walk: _Walk, place: _Place, what: Mention | Value, span: tuple[int, int], *, is_scalar: bool = False
) -> None:
    subject = place.subject or _title(walk)
    walk.mentions[subject] = None
    relation = relation_name(" ".join(place.keys)) or ("INCLUDES" if place.numbers else "VALUE")
    start, end = place.dates.start, place.dates.end
    if start is None and (end is None or end > walk.reference):
        start = walk.reference
    walk.statements.append(
        Statement(
            subject=subject,
            relation=relation,
            object=what,
            attribute=_attribute(relation, is_listed=place.is_listed, is_scalar=is_scalar),
            sentence=f"{subject.name}: {phrase(relation, what, is_listed=place.is_listed)}",
            span=span,
            valid_at=start,
            invalid_at=end,
            granularity=place.dates.granularity,
        )
    )


def _attribute(relation: str, *, is_listed: bool, is_scalar: bool) -> str:
    """What the statement is about. A key with a plain value has one at a time; things in a list stand side by side."""
    attribute = attribute_of(relation)
    if is_listed:
        return f"each {attribute}" if is_one_at_a_time(attribute) else attribute
    return f"={attribute}" if is_scalar and not is_one_at_a_time(attribute) else attribute


def _type(members: Mapping[str, Node], place: _Place) -> tuple[str, str]:
    """The type of an object, and the member that says so if one does."""
    words = plain(place.keys[-1]).split("_") if place.keys else []
    by_key = type_of(place.keys[-1]) if words and singular(words[-1]) not in _WRAPPERS else ""
    declared = declared_type(members)
    return declared if declared[0] and not is_shipped(by_key) else (by_key, "")


def _called(walk: _Walk, named: Named | None, kind: str, place: _Place) -> str:
    """The name of an object: its own, the key that stands for it, or what it is of what."""
    if named and not named.is_id:
        return named.name
    if place.label:
        return " ".join(place.label.split())
    key = (plain(place.keys[-1]) if place.keys else "") or kind.lower()
    *words, last = (key or "item").split("_")
    word = " ".join((*words, singular(last)))
    owner = (place.subject.name if place.subject else walk.title)[:_LONGEST_NAME].strip()
    if named:
        return f"{word if key else owner} {named.name}"
    return f"{word} {'.'.join(map(str, place.numbers))} of {owner}"


def _currency(members: Mapping[str, Node]) -> str:
    node = members.get("currency") or members.get("currency_code")
    return node.text.upper() if node and node.kind is Kind.STRING and len(node.text) == 3 else ""


def _title(walk: _Walk) -> Mention:
    return Mention(name=walk.title)

"""What keys say in JSON: which member names an object, of which type it is, which one speaks of time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from everfact.extractors.json.tree import Kind, Node
from everfact.extractors.json.values import date_of
from everfact.models import Granularity
from everfact.relations import relation_name

_WORDS_OF_TYPES = {
    "Person": "person user employee member author contact customer manager assignee friend colleague teammate student"
    " teacher developer engineer reviewer attendee participant speaker child parent spouse sibling",
    "Organization": "organization organisation org company employer vendor supplier team department university school"
    " institution agency bank",
    "Location": "location city country place region office venue town",
    "Event": "event meeting conference appointment",
    "Document": "document doc article book report page paper",
    "Project": "project repo repository",
    "Technology": "technology framework library tool database language",
    "File": "file filename filepath",
    "Topic": "topic tag category interest skill",
    "Object": "product device",
    "Preference": "preference",
    "Requirement": "requirement",
    "Procedure": "procedure",
    "Decision": "decision",
    "Pattern": "pattern",
    "Insight": "insight",
}
_TYPES = {word: name for name, words in _WORDS_OF_TYPES.items() for word in words.split()}
# A mere string under a key of these types names an entity.
_NAMED_BY_STRINGS = {"Person", "Organization", "Location", "Project", "Technology", "File", "Topic"}
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman", "movies": "movie"}
_IRREGULAR |= {"series": "series", "news": "news", "data": "data", "criteria": "criterion", "analyses": "analysis"}

_FULL_NAMES = ("full_name", "name", "display_name")
_FIRST_NAMES = ("first_name", "given_name", "first", "firstname")
_LAST_NAMES = ("last_name", "family_name", "surname", "last", "lastname")
_OTHER_NAMES = ("title", "label", "username", "user_name", "login", "handle", "email")
_IDS = ("slug", "id", "uuid", "guid", "identifier", "sku", "key", "code", "number")
_TYPE_KEYS = ("type", "entity_type", "kind")

# Of a record's statements in any case; and of those of a record that has no name of its own.
_SINCE = ("valid_from", "valid_at", "valid_since", "effective_from", "effective_date", "as_of", "since")
_UNTIL = ("valid_until", "valid_to", "valid_till", "invalid_at", "effective_until", "effective_to", "until")
_STARTS = ("start", "start_date", "started_at", "started_on", "from", "begin", "begin_date", "joined_at", "joined_on")
_ENDS = (
    *("end", "end_date", "ended_at", "ended_on", "to", "left_at", "left_on"),
    *("expires", "expires_at", "expiry", "expiry_date", "expiration", "expiration_date"),
)


@dataclass(frozen=True, slots=True)
class Named:
    """The name that an object gives itself, where it stands, and which keys were used up for it."""

    name: str
    span: tuple[int, int]
    keys: frozenset[str]
    is_id: bool = False


@dataclass(frozen=True, slots=True)
class Dates:
    """From when until when the statements of a record hold, and which keys were used up for it."""

    start: datetime | None = None
    end: datetime | None = None
    granularity: Granularity | None = None
    keys: frozenset[str] = frozenset()


def plain(key: str) -> str:
    """A key in one spelling: `fullName`, `Full Name` and `full-name` are all `full_name`."""
    return relation_name(key).lower()


def singular(word: str) -> str:
    """One of what the word means; the word itself where it is no plural."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if re.search(r"(?:ss|us|is)\Z", word) or not word.endswith("s") or len(word) < 3:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if re.search(r"(?:ss|sh|ch|x|z|us)es\Z", word) else word[:-1]


def type_of(key: str) -> str:
    """The entity type that a key or a word means, ours where it has one: `employees` are of type Person."""
    words = plain(key).split("_")
    words[-1] = singular(words[-1])
    return _TYPES.get("_".join(words)) or _TYPES.get(words[-1]) or "".join(word.capitalize() for word in words)


def is_shipped(name: str) -> bool:
    """Whether a type is one of those that everfact comes with."""
    return name in _WORDS_OF_TYPES


def named_by_string(key: str) -> str:
    """The type of the entity that a mere string under this key names; empty if it names none."""
    name = type_of(key)
    return name if name in _NAMED_BY_STRINGS else ""


def is_name(text: str) -> bool:
    """Whether a text can be a name: short, on one line, no sentence, no address of a page."""
    return (
        0 < len(text) <= 120
        and "\n" not in text
        and "://" not in text
        and len(text.split()) <= 12
        and re.search(r"[^\W\d_]", text) is not None
    )


def declared_type(members: Mapping[str, Node]) -> tuple[str, str]:
    """The type that an object says it is of, and the key it says it with; empty if it says none."""
    for key in _TYPE_KEYS:
        node = members.get(key)
        if node and node.kind is Kind.STRING and re.fullmatch(r"[^\W\d][\w -]{1,40}", node.text):
            return type_of(node.text), key
    return "", ""


def own_name(members: Mapping[str, Node]) -> Named | None:
    """What an object, its keys spelled plainly, is called."""
    for key in _FULL_NAMES:
        node = members.get(key)
        if node and node.kind is Kind.OBJECT:
            whole = _whole_name({plain(part): member for part, member in node.members.items()})
            if whole:
                return replace(whole, keys=frozenset({key}))
        elif node and _is_naming(node):
            return Named(node.text.strip(), node.span, frozenset({key}))
    if whole := _whole_name(members):
        return whole
    for key in _OTHER_NAMES:
        node = members.get(key)
        if node and _is_naming(node):
            return Named(node.text.strip(), node.span, frozenset({key}))
    return None


def _is_naming(node: Node) -> bool:
    return node.kind is Kind.STRING and is_name(node.text.strip())


def _whole_name(members: Mapping[str, Node]) -> Named | None:
    first = next((key for key in _FIRST_NAMES if key in members and _is_naming(members[key])), None)
    last = next((key for key in _LAST_NAMES if key in members and _is_naming(members[key])), None)
    if first is None or last is None:
        return None
    one, other = members[first], members[last]
    span = (min(one.span[0], other.span[0]), max(one.span[1], other.span[1]))
    return Named(f"{one.text.strip()} {other.text.strip()}", span, frozenset({first, last}))


def own_id(members: Mapping[str, Node]) -> Named | None:
    """What tells an object without a name from others of its kind."""
    for key in _IDS:
        node = members.get(key)
        if node and node.kind in (Kind.STRING, Kind.NUMBER) and 0 < len(node.text.strip()) <= 80:
            return Named(" ".join(node.text.split()), node.span, frozenset({key}), is_id=True)
    return None


def dates_in(members: Mapping[str, Node], *, is_record: bool) -> Dates:
    """When an object says that it holds. Only what is a mere record has a `start_date` that means that."""
    starts, ends = (_SINCE + _STARTS, _UNTIL + _ENDS) if is_record else (_SINCE, _UNTIL)
    start, end = _first_date(members, starts), _first_date(members, ends)
    if start and end and end[1] <= start[1]:
        return Dates()
    given = start or end
    return Dates(
        start=start and start[1],
        end=end and end[1],
        granularity=given and given[2],
        keys=frozenset(found[0] for found in (start, end) if found),
    )


def _first_date(members: Mapping[str, Node], keys: tuple[str, ...]) -> tuple[str, datetime, Granularity] | None:
    for key in keys:
        node = members.get(key)
        date = date_of(node.text) if node and node.kind in (Kind.STRING, Kind.NUMBER) else None
        if date:
            return key, *date
    return None

"""Names in a sentence: known ones in any case, runs of capitalised words, paths and identifiers; and their types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.gazetteer import Gazetteer, Known, is_first_name, world
from everfact.extractors.local.reading.lexicon import is_ordinary, tag
from everfact.extractors.local.reading.tokens import Token, tokenize
from everfact.models import Entity, ValueType
from everfact.values import ValueSpan
from everfact.words import word_set

_LINKS = word_set("of de del della di da do dos von van der den la le el al bin ibn du des y für")
_TITLES = word_set("mr. mrs. ms. dr. prof. mr mrs ms dr prof sir lady lord")
_NOT_FIRST = words.PRONOUNS | words.POSSESSIVES | words.DETERMINERS | words.MODALS | words.BE | words.HAVE | words.DO
_FUNCTION = (
    _NOT_FIRST
    | words.PREPOSITIONS
    | words.CONJUNCTIONS
    | words.MARKS
    | words.WH
    | words.INTERJECTIONS
    | words.NEGATIONS
) | word_set("to also however meanwhile today yesterday tomorrow tonight now later soon let lets")
_CALENDAR = words.WEEKDAYS | words.MONTHS | frozenset(day + "s" for day in words.WEEKDAYS)
_NUMBERED = word_set(
    "open olympics cup championship championships awards award festival games season election elections series prix "
    "tour tournament league conference congress regiment division brigade infantry corps army battalion squadron "
    "amendment"
)
_TITLE_WORDS = word_set("a an the and of in to for versus vs with on at by from et la le du de")
_NOT_IN_TITLE = (_NOT_FIRST - {"a", "an"}) | words.PREPOSITIONS | words.MARKS | words.INTERJECTIONS
_OPENERS = frozenset(':“"-\u2013—.!?(*')
_STREETS = word_set("street avenue road lane drive boulevard square place way court terrace st. ave. rd.")
_IDENTIFIER = re.compile(r"(?:[a-z]+[A-Z]\w*|\w*[a-z0-9]_[a-z0-9]\w*|[A-Z][a-z0-9]+[A-Z]\w*)$")


def known_names(entities: Iterable[Entity]) -> Gazetteer:
    """Names and aliases of known entities. Those of common words are left to noun phrases, which find them anyway."""
    found = []
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            parts = tuple(token.lower for token in tokenize(name))
            is_common = entity.name.islower() and name.replace(" ", "").isalpha()
            if parts and not is_common and _looks_like_name(name):
                is_cased = len(parts) == 1 and (is_ordinary(parts[0]) or len(parts[0]) < 3)
                found.append(Known(parts, entity.name, entity.types[0] if entity.types else "", is_cased))
    return Gazetteer(found)


def _looks_like_name(name: str) -> bool:
    """Whether every word has its capital letter or is no word: "San Diego", "k8s", not "demo for Ana"."""
    return all(not word.islower() or not is_ordinary(word) or word in _LINKS for word in name.split())


def merge_names(tokens: list[Token], known: Gazetteer, values: list[ValueSpan]) -> list[Token]:
    """The same tokens with every name and every value made one token."""
    tokens = _merge_values(tokens, values)
    merged: list[Token] = []
    at = 0
    is_headline = _is_headline(tokens)
    title = _title(tokens)
    if title:
        merged.append(_joined(tokens[:title], _text(tokens[:title]), ""))
        at = title
    everywhere = world()
    while at < len(tokens):
        token = tokens[at]
        is_plain = token.kind == "word" and token.text.islower() and "_" not in token.text
        if is_plain and token.lower not in known and token.lower not in everywhere:
            merged.append(token)
            at += 1
            continue
        length, name, kind = _name_at(tokens, at, known, is_headline=is_headline)
        if length:
            merged.append(_joined(tokens[at : at + length], name, kind))
        else:
            merged.append(tokens[at])
        at += length or 1
    return merged


def _merge_values(tokens: list[Token], values: list[ValueSpan]) -> list[Token]:
    if not values:
        return tokens
    merged: list[Token] = []
    waiting = iter(values)
    span = next(waiting, None)
    for token in tokens:
        while span is not None and token.start >= span.end:
            span = next(waiting, None)
        if span is None or token.end <= span.start or token.kind == "name":
            merged.append(token)
        elif not (merged and merged[-1].value is span.value):
            text = span.value.text
            merged.append(Token(text, span.start, span.end, "value", text.lower(), value=span.value))
    return merged


def _is_headline(tokens: list[Token]) -> bool:
    """Whether capital letters say nothing here: nearly every word has one."""
    plain = [token for token in tokens if token.kind == "word" and token.text[0].isalpha()]
    small = sum(token.text[0].islower() and token.lower not in _FUNCTION for token in plain)
    large = sum(token.text[0].isupper() for token in plain)
    return len(plain) > 4 and small == 0 and large * 5 > len(plain) * 3


def _title(tokens: list[Token]) -> int:
    """How many tokens at the start are the title of a work: "Alcatraz Versus the Evil Librarians is …"."""
    if len(tokens) < 4 or not tokens[0].text[0].isupper() or tokens[0].lower in _NOT_IN_TITLE:
        return 0
    end = next((at for at, token in enumerate(tokens[:12]) if token.lower in ("is", "was")), 0)
    part = tokens[:end]
    if end < 3 or not part[-1].text[0].isupper() or not any(token.lower in _TITLE_WORDS for token in part[1:]):
        return 0
    is_title = all(token.kind == "word" and (token.text[0].isupper() or token.lower in _TITLE_WORDS) for token in part)
    return end if is_title and not any(token.lower in _CALENDAR for token in part) else 0


def _name_at(tokens: list[Token], at: int, known: Gazetteer, *, is_headline: bool) -> tuple[int, str, str]:
    """How many tokens from here are a name, the name, and its type; none if no name begins here."""
    token = tokens[at]
    listed = _listed_at(tokens, at, known)
    if listed is not None:
        return listed
    if token.kind == "name":
        return 1, token.text, token.name_type
    if token.kind == "word" and _IDENTIFIER.match(token.text) and not token.text.isupper():
        return 1, token.text, "Technology" if "_" in token.text or token.text[0].islower() else ""
    is_title = token.lower in _TITLES and token.text[0].isupper()
    is_number = token.kind in ("value", "number") and re.fullmatch(r"\d+(?:st|nd|rd|th)?", token.text) is not None
    begin = at + 1 if is_title or is_number else at
    length = _run(tokens, begin, is_headline=is_headline)
    if not length or (is_number and not _is_numbered(tokens, at, begin + length - 1)):
        return 0, "", ""
    part = tokens[begin if is_title else at : begin + length]
    return begin - at + length, _text(part), "Person" if is_title else type_of(part)


def _listed_at(tokens: list[Token], at: int, known: Gazetteer) -> tuple[int, str, str] | None:
    """The name at this token that the memory or everybody knows; not if it is only the start of a longer one."""
    found = known.match(tokens, at)
    if found is not None:
        return len(found.words), found.name, found.type
    found = world().match(tokens, at)
    if found is None:
        return None
    length = len(found.words)
    if not _goes_on(tokens, at + length):
        return length, _text(tokens[at : at + length]), found.type
    more = _run(tokens, at, is_headline=False)
    is_longer = more > length and found.type == "Technology"
    return (more, _text(tokens[at : at + more]), found.type) if is_longer else None


def _is_numbered(tokens: list[Token], at: int, last: int) -> bool:
    """ "2002 Winter Olympics", "12 Quince Lane", "The 1147 Stavropolis": names that begin with a number."""
    word = tokens[last].lower
    if word in _NUMBERED or word in _STREETS:
        return True
    is_year = len(tokens[at].text) == 4 and tokens[at].text[:2] in ("18", "19", "20")
    is_opening = at == 0 or (at == 1 and tokens[0].lower == "the")
    return (
        is_opening
        and not is_year
        and len(tokens[at].text) > 1
        and not (tokens[last].lower.endswith("s") and is_ordinary(tokens[last].lower))
    )


def _run(tokens: list[Token], at: int, *, is_headline: bool) -> int:
    """How many tokens the run of capitalised words has that begins here."""
    if at >= len(tokens) or not _starts(tokens, at, is_headline=is_headline):
        return 0
    end = at + 1
    while end < len(tokens):
        token = tokens[end]
        if _goes_on(tokens, end):
            end += 1
        elif token.lower in _LINKS and _goes_on(tokens, end + 1):
            end += 2
        elif token.lower in ("of", "for") and _is(tokens, end + 1, "the") and _goes_on(tokens, end + 2):
            end += 3
        elif token.text == "&" and _goes_on(tokens, end + 1):
            end += 2
        elif token.kind == "value" and _is_number_of(tokens, end):
            end += 1
        else:
            break
    return end - at


def _starts(tokens: list[Token], at: int, *, is_headline: bool) -> bool:
    token = tokens[at]
    if token.kind != "word" or not token.text[0].isupper() or token.lower in words.NOT_NAMES:
        return False
    lower = token.lower.rstrip(".")
    if lower in _CALENDAR:
        return False
    is_first = at == 0 or tokens[at - 1].text in _OPENERS
    if is_headline and is_ordinary(lower) and not is_first_name(lower):
        return False
    if is_first:
        return _starts_sentence(tokens, at, lower)
    if lower in _FUNCTION and not _goes_on(tokens, at + 1):
        return False
    return not (token.text.isupper() and len(token.text) > 3 and is_ordinary(lower))


def _starts_sentence(tokens: list[Token], at: int, lower: str) -> bool:
    """Every first word has a capital letter: it is a name if it is no ordinary word, or part of a longer name."""
    if lower in _FUNCTION and not (is_first_name(lower) and (_has_verb_after(tokens, at) or _goes_on(tokens, at + 1))):
        return False
    if is_first_name(lower) or not all(is_ordinary(part) for part in lower.split("-")):
        return True
    found = tag(lower)
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is not None and following.value is not None and following.value.type is ValueType.VERSION:
        return True
    return found[:2] in ("NN", "JJ") and found != "NNS" and _goes_on(tokens, at + 1)


def _has_verb_after(tokens: list[Token], at: int) -> bool:
    return at + 1 < len(tokens) and tag(tokens[at + 1].lower) in ("VBD", "VBZ", "VBN")


def _goes_on(tokens: list[Token], at: int) -> bool:
    """Whether the token is one more capitalised word right after the one before it."""
    if at >= len(tokens) or at == 0:
        return False
    token, before = tokens[at], tokens[at - 1]
    if token.kind != "word" or not token.text[0].isupper() or token.start - before.end > 1 or token.lower in _CALENDAR:
        return False
    return token.lower not in ("i", "i'm") and not (before.text.endswith(",") or token.text.startswith("'"))


def _is(tokens: list[Token], at: int, lower: str) -> bool:
    return at < len(tokens) and tokens[at].lower == lower


def _is_number_of(tokens: list[Token], at: int) -> bool:
    """ "Sprint 14" and "Room 3" are names, "Bob 3 times" and "Python 3.10" are not."""
    number, before = tokens[at], tokens[at - 1]
    return (
        number.text.isdigit() and len(number.text) < 4 and is_ordinary(before.lower) and number.start - before.end == 1
    )


def _text(tokens: list[Token]) -> str:
    text = tokens[0].text
    for before, token in pairwise(tokens):
        text += " " * min(1, token.start - before.end) + token.text
    return text


def _joined(tokens: list[Token], name: str, kind: str) -> Token:
    return Token(name, tokens[0].start, tokens[-1].end, "name", name.lower(), name_type=kind)


def type_of(tokens: list[Token]) -> str:
    """What sort of name it is, as far as its own words tell."""
    first, last = tokens[0].lower, tokens[-1].lower.rstrip(".")
    if last.isdigit() and len(tokens) > 1:
        last = tokens[-2].lower
    if last in words.ORGANIZATION_HEADS and len(tokens) > 1:
        return "Organization"
    if last in words.PLACE_HEADS or first in ("lake", "mount", "mt.", "river", "cape", "fort"):
        return "Location" if len(tokens) > 1 else ""
    if first in words.ORGANIZATION_HEADS and len(tokens) > 2 and tokens[1].lower == "of":
        return "Organization"
    if last in _NUMBERED and (last != "games" or first in ("olympic", "winter", "summer", "asian")):
        return "Event"
    if last in words.TYPE_HEADS or first == "project":
        return words.TYPE_HEADS.get(last, "Project")
    return "Person" if is_first_name(first) and len(tokens) < 4 else ""

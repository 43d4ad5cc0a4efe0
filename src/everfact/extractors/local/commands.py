"""What a person tells the memory to do: forget, do not save, has expired, update."""

from __future__ import annotations

import re

from everfact.models import Command, CommandKind
from everfact.words import word_set

_WORDS = word_set(
    "forget delete erase remove scratch disregard drop wipe save store remember keep record repeat memorize "
    "memorise log expired valid date obsolete void update correction correct edit change"
)
_POLITE = (
    r"^(?:(?:ok(?:ay)?|so|and|also|now|hey|oh|actually|please|kindly|wait|sorry),?\s+)*"
    r"(?:(?:can|could|would|will) you (?:please )?)?(?:please )?"
)
_FORGETTING = r"(?:forget|delete|erase|remove|scratch|disregard|drop|wipe)"
_FORGET = re.compile(
    rf"{_POLITE}{_FORGETTING}(?: and {_FORGETTING})?(?: about)?"
    r"(?: (?:everything|all|anything|what|the fact|that)"
    r"(?: (?:that )?(?:I|you|we) (?:said|told you|know|have|mentioned))?(?: about| on| that)?)?"
    r" (?P<key>[^:!?]+?)(?::\s*(?P<value>.+?))?(?: from (?:your |the )?memory)?[.!]*$",
    re.IGNORECASE,
)
_REMEMBERED = re.compile(r"\b(?:memory|remember|said|told|note|fact|record|saved|stored)\b", re.IGNORECASE)
# An order is about what is being said: "never log tokens" is a rule to be remembered, "I don't remember" no order.
_NOT_SAVE = re.compile(
    r"(?:(?<!\bI )(?<!\bwe )(?<!\bthey )(?<!\bhe )(?<!\bshe )"
    r"\b(?:(?<!\byou )(?:do not|don['\u2019]t|never)|must not|shouldn['\u2019]t) (?:ever )?"
    r"(?:(?:save|store|remember|record|keep|memori[sz]e|log|repeat)(?: (?:or|and) \w+)?"
    r" (?:this|that|it|these|those|any of (?:this|that|it)|what I (?:said|say|told you)|the following)"
    r"(?=\W*$|\s*[:,\u2013\u2014-]|,? please\b| anywhere\b| (?:in|to) (?:(?:your|the) )?memory\b)"
    r"|(?:save|store|remember|record|memori[sz]e)(?= my \w+(?: \w+)?\W*$))"
    r"|\b(?:this|that|it) is off the record\b|^off the record\b)(?P<key>[^.!?]*)",
    re.IGNORECASE,
)
_EXPIRED = re.compile(
    r"^(?:(?:this|the|that|my|our)\s+)?(?P<key>[^:.!?]{3,120}?) (?:has|have|is|are) (?:now )?"
    r"(?:expired|no longer valid|out of date|obsolete|void)\b(?::\s*(?P<value>[^.!?]+))?",
    re.IGNORECASE,
)
_UPDATE = re.compile(
    r"^(?:please )?(?:update|correction|correct|edit|change)(?: this| that)?\s*[:,\u2013\u2014-]\s*"
    r"(?P<key>[^:!?]{2,160}?) (?:is|are|=|was) (?:now |actually |changed to )?(?P<value>.+?)[.!]*$",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"^(?:please )?(?:remember|note|confirm|update|correction|keep in mind)(?: this| that)?(?: still matters)?"
    r"(?: that|\s*[:,]| )\s*"
    r"(?P<key>[^:!?]{2,200}?) (?:is|are|remains?) (?:now |still )?(?P<value>[^:]+?)[.!]*$",
    re.IGNORECASE,
)
_LONG_KEY = 5
"""Words: a key of this many or more is a label to be kept as it is, not a phrase to be read."""
_ARTICLES = re.compile(r"\b(?:the|an?|my|our|your|this|that|these|those|fact|any|all|of mine|please)\b", re.IGNORECASE)


def find_command(sentence: str, start: int, spoken: set[str]) -> Command | None:
    """The command that a sentence gives, if it gives one; `start` is its place in the text, `spoken` its words."""
    if spoken.isdisjoint(_WORDS):
        return None
    span = (start, start + len(sentence))
    for kind, pattern in (
        (CommandKind.DO_NOT_SAVE, _NOT_SAVE),
        (CommandKind.EXPIRED, _EXPIRED),
        (CommandKind.UPDATE, _UPDATE),
        (CommandKind.FORGET, _FORGET),
    ):
        match = pattern.search(sentence)
        if match is None or (kind is CommandKind.FORGET and not _is_about_memory(sentence)):
            continue
        groups = match.groupdict()
        return Command(kind=kind, key=_key(groups["key"]), value=(groups.get("value") or "").strip(" ."), span=span)
    return None


def find_note(sentence: str) -> tuple[str, str] | None:
    """Key and value of "remember that KEY is VALUE" and its like, where the key is a label of many words."""
    match = _NOTED.match(sentence)
    key = _key(match["key"]) if match is not None else ""
    return (key, match["value"]) if match is not None and len(key.split()) >= _LONG_KEY else None


def _is_about_memory(sentence: str) -> bool:
    """ "Forget the old address" speaks to a memory; "delete the temp file" only if it says so."""
    verb = re.search(_FORGETTING, sentence, re.IGNORECASE)
    return verb is not None and (
        verb[0].lower() in ("forget", "disregard", "scratch") or _REMEMBERED.search(sentence) is not None
    )


def _key(words: str) -> str:
    return " ".join(_ARTICLES.sub(" ", words).split()).strip(" .,;:")

"""Definite attributes: "my rent", "the deadline for the grant", "Ana's manager"; who has it and what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from everfact.extractors.local.draft import attribute_for
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Arg
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.scene import Scene, is_past_thing, thing_words
from everfact.models import Mention

_COMPOUNDS = frozenset(
    (
        "code owner",
        "due date",
        "start date",
        "end date",
        "launch date",
        "release date",
        "phone number",
        "job title",
        "email address",
        "test command",
        "closing time",
        "opening hours",
        "meeting time",
        "favourite",
        "favorite",
        "preferred",
        "default",
        "current release",
        "latest release",
        "wake-up time",
    )
)
_EMPTY_DETERMINERS = frozenset(("", "the", "my", "our", "this"))


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that something has: its owner, the word for it, relation and attribute names."""

    owner: Mention
    noun: str
    relation: str
    attribute: str


def attribute_in(phrase: NounPhrase, about: list[Arg], scene: Scene, *, is_role: bool = False) -> Attribute | None:
    """The attribute that a noun phrase names, if it names one. `is_role`: it is known to be what somebody is."""
    if phrase.pronoun or phrase.name is not None or is_past_thing(phrase):
        return None
    noun = thing_words(phrase).lower()
    if not noun or (phrase.value is not None and phrase.core[0].kind == "value"):
        return None
    if noun.split()[-1] == "release":
        noun = "version"
    at = next((n for n, arg in enumerate(about) if arg.prep in ("of", "for")), -1)
    belongs = about[at].things[0] if at >= 0 else None
    is_attribute = is_role or is_attribute_noun(phrase.head) or noun.split()[0] in _COMPOUNDS
    if phrase.possessor is not None and phrase.possessor.pronoun not in ("our", "ours"):
        owner = scene.mention(phrase.possessor)
        return _made(owner, noun, belongs, scene) if owner is not None else None
    if belongs is not None and (is_attribute or phrase.det == "the"):
        owner = scene.mention(belongs, about[at + 1 :])
        return _made(owner, noun, None, scene) if owner is not None else None
    if not is_attribute or phrase.det not in _EMPTY_DETERMINERS:
        return None
    return _compound(phrase, noun)


def is_attribute_noun(head: str) -> bool:
    """Whether the noun names what is said about something else."""
    return head in words.ATTRIBUTES or head in words.SINGLE_FAMILY


def _compound(phrase: NounPhrase, noun: str) -> Attribute:
    """ "the sprint deadline" is the deadline of the sprint; "the deadline" is a thing of its own."""
    core = [token for token in phrase.core if token.lower in noun.split() or token.kind == "name"]
    tail = 2 if " ".join(token.lower for token in core[-2:]) in _COMPOUNDS or noun.split()[0] in _COMPOUNDS else 1
    owner = " ".join(token.text if token.kind == "name" else token.lower for token in core[:-tail])
    head = " ".join(token.lower for token in core[-tail:])
    if owner and all(token.kind in ("noun", "name") for token in core[:-tail]):
        relation, attribute = attribute_for(head)
        return Attribute(Mention(name=owner), head, relation, attribute)
    relation, attribute = attribute_for(noun)
    return Attribute(Mention(name=noun), noun, "IS" if relation == noun.upper() else relation, attribute)


def _made(owner: Mention, noun: str, belongs: NounPhrase | None, scene: Scene) -> Attribute:
    if belongs is not None:
        more = scene.mention(belongs)
        noun = f"{noun} for {more.name}" if more is not None else noun
    if noun in words.SPOUSES:
        return Attribute(owner, noun, noun.upper(), "spouse")
    relation, attribute = attribute_for(noun)
    if noun in words.FAMILY and noun not in words.SINGLE_FAMILY:
        attribute = noun
    return Attribute(owner, noun, relation, attribute)

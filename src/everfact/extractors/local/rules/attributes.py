"""Definite attributes: "my rent", "the deadline for the grant", "Ana's manager"; who has it and what it is called."""

from __future__ import annotations

from everfact.extractors.local.draft import attribute_for
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Arg, Clause
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.scene import Attribute, Scene, is_past_thing, thing_words
from everfact.models import Mention, ValueType

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
_PERSONAL = frozenset(
    ("home", "rent", "salary", "weight", "height", "diet", "birthday", "hometown", "mortgage", "wage")
)
"""In talk, "the rent" is the speaker's own."""
_EMPTY_DETERMINERS = frozenset(("", "the", "my", "our", "this"))


def attribute_in(phrase: NounPhrase, about: list[Arg], scene: Scene, *, is_role: bool = False) -> Attribute | None:
    """The attribute that a noun phrase names, if it names one. `is_role`: it is known to be what somebody is."""
    if phrase.pronoun or phrase.name is not None or is_past_thing(phrase):
        return None
    noun = thing_words(phrase).lower()
    first = phrase.core[0].value
    if not noun or (first is not None and first.type is not ValueType.DATE):
        return None
    if noun.split()[-1] == "release":
        noun = "version"
    preps = ("of", "for", "on", "in", "at") if is_attribute_noun(phrase.head) else ("of", "for")
    at = next((n for n, arg in enumerate(about) if arg.prep in preps and _is_thing(arg.things[0])), -1)
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
    if scene.speaker and noun in _PERSONAL:
        return _made(Mention(name=scene.speaker, type="Person"), noun, None, scene)
    return _compound(phrase, noun)


def note_topic(clause: Clause, scene: Scene) -> None:
    """Remember what the clause spoke of, for "it", "they" and "I'm in Halifax now" after it."""
    thing, verb = clause.arg(""), clause.verb
    about = [arg for arg in clause.args if arg.prep in ("of", "for")]
    for phrase, more in ((clause.subjects[0], clause.about) if clause.subjects else (None, []), (thing, about)):
        if phrase is None or phrase.pronoun or phrase.name is not None or phrase.value is not None:
            continue
        found = attribute_in(phrase, more, scene) if is_attribute_noun(phrase.head) else None
        scene.topic = found or scene.topic
        what = scene.mention(phrase, more) if found is None and (phrase.det == "the" or phrase.possessor) else None
        if phrase.head.endswith("s"):
            scene.thing = what or scene.thing
        else:
            scene.item = what or scene.item
    is_moved = verb.lemma in ("move", "relocate") and (verb.is_past or verb.is_perfect) and not clause.args
    who = scene.mention(clause.subjects[0]) if is_moved and clause.subjects and not verb.is_negated else None
    scene.moved = who.name if who is not None else scene.moved


def _is_thing(phrase: NounPhrase) -> bool:
    return phrase.value is None or len(phrase.core) > 1


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

"""Endings: plain denials, things given up, and what else is over when one thing is.

A denial ("Ana doesn't work at Globex") and what follows from another ending are told with little confidence: they end
what is known and prove nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from everfact.extractors.local.draft import BEGINS, ENDS, HOLDS, UNSURE, Draft, manner_of
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.rules.frames import is_person
from everfact.extractors.local.scene import Scene
from everfact.models import FactKind, Mention, Value, ValueType
from everfact.relations import relation_name
from everfact.words import word_set

GUESSED = 0.5
_PARTNERS = ("=partner", "=girlfriend", "=boyfriend", "=fiancé", "=fiancée", "dates", "engaged to")
_KIN = {
    "employer": ("teaches at", "with"),
    "uses": ("runs on", "written in", "prefers"),
    "runs on": ("uses", "written in"),
    "written in": ("uses",),
    "likes": ("prefers", "drink", "eat", "is on", "plays", "studies"),
    "prefers": ("likes",),
    "lives with": ("=roommate", "=flatmate", "=housemate"),
    "member of": ("on team", "plays for", "go to", "uses"),
    "studies at": ("employer", "member of"),
    "on team": ("member of",),
    "is on": ("take", "uses"),
    "owns": ("drives", "has", "uses"),
    "owner": ("drives", "has", "owns", "=car", "=bike", "=van", "=boat", "=phone", "=laptop"),
    **dict.fromkeys(_PARTNERS, _PARTNERS),
}
"""Attributes that speak of one bond between two: where one of them ends, the others do, if they were ever told."""
_WHEN = {"schedule": "deadline", "deadline": "schedule"}
"""A thing that is no gathering has one date: when it is due."""
_GIVING_UP = {
    ("give", "up"), ("go", "off"), ("quit", ""), ("stop", ""), ("drop", ""), ("ditch", ""), ("swear", "off"),
    ("kick", ""), ("cut", "out"), ("abandon", ""), ("get", "rid"), ("outgrow", ""), ("cancel", ""),
}  # fmt: skip
_PARTED = word_set("off over done through finished sick tired bored fed")
_MENDED = word_set("fixed repaired restored open reopened resumed available")
_PLAIN = word_set("actually now currently anymore anyway either there too here really definitely")
_AVERSE = word_set("stand bear stomach")


def denied(clause: Clause, read: Callable[[Clause], list[Draft]]) -> list[Draft]:
    """ "Ana doesn't work at Globex": whatever the clause would say is not so; "on Fridays" denies no more than that."""
    verb = clause.verb
    is_bare = len(clause.args) <= 1 and clause.adverbs <= _PLAIN and len(clause.subjects) == 1
    # Not to be somewhere today is not to have left.
    is_bare = is_bare and (
        verb.lemma != "be" or not clause.args[:1] or not clause.args[0].prep or "now" in clause.adverbs
    )
    if not verb.is_negated or verb.modal or verb.wrappers or not is_bare or (verb.is_past and verb.lemma != "be"):
        return []
    over = replace(clause, verb=replace(verb, is_negated=False, is_past=False, is_over=True))
    return [replace(draft, confidence=UNSURE) for draft in read(over) if draft.manner is ENDS]


def by_parting(clause: Clause, scene: Scene) -> list[Draft]:
    """ "I've gone off dark roast", "he gave up coffee", "I'm done with Vim", "can't stand the aisle seat any more"."""
    thing = _given_up(clause)
    if thing is None or not clause.subjects or thing.value is not None or thing.pronoun:
        return []
    who, what = scene.mention(clause.subjects[0]), scene.mention(thing)
    if who is None or what is None or not is_person(clause.subjects[0], who) or what.type == "Person":
        return []
    is_rid = clause.verb.lemma in ("get", "sell", "donate", "scrap")
    is_name = what.type == "Technology" or not what.name.islower()
    attribute = "owns" if is_rid else "uses" if is_name else "likes"
    # "I'm off coffee, tea for me now", "gave up LaTeX for Typst"
    new = clause.arg(",") if "now" in clause.adverbs else clause.arg("for") if attribute == "uses" else None
    instead = scene.mention(new) if new is not None and new.value is None and not new.pronoun else None
    relation = "USES" if attribute == "uses" else "PREFERS"
    begun = [Draft(who, relation, instead, relation.lower(), HOLDS)] if instead is not None else []
    if thing is not clause.arg("") and clause.verb.lemma in ("cancel", "drop"):
        attribute = "member of" if clause.verb.lemma == "cancel" else "studies at"
    return [Draft(who, relation_name(attribute), what, attribute, ENDS, UNSURE), *begun]


def by_leaving_home(clause: Clause, scene: Scene) -> list[Draft]:
    """ "Minh moved out": whoever says so no longer lives with Minh."""
    verb = clause.verb
    is_out = verb.lemma == "move" and verb.particle == "out" and (verb.is_past or verb.is_perfect)
    if not is_out or not scene.speaker or len(clause.subjects) != 1 or manner_of(clause, is_change=True) is not BEGINS:
        return []
    who = scene.mention(clause.subjects[0])
    if who is None or who.name == scene.speaker or not is_person(clause.subjects[0], who):
        return []
    return [Draft(Mention(name=scene.speaker, type="Person"), "LIVES_WITH", who, "lives with", ENDS, UNSURE)]


def _given_up(clause: Clause) -> NounPhrase | None:
    verb = clause.verb
    if verb.is_passive and not verb.is_negated and not verb.modal:
        return clause.arg("with", "of") if verb.word in _PARTED else None
    if verb.lemma in _AVERSE and verb.modal in ("can", "ca", "could"):
        return clause.arg("") if verb.is_negated or verb.is_over else None
    if manner_of(clause, is_change=True) is None:
        return None
    if verb.lemma == "get" and clause.complement == "rid":
        return clause.arg("of")
    if verb.lemma in ("be", "get", "grow", "become"):
        is_parted = clause.complement in _PARTED and (verb.lemma != "be" or not verb.is_past)
        return clause.arg("with", "of", clause.complement) if is_parted else None
    is_done = verb.is_past or verb.is_perfect
    particle, thing = verb.particle, clause.arg("")
    if verb.lemma == "drop" and particle == "out":
        return clause.arg("of")
    if verb.lemma == "lose" and thing is not None and thing.head == "interest":
        return clause.arg("in")
    if verb.lemma == "cancel" and thing is not None and thing.head in ("membership", "subscription", "account"):
        return clause.arg("at", "with", "to", "for", "of")
    if is_done and not particle and verb.lemma in ("go", "swear"):
        return clause.arg("off")
    return clause.arg("") if is_done and (verb.lemma, particle) in _GIVING_UP else None


_SHIFTING = word_set("prefers drives is") | {
    "runs on",
    "written in",
    "lives with",
    "plays for",
    "studies at",
    "on team",
}
"""There may be several, yet what is so *now* takes the place of what was so before."""


def with_shift(clause: Clause, drafts: list[Draft]) -> list[Draft]:
    """ "CI now runs on Buildkite": whatever it ran on before is over."""
    is_anew = clause.verb.lemma in ("rewrite", "rebuild", "reimplement", "port")
    if clause.adverbs.isdisjoint(("now", "nowadays", "instead", "currently")) and not is_anew:
        return drafts
    shifted = {
        (draft.subject.name, draft.attribute): draft
        for draft in drafts
        if draft.manner.kind is not FactKind.PLAN
        and draft.manner is not ENDS
        and (draft.attribute in _SHIFTING or _is_place_like(draft))
    }
    return [replace(draft, object=None, manner=ENDS) for draft in shifted.values()] + drafts


def _is_place_like(draft: Draft) -> bool:
    """ "drives for Sundbuss", "trains at the Y": other verbs with one place, firm or partner at a time."""
    return draft.confidence == GUESSED and draft.attribute.split()[-1] in ("for", "at", "in", "with", "on", "to")


def by_removal(clause: Clause, scene: Scene) -> list[Draft]:
    """ "The SOAP endpoint of Parcelo was sunset": Parcelo has none any more."""
    verb, word = clause.verb, clause.arg("") if clause.verb.lemma == "be" else None
    is_gone = (verb.lemma in _REMOVING and verb.is_passive) or (word is not None and word.head in _REMOVING)
    if not is_gone or not clause.about or manner_of(clause) is None:
        return []
    owner = next((arg.things[0] for arg in clause.about if arg.prep in ("of", "in", "from")), None)
    who = scene.mention(owner) if owner is not None and owner.value is None else None
    what = scene.mention(clause.subjects[0])
    if who is None or what is None:
        return []
    return [Draft(who, "HAS", what, name, ENDS, UNSURE) for name in ("has", "expose", "support", "offer", "include")]


_REMOVING = word_set("sunset remove retire drop discontinue delete kill scrap")


def note_gone(clause: Clause, scene: Scene) -> None:
    """Remember what was ditched, so that whatever uses something else in the same text no longer uses it."""
    verb = clause.verb
    is_off = verb.lemma in ("switch", "turn", "shut") and verb.particle in ("off", "down")
    if (verb.lemma not in _GONE and not is_off) or manner_of(clause, is_change=True) is not BEGINS:
        return
    thing = clause.subjects[0] if verb.is_passive and clause.subjects else clause.arg("")
    name = next((token for token in thing.core if token.kind == "name"), None) if thing is not None else None
    if name is not None and name.name_type in ("Technology", ""):
        gone = Mention(name=name.text, type=name.name_type)
        scene.gone += [gone] if gone not in scene.gone[-20:] else []


_GONE = word_set("ditch drop retire abandon unplug decommission remove kill sunset scrap cancel")


def kin_of(draft: Draft, told: list[Draft]) -> list[Draft]:
    """What else is over, or replaced, if that is; from either side for what is owned."""
    if draft.manner in (HOLDS, BEGINS) and draft.attribute in _WHEN and isinstance(draft.object, Value):
        is_event = draft.subject.name.split()[-1].lower() in words.EVENTS
        is_day = draft.object.type is ValueType.DATE or (
            draft.object.type is ValueType.WEEKDAY and not draft.object.text.endswith("s")
        )
        is_new = draft.manner is BEGINS and is_day and not is_event
        return (
            [replace(draft, object=None, attribute=_WHEN[draft.attribute], manner=ENDS, confidence=UNSURE)]
            if is_new
            else []
        )
    is_mended = isinstance(draft.object, Value) and draft.object.text in _MENDED
    if is_mended and draft.attribute == "status" and draft.manner is not ENDS:
        return [replace(draft, object=None, attribute="=status of health", manner=ENDS, confidence=UNSURE)]
    if draft.manner is not ENDS or not isinstance(draft.object, Mention):
        return []
    one, other = draft.subject, draft.object
    if draft.attribute == "owner":
        one, other = other, one
    beside = (f"also {draft.attribute}",) if draft.attribute in ("employer", "role", "schedule") else ()
    known = {each.attribute for each in told if each.subject.name == one.name}
    kin = [name for name in (*_KIN.get(draft.attribute, ()), *beside) if name not in known]
    return [replace(draft, subject=one, object=other, attribute=name, confidence=UNSURE) for name in kin]

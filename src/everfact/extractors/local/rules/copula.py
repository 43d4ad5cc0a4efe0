"""What "is" says: the value of an attribute, a role, an age, a status, a place, a time, a kinship."""

from __future__ import annotations

from dataclasses import replace

from everfact.extractors.local.draft import BEGINS, ENDS, HOLDS, Draft, Manner, attribute_for, manner_of
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.reading.lexicon import tag
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.rules.attributes import attribute_in, is_attribute_noun
from everfact.extractors.local.rules.frames import FRAMES, is_person, typed
from everfact.extractors.local.rules.places import place_or_time
from everfact.extractors.local.scene import Attribute, Scene, thing_words
from everfact.models import FactKind, Mention, Value, ValueType
from everfact.relations import relation_name
from everfact.words import word_set

_COPULAS = frozenset(("be", "become", "remain", "stay", "turn"))
_TIMED = frozenset((ValueType.DATE, ValueType.TIME, ValueType.WEEKDAY, ValueType.FREQUENCY))
_FIELDS = ("logy", "ics", "ing", "tion", "ment", "ness", "ity", "ship", "ism", "ance", "ence", "ery", "graphy")
_NAMED_BY_ADJECTIVE = word_set("status state branch mode colour color default theme tier level priority")
_RESULTS = word_set(
    "cancelled canceled postponed paused suspended shelved scrapped approved rejected merged deployed deprecated "
    "archived reopened halted discontinued decommissioned fixed repaired"
)
_CLOSING = word_set("pool shop bridge road line tunnel pub bar branch canteen gym playground crossing border")
"""What somebody did to a thing that leaves it in that state; "closed the door" and "finished the book" say less."""
_OWNERS = {"mine": "my", "yours": "your", "hers": "her", "ours": "our", "his": "his"}
_STATUS_PREPOSITIONS = ("in", "on", "under", "off", "out of")


def by_lack(clause: Clause, scene: Scene) -> list[Draft]:
    """ "The repo has no owner at the moment": whoever it was is none any more."""
    thing = clause.arg("")
    if clause.verb.lemma != "have" or thing is None or thing.det != "no" or len(thing.core) != 1 or not clause.subjects:
        return []
    who = scene.mention(clause.subjects[0], clause.about)
    if who is None or manner_of(clause) is not HOLDS or not is_attribute_noun(thing.head):
        return []
    relation, attribute = attribute_for(thing.head)
    return [Draft(who, relation, None, attribute, ENDS)]


def by_duty(clause: Clause, scene: Scene) -> list[Draft]:
    """ "The tax return has to be in by 31 October", "I have to file the tax return by then": when it is due."""
    verb, when = clause.verb, clause.arg("by", "before")
    is_must = verb.modal in ("must", "should") or not set(verb.wrappers).isdisjoint(("have", "need"))
    if not is_must or verb.is_negated or verb.is_past or clause.is_reported or clause.mark or not clause.subjects:
        return []
    thing = clause.arg("") or (clause.subjects[0] if verb.lemma == "be" or verb.is_passive else None)
    value = scene.value(when) if when is not None else None
    what = scene.mention(thing) if thing is not None and not thing.pronoun and thing.value is None else None
    if what is None or value is None or value.type not in _TIMED or thing is None or not is_definite(thing):
        return []
    return [Draft(what, "DUE", value, "deadline", HOLDS)]


def by_result(clause: Clause, scene: Scene) -> list[Draft]:
    """ "They cancelled the launch": the launch is cancelled."""
    verb, thing = clause.verb, clause.arg("")
    is_place = thing is not None and thing.head in words.PLACE_HEADS | _CLOSING
    is_result = verb.word in _RESULTS or (is_place and verb.word in ("closed", "opened", "reopened"))
    is_told = is_result and (verb.is_past or verb.is_perfect) and not verb.is_passive
    is_told = is_told and not (thing is not None and thing.name is not None and verb.lemma == "cancel")
    is_told = is_told and not (thing is not None and thing.head in ("membership", "subscription", "account"))
    if not is_told or thing is None or not is_definite(thing) or thing.value is not None or thing.pronoun:
        return []
    about = [arg for arg in clause.args if arg.prep in ("of", "for")]
    done = replace(verb, word="open" if verb.word == "opened" else verb.word, is_passive=True, is_past=False)
    result = replace(clause, subjects=[thing], about=about, verb=done, args=[])
    return by_copula(result, scene)


def by_copula(clause: Clause, scene: Scene) -> list[Draft]:
    """What "X is …" says."""
    verb = clause.verb
    is_turn = verb.is_past and verb.word in ("reopened", "resumed", "restarted", "stalled", "shipped", "expired")
    is_become = (is_turn or (verb.is_perfect and not verb.is_past)) and not verb.is_passive
    is_become = is_become and all(thing.value is not None for thing in clause.things(""))
    has_helper = verb.is_passive or verb.is_progressive or is_become
    acted = clause.things("by", "as", "with") + [thing for thing in clause.things("") if thing.value is None]
    is_status = has_helper and verb.word in words.STATUSES and not acted
    goal = clause.arg("to")
    is_status = is_status and (goal is None or goal.value is not None)
    is_status = is_status and not any((verb.lemma, arg.prep) in FRAMES for arg in clause.args)
    is_status = is_status or (verb.lemma == "wait" and verb.is_progressive and clause.arg("for") is not None)
    is_got = verb.lemma == "get" and clause.complement in words.STATUSES
    is_called = verb.lemma in ("call", "name") and verb.is_passive and clause.subjects[:1] != []
    is_called = is_called and clause.subjects[0].head in words.FAMILY
    is_copula = (verb.lemma in _COPULAS and not verb.is_passive) or is_called
    if not is_copula and not is_status and not is_got:
        return []
    manner = manner_of(clause, is_change=verb.lemma in ("become", "turn", "get"))
    if manner is None or not clause.subjects:
        return []
    drafts: list[Draft] = []
    for subject in clause.subjects:
        drafts += _said_of(subject, clause, manner, scene)
    rejected = next((arg.things for arg in clause.args if arg.prep in ("not", "instead of", "rather than")), [])
    return drafts + _rejected(drafts, rejected, scene)


def _rejected(drafts: list[Draft], things: list[NounPhrase], scene: Scene) -> list[Draft]:
    """ "is X, not Y": Y is over, if it ever was."""
    made = []
    for thing in things:
        what = scene.value(thing) or scene.mention(thing)
        if isinstance(what, Mention) and what.name in words.STATUSES:
            what = Value(type=ValueType.STATUS, text=what.name)
        if what is not None and len(drafts) == 1 and drafts[0].manner.kind is FactKind.STATE:
            one = drafts[0]
            made.append(Draft(one.subject, one.relation, what, one.attribute, ENDS))
    return made


def _said_of(subject: NounPhrase, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    predicate = clause.arg("")
    attribute = attribute_in(subject, clause.about, scene) or _topic(subject, predicate, scene)
    if (
        attribute is not None
        and predicate is not None
        and not (subject.head in words.FAMILY and predicate.name is None)
    ):
        what = _object(predicate, scene)
        if what is None or (isinstance(what, Mention) and what.name == attribute.owner.name):
            return []
        if isinstance(what, Mention) and subject.head in words.FAMILY:
            what = typed(what, "Person")
        return [Draft(attribute.owner, attribute.relation, what, attribute.attribute, manner)]
    if attribute is not None and predicate is None and clause.complement and subject.head in _NAMED_BY_ADJECTIVE:
        said = Value(type=ValueType.STATUS, text=clause.complement)
        return [Draft(attribute.owner, attribute.relation, said, attribute.attribute, manner)]
    who = scene.mention(subject, clause.about)
    if who is None:
        return []
    person = is_person(subject, who)
    own = _home(subject, clause, manner, scene) or _mine(who, predicate, manner, scene, person=person)
    if own or (predicate is not None and predicate.pronoun in _OWNERS):
        return own
    if predicate is not None:
        things = next(arg.things for arg in clause.args if arg.things[0] is predicate)
        drafts = [draft for thing in things for draft in _predicate(who, thing, clause, manner, scene, person=person)]
        return drafts + _described(who, predicate, manner)
    return _status(who, clause, manner, person=person) or place_or_time(who, clause, manner, scene, person=person)


def _topic(subject: NounPhrase, predicate: NounPhrase | None, scene: Scene) -> Attribute | None:
    """ "It's 935 euros", after the rent was spoken of."""
    if subject.pronoun not in ("it", "that") or predicate is None or predicate.det:
        return None
    return scene.topic if predicate.value is not None or predicate.name is not None else None


def _home(subject: NounPhrase, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    """ "My home is in Pune": I live there."""
    place = clause.arg("in", "") if subject.head == "home" else None
    owner = scene.mention(subject.possessor) if subject.possessor is not None else None
    where = scene.mention(place) if place is not None and owner is not None else None
    if owner is None or where is None:
        return []
    return [Draft(owner, "LIVES_IN", typed(where, "Location"), "home", manner)]


def _mine(who: Mention, predicate: NounPhrase | None, manner: Manner, scene: Scene, *, person: bool) -> list[Draft]:
    """ "Plot 9 is mine"."""
    pronoun = _OWNERS.get(predicate.pronoun, "") if predicate is not None and not person else ""
    owner = scene.mention(replace(predicate, pronoun=pronoun)) if pronoun and predicate is not None else None
    return [Draft(who, "OWNED_BY", owner, "owner", manner)] if owner is not None else []


def _described(who: Mention, predicate: NounPhrase, manner: Manner) -> list[Draft]:
    """ "is an Irish boxer", "is a DC Comics novel": names within what somebody is."""
    names = [token for token in predicate.core[:-1] if token.kind == "name"] if predicate.det in ("a", "an") else []
    return [
        Draft(who, "OF", Mention(name=token.text, type=token.name_type), "of", manner, 0.5)
        for token in names
        if token.text != who.name
    ]


def _object(phrase: NounPhrase, scene: Scene) -> Mention | Value | None:
    if phrase.value is not None:
        return scene.value(phrase)
    if phrase.pronoun and phrase.pronoun not in words.FIRST | words.SECOND:
        return None
    return scene.mention(phrase)


def _predicate(
    who: Mention, predicate: NounPhrase, clause: Clause, manner: Manner, scene: Scene, *, person: bool
) -> list[Draft]:
    """ "is a nurse", "is the owner of the runbook", "is my sister", "is 35", "is 40 percent complete"."""
    if predicate.value is not None and predicate.core[0].kind == "value" and predicate.name is None:
        return _measure(who, predicate, clause, manner, scene, person=person)
    if predicate.name is not None:
        is_same = predicate.det not in ("a", "an") and predicate.possessor is None
        return [Draft(who, "IS", scene.mention(predicate), "is", manner, 0.6)] if is_same else []
    belongs = [arg for arg in clause.args if arg.prep in ("of", "for") and is_definite(arg.things[0])][:1]
    is_role = predicate.head in words.PERSON_HEADS and predicate.det not in ("a", "an")
    held = (
        attribute_in(predicate, belongs, scene, is_role=is_role) if belongs or predicate.possessor is not None else None
    )
    is_post = is_attribute_noun(predicate.head) or predicate.head in words.PERSON_HEADS
    if held is not None and held.owner.name != who.name and is_post:
        return [Draft(held.owner, held.relation, typed(who, "Person" if person else ""), held.attribute, manner)]
    if predicate.head in words.PERSON_HEADS and who.name.split()[-1].lower() in words.PETS:
        return []  # a joke
    of = clause.arg("of")
    if person and predicate.head == "fan" and of is not None:
        return [Draft(who, "LIKES", scene.mention(of), "likes", manner)] if scene.mention(of) is not None else []
    if person and predicate.head == "member" and of is not None and of.value is None:
        return [Draft(who, "MEMBER_OF", scene.mention(of), "member of", manner)] if scene.mention(of) else []
    is_post = predicate.head in words.PERSON_HEADS or (
        predicate.det in ("a", "an") and bool(_employer(who, clause, manner, scene))
    )
    if is_post and (person or predicate.det):
        return [_role(who, predicate, clause, manner), *_employer(who, clause, manner, scene)]
    return _kind_of(who, predicate, clause, manner, scene)


def is_definite(phrase: NounPhrase) -> bool:
    """Whether a certain thing is meant."""
    is_coined = not phrase.det and phrase.value is None and not tag(phrase.head) and not phrase.head.endswith(_FIELDS)
    return phrase.name is not None or phrase.det == "the" or phrase.possessor is not None or is_coined


def _role(who: Mention, predicate: NounPhrase, clause: Clause, manner: Manner) -> Draft:
    """A job is one at a time unless another one is said in the same breath; being a member, fan or volunteer is not."""
    text = role_text(predicate, clause)
    things = next(arg.things for arg in clause.args if predicate in arg.things)
    is_one = (
        len(things) == 1
        and not clause.adverbs & {"also", "too", "part-time"}
        and predicate.head not in words.SIDE_ROLES
    )
    value = Value(type=ValueType.TEXT, text=text)
    return Draft(typed(who, "Person"), "ROLE", value, "role" if is_one else f"is a {text.lower()}", manner)


def role_text(role: NounPhrase, clause: Clause) -> str:
    """The role with what belongs to its name: "head of radiology"."""
    of = next((arg.things[0] for arg in clause.args if arg.prep == "of"), None)
    is_part = of is not None and not is_definite(of) and of.value is None and not of.pronoun
    return role.words() + (f" of {of.words()}" if of is not None and is_part else "")


def _employer(who: Mention, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    place = clause.arg("at", "for", "with")
    where = scene.mention(place) if place is not None and place.value is None and place.name is not None else None
    if where is None or where.type in ("Person", "Location", "Event", "Technology"):
        return []
    return [Draft(who, "WORKS_AT", typed(where, "Organization"), "employer", manner)]


def _kind_of(who: Mention, predicate: NounPhrase, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    text = thing_words(predicate)
    if not text or predicate.pronoun:
        return []
    if text in words.STATUSES and len(predicate.core) == 1:
        return [_stands(who, text, manner)]
    drafts = [Draft(who, "IS_A", Value(type=ValueType.TEXT, text=text), f"is a {text.lower()}", manner, 0.7)]
    for arg in clause.args:
        for thing in arg.things if arg.prep in ("in", "of", "by", "from", "within", "at", "for", "near") else ():
            what = scene.mention(thing) if thing.name is not None and thing.value is None else None
            if what is not None and what.name != who.name:
                relation = (
                    "LOCATED_IN"
                    if arg.prep in ("in", "within", "at")
                    else relation_name(f"{predicate.head} {arg.prep}")
                )
                attribute = "part of" if relation == "LOCATED_IN" else relation.lower().replace("_", " ")
                drafts.append(Draft(who, relation, what, attribute, manner, 0.7))
    return drafts


def _measure(
    who: Mention, predicate: NounPhrase, clause: Clause, manner: Manner, scene: Scene, *, person: bool
) -> list[Draft]:
    value = scene.value(predicate)
    assert value is not None
    text = value.text.lower()
    if person and (text.endswith("old") or (value.type is ValueType.COUNT and len(predicate.core) == 1)):
        return [Draft(typed(who, "Person"), "AGE", value, "age", manner)]
    name = {
        ValueType.MONEY: "price",
        ValueType.PERCENT: "progress",
        ValueType.VERSION: "version",
        ValueType.DURATION: "duration",
    }
    if value.type in _TIMED:
        return [] if person else [Draft(who, "SCHEDULED_FOR", value, "schedule", manner)]
    if value.type not in name or person:
        return []
    noun = name[value.type]
    unit = " ".join(token.lower for token in predicate.core[1:]) or clause.complement
    return [
        Draft(
            who, relation_name(noun), value, noun if noun in ("price", "version") else f"={noun} {unit}".strip(), manner
        )
    ]


def _status(who: Mention, clause: Clause, manner: Manner, *, person: bool) -> list[Draft]:
    verb = clause.verb
    if verb.is_perfect and not verb.is_passive and person and verb.lemma not in _COPULAS:
        return []  # "Ana has finished"
    word = verb.word if verb.lemma not in _COPULAS and verb.lemma != "get" else clause.complement
    if (verb.is_passive or verb.lemma not in _COPULAS) and manner.kind is FactKind.EVENT:
        manner = BEGINS
    awaited = clause.arg("for")
    if verb.lemma == "wait" and verb.is_progressive and awaited is not None and awaited.value is None:
        word = f"waiting for {awaited.words().lower()}"
    elif word not in words.STATUSES:
        state = next(
            (
                arg
                for arg in clause.args
                if arg.prep in _STATUS_PREPOSITIONS and arg.things[0].head in words.STATUS_PHRASES
            ),
            None,
        )
        word = (
            f"{state.prep} {state.things[0].words().lower()}"
            if state is not None and state.things[0].possessor is None
            else ""
        )
    elif any(thing.value is None for thing in clause.things("to", "with", "about")) or (
        clause.arg("for") is not None and not verb.is_passive
    ):
        return []
    if not word:
        return []
    return [_stands(who, word, manner)]


def _stands(who: Mention, word: str, manner: Manner) -> Draft:
    value = Value(type=ValueType.STATUS, text=word)
    if word in words.MARITAL:
        return Draft(who, "MARITAL_STATUS", value, "marital status", manner)
    kind = next((kind for kind, members in words.STATUS_KINDS.items() if word in members), "")
    attribute = f"is {word}" if kind == "person" else f"=status of {kind}" if kind else "status"
    return Draft(who, "IS" if kind in ("person", "diet") else "STATUS", value, attribute, manner)

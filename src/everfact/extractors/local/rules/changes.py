"""What changed: "raised the budget to $650", "moved from Oslo to Rome", "switched from A to B", "replaced A with B"."""

from __future__ import annotations

from dataclasses import dataclass

from everfact.extractors.local.draft import BEGINS, ENDS, Draft, Manner, manner_of
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Arg, Clause
from everfact.extractors.local.reading.lexicon import is_ordinary
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.rules.attributes import attribute_in
from everfact.extractors.local.rules.careers import post
from everfact.extractors.local.rules.copula import is_definite
from everfact.extractors.local.rules.frames import is_person, typed
from everfact.extractors.local.scene import Attribute, Scene, thing_words
from everfact.models import FactKind, Mention, Value, ValueType
from everfact.words import word_set

_CHANGING = word_set(
    "increase raise reduce lower decrease extend push move change update set bump cut drop rise grow fall shrink go "
    "climb jump reschedule postpone delay bring upgrade downgrade pin adjust revise switch migrate shift transfer "
    "slip shorten double halve trim restore reset rename reassign promote improve slide put convert swap return "
    "revert relocate port scale pass step tighten relax expand roll rewind advance reprice dip soar plunge swell "
    "dwindle slash hike boost approve fix cap agree"
)
_NUMBERS = frozenset(("version", "release", "runtime"))
_WEIGHTS = frozenset(("kilos", "kilo", "kg", "kilograms", "pounds", "lbs", "stone"))
_SETTING = word_set("pin approve set fix cap agree keep")
_SWITCHING = word_set("switch migrate move change convert port shift transition go swap")
_TIMED = frozenset((ValueType.DATE, ValueType.TIME, ValueType.WEEKDAY, ValueType.FREQUENCY))
_LEVELS = frozenset((ValueType.COUNT, ValueType.VERSION, ValueType.MONEY, ValueType.PERCENT, ValueType.DURATION))
_REPLACING = word_set("replace swap trade supersede succeed substitute ditch drop abandon retire remove")
_DITCHING = word_set("ditch drop abandon swap trade")
_OWNERSHIP = frozenset(("ownership", "responsibility", "maintenance", "leadership"))


def by_change(clause: Clause, scene: Scene) -> list[Draft]:
    """A thing or an attribute gets another value: "… to B", "… from A to B"."""
    is_level = clause.verb.lemma in ("be", "stand", "sit")
    if (clause.verb.lemma not in _CHANGING and not is_level) or not clause.subjects:
        return []
    new, old = _level(clause) if is_level else _goal(clause), clause.arg("from")
    if new is None and old is not None and clause.verb.lemma == "move" and not clause.verb.is_negated:
        return _moves_away(clause, old, scene)
    manner = manner_of(clause, is_change=not is_level)
    is_rollout = clause.verb.lemma == "roll" and clause.verb.particle == "out"
    if new is None or manner is None or manner is ENDS or is_rollout:
        return []
    target, about = _target(clause)
    if target is None:
        return []
    own = _own_tools(target, old, new, clause, scene)
    if own is not None:
        return _moves(own, Move("USES", "uses", old, typed(scene.mention(new) or own, "Technology")), manner, scene)
    attribute = _attribute(target, about, new, clause, scene)
    if attribute is not None:
        return _from_to(attribute, old, new, manner, scene)
    if is_level:
        return []
    if clause.verb.lemma == "reassign":
        who, whom = scene.mention(target, about), scene.mention(new)
        return (
            _moves(who, Move("ASSIGNED_TO", "assignee", old, whom), manner, scene)
            if who is not None and whom is not None
            else []
        )
    return _person_moves(clause, target, old, new, manner, scene) or _switch(clause, target, old, new, manner, scene)


def _moves_away(clause: Clause, old: NounPhrase, scene: Scene) -> list[Draft]:
    """ "The Larsens have moved away from Odense"."""
    who, where = scene.mention(clause.subjects[0]), scene.mention(old) if old.name is not None else None
    is_told = manner_of(clause, is_change=True) is BEGINS and clause.arg("") is None
    if who is None or where is None or not is_told or where.type not in ("Location", ""):
        return []
    return [Draft(who, "LIVES_IN", typed(where, "Location"), "home", ENDS)]


def _own_tools(
    target: NounPhrase, old: NounPhrase | None, new: NounPhrase, clause: Clause, scene: Scene
) -> Mention | None:
    """Who "moved my notes from Notion to Obsidian": the one whose notes they are."""
    is_tool = (
        old is not None and old.name is not None and new.name is not None and old.name.name_type in ("Technology", "")
    )
    is_own = target.possessor is not None and bool(target.possessor.pronoun) and target.head not in words.ATTRIBUTES
    is_own = is_own and new.value is None and target.head not in words.PLACE_HEADS
    if not (is_tool and is_own) or clause.verb.lemma not in _SWITCHING or target.possessor is None:
        return None
    return scene.mention(target.possessor)


def _goal(clause: Clause) -> NounPhrase | None:
    """What it is changed to: "to B", "pinned at B", and for a date "extended until B"."""
    until = clause.arg("until", "till")
    is_date = until is not None and until.value is not None and until.value.type in _TIMED
    level = clause.arg("at") if clause.verb.lemma in _SETTING else None
    is_level = level is not None and level.value is not None
    if clause.verb.lemma in ("reschedule", "rebook"):
        return clause.arg("to", "for")
    return clause.arg("to") or (level if is_level else None) or (until if is_date else None)


def _level(clause: Clause) -> NounPhrase | None:
    """ "is up to 40 members", "is down to nine", "is at 2.4": where a number stands now."""
    goal = clause.arg("to") if clause.complement in ("up", "down") or clause.verb.particle in ("up", "down") else None
    new = goal or clause.arg("at")
    is_number = new is not None and new.value is not None and new.value.type in _LEVELS and new.name is None
    return new if is_number else None


def _target(clause: Clause) -> tuple[NounPhrase | None, list[Arg]]:
    """What is changed: the object if there is one, else the subject."""
    thing = clause.arg("")
    first = thing.core[0].value if thing is not None and thing.name is None else None
    # "raised 50 dollars" raises something else; "trimmed the Q1 budget" trims the budget.
    is_bare = first is not None and thing is not None and (len(thing.core) == 1 or first.type is not ValueType.DATE)
    if thing is not None and not is_bare and not clause.verb.is_passive:
        return thing, [arg for arg in clause.args if arg.prep in ("of", "for", "on", "in")]
    return clause.subjects[0], clause.about


def _attribute(target: NounPhrase, about: list[Arg], new: NounPhrase, clause: Clause, scene: Scene) -> Attribute | None:
    """Which attribute of what: the one named, or the one that the kind of the new value implies."""
    found = attribute_in(target, about, scene)
    if found is not None and found.noun.split()[-1] in _OWNERSHIP:
        return Attribute(found.owner, "owner", "OWNED_BY", "owner")
    value = new.value
    found = None if _is_of_itself(target, new, clause) else found
    if found is not None and (value is not None or new.name is not None or found.noun.split()[-1] in words.ATTRIBUTES):
        return found
    who = scene.mention(target)
    return _implied(who, target, new, clause) if who is not None and value is not None else None


def _is_of_itself(target: NounPhrase, new: NounPhrase, clause: Clause) -> bool:
    """Whether the thing itself has changed, not what somebody has: "my channel is at 840 subscribers"."""
    value = new.value
    if value is None:
        is_place = target.head in words.PLACE_HEADS and new.name is not None
        return is_place and clause.verb.lemma in ("move", "relocate")
    if new.name is not None:
        return value.type is ValueType.VERSION and target.head not in _NUMBERS
    is_count = value.type is ValueType.COUNT and len(new.core) > 1
    return is_count and target.possessor is not None and target.head not in words.ATTRIBUTES


def _implied(who: Mention, target: NounPhrase, new: NounPhrase, clause: Clause) -> Attribute | None:
    """The attribute that the kind of the new value implies."""
    value, person = new.value, is_person(target, who)
    assert value is not None
    if new.name is not None and value.type is ValueType.VERSION:
        return Attribute(who, "version", "VERSION", f"={new.name.lower} version")
    if value.type is ValueType.VERSION or (
        value.type is ValueType.COUNT
        and (clause.verb.lemma in ("upgrade", "bump", "pin", "downgrade", "roll") or _is_bare_decimal(new))
    ):
        return Attribute(who, "version", "VERSION", "version")
    if value.type is ValueType.COUNT and new.head in _WEIGHTS and person:
        return Attribute(who, "weight", "WEIGHT", "=weight")
    if value.type in _TIMED and not person:
        return Attribute(who, "schedule", "SCHEDULED_FOR", "schedule")
    if value.type is ValueType.COUNT and len(new.core) > 1 and new.name is None and who.type != "Person":
        noun = " ".join(token.lower for token in new.core[1:])
        return Attribute(who, noun, "HAS", f"=number of {noun}")
    return Attribute(who, "price", "PRICE", "price") if value.type is ValueType.MONEY and not person else None


def _is_bare_decimal(phrase: NounPhrase) -> bool:
    """ "2.4" with no unit."""
    return phrase.value is not None and len(phrase.core) == 1 and "." in phrase.value.text


def _from_to(
    attribute: Attribute, old: NounPhrase | None, new: NounPhrase, manner: Manner, scene: Scene
) -> list[Draft]:
    drafts = []
    for phrase, how in ((old, ENDS), (new, manner)):
        what = None if phrase is None else scene.value(phrase) if phrase.value is not None else scene.mention(phrase)
        if isinstance(what, Value) and attribute.attribute.endswith("version"):
            what = Value(type=ValueType.VERSION, text=what.text)
        if what is not None and not (how is ENDS and manner.kind is FactKind.PLAN):
            drafts.append(Draft(attribute.owner, attribute.relation, what, attribute.attribute, how))
    return drafts


def _person_moves(
    clause: Clause, target: NounPhrase, old: NounPhrase | None, new: NounPhrase, manner: Manner, scene: Scene
) -> list[Draft]:
    """ "Ana moved from Oslo to Rome"; "I moved the picture to the bedroom" moves the picture."""
    who, where = scene.mention(target), scene.mention(new) if new.value is None else None
    if who is not None and is_person(target, who) and _is_post(new) and (old is None or _is_post(old)):
        return _posts(who, old, new, manner) if old is not None or clause.verb.lemma in ("promote", "step") else []
    if (
        clause.verb.lemma not in ("move", "relocate", "put", "shift", "transfer", "return", "go")
        or who is None
        or where is None
    ):
        return []
    if clause.verb.lemma == "go" and clause.verb.particle != "back":
        return []
    if is_person(target, who) and clause.verb.lemma in ("move", "relocate", "return"):
        if new.name is not None and where.type == "Organization":
            return _moves(who, Move("WORKS_AT", "employer", old, where), manner, scene)
        if new.name is not None and where.type in ("Location", ""):
            return _moves(who, Move("LIVES_IN", "home", old, where), manner, scene)
        if new.head in ("team", "squad", "department", "group", "division"):
            return _moves(who, Move("MEMBER_OF", "member of", old, where), manner, scene)
        return []
    is_place = (target.head in words.PLACE_HEADS and new.name is not None) or new.head in words.PLACE_HEADS
    is_place = is_place or (new.name is not None and where.type == "Location")
    if clause.verb.lemma == "relocate":
        is_place = True
    if is_place and clause.verb.lemma != "go":
        return _moves(who, Move("LOCATED_IN", "location", old, typed(where, "Location")), manner, scene)
    return []


def _is_post(phrase: NounPhrase) -> bool:
    return phrase.name is None and phrase.value is None and phrase.head in words.PERSON_HEADS


def _posts(who: Mention, old: NounPhrase | None, new: NounPhrase, manner: Manner) -> list[Draft]:
    """ "went from junior analyst to portfolio manager"."""
    ended = old if manner.kind is FactKind.STATE else None
    return [
        Draft(typed(who, "Person"), "ROLE", Value(type=ValueType.TEXT, text=role.words()), "role", how)
        for role, how in ((ended, ENDS), (new, manner))
        if role is not None
    ]


@dataclass(frozen=True, slots=True)
class Move:
    """From one thing to another, as one relation and attribute has it."""

    relation: str
    attribute: str
    old: NounPhrase | None
    new: Mention


def _moves(who: Mention, move: Move, manner: Manner, scene: Scene) -> list[Draft]:
    kind = "Location" if move.relation in ("LIVES_IN", "LOCATED_IN") else ""
    drafts = [Draft(who, move.relation, typed(move.new, kind), move.attribute, manner)]
    left = scene.mention(move.old) if move.old is not None and move.old.value is None else None
    if left is not None and manner.kind is FactKind.STATE:
        drafts.insert(0, Draft(who, move.relation, typed(left, kind), move.attribute, ENDS))
    return drafts


def _switch(
    clause: Clause, target: NounPhrase, old: NounPhrase | None, new: NounPhrase, manner: Manner, scene: Scene
) -> list[Draft]:
    """ "We switched the storefront from Webpack to Vite": the storefront uses the one and no longer the other."""
    if clause.verb.lemma not in _SWITCHING or clause.verb.particle in ("back", "up", "down"):
        return []
    if clause.verb.lemma == "go" and not (clause.verb.is_past or clause.verb.is_perfect):
        return []  # "logs go to Splunk"
    who, what = scene.mention(target), scene.mention(new)
    if who is None or what is None or what.type in ("Person", "Location") or (new.name is None and old is None):
        return []
    purpose = clause.arg("for")
    attribute = "uses"
    if purpose is not None and purpose.value is None and old is None:
        attribute = f"=uses for {purpose.words().lower()}"
    return _moves(who, Move("USES", attribute, old, what), manner, scene)


def by_replacement(clause: Clause, scene: Scene) -> list[Draft]:
    """ "We replaced A with B", "A was replaced by B", "Bob replaced Ana as treasurer"."""
    if clause.verb.lemma not in _REPLACING:
        return []
    manner = manner_of(clause, is_change=True)
    if manner is None or not clause.subjects or manner is ENDS:
        return []
    subject, thing, new = clause.subjects[0], clause.arg(""), _successor(clause)
    role = clause.arg("as")
    if clause.verb.is_passive:
        old, by = subject, clause.arg("by", "with")
        return _exchanged(clause, old, new, manner, scene) or _replaced(clause, old, by, manner, scene)
    if role is not None and thing is not None and clause.verb.lemma in ("replace", "succeed"):
        return _replaced(clause, thing, subject, manner, scene)
    if thing is not None and new is not None and clause.verb.lemma in _DITCHING | {"replace"}:
        return _exchanged(clause, thing, new, manner, scene)
    return _given_up(clause, subject, thing, manner, scene)


def _successor(clause: Clause) -> NounPhrase | None:
    """What comes instead: "with B", "in favour of B", and of what is ditched "for B"; no "for security reasons"."""
    thing = clause.arg("")
    is_support = thing is not None and thing.head == "support"
    goal = clause.arg("for") if clause.verb.lemma in _DITCHING and not is_support else None
    is_thing = goal is not None and (goal.name is not None or goal.det in ("a", "an") or not is_ordinary(goal.head))
    return clause.arg("with", "in favour of") or (goal if is_thing else None)


def _exchanged(clause: Clause, old: NounPhrase, new: NounPhrase | None, manner: Manner, scene: Scene) -> list[Draft]:
    """Who used the one uses the other: the subject, or what it was done in ("in the widget A was swapped for B")."""
    place = clause.arg("in", "on")
    is_inside = place is not None and place.value is None and is_definite(place)
    user = place if is_inside else None
    user = user or (None if clause.verb.is_passive else clause.subjects[0])
    who, what = scene.mention(user) if user is not None else None, scene.mention(new) if new is not None else None
    if who is None or what is None or what.type == "Person" or old.value is not None:
        return []
    return _moves(who, Move("USES", "uses", old, what), manner, scene)


def _given_up(
    clause: Clause, subject: NounPhrase, thing: NounPhrase | None, manner: Manner, scene: Scene
) -> list[Draft]:
    if thing is not None and thing.head == "support" and clause.verb.lemma in ("drop", "remove", "abandon"):
        return _unsupported(subject, clause, manner, scene)
    is_named = (
        thing is not None and thing.name is not None and thing.name.name_type == "Technology" and thing.value is None
    )
    if clause.verb.lemma in ("drop", "ditch", "abandon", "remove", "retire") and thing is not None and is_named:
        who, gone = scene.mention(subject), scene.mention(thing)
        is_over = who is not None and gone is not None and manner is BEGINS
        return [Draft(who, "USES", gone, "uses", ENDS)] if is_over and who is not None else []
    if clause.verb.lemma in ("replace", "supersede") and thing is not None:
        return _replaced(clause, thing, subject, manner, scene)
    return []


def _unsupported(subject: NounPhrase, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    """ "dropped support for Windows 7"."""
    who, things = scene.mention(subject), clause.things("for")
    if who is None or manner is not BEGINS or subject.pronoun:
        return []
    names = [thing.words() if thing.name is not None else thing_words(thing) for thing in things]
    return [Draft(who, "SUPPORT", Mention(name=name), "support", ENDS) for name in names if name]


def _replaced(clause: Clause, old: NounPhrase, new: NounPhrase | None, manner: Manner, scene: Scene) -> list[Draft]:
    role = clause.arg("as")
    before, after = scene.mention(old), scene.mention(new) if new is not None else None
    if before is None or after is None or manner.kind is not FactKind.STATE:
        return []
    if role is not None and is_person(old, before):
        return post(before, role, clause, ENDS, scene) + post(after, role, clause, BEGINS, scene)
    return [Draft(before, "REPLACED_BY", after, "replaced by", BEGINS)]


def by_sale(clause: Clause, scene: Scene) -> list[Draft]:
    """ "Ana sold the boat to Bob", "Bob bought the boat from Ana": the boat has another owner."""
    thing, verb = clause.arg(""), clause.verb
    if verb.lemma not in ("sell", "buy") or thing is None or verb.is_passive or not clause.subjects:
        return []
    manner = manner_of(clause, is_change=True)
    other = clause.arg("from") if verb.lemma == "buy" else clause.arg("to")
    if manner is None or not is_definite(thing) or thing.value is not None:
        return []
    if other is None:
        what, one = scene.mention(thing), scene.mention(clause.subjects[0])
        is_sold = verb.lemma == "sell" and verb.is_past and manner is BEGINS and what is not None and one is not None
        return [Draft(what, "OWNED_BY", one, "owner", ENDS)] if is_sold and what is not None else []
    what, one, two = scene.mention(thing), scene.mention(clause.subjects[0]), scene.mention(other)
    if what is None or one is None or two is None or not (is_person(other, two) or two.type == "Organization"):
        return []
    new, old = (one, two) if verb.lemma == "buy" else (two, one)
    ended = [Draft(what, "OWNED_BY", old, "owner", ENDS)] if manner is BEGINS else []
    return [*ended, Draft(what, "OWNED_BY", new, "owner", manner)]


def by_release(clause: Clause, _scene: Scene) -> list[Draft]:
    """ "Larkspur 2.5.0 came out", "version 3 of Larkspur was released": that is its version now."""
    verb = clause.verb
    is_out = (
        (verb.lemma == "come" and verb.particle == "out")
        or verb.lemma in ("release", "ship", "launch")
        or (verb.lemma == "be" and (clause.complement == "out" or "out" in clause.adverbs))
    )
    manner = manner_of(clause, is_change=True) if is_out else None
    if manner is None or manner is ENDS or not clause.subjects:
        return []
    subject = (
        clause.arg("") if verb.lemma in ("release", "ship", "launch") and not verb.is_passive else clause.subjects[0]
    )
    number = clause.arg("") if verb.is_progressive or not verb.is_past else None
    maker = clause.subjects[0]
    is_own = number is not None and number.value is not None and len(number.core) == 1 and "." in number.value.text
    if is_own and number is not None and number.value is not None and maker.name is not None and not verb.is_passive:
        who = Mention(name=maker.name.text, type=maker.name.name_type)
        return [Draft(who, "VERSION", Value(type=ValueType.VERSION, text=number.value.text), "version", BEGINS)]
    if subject is None or subject.name is None or subject.value is None or subject.core[-1].value is None:
        return []
    who = Mention(name=subject.name.text, type=subject.name.name_type)
    return [Draft(who, "VERSION", Value(type=ValueType.VERSION, text=subject.value.text), "version", manner)]

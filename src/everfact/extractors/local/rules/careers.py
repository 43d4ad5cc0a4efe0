"""Who joins, leaves, takes over and hands on: employers, teams, roles and owners."""

from __future__ import annotations

from dataclasses import replace

from everfact.extractors.local.draft import BEGINS, ENDS, UNSURE, Draft, Manner, attribute_for, manner_of
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.reading.phrases import NounPhrase, Phrase
from everfact.extractors.local.reading.tokens import Token
from everfact.extractors.local.rules.attributes import attribute_in
from everfact.extractors.local.rules.copula import is_definite, role_text
from everfact.extractors.local.rules.frames import is_person, typed
from everfact.extractors.local.scene import Scene
from everfact.models import FactKind, Mention, Value, ValueType
from everfact.words import word_set

_JOBS = word_set("job position role post work gig internship employment")
_TEAMS = word_set(
    "team squad club gym group band choir committee board association union society class course league channel"
)
_TERMS = word_set("contract stint time tenure apprenticeship placement secondment")
_OWNERSHIP = frozenset(("ownership", "responsibility", "maintenance", "leadership"))
_JOINING = word_set("join rejoin start begin hire rehire get take accept land recruit poach headhunt")
_LEAVING = word_set("leave quit resign retire lose fire lay step stand depart sack dismiss oust relieve")
_DUTIES = word_set("duties duty responsibilities command post")
_LET_GO = word_set("fire lay sack dismiss oust relieve")
"""Done to somebody: only the passive says who has to leave."""


def by_career(clause: Clause, scene: Scene) -> list[Draft]:
    """Joining, leaving, being hired, promoted or let go."""
    lemma = clause.verb.lemma
    if lemma == "let" and clause.verb.particle == "go":
        return _let_go(clause, scene)
    if (lemma not in _JOINING and lemma not in _LEAVING and lemma != "promote") or not clause.subjects:
        return []
    manner = manner_of(clause, is_change=True)
    who = scene.mention(clause.subjects[0])
    if manner is None or manner is ENDS or who is None or not is_person(clause.subjects[0], who):
        return []
    who = typed(who, "Person")
    if lemma == "promote":
        return _role(who, clause.arg("to"), manner) if clause.verb.is_passive else []
    thing = clause.arg("")
    if lemma == "take" and (thing is None or thing.head not in _JOBS):
        return []
    if lemma in _JOINING:
        return _joins(who, clause, manner, scene) + _role(who, _role_of(clause), manner)
    return _leaves(who, clause, manner, scene)


def _let_go(clause: Clause, scene: Scene) -> list[Draft]:
    """ "Globex let me go", "Ana was let go by Globex"."""
    subject, thing = clause.subjects[0] if clause.subjects else None, clause.arg("")
    person, place = (subject, clause.arg("by", "from", "at")) if clause.verb.is_passive else (thing, subject)
    who = scene.mention(person) if person is not None and manner_of(clause, is_change=True) is BEGINS else None
    if who is None or person is None or not is_person(person, who):
        return []
    where = scene.mention(place) if place is not None and place.name is not None else None
    return [Draft(typed(who, "Person"), "WORKS_AT", where, "employer", ENDS)]


def by_contract(clause: Clause, scene: Scene) -> list[Draft]:
    """ "My contract with Globex ended", "her time at Hooli is over"."""
    verb, subject = clause.verb, clause.subjects[0] if clause.subjects else None
    is_over = verb.lemma in ("end", "finish", "expire", "run") or (verb.lemma == "be" and clause.complement == "over")
    if subject is None or subject.possessor is None or not is_over or subject.head not in _JOBS | _TERMS:
        return []
    place = next((arg.things[0] for arg in clause.about if arg.prep in ("at", "with", "for")), None)
    manner, who = manner_of(clause, is_change=True), scene.mention(subject.possessor)
    if place is None or who is None or manner is not BEGINS:
        return []
    return _left(who, place, clause, scene)


def by_last_day(phrases: list[Phrase], scene: Scene) -> list[Draft]:
    """ "Last day at Globex!", "Ana's last day at Globex was Friday"."""
    for at, phrase in enumerate(phrases[:-2]):
        link, place = phrases[at + 1], phrases[at + 2]
        is_day = isinstance(phrase, NounPhrase) and phrase.head in ("last day", "final day")
        if not (
            is_day and isinstance(phrase, NounPhrase) and isinstance(link, Token) and isinstance(place, NounPhrase)
        ):
            continue
        who = scene.mention(phrase.possessor or replace(phrase, possessor=None, pronoun="i"))
        if link.lower in ("at", "with") and place.name is not None and who is not None:
            return [Draft(typed(who, "Person"), "WORKS_AT", typed(where, "Organization"), "employer", ENDS)
                    for where in (scene.mention(place),) if where is not None]  # fmt: skip
    return []


def _role_of(clause: Clause) -> NounPhrase | None:
    role = clause.arg("as")
    return role if role is not None and role.value is None else None


def _role(who: Mention, role: NounPhrase | None, manner: Manner) -> list[Draft]:
    if role is None or role.pronoun or role.name is not None:
        return []
    return [Draft(who, "ROLE", Value(type=ValueType.TEXT, text=role.words()), "role", manner)]


def _joins(who: Mention, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    thing, place = clause.arg(""), clause.arg("at", "with", "by")
    lemma = clause.verb.lemma
    if thing is not None and thing.value is not None and thing.name is None:
        thing = None  # "started at Globex this week": a time, not what was started
    if lemma in ("join", "rejoin"):
        place = thing
    elif lemma in ("hire", "rehire", "recruit", "poach", "headhunt"):
        place = clause.arg("by", "at") if clause.verb.is_passive else None
    elif thing is not None and thing.head not in _JOBS:
        return []
    if place is None or place.pronoun or (place.value is not None and place.name is None):
        return []
    where = scene.mention(place)
    is_tool = where is not None and where.type == "Technology" and lemma.endswith("join") and clause.arg("as") is None
    if where is None or is_tool or where.type in ("Person", "Location", "Event"):
        return []
    if place.head in _TEAMS or (place.name is None and place.head not in words.ORGANIZATION_HEADS):
        return (
            [Draft(who, "MEMBER_OF", where, "member of", manner)]
            if lemma.endswith("join") and place.head in _TEAMS
            else []
        )
    return [Draft(who, "WORKS_AT", typed(where, "Organization"), "employer", manner)]


def _leaves(who: Mention, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    """Only what is named ends; "quit my job" alone ends the employment, whichever it is."""
    if manner.kind is not FactKind.STATE or clause.adverbs & words.STATUSES:
        return []
    lemma, thing, place = clause.verb.lemma, clause.arg(""), clause.arg("from", "at")
    role = clause.arg("as")
    if role is not None and (
        lemma in ("resign", "step", "stand", "quit", "retire") or (lemma in _LET_GO and clause.verb.is_passive)
    ):
        # "relieved of her duties as treasurer of the club": of the club, not of the duties
        named = [arg for arg in clause.args if arg.prep != "of" or arg.things[0].head not in _DUTIES]
        return post(who, role, replace(clause, args=named), ENDS, scene)
    is_job = thing is not None and thing.head in _JOBS
    if lemma in ("leave", "quit") and thing is not None and not is_job:
        place = thing
    elif (lemma in ("lose", "quit", "leave") and not is_job) or (lemma in _LET_GO and not clause.verb.is_passive):
        return []
    if place is not None and place.value is None and not place.pronoun:
        return _left(who, place, clause, scene)
    is_whole = is_job and thing is not None and thing.possessor is not None and lemma in ("quit", "lose", "leave")
    return [Draft(who, "WORKS_AT", None, "employer", ENDS)] if is_whole else []


def _left(who: Mention, place: NounPhrase, clause: Clause, scene: Scene) -> list[Draft]:
    where = scene.mention(place)
    if (
        where is not None
        and "permanently" in clause.adverbs
        and where.type in ("Location", "")
        and place.name is not None
    ):
        return [Draft(who, "LIVES_IN", typed(where, "Location"), "home", ENDS)]
    if where is None or where.type in ("Person", "Location", "Event"):
        return []
    if where.type == "Project":
        owned = Draft(where, "OWNED_BY", who, "owner", ENDS, UNSURE)
        return [Draft(who, "WORKS_ON", where, "works on", ENDS, UNSURE), owned]
    if place.head in _TEAMS:
        return [Draft(who, "MEMBER_OF", where, "member of", ENDS)]
    if place.name is None and place.head not in words.ORGANIZATION_HEADS:
        return []
    drafts = [Draft(who, "WORKS_AT", typed(where, "Organization"), "employer", ENDS)]
    target = clause.arg("for")
    new = scene.mention(target) if target is not None and target.name is not None and target.value is None else None
    if new is not None and new.type in ("Organization", ""):
        drafts.append(Draft(who, "WORKS_AT", typed(new, "Organization"), "employer", BEGINS))
    return drafts


def post(who: Mention, role: NounPhrase, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    """Somebody's role: of something definite it is that thing's attribute ("the treasurer of the club"), else a job."""
    owner = next((arg for arg in clause.args if arg.prep in ("of", "for") and is_definite(arg.things[0])), None)
    is_held = owner is not None or role.possessor is not None
    held = attribute_in(role, [owner] if owner is not None else [], scene, is_role=True) if is_held else None
    if held is not None:
        # "chairs the council" was told as owning it.
        led = [Draft(held.owner, "OWNED_BY", who, "owner", ENDS, UNSURE)] if manner is ENDS else []
        return [Draft(held.owner, held.relation, who, held.attribute, manner), *led]
    return [Draft(who, "ROLE", Value(type=ValueType.TEXT, text=role_text(role, clause)), "role", manner)]


def by_appointment(clause: Clause, scene: Scene) -> list[Draft]:
    """ "The club elected Ana as its treasurer in place of Bob", "Ana was appointed treasurer"."""
    verb = clause.verb
    is_named = verb.lemma in ("elect", "appoint", "name", "hire", "promote", "make")
    manner = manner_of(clause, is_change=True) if is_named else None
    if manner is None or manner is ENDS:
        return []
    person = clause.subjects[0] if verb.is_passive and clause.subjects else clause.arg("")
    objects = [arg.things[0] for arg in clause.args if not arg.prep]
    # "was named rector" has the role as its object, "named Ana rector" as its second one.
    role = clause.arg("as", "to") or next(iter(objects if verb.is_passive else objects[1:]), None)
    if person is None or role is None or role.head not in words.PERSON_HEADS or role.name is not None:
        return []
    who, gone = scene.mention(person), clause.arg("instead of")
    if who is None or not is_person(person, who):
        return []
    drafts = post(typed(who, "Person"), role, clause, manner, scene)
    before = scene.mention(gone) if gone is not None else None
    if before is not None and manner is BEGINS:
        drafts = post(before, role, clause, ENDS, scene) + drafts
    return drafts


def by_handover(clause: Clause, scene: Scene) -> list[Draft]:
    """ "Ana took over the gateway from Bob", "Bob handed the gateway over to Ana", "took over from me as treasurer"."""
    verb = clause.verb
    is_taking = verb.lemma == "take" and (verb.particle == "over" or "over" in clause.adverbs)
    is_giving = verb.lemma in ("hand", "pass", "transfer", "give") and clause.arg("to") is not None
    manner = manner_of(clause, is_change=True) if is_taking or is_giving else None
    if manner is None or manner is ENDS or not clause.subjects:
        return []
    who = scene.mention(clause.subjects[0])
    if is_taking:
        return _takes_over(who, clause, manner, scene) if who is not None else []
    thing = clause.subjects[0] if verb.is_passive else clause.arg("")
    if thing is not None and thing.head in _OWNERSHIP:
        thing = next((arg.things[0] for arg in (*clause.about, *clause.args) if arg.prep in ("of", "for")), None)
    taker = clause.arg("to")
    if thing is None or taker is None or taker.value is not None:
        return []
    if verb.lemma == "give" and verb.particle != "over" and not (verb.is_perfect and is_definite(thing)):
        return []
    if thing.head in _JOBS and len(thing.core) > 1 and thing.core[-2].lower in words.PERSON_HEADS:
        return _hands_post(thing, taker, clause, manner, scene)
    what, whom = scene.mention(thing), scene.mention(taker)
    if (
        what is None
        or whom is None
        or not (is_person(taker, whom) or whom.type == "Organization")
        or is_person(thing, what)
    ):
        return []
    return [Draft(what, "OWNED_BY", whom, "owner", manner)]


def _hands_post(thing: NounPhrase, taker: NounPhrase, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    """ "handed the product lead job on Tern to Ana": she is its product lead."""
    whom, place = scene.mention(taker), clause.arg("on", "of", "for", "at")
    owner = scene.mention(place) if place is not None and place.value is None else None
    if whom is None or owner is None or not is_person(taker, whom):
        return []
    relation, attribute = attribute_for(" ".join(token.lower for token in thing.core[:-1]))
    return [Draft(owner, relation, typed(whom, "Person"), attribute, manner)]


def _takes_over(who: Mention, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    role, giver, thing = clause.arg("as"), clause.arg("from"), clause.arg("")
    if role is not None:
        before = scene.mention(giver) if giver is not None else None
        ended = post(before, role, clause, ENDS, scene) if before is not None and manner is BEGINS else []
        return ended + post(who, role, clause, manner, scene)
    if thing is not None and thing.head in _OWNERSHIP:
        thing = clause.arg("of", "for")
    is_thing = thing is not None and (thing.value is None or thing.core[-1].value is not None)
    what = scene.mention(thing) if thing is not None and is_thing else None
    if what is None:
        return []
    before = scene.mention(giver) if giver is not None and manner is BEGINS else None
    is_given = before is not None and giver is not None and is_person(giver, before)
    ended = [Draft(what, "OWNED_BY", before, "owner", ENDS)] if is_given else []
    return [*ended, Draft(what, "OWNED_BY", who, "owner", manner)]

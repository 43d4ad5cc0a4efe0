"""Where something is and when: "is in Rome", "is on the payments team", "is due on Friday", "has its seat in Oslo"."""

from __future__ import annotations

from everfact.extractors.local.draft import BEGINS, ENDS, Draft, Manner, manner_of
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Arg, Clause
from everfact.extractors.local.rules.frames import numbered, typed
from everfact.extractors.local.scene import Scene
from everfact.models import Mention, ValueType
from everfact.words import word_set

_TIMED = frozenset((ValueType.DATE, ValueType.TIME, ValueType.WEEKDAY, ValueType.FREQUENCY))
_TEAMS = frozenset(("team", "squad", "department", "crew"))
_HELD = word_set("ticket issue task bug story request case invoice application pr")
_TO = {
    "married": ("MARRIED_TO", "spouse"),
    "engaged": ("ENGAGED_TO", "engaged to"),
    "allergic": ("ALLERGIC_TO", "allergic to"),
    "responsible": ("OWNED_BY", "owner"),
    "related": ("RELATED_TO", "related to"),
}


def by_seat(clause: Clause, scene: Scene) -> list[Draft]:
    """ "Globex has its headquarters in Oslo": they are there."""
    if clause.verb.lemma != "have":
        return []
    thing, place = clause.arg(""), clause.arg("in", "at")
    is_own = thing is not None and thing.possessor is not None and bool(thing.possessor.pronoun)
    if not is_own or thing is None or place is None or place.name is None:
        return []
    manner, what, where = manner_of(clause), scene.mention(thing), scene.mention(place)
    if manner is None or what is None or where is None or where.type not in ("Location", ""):
        return []
    return [Draft(what, "LOCATED_IN", typed(where, "Location"), "location", manner)]


def place_or_time(who: Mention, clause: Clause, manner: Manner, scene: Scene, *, person: bool) -> list[Draft]:
    """What "is in", "is on", "is due on" and the like say."""
    if clause.complement in _TO or clause.complement == "due":
        return _adjective_to(who, clause, manner, scene)
    for arg in clause.args:
        thing = arg.things[0]
        version = numbered(who, thing, manner)
        if version is not None and arg.prep in ("on", "at"):
            return [version]
        if thing.value is not None and thing.value.type in _TIMED and arg.prep in ("on", "at", "in") and not person:
            return [Draft(who, "SCHEDULED_FOR", scene.value(thing), "schedule", manner)]
        what = scene.mention(thing) if thing.value is None else None
        found = None
        if what is not None:
            found = _of_person(who, arg, what, manner) if person else None
            found = found or _at(who, arg, what, manner) or _by_name(who, arg, what, clause, manner, scene)
        if found is not None:
            return [found]
    return []


def _of_person(who: Mention, arg: Arg, what: Mention, manner: Manner) -> Draft | None:
    """ "is on the payments team", "is no longer in the band", "is on antibiotics", "is into poetry"."""
    thing = arg.things[0]
    if arg.prep in ("on", "in") and thing.head in _TEAMS:
        return Draft(who, "MEMBER_OF", what, "on team", manner)
    if arg.prep == "in" and thing.name is not None and manner is ENDS and what.type != "Location":
        return Draft(who, "MEMBER_OF", what, "member of", manner)
    is_other = thing.head in words.PLACE_HEADS or thing.head in words.STATUS_PHRASES or bool(thing.pronoun)
    if arg.prep == "on" and thing.name is None and not is_other:
        return Draft(who, "ON", what, "is on", manner, 0.7)
    if arg.prep == "on" and thing.name is not None and what.type != "Location":
        return Draft(who, "USES", what, "uses", manner)
    return Draft(who, "LIKES", what, "likes", manner) if arg.prep == "into" else None


def _at(who: Mention, arg: Arg, what: Mention, manner: Manner) -> Draft | None:
    if arg.prep == "from" and arg.things[0].name is not None:
        return Draft(who, "FROM", typed(what, "Location"), "from", manner)
    if arg.prep == "on" and arg.things[0].name is not None and what.type != "Location":
        return Draft(who, "USES", what, "runs on", manner)
    return None


def _by_name(who: Mention, arg: Arg, what: Mention, clause: Clause, manner: Manner, scene: Scene) -> Draft | None:
    """ "is in Rome", "is with Globex now", "ticket 7 is with Ana"; "is at Globex" may be no more than a visit."""
    thing, prep = arg.things[0], arg.prep
    if thing.name is None and not (prep in ("in", "at", "on") and thing.head in words.PLACE_HEADS):
        return None
    person = who.type == "Person" or (clause.subjects[0].name is not None and who.type == "")
    is_now = "now" in clause.adverbs or clause.verb.is_perfect
    is_firm = what.type == "Organization" or (what.type == "" and (prep == "at" or " " in what.name))
    if prep == "in" and is_now and person and who.name == scene.moved and what.type in ("Location", ""):
        return Draft(who, "LIVES_IN", typed(what, "Location"), "home", BEGINS)
    if person and is_firm and prep in ("at", "with") and (manner is ENDS or is_now):
        return Draft(typed(who, "Person"), "WORKS_AT", typed(what, "Organization"), "employer", manner)
    if prep in ("in", "at", "on"):
        return Draft(who, "LOCATED_IN", typed(what, "Location"), "location", manner)
    if prep == "with" and not _HELD.isdisjoint(who.name.lower().split()) and what.type in ("Person", ""):
        return Draft(who, "ASSIGNED_TO", typed(what, "Person"), "assignee", manner)
    return Draft(who, "WITH", what, "with", manner, 0.5) if prep == "with" else None


def _adjective_to(who: Mention, clause: Clause, manner: Manner, scene: Scene) -> list[Draft]:
    if clause.complement == "due":
        thing = clause.arg("on", "by", "at", "", "in")
        value = scene.value(thing) if thing is not None else None
        return [Draft(who, "DUE", value, "deadline", manner)] if value is not None else []
    thing = clause.arg("to", "for")
    what = scene.mention(thing) if thing is not None and thing.value is None else None
    if what is None:
        return []
    relation, attribute = _TO[clause.complement]
    if attribute in ("spouse", "engaged to") and not (
        what.type == "Person" or (thing is not None and thing.name is not None)
    ):
        return []
    if clause.complement == "responsible":
        return [Draft(what, relation, who, attribute, manner)]
    return [Draft(who, relation, what, attribute, manner)]

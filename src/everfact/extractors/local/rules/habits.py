"""How many and how often: "has five people", "sees her physio every two weeks", "we ship the beta on 12 March"."""

from __future__ import annotations

from everfact.extractors.local.draft import BEGINS, ENDS, HAPPENED, HOLDS, Draft, manner_of
from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.rules.frames import FRAMES, is_person
from everfact.extractors.local.scene import Scene
from everfact.models import FactKind, Value, ValueType
from everfact.relations import relation_name
from everfact.words import word_set

_HABITS = frozenset((ValueType.FREQUENCY, ValueType.WEEKDAY, ValueType.TIME))
_TAKING_PLACE = frozenset(("take_place", "meet", "happen", "get together", "gather", "convene"))
_REACHING = word_set("hit reach pass top surpass cross")
_COUNTED = word_set("far now already currently total altogether")


def by_count(clause: Clause, scene: Scene) -> list[Draft]:
    """ "has five people", "knitted seven squares so far": a count that is one at a time."""
    thing = clause.arg("of") if clause.verb.lemma == "consist" else clause.arg("")
    verb = clause.verb
    if thing is not None and thing.value is not None and len(thing.core) == 1 and clause.subjects:
        return _share(clause, thing, scene)
    if thing is None or thing.value is None or thing.name is not None or len(thing.core) < 2 or not clause.subjects:
        return []
    if thing.value.type is not ValueType.COUNT or thing.core[0].kind != "value" or verb.lemma in ("weigh", "cost"):
        return []
    manner, who = manner_of(clause), scene.mention(clause.subjects[0])
    if manner is None or who is None or manner.kind is FactKind.PLAN:
        return []
    value = scene.value(thing)
    noun = " ".join(token.lower for token in thing.core[1:])
    is_having = verb.lemma in (
        "have",
        "own",
        "employ",
        "contain",
        "hold",
        "cover",
        "count",
        "comprise",
        "boast",
        "consist",
    )
    is_having = is_having or (verb.lemma == "be" and not is_person(clause.subjects[0], who))
    if verb.lemma in _REACHING:
        return [Draft(who, "HAS", value, f"=number of {noun}", BEGINS)]
    is_state = manner.kind is FactKind.STATE and (
        is_having or not (verb.is_perfect or verb.is_progressive or verb.is_passive)
    )
    if clause.adverbs & {"today", "tomorrow", "tonight"}:
        is_state = False
    spans = [arg.things[0].value for arg in clause.args if arg.things[0].value is not None]
    is_running = verb.is_perfect and any(span.text.lower().startswith("this ") for span in spans if span is not None)
    if is_state or is_running or (clause.adverbs & _COUNTED and not verb.is_progressive):
        prefix = "number of" if is_having else verb.lemma
        return [
            Draft(
                who,
                "HAS" if is_having else verb.lemma.upper(),
                value,
                f"={prefix} {noun}",
                ENDS if manner is ENDS else HOLDS,
            )
        ]
    return [Draft(who, verb.lemma.upper(), value, f"{verb.lemma} {noun}", HAPPENED, 0.6)]


def _share(clause: Clause, part: NounPhrase, scene: Scene) -> list[Draft]:
    """ "has finished 6 of the 14 chapters": how far it is."""
    whole, manner, verb = clause.arg("of"), manner_of(clause), clause.verb
    who = scene.mention(clause.subjects[0])
    is_count = (
        part.value is not None and part.value.type is ValueType.COUNT and whole is not None and whole.det == "the"
    )
    if not is_count or whole is None or part.value is None or who is None or whole.name is not None:
        return []
    is_done = verb.is_perfect and not verb.is_past and not verb.is_passive
    if manner is not HOLDS or not is_done:
        return []
    noun = " ".join(token.lower for token in whole.core if token.kind != "value")
    text = f"{part.words()} of {' '.join(token.text for token in whole.tokens)}"
    value = Value(type=ValueType.COUNT, text=text, number=part.value.number, unit=whole.head)
    return [Draft(who, verb.lemma.upper(), value, f"={verb.lemma} {noun}", HOLDS)] if noun else []


def by_date(clause: Clause, scene: Scene) -> list[Draft]:
    """ "We ship the beta on 12 March": what is planned for a day."""
    verb, thing, when = clause.verb, clause.arg(""), clause.arg("on", "by")
    is_plan = verb.lemma in ("ship", "release", "launch", "publish") and not verb.is_past and not verb.is_perfect
    if not is_plan or thing is None or thing.det != "the" or when is None or when.value is None:
        return []
    what, manner = scene.mention(thing), manner_of(clause)
    if what is None or manner is None or when.value.type is not ValueType.DATE:
        return []
    return [Draft(what, "SCHEDULED_FOR", scene.value(when), "schedule", HOLDS)]


def by_habit(clause: Clause, scene: Scene) -> list[Draft]:
    """ "sees her physio every two weeks", "is backed up hourly", "takes place on Tuesdays": how often, or when."""
    verb = clause.verb
    manner = manner_of(clause)
    if manner is None or manner.kind is FactKind.EVENT or not clause.subjects:
        return []
    times = [
        arg
        for arg in clause.args
        if arg.things[0].value is not None and arg.things[0].value.type in _HABITS and len(arg.things[0].core) == 1
    ]
    things = [thing for arg in times if arg.prep in ("", "on", "at") for thing in arg.things]
    who = scene.mention(clause.subjects[0], clause.about)
    if not things or who is None:
        return []
    what = next((thing for thing in clause.things("") if thing.value is None and not thing.pronoun), None)
    goal = clause.arg("to", "in", "with") if what is None else None
    target = what or (goal if goal is not None and goal.value is None and not goal.pronoun else None)
    if any((verb.lemma, arg.prep) in FRAMES and arg.things[0].name is not None for arg in clause.args if arg.prep):
        return []  # "works for Globex on Saturdays"
    if verb.lemma in ("do", "have", "hold", "run") and what is not None and is_person(clause.subjects[0], who):
        who, doing = scene.mention(what) or who, "take_place"  # "we do retros every other week"
    else:
        doing = " ".join(filter(None, (verb.lemma, verb.particle, target.head if target is not None else "")))
    is_fixture = (doing == "hold" and verb.is_passive) or (
        doing in _TAKING_PLACE or verb.lemma == "be" or (doing == "run" and not is_person(clause.subjects[0], who))
    )
    attribute = "schedule" if is_fixture else f"={doing} when"
    relation = "SCHEDULED_FOR" if attribute == "schedule" else relation_name(doing)
    # Several at once stand side by side, so each has an attribute of its own; an ending may be of either sort.
    each = {id(thing): f"{attribute.removeprefix('=')} {thing.words().lower()}" for thing in things}
    drafts = []
    for thing in things:
        attributes = [attribute] if len(things) == 1 else []
        attributes += [each[id(thing)]] if len(things) > 1 or manner is ENDS else []
        drafts += [Draft(who, relation, scene.value(thing), name, manner) for name in attributes]
    rejected = clause.things("instead of", "not", "rather than") if manner is HOLDS else []
    return [
        Draft(who, relation, scene.value(thing), attribute, ENDS) for thing in rejected if thing.value is not None
    ] + drafts

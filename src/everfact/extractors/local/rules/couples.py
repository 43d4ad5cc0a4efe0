"""Two people of one clause: "Ana and Bob got divorced", "Ana broke up with Bob", "Ana shares a flat with Bob"."""

from __future__ import annotations

from everfact.extractors.local.draft import BEGINS, ENDS, Draft, manner_of
from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.rules.frames import is_person, typed
from everfact.extractors.local.scene import Scene
from everfact.models import Mention
from everfact.words import word_set

_HOMES = word_set("flat apartment house home place room studio loft dorm")


def by_household(clause: Clause, scene: Scene) -> list[Draft]:
    """ "Ana shares her flat with Bob and Carl"."""
    home = clause.arg("") if clause.verb.lemma == "share" else None
    manner = manner_of(clause) if home is not None and home.head in _HOMES else None
    if manner is None:
        return []
    who = scene.mention(clause.subjects[0])
    others = [(other, scene.mention(other)) for other in clause.things("with")]
    return [
        Draft(typed(who, "Person"), "LIVES_WITH", typed(whom, "Person"), "lives with", manner)
        for other, whom in others
        if who is not None and whom is not None and is_person(other, whom)
    ]


def by_couple(clause: Clause, scene: Scene) -> list[Draft]:
    """Who married whom, who parted from whom."""
    verb = clause.verb
    is_got = any(token.lemma == "get" for token in verb.tokens)
    is_wedding = verb.lemma == "marry" and (is_got or not verb.is_passive)
    is_divorce = verb.lemma in ("divorce", "separate") and (is_got or not verb.is_passive)
    is_apart = verb.lemma == "be" and verb.is_over and "together" in (clause.complement, *clause.adverbs)
    bond = clause.arg("")
    is_off = verb.particle == "off" and bond is not None and bond.head in ("engagement", "wedding")
    is_split = verb.lemma in ("break", "split") and (verb.particle == "up" or clause.arg("with") is not None)
    is_breakup = is_apart or is_off or is_split
    if not (is_wedding or is_divorce or is_breakup):
        return []
    manner = manner_of(clause, is_change=True)
    pair = _pair(clause, scene)
    manner = BEGINS if is_apart and manner is ENDS else manner
    if pair is None or manner is None or manner is ENDS or (manner is not BEGINS and not is_wedding):
        return []
    relation, attribute = ("PARTNER", "=partner") if is_breakup else ("MARRIED_TO", "spouse")
    return [Draft(a, relation, b, attribute, manner if is_wedding else ENDS) for a, b in (pair, pair[::-1])]


def _pair(clause: Clause, scene: Scene) -> tuple[Mention, Mention] | None:
    """The two of them: both subjects, or the subject and the object."""
    preps = ("from", "with", "to") if clause.verb.particle == "off" else ("", "from", "with", "to")
    other = clause.arg(*preps) if len(clause.subjects) == 1 else None
    phrases = [*clause.subjects, *([other] if other is not None else [])]
    people = [typed(who, "Person") for phrase in phrases if (who := scene.mention(phrase)) and is_person(phrase, who)]
    return (people[0], people[1]) if len(phrases) == len(people) == 2 and people[0].name != people[1].name else None

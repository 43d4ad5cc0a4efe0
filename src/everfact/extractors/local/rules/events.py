"""Any other verb, as it stands: what somebody did, told once; it ends nothing."""

from __future__ import annotations

from everfact.extractors.local.draft import ENDS, HAPPENED, Draft, manner_of
from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.rules.frames import FRAMES
from everfact.extractors.local.scene import Scene
from everfact.models import FactKind, Mention, ValueType
from everfact.relations import relation_name
from everfact.words import word_set

_EMPTY = word_set(
    "include be have do say tell think know feel look want mean guess try let seem sound thank hope wait happen ask "
    "wonder believe need help keep like make get take give come put see hear talk remember forget realize "
    "appreciate understand care check remind excite tend matter count deserve bring show share send stop start "
    "begin end turn set become remain stay"
)
_ARGUMENTS = frozenset(
    ("", "to", "in", "at", "with", "for", "by", "from", "on", "of", "as", "into", "against", "near", "through")
)


def by_verb(clause: Clause, scene: Scene, told: set[str]) -> list[Draft]:
    """Subject, verb, and every named thing after it that no other rule has told of."""
    verb = clause.verb
    manner = manner_of(clause)
    if manner is None or not clause.subjects or verb.lemma == "be":
        return []
    if manner.kind is FactKind.STATE and manner is not ENDS and (verb.is_past or verb.is_perfect or verb.is_passive):
        manner = HAPPENED
    drafts = _dated(clause, scene) if manner.kind is FactKind.EVENT and not told else []
    for arg in clause.args:
        if arg.prep not in _ARGUMENTS or (arg.prep == "of" and verb.lemma not in ("consist", "compose", "dream")):
            continue
        relation = relation_name(f"{verb.lemma} {verb.particle} {arg.prep}")
        for subject in clause.subjects:
            who = scene.mention(subject, clause.about)
            for thing in arg.things if who is not None else ():
                is_framed = ((verb.lemma, arg.prep) in FRAMES or bool(told)) and thing.name is None
                what = _thing(thing, scene) if _is_worth_it(verb.lemma, arg.prep, thing) and not is_framed else None
                is_told = what is None or what.name in told or (thing.name is not None and thing.name.text in told)
                if who is not None and what is not None and who.name != what.name and not is_told:
                    drafts.append(Draft(who, relation, what, relation.lower().replace("_", " "), manner, 0.5))
    return drafts


def _thing(phrase: NounPhrase, scene: Scene) -> Mention | None:
    """What is meant, with its number: "no longer supports Python 3.8" speaks of no other Python."""
    if phrase.name is not None and phrase.value is not None and phrase.core[-1].value is not None:
        return Mention(name=phrase.words(), type=phrase.name.name_type)
    return scene.mention(phrase)


def _is_worth_it(lemma: str, prep: str, thing: NounPhrase) -> bool:
    if thing.pronoun or (thing.value is not None and thing.name is None):
        return False
    if lemma in _EMPTY:
        return thing.name is not None and prep != ""
    return any(token.kind == "name" for token in thing.core) or prep in ("", "to", "at")


def _dated(clause: Clause, scene: Scene) -> list[Draft]:
    """ "The company was founded in 1969": the date is all that is said of it."""
    if any(arg.prep in ("", "by") and arg.things[0].value is None for arg in clause.args):
        return []
    when = next((arg for arg in clause.args if arg.prep in ("in", "on") and is_date(arg.things[0])), None)
    who = scene.mention(clause.subjects[0], clause.about)
    if when is None or who is None or clause.verb.lemma in _EMPTY:
        return []
    relation = relation_name(f"{clause.verb.word} {when.prep}")
    return [Draft(who, relation, scene.value(when.things[0]), relation.lower().replace("_", " "), HAPPENED, 0.6)]


def is_date(phrase: NounPhrase) -> bool:
    """Whether the phrase is a date and nothing else."""
    return phrase.value is not None and phrase.value.type is ValueType.DATE and len(phrase.core) == 1

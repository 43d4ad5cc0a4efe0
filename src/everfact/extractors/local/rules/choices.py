"""What people want, choose, decide and require."""

from __future__ import annotations

from everfact.extractors.local.draft import BEGINS, ENDS, HAPPENED, HOLDS, Draft, manner_of
from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.rules.copula import is_definite
from everfact.extractors.local.scene import Scene
from everfact.models import Mention

_CHOOSING = {
    ("choose", ""),
    ("pick", ""),
    ("select", ""),
    ("go", "with"),
    ("opt", "for"),
    ("settle", "on"),
    ("decide", "on"),
}


def by_preference(clause: Clause, scene: Scene) -> list[Draft]:
    """ "prefers tea over coffee": between those two; "prefers tea": one of many likings."""
    thing, other = clause.arg(""), clause.arg("over", "to", "than", "rather than", "instead of")
    verb = clause.verb
    is_rather = "rather" in clause.adverbs and verb.modal in ("'d", "would") and not verb.is_negated
    is_wish = verb.lemma == "want" and "now" in clause.adverbs and not verb.wrappers
    is_liking = verb.lemma in ("prefer", "favour", "favor") or is_rather or is_wish
    if not is_liking or thing is None or not clause.subjects:
        return []
    manner = HOLDS if is_rather and not clause.is_reported else manner_of(clause)
    who, what = scene.mention(clause.subjects[0]), scene.mention(thing)
    if manner is None or who is None or what is None:
        return []
    against = scene.mention(other) if other is not None and other.value is None else None
    purpose = clause.arg("for")
    attribute = "prefers"
    if purpose is not None and purpose.value is None:
        attribute = f"=preference for {purpose.words().lower()}"
    elif against is not None:
        attribute = "=preference " + "/".join(sorted((what.name.lower(), against.name.lower())))
    return [Draft(who, "PREFERS", what, attribute, manner)]


def by_choice(clause: Clause, scene: Scene) -> list[Draft]:
    """ "We chose X over Y for Z": the choice happened; where it says for what, that uses X from then on."""
    verb = clause.verb
    for prep in ("", "with", "for", "on"):
        thing = clause.arg(prep)
        if thing is None or not clause.subjects:
            continue
        is_choice = (verb.lemma, prep) in _CHOOSING or (verb.lemma == "go" and verb.particle == "with" and not prep)
        if is_choice or (verb.lemma == "settle" and verb.particle == "on" and not prep):
            return _chosen(clause, thing, scene)
    return []


def _chosen(clause: Clause, thing: NounPhrase, scene: Scene) -> list[Draft]:
    verb = clause.verb
    manner = BEGINS if verb.lemma == "go" and verb.is_progressive else manner_of(clause, is_change=True)
    who = scene.mention(clause.subjects[0])
    what = scene.mention(thing) if thing.value is None or thing.name is not None else None
    if manner is None or who is None or what is None or manner is ENDS:
        return []
    purpose = clause.arg("for") if verb.lemma != "opt" or clause.arg("for") is not thing else None
    user = scene.mention(purpose) if purpose is not None and purpose.value is None and is_definite(purpose) else None
    how = HAPPENED if manner is BEGINS else manner
    losers = [scene.mention(other) for other in clause.things("over", "instead of", "rather than") if other.name]
    decided = [Draft(who, "CHOSE", what, "chose", how)]
    decided += [Draft(what, "CHOSEN_OVER", other, "chosen over", how) for other in losers if other is not None]
    if user is not None:
        return [*decided, Draft(user, "USES", what, "uses", manner)]
    if purpose is not None and purpose.value is None and not purpose.pronoun:
        return [*decided, Draft(who, "USES", what, f"=uses for {purpose.words().lower()}", manner)]
    return decided


def by_decision(clause: Clause, scene: Scene, sentence: str) -> list[Draft]:
    """ "We decided to move to Rome": the decision stands, the move is only planned."""
    verb = clause.verb
    if "decide" not in verb.wrappers or verb.is_negated or clause.is_reported or not clause.subjects:
        return []
    who = scene.mention(clause.subjects[0])
    inner = next((token for token in verb.tokens if token.lower == verb.word), verb.tokens[-1])
    text = sentence[inner.start : clause.end].strip(" .,;!")
    return (
        [Draft(who, "DECIDED_TO", Mention(name=text, type="Decision"), "decided to", BEGINS)] if who is not None else []
    )


def by_requirement(clause: Clause, scene: Scene, sentence: str) -> list[Draft]:
    """ "Every endpoint must answer in 200 ms", "the job needs to run nightly"."""
    verb = clause.verb
    is_must = verb.modal == "must" or "need" in verb.wrappers or (verb.lemma == "be" and "require" in verb.wrappers)
    if not is_must or verb.is_past or clause.is_reported or not clause.subjects or clause.mark == "if":
        return []
    subject = clause.subjects[0]
    who = scene.mention(subject) if not subject.pronoun or subject.pronoun == "we" else None
    if who is None or (who.type == "Person" and not subject.pronoun):
        return []
    begin = next(
        (token.start for token in verb.tokens if token.kind == "modal" or token.lemma == "need"), verb.tokens[0].start
    )
    text = sentence[begin : clause.end].strip(" .,;!")
    return [Draft(who, "MUST", Mention(name=text, type="Requirement"), "must", HOLDS)]

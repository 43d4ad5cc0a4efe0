"""A statement before its dates are settled, and what a clause says about phase and kind."""

from __future__ import annotations

from dataclasses import dataclass

from everfact.extractors.local.reading.clauses import Clause
from everfact.models import FactKind, Mention, Phase, Value
from everfact.relations import attribute_of, is_one_at_a_time, relation_name
from everfact.words import word_set

UNSURE = 0.4
"""How sure a denial is, and an ending that follows from another: it ends what is known and proves nothing else."""
_UNREAL = word_set("can ca cannot would could might may should must ought 'd")
_FUTURE = word_set("will 'll shall gonna wo")
_NEVER_ASSERTED = word_set("if unless whether how why where lest in-case")
_LATER = word_set("once when whenever before after until till")
_ENDING = frozenset(("stop", "quit", "cease", "give"))
_BEGINNING = frozenset(("start", "begin", "resume"))
_PLANNING = frozenset(("will", "plan", "intend", "decide", "agree", "choose", "promise", "prepare", "go"))
_DREAMING = word_set(
    "want hope try wish expect like love prefer seem appear tend refuse offer ask consider avoid threaten happen mean "
    "get learn"
)
_LASTING = word_set(
    "be live work host run own have use cost report serve act reside base locate employ study teach play manage lead "
    "maintain drive belong weigh charge earn rely depend keep store stay remain stand chair captain head write build"
)
_PUNCTUAL = word_set(
    "move join leave switch migrate quit marry retire resign start transfer relocate travel replace upgrade"
)


@dataclass(frozen=True, slots=True)
class Manner:
    """How something is meant: as a state, an event or a plan; holding, beginning or ending.

    `is_past`: a state told in the past tense. With an end it is an ended state, else no more than an event.
    """

    phase: Phase
    kind: FactKind
    is_past: bool = False
    is_lasting: bool = False
    """The verb itself tells of something that goes on: "lived", not "got"."""


HOLDS = Manner(Phase.HOLDS, FactKind.STATE)
BEGINS = Manner(Phase.BEGINS, FactKind.STATE)
ENDS = Manner(Phase.ENDS, FactKind.STATE)
HAPPENED = Manner(Phase.HOLDS, FactKind.EVENT)
PLANNED = Manner(Phase.HOLDS, FactKind.PLAN)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a clause says, before its dates are known."""

    subject: Mention
    relation: str
    object: Mention | Value | None
    attribute: str
    manner: Manner = HOLDS
    confidence: float = 0.9


def manner_of(clause: Clause, *, is_change: bool = False) -> Manner | None:
    """How the clause is meant, or None if it asserts nothing. `is_change`: the verb itself means a beginning."""
    verb = clause.verb
    wrappers = set(verb.wrappers) - ({"use"} if verb.is_over else set())
    if not _is_asserted(clause, wrappers):
        return None
    is_going = verb.is_progressive and verb.lemma in _PUNCTUAL and not verb.is_passive
    if verb.modal in _FUTURE or wrappers & _PLANNING or is_going:
        # What was planned in the past may have come to nothing.
        is_stale = verb.is_past and "decide" not in wrappers
        return None if is_stale else PLANNED
    if verb.is_over or wrappers & _ENDING:
        return ENDS
    if is_change or wrappers & _BEGINNING:
        return BEGINS
    # "had been" is as much over as "was"; "has been" has no past helper.
    return (
        Manner(Phase.HOLDS, FactKind.EVENT, is_past=True, is_lasting=verb.lemma in _LASTING) if verb.is_past else HOLDS
    )


def _is_asserted(clause: Clause, wrappers: set[str]) -> bool:
    """Whether it is said to be so: not denied, wished, asked, reported, or only once something else is so."""
    verb = clause.verb
    if verb.is_negated or clause.is_reported or verb.modal in _UNREAL or clause.mark in _NEVER_ASSERTED:
        return False
    if clause.mark in _LATER and not verb.is_past and not verb.is_perfect:
        return False
    is_odd = "longer" in clause.adverbs - verb.adverbs
    return not (wrappers & _DREAMING or wrappers & {"need", "have"} or is_odd)


def attribute_for(noun: str) -> tuple[str, str]:
    """Relation and attribute of a definite attribute: "the budget" has one value at a time."""
    relation = relation_name(noun)
    attribute = attribute_of(relation)
    return relation, attribute if is_one_at_a_time(attribute) else f"={noun}"

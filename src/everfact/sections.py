"""Which part of the brief something known belongs to: by its relation, whom it is about, and its wording."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from everfact.words import SMALL_WORDS, word_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the brief: what belongs there, and how much of the room it may take before the others had theirs."""

    name: str
    share: float
    types: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    wording: str = r"(?!)"

    def says(self, sentence: str) -> bool:
        """Whether a sentence sounds as if it belonged here."""
        return re.search(rf"\b(?:{self.wording})\b", sentence, re.IGNORECASE) is not None


DECISIONS = Section(
    name="decisions",
    share=0.4,
    types=("Decision", "Requirement"),
    relations=("CHOSE", "DECIDED_TO", "DECIDED", "MUST", "REQUIRES", "USES", "DEPENDS_ON", "HOSTED_ON", "STORED_IN"),
    wording=(
        r"deci(?:ded?|des|ding|sions?)|ch(?:o|oo)se|chosen|architectur\w+|we (?:now )?use|instead of|adopted"
        r"|replaced by|standardi[sz]ed? on|trade-?offs?|must(?: not)?"
    ),
)
PREFERENCES = Section(
    name="preferences",
    share=0.15,
    types=("Preference",),
    relations=("PREFERS", "LIKES", "DISLIKES", "WANTS"),
    wording=(
        r"prefer\w*|(?:dis)?likes?|hates?|rather than|favou?r(?:s|ites?)?"
        r"|(?:always|never) (?:use|write|ask|add|run|commit)|please (?:always|never|do not|don't)"
    ),
)
PROCEDURES = Section(
    name="procedures",
    share=0.15,
    types=("Procedure", "Pattern"),
    relations=("HAS_STEP", "RUN_WITH", "BUILT_WITH", "TESTED_WITH", "DEPLOYED_WITH", "RELEASED_WITH"),
    wording=(
        r"to (?:deploy|release|build|test|run|install|start|stop|set up|reproduce|migrate)|steps?|procedure|runbook"
        r"|checklist|how to|(?:before|after|when) (?:merging|releasing|deploying|committing|upgrading)"
    ),
)
GOTCHAS = Section(
    name="gotchas",
    share=0.15,
    types=("Insight",),
    relations=("CAUSED_BY", "CAUSES", "FIXED_BY", "BREAKS", "BLOCKS", "FAILS_WITH"),
    wording=(
        r"gotchas?|beware|careful|watch out|pitfalls?|caveats?|br(?:eaks?|oken|oke)|fail(?:s|ed|ures?)?|crash\w*|bugs?"
        r"|root cause|caused by|fixed|workaround|flaky|deadlocks?|leaks?|doe?s(?: not|n't) work|times? out|regressions?"
    ),
)
RECENT = Section(name="recent_work", share=0.15)
SECTIONS = (DECISIONS, PREFERENCES, PROCEDURES, GOTCHAS, RECENT)
"""In the order of the brief; what fits none of the others is recent work."""

_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]+|[^\W_](?:[\w./-]*[^\W_])?")
_STEM = 5
_NAMED = re.compile(r"\w[._/-]\w|\d")
_FEW = 3
"""Of that many telling words one in common is enough, of more it takes two."""


def section_of(sentence: str, relation: str = "", types: Collection[str] = ()) -> Section:
    """The section of a statement: the types of its subject and object say most, then its relation, then its words."""
    for section in SECTIONS:
        if not set(section.types).isdisjoint(types):
            return section
    for section in SECTIONS:
        if relation in section.relations:
            return section
    return next((section for section in SECTIONS if section.says(sentence)), RECENT)


def telling_words(text: str) -> dict[str, str]:
    """The words by which a text may be told from others: what each is compared by, and how it was written."""
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        folded = word.casefold()
        if word[0] >= "\u2e80":  # no spaces between words: two characters must do
            found |= {folded[at : at + 2]: folded[at : at + 2] for at in range(max(len(folded) - 1, 1))}
        elif len(folded) > 2 and folded not in SMALL_WORDS | _ASKING:
            found.setdefault(folded if _NAMED.search(folded) else folded[:_STEM], word)
    return found


def touches(words: dict[str, str], sentence: str) -> bool:
    """Whether a sentence is about what those words are about: a name of a thing in common, or enough other words."""
    shared = words.keys() & telling_words(sentence).keys()
    return any(_NAMED.search(word) for word in shared) or len(shared) >= min(2, 1 + len(words) // (_FEW + 1))


_ASKING = word_set(
    "please can could what which where when why how use using make get let want need help show tell new add change "
    "file files code thing things also like now look see way work"
)

"""Word classes and verb forms: TextBlob's lexicon of 94,000 words, read as data, and the irregular verbs."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from everfact.words import word_set

_IRREGULAR = """
be was been|become became become|begin began begun|bear bore born|break broke broken|bring brought brought
build built built|buy bought bought|catch caught caught|choose chose chosen|come came come|cost cost cost
cut cut cut|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feel felt felt|fight fought fought|find found found|fly flew flown|forget forgot forgotten|get got gotten
give gave given|go went gone|grow grew grown|have had had|hear heard heard|hide hid hidden|hit hit hit
hold held held|keep kept kept|know knew known|lay laid laid|lead led led|learn learnt learnt|leave left left
lend lent lent|let let let|lie lay lain|lose lost lost|make made made|mean meant meant|meet met met|pay paid paid
put put put|quit quit quit|read read read|ride rode ridden|rise rose risen|run ran run|say said said|see saw seen
sell sold sold|send sent sent|set set set|shoot shot shot|shut shut shut|sing sang sung|sit sat sat
sleep slept slept|speak spoke spoken|spend spent spent|split split split|stand stood stood|steal stole stolen
stick stuck stuck|swim swam swum|take took taken|teach taught taught|tell told told|think thought thought
throw threw thrown|understand understood understood|wear wore worn|win won won|write wrote written
rewrite rewrote rewritten|overtake overtook overtaken|rebuild rebuilt rebuilt|reset reset reset
withdraw withdrew withdrawn|undergo underwent undergone|shrink shrank shrunk|swear swore sworn|hang hung hung
freeze froze frozen|star starred starred|transfer transferred transferred|refer referred referred
prefer preferred preferred|control controlled controlled|format formatted formatted|ship shipped shipped
swap swapped swapped|drop dropped dropped|stop stopped stopped|plan planned planned|chat chatted chatted
adopt adopted adopted|retire retired retired|dye dyed dyed
"""
_BOTH = word_set(
    "work report use move study plan cost own visit release process support play travel deploy host run lead manage "
    "start stop walk talk phone email call name age date schedule book launch ship upgrade downgrade update switch "
    "swap trade replace store cache log test build patch pin bump set change increase decrease cut raise drop rise "
    "end finish focus rent lease share train coach chair star feature record produce direct score rank place sponsor "
    "fund found border reach measure weigh last pay charge quote bill tax fear love like hate want need hope wish "
    "dream guess believe doubt promise answer question ask reply access control limit target monitor track trace "
    "debug fix merge branch fork clone commit push pull review block close open lock head market taste smell sound "
    "look care matter count number total list rate grade mark sign seal paint draw design model plant farm hunt fish "
    "dance sing cook bake smoke drink drive ride race row sail swim dive climb jump sport practice tutor mentor "
    "intern volunteer retire resign quit join leave stay live reside transfer shift delay postpone extend spend save "
    "bank invest owe lend loan guard attack fight fire hire stage screen film shoot photograph copy print press type "
    "spell query index map route bridge link connect request order captain skipper poach port scrap roll"
)
"""Verbs that the lexicon lists as nouns."""


@cache
def _tags() -> dict[str, str]:
    """Word to Penn tag. The file is read without importing TextBlob, which would bring in all of NLTK (0.3 s)."""
    spec = find_spec("textblob")
    assert spec is not None
    assert spec.origin is not None
    lines = (Path(spec.origin).parent / "en" / "en-lexicon.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith(";;;") and " " in line)


def _irregular() -> dict[str, tuple[str, str]]:
    forms: dict[str, tuple[str, str]] = {}
    for entry in _IRREGULAR.replace("\n", "|").split("|"):
        if entry:
            base, past, part = entry.split()
            forms.setdefault(part, (base, "part"))
            forms[past] = (base, "past")
            forms[base] = (base, "base")
    forms |= {"is": ("be", "s"), "are": ("be", "s"), "am": ("be", "s"), "were": ("be", "past"), "has": ("have", "s")}
    return forms


_FORMS = _irregular()
SAME_IN_PAST = frozenset(
    base
    for base, past, _part in (entry.split() for entry in _IRREGULAR.replace("\n", "|").split("|") if entry)
    if base == past
)
"""Verbs whose past looks like their present: "quit", "cut"."""

_VERBS = _BOTH | {base for base, _ in _FORMS.values()}


def tag(word: str) -> str:
    """The usual Penn tag of a word as written, or nothing for a word that is not listed."""
    return _tags().get(word, "")


@lru_cache(maxsize=50_000)
def is_ordinary(lower: str) -> bool:
    """Whether the word, in small letters, is an English word and no name."""
    found = tag(lower)
    return bool(found) and not found.startswith("NNP")


@lru_cache(maxsize=50_000)
def verb_form(lower: str) -> tuple[str, str] | None:
    """Lemma and form (base, s, ing, past, part) if the word can be a verb."""
    if lower in _FORMS:
        return _FORMS[lower]
    for ending, form in (("ing", "ing"), ("ed", "past"), ("es", "s"), ("s", "s"), ("", "base")):
        if ending == "es" and not lower.endswith(("ses", "xes", "zes", "ches", "shes", "oes", "ies")):
            continue  # "hates" is of "hate", not of "hat"
        if lower.endswith(ending) and len(lower) - len(ending) > 1:
            lemma = next((stem for stem in _stems(lower, ending) if _is_verb(stem)), None)
            if lemma is not None:
                return lemma, form
            if form in ("ing", "past") and tag(lower)[:2] in ("VB", "") and len(lower) > 5:
                return _guess(lower, ending), form
    return None


def _guess(lower: str, ending: str) -> str:
    """The lemma of a verb that is only listed as a noun ("cause"), or not at all ("knit")."""
    stems = _stems(lower, ending)
    return next((stem for stem in stems if tag(stem)), stems[-1] if len(stems) > 2 else stems[1])


def _stems(lower: str, ending: str) -> list[str]:
    stem = lower[: len(lower) - len(ending)] if ending else lower
    if not ending:
        return [stem]
    if ending in ("ing", "ed"):
        # A short vowel before one consonant would have doubled it: "hoped" is of "hope", "hosted" of "host".
        is_short = re.search(r"[^aeiou][aeiou][^aeiouwxy]$", stem) is not None
        stems = [stem + "e", stem] if is_short else [stem, stem + "e"]
    else:
        stems = [stem]
    if ending in ("ing", "ed") and len(stem) > 2 and stem[-1] == stem[-2]:
        stems.append(stem[:-1])
    if stem.endswith("i"):
        stems.append(stem[:-1] + "y")
    return stems


def _is_verb(stem: str) -> bool:
    if stem in _VERBS or tag(stem) in ("VB", "VBP"):
        return True
    # A noun in the list whose past tense is listed too: "claim", "claimed".
    return tag(stem) == "NN" and tag(stem + ("d" if stem.endswith("e") else "ed")) in ("VBD", "VBN")

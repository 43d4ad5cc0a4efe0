"""Word classes: what each word of a sentence is, by itself and by what stands around it."""

from __future__ import annotations

from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.lexicon import SAME_IN_PAST, tag, verb_form
from everfact.extractors.local.reading.tokens import Token
from everfact.models import ValueType
from everfact.words import word_set

ASPECT = word_set("start begin stop quit keep finish resume continue give cease consider enjoy avoid")
"""Verbs that say of another one that it begins, goes on or ends."""

_ADVERBS = word_set(
    "now currently still already just also only always often usually sometimes never recently lately finally "
    "actually really formerly previously originally initially anymore anyway again soon later then today yesterday "
    "tomorrow tonight too very so officially permanently temporarily longer back ever even almost nearly about "
    "roughly approximately around mostly mainly primarily eventually once twice together alone abroad away here "
    "there instead not however meanwhile maybe perhaps yet else ago nowadays"
)
_OBJECTS = word_set("me us him them myself yourself himself herself itself ourselves themselves")
_CLOSED = (
    ("poss", words.POSSESSIVES),
    ("be", words.BE),
    ("have", words.HAVE),
    ("modal", words.MODALS | {"gonna"}),
    ("do", frozenset(("do", "does", "did"))),
    ("neg", frozenset(("not", "n't", "never", "neither", "nor", "hardly", "barely"))),
    ("mark", words.MARKS),
    ("wh", words.WH - {"that"}),
    ("conj", words.CONJUNCTIONS - {"so", "then", "plus"}),
    ("det", words.DETERMINERS - {"own", "same", "whole", "entire", "such", "certain", "various"}),
    ("adv", _ADVERBS),
    ("pron", words.PRONOUNS),
    ("prep", words.PREPOSITIONS),
    (
        "intj",
        words.INTERJECTIONS - {"good", "nice", "great", "cool", "welcome", "night", "morning", "evening", "afternoon"},
    ),
)
# Words whose class hangs on what stands around them; the rest is looked up.
_TWOFOLD = frozenset(("her", "both", "no", "may", "like", "since", "right"))
_WHO_LIKES = frozenset(("i", "we", "they", "you", "really"))
_OPEN = word_set("'s that this these those her first best well last both no like may since right")
_CLASS = {word: kind for kind, members in reversed(_CLOSED) for word in members if word not in _OPEN} | {"to": "to"}


def classify(tokens: list[Token]) -> None:
    """Give every word its class, by itself and by what stands before it."""
    has_verb = False
    for at, token in enumerate(tokens):
        if token.kind in ("word", "number"):
            known = _CLASS.get(token.lower)
            token.kind = known if known is not None else _class_of(tokens, at, has_verb=has_verb)
        if token.kind == "verb":
            has_verb = True
        elif token.kind in ("be", "modal", "do"):
            has_verb = has_verb or token.kind == "be"
        elif token.kind in ("conj", "mark", "wh") or token.text in (";", ":", ","):
            has_verb = False


def _class_of(tokens: list[Token], at: int, *, has_verb: bool) -> str:
    token = tokens[at]
    before = tokens[at - 1].kind if at else ""
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.lower == "'s":
        return "be" if _is_contracted_be(tokens, at) else "have" if _is_contracted_have(tokens, at) else "gen"
    if token.lower in ("that", "this", "these", "those"):
        return _class_of_that(token.lower, before, following)
    if token.lower in ("first", "best", "well", "last") and before in ("be", "have"):
        form = verb_form(following.lower) if following is not None else None
        return "adv" if form is not None and form[1] in ("past", "part") else "adj"
    if token.lower in _TWOFOLD:
        return _class_of_twofold(tokens, at, before, following)
    return _open_class(tokens, at, has_verb=has_verb)


def _class_of_twofold(tokens: list[Token], at: int, before: str, following: Token | None) -> str:
    """Little words with two classes, told apart by their neighbours."""
    token = tokens[at]
    if token.lower == "her":
        return "poss" if following is not None and _could_be_noun(following) else "pron"
    if token.lower == "right":
        is_adverb = following is not None and following.lower in ("now", "away", "here", "after", "before")
        return "adv" if is_adverb else "adj"
    if token.lower == "since":
        return "adv" if before == "have" else "prep"
    if token.lower == "both":
        return "adv" if before in ("name", "noun", "pron") else "det"
    if token.lower == "no":
        return "neg" if following is not None and following.lower == "longer" else "det"
    if token.lower == "may":
        return "noun" if token.text != "may" and before in ("prep", "value", "") else "modal"
    is_verb = before in ("neg", "modal", "do", "to") or (at > 0 and tokens[at - 1].lower in _WHO_LIKES)
    if is_verb:
        token.lemma, token.form = "like", "base"
    return "verb" if is_verb else "prep"


_AFTER_IS = word_set("a an the not been in at on from now still already back also no")


def _is_contracted_be(tokens: list[Token], at: int) -> bool:
    """ "Ana's in Rome" and "it's late", not "Ana's car"."""
    before = tokens[at - 1] if at else None
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if before is None or following is None:
        return False
    if before.kind in ("pron", "wh", "adv", "mark"):
        return True
    lower = following.lower
    if lower in _AFTER_IS:
        return True
    if lower in words.POSSESSIVES or (following.kind == "value" and not lower.startswith(("last ", "first "))):
        return True
    if lower in words.STATUSES and (at + 2 >= len(tokens) or not _could_be_noun(tokens[at + 2])):
        return True  # "the lift's working"
    form = verb_form(lower)
    is_last = (
        at + 2 >= len(tokens)
        or tokens[at + 2].text in (".", "!", ",", ";")
        or tokens[at + 2].lower in ("by", "to", "with")
    )
    is_doing = form is not None and form[1] == "ing" and at + 2 < len(tokens) and tokens[at + 2].kind == "value"
    return is_doing or (form is not None and form[1] == "ing" and tag(lower) == "VBG" and not is_last)


_DONE = word_set("put got been gone moved left quit joined become switched changed started taken made sold bought")


def _is_contracted_have(tokens: list[Token], at: int) -> bool:
    """ "Landlord's put the rent up", not "Ana's lost keys"."""
    following = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    after = tokens[at + 2] if at + 2 < len(tokens) else None
    return following in _DONE and after is not None and (_opens(after) or after.lower in ("me", "us", "him", "her"))


def _class_of_that(lower: str, before: str, following: Token | None) -> str:
    if following is None or not _could_be_noun(following):
        if lower == "that" and before in ("noun", "name", "verb", "pron") and following is not None:
            return "wh"
        return "pron"
    if lower == "that" and before in ("noun", "name", "verb", "adj", "adv"):
        return "wh"
    return "det"


def _could_be_noun(token: Token) -> bool:
    if token.kind in ("name", "value"):
        return True
    if (
        token.kind not in ("word", "number")
        or token.lower in words.BE | words.HAVE | words.MODALS | words.DO | words.PREPOSITIONS
    ):
        return False
    if (
        token.lower in words.CONJUNCTIONS
        or token.lower in words.PRONOUNS
        or token.lower in _ADVERBS
        or token.lower == "to"
    ):
        return False
    return tag(token.lower)[:2] in ("NN", "JJ", "VB", "") or token.lower in words.DETERMINERS


def _open_class(tokens: list[Token], at: int, *, has_verb: bool) -> str:
    token = tokens[at]
    found = tag(token.lower) or tag(token.text)
    form = verb_form(token.lower)
    if form is not None and _acts_as_verb(tokens, at, form, found, has_verb=has_verb):
        token.lemma, token.form = form
        return "verb"
    before = _meaningful_before(tokens, at)
    is_main = before is not None and before is tokens[at - 1] and before.kind == "do" and found == "NN"
    if found in ("NN", "") and before is not None and before.kind in ("modal", "do") and not is_main:
        token.lemma, token.form = token.lower, "base"
        return "verb"
    if found.startswith("JJ") or token.lower in ("north", "south", "east", "west", "home", "front"):
        return "adj" if token.lower != "home" else "noun"
    if found.startswith("RB") or (not found and token.lower.endswith("ly")):
        return "adv"
    if found in ("VBN", "VBG", "VBD") and form is not None:
        is_inside = before is not None and before.kind in ("det", "poss", "adj", "prep", "gen")
        token.lemma, token.form = form
        return "verb" if token.lower in words.STATUSES and not is_inside else "adj"
    return "noun"


def _acts_as_verb(tokens: list[Token], at: int, form: tuple[str, str], found: str, *, has_verb: bool) -> bool:
    """Whether a word that can be a verb is one here, by what stands before it (adverbs apart) and after it."""
    before = _meaningful_before(tokens, at)
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    lemma, shape = form
    if (lemma == "act" and shape == "ing") or (
        following is not None and _is_finite_helper(following) and shape in ("base", "s")
    ):
        return False
    is_label = shape == "base" and at > 0 and (tokens[at].lower in words.ATTRIBUTES or _is_colon(following))
    if is_label and any(_is_colon(token) for token in tokens[at + 1 : at + 6]):
        return False  # "On-call lead for checkout: Ana", "Team call: 9:15"
    if before is None:
        is_noun = shape == "base" and _is_compound_subject(tokens, at)
        is_gerund = shape == "ing" and following is not None and following.kind == "word"
        if is_gerund and at > 0 and tokens[at - 1].lower in ("still", "now", "currently"):
            return True  # "still teaching chemistry"
        return found.startswith("VB") and not is_noun and not is_gerund
    if before.kind in ("to", "modal", "do"):
        is_noun = (
            before.kind == "to" and found == "NN" and (_leads_to_noun(following) or _is_post(tokens[at], following))
        )
        return shape == "base" and not is_noun
    if before.kind == "neg" and shape == "base" and _is_after_do(tokens, before):
        return True
    if before.kind == "be" and shape == "ing" and following is not None and following.lower in words.PERSON_HEADS:
        return False  # "I'm managing editor now"
    if before.kind in ("be", "have", "neg") or before.lower == "no":
        return _verb_after_helper(tokens, before, form, found)
    if before.kind in ("noun", "name", "value"):
        return _verb_after_noun(tokens, at, shape, found, has_verb=has_verb)
    return _verb_after_other(before, following, shape, found)


def _is_colon(token: Token | None) -> bool:
    return token is not None and token.text == ":"


def _is_after_do(tokens: list[Token], negation: Token) -> bool:
    """ "doesn't work", "can't stand"."""
    at = next(n for n, token in enumerate(tokens) if token is negation)
    return at > 0 and tokens[at - 1].kind in ("do", "modal")


def _verb_after_helper(tokens: list[Token], before: Token, form: tuple[str, str], found: str) -> bool:
    """ "is working", "has quit", "no longer works"; but "is no longer head"."""
    lemma, shape = form
    if shape in ("ing", "past", "part"):
        return True
    if before.lower == "no":
        no = tokens.index(before)
        return no == 0 or tokens[no - 1].kind != "be"
    return (before.kind == "neg" and found.startswith("VB")) or lemma in SAME_IN_PAST


def _verb_after_other(before: Token, following: Token | None, shape: str, found: str) -> bool:
    if before.kind in ("pron", "wh") and before.lower not in _OBJECTS:
        return True
    if before.kind in ("det", "poss", "adj", "gen"):
        return before.kind == "adj" and found == "VBD"
    if before.kind in ("prep", "verb") and shape == "ing":
        return before.kind == "prep" or before.lemma in ASPECT or found == "VBG"
    if before.text == "," and shape == "past" and following is not None and tag(following.lower)[:2] == "NN":
        return False
    is_joined = before.kind == "conj" or before.text == ","
    if before.kind == "conj" and shape == "base" and following is not None and following.lower in ("as", "at", "for"):
        return True  # "I live in Oslo and work as a nurse"
    return before.kind != "prep" and (found.startswith("VB") or (is_joined and shape in ("past", "s", "ing")))


def _leads_to_noun(following: Token | None) -> bool:
    """ "promoted to staff engineer": what follows "to" is a noun that another noun follows."""
    return following is not None and following.kind == "word" and tag(following.lower) == "NN"


def _is_post(token: Token, following: Token | None) -> bool:
    """ "promoted to head of logistics": what somebody is, where a verb would have an object."""
    return token.lower in words.PERSON_HEADS and following is not None and following.lower == "of"


def _is_compound_subject(tokens: list[Token], at: int) -> bool:
    """ "Swim training takes place": two words that can be nouns, and then a verb of the third person."""
    if at + 2 < len(tokens) and tokens[at + 1].kind == "value" and _is_finite_helper(tokens[at + 2]):
        return True  # "Build 55 is green"
    if at + 2 >= len(tokens) or tokens[at + 1].kind != "word" or tokens[at + 1].lower in words.DETERMINERS:
        return False
    after = at + 2
    while after + 1 < len(tokens) and tokens[after].lower in ("no", "longer", "now", "also", "still", "always"):
        after += 1
    form = verb_form(tokens[after].lower)
    is_noun = tag(tokens[at + 1].lower) in ("NN", "VBG")
    return is_noun and (_is_finite_helper(tokens[after]) or (form is not None and form[1] == "s"))


_FINITE = word_set("is are was were has had will 's does did")


def _is_finite_helper(token: Token) -> bool:
    """ "the rewrite is", "the move has": what stands before a helper is its subject."""
    return token.kind == "word" and token.lower in _FINITE


def _verb_after_noun(tokens: list[Token], at: int, shape: str, found: str, *, has_verb: bool) -> bool:
    before = _meaningful_before(tokens, at)
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    assert before is not None
    if shape in ("past", "part", "ing"):
        return not (
            shape == "ing" and following is not None and following.kind == "word" and _rules_out_gerund(following)
        )
    if before.value is not None and before.value.type is ValueType.COUNT:
        place = tokens.index(before)
        if place < 1 or tokens[place - 1].kind not in ("noun", "name"):
            return False
    if has_verb:
        return found in ("VBZ", "VBP", "VBD")
    is_open = following is not None and _opens(following)
    if shape == "s":
        return found == "VBZ" or before.kind == "name" or following is None or is_open or not _could_be_noun(following)
    is_several = before.lower.endswith("s") or tokens[at - 1].lower in ("both", "all", "also")
    is_several = is_several or (at > 2 and tokens[at - 2].kind == "conj" and before.kind == "name")
    return found in ("VB", "VBP", "VBD") or (is_several and is_open)


def _rules_out_gerund(following: Token) -> bool:
    """ "swim training takes place", "the testing team": a noun in -ing."""
    form = verb_form(following.lower)
    is_finite = _is_finite_helper(following) or following.lower == "no" or (form is not None and form[1] == "s")
    return is_finite or tag(following.lower).startswith("NN")


def _opens(token: Token) -> bool:
    """Whether a noun phrase plainly begins here, so that the word before it is a verb."""
    return (
        token.kind in ("name", "value")
        or token.lower in words.DETERMINERS
        or token.lower in words.POSSESSIVES
        or (token.lower in words.PREPOSITIONS or token.lower == "to")
    )


def _meaningful_before(tokens: list[Token], at: int) -> Token | None:
    """The token before this one, adverbs left out."""
    at -= 1
    while at >= 0 and tokens[at].kind == "adv":
        at -= 1
    return tokens[at] if at >= 0 else None

"""Subjects that are not said: "Bumped the limit to 9" (the speaker did), "There are 9 lifts in the hall" (it has)."""

from __future__ import annotations

from dataclasses import replace

from everfact.extractors.local.reading.clauses import Clause
from everfact.extractors.local.reading.phrases import NounPhrase, Phrase, VerbGroup
from everfact.extractors.local.reading.tokens import Token
from everfact.models import ValueType

_PLACES = ("in", "at", "on")


def with_subject(clause: Clause, phrases: list[Phrase], *, is_talk: bool = False) -> Clause:
    """The clause, with the subject that it leaves to be understood, if it does. `is_talk`: somebody says it."""
    if clause.subjects or clause.verb.is_infinitive:
        return clause
    if clause.verb.lemma == "be" and "there" in clause.adverbs:
        return _existing(clause)
    return _spoken(clause, phrases) if is_talk else _own(clause, phrases)


def _existing(clause: Clause) -> Clause:
    """ "There are 9 lifts in the hall": the hall has 9 lifts."""
    counted = clause.arg("")
    place = next((arg for arg in clause.args if arg.prep in _PLACES and arg.things[0].value is None), None)
    is_count = counted is not None and counted.value is not None and counted.value.type is ValueType.COUNT
    if place is None or not is_count or place.things[0].pronoun:
        return clause
    verb = replace(clause.verb, lemma="have")
    return replace(clause, subjects=place.things[:1], verb=verb, args=[arg for arg in clause.args if arg is not place])


def _spoken(clause: Clause, phrases: list[Phrase]) -> Clause:
    """ "Started at Globex on Monday", "still teaching chemistry": what a speaker tells of without "I"."""
    verb = clause.verb
    at = next(n for n, phrase in enumerate(phrases) if phrase is verb)
    is_first = all(
        isinstance(phrase, Token) and phrase.kind in ("adv", "intj", "mark", "conj") for phrase in phrases[:at]
    )
    first = verb.tokens[0]
    is_told = first.kind in ("verb", "adv") and (verb.is_past or verb.form == "ing" or first.lower == "done")
    is_done = verb.is_passive and first.lower not in ("got", "done", "finished")
    thing = clause.arg("")
    is_own = thing is not None and thing.possessor is not None and thing.possessor.pronoun == "my"
    if at == 0 and verb.form == "base" and verb.lemma in ("update", "change", "set", "switch") and is_own:
        verb.is_past = True  # "Change my address to …" has changed it
        return replace(clause, subjects=[_speaker(first)])
    if not is_first or not is_told or is_done or not clause.args or (at == 0 and verb.lemma == "found"):
        return clause
    if verb.form == "ing":
        verb.is_progressive = True
    return replace(clause, subjects=[_speaker(verb.tokens[0])])


def _speaker(first: Token) -> NounPhrase:
    return NounPhrase([Token("we", first.start, first.start, "pron", "we")], pronoun="we", head="we")


def _own(clause: Clause, phrases: list[Phrase]) -> Clause:
    """ "Bumped the limit to 9": a past tense with its object opens the sentence; "Founded in 1969, …" has none."""
    verb, second = phrases[0], phrases[1] if len(phrases) > 1 else None
    if verb is not clause.verb or not isinstance(verb, VerbGroup) or not verb.is_past or verb.tokens[0].kind != "verb":
        return clause
    has_object = isinstance(second, NounPhrase) and not (second.value is not None and second.name is None)
    if not has_object and verb.tokens[0].lower != "got":
        return clause
    return replace(clause, subjects=[_speaker(verb.tokens[0])])

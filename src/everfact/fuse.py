"""Scored lists into one ranking: a weighted sum of what speaks for an item, the same for every store.

The weights are one table for all kinds of memory (`benchmarks/fit.py` fits it). No switch by kind of text: gates look
only at how long a turn is, at its role, and at whether people talk or a person with an assistant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from everfact.models import Episode, Thing
from everfact.question import ROLES, Question, Times

EPISODE_WEIGHTS: Mapping[str, float] = {
    "words": 2.0,
    "before": 1.95,
    "before that": 1.4,
    "after": 0.9,
    "thread": 2.1,
    "pairs": 0.85,
    "meaning": 5.4,
    "meaning after": 1.0,
    "speaker": 3.5,
    "date": 3.85,
    "cue": 1.7,
    "question": -0.55,
    "length": 1.25,
    "fact": 1.2,
    "doubt": -12.0,
}
"""What one unit of each kind of evidence is worth, for an episode. `doubt` is not fitted: a source that says of itself
that it is unverified, or about something else, comes after what can be relied on."""

FACT_WEIGHTS: Mapping[str, float] = {"words": 1.5, "meaning": 2.0, "named": 0.9, "told": 6.0, "date": 1.0}
"""For a fact; `told` is a tenth of the score of the best episode behind it."""

ENTITY_WEIGHTS: Mapping[str, float] = {"words": 2.0, "meaning": 3.0, "named": 4.0}

_SHORT = 40
_TIME_WORD = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|year|spring|summer|autumn|fall|winter"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|recently|since|morning|evening|night|\d{4})s?\b",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|few|several|twice|once)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An episode that may answer, and what the store said of it."""

    episode: Episode
    words: float = 0.0
    """Its full-text score, as a share of the best one's."""
    meaning: float = 0.0
    """Cosine of its vector and the question's."""
    fact: float = 0.0
    """The highest cosine of a fact that it supports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """An item's uuid, its score, and how much of each kind of evidence it has."""

    uuid: str
    score: float
    evidence: Mapping[str, float] = field(default_factory=dict)


def rank_episodes(
    question: Question, found: Sequence[Found], weights: Mapping[str, float] = EPISODE_WEIGHTS
) -> list[Ranked]:
    """Best first."""
    return rank(weigh_episodes(question, found), weights)


def rank(evidence: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]) -> list[Ranked]:
    """Items by the weighted sum of their evidence, best first."""
    ranked = [
        Ranked(uuid=uuid, score=sum([weights[name] * amount for name, amount in amounts.items()]), evidence=amounts)
        for uuid, amounts in evidence.items()
    ]
    return sorted(ranked, key=lambda item: (-item.score, item.uuid))


def reasons(one: Ranked, weights: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """What each kind of evidence brought, strongest first."""
    brought = ((name, weights[name] * amount) for name, amount in one.evidence.items() if amount)
    return tuple(sorted(brought, key=lambda reason: -abs(reason[1])))


def weigh_episodes(question: Question, found: Sequence[Found]) -> dict[str, dict[str, float]]:
    """How much of each kind of evidence every episode has, before any weighing."""
    places = {(*_thread(f.episode), f.episode.position): f for f in found if f.episode.thread}
    threads: dict[tuple[str, str], float] = {}
    for one in found:
        thread = _thread(one.episode)
        threads[thread] = max(threads.get(thread, 0.0), one.words)
    several = len({f.episode.speaker for f in found}) > 1
    pairs = _pairs(question, found)
    is_dated = question.times != Times()
    weighed = {}
    for one in found:
        episode, thread = one.episode, _thread(one.episode)
        count = episode.content.count(" ") + 1
        short = min(1.0, _SHORT / count)
        people = 0.0 if episode.role else 1.0
        before, before_that, after = (places.get((*thread, episode.position + step)) for step in (-1, -2, 1))
        weighed[episode.uuid] = {
            "words": one.words,
            "before": people * before.words if before else 0.0,
            "before that": people * before_that.words if before_that else 0.0,
            "after": short * after.words if after else 0.0,
            "thread": _of_thread(one, threads),
            "pairs": pairs[episode.uuid],
            "meaning": one.meaning,
            "meaning after": short * after.meaning if after else 0.0,
            "speaker": float(_is_by_whom_asked(question, episode, several)),
            "date": _date(question, episode) if is_dated else 0.0,
            "cue": float(_has_cue(question, episode.content)),
            "question": short if episode.content.rstrip().endswith("?") else 0.0,
            "length": people * min(math.log1p(count), math.log(_SHORT + 1)),
            "fact": one.fact,
            "doubt": float("trust" in episode.attributes),
        }
    return weighed


def _thread(episode: Episode) -> tuple[str, str]:
    """Two groups may each have a thread of the same name."""
    return episode.group_id, episode.thread


def _of_thread(one: Found, threads: Mapping[tuple[str, str], float]) -> float:
    """The best full-text score of its thread; what stands alone is a thread of its own, and one thread says nothing."""
    if not one.episode.thread:
        return one.words
    return threads[_thread(one.episode)] if len(threads) > 1 else 0.0


def _is_by_whom_asked(question: Question, episode: Episode, several: bool) -> bool:
    if not episode.speaker and not episode.role:
        return True  # a note: whoever asks wrote it, or wanted it kept
    if question.speaker and several and episode.speaker.casefold() == question.speaker.casefold():
        return True
    return bool(episode.role) and episode.role in ROLES and episode.role == question.role


def _date(question: Question, episode: Episode) -> float:
    return max(question.times.fit(episode.reference_time), float(question.times.fit_years(episode.content)))


def _has_cue(question: Question, text: str) -> bool:
    return bool(
        (question.asks_when and _TIME_WORD.search(text)) or (question.asks_number and _NUMBER_WORD.search(text))
    )


def _pairs(question: Question, found: Sequence[Found]) -> dict[str, float]:
    """The question's pairs of neighbouring words in each text, rare pairs counting more."""
    phrases = [f"{one} {two}" for one, two in question.pairs]
    have: dict[str, list[str]] = {}
    spread = dict.fromkeys(phrases, 0)
    for one in found:
        text = one.episode.content.lower()
        have[one.episode.uuid] = [phrase for phrase in phrases if phrase in text]
        for phrase in have[one.episode.uuid]:
            spread[phrase] += 1
    worth = {phrase: math.log((len(found) - n + 0.5) / (n + 0.5) + 1) for phrase, n in spread.items()}
    return {uuid: math.fsum(worth[phrase] for phrase in held) / 10 for uuid, held in have.items()}


_CERTAINTY = {Thing.EPISODE: (18.7, 2.5), Thing.FACT: (12.0, 1.8), Thing.ENTITY: (7.0, 1.2)}
"""For each thing the score at which it is as likely an answer as not, and how fast that changes."""


def certainty(thing: Thing, score: float) -> float:
    """A score as a number between 0 and 1 that means the same for every thing and every question."""
    middle, spread = _CERTAINTY[thing]
    return 1 / (1 + math.exp(min(700.0, (middle - score) / spread)))

"""Scored lists into one ranking: a weighted sum of what speaks for an item, the same for every store.

The weights are one table for all kinds of memory (`benchmarks/fit.py` fits it). No switch by kind of text: gates look
only at how long a turn is, at its role, and at whether people talk or a person with an assistant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from everfact.models import Episode, Thing
from everfact.question import ROLES, Question

EPISODE_WEIGHTS: Mapping[str, float] = {
    "words": 2.2,
    "before": 2.0,
    "before that": 1.6,
    "after": 1.35,
    "thread": 2.3,
    "pairs": 0.5,
    "meaning": 4.7,
    "sentence": 2.4,
    "speaker": 3.7,
    "date": 4.2,
    "cue": 1.7,
    "question": -0.65,
    "length": 1.1,
    "fact": 0.0,
}
"""What one unit of each kind of evidence is worth, for an episode."""

FACT_WEIGHTS: Mapping[str, float] = {"words": 2.2, "meaning": 5.0, "named": 2.0, "near": 1.0, "told": 0.5, "date": 2.0}
ENTITY_WEIGHTS: Mapping[str, float] = {"words": 2.0, "meaning": 3.0, "named": 4.0, "near": 1.0}

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
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An episode that may answer, and what the store said of it."""

    episode: Episode
    words: float = 0.0
    """Its full-text score, as a share of the best one's."""
    meaning: float = 0.0
    """Cosine of its vector and the question's."""
    sentence: float = 0.0
    """The highest cosine of one of its sentences."""
    fact: float = 0.0
    """How well the best fact that it supports fits, between 0 and 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """An item's uuid, its score, and what each kind of evidence brought."""

    uuid: str
    score: float
    reasons: Mapping[str, float] = field(default_factory=dict)


def rank_episodes(
    question: Question, found: Sequence[Found], weights: Mapping[str, float] = EPISODE_WEIGHTS
) -> list[Ranked]:
    """Best first."""
    return rank(weigh_episodes(question, found), weights)


def rank(evidence: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]) -> list[Ranked]:
    """Items by the weighted sum of their evidence, best first."""
    ranked = []
    for uuid, amounts in evidence.items():
        reasons = {name: weights[name] * amount for name, amount in amounts.items() if amount}
        ranked.append(Ranked(uuid=uuid, score=math.fsum(reasons.values()), reasons=reasons))
    return sorted(ranked, key=lambda item: (-item.score, item.uuid))


def weigh_episodes(question: Question, found: Sequence[Found]) -> dict[str, dict[str, float]]:
    """How much of each kind of evidence every episode has, before any weighing."""
    places = {(f.episode.thread, f.episode.position): f.words for f in found if f.episode.thread}
    threads: dict[str, float] = {}
    for one in found:
        threads[one.episode.thread] = max(threads.get(one.episode.thread, 0.0), one.words)
    has_threads = len(threads) > 1
    pairs = _pairs(question, found)
    several = len({f.episode.speaker for f in found}) > 1
    weighed = {}
    for one in found:
        episode = one.episode
        count = len(episode.content.split())
        short = min(1.0, _SHORT / count) if count else 1.0
        people = 0.0 if episode.role else 1.0
        weighed[episode.uuid] = {
            "words": one.words,
            "before": people * places.get((episode.thread, episode.position - 1), 0.0),
            "before that": people * places.get((episode.thread, episode.position - 2), 0.0),
            "after": short * places.get((episode.thread, episode.position + 1), 0.0),
            "thread": threads[episode.thread] if has_threads else 0.0,
            "pairs": pairs[episode.uuid],
            "meaning": one.meaning,
            "sentence": one.sentence,
            "speaker": float(_is_by_whom_asked(question, episode, several)),
            "date": max(question.times.fit(episode.reference_time), float(question.times.fit_years(episode.content))),
            "cue": float(_has_cue(question, episode.content)),
            "question": short if episode.content.rstrip().endswith("?") else 0.0,
            "length": people * min(math.log1p(count), math.log(_SHORT + 1)),
            "fact": one.fact,
        }
    return weighed


def _is_by_whom_asked(question: Question, episode: Episode, several: bool) -> bool:
    if question.speaker and several and episode.speaker.casefold() == question.speaker.casefold():
        return True
    return bool(episode.role) and episode.role in ROLES and episode.role == question.role


def _has_cue(question: Question, text: str) -> bool:
    return bool(
        (question.asks_when and _TIME_WORD.search(text)) or (question.asks_number and _NUMBER_WORD.search(text))
    )


def _pairs(question: Question, found: Sequence[Found]) -> dict[str, float]:
    """The question's pairs of neighbouring words in each text, rare pairs counting more."""
    have: dict[str, list[tuple[str, str]]] = {}
    for one in found:
        words = _WORD.findall(one.episode.content.lower())
        inside = set(pairwise(words))
        have[one.episode.uuid] = [pair for pair in question.pairs if pair in inside]
    spread: dict[tuple[str, str], int] = {}
    for held in have.values():
        for pair in held:
            spread[pair] = spread.get(pair, 0) + 1
    total = len(found)
    worth = {pair: math.log((total - n + 0.5) / (n + 0.5) + 1) for pair, n in spread.items()}
    return {uuid: math.fsum(worth[pair] for pair in held) / 10 for uuid, held in have.items()}


_CERTAINTY = {Thing.EPISODE: (16.0, 1.6), Thing.FACT: (7.0, 1.2), Thing.ENTITY: (7.0, 1.2)}
"""For each thing the score at which it is as likely an answer as not, and how fast that changes."""


def certainty(thing: Thing, score: float) -> float:
    """A score as a number between 0 and 1 that means the same for every thing and every question."""
    middle, spread = _CERTAINTY[thing]
    return 1 / (1 + math.exp(min(700.0, (middle - score) / spread)))

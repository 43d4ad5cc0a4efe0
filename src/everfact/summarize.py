"""Summaries without a model: the sentences of a text that say most of it, in their own words and order."""

from __future__ import annotations

import asyncio
import heapq
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import punctuation

from everfact.errors import NotFound, UsageError
from everfact.models import Cursor, Episode, Filter
from everfact.ports import Store

_MOST_EPISODES = 500
_MOST_TEXT = 2_000_000
_PAGE = 50

_CUT = "…"
# Where words are set apart by blanks, only a stop before one ends a sentence: there is none in "3.11".
_STOPS = ".!?\u2026\u061f\u0964"
_WIDE_STOPS = "\u3002\uff01\uff1f\uff61"
_CLOSERS = "\"')\u201d\u2019\u00bb\u300d\u300f\uff09"
_END = re.compile(f"(?<![{_STOPS}])[{_STOPS}]++[{_CLOSERS}]*+(?=\\s)|[{_WIDE_STOPS}]++[{_CLOSERS}]*+")
_SHORTENED = re.compile(r"\b(?:Mrs?|Ms|Dr|Prof|St|[Ee]\.g|[Ii]\.e|etc|vs|cf|[A-Z])\.$")
_LONGEST_SHORTENED = 6
_EDGES = punctuation + _STOPS + _WIDE_STOPS + _CLOSERS + "\u201c\u2018\u00ab\u300c\u300e\uff08\u3001\uff0c\u2013\u2014"
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{2,}")

_SAME = 0.95
"""Sentences that point this much the same way say the same."""
_FULL_LENGTH = 6
"""Words from which on a sentence is not marked down as a fragment."""
_LEAD = 0.25
"""How much the first sentence of a text gains for standing there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SagaSummary:
    """What a thread is about. `episodes` is how many of its episodes, the most recent ones, it is made from."""

    thread: str
    group_id: str
    episodes: int
    text: str
    is_extractive: bool = True


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    weights: dict[str, float]
    """How much each word counts; a vector of length one."""
    score: float


async def summarize_saga(store: Store, thread: str, group_id: str) -> SagaSummary:
    """The sentences that say most of what was told in a thread.

    Raises:
        NotFound: nothing was told in that thread.
    """
    told = await _told(store, Filter(group_ids=(group_id,), threads=(thread,)))
    if not told:
        raise NotFound(
            f"group {group_id} has no episodes in the thread {thread!r}",
            hint="episodes name their thread; look at the latest ones to find it",
        )
    told.sort(key=lambda episode: episode.position)
    text = await asyncio.to_thread(summarize, [episode.content for episode in told])
    return SagaSummary(thread=thread, group_id=group_id, episodes=len(told), text=text)


async def _told(store: Store, where: Filter) -> list[Episode]:
    """The most recent episodes, as many as are worth reading."""
    told: list[Episode] = []
    before: Cursor | None = None
    size = 0
    while len(told) < _MOST_EPISODES and size < _MOST_TEXT:
        page = await store.episodes(where, limit=_PAGE, before=before)
        told += page
        size += sum(len(episode.content) for episode in page)
        if len(page) < _PAGE:
            break
        before = page[-1].reference_time, page[-1].uuid
    return told


def summarize(texts: Sequence[str], *, most_characters: int = 1000) -> str:
    """The sentences closest to what all texts share, whole, in their order, and none that repeats another.

    Raises:
        UsageError: there is no room for anything.
    """
    if most_characters < 1:
        raise UsageError(f"a summary of {most_characters} characters holds nothing", hint="allow at least one")
    sentences = _ranked(texts)
    if not sentences:
        return ""
    chosen = _choose(sentences, most_characters)
    if not chosen:
        return _cut(max(sentences, key=lambda sentence: sentence.score).text, most_characters)
    return _joined(sentences[place].text for place in sorted(chosen))


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text in any script; a line break ends one."""
    for line in text.splitlines():
        start = 0
        for end in _END.finditer(line):
            if not _SHORTENED.search(line, max(start, end.end() - _LONGEST_SHORTENED), end.end()):
                yield line[start : end.end()].strip()
                start = end.end()
        yield line[start:].strip()


def is_ended(sentence: str) -> bool:
    """Whether a stop ends it."""
    return sentence.rstrip(_CLOSERS).endswith(tuple(_STOPS + _WIDE_STOPS))


def _ranked(texts: Iterable[str]) -> list[_Sentence]:
    """Every sentence that has words, once, with how central it is."""
    lead: dict[str, float] = {}
    for text in texts:
        for place, sentence in enumerate(filter(None, sentences_of(text))):
            lead.setdefault(sentence, 1 + _LEAD / (1 + place))
    counts = {sentence: Counter(_words(sentence)) for sentence in lead}
    spread = Counter(word for words in counts.values() for word in words)
    rarity = {word: math.log(1 + len(counts) / held_by) for word, held_by in spread.items()}
    vectors = {
        sentence: _unit({word: count * rarity[word] for word, count in words.items()})
        for sentence, words in counts.items()
        if words
    }
    centre = dict.fromkeys(spread, 0.0)
    for vector in vectors.values():
        for word, weight in vector.items():
            centre[word] += weight
    centroid = _unit(centre)
    return [
        _Sentence(text, vector, _cosine(vector, centroid) * lead[text] * min(1, counts[text].total() / _FULL_LENGTH))
        for text, vector in vectors.items()
    ]


def _choose(sentences: Sequence[_Sentence], room: int) -> list[int]:
    """The places of the best sentences that fit, each marked down by how much the chosen ones say it already."""
    waiting = [(-sentence.score, place) for place, sentence in enumerate(sentences)]
    heapq.heapify(waiting)
    closest, compared = [0.0] * len(sentences), [0] * len(sentences)
    chosen: list[int] = []
    while waiting:
        _, place = heapq.heappop(waiting)
        sentence = sentences[place]
        if len(sentence.text) > room:
            continue
        if compared[place] == len(chosen):
            chosen.append(place)
            room -= len(sentence.text) + 1
            continue
        # Nearness to the chosen only grows, so a score is worth renewing only when it has come to the top.
        fresh = (sentences[other].weights for other in chosen[compared[place] :])
        closest[place] = max(closest[place], *(_cosine(sentence.weights, other) for other in fresh))
        compared[place] = len(chosen)
        if closest[place] < _SAME:
            heapq.heappush(waiting, (-sentence.score * (1 - closest[place]), place))
    return chosen


def _words(sentence: str) -> list[str]:
    """Words in the form in which they are compared; where a script has no blanks, pairs of characters."""
    words = []
    for run in sentence.split():
        word = run.strip(_EDGES).casefold()
        unspaced = _UNSPACED.findall(word)
        words += [part[i : i + 2] for part in unspaced for i in range(len(part) - 1)] if unspaced else [word]
    return [word for word in words if word]


def _unit(weights: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()}


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(weight * other[word] for word, weight in one.items() if word in other)


def _joined(sentences: Iterable[str]) -> str:
    """Sentences after each other; after one that no stop ends comes a line break."""
    return "".join(sentence + (" " if is_ended(sentence) else "\n") for sentence in sentences).rstrip()


def _cut(sentence: str, room: int) -> str:
    """As many whole words as fit, and a sign that there is more; the whole sentence does not fit."""
    end = max((place for place, character in enumerate(sentence[:room]) if character.isspace()), default=room - 1)
    return sentence[:end].rstrip() + _CUT

"""Scores by shared words, the same on every server: it finds the texts, what each word is worth is reckoned here.

A server's own scores weigh words in ways that differ, over all groups that it holds. Here the rarer words find the
texts, and common ones only tell those apart, so what a word costs does not grow with how common it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from everfact.models import Filter, Scored, Thing
from everfact.stores.bm25 import by_length, rarity
from everfact.stores.cypher.engine import TEXTS, Part
from everfact.stores.cypher.where import Where, versions
from everfact.stores.cypher.words import match_parts, match_words, stem

_FIRST, _MORE = 1_000, 8_000
"""Words find texts until it is about so many, the rarest words first; more where too few of those pass the filter, and
only where none does, all: what shares but a common word with a question hardly answers it."""
_GROWN = 1.1
_MOST_COUNTED = 20_000
_COUNT = "UNWIND $asked AS words {found} WITH words, count(node) AS n RETURN words, n"

WORDS, HINTS = "words", "hints"
"""What texts are found by; and what finds a turn by its speaker, an entity by a part of a name."""

Terms = Mapping[str, Sequence[str]]
"""What of a text shows that it has a word of the question."""


@dataclass(slots=True)
class _Texts:
    """All texts of one kind in a part, as they were when the part had that size."""

    size: int
    count: int
    mean: float
    having: dict[str, int] = field(default_factory=dict)
    """How many have some words, by what the server is asked for."""


class Scores:
    """Remembers how common words are, until a part has grown by a tenth."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, tuple[str, ...], Thing], _Texts] = {}

    async def match_text(
        self, sized: Sequence[tuple[Part, int]], thing: Thing, text: str, filter_: Filter, limit: int
    ) -> list[Scored]:
        """See `Store.match_text`."""
        words = match_words(text)
        scores: dict[str, float] = {}
        for part, size in sized if words else ():
            texts = await self._texts(part, thing, size)
            search = _Search(part, thing, texts, await versions(part, thing, filter_), limit)
            scores |= await _found(search, words)
        return ranked(scores, limit)

    async def _texts(self, part: Part, thing: Thing, size: int) -> _Texts:
        key = part.graph, part.groups, thing
        known = self._known.get(key)
        if known is None or not known.size <= size <= known.size * _GROWN or len(known.having) > _MOST_COUNTED:
            counted = f"MATCH (t:{TEXTS[thing]}) WHERE t.group_id IN $groups"
            rows = await part.read(f"{counted} WITH count(t) AS n, avg(t.length) AS mean RETURN n, mean") or [[0, 0.0]]
            known = self._known[key] = _Texts(size, rows[0][0], rows[0][1] or 0.0)
        return known


@dataclass(slots=True)
class _Search:
    """One question to one part."""

    part: Part
    thing: Thing
    texts: _Texts
    where: Where
    limit: int

    async def scores(self, name: str, terms: Terms, counts: Mapping[str, int]) -> dict[str, float]:
        """Of the best that have any of the terms in that property and pass the conditions."""
        worth, weights = _worth(name, [(terms[word], rarity(counts[word], self.texts.count)) for word in terms])
        most = _FIRST
        while True:
            finding = [terms[word] for word in _rarest(counts, most)]
            asked = self.part.engine.words(self.part, name, finding)
            is_all = most >= sum(counts.values())
            best = most if is_all or most > _MORE else _FIRST  # so many are looked at whether they pass the filter
            scores = await self._best(worth, {**weights, "words": asked, "most": max(best, self.limit)})
            if len(scores) >= self.limit or is_all or (scores and most >= _MORE):
                return scores
            most *= 8

    async def counts(self, name: str, terms: Terms) -> dict[str, int]:
        """How many texts have each of the terms; none is certain only of entities, which parts of names find then."""
        engine, having = self.part.engine, self.texts.having
        asked = {word: engine.words(self.part, name, [tokens]) for word, tokens in terms.items()}
        is_certain = self.thing is not Thing.ENTITY
        new = [words for words in asked.values() if not (words in having and (having[words] or is_certain))]
        if new:
            having |= dict.fromkeys(new, 0)
            counted = await self.part.read(_COUNT.format(found=engine.by_words(self.thing)), asked=new)
            having |= dict(map(tuple, counted))
        return {word: having[words] for word, words in asked.items()}

    async def _best(self, worth: str, asked: Mapping[str, Any]) -> dict[str, float]:
        flat, slope = by_length(self.texts.mean)
        rows = await self.part.read(
            f"WITH $words AS words {self.part.engine.by_words(self.thing)}"
            f" WITH node, ({worth}) / ($flat + $slope * node.length) AS score ORDER BY score DESC LIMIT $most"
            f" MATCH (node)<-[:EverfactSays]-(e:{self.where.label}) WHERE {self.where.conditions}"
            " WITH e.uuid AS uuid, max(score) AS score ORDER BY score DESC, uuid DESC LIMIT $limit RETURN uuid, score",
            **self.where.parameters,
            **asked,
            flat=flat,
            slope=slope,
            limit=self.limit,
        )
        return dict(map(tuple, rows))


async def _found(search: _Search, words: Sequence[str]) -> dict[str, float]:
    """By words; where too few, turns by their speakers; entities by parts of names, where none has such a word."""
    stems = {word: [stem(word)] for word in words}
    counts = await search.counts(WORDS, stems)
    scores = await search.scores(WORDS, stems, counts)
    if search.thing is Thing.EPISODE and len(scores) < search.limit:
        spoken = await search.scores(HINTS, stems, await search.counts(HINTS, stems))
        scores = dict.fromkeys(spoken, 0.0) | scores
    within = match_parts(word for word in words if not counts[word])
    if search.thing is Thing.ENTITY and within:
        halves = await search.scores(HINTS, within, await search.counts(HINTS, within))
        scores = {uuid: score / 2 for uuid, score in halves.items()} | scores
    return scores


def _worth(name: str, terms: Sequence[tuple[Sequence[str], float]]) -> tuple[str, dict[str, Any]]:
    """The sum of the weights of the terms that a text has in that property, and what the expression speaks of.

    Terms of no weight fill it up, so that few expressions differ: a server takes its time to plan each new one.
    """
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    for are_single in (True, False):  # a single token is twice as quick
        those = [term for term in terms if (len(term[0]) == 1) is are_single]
        those += [([""], 0.0)] * (_filled(len(those)) - len(those))
        for number, (tokens, weight) in enumerate(those, len(parts)):
            has = f"all(token IN $tokens{number} WHERE node.{name} CONTAINS token)"
            if are_single:
                has = f"node.{name} CONTAINS $tokens{number}[0]"
            parts.append(f"CASE WHEN {has} THEN $weight{number} ELSE 0.0 END")
            parameters |= {f"tokens{number}": [f" {token} " for token in tokens], f"weight{number}": weight}
    return " + ".join(parts), parameters


def _filled(count: int) -> int:
    """The next of 0, 8, 16, 32 and so on."""
    return max(8, 1 << (count - 1).bit_length()) if count else 0


def _rarest(counts: Mapping[str, int], most: int) -> list[str]:
    """So many of these, the rarest, that they find no more than that; one at least that finds any."""
    finding: list[str] = []
    found = 0
    for word in sorted(counts, key=lambda word: counts[word]):
        if found and found + counts[word] > most:
            break
        finding.append(word)
        found += counts[word]
    return finding


def ranked(scores: Mapping[str, float], limit: int) -> list[Scored]:
    """The highest scores, in an order that does not depend on how they were found."""
    items = sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [Scored(uuid=uuid, score=score) for uuid, score in items[:limit]]

"""From what a model says to statements: each stands in the text, speaks of somebody named there, and has its dates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from everfact.extractors.llm.answers import Found, Told
from everfact.extractors.llm.dating import date_of
from everfact.extractors.llm.prompts import Scene
from everfact.models import FactKind, Mention, Phase, Statement, Value, ValueType, fold_name
from everfact.relations import attribute_of, is_one_at_a_time, relation_name
from everfact.values import find_values

_SENTENCE = re.compile(r"[^.!?\u2026\u3002\uff01\uff1f\n]*[.!?\u2026\u3002\uff01\uff1f\n]*")
_WORD = re.compile(r"\w+")
_PHASES = {"begins": Phase.BEGINS, "ends": Phase.ENDS, "denied": Phase.ENDS}
_DENIED = 0.4
"""Below half: a denial ends what is known and proves nothing else."""
_LONGEST_NAME = 120
_LONGEST_SENTENCE = 500


@dataclass(slots=True)
class Ground:
    """What statements may rest on: the text of an episode, its speakers, the names known."""

    scene: Scene
    words: set[str] = field(init=False)
    known: set[str] = field(init=False)
    types: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        scene, known = self.scene, [name for e in self.scene.known for name in (e.name, *e.aliases)]
        said = (scene.episode.content, scene.speaker, *scene.listeners, *known, *(e.content for e in scene.before))
        self.words = {word.casefold() for text in said for word in _WORD.findall(text)}
        self.known = {fold_name(name) for name in known}
        self.types = {fold_name(name): name for name in scene.types}

    def mentions(self, found: Found, excluded: frozenset[str]) -> dict[str, Mention]:
        """The entities that the text names, by folded name; those of excluded types have no type and are left out."""
        named: dict[str, Mention] = {}
        for entity in found.entities:
            type_ = self.types.get(fold_name(entity.type), "")
            if self.is_named(entity.name) and type_ not in excluded:
                named.setdefault(fold_name(entity.name), Mention(name=entity.name, type=type_))
        return named

    def is_named(self, name: str) -> bool:
        """Whether a word of the name stands in the text; models like to repeat examples and to invent."""
        words = _WORD.findall(name.casefold())
        return 0 < len(name) <= _LONGEST_NAME and any(word in self.words for word in words)


def statements(
    found: Found, ground: Ground, piece: tuple[int, int], excluded: frozenset[str]
) -> tuple[list[Statement], list[Mention]]:
    """What the text says by the model's account of a piece of it, and whom it names."""
    named = ground.mentions(found, excluded)
    barred = {fold_name(e.name) for e in found.entities} - named.keys()
    made = (_statement(told, ground, named, piece) for told in found.facts if not _names(told, barred))
    return list(dict.fromkeys(filter(None, made))), list(named.values())


def _names(told: Told, barred: Iterable[str]) -> bool:
    return not {fold_name(told.subject), fold_name(told.object)}.isdisjoint(barred)


def _statement(told: Told, ground: Ground, named: dict[str, Mention], piece: tuple[int, int]) -> Statement | None:
    if not ground.is_named(told.subject) or not relation_name(told.relation):
        return None
    thing = _thing(told, told.object, ground, named)
    if thing is None and told.object:
        return None  # it speaks of something that is nowhere in the text
    episode = ground.scene.episode
    span = locate(told.quote or told.sentence, episode.content, piece)
    around = _sentences(episode.content, span or piece)
    phase = _PHASES.get(told.phase.lower(), Phase.HOLDS)
    kind = FactKind(told.kind.lower()) if told.kind.lower() in tuple(FactKind) else FactKind.STATE
    dates = date_of(told, phase, around, episode.reference_time)
    said = Statement(
        subject=named.get(fold_name(told.subject), Mention(name=told.subject)),
        relation=told.relation[:_LONGEST_NAME],
        object=thing,
        sentence=(told.sentence or told.quote or " ".join((told.subject, told.relation, told.object)))[
            :_LONGEST_SENTENCE
        ],
        kind=FactKind.STATE if phase is Phase.ENDS else kind,
        phase=phase,
        span=span,
        valid_at=None if phase is Phase.ENDS else dates.valid_at,
        invalid_at=dates.invalid_at or (dates.valid_at if phase is Phase.ENDS else None),
        granularity=dates.granularity,
        confidence=_DENIED if told.phase.lower() == "denied" else 1.0,
    )
    former = _thing(told, told.replaces, ground, named)
    is_former = isinstance(former, Mention) and former != thing and phase is not Phase.ENDS and kind is FactKind.STATE
    return replace(said, replaces=told.replaces) if is_former else said


def _thing(told: Told, words: str, ground: Ground, named: dict[str, Mention]) -> Mention | Value | None:
    """An object: an entity, a typed value, or words of the text; None if it is none of them."""
    if fold_name(words) in named:
        return named[fold_name(words)]
    if not ground.is_named(words):
        return None
    spoken = {word.lower() for word in _WORD.findall(words)}
    whole = [found.value for found in find_values(words, spoken) if fold_name(found.value.text) == fold_name(words)]
    if whole:
        return whole[0]
    # A value is one at a time ("her role is …"); of anything else there may be several ("she likes …").
    is_single = is_one_at_a_time(attribute_of(told.relation)) and fold_name(words) not in ground.known
    return Value(type=ValueType.TEXT, text=words) if is_single else Mention(name=words)


def locate(quote: str, text: str, piece: tuple[int, int]) -> tuple[int, int] | None:
    """Where words stand in a piece of the text, whatever their spacing, case and quotation marks."""
    parts = _WORD.findall(quote)
    if not parts:
        return None
    start, end = piece
    pattern = r"\W+".join(map(re.escape, parts))
    match = re.compile(pattern, re.IGNORECASE).search(text, start, end)
    if match is None:
        return None
    # Signs that the quote has around its words: "$900", "C++".
    before, after = len(quote) - len(quote.lstrip("$€£(\"'")), re.search(r"\s*[%+#)]*$", quote)
    first = match.start() - before if text[match.start() - before : match.start()] == quote[:before] else match.start()
    last = match.end() + len(after[0]) if after and text.startswith(after[0], match.end()) else match.end()
    return first, last


def _sentences(text: str, span: tuple[int, int]) -> str:
    """The sentences that a span touches, and the one before: a date often stands there."""
    ranges = [
        m.span() for m in _SENTENCE.finditer(text, max(0, span[0] - 2000), min(len(text), span[1] + 1000)) if m[0]
    ]
    touched = [place for place, (start, end) in enumerate(ranges) if start < span[1] and span[0] < end]
    if not touched:
        return text[span[0] : span[1]]
    return text[ranges[max(0, touched[0] - 1)][0] : ranges[touched[-1]][1]]

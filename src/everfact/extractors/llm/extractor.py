"""`LlmExtractor`: a model reads the text. Where it cannot be had, rules read in its place, and the episode says so."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from everfact.errors import ExtractError, ModelAnswerInvalid
from everfact.extractors.llm.answers import read_found, read_verdicts
from everfact.extractors.llm.calls import Account, Calls
from everfact.extractors.llm.grounding import Ground, statements
from everfact.extractors.llm.pieces import PIECE, pieces
from everfact.extractors.llm.prompts import ENTITY_TYPES, Prompt, Scene, extraction, judgement
from everfact.models import (
    JSON,
    CommandKind,
    Entity,
    Episode,
    Extraction,
    Filter,
    Judgement,
    Mention,
    Pair,
    Statement,
    Verdict,
)
from everfact.ports import Extractor, Store
from everfact.relations import REPLACED_BY, TITLED

log = logging.getLogger(__name__)
T = TypeVar("T")
Read: TypeAlias = tuple[list[Statement], list[Mention]]
"""What stands in a piece of text, and whom it names."""

_MOST_PIECES = 16
_BEFORE = 3
"""How many episodes said before go along."""
_READING, _JUDGING = 0.65, 0.2
"""Shares of the time that an episode may take; the rest is for the rules and for writing down."""
_DOCUMENTS = (TITLED, REPLACED_BY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the settings say about reading."""

    seconds: float = 60.0
    """How long an attempt at an episode may take."""
    types: Mapping[str, str] = field(default_factory=lambda: ENTITY_TYPES)


class LlmExtractor:
    """Reads by a model, in one call for each piece of a text, and judges all open pairs in one."""

    def __init__(self, calls: Calls, rules: Extractor, store: Store, options: Options) -> None:
        self.name = f"llm/{calls.endpoint.name}"
        self._calls = calls
        self._rules = rules
        self._store = store
        self._options = options

    async def extract(self, episode: Episode, known: Sequence[Entity], listeners: Sequence[str] = ()) -> Extraction:
        """What the episode says. Commands, trust and numbered documents stay with the rules, whatever the model says.

        A piece that the model cannot be had for is read by the rules alone; the extraction is degraded then.
        """
        by_rules = await self._rules.extract(episode, known, listeners)
        if not episode.content.strip():
            return by_rules
        account = self._account(_READING)
        scene = await self._scene(episode, known, listeners)
        ground, parts = Ground(scene), pieces(episode.content)
        read = await asyncio.gather(*(self._read(ground, part, account) for part in parts[:_MOST_PIECES]))
        read += [f"it has {len(parts)} pieces of {PIECE:,} characters; a model reads {_MOST_PIECES}"] * (
            len(parts) - len(read)
        )
        troubles = list(dict.fromkeys(found for found in read if isinstance(found, str)))
        if troubles:
            log.warning("episode %s is read by rules%s: %s", episode.uuid, _partly(read), troubles[0])
            await self._calls.spending.rescue(self._calls.endpoint.name)
        found = _joined(episode, parts, read, by_rules)
        is_lost = all(isinstance(part, str) for part in read)
        return replace(
            found,
            extractor=by_rules.extractor if is_lost else self.name,
            degraded=bool(troubles),
            reason="; ".join(troubles[:3]),
            usage=account.usage,
        )

    async def judge(self, pairs: Sequence[Pair]) -> Judgement:
        """A verdict on each pair, in one call; without an answer both stand, which the memory shows as disputed."""
        account = self._account(_JUDGING)
        try:
            verdicts = await self._answer(judgement(pairs), account, lambda text: read_verdicts(text, len(pairs)))
        except ExtractError as error:
            log.warning("%d pairs stay open: %s", len(pairs), error)
            verdicts = [Verdict.BOTH_STAND] * len(pairs)
        return Judgement(verdicts=tuple(verdicts), judge=self.name, usage=account.usage)

    def _account(self, share: float) -> Account:
        return Account(asyncio.get_running_loop().time() + self._options.seconds * share)

    async def _scene(self, episode: Episode, known: Sequence[Entity], listeners: Sequence[str]) -> Scene:
        excluded = _texts(episode.attributes.get("excluded_entity_types"))
        return Scene(
            episode=episode,
            types={name: meaning for name, meaning in self._options.types.items() if name not in excluded},
            known=known,
            listeners=listeners,
            before=await self._before(episode),
            wishes=str(episode.attributes.get("custom_extraction_instructions") or ""),
        )

    async def _before(self, episode: Episode) -> list[Episode]:
        """The episodes named as its context, or those right before it in its thread; oldest first."""
        here = Filter(group_ids=(episode.group_id,), told_until=episode.reference_time)
        named = _texts(episode.attributes.get("previous_episode_uuids"))
        if named:
            here = replace(here, uuids=named, told_until=None)
        elif episode.thread:
            here = replace(here, threads=(episode.thread,))
        else:
            return []
        found = await self._store.episodes(here, limit=_BEFORE + 1)
        return [e for e in reversed(found) if e.uuid != episode.uuid][-_BEFORE:]

    async def _read(self, ground: Ground, part: tuple[int, int], account: Account) -> Read | str:
        """What the model finds in one piece, or why that is of no use."""
        episode = ground.scene.episode
        excluded = frozenset(_texts(episode.attributes.get("excluded_entity_types")))
        try:
            prompt = extraction(ground.scene, episode.content[slice(*part)])
            found = await self._answer(prompt, account, read_found)
        except ExtractError as error:
            return str(error)
        said, named = statements(found, ground, part, excluded)
        return (said, named) if said or not found.facts or excluded else "nothing that it says stands in the text"

    async def _answer(self, prompt: Prompt, account: Account, read: Callable[[str], T]) -> T:
        """The model's answer, read; if that fails, what it says when told so.

        Raises:
            ExtractError: it cannot be had.
        """
        reply = None
        try:
            reply = await self._calls.ask(prompt, account)
            answer = read(reply.text)
        except ModelAnswerInvalid as error:
            if reply is not None:
                self._calls.drop(reply.mode)
            reply = await self._calls.ask(prompt.again(reply.text if reply else "", str(error)), account)
            answer = read(reply.text)
        await self._calls.keep(reply.mode)
        return answer


def _joined(
    episode: Episode, parts: Sequence[tuple[int, int]], read: Sequence[Read | str], by_rules: Extraction
) -> Extraction:
    """All pieces as one extraction; those without a reading as the rules read them."""
    said: list[Statement] = []
    names: dict[str, Mention] = {}
    for part, found in zip(parts, read, strict=True):
        if isinstance(found, str):
            said += [s for s in by_rules.statements if s.span is None or part[0] <= s.span[0] < part[1]]
            names |= {m.name: m for m in by_rules.mentions if m.name in episode.content[slice(*part)]}
        else:
            said += found[0]
            names |= {mention.name: mention for mention in found[1]}
    said += [s for s in by_rules.statements if _is_for_rules(s, by_rules)]
    return replace(by_rules, statements=tuple(dict.fromkeys(said)), mentions=tuple(names.values()))


def _is_for_rules(said: Statement, by_rules: Extraction) -> bool:
    """What numbered documents say of themselves, and what an order to the memory says in so many words."""
    updates = [command.span for command in by_rules.commands if command.kind is CommandKind.UPDATE]
    is_ordered = said.span is not None and any(start <= said.span[0] < end for start, end in updates)
    return said.relation in _DOCUMENTS or is_ordered


def _partly(read: Sequence[Read | str]) -> str:
    return "" if all(isinstance(found, str) for found in read) else " in part"


def _texts(value: JSON) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

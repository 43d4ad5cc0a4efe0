"""Commands about memory, found in what was told: what to withdraw, end and hide.

Only facts and short episodes that hold every word of the command's key are touched, and all of it can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from everfact.clock import new_id
from everfact.models import (
    Assertion,
    Command,
    CommandKind,
    Episode,
    Fact,
    FactKind,
    Filter,
    Phase,
    Thing,
)
from everfact.ports import Store
from everfact.refold import EVERYTHING

_LOOK_AT = 50
_SHORT = 60
"""Words: a longer text says more than what is to be forgotten, so only its assertions go."""
_SMALL_WORDS = frozenset(
    ("a", "an", "and", "are", "at", "be", "by", "for", "from", "has", "have", "in", "is", "it", "its", "my", "of")
) | {"on", "or", "our", "that", "the", "this", "to", "was", "with"}


@dataclass(slots=True)
class Obeyed:
    """What the commands of one episode come to."""

    withdrawn: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    asserted: list[Assertion] = field(default_factory=list)


async def obey(store: Store, episode: Episode, commands: Iterable[Command], *, now: datetime) -> Obeyed:
    """Work out what the commands touch; the episode that gives an order about secrets goes with what it names."""
    done = Obeyed()
    for command in commands:
        if command.kind is CommandKind.DO_NOT_SAVE and _is_short(episode):
            done.removed.add(episode.uuid)
        elif command.kind is CommandKind.FORGET:
            await _forget(store, episode, command, done)
        elif command.kind is CommandKind.EXPIRED:
            await _end(store, episode, command, done, now)
        # An update needs nothing here: the statement "K is V" that comes with it does the work in the fold.
    return done


async def _forget(store: Store, episode: Episode, command: Command, done: Obeyed) -> None:
    if _is_short(episode):
        done.removed.add(episode.uuid)
    for fact in await _facts(store, episode, command.key):
        done.withdrawn |= set(fact.assertions)
    here = Filter(group_ids=(episode.group_id,))
    hits = await store.match_text(Thing.EPISODE, command.key, here, limit=_LOOK_AT)
    for told in await store.episodes(replace(here, uuids=tuple(hit.uuid for hit in hits)), limit=_LOOK_AT):
        if _is_short(told) and _says_all(told.content, command.key):
            done.removed.add(told.uuid)
            said = await store.assertions(replace(here, episodes=(told.uuid,)), limit=EVERYTHING)
            done.withdrawn |= {assertion.uuid for assertion in said}


async def _facts(store: Store, episode: Episode, key: str) -> list[Fact]:
    """The facts known now that hold every word of the key."""
    here = Filter(group_ids=(episode.group_id,))
    hits = await store.match_text(Thing.FACT, key, here, limit=_LOOK_AT)
    found = await store.facts(replace(here, uuids=tuple(hit.uuid for hit in hits)), limit=_LOOK_AT)
    return [fact for fact in found if _says_all(fact.sentence, key)]


async def _end(store: Store, episode: Episode, command: Command, done: Obeyed, now: datetime) -> None:
    states = [f for f in await _facts(store, episode, command.key) if f.kind is FactKind.STATE and not f.invalid_at]
    first = tuple(fact.assertions[0] for fact in states)
    here = Filter(group_ids=(episode.group_id,))
    for old in await store.assertions(replace(here, uuids=first), limit=EVERYTHING):
        ending = replace(
            old.statement, phase=Phase.ENDS, valid_at=None, invalid_at=episode.reference_time, span=command.span
        )
        done.asserted.append(
            replace(old, uuid=new_id(), statement=ending, episode_uuid=episode.uuid, created_at=now, origin="command")
        )


def _is_short(episode: Episode) -> bool:
    """Whether a command can be meant for all of it: in a long text it may be a rule for others."""
    return len(episode.content.split()) <= _SHORT


def _says_all(text: str, key: str) -> bool:
    wanted = _words(key)
    return bool(wanted) and wanted <= _words(text)


def _words(text: str) -> set[str]:
    """Words that carry meaning, plural and letter case apart."""
    found = (word.removesuffix("s") for word in re.findall(r"\w+", text.casefold()))
    return {word for word in found if word not in _SMALL_WORDS}

"""Commands about memory, found in what was told: what to withdraw, end, hide and put out of date.

Only facts and short episodes that speak of the command's key are touched, and all of it can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from everfact.clock import new_id
from everfact.marks import superseded
from everfact.models import (
    Assertion,
    Change,
    Command,
    CommandKind,
    Episode,
    Fact,
    FactKind,
    Filter,
    Phase,
    Status,
    Thing,
)
from everfact.ports import Store
from everfact.refold import EVERYTHING

ORDER = "command"
"""The origin of what is asserted because of a command."""
_LOOK_AT = 50
_SHORT = 60
"""Words: a longer text says more than what is to be forgotten, so only its assertions go."""
_ARTICLES = ("the", "a", "an", "my", "our", "your", "this")
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


async def outdated(store: Store, episode: Episode, commands: Iterable[Command], change: Change) -> tuple[Episode, ...]:
    """The earlier episodes that an update or an expiry puts out of date, marked: short ones that say what it ends.

    They stand behind a fact that the order's own words have ended in this change, or state its key ("KEY is …").
    """
    orders = [command for command in commands if command.kind in (CommandKind.UPDATE, CommandKind.EXPIRED)]
    if not orders:
        return ()
    places = {order.span for order in orders}
    said = {a.uuid for a in change.asserted if a.statement.span in places}
    behind = {uuid for fact in change.facts if not said.isdisjoint(fact.ended_by) for uuid in fact.episodes}
    here = Filter(group_ids=(episode.group_id,))
    hits = [await store.match_text(Thing.EPISODE, order.key, here, limit=_LOOK_AT) for order in orders]
    uuids = behind | {hit.uuid for found in hits for hit in found}
    told = await store.episodes(replace(here, uuids=tuple(uuids)), limit=EVERYTHING)
    return tuple(
        superseded(old, episode.uuid)
        for old in told
        if _is_before(old, episode)
        and old.uuid not in change.removed
        and (old.uuid in behind or any(_states(old.content, order.key) for order in orders))
    )


def _is_before(old: Episode, episode: Episode) -> bool:
    """Whether a short episode was told and digested before this one, and stands so far."""
    return (
        old.uuid != episode.uuid
        and old.status is not Status.PENDING
        and old.reference_time <= episode.reference_time
        and "superseded_by" not in old.attributes
        and _is_short(old)
    )


def _states(text: str, key: str) -> bool:
    """Whether the text says what the key is: "(remember that) the KEY is …", and not "Ana's KEY is …"."""
    words = [re.escape(word) for word in re.findall(r"\w+", key.casefold()) if word not in _ARTICLES]
    article = rf"(?:(?:{'|'.join(_ARTICLES)})\W+)*"
    spoken = rf"\W+{article}".join(words)
    opening = rf"(?:^|[.!?:;\n]\s*|\b(?:that|note|remember|but|and|now)\W+){article}"
    return (
        bool(words)
        and re.search(rf"{opening}{spoken}\s*(?:\b(?:is|are|was|were|remains?)\b|[=:])", text.casefold()) is not None
    )


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
            replace(old, uuid=new_id(), statement=ending, episode_uuid=episode.uuid, created_at=now, origin=ORDER)
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

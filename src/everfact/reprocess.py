"""Reading again, by a model, what rules have read: which episodes, a few at a time, and taking all of it back.

How far it has come is in the episodes themselves (`marks`), so that it may be stopped at any moment and run again.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from everfact.digester import Digester
from everfact.errors import UsageError
from everfact.marks import degraded, is_model, is_testimony, read_by
from everfact.models import Assertion, Change, ChangeKind, Cursor, Episode, Filter, Source, Stats, Status
from everfact.ports import Store
from everfact.refold import EVERYTHING

_PAGE = 200
_BATCH = 8
"""So few are queued at a time that what is told meanwhile does not wait long."""
_BY_PEOPLE = (ChangeKind.FORGET, ChangeKind.CORRECT, ChangeKind.RESOLVE)
_PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesser:
    """The episodes that a better extractor should read again, the oldest first, and how many are left as they are."""

    episodes: tuple[Episode, ...]
    settled: int = 0
    """A person, or an order in a text, has since changed what they say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reprocessed:
    """What became of them: how many were read again, what there was before and is after, and why it stopped early."""

    redone: int
    left: int
    settled: int
    before: Stats
    after: Stats
    stopped: str = ""


async def lesser(store: Store, reader: str, group_id: str, *, others: bool = False) -> Lesser:
    """Which episodes the present reader should read again: those that rules have read, for want of a model or before
    there was one; with `others` also those that another model has read. Never those that came with their facts.

    Raises:
        UsageError: rules read here, and would find the same again.
    """
    if not is_model(reader):
        raise UsageError("rules read here, and would find the same again", hint="set llm.model first")
    found, settled = [], 0
    async for episode in _digested(store, group_id):
        if _is_lesser(episode, reader, others=others):
            if await _is_settled(store, episode):
                settled += 1
            else:
                found.append(episode)
    return Lesser(episodes=tuple(reversed(found)), settled=settled)


def _is_lesser(episode: Episode, reader: str, *, others: bool) -> bool:
    if episode.statements or not is_testimony(episode):
        return False
    return not read_by(episode) or bool(degraded(episode)) or (others and read_by(episode) != reader)


async def _digested(store: Store, group_id: str) -> AsyncIterator[Episode]:
    where = Filter(group_ids=(group_id,), sources=(Source.TEXT, Source.MESSAGE), statuses=(Status.DONE,))
    before: Cursor | None = None
    while page := await store.episodes(where, limit=_PAGE, before=before):
        for episode in page:
            yield episode
        before = (page[-1].reference_time, page[-1].uuid)


async def _is_settled(store: Store, episode: Episode) -> bool:
    """Whether somebody has changed what the episode says: reading it anew would bring back what they took away."""
    here = Filter(group_ids=(episode.group_id,), withdrawn=None)
    said = await store.assertions(replace(here, episodes=(episode.uuid,)), limit=EVERYTHING)
    if any(assertion.origin == _PERSON for assertion in said):
        return True
    gone = tuple(assertion.uuid for assertion in said if assertion.withdrawn)
    acts = await store.changes(replace(here, uuids=gone), limit=EVERYTHING) if gone else []
    return any(_has_settled(act, episode, said) for act in acts)


def _has_settled(act: Change, episode: Episode, said: list[Assertion]) -> bool:
    if act.kind is ChangeKind.UNDO:
        return all(assertion.withdrawn for assertion in said)
    return act.kind in _BY_PEOPLE or (act.kind is ChangeKind.DIGEST and act.cause != episode.uuid)


async def reprocess(
    digester: Digester, found: Lesser, group_id: str, on_done: Callable[[int], None] = lambda _: None
) -> Reprocessed:
    """Have them read again, a few at a time; it stops where the model cannot be had."""
    store, groups = digester.store, (group_id,)
    before, started = await store.stats(groups), await _begin(digester, group_id)
    redone, stopped = 0, ""
    for start in range(0, len(found.episodes), _BATCH):
        batch = tuple(episode.uuid for episode in found.episodes[start : start + _BATCH])
        where = Filter(group_ids=groups, uuids=batch)
        await store.requeue(where)
        while any(e.status is Status.PENDING and not e.error for e in await store.episodes(where, limit=_BATCH)):
            await digester.wait_for((await store.episodes(replace(where, statuses=(Status.PENDING,))))[-1])
        read = await store.episodes(where, limit=_BATCH)
        worse = [e.error or degraded(e) for e in read if e.error or degraded(e) or not read_by(e)]
        redone += len(read) - len(worse)
        on_done(len(batch))
        if worse:
            stopped = worse[0] or "they were not read by a model"
            break
    await store.set_state(_name(group_id), json.dumps({"since": started, "is_over": not stopped}))
    return Reprocessed(
        redone=redone,
        left=len(found.episodes) - redone,
        settled=found.settled,
        before=before,
        after=await store.stats(groups),
        stopped=stopped,
    )


async def queue_again(digester: Digester, found: Lesser, group_id: str) -> int:
    """Queue all of them and wait for none."""
    await _begin(digester, group_id)
    uuids = tuple(episode.uuid for episode in found.episodes)
    return await digester.store.requeue(Filter(group_ids=(group_id,), uuids=uuids))


def _name(group_id: str) -> str:
    return f"reprocessing of {group_id}"


async def _begin(digester: Digester, group_id: str) -> str:
    """When the run began; one that was broken off is gone on with."""
    kept = json.loads(await digester.store.state(_name(group_id)) or '{"is_over": true}')
    since = digester.now().isoformat() if kept["is_over"] else str(kept["since"])
    await digester.store.set_state(_name(group_id), json.dumps({"since": since, "is_over": False}))
    return since


async def last_run(store: Store, group_id: str) -> list[Change]:
    """The changes that the last run made, the newest first.

    Raises:
        UsageError: there was none.
    """
    kept = await store.state(_name(group_id))
    if kept is None:
        raise UsageError("nothing was reprocessed here", hint="everfact undo takes back a single change")
    since, before, made = datetime.fromisoformat(json.loads(kept)["since"]), None, []
    here = Filter(group_ids=(group_id,))
    while page := await store.changes(here, limit=_PAGE, before=before):
        made += [change for change in page if change.kind is ChangeKind.DIGEST and change.created_at >= since]
        before = (page[-1].created_at, page[-1].uuid)
        if before[0] < since:
            break
    return [change for change in made if await _was_read_before(store, change, since)]


async def _was_read_before(store: Store, change: Change, since: datetime) -> bool:
    log = await store.changes(Filter(group_ids=(change.group_id,), uuids=(change.cause,)), limit=EVERYTHING)
    return any(c.kind is ChangeKind.DIGEST and c.cause == change.cause and c.created_at < since for c in log)

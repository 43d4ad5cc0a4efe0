"""`Memory`: the one object that every entrance holds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Self

from everfact import clock, evidence, lookup, reprocess, revise
from everfact.communities import build_communities, ever_built
from everfact.digest import Patience
from everfact.digester import TRIES, Digester
from everfact.draft import accept, check_group
from everfact.errors import Conflict, NotFound, UsageError
from everfact.export import write_export
from everfact.models import (
    Added,
    Answer,
    Change,
    Comparison,
    Draft,
    Embedding,
    Entity,
    Episode,
    Fact,
    Filter,
    History,
    Query,
    Receipt,
    Source,
    Statement,
    Stats,
    Status,
)
from everfact.ports import Embedder, Extractor, Store
from everfact.refold import EVERYTHING
from everfact.reprocess import Lesser, Reprocessed
from everfact.signals import Signals
from everfact.spending import spent
from everfact.summarize import SagaSummary, summarize_saga

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BATCH = 256


class Memory:
    """Tells, digests, explains and undoes. Open one with `open_memory`."""

    def __init__(
        self,
        store: Store,
        extractors: Mapping[Source, Extractor],
        *,
        embedder: Embedder | None = None,
        patience: Patience | None = None,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._now = now
        self.reader = extractors[Source.TEXT].name if Source.TEXT in extractors else ""
        """Who reads texts here: rules or a model, by name."""
        self._digester = Digester(store, extractors, patience or Patience(), now)
        self.told = asyncio.Event()
        """Set when something was added, so that a worker in this process need not wait for its next look."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    # Telling

    async def add(self, draft: Draft, *, wait: bool = False, export_to: Path | None = None) -> Added:
        """Keep what was told; it is on disk and can be searched when this returns. With `wait` it is digested too.

        With `export_to` the text is written to that file first; if that fails, nothing is stored.

        Raises:
            UsageError: the draft cannot be taken as it is, or the file cannot be written.
        """
        added = accept(draft, now=self._now())
        if export_to is not None:
            await asyncio.to_thread(write_export, export_to, added.episode.content)
        episode = await self._store.add_episode(added.episode)
        self.told.set()
        if wait:
            episode = await self._digester.wait_for(episode)
        return replace(added, episode=episode)

    async def add_facts(
        self, facts: Sequence[Statement], *, group_id: str = "main", source_description: str = ""
    ) -> Change:
        """Take in what the caller knows already: no extraction, but the same reconciling. Answer what it did."""
        if not facts:
            raise UsageError("there are no facts to add", hint="hand over at least one")
        named = tuple(fact.replaces for fact in facts if _UUID.fullmatch(fact.replaces))
        if named:
            here = Filter(group_ids=(group_id,), uuids=named)
            found = {fact.uuid for fact in await self._store.facts(here, limit=EVERYTHING)}
            if set(named) - found:
                raise NotFound(f"there is no fact {min(set(named) - found)} to replace", hint="search for it first")
        told = Draft(
            content="\n".join(fact.sentence for fact in facts),
            name="facts",
            group_id=group_id,
            source_description=source_description,
            statements=tuple(facts),
        )
        episode = (await self.add(told, wait=True)).episode
        if episode.status is not Status.DONE:
            raise UsageError(f"the facts are kept, but not digested yet: {episode.error}", hint="look at the status")
        return (await self._store.changes(Filter(group_ids=(group_id,), uuids=(episode.uuid,)), limit=1))[0]

    # Digesting

    async def digest(self, *, limit: int = 1, each: int = 1, group_ids: Sequence[str] | None = None) -> int:
        """Digest the oldest pending episodes of up to `limit` groups, side by side, up to `each` of a group in a row.

        Answers how many were taken.
        """
        return await self._digester.digest(limit=limit, each=each, group_ids=group_ids)

    async def retry(self, *, group_ids: tuple[str, ...] | None = None) -> int:
        """Queue the parked episodes again, with their attempts forgotten; answer how many."""
        count = await self._store.requeue(Filter(group_ids=group_ids, statuses=(Status.PARKED,)))
        self.told.set()
        return count

    async def lesser(self, *, group_id: str = "main", others: bool = False) -> Lesser:
        """The episodes that rules have read and the present model should read again; with `others` other models' too.

        Raises:
            UsageError: no model reads here.
        """
        return await reprocess.lesser(self._store, self.reader, group_id, others=others)

    async def reprocess(
        self, found: Lesser, *, group_id: str = "main", on_done: Callable[[int], None] = lambda _: None
    ) -> Reprocessed:
        """Have them read again, and wait for it; `on_done` hears how many went by. It can be run again at any time."""
        return await reprocess.reprocess(self._digester, found, group_id, on_done)

    async def queue_again(self, found: Lesser, *, group_id: str = "main") -> int:
        """Queue them to be read again, by whichever worker comes first; answer how many."""
        count = await reprocess.queue_again(self._digester, found, group_id)
        self.told.set()
        return count

    async def undo_reprocess(self, *, group_id: str = "main", on_done: Callable[[int], None] = lambda _: None) -> int:
        """Take back what the last reprocessing did; answer how many episodes are read as they were before.

        Raises:
            UsageError: there was none.
        """
        count = 0
        for change in await reprocess.last_run(self._store, group_id):
            if not await revise.is_undone(self._store, change):
                await self.undo(change.uuid, group_ids=(group_id,))
                count += 1
            on_done(1)
        return count

    async def embed(self) -> int:
        """Give vectors to some of what has none yet, or see to their upkeep; answer how many items got one."""
        if self._embedder is None:
            return 0
        lacking = await self._store.unembedded(self._embedder.model, limit=_BATCH)
        if not lacking:
            await self._store.maintain()
            return 0
        vectors = await self._embedder.embed([item.text for item in lacking])
        return await self._store.put_vectors(
            self._embedder.model,
            [
                Embedding(thing=item.thing, uuid=item.uuid, text=item.text, vector=vector)
                for item, vector in zip(lacking, vectors, strict=True)
            ],
        )

    # Looking

    async def search(self, query: Query) -> Answer:
        """The facts, entities and episodes that fit a question, best first.

        Raises:
            UsageError: the query cannot be answered as it is.
        """
        from everfact.search import (
            search,
        )  # reads dates in questions: half of the time that importing all of this takes

        return await search(self._store, self._embedder, query, now=self._now())

    async def brief(
        self,
        group_ids: tuple[str, ...],
        signals: Signals | None = None,
        *,
        max_tokens: int,
        part: tuple[int, int] | None = None,
    ) -> str:
        """What matters at the start of a task, as TOON within a budget of four characters a token; empty if nothing.

        `part` asks for the n-th of m pieces, each small enough for what a hook may say.
        """
        from everfact.brief import PER_TOKEN, Wanted, brief, in_parts

        number, parts = part or (1, 1)
        wanted = in_parts(max_tokens, parts) if part else Wanted(budgets=(max_tokens * PER_TOKEN,))
        asked = signals or Signals()
        found = await brief(self._store, group_ids, asked, wanted, now=self._now(), embedder=self._embedder)
        return found[number - 1]

    async def compare(self, query: Query, start: datetime, end: datetime) -> Comparison:
        """What was true of a question at two moments, and what came and went in between.

        Raises:
            UsageError: the start is not before the end.
        """
        from everfact.search import compare

        return await compare(self._store, self._embedder, query, (start, end), now=self._now())

    async def entities(self, where: Filter, *, limit: int = 100) -> list[Entity]:
        """Entities, newest first."""
        return await self._store.entities(where, limit=limit)

    async def facts(self, where: Filter, *, limit: int = 100) -> list[Fact]:
        """Facts, newest first."""
        return await self._store.facts(where, limit=limit)

    async def changes(self, where: Filter, *, limit: int = 100) -> list[Change]:
        """What was done to the memory, newest first."""
        return await self._store.changes(where, limit=limit)

    async def get(self, uuid: str, *, group_ids: tuple[str, ...] | None = None) -> Episode | Entity | Fact:
        """The episode, entity or fact with that id.

        Raises:
            NotFound: there is none.
        """
        return await lookup.item(self._store, uuid, group_ids)

    async def episodes(self, where: Filter, *, limit: int = 10) -> list[Episode]:
        """Episodes, newest first by the time they speak from."""
        return await self._store.episodes(where, limit=limit)

    async def outcome(
        self, episodes: Sequence[str], *, group_ids: tuple[str, ...] | None = None
    ) -> tuple[list[Entity], list[Fact]]:
        """What was read out of these episodes: the entities and the facts, as they stand now.

        Raises:
            NotFound: there is no such episode.
        """
        return await evidence.outcome(self._store, episodes, group_ids)

    async def history(self, entity: str, *, group_ids: tuple[str, ...] | None = None) -> History:
        """All that is known of an entity, given by name or id: what began, changed and ended, and why.

        Raises:
            NotFound: nobody is called that.
        """
        found = await lookup.entity(self._store, entity, group_ids)
        here = Filter(group_ids=(found.group_id,))
        facts = await self._store.facts(replace(here, entities=(found.uuid,)), limit=EVERYTHING)
        changes = await self._store.changes(replace(here, uuids=(found.uuid, *(f.uuid for f in facts))))
        facts.sort(key=lambda fact: (fact.valid_at or fact.created_at, fact.created_at, fact.uuid))
        return History(entity=found, facts=tuple(facts), changes=tuple(changes))

    async def explain(self, uuid: str, *, group_ids: tuple[str, ...] | None = None) -> Receipt:
        """Why a fact is believed: the very words, the episodes, what it replaced, what replaced it.

        Raises:
            NotFound: there is no such fact.
        """
        return await evidence.explain(self._store, await lookup.fact(self._store, uuid, group_ids))

    async def disputes(self, *, group_ids: tuple[str, ...] | None = None, limit: int = 100) -> list[Fact]:
        """Facts that contradict another one and nobody has said which is right."""
        return await self._store.facts(Filter(group_ids=group_ids, disputed=True, valid_at=self._now()), limit=limit)

    async def status(self, *, group_ids: Sequence[str] | None = None) -> Stats:
        """How much there is and how it is doing, and what models have taken."""
        return replace(await self._store.stats(group_ids), spent=await spent(self._store, self._now()))

    async def state(self, name: str) -> str | None:
        """A small named value that somebody kept here: an offset, a watermark."""
        return await self._store.state(name)

    async def set_state(self, name: str, value: str | None) -> None:
        """Keep a small named value, or drop it with None."""
        await self._store.set_state(name, value)

    async def summarize_saga(self, thread: str, *, group_id: str = "main") -> SagaSummary:
        """The most telling sentences of a thread, in its own words and order.

        Raises:
            NotFound: there is no such thread.
        """
        return await summarize_saga(self._store, thread, group_id)

    async def build_communities(self, *, group_id: str = "main") -> Change:
        """Find circles of entities that have much to do with each other, each summed up in the facts' own words."""
        check_group(group_id)
        return await self._apply(lambda now: build_communities(self._store, group_id, now=now))

    # Changing one's mind

    async def undo(self, uuid: str, *, group_ids: tuple[str, ...] | None = None) -> Change:
        """As if a change, or the digestion of an episode, had never been; itself undoable.

        Raises:
            NotFound: there is no such change.
            UsageError: it was undone already.
        """
        log = await self._store.changes(Filter(group_ids=group_ids, uuids=(uuid,)), limit=EVERYTHING)
        acts = [c for c in log if uuid == c.uuid] or [c for c in log if uuid == c.cause]
        if not acts:
            raise NotFound(f"no change has the id {uuid}", hint="look for it in the history")
        standing = [act for act in acts if not await revise.is_undone(self._store, act)]
        if not standing:
            raise UsageError(f"{uuid} was undone already", hint="undo the undoing to have it back")
        target = standing[0]
        return await self._apply(lambda now: revise.undo(self._store, target, now=now))

    async def forget(self, uuid: str, *, group_ids: tuple[str, ...] | None = None) -> Change:
        """Take an episode, a fact or an entity away, with all that only it supports; undoable until purged.

        Raises:
            NotFound: there is none with that id.
        """
        item = await self.get(uuid, group_ids=group_ids)
        if isinstance(item, Episode):
            return await self._apply(lambda now: revise.forget_episode(self._store, item, now=now))
        if isinstance(item, Fact):
            return await self._apply(lambda now: revise.forget_fact(self._store, item, now=now))
        return await self._apply(lambda now: revise.forget_entity(self._store, item, now=now))

    async def correct(
        self,
        uuid: str,
        right: Callable[[Statement], Statement],
        *,
        why: str = "",
        group_ids: tuple[str, ...] | None = None,
    ) -> Change:
        """A person's word on a fact: what was wrong is withdrawn, what is right asserted.

        Raises:
            NotFound: there is no such fact.
        """
        fact = await lookup.fact(self._store, uuid, group_ids)
        return await self._apply(lambda now: revise.correct(self._store, fact, right, note=why, now=now))

    async def resolve(self, keep: str, *, group_ids: tuple[str, ...] | None = None) -> Change:
        """Settle a dispute in favour of one fact.

        Raises:
            NotFound: there is no such fact.
            UsageError: it is not disputed.
        """
        kept = await lookup.fact(self._store, keep, group_ids)
        same = Filter(group_ids=(kept.group_id,), subjects=(kept.subject_uuid,), attributes=(kept.attribute,))
        rivals = [f for f in await self._store.facts(replace(same, disputed=True)) if f.uuid != kept.uuid]
        if not kept.disputed or not rivals:
            raise UsageError(f"fact {keep} is not disputed")
        return await self._apply(lambda now: revise.settle(self._store, kept, rivals, now=now))

    async def merge(self, keep: str, other: str, *, group_ids: tuple[str, ...] | None = None) -> Change:
        """Two entities, by name or id, are one; the names of both are kept.

        Raises:
            NotFound: one of them is not known.
        """
        kept, gone = [await lookup.entity(self._store, name, group_ids) for name in (keep, other)]
        return await self._apply(lambda now: revise.merge(self._store, kept, gone, now=now))

    async def split(self, entity: str, aliases: Sequence[str], *, group_ids: tuple[str, ...] | None = None) -> Change:
        """What was said under these names is about somebody else.

        Raises:
            NotFound: the entity is not known, or nothing was said under these names.
        """
        found = await lookup.entity(self._store, entity, group_ids)
        return await self._apply(lambda now: revise.split(self._store, found, aliases, now=now))

    async def purge(self, uuid: str, *, group_ids: tuple[str, ...] | None = None) -> int:
        """Forget an item and wipe every copy of it for good, communities' summaries too; answer how many items went."""
        item = await lookup.forgotten(self._store, uuid, group_ids)
        if item is None:
            item = await self.get(uuid, group_ids=group_ids)
            await self.forget(uuid, group_ids=group_ids)
        traces, alive = await revise.traces(self._store, item)
        traces |= {uuid, *await ever_built(self._store, item.group_id)}
        return await self._store.purge(item.group_id, sorted(traces), former=sorted(alive))

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        """Wipe whole groups for good; answer what they held."""
        for group_id in group_ids:
            check_group(group_id)
        return await self._store.clear(group_ids)

    async def backup(self, target: Path) -> None:
        """Write a checked copy of everything to a new file."""
        await self._store.backup(target)

    async def close(self) -> None:
        """Let go of the store."""
        await self._store.close()

    # Inside

    async def _apply(self, act: Callable[[datetime], Awaitable[Change]]) -> Change:
        """Do an act of a person; if somebody else was quicker, on top of what they did."""
        for _ in range(TRIES):
            try:
                return await self._store.apply(await act(self._now()))
            except Conflict:
                continue
        raise Conflict("the group changes all the time", hint="try again")

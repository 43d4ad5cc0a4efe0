"""`RemoteMemory`: the methods of `Memory` through a server, so that commands need not know where the memory is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Self, TypeAlias

from everfact import clock
from everfact.client import wire
from everfact.client.connection import Connection, Endpoint, UnknownToolError
from everfact.client.tools import MemoryClient
from everfact.client.wire import texts, time_text
from everfact.errors import NotFound, UsageError
from everfact.models import (
    Added,
    Answer,
    Change,
    ChangeKind,
    Comparison,
    Draft,
    Entity,
    Episode,
    Fact,
    Filter,
    History,
    Mention,
    Query,
    Receipt,
    Statement,
    Stats,
    Status,
    Thing,
    Value,
    ValueType,
)
from everfact.signals import Signals
from everfact.summarize import SagaSummary

Groups: TypeAlias = "tuple[str, ...] | None"

_MOST = 200
"""As many as the server's tools list at once."""


class RemoteMemory:
    """A memory behind a server. What only the machine of the memory can do is refused."""

    def __init__(self, endpoint: Endpoint, *, token: str = "", connection: Connection | None = None) -> None:
        self._client = MemoryClient(endpoint, token=token, connection=connection)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def brief(
        self,
        group_ids: tuple[str, ...],
        signals: Signals | None = None,
        *,
        max_tokens: int,
        part: tuple[int, int] | None = None,
    ) -> str:
        """What matters at the start of a task, as the server tells it; of the signals it is told the prompt."""
        if part is not None:
            raise UsageError("a server gives the brief in one piece", hint="leave --part out")
        prompt = signals.prompt if signals else ""
        return await self._client.get_context(prompt, max_tokens=max_tokens, group_ids=group_ids)

    async def close(self) -> None:
        """End the session."""
        await self._client.close()

    # Telling

    async def add(self, draft: Draft, *, wait: bool = False, export_to: Path | None = None) -> Added:
        """Keep what was told; it is safe at the server when this returns."""
        told = await self._client.add_memory(
            draft.name or draft.content[:80],
            draft.content,
            group_id=draft.group_id,
            source=draft.source.value,
            source_description=draft.source_description,
            uuid=draft.uuid,
            reference_time=time_text(draft.reference_time),
            saga=draft.thread,
            facts=[wire.given_fact(said) for said in draft.statements],
            filepath=str(export_to) if export_to else "",
            wait=wait,
        )
        now = clock.now()
        episode = Episode(
            uuid=told.uuid,
            group_id=draft.group_id,
            name=draft.name,
            content=draft.content,
            reference_time=draft.reference_time or now,
            created_at=now,
            source=draft.source,
            source_description=draft.source_description,
            thread=draft.thread,
            statements=draft.statements,
            status=Status(told.status or "pending"),
        )
        return Added(episode=episode, warnings=told.warnings)

    async def add_facts(
        self, facts: Sequence[Statement], *, group_id: str = "main", source_description: str = ""
    ) -> Change:
        """Take in what the caller knows already. Answer what it did."""
        return await self._client.add_facts(facts, group_id=group_id, source_description=source_description)

    # Looking

    async def search(self, query: Query) -> Answer:
        """The hits, best first. A server that has only Graphiti's tools is asked for facts and entities apart."""
        try:
            return await self._client.search(query)
        except UnknownToolError:
            pass
        found: list[Fact | Entity] = []
        if Thing.FACT in query.things:
            found += await self._client.search_memory_facts(
                query.text, group_ids=query.group_ids, max_facts=query.limit
            )
        if Thing.ENTITY in query.things:
            found += await self._client.search_nodes(query.text, group_ids=query.group_ids, max_nodes=query.limit)
        return Answer(hits=wire.ranked(found)[: query.limit])

    async def compare(self, query: Query, start: datetime, end: datetime) -> Comparison:
        """What was true at two moments, and what came and went in between."""
        return await self._client.compare_facts_over_time(query, start, end)

    async def get(self, uuid: str, *, group_ids: Groups = None) -> Episode | Entity | Fact:
        """The episode, entity or fact with that id."""
        readers: dict[str, Callable[[wire.Row], Episode | Entity | Fact]] = {
            "fact": lambda receipt: wire.fact(wire.row(receipt.get("fact"))),
            "entity": lambda history: wire.entity(wire.row(history.get("entity"))),
            "episode": wire.episode,
        }
        for kind, read in readers.items():
            try:
                found = read(wire.row(json.loads(await self._client.read(f"everfact://{kind}/{uuid}"))))
            except UsageError:
                continue
            if group_ids is None or found.group_id in group_ids:
                return found
        raise NotFound(f"nothing has the id {uuid}", hint="search for it, or look at the history")

    async def entities(self, where: Filter, *, limit: int = 100) -> list[Entity]:
        """Entities of some types, newest first."""
        if where != Filter(group_ids=where.group_ids, entity_types=where.entity_types) or not where.entity_types:
            raise UsageError("a server lists entities by group and type alone", hint="search for them")
        data = await self._client.call(
            "get_entities_by_type",
            entity_types=texts(where.entity_types),
            group_ids=texts(where.group_ids),
            max_entities=min(limit, _MOST),
        )
        return wire.rows(data.get("nodes"), wire.entity)

    async def outcome(
        self,
        episodes: Sequence[str],
        *,
        group_ids: Groups = None,  # noqa: ARG002 - as in Memory
    ) -> tuple[list[Entity], list[Fact]]:
        """What was read out of these episodes."""
        data = await self._client.call("get_episode_entities", episode_uuids=texts(episodes))
        return wire.rows(data.get("nodes"), wire.entity), wire.rows(data.get("edges"), wire.fact)

    async def episodes(self, where: Filter, *, limit: int = 10) -> list[Episode]:
        """Episodes, newest first by the time they speak from."""
        narrow = replace(where, group_ids=None, sources=None, threads=None, statuses=None, uuids=None)
        if narrow != Filter(group_ids=None):
            raise UsageError("a server lists episodes by group, id, source, thread and status alone")
        is_plain = where == Filter(group_ids=where.group_ids)
        found = await self._client.get_episodes(
            group_ids=where.group_ids or (), max_episodes=min(limit, _MOST) if is_plain else _MOST
        )
        return [episode for episode in found if _fits(episode, where)][:limit]

    async def history(self, entity: str, *, group_ids: Groups = None) -> History:
        """All that is known of an entity, given by name or id."""
        return await self._client.get_history(entity, group_ids=group_ids or ())

    async def explain(self, uuid: str, *, group_ids: Groups = None) -> Receipt:  # noqa: ARG002 - as in Memory
        """Why a fact is believed."""
        return await self._client.explain_fact(uuid)

    async def disputes(self, *, group_ids: Groups = None, limit: int = 100) -> list[Fact]:
        """Facts that contradict another one and nobody has said which is right."""
        data = await self._client.call("resolve_dispute", group_ids=texts(group_ids))
        return wire.rows(data.get("disputes"), wire.fact)[:limit]

    async def status(self, *, group_ids: Sequence[str] | None = None) -> Stats:  # noqa: ARG002 - as in Memory
        """How much there is and how it is doing."""
        return (await self._client.get_status()).stats

    async def summarize_saga(self, thread: str, *, group_id: str = "main") -> SagaSummary:
        """The most telling sentences of a thread."""
        data = await self._client.call("summarize_saga", saga_name=thread, group_id=group_id)
        return SagaSummary(thread=thread, group_id=group_id, text=str(data.get("summary", "")), episodes=0)

    async def build_communities(self, *, group_id: str = "main") -> Change:
        """Find circles of entities that have much to do with each other."""
        data = await self._client.call("build_communities", group_ids=[group_id])
        return wire.change(data, group_id=group_id, kind=ChangeKind.COMMUNITIES)

    # Changing one's mind

    async def undo(self, uuid: str, *, group_ids: Groups = None) -> Change:  # noqa: ARG002 - as in Memory
        """As if a change, or the digestion of an episode, had never been."""
        return await self._client.undo_change(uuid)

    async def forget(self, uuid: str, *, group_ids: Groups = None) -> Change:
        """Take an episode or a fact away, with all that only it supports."""
        item = await self.get(uuid, group_ids=group_ids)
        if isinstance(item, Entity):
            raise UsageError("a server has no tool to forget an entity", hint="forget its facts or its episodes")
        is_fact = isinstance(item, Fact)
        change = await (self._client.delete_entity_edge(uuid) if is_fact else self._client.delete_episode(uuid))
        return replace(change, group_id=item.group_id, cause=uuid)

    async def correct(
        self, uuid: str, right: Callable[[Statement], Statement], *, why: str = "", group_ids: Groups = None
    ) -> Change:
        """A person's word on a fact: what was wrong is withdrawn, what is right asserted."""
        fact = await self.get(uuid, group_ids=group_ids)
        if not isinstance(fact, Fact):
            raise NotFound(f"there is no fact {uuid}", hint="search for it, or look at the history")
        said = await self._statement(fact)
        now = right(said)
        data = await self._client.call(
            "correct_fact",
            uuid=uuid,
            fact=now.sentence if now.sentence != said.sentence else "",
            object=_object_text(now) if now.object != said.object else "",
            valid_at=time_text(now.valid_at) if now.valid_at != said.valid_at else "",
            invalid_at=time_text(now.invalid_at) if now.invalid_at != said.invalid_at else "",
            why=why,
        )
        return wire.change(data, group_id=fact.group_id, kind=ChangeKind.CORRECT)

    async def resolve(self, keep: str, *, group_ids: Groups = None) -> Change:  # noqa: ARG002 - as in Memory
        """Settle a dispute in favour of one fact."""
        data = await self._client.call("resolve_dispute", uuid=keep, keep=keep)
        return wire.change(data, kind=ChangeKind.RESOLVE)

    async def merge(self, keep: str, other: str, *, group_ids: Groups = None) -> Change:
        """Two entities, by name or id, are one."""
        data = await self._client.call("merge_entities", keep=keep, merge=other, group_ids=texts(group_ids))
        return wire.change(data, kind=ChangeKind.MERGE)

    async def split(self, entity: str, aliases: Sequence[str], *, group_ids: Groups = None) -> Change:
        """What was said under these names is about somebody else."""
        data = await self._client.call(
            "split_entity", entity=entity, aliases=texts(aliases), group_ids=texts(group_ids)
        )
        return wire.change(data, kind=ChangeKind.SPLIT)

    async def purge(self, uuid: str, *, group_ids: Groups = None) -> int:  # noqa: ARG002 - as in Memory
        """Only the machine of the memory can wipe single items."""
        raise UsageError(
            f"{uuid} cannot be wiped through a server", hint="forget it here, or purge it where the memory is"
        )

    async def clear(self, group_ids: Sequence[str]) -> Stats:
        """Wipe whole groups for good; answer what the server held before."""
        before = await self.status()
        await self._client.clear_graph(group_ids=group_ids, confirm=True)
        return before

    async def _statement(self, fact: Fact) -> Statement:
        """The fact as somebody would have said it."""
        thing: Mention | Value | None = fact.value
        if fact.object_uuid is not None:
            found = await self.get(fact.object_uuid, group_ids=(fact.group_id,))
            thing = Mention(name=found.name if isinstance(found, Entity) else "")
        about = await self.get(fact.subject_uuid, group_ids=(fact.group_id,))
        return Statement(
            subject=Mention(name=about.name if isinstance(about, Entity) else ""),
            relation=fact.relation,
            object=thing or Value(type=ValueType.TEXT, text=""),
            sentence=fact.sentence,
            kind=fact.kind,
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
        )


def _object_text(said: Statement) -> str:
    if isinstance(said.object, Value):
        return said.object.text
    return said.object.name if said.object else ""


def _fits(episode: Episode, where: Filter) -> bool:
    return (
        (where.uuids is None or episode.uuid in where.uuids)
        and (where.sources is None or episode.source in where.sources)
        and (where.threads is None or episode.thread in where.threads)
        and (where.statuses is None or episode.status in where.statuses)
    )

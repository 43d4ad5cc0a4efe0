"""`MemoryClient`: the tools of a memory server as typed functions, under the tools' own names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from everfact import clock
from everfact.client import wire
from everfact.client.connection import Connection, Endpoint
from everfact.client.wire import filled, given_fact, rows, texts, time_text
from everfact.models import (
    JSON,
    Answer,
    Change,
    ChangeKind,
    Comparison,
    Entity,
    Episode,
    Fact,
    History,
    Query,
    Receipt,
    Statement,
    Stats,
    Thing,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a server says it did with what it was told. Graphiti's own server names no id."""

    message: str
    uuid: str = ""
    status: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a server says of itself."""

    status: str
    message: str
    stats: Stats


class MemoryClient:
    """Any memory server with Graphiti's MCP tools, ours or another. Use it with `async with`.

    The tools up to `get_status` are Graphiti's; those after it only our server has.
    """

    def __init__(self, endpoint: Endpoint, *, token: str = "", connection: Connection | None = None) -> None:
        self._connection = connection or Connection(endpoint, token=token)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the session."""
        await self._connection.close()

    async def call(self, tool: str, **arguments: JSON) -> wire.Row:
        """Call any tool; arguments that say nothing are left out."""
        return wire.row(await self._connection.call(tool, filled(arguments)))

    async def read(self, uri: str) -> str:
        """The text of a resource."""
        return await self._connection.read(uri)

    # Graphiti's

    async def add_memory(self, name: str, episode_body: str, *, group_id: str = "", **more: JSON) -> Told:
        """Tell something; `more` are the tool's further parameters by their names."""
        data = await self.call("add_memory", name=name, episode_body=episode_body, group_id=group_id, **more)
        warnings = data.get("warnings")
        return Told(
            message=str(data.get("message", "")),
            uuid=str(data.get("uuid") or ""),
            status=str(data.get("status") or ""),
            warnings=tuple(str(warning) for warning in warnings) if isinstance(warnings, list) else (),
        )

    async def search_nodes(
        self, query: str, *, group_ids: Sequence[str] = (), max_nodes: int = 10, **more: JSON
    ) -> list[Entity]:
        """Entities that fit, best first."""
        data = await self.call("search_nodes", query=query, group_ids=texts(group_ids), max_nodes=max_nodes, **more)
        return rows(data.get("nodes"), wire.entity)

    async def search_memory_facts(
        self, query: str, *, group_ids: Sequence[str] = (), max_facts: int = 10, **more: JSON
    ) -> list[Fact]:
        """Facts that fit, best first."""
        data = await self._facts(query, group_ids, max_facts, more)
        return rows(data.get("facts"), wire.fact)

    async def _facts(self, query: str, groups: Sequence[str], most: int, more: dict[str, JSON]) -> wire.Row:
        return await self.call("search_memory_facts", query=query, group_ids=texts(groups), max_facts=most, **more)

    async def delete_entity_edge(self, uuid: str) -> Change:
        """Take a fact away."""
        return wire.change(await self.call("delete_entity_edge", uuid=uuid))

    async def delete_episode(self, uuid: str) -> Change:
        """Take an episode away."""
        return wire.change(await self.call("delete_episode", uuid=uuid))

    async def get_entity_edge(self, uuid: str) -> Fact:
        """One fact."""
        return wire.fact(await self.call("get_entity_edge", uuid=uuid))

    async def get_episodes(self, *, group_ids: Sequence[str] = (), max_episodes: int = 10) -> list[Episode]:
        """Episodes, newest first."""
        data = await self.call("get_episodes", group_ids=texts(group_ids), max_episodes=max_episodes)
        return rows(data.get("episodes"), wire.episode)

    async def clear_graph(self, *, group_ids: Sequence[str] = (), confirm: bool = False) -> str:
        """Wipe groups; answer what the server says."""
        return str((await self.call("clear_graph", group_ids=texts(group_ids), confirm=confirm)).get("message", ""))

    async def get_status(self) -> Report:
        """How the server is doing."""
        data = await self.call("get_status")
        stats = wire.stats(data, clock.now())
        return Report(status=str(data.get("status", "")), message=str(data.get("message", "")), stats=stats)

    # Ours

    async def search(self, query: Query) -> Answer:
        """Facts, entities and episodes in one ranked answer, or whichever of them are asked for."""
        return await (self._search_facts(query) if query.things == (Thing.FACT,) else self._search_all(query))

    async def _search_all(self, query: Query) -> Answer:
        data = await self.call(
            "search",
            query=query.text,
            group_ids=texts(query.group_ids),
            limit=query.limit,
            valid_at=time_text(query.valid_at),
            known_at=time_text(query.known_at),
            include_history=query.include_history,
            entity_types=texts(query.entity_types),
            max_tokens=query.max_tokens,
        )
        hits = tuple(hit for hit in rows(data.get("results"), wire.hit) if hit.thing in query.things)
        return Answer(hits=hits, hidden=_count(data, "hidden"), trimmed=_count(data, "trimmed"))

    async def _search_facts(self, query: Query) -> Answer:
        more: dict[str, JSON] = {
            "center_node_uuid": query.center,
            "edge_types": texts(query.relations),
            "include_history": query.include_history,
        }
        for name in (
            "valid_at",
            "known_at",
            "valid_at_after",
            "valid_at_before",
            "invalid_at_after",
            "invalid_at_before",
        ):
            more[name] = time_text(getattr(query, name))
        data = await self._facts(query.text, query.group_ids, query.limit, more)
        found = rows(data.get("facts"), wire.fact)
        return Answer(hits=wire.ranked(found), hidden=_count(data, "hidden"))

    async def add_facts(
        self, facts: Sequence[Statement], *, group_id: str = "", source_description: str = ""
    ) -> Change:
        """Hand over facts."""
        given: JSON = [given_fact(said) for said in facts]
        data = await self.call("add_facts", facts=given, group_id=group_id, source_description=source_description)
        return wire.change(data, group_id=group_id, kind=ChangeKind.DIGEST)

    async def compare_facts_over_time(self, query: Query, start: datetime, end: datetime) -> Comparison:
        """What was true at two moments."""
        return wire.comparison(
            await self.call(
                "compare_facts_over_time",
                query=query.text,
                start_time=time_text(start),
                end_time=time_text(end),
                group_ids=texts(query.group_ids),
                max_facts_per_period=query.limit,
            )
        )

    async def get_history(self, entity: str, *, group_ids: Sequence[str] = ()) -> History:
        """All that is known of an entity."""
        return wire.history(await self.call("get_history", entity=entity, group_ids=texts(group_ids)))

    async def explain_fact(self, uuid: str) -> Receipt:
        """Why a fact is believed."""
        return wire.receipt(await self.call("explain_fact", uuid=uuid))

    async def undo_change(self, uuid: str) -> Change:
        """Take a change back."""
        return wire.change(await self.call("undo_change", uuid=uuid), kind=ChangeKind.UNDO)

    async def get_context(self, query: str = "", *, max_tokens: int = 0, group_ids: Sequence[str] = ()) -> str:
        """The brief for a prompt."""
        arguments = filled({"query": query, "max_tokens": max_tokens or None, "group_ids": texts(group_ids)})
        return str(await self._connection.call("get_context", arguments))


def _count(data: wire.Row, name: str) -> int:
    value = data.get(name)
    return value if isinstance(value, int) else 0

"""FalkorDB: one graph for each group, every write one `GRAPH.QUERY`, which happens whole or not at all."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import datetime
from typing import TYPE_CHECKING

from everfact.errors import StoreError, UsageError
from everfact.models import Thing
from everfact.stores.cypher.engine import (
    INDEXED,
    NAMELESS,
    SCHEMA,
    TEXTS,
    Parameters,
    Part,
    Row,
    Step,
    as_one_row,
    check_schema,
)
from everfact.stores.cypher.line import ServerAway
from everfact.stores.cypher.redis import NoGraphError, RedisClient
from everfact.stores.cypher.rows import space
from everfact.stores.cypher.server import Server

if TYPE_CHECKING:
    from redis.asyncio.cluster import ClusterNode

_OWNED = ("EverfactOwner", (("uuid",), ("group_id",)))
_REGISTERED = {"EverfactState": (("name",),), "EverfactModel": (("name",),), _OWNED[0]: _OWNED[1]}
# The same as Graphiti makes: an index of ours on one of their properties would keep theirs from being made.
_GRAPHITI = (
    "CREATE INDEX FOR (n:Entity) ON (n.uuid, n.group_id, n.name, n.created_at)",
    "CREATE INDEX FOR (n:Episodic) ON (n.uuid, n.group_id, n.created_at, n.valid_at)",
    "CREATE INDEX FOR (n:Saga) ON (n.uuid, n.group_id, n.name)",
    "CREATE INDEX FOR ()-[e:RELATES_TO]-() ON"
    " (e.uuid, e.group_id, e.name, e.created_at, e.expired_at, e.valid_at, e.invalid_at)",
)
_PREPARED = "MATCH (s:EverfactSchema) RETURN s.version"
_GROUPS = "MATCH (g:EverfactGroup) RETURN g.group_id"
_THEIR_GROUPS = tuple(f"MATCH (n:{label}) WITH DISTINCT n.group_id AS id RETURN id" for label in ("Episodic", "Entity"))
_OF_GROUPS = "MATCH (n) WHERE n.group_id IN $groups WITH n LIMIT $most"
_BATCH = 10_000
_UNFINISHED = "CALL db.indexes() YIELD label, status WHERE status <> 'OPERATIONAL' RETURN label"
_INDEXED = (
    "CALL db.indexes() YIELD label, status, properties WHERE label = $label AND $name IN properties RETURN status"
)
_INDEX_SECONDS, _LOOK_SECONDS = 300, 0.02
_OWN = (
    "UNWIND $uuids AS uuid MERGE (o:EverfactOwner {uuid: uuid}) ON CREATE SET o.group_id = $group"
    " WITH o WHERE o.group_id <> $group RETURN o.uuid"
)


class FalkorEngine:
    """See `Engine`."""

    registry = "everfact:registry"

    def __init__(self, server: Server) -> None:
        self._client = RedisClient(server)
        self._held: dict[str, set[str]] = {}
        """The graphs of each node of a cluster when it last answered."""
        self._default = server.database or "default_db"
        self._gathered: set[str] = {self._default, NAMELESS}
        """The groups that lie in the default graph: before Graphiti gave each one of its own, all of them."""
        self._prepared: set[str] = set()

    async def open(self) -> None:
        async with AsyncExitStack() as on_failure:
            await self._client.open()
            on_failure.push_async_callback(self.close)
            await self._find_gathered()
            await self.prepare(self.registry)
            on_failure.pop_all()

    async def close(self) -> None:
        await self._client.close()

    async def _find_gathered(self) -> None:
        """Find the groups in the default graph; of those, what has a graph of its own and nothing of ours is not read.

        Of a cluster it may be out of reach; Graphiti knows none.
        """
        if self._client.is_cluster or self._default not in (graphs := await self._graphs()):
            return
        theirs = [row for query in _THEIR_GROUPS for row in await self.read(self._default, query, {})]
        self._gathered |= {group for (group,) in theirs if isinstance(group, str) and group not in graphs}
        self._gathered |= {group for (group,) in await self.read(self._default, _GROUPS, {})}

    async def weakness(self) -> str:
        return await self._client.weakness()

    def graph(self, group_id: str) -> str:
        if group_id == self.registry:
            raise UsageError(f"a group cannot be called {group_id}", hint="choose another name")
        return self._default if group_id in self._gathered else group_id

    def theirs(self, group_id: str) -> str:
        return group_id

    async def parts(self, group_ids: Sequence[str] | None) -> list[Part]:
        if group_ids is None:
            names = sorted(await self._graphs() - {self.registry})
            gathered = tuple(sorted(self._gathered))
            return [Part(self, name, gathered if name == self._default else (name,)) for name in names]
        groups: dict[str, list[str]] = defaultdict(list)
        for group in dict.fromkeys(group_ids):
            groups[self.graph(group)].append(group)
        return [Part(self, name, tuple(of)) for name, of in groups.items()]

    async def _graphs(self) -> set[str]:
        """All graphs. A node of a cluster that is away holds what it held, and whoever asks for that is told so."""
        held = await asyncio.gather(*map(self._graphs_of, await self._client.nodes()))
        return set().union(*held)

    async def _graphs_of(self, node: ClusterNode | None) -> set[str]:
        name = node.name if node else ""
        try:
            self._held[name] = set(await self._client.ask("GRAPH.LIST", node=node))
        except ServerAway:
            if node is None or name not in self._held:
                raise
        return self._held[name]

    async def read(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        try:
            ((rows,),) = await self._client.query(graph, as_one_row(query), parameters, reads=True)
        except NoGraphError:
            return []
        return list(rows)

    async def write(self, graph: str, query: str, parameters: Parameters, *, again: bool = True) -> list[Row]:
        return await self._client.query(graph, query, parameters, again=again)

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        clauses, asked = [f"{guard} WITH g"], dict(parameters)
        for number, step in enumerate(steps):
            clauses.append(f"CALL {{ UNWIND $rows{number} AS r {step.statement} }}")
            asked[f"rows{number}"] = step.rows
        return bool(await self.write(graph, " ".join([*clauses, "RETURN g.revision"]), asked, again=False))

    async def prepare(self, graph: str, *, anew: bool = False) -> None:
        if graph in self._prepared and not anew:
            return
        found = await self.read(graph, _PREPARED, {})
        if found:
            check_schema(self._client.name, found[0][0])
        else:
            self._prepared.discard(graph)
            of = _REGISTERED if graph == self.registry else INDEXED
            await self._make([*_range_indexes(of), *(_GRAPHITI + _text_indexes() if of is INDEXED else ())], graph)
            await self.write(graph, "MERGE (s:EverfactSchema) SET s.version = $version", {"version": SCHEMA})
        self._prepared.add(graph)

    async def _make(self, statements: Sequence[str], graph: str) -> None:
        """Make indexes, whole: a search finds nothing in one that is not. Those that are there are left alone."""
        for statement in statements:
            try:
                await self.write(graph, statement, {})
            except StoreError as error:
                if "already indexed" not in str(error):
                    raise
        for _ in range(int(_INDEX_SECONDS / _LOOK_SECONDS)):
            if not await self.read(graph, _UNFINISHED, {}):
                break
            await asyncio.sleep(_LOOK_SECONDS)

    async def prepare_vectors(self, graph: str, thing: Thing, name: str, dimension: int) -> None:
        options = f"{{dimension: {dimension:d}, similarityFunction: 'cosine'}}"
        await self._make([f"CREATE VECTOR INDEX FOR (t:{TEXTS[thing]}) ON (t.{name}) OPTIONS {options}"], graph)

    async def has_vectors(self, graph: str, thing: Thing, name: str) -> bool:
        # Asked anew each time: another process may have cleared the group, and its indexes with it.
        return await self.read(graph, _INDEXED, {"label": TEXTS[thing], "name": name}) == [["OPERATIONAL"]]

    async def foreign(self, group_id: str, uuids: Sequence[str]) -> list[str]:
        asked = {"uuids": list(uuids), "group": group_id}
        return [uuid for (uuid,) in await self.write(self.registry, _OWN, asked)] if uuids else []

    async def homes(self, uuids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        query = "MATCH (o:EverfactOwner) WHERE o.uuid IN $uuids RETURN o.group_id, o.uuid"
        homes: dict[str, list[str]] = defaultdict(list)
        for group, uuid in await self.read(self.registry, query, {"uuids": list(uuids)}):
            homes[self.graph(group)].append(uuid)
        return homes

    async def forget(self, group_id: str, uuids: Sequence[str] | None) -> None:
        which = "" if uuids is None else " AND o.uuid IN $uuids"
        asked = {"group": group_id, "uuids": list(uuids or ())}
        await self.write(self.registry, f"MATCH (o:EverfactOwner) WHERE o.group_id = $group{which} DELETE o", asked)

    async def scrub(self) -> None:
        await self._client.rewrite_log()

    async def drop(self, part: Part) -> None:
        with suppress(NoGraphError):
            if part.graph == self._default:  # others may lie there
                asked = {"groups": list(part.groups), "most": _BATCH}
                while await self.read(part.graph, f"{_OF_GROUPS} WITH n LIMIT 1 RETURN 1", asked):
                    await self.write(part.graph, f"{_OF_GROUPS} DETACH DELETE n", asked)
            else:
                self._prepared.discard(part.graph)
                await self._client.ask("GRAPH.DELETE", part.graph)

    def moment(self, at: datetime | None) -> str | None:
        return None if at is None else at.isoformat()

    def words(self, part: Part, name: str, terms: Sequence[Sequence[str]]) -> str:
        either = "|".join(f"({' '.join(tokens)})" for tokens in terms)
        spaces = "|".join(map(space, part.groups))
        return f"@space:({spaces}) @{name}:({either})" if part.graph == self._default else f"@{name}:({either})"

    def by_words(self, thing: Thing) -> str:
        return f"CALL db.idx.fulltext.queryNodes('{TEXTS[thing]}', words) YIELD node"

    def by_vector(self, thing: Thing, name: str) -> str:
        return (
            f"CALL db.idx.vector.queryNodes('{TEXTS[thing]}', '{name}', $most, vecf32($vector)) YIELD node, score"
            " WITH node, 1 - score AS score"
        )

    def cosine(self, name: str) -> str:
        return f"1 - vec.cosineDistance(t.{name}, vecf32($vector))"

    def put_vector(self, name: str) -> str:
        return f"SET t.{name} = vecf32(r.vector)"


def _range_indexes(of: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """One for each label: the server looks into it by any of its properties, and by several at once.

    Not by the group where all nodes have it in common: it would be looked up in vain every time.
    """
    made = []
    for label, indexes in of.items():
        names = list(dict.fromkeys(name for index in indexes for name in index))
        told_apart = names if of is _REGISTERED else [name for name in names if name != "group_id"] or names
        made.append(f"CREATE INDEX FOR (n:{label}) ON ({', '.join(f'n.{name}' for name in told_apart)})")
    return made


def _text_indexes() -> tuple[str, ...]:
    """Without stemming and stop words: the words come prepared."""
    return tuple(
        f"CALL db.idx.fulltext.createNodeIndex({{label: '{label}', stopwords: []}},"
        " {field: 'words', nostem: true}, {field: 'hints', nostem: true}, {field: 'space', nostem: true})"
        for label in TEXTS.values()
    )

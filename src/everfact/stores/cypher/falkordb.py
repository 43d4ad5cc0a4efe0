"""FalkorDB: one graph for each group, every write one `GRAPH.QUERY`, which happens whole or not at all."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from everfact.errors import StoreError, StoreUnavailable, UsageError
from everfact.models import Thing
from everfact.stores.cypher.engine import INDEXED, SCHEMA, TEXTS, Parameters, Part, Row, Step
from everfact.stores.cypher.server import Server

if TYPE_CHECKING:
    from falkordb.asyncio.graph import AsyncGraph  # type: ignore[import-untyped]
    from redis.asyncio import Redis

log = logging.getLogger(__name__)

_PORT = 6379
_CONNECT_SECONDS, _ANSWER_SECONDS = 10, 60
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
_OWN = (
    "UNWIND $uuids AS uuid MERGE (o:EverfactOwner {uuid: uuid}) ON CREATE SET o.group_id = $group"
    " WITH o WHERE o.group_id <> $group RETURN o.uuid"
)


class FalkorEngine:
    """See `Engine`."""

    registry = "everfact:registry"

    def __init__(self, server: Server) -> None:
        self._to = server
        self._server: Redis | None = None
        self._prepared: set[str] = set()
        self._is_closed = False

    async def open(self) -> None:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        to = self._to
        # The library's own client asks at once, and blocking, whether this is a cluster.
        self._server = Redis(
            host=to.host,
            port=to.port or _PORT,
            username=to.user,
            password=to.password,
            ssl=to.url.startswith("falkordb+s:"),
            decode_responses=True,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        await self.prepare(self.registry)

    async def close(self) -> None:
        self._is_closed = True
        if self._server is not None:
            server, self._server = self._server, None
            await server.aclose()

    def graph(self, group_id: str) -> str:
        if group_id == self.registry:
            raise UsageError(f"a group cannot be called {group_id}", hint="choose another name")
        return group_id

    async def parts(self, group_ids: Sequence[str] | None) -> list[Part]:
        if group_ids is None:
            names = sorted(set(await self._ask("GRAPH.LIST")) - {self.registry})
        else:
            names = [self.graph(group) for group in dict.fromkeys(group_ids)]
        return [Part(self, name, (name,)) for name in names]

    async def read(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        with self._translated():
            try:
                result = await self._select(graph).ro_query(query, _clean(parameters))
            except _response_error() as error:
                if "empty key" in str(error):  # there is no such graph
                    return []
                raise
        rows: list[Row] = result.result_set
        return rows

    async def write(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        with self._translated():
            result = await self._select(graph).query(query, _clean(parameters))
        rows: list[Row] = result.result_set
        return rows

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        clauses, asked = [f"{guard} WITH g"], dict(parameters)
        for number, step in enumerate(steps):
            clauses.append(f"CALL {{ UNWIND $rows{number} AS r {step.statement} }}")
            asked[f"rows{number}"] = step.rows
        return bool(await self.write(graph, " ".join([*clauses, "RETURN g.revision"]), asked))

    async def prepare(self, graph: str) -> None:
        if graph in self._prepared:
            return
        found = await self.read(graph, _PREPARED, {})
        if not found:
            of = _REGISTERED if graph == self.registry else INDEXED
            await self._make([*_range_indexes(of), *(_GRAPHITI + _text_indexes() if of is INDEXED else ())], graph)
            await self.write(graph, "MERGE (s:EverfactSchema) SET s.version = $version", {"version": SCHEMA})
        self._prepared.add(graph)

    async def _make(self, statements: Sequence[str], graph: str) -> None:
        """Make indexes; those that are there already are left alone."""
        for statement in statements:
            try:
                await self.write(graph, statement, {})
            except StoreError as error:
                if "already indexed" not in str(error):
                    raise

    async def prepare_vectors(self, graph: str, thing: Thing, name: str, dimension: int) -> None:
        key = f"{graph}\x1f{thing}\x1f{name}"
        if key not in self._prepared:
            options = f"{{dimension: {dimension:d}, similarityFunction: 'cosine'}}"
            await self._make([f"CREATE VECTOR INDEX FOR (t:{TEXTS[thing]}) ON (t.{name}) OPTIONS {options}"], graph)
            self._prepared.add(key)

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
        persistence = await self._ask("INFO", "persistence")
        if persistence["aof_enabled"] and not persistence["aof_rewrite_in_progress"]:
            await self._ask("BGREWRITEAOF")  # the log still has the words

    async def drop(self, part: Part) -> None:
        self._prepared = {name for name in self._prepared if name.partition("\x1f")[0] != part.graph}
        with self._translated():
            try:
                await self._select(part.graph).delete()
            except _response_error() as error:
                if "empty key" not in str(error):
                    raise

    def moment(self, at: datetime | None) -> str | None:
        return None if at is None else at.isoformat()

    def by_words(self, thing: Thing, part: Part, words: Sequence[str]) -> tuple[str, Parameters]:  # noqa: ARG002
        return f"CALL db.idx.fulltext.queryNodes('{TEXTS[thing]}', $words) YIELD node, score", {
            "words": "|".join(words)
        }

    def by_vector(self, thing: Thing, name: str) -> str:
        return (
            f"CALL db.idx.vector.queryNodes('{TEXTS[thing]}', '{name}', $most, vecf32($vector)) YIELD node, score"
            " WITH node, 1 - score AS score"
        )

    def cosine(self, name: str) -> str:
        return f"1 - vec.cosineDistance(t.{name}, vecf32($vector))"

    def put_vector(self, name: str) -> str:
        return f"SET t.{name} = vecf32(r.vector)"

    def _open_server(self) -> Redis:
        if self._is_closed or self._server is None:
            raise StoreError("the memory is closed")
        return self._server

    async def _ask(self, *command: str) -> Any:
        with self._translated():
            return await self._open_server().execute_command(*command)  # type: ignore[no-untyped-call]

    def _select(self, graph: str) -> AsyncGraph:
        from falkordb.asyncio.graph import AsyncGraph

        return AsyncGraph(self._open_server(), graph)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the client's exceptions into ours, with a word on what to do."""
        from redis import exceptions as redis

        where = f"FalkorDB at {self._to.host}:{self._to.port or _PORT}"
        try:
            yield
        except (redis.ConnectionError, redis.TimeoutError, OSError) as error:
            raise StoreUnavailable(f"{where} does not answer ({error})", hint="is the server running?") from error
        except redis.RedisError as error:
            raise StoreError(f"{where} refused: {error}", hint="look into the server's log") from error
        except UnicodeEncodeError as error:
            raise UsageError(
                f"the text holds half of a surrogate pair at character {error.start}", hint="send well-formed Unicode"
            ) from error


def _response_error() -> type[Exception]:
    from redis.exceptions import ResponseError

    return ResponseError


def _range_indexes(of: Mapping[str, Sequence[Sequence[str]]]) -> tuple[str, ...]:
    """One for each label: the server looks into it by any of its properties, and by several at once."""
    properties = {label: dict.fromkeys(name for index in of[label] for name in index) for label in of}
    return tuple(
        f"CREATE INDEX FOR (n:{label}) ON ({', '.join(f'n.{name}' for name in names)})"
        for label, names in properties.items()
    )


def _text_indexes() -> tuple[str, ...]:
    """Without stemming and stop words: the words come prepared."""
    return tuple(
        f"CALL db.idx.fulltext.createNodeIndex({{label: '{label}', stopwords: []}}, {{field: 'words', nostem: true}})"
        for label in TEXTS.values()
    )


def _clean(value: Any) -> Any:
    """Without NUL, at which the server would stop reading; what must come back as it was is escaped in JSON."""
    if isinstance(value, str):
        return value.replace("\0", "\u2400")
    if isinstance(value, Mapping):
        return {name: _clean(item) for name, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value

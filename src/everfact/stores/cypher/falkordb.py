"""FalkorDB: one graph for each group, every write one `GRAPH.QUERY`, which happens whole or not at all."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from everfact.errors import ConfigError, EverfactError, StoreError, StoreUnavailable, UsageError
from everfact.models import Thing
from everfact.stores.cypher.engine import INDEXED, NAMELESS, SCHEMA, TEXTS, Parameters, Part, Row, Step
from everfact.stores.cypher.line import PATIENCE, Line, ServerAway, away
from everfact.stores.cypher.server import Server

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.cluster import ClusterNode, RedisCluster

_PORT = 6379
OLDEST = 40_800
"""The first version of the module, 4.8, that has all that is used here."""
_CONNECT_SECONDS = 5
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
_UNFINISHED = "CALL db.indexes() YIELD label, status WHERE label = $label AND status <> 'OPERATIONAL' RETURN status"
_INDEX_SECONDS, _LOOK_SECONDS = 300, 0.05
_OWN = (
    "UNWIND $uuids AS uuid MERGE (o:EverfactOwner {uuid: uuid}) ON CREATE SET o.group_id = $group"
    " WITH o WHERE o.group_id <> $group RETURN o.uuid"
)


class FalkorEngine:
    """See `Engine`."""

    registry = "everfact:registry"

    def __init__(self, server: Server) -> None:
        self._to = server
        self._name = f"FalkorDB at {server.host}:{server.port or _PORT}"
        self._lines: defaultdict[str, Line] = defaultdict(lambda: Line(self._name))
        """One for each graph and node of a cluster; a single server has one line."""
        self._is_cluster = False
        self._held: dict[str, set[str]] = {}
        """The graphs of each node of a cluster when it last answered."""
        self._default = server.database or "default_db"
        self._gathered: set[str] = {self._default, NAMELESS}
        """The groups that lie in the default graph: before Graphiti gave each one of its own, all of them."""
        self._server: Redis | RedisCluster | None = None
        self._prepared: set[str] = set()
        self._is_closed = False

    async def open(self) -> None:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        to, self._is_closed = self._to, False
        # The library's own client asks at once, and blocking, whether this is a cluster.
        options: dict[str, Any] = {
            "host": to.host,
            "port": to.port or _PORT,
            "username": to.user,
            "password": to.password,
            "ssl": to.url.startswith("falkordb+s"),
            "decode_responses": True,
            "socket_connect_timeout": _CONNECT_SECONDS,
            "socket_timeout": PATIENCE,
            "retry": Retry(NoBackoff(), 0),
        }
        if to.url.startswith("falkordb+ssc:"):
            options |= {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
        self._server = Redis(**options)
        async with AsyncExitStack() as on_failure:
            on_failure.push_async_callback(self.close)
            await self._check_version()
            await self._join_cluster(options)
            await self._find_gathered()
            await self.prepare(self.registry)
            on_failure.pop_all()

    async def _check_version(self) -> None:
        """Refuse a server that is too old to do what is asked of it, or has no module at all."""
        await self._line("").call(self._greet, again=False)
        for module in await self._ask("MODULE", "LIST"):
            said = module if isinstance(module, dict) else dict(zip(module[::2], module[1::2], strict=False))
            if said["name"] == "graph" and said["ver"] < OLDEST:
                raise ConfigError(
                    f"{self._name} is of version {said['ver']}, everfact needs {OLDEST} or later",
                    hint="update the server, or name another one in store",
                )

    async def _greet(self) -> None:
        with self._translated():
            async with asyncio.timeout(_CONNECT_SECONDS):  # another kind of server may wait for us to say more
                await self._open_server().execute_command("GRAPH.LIST")

    async def _join_cluster(self, options: Mapping[str, Any]) -> None:
        """Where the server is a node of a cluster, talk to all: a graph lies on the node that its name hashes to."""
        from redis.asyncio.cluster import RedisCluster

        self._is_cluster = (await self._ask("INFO", "server")).get("redis_mode") == "cluster"
        if self._is_cluster:
            node, self._server = self._open_server(), RedisCluster(**options, require_full_coverage=False)
            await node.aclose()
            self._prepared.clear()

    async def _find_gathered(self) -> None:
        """Find the groups in the default graph; of those, what has a graph of its own and nothing of ours is not read.

        Of a cluster it may be out of reach; Graphiti knows none.
        """
        if self._is_cluster or self._default not in (graphs := await self._graphs()):
            return
        theirs = [row for query in _THEIR_GROUPS for row in await self.read(self._default, query, {})]
        self._gathered |= {group for (group,) in theirs if isinstance(group, str) and group not in graphs}
        self._gathered |= {group for (group,) in await self.read(self._default, _GROUPS, {})}

    async def weakness(self) -> str:
        for node in await self._nodes():
            if await self._setting("appendonly", node) not in ("yes", None):
                return f"{self._name} keeps no log: a crash loses what it has not saved. Start it with --appendonly yes"
            if await self._setting("appendfsync", node) not in ("always", None):
                return f"{self._name} may lose its last second in a power cut. Start it with --appendfsync always"
        return ""

    async def _setting(self, name: str, node: ClusterNode | None) -> str | None:
        try:
            return dict(await self._ask("CONFIG", "GET", name, node=node)).get(name)
        except (StoreError, ConfigError):  # hosted servers do not let it be asked
            return None

    async def close(self) -> None:
        self._is_closed = True
        if self._server is not None:
            server, self._server = self._server, None
            await server.aclose()
            if self._is_cluster:  # it forgets its connections where a node was away
                nodes = cast("RedisCluster", server).nodes_manager
                await nodes.aclose()
                await nodes.aclose("startup_nodes")

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
        found: set[str] = set()
        for node in await self._nodes():
            name = node.name if node else ""
            try:
                self._held[name] = set(await self._ask("GRAPH.LIST", node=node))
            except ServerAway:
                if node is None or name not in self._held:
                    raise
            found |= self._held[name]
        return found

    async def read(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        async def ask() -> list[Row]:
            try:
                return await self._query(graph, query, parameters, reads=True)
            except _NoGraphError:
                return []

        return await self._line(graph).call(ask)

    async def write(self, graph: str, query: str, parameters: Parameters, *, again: bool = True) -> list[Row]:
        return await self._line(graph).call(lambda: self._query(graph, query, parameters), again=again)

    async def _query(self, graph: str, query: str, parameters: Parameters, *, reads: bool = False) -> list[Row]:
        from falkordb.asyncio.graph import AsyncGraph  # type: ignore[import-untyped]

        with self._translated():
            of = AsyncGraph(self._open_server(), graph)
            result = await (of.ro_query if reads else of.query)(query, _clean(parameters))
        rows: list[Row] = result.result_set
        return rows

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        clauses, asked = [f"{guard} WITH g"], dict(parameters)
        for number, step in enumerate(steps):
            clauses.append(f"CALL {{ UNWIND $rows{number} AS r {step.statement} }}")
            asked[f"rows{number}"] = step.rows
        return bool(await self.write(graph, " ".join([*clauses, "RETURN g.revision"]), asked, again=False))

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
            for _ in range(int(_INDEX_SECONDS / _LOOK_SECONDS)):
                if not await self.read(graph, _UNFINISHED, {"label": TEXTS[thing]}):
                    break
                await asyncio.sleep(_LOOK_SECONDS)
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
        for node in await self._nodes():
            persistence = await self._ask("INFO", "persistence", node=node)
            if persistence["aof_enabled"] and not persistence["aof_rewrite_in_progress"]:
                await self._ask("BGREWRITEAOF", node=node)  # the log still has the words

    async def drop(self, part: Part) -> None:
        with suppress(_NoGraphError):
            if part.graph == self._default:  # others may lie there
                asked = {"groups": list(part.groups), "most": _BATCH}
                while await self.read(part.graph, f"{_OF_GROUPS} WITH n LIMIT 1 RETURN 1", asked):
                    await self.write(part.graph, f"{_OF_GROUPS} DETACH DELETE n", asked)
            else:
                self._prepared = {name for name in self._prepared if name.partition("\x1f")[0] != part.graph}
                await self._ask("GRAPH.DELETE", part.graph)

    def moment(self, at: datetime | None) -> str | None:
        return None if at is None else at.isoformat()

    def words(self, part: Part, name: str, terms: Sequence[Sequence[str]]) -> str:  # noqa: ARG002
        either = "|".join(f"({' '.join(tokens)})" for tokens in terms)
        return f"@{name}:({either})"

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

    def _open_server(self) -> Redis | RedisCluster:
        if self._is_closed or self._server is None:
            raise StoreError("the memory is closed")
        return self._server

    def _line(self, to: str) -> Line:
        return self._lines[to if self._is_cluster else ""]

    async def _nodes(self) -> list[ClusterNode | None]:
        """Those of a cluster that hold graphs; of a single server, it alone."""
        if not self._is_cluster:
            return [None]
        server = cast("RedisCluster", self._open_server())

        async def learn() -> None:
            with self._translated():
                await server.initialize()

        await self._line("").call(learn)
        return list(server.get_primaries())

    async def _ask(self, *command: str, node: ClusterNode | None = None) -> Any:
        async def ask() -> Any:
            on = {"target_nodes": node} if node else {}
            with self._translated():
                return await self._open_server().execute_command(*command, **on)

        return await self._line(node.name if node else command[-1]).call(ask)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the client's exceptions into ours, with a word on what to do."""
        from redis import exceptions as redis

        try:
            yield
        except redis.AuthenticationError as error:
            raise ConfigError(f"{self._name} refuses the login: {error}", hint=_LOGIN) from error
        except (
            redis.ConnectionError,
            redis.TimeoutError,
            redis.InvalidResponse,
            OSError,
            redis.ClusterError,
            redis.RedisClusterException,
        ) as error:
            raise away(self._name, error, _AWAY) from error
        except redis.RedisError as error:
            raise self._refused(str(error)) from error
        except UnicodeEncodeError as error:
            raise UsageError(
                f"the text holds half of a surrogate pair at character {error.start}", hint="send well-formed Unicode"
            ) from error

    def _refused(self, said: str) -> EverfactError:
        """What the server's refusal means, by the words it uses."""
        for words, (error, hint) in _REFUSALS.items():
            if words in said:
                return error(f"{self._name} refused: {said}", hint=hint)
        return StoreError(f"{self._name} refused: {said}", hint="look into the server's log")


class _NoGraphError(StoreError):
    """There is no graph of that name."""


_LOGIN = "set store_user and store_password (EVERFACT_STORE_USER, EVERFACT_STORE_PASSWORD)"
_AWAY = (
    "is it running (a full disk ends it), and is it a FalkorDB? Its address is the setting store: falkordb://, +s with"
    " a certificate, +ssc with one of its own; a Neo4j is bolt://host or neo4j://host"
)
_REFUSALS: dict[str, tuple[type[EverfactError], str]] = {
    "empty key": (_NoGraphError, ""),
    "NOAUTH": (ConfigError, _LOGIN),
    "Authentication required": (ConfigError, _LOGIN),
    "NOPERM": (ConfigError, "give the user in store_user the rights to GRAPH.* and its keys, or name another"),
    "unknown command": (ConfigError, "this Redis lacks the module: start it with --loadmodule falkordb.so"),
    "read only replica": (
        StoreError,
        "this is a read-only replica: it can be searched; to add, name the primary in store",
    ),
    "maxmemory": (StoreUnavailable, "raise maxmemory in the server's configuration, or purge what is not needed"),
    "MISCONF": (StoreUnavailable, "the server cannot write to its disk: make room there; nothing stored is lost"),
    "WRONGTYPE": (ConfigError, "the server uses that name for something else: name another server in store"),
}


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
        " {field: 'words', nostem: true}, {field: 'hints', nostem: true})"
        for label in TEXTS.values()
    )


def _clean(value: Any) -> Any:
    """Without NUL, at which the server would stop reading; what must come back as it was is escaped in JSON."""
    if isinstance(value, str):
        return value.replace("\0", "\u2400")
    if isinstance(value, Mapping):
        return {name: _clean(item) for name, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value

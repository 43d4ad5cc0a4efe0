"""The connection to a FalkorDB: one server or the nodes of a cluster, its log and limits, what its refusals mean."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from everfact.errors import ConfigError, EverfactError, StoreError, StoreUnavailable, UsageError
from everfact.stores.cypher.engine import Parameters, Row
from everfact.stores.cypher.line import PATIENCE, Line, ServerAway, ServerBusy, away
from everfact.stores.cypher.server import Server

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.cluster import ClusterNode, RedisCluster

_PORT = 6379
OLDEST = 40_800
"""The first version of the module, 4.8, that has all that is used here."""
_CONNECT_SECONDS = 5
_AT_ONCE = 16
"""Queries of one process: servers keep few waiting, and refuse more."""
_LOG_SECONDS, _LOG_LOOK_SECONDS = 60, 0.1


class RedisClient:
    """Asks one server; where that is a node of a cluster, whichever node has the graph."""

    def __init__(self, server: Server) -> None:
        self.name = f"FalkorDB at {server.host}:{server.port or _PORT}"
        self.is_cluster = False
        self._to = server
        self._lines: dict[str, Line] = {}
        """One for each node of a cluster; a single server has one line."""
        self._server: Redis | RedisCluster | None = None
        self._milliseconds = int(PATIENCE * 1000)
        self._is_closed = False

    async def open(self) -> None:
        """Connect, and learn what is there.

        Raises:
            ConfigError: it does not know the user, is too old, or no FalkorDB.
            StoreUnavailable: it cannot be reached.
        """
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
            await self._learn_limit()
            on_failure.pop_all()

    async def _check_version(self) -> None:
        """Refuse a server that is too old to do what is asked of it, or has no module at all."""
        await self._line_to("").call(self._greet, again=False)
        for module in await self._asked("MODULE", "LIST") or ():
            said = module if isinstance(module, dict) else dict(zip(module[::2], module[1::2], strict=False))
            if said["name"] == "graph" and said["ver"] < OLDEST:
                raise ConfigError(
                    f"{self.name} is of version {said['ver']}, everfact needs {OLDEST} or later",
                    hint="update the server, or name another one in store",
                )

    async def _greet(self) -> None:
        with self._translated():
            async with asyncio.timeout(_CONNECT_SECONDS):  # another kind of server may wait for us to say more
                await self._open_server().execute_command("GRAPH.LIST")

    async def _join_cluster(self, options: Mapping[str, Any]) -> None:
        """Where the server is a node of a cluster, talk to all: a graph lies on the node that its name hashes to."""
        from redis.asyncio.cluster import RedisCluster

        self.is_cluster = (await self._asked("INFO", "server") or {}).get("redis_mode") == "cluster"
        if self.is_cluster:
            node, self._server = self._open_server(), RedisCluster(**options, require_full_coverage=False)
            await node.aclose()

    async def _learn_limit(self) -> None:
        """How long a query may take: what a server allows whoever says nothing is too little for large groups."""
        for node in await self.nodes():
            with suppress(ServerAway):
                _, longest = await self._asked("GRAPH.CONFIG", "GET", "TIMEOUT_MAX", node=node) or ("", 0)
                self._milliseconds = min(self._milliseconds, longest or self._milliseconds)

    async def close(self) -> None:
        """Let go of every connection; safe to call twice."""
        self._is_closed = True
        if self._server is not None:
            server, self._server = self._server, None
            await server.aclose()
            if self.is_cluster:  # it forgets its connections where a node was away
                nodes = cast("RedisCluster", server).nodes_manager
                await nodes.aclose()
                await nodes.aclose("startup_nodes")

    async def query(
        self, graph: str, query: str, parameters: Parameters, *, again: bool = True, reads: bool = False
    ) -> list[Row]:
        """Ask a graph, `again` if the line breaks: then it must not matter whether it was done already.

        Raises:
            NoGraphError: it reads one that is not there.
        """
        return await self._line_to(self._node_of(graph)).call(
            lambda: self._query(graph, query, parameters, reads), again=again
        )

    async def _query(self, graph: str, query: str, parameters: Parameters, reads: bool) -> list[Row]:
        from falkordb.asyncio.graph import AsyncGraph  # type: ignore[import-untyped]

        with self._translated():
            of = AsyncGraph(self._open_server(), graph)
            ask = of.ro_query if reads else of.query
            result = await ask(query, _clean(parameters), timeout=self._milliseconds)
        rows: list[Row] = result.result_set
        return rows

    async def ask(self, *command: str, node: ClusterNode | None = None) -> Any:
        """Give a command to that node, or to the one that has the graph named last."""

        async def ask() -> Any:
            on = {"target_nodes": node} if node else {}
            with self._translated():
                return await self._open_server().execute_command(*command, **on)

        return await self._line_to(node.name if node else self._node_of(command[-1])).call(ask)

    async def _asked(self, *command: str, node: ClusterNode | None = None) -> Any:
        """The same of what hosted servers, and users with few rights, may not ask: None then."""
        try:
            return await self.ask(*command, node=node)
        except ServerAway:
            raise
        except (StoreError, ConfigError):
            return None

    async def nodes(self) -> list[ClusterNode | None]:
        """Those of a cluster that hold graphs; of a single server, it alone."""
        if not self.is_cluster:
            return [None]
        server = cast("RedisCluster", self._open_server())

        async def learn() -> None:
            with self._translated():
                await server.initialize()

        await self._line_to("").call(learn)
        return list(server.get_primaries())

    async def weakness(self) -> str:
        """What a crash could take back, and what to do; empty for nothing."""
        for node in await self.nodes():
            with suppress(ServerAway):  # it says nothing of those that are away
                if await self._setting("appendonly", node) not in ("yes", None):
                    return f"{self.name} keeps no log: a crash loses what is not saved. Start it with --appendonly yes"
                if await self._setting("appendfsync", node) not in ("always", None):
                    return f"{self.name} may lose its last second in a power cut. Start it with --appendfsync always"
        return ""

    async def _setting(self, name: str, node: ClusterNode | None) -> str | None:
        return dict(await self._asked("CONFIG", "GET", name, node=node) or {}).get(name)

    async def rewrite_log(self) -> None:
        """Have it written anew without what has been deleted; one under way may have begun before that.

        Raises:
            StoreUnavailable: another rewriting takes too long.
        """
        for node in await self.nodes():
            for _ in range(int(_LOG_SECONDS / _LOG_LOOK_SECONDS)):
                persistence = await self._asked("INFO", "persistence", node=node) or {"aof_enabled": 0}
                if not persistence["aof_enabled"]:
                    break
                if not persistence["aof_rewrite_in_progress"]:
                    await self._asked("BGREWRITEAOF", node=node)
                    break
                await asyncio.sleep(_LOG_LOOK_SECONDS)
            else:
                raise StoreUnavailable(
                    f"{self.name} is rewriting its log, which still has the words that were deleted",
                    hint="purge or clear again when it is done: then they leave the disk, too",
                )

    def _open_server(self) -> Redis | RedisCluster:
        if self._is_closed or self._server is None:
            raise StoreError("the memory is closed")
        return self._server

    def _node_of(self, graph: str) -> str:
        """The name of the node that has a graph; empty where it is not known, and of a single server."""
        from redis.exceptions import RedisClusterException

        if self.is_cluster:
            with suppress(RedisClusterException):
                if node := cast("RedisCluster", self._open_server()).get_node_from_key(graph):
                    return node.name
        return ""

    def _line_to(self, node: str) -> Line:
        if node not in self._lines:
            self._lines[node] = Line(f"FalkorDB at {node}" if node else self.name, at_once=_AT_ONCE)
        return self._lines[node]

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the client's exceptions into ours, with a word on what to do."""
        from redis import exceptions as redis

        try:
            yield
        except redis.AuthenticationError as error:
            raise ConfigError(f"{self.name} refuses the login: {error}", hint=_LOGIN) from error
        except redis.NoPermissionError as error:
            raise ConfigError(f"{self.name} refused: {error}", hint=_RIGHTS) from error
        except (
            redis.ConnectionError,
            redis.TimeoutError,
            redis.InvalidResponse,
            OSError,
            redis.ClusterError,
            redis.RedisClusterException,
        ) as error:
            raise away(self.name, error, _AWAY) from error
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
                return error(f"{self.name} refused: {said}", hint=hint)
        return StoreError(f"{self.name} refused: {said}", hint="look into the server's log")


class NoGraphError(StoreError):
    """There is no graph of that name."""


_LOGIN = "set store_user and store_password (EVERFACT_STORE_USER, EVERFACT_STORE_PASSWORD)"
_RIGHTS = "give the user in store_user the rights to GRAPH.* and to all keys (~*), or name another"
_AWAY = (
    "is it running (a full disk ends it), and is it a FalkorDB? Its address is the setting store: falkordb://, +s with"
    " a certificate, +ssc with one of its own; a Neo4j is bolt://host or neo4j://host"
)
_REFUSALS: dict[str, tuple[type[EverfactError], str]] = {
    "empty key": (NoGraphError, ""),
    "NOAUTH": (ConfigError, _LOGIN),
    "Authentication required": (ConfigError, _LOGIN),
    "Max pending queries": (ServerBusy, "it has too much to do: try again, or raise MAX_QUEUED_QUERIES there"),
    "Query timed out": (StoreUnavailable, "it has too much to do: try again, or raise TIMEOUT_MAX there"),
    "unknown command": (ConfigError, "this Redis lacks the module: start it with --loadmodule falkordb.so"),
    "read only replica": (
        StoreError,
        "this is a read-only replica: it can be searched; to add, name the primary in store",
    ),
    "maxmemory": (StoreUnavailable, "raise maxmemory in the server's configuration, or purge what is not needed"),
    "MISCONF": (StoreUnavailable, "the server cannot write to its disk: make room there; nothing stored is lost"),
    "WRONGTYPE": (ConfigError, "the server uses that name for something else: name another server in store"),
}


def _clean(value: Any) -> Any:
    """Without NUL, at which the server would stop reading; what must come back as it was is escaped in JSON."""
    if isinstance(value, str):
        return value.replace("\0", "\u2400")
    if isinstance(value, Mapping):
        return {name: _clean(item) for name, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value

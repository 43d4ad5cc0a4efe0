"""Neo4j: one database for all groups, every write a transaction of several statements."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from everfact.errors import ConfigError, EverfactError, StoreError, StoreUnavailable, UsageError
from everfact.models import Thing
from everfact.stores.cypher.engine import (
    INDEXED,
    LABELS,
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
from everfact.stores.cypher.line import Line, away
from everfact.stores.cypher.rows import space
from everfact.stores.cypher.server import Server

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction, AsyncSession

_UNIQUE = {
    "EverfactGroup": "group_id",
    "EverfactState": "name",
    "EverfactModel": "name",
}
_PREPARED = "MATCH (s:EverfactSchema) RETURN s.version"
_INDEXED = "CALL db.awaitIndexes(300)"
_ONLINE = "SHOW VECTOR INDEXES YIELD name, state WHERE name = $name AND state = 'ONLINE' RETURN name"
_LONGEST_VECTOR = 4_096
_THEIRS = (
    f"MATCH (e:{'|'.join((*LABELS.values(), 'EverfactAssertion', 'EverfactChange'))})"
    " WHERE e.uuid IN $uuids AND e.group_id <> $group WITH DISTINCT e.uuid AS uuid RETURN uuid"
)
_BATCH = 1_000
_CONNECT_SECONDS, _RETRY_SECONDS = 5, 3
OLDEST = (5, 26)
"""The first version that has all that is used here; Graphiti asks for it, too."""


class Neo4jEngine:
    """See `Engine`."""

    registry = ""

    def __init__(self, server: Server) -> None:
        self._to = server
        self._name = f"Neo4j at {server.host}:{server.port or 7687}"
        self._line = Line(self._name)
        self._driver: AsyncDriver | None = None
        self._prepared: set[str] = set()
        self._is_closed = False

    async def open(self) -> None:
        from neo4j import AsyncGraphDatabase, NotificationMinimumSeverity

        to, self._is_closed = self._to, False
        with self._translated():
            self._driver = AsyncGraphDatabase.driver(
                to.url,
                auth=(to.user or "neo4j", to.password) if to.password else None,
                connection_timeout=_CONNECT_SECONDS,
                max_transaction_retry_time=_RETRY_SECONDS,
                notifications_min_severity=NotificationMinimumSeverity.OFF,
            )
        async with AsyncExitStack() as on_failure:
            on_failure.push_async_callback(self.close)
            await self._line.call(self._check_version, again=False)
            await self.prepare(self.registry)
            on_failure.pop_all()

    async def _check_version(self) -> None:
        """Refuse a server that is too old to do what is asked of it."""
        components = "CALL dbms.components() YIELD versions RETURN versions[0] AS version"
        with self._translated():
            async with asyncio.timeout(_CONNECT_SECONDS), self._session() as session:  # at once, or not at all
                found = [record["version"] async for record in await session.run(components)]
        for version in found:
            numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
            if numbers < OLDEST:
                raise ConfigError(
                    f"{self._name} is of version {version}, everfact needs {'.'.join(map(str, OLDEST))} or later",
                    hint="update the server, or name another one in store",
                )

    async def weakness(self) -> str:
        return ""

    async def close(self) -> None:
        self._is_closed = True
        if self._driver is not None:
            driver, self._driver = self._driver, None
            await driver.close()

    def graph(self, group_id: str) -> str:
        return self.registry

    def theirs(self, group_id: str) -> str:
        return "" if group_id == NAMELESS else group_id

    async def parts(self, group_ids: Sequence[str] | None) -> list[Part]:
        if group_ids is None:
            rows = await self.read(self.registry, "MATCH (g:EverfactGroup) RETURN g.group_id", {})
            group_ids = [group for (group,) in rows]
        return [Part(self, self.registry, tuple(dict.fromkeys(group_ids)))] if group_ids else []

    async def read(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        async def ask() -> list[Row]:
            async with self._session() as session:
                return await session.execute_read(_run_whole, query, parameters)

        return await self._line.call(ask)

    async def write(self, graph: str, query: str, parameters: Parameters, *, again: bool = True) -> list[Row]:
        async def ask() -> list[Row]:
            async with self._session() as session:
                return await session.execute_write(_run, query, parameters)

        return await self._line.call(ask, again=again)

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        async def work(transaction: AsyncManagedTransaction) -> bool:
            if not await _run(transaction, f"{guard} RETURN g.revision", parameters):
                return False
            for step in steps:
                await _run(transaction, f"UNWIND $rows AS r {step.statement}", {"rows": list(step.rows)})
            return True

        async def ask() -> bool:
            async with self._session() as session:
                return await session.execute_write(work)

        return await self._line.call(ask, again=False)

    async def prepare(self, graph: str, *, anew: bool = False) -> None:
        if graph in self._prepared and not anew:
            return
        found = await self.read(graph, _PREPARED, {})
        if found:
            check_schema(self._name, found[0][0])
        else:
            for statement in _indexes():
                await self._make(statement)
            await self._make(_INDEXED)
            await self.write(graph, "MERGE (s:EverfactSchema) SET s.version = $version", {"version": SCHEMA})
        self._prepared.add(graph)

    async def _make(self, statement: str) -> None:
        """Make an index, or wait for all; one that another process has just made is left alone."""
        try:
            async with self._session() as session:
                await (await session.run(statement)).consume()
        except StoreError as error:
            if "EquivalentSchemaRuleAlreadyExists" not in str(error):
                raise

    async def prepare_vectors(self, graph: str, thing: Thing, name: str, dimension: int) -> None:
        if dimension > _LONGEST_VECTOR:
            return
        await self._make(
            f"CREATE VECTOR INDEX {_vector_index(thing, name)} IF NOT EXISTS FOR (t:{TEXTS[thing]}) ON (t.{name})"
            f" OPTIONS {{indexConfig: {{`vector.dimensions`: {dimension:d}, `vector.similarity_function`: 'cosine'}}}}"
        )
        await self._make(_INDEXED)

    async def has_vectors(self, graph: str, thing: Thing, name: str) -> bool:
        index = _vector_index(thing, name)
        if index not in self._prepared and await self.read(graph, _ONLINE, {"name": index}):
            self._prepared.add(index)
        return index in self._prepared

    async def foreign(self, group_id: str, uuids: Sequence[str]) -> list[str]:
        asked = {"uuids": list(uuids), "group": group_id}
        return [uuid for (uuid,) in await self.read(self.registry, _THEIRS, asked)] if uuids else []

    async def homes(self, uuids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        return {self.registry: uuids}

    async def forget(self, group_id: str, uuids: Sequence[str] | None) -> None:
        """Nothing is kept beside the items themselves."""

    async def scrub(self) -> None:
        """Old logs go when the server is set to let them go."""

    async def drop(self, part: Part) -> None:
        asked = {"groups": [*part.groups, *map(self.theirs, part.groups)], "most": _BATCH}
        kinds = [f"(n:{label})" for label in (*INDEXED, *_NODES)] + [f"()-[n:{kind}]->()" for kind in _EDGES]
        for kind in kinds:
            query = f"MATCH {kind} WHERE n.group_id IN $groups WITH n LIMIT $most DETACH DELETE n RETURN count(n)"
            while (await self.write(part.graph, query, asked))[0][0]:
                pass

    def moment(self, at: datetime | None) -> datetime | None:
        return at

    def words(self, part: Part, name: str, terms: Sequence[Sequence[str]]) -> str:
        spaces = " ".join(space(group) for group in part.groups)
        either = " ".join(f"({' '.join(f'+{token}' for token in tokens)})" for tokens in terms)
        return f"+space:({spaces}) +{name}:({either})"

    def by_words(self, thing: Thing) -> str:
        return f"CALL db.index.fulltext.queryNodes('{_text_index(thing)}', words) YIELD node"

    def by_vector(self, thing: Thing, name: str) -> str:
        return (
            f"CALL db.index.vector.queryNodes('{_vector_index(thing, name)}', $most, $vector) YIELD node, score"
            " WITH node, 2 * score - 1 AS score"
        )

    def cosine(self, name: str) -> str:
        return f"2 * vector.similarity.cosine(t.{name}, $vector) - 1"

    def put_vector(self, name: str) -> str:
        return f"WITH r, t CALL db.create.setNodeVectorProperty(t, '{name}', r.vector) WITH r, t"

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[AsyncSession]:
        if self._is_closed or self._driver is None:
            raise StoreError("the memory is closed")
        bookmarks = self._driver.execute_query_bookmark_manager
        with self._translated():
            async with self._driver.session(database=self._to.database, bookmark_manager=bookmarks) as session:
                yield session

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the driver's exceptions into ours, with a word on what to do."""
        from neo4j import exceptions as neo4j

        try:
            yield
        except neo4j.AuthError as error:
            raise ConfigError(f"{self._name} refuses the login: {error.message}", hint=_LOGIN) from error
        except (neo4j.ServiceUnavailable, neo4j.SessionExpired, OSError) as error:
            raise away(self._name, error, _AWAY) from error
        except neo4j.Neo4jError as error:
            raise self._refused(error.code or "", error.message or "") from error
        except UnicodeEncodeError as error:
            raise UsageError(
                f"the text holds half of a surrogate pair at character {error.start}", hint="send well-formed Unicode"
            ) from error
        except (neo4j.DriverError, ValueError) as error:
            raise StoreError(f"{self._name} cannot be asked: {error}", hint="check the setting store") from error

    def _refused(self, code: str, said: str) -> EverfactError:
        """What the server's refusal means, by its code."""
        for part, (error, hint) in _REFUSALS.items():
            if part in code:
                return error(f"{self._name} refused: {said}", hint=hint)
        return StoreError(f"{self._name} refused: {said} ({code})", hint="look into the server's log")


_LOGIN = "set store_user and store_password (EVERFACT_STORE_USER, EVERFACT_STORE_PASSWORD)"
_AWAY = (
    "is it running, and is it a Neo4j? Its address is the setting store: bolt:// for one server, neo4j:// for a"
    " cluster, +s with a certificate, +ssc with one of its own; a FalkorDB is falkordb://host"
)
_STOPPED = "look into its log: make room on its disk, if that is full, and start it again; nothing stored is lost"
_REFUSALS: dict[str, tuple[type[EverfactError], str]] = {
    "TransactionLogError": (StoreUnavailable, _STOPPED),
    "TransactionCommitFailed": (StoreUnavailable, _STOPPED),
    "TransactionStartFailed": (StoreUnavailable, _STOPPED),
    "DatabaseUnavailable": (StoreUnavailable, _STOPPED),
    "TransientError": (StoreUnavailable, "try again"),
    "DatabaseNotFound": (ConfigError, "name one that is there in store_database"),
    "Security.Forbidden": (ConfigError, "give the user in store_user the right to read, write and make indexes"),
    "ReadOnly": (StoreError, "this database is read-only: it can be searched; to add, name another in store"),
    "NotALeader": (StoreUnavailable, "name the cluster in store with neo4j:// so that writes find their server"),
    "CredentialsExpired": (ConfigError, "set a password of your own at the server first"),
}


async def _run(transaction: AsyncManagedTransaction, query: str, parameters: Parameters) -> list[Row]:
    result = await transaction.run(query, dict(parameters))
    return [list(record.values()) async for record in result]


async def _run_whole(transaction: AsyncManagedTransaction, query: str, parameters: Parameters) -> list[Row]:
    ((rows,),) = await _run(transaction, as_one_row(query), parameters)
    return list(rows)


def _indexes() -> list[str]:
    """Statements for all that our labels need; Graphiti makes its own, and what we look up of its is made here too."""
    made = [
        f"CREATE CONSTRAINT everfact_{label} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{name} IS UNIQUE"
        for label, name in _UNIQUE.items()
    ]
    made += [
        f"CREATE INDEX everfact_{label}_{'_'.join(names)} IF NOT EXISTS FOR (n:{label})"
        f" ON ({', '.join(f'n.{name}' for name in names)})"
        for label, indexes in INDEXED.items()
        for names in indexes
        if label not in _UNIQUE
    ]
    made += [
        f"CREATE FULLTEXT INDEX {_text_index(thing)} IF NOT EXISTS FOR (n:{label}) ON EACH [n.space, n.words, n.hints]"
        " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}"
        for thing, label in TEXTS.items()
    ]
    made += [
        f"CREATE INDEX {name}_{of} IF NOT EXISTS FOR (n:{label}) ON (n.{of})"
        for label, (name, *asked) in _NODES.items()
        for of in asked
    ]
    made += [
        f"CREATE INDEX {name}_{of} IF NOT EXISTS FOR ()-[e:{kind}]-() ON (e.{of})"
        for kind, (name, *asked) in _EDGES.items()
        for of in asked
    ]
    return made


_NODES = {
    "Entity": ("entity", "uuid", "group_id"),
    "Episodic": ("episode", "uuid", "group_id"),
    "Community": ("community", "group_id"),
    "Saga": ("saga", "uuid", "group_id", "name"),
}
_EDGES = {
    "RELATES_TO": ("relation", "uuid", "group_id"),
    "MENTIONS": ("mention", "group_id"),
    "HAS_EPISODE": ("has_episode", "group_id"),
    "NEXT_EPISODE": ("next_episode", "group_id"),
    "HAS_MEMBER": ("has_member", "group_id"),
}
"""What Graphiti writes, how the names of its indexes begin, and by what we look it up: so it finds its own."""


def _text_index(thing: Thing) -> str:
    return f"everfact_{thing}_text"


def _vector_index(thing: Thing, name: str) -> str:
    return f"everfact_{thing}_{name}"

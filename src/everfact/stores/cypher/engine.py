"""What the store asks of a graph server. `falkordb.py` and `neo4j.py` each answer it: a driver and a dialect.

A *graph* is what one query can see: on FalkorDB that of one group, on Neo4j the whole database. A *part* is a graph and
which of the groups in it are asked about, so the same queries serve both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from everfact.errors import SchemaTooNew
from everfact.models import Thing
from everfact.stores.cypher.line import ServerAway

T = TypeVar("T")
Row: TypeAlias = "list[Any]"
Parameters: TypeAlias = "Mapping[str, Any]"

LABELS: Final = {Thing.EPISODE: "EverfactEpisode", Thing.ENTITY: "EverfactEntity", Thing.FACT: "EverfactFact"}
"""The nodes that hold versions. What is not in Graphiti's schema has a label that begins like these."""
TEXTS: Final = {thing: f"{label}Text" for thing, label in LABELS.items()}
"""The nodes that hold a wording and its vectors; versions with the same wording share one."""

INDEXED: Final = {
    "EverfactGroup": (("group_id",),),
    "EverfactEpisode": (
        *(
            ("uuid",),
            ("group_id",),
            ("group_id", "no"),
            ("group_id", "status", "no"),
            ("source_key",),
            ("place",),
            ("thread_key",),
            ("speaker_key",),
        ),
        *(("made_by",), ("closed_by",)),
    ),
    "EverfactEntity": (("uuid",), ("group_id",), ("made_by",), ("closed_by",)),
    "EverfactFact": (("uuid",), ("group_id",), ("subject",), ("object",), ("made_by",), ("closed_by",)),
    "EverfactAssertion": (("uuid",), ("group_id",), ("subject",), ("object",), ("episode",), ("made_by",)),
    "EverfactChange": (("uuid",), ("group_id",), ("group_id", "no"), ("cause",)),
    "EverfactThread": (("key",), ("group_id",)),
    "EverfactTerm": (("key",), ("group_id",)),
} | dict.fromkeys(TEXTS.values(), (("key",), ("uuid",), ("group_id",), ("embedded",)))
"""Which properties of our nodes have an index; a tuple of several is one index where the server can."""

NAMELESS: Final = "_"
"""The group of what was told to Graphiti's library without naming one."""

SCHEMA: Final = 1
"""Raised whenever nodes are laid out differently; a graph with a higher one is a later version's."""


def check_schema(name: str, version: int) -> None:
    """Refuse what a later version has laid out in its own way.

    Raises:
        SchemaTooNew: it has.
    """
    if version > SCHEMA:
        raise SchemaTooNew(
            f"{name} holds a memory of version {version}, this everfact knows {SCHEMA}", hint="update everfact"
        )


def as_one_row(query: str) -> str:
    """The same question, all rows of its answer in one: drivers take their time for each, and servers limit them."""
    asked, _, columns = query.rpartition(" RETURN ")
    return f"{asked} RETURN collect([{columns}])"


@dataclass(frozen=True, slots=True)
class Part:
    """A graph, and the groups in it that a query is about: `$groups`."""

    engine: Engine
    graph: str
    groups: tuple[str, ...]

    async def read(self, query: str, **parameters: object) -> list[Row]:
        """Ask it."""
        return await self.engine.read(self.graph, query, {"groups": list(self.groups), **parameters})


async def reachable(parts: Sequence[Part], ask: Callable[[Part], Awaitable[list[T]]]) -> list[T]:
    """What all parts answer but those on nodes of a cluster that are away.

    Raises:
        ServerAway: all are.
    """

    async def asked(part: Part) -> list[T] | ServerAway:
        try:
            return await ask(part)
        except ServerAway as error:
            return error

    answers = await asyncio.gather(*map(asked, parts))  # the line to each server lets only so many by at once
    away = [answer for answer in answers if isinstance(answer, ServerAway)]
    if away and len(away) == len(parts):
        raise away[0]
    return [item for answer in answers if not isinstance(answer, ServerAway) for item in answer]


async def size_of(part: Part) -> int:
    """How many versions, changes and assertions its groups have had, roughly."""
    found = await part.read("MATCH (g:EverfactGroup) WHERE g.group_id IN $groups WITH sum(g.next_no) AS n RETURN n")
    return found[0][0] or 0 if found else 0


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of a write: run once, for all of `$rows`."""

    statement: str
    rows: Sequence[Mapping[str, Any]]


class Engine(Protocol):
    """A connection to a graph server, and its dialect of Cypher. Maps the driver's exceptions to ours."""

    registry: str
    """The graph that holds what belongs to no group."""

    async def open(self) -> None:
        """Connect; say clearly what is wrong if that fails."""

    async def close(self) -> None:
        """Let go of every connection; safe to call twice."""

    async def weakness(self) -> str:
        """What a crash of the server could take back of what was acknowledged, and what to do; empty for nothing."""

    def graph(self, group_id: str) -> str:
        """The graph in which a group lies."""

    def theirs(self, group_id: str) -> str:
        """What Graphiti calls a group."""

    async def parts(self, group_ids: Sequence[str] | None) -> list[Part]:
        """The graphs that hold these groups, or all groups; graphs that do not exist may be among them."""

    async def read(self, graph: str, query: str, parameters: Parameters) -> list[Row]:
        """Ask; a graph that does not exist answers nothing.

        After RETURN stand plain columns: what is sorted, counted or told apart is so in a WITH before.
        """

    async def write(self, graph: str, query: str, parameters: Parameters, *, again: bool = True) -> list[Row]:
        """Do one statement, `again` if the line breaks: then it must not matter whether it was done already."""

    async def commit(self, graph: str, guard: str, parameters: Parameters, steps: Sequence[Step]) -> bool:
        """Do all steps, in this order, or nothing; nothing if `guard`, which knows `parameters`, gives no row.

        Every step sees what those before it did. Answers whether the guard let them by.
        """

    async def prepare(self, graph: str, *, anew: bool = False) -> None:
        """Make what indexes the graph still lacks; look `anew` where others may have wiped it.

        Raises:
            SchemaTooNew: a later everfact wrote there.
        """

    async def prepare_vectors(self, graph: str, thing: Thing, name: str, dimension: int) -> None:
        """Make the vector index of one kind of item, for one model, where the server can."""

    async def has_vectors(self, graph: str, thing: Thing, name: str) -> bool:
        """Whether it is there, and complete."""

    async def foreign(self, group_id: str, uuids: Sequence[str]) -> list[str]:
        """Those of these ids that belong to items of another group; the others are this group's from now on."""

    async def homes(self, uuids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """In which graph each of these items lies, if it is there at all."""

    async def forget(self, group_id: str, uuids: Sequence[str] | None) -> None:
        """These ids of a group, or all of it, are free again."""

    async def scrub(self) -> None:
        """Leave no trace on disk of what has been deleted, as far as the server lets that be asked.

        Raises:
            StoreUnavailable: it cannot now.
        """

    async def drop(self, part: Part) -> None:
        """Wipe whole groups."""

    def moment(self, at: datetime | None) -> Any:
        """A time as Graphiti keeps it there."""

    def words(self, part: Part, name: str, terms: Sequence[Sequence[str]]) -> str:
        """What to ask the full-text index for: texts of the part with all tokens of one of these in that property."""

    def by_words(self, thing: Thing) -> str:
        """A clause that yields `node`, a wording, for all that fit `words`."""

    def by_vector(self, thing: Thing, name: str) -> str:
        """A clause that yields `node`, a wording, and `score`, a cosine, for the `$most` nearest to `$vector`."""

    def cosine(self, name: str) -> str:
        """The cosine of wording `t` and `$vector`, both known to have one."""

    def put_vector(self, name: str) -> str:
        """A clause that gives wording `t` the vector `r.vector`."""

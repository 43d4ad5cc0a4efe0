"""Tools that search by words and meaning."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from everfact import models
from everfact.models import Answer, Filter, Thing
from everfact.relations import relation_name
from everfact.server.answers.found import Facts, Found, HitResult, Nodes
from everfact.server.answers.items import facts, nodes
from everfact.server.arguments import (
    Bound,
    Center,
    EntityTypes,
    Few,
    GroupId,
    GroupIds,
    History,
    KnownAt,
    Query,
    Text,
    Texts,
    ValidAt,
    moment,
)
from everfact.server.translate import Call, Tool, host_of


async def search(
    call: Call,
    query: Query,
    group_ids: GroupIds = (),
    group_id: GroupId = "",
    limit: Few = 10,
    valid_at: ValidAt = "",
    known_at: KnownAt = "",
    include_history: History = False,
    entity_types: EntityTypes = (),
    max_tokens: Annotated[int | None, Field(description="Stop before the answer grows beyond this.", ge=1)] = None,
) -> Found:
    """Find what is known: facts, entities and the episodes they come from, in one list, best first.

    The first tool to reach for. Answers what is true now; facts that have ended are left out and counted in `hidden`.
    Ask with valid_at for another time, with known_at for what was known then, with include_history for everything.
    """
    host = host_of(call)
    asked = models.Query(
        text=query,
        group_ids=host.groups(group_ids, group_id),
        limit=limit,
        valid_at=moment(valid_at, "valid_at"),
        known_at=moment(known_at, "known_at"),
        include_history=include_history,
        entity_types=tuple(entity_types) or None,
        max_tokens=max_tokens,
    )
    answer = await (await host.memory()).search(asked)
    results = [HitResult.of(hit) for hit in answer.hits]
    return Found(message=_said(answer, "results"), results=results, hidden=answer.hidden, trimmed=answer.trimmed)


async def search_nodes(
    call: Call,
    query: Query,
    group_ids: GroupIds = (),
    group_id: GroupId = "",
    max_nodes: Few = 10,
    entity_types: EntityTypes = (),
    entity: Annotated[Text, Field(description="One entity type, if entity_types is not given.")] = "",
    center_node_uuid: Center = "",
) -> Nodes:
    """Find entities (people, projects, systems, decisions …) with a summary of what is known of each."""
    host = host_of(call)
    asked = models.Query(
        text=query,
        group_ids=host.groups(group_ids, group_id),
        limit=max_nodes,
        things=(Thing.ENTITY,),
        entity_types=tuple(entity_types) or ((entity,) if entity else None),
        center=center_node_uuid,
    )
    answer = await (await host.memory()).search(asked)
    return Nodes(message=_said(answer, "nodes"), nodes=nodes(answer.entities))


async def search_memory_facts(
    call: Call,
    query: Query,
    group_ids: GroupIds = (),
    group_id: GroupId = "",
    max_facts: Few = 10,
    center_node_uuid: Center = "",
    edge_types: Annotated[Texts, Field(description="Only these relations, such as WORKS_AT.")] = (),
    valid_at_after: Bound = "",
    valid_at_before: Bound = "",
    invalid_at_after: Bound = "",
    invalid_at_before: Bound = "",
    valid_at: ValidAt = "",
    known_at: KnownAt = "",
    include_history: History = False,
) -> Facts:
    """Find facts: who is related to what, and when that was true.

    Answers what is true now; facts that have ended are left out and counted in `hidden`. The four bounds narrow down
    when a fact began and ended; valid_at asks what was true at one moment.
    """
    host = host_of(call)
    asked = models.Query(
        text=query,
        group_ids=host.groups(group_ids, group_id),
        limit=max_facts,
        things=(Thing.FACT,),
        center=center_node_uuid,
        relations=tuple(map(relation_name, edge_types)) or None,
        valid_at=moment(valid_at, "valid_at"),
        known_at=moment(known_at, "known_at"),
        # Who asks for facts that ended in some span wants facts that ended.
        include_history=include_history or bool(invalid_at_after or invalid_at_before),
        valid_at_after=moment(valid_at_after, "valid_at_after"),
        valid_at_before=moment(valid_at_before, "valid_at_before"),
        invalid_at_after=moment(invalid_at_after, "invalid_at_after"),
        invalid_at_before=moment(invalid_at_before, "invalid_at_before"),
    )
    answer = await (await host.memory()).search(asked)
    return Facts(message=_said(answer, "facts"), facts=facts(answer.facts), hidden=answer.hidden)


async def get_entities_by_type(
    call: Call,
    entity_types: Annotated[Texts, Field(description="Such as Decision, Preference, Person.", min_length=1)],
    group_ids: GroupIds = (),
    group_id: GroupId = "",
    max_entities: Few = 20,
    query: Annotated[Text, Field(description="Only those that fit these words, best first.")] = "",
) -> Nodes:
    """List the entities of some types, newest first; with a query, those that fit it best."""
    host = host_of(call)
    memory, groups, types = await host.memory(), host.groups(group_ids, group_id), tuple(entity_types)
    if query:
        asked = models.Query(
            text=query, group_ids=groups, limit=max_entities, things=(Thing.ENTITY,), entity_types=types
        )
        found = (await memory.search(asked)).entities
    else:
        found = await memory.entities(Filter(group_ids=groups, entity_types=types), limit=max_entities)
    return Nodes(message=f"{len(found)} entities of type {', '.join(types)}", nodes=nodes(found))


def _said(answer: Answer, what: str) -> str:
    """What was found, in the words that a model needs to go on."""
    if not answer.hits:
        return f"No relevant {what} found" + (
            f"; {answer.hidden} have ended (include_history)" if answer.hidden else ""
        )
    said = f"{len(answer.hits)} {what} found" + (f", {answer.hidden} older ones left out" if answer.hidden else "")
    return f"{said}; by words alone: {answer.without_meaning}" if answer.without_meaning else said


TOOLS = (
    Tool(function=search, title="Search memory", reads=True, always_loaded=True),
    Tool(function=search_nodes, title="Search entities", reads=True),
    Tool(function=search_memory_facts, title="Search facts", reads=True),
    Tool(function=get_entities_by_type, title="Entities by type", reads=True),
)

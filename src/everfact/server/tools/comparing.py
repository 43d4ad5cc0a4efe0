"""Tools that look back: two moments, the history of a thing, the reason for a fact."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from everfact import models
from everfact.errors import NotFound, UsageError
from everfact.models import Fact, Thing
from everfact.server.answers.found import Compared, Explanation, Timeline
from everfact.server.arguments import Few, GroupId, GroupIds, Query, Text, Uuid, moment
from everfact.server.translate import Call, Tool, host_of

_MOST_LINES = 200


async def compare_facts_over_time(
    call: Call,
    query: Query,
    start_time: Annotated[str, Field(description="ISO 8601 date or time.")],
    end_time: Annotated[str, Field(description="ISO 8601 date or time, not before start_time.")],
    group_ids: GroupIds = (),
    group_id: GroupId = "",
    max_facts_per_period: Few = 10,
) -> Compared:
    """What was true at one moment and at a later one, and what ended and began in between."""
    host = host_of(call)
    start, end = moment(start_time, "start_time"), moment(end_time, "end_time")
    if start is None or end is None or start > end:
        raise UsageError("start_time is after end_time, or one is missing", hint="give both, the earlier one first")
    groups = host.groups(group_ids, group_id)
    asked = models.Query(text=query, group_ids=groups, limit=max_facts_per_period, things=(Thing.FACT,))
    return Compared.of(await (await host.memory()).compare(asked, start, end))


async def get_history(
    call: Call,
    entity: Annotated[Text, Field(description="An entity, by name or uuid.")] = "",
    fact: Annotated[Text, Field(description="Or a fact, by uuid: what came before and after it.")] = "",
    group_ids: GroupIds = (),
    group_id: GroupId = "",
) -> Timeline:
    """The history of an entity or of a fact: what began, changed and ended, when, and by which episode."""
    host = host_of(call)
    memory = await host.memory()
    if bool(entity) == bool(fact):
        raise UsageError("give an entity or a fact", hint="entity takes a name or uuid, fact a uuid")
    if entity:
        groups = await host.groups_of(entity, group_ids, group_id)
        return Timeline.of(await memory.history(entity, group_ids=groups), _MOST_LINES)
    found = await memory.get(fact, group_ids=host.anywhere())
    if not isinstance(found, Fact):
        raise NotFound(f"{fact} is no fact", hint="search_memory_facts finds facts and their uuids")
    history = await memory.history(found.subject_uuid, group_ids=(found.group_id,))
    same = tuple(other for other in history.facts if other.attribute == found.attribute)
    return Timeline.of(replace(history, facts=same), _MOST_LINES)


async def explain_fact(call: Call, uuid: Uuid) -> Explanation:
    """Why a fact is believed: the exact words, their episode, who read them so, what it replaced, what replaced it."""
    host = host_of(call)
    return Explanation.of(await (await host.memory()).explain(uuid, group_ids=host.anywhere()))


TOOLS = (
    Tool(function=compare_facts_over_time, title="Compare two moments", reads=True),
    Tool(function=get_history, title="History of a thing", reads=True),
    Tool(function=explain_fact, title="Explain a fact", reads=True),
)

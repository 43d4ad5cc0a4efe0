"""Tools that look at what is there: items by their id, the newest episodes, what came of them, the brief."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from everfact.communities import COMMUNITY, members_of
from everfact.errors import NotFound
from everfact.models import Fact, Filter
from everfact.server.answers.done import Communities, CommunityResult, Saga
from everfact.server.answers.found import Episodes, Provenance
from everfact.server.answers.items import EpisodeResult, FactResult, facts, nodes
from everfact.server.arguments import MOST, GroupId, GroupIds, OneGroup, Text, Texts, Uuid
from everfact.server.progress import reporting
from everfact.server.translate import Call, Tool, host_of


async def get_entity_edge(call: Call, uuid: Uuid) -> FactResult:
    """One fact, by its uuid."""
    host = host_of(call)
    found = await (await host.memory()).get(uuid, group_ids=host.anywhere())
    if not isinstance(found, Fact):
        raise NotFound(f"{uuid} is no fact", hint="search_memory_facts finds facts and their uuids")
    return FactResult.of(found)


async def get_episodes(
    call: Call,
    group_ids: GroupIds = (),
    group_id: GroupId = "",
    max_episodes: Annotated[
        int | None,
        Field(description="At most this many episodes.", ge=1, le=MOST, json_schema_extra={"default": 10}),
    ] = None,
    last_n: Annotated[int | None, Field(description="The same, if max_episodes is not given.", ge=1, le=MOST)] = None,
) -> Episodes:
    """The latest episodes (what was told), newest first, with how far each has been digested and any error."""
    host = host_of(call)
    where = Filter(group_ids=host.groups(group_ids, group_id))
    found = await (await host.memory()).episodes(where, limit=max_episodes or last_n or 10)
    message = f"{len(found)} episodes" if found else "No episodes found"
    return Episodes(message=message, episodes=[EpisodeResult.of(episode) for episode in found])


async def get_episode_entities(
    call: Call,
    episode_uuids: Annotated[Texts, Field(description="uuids that add_memory or get_episodes returned.", min_length=1)],
) -> Provenance:
    """What was read out of some episodes: the entities and the facts."""
    host = host_of(call)
    entities, known = await (await host.memory()).outcome(episode_uuids, group_ids=host.anywhere())
    message = f"{len(entities)} nodes and {len(known)} edges from {len(episode_uuids)} episodes"
    return Provenance(message=message, nodes=nodes(entities), edges=facts(known))


async def get_context(
    call: Call,
    query: Annotated[Text, Field(description="What the task is about: what touches it comes first.")] = "",
    max_tokens: Annotated[int | None, Field(description="Budget, at four characters a token.", ge=1)] = None,
    group_ids: GroupIds = (),
    group_id: GroupId = "",
) -> str:
    """What to know before a task: decisions, preferences, procedures, gotchas, recent work. Text within a budget."""
    return await host_of(call).brief(group_ids, group_id, query=query, max_tokens=max_tokens)


async def summarize_saga(
    call: Call,
    saga_name: Annotated[str, Field(description="The saga, as given to add_memory.")],
    group_id: OneGroup = "",
) -> Saga:
    """What a saga (a thread of episodes) is about, in its own most telling sentences."""
    host = host_of(call)
    return Saga.of(await (await host.memory()).summarize_saga(saga_name, group_id=host.group(group_id)))


async def build_communities(call: Call, group_ids: GroupIds = (), group_id: GroupId = "") -> Communities:
    """Find circles of entities that have much to do with each other, and sum each up. Takes a while on large groups."""
    host = host_of(call)
    memory, groups = await host.memory(), host.groups(group_ids, group_id)
    async with reporting(call, "building communities"):
        for group in groups:
            await memory.build_communities(group_id=group)
    where = Filter(group_ids=groups, entity_types=(COMMUNITY,))
    built = [found for found in await memory.entities(where, limit=MOST) if members_of(found)]
    return Communities(
        message=f"{len(built)} communities",
        community_count=len(built),
        edge_count=sum(len(members_of(community)) for community in built),
        communities=[CommunityResult(uuid=c.uuid, name=c.name, group_id=c.group_id, summary=c.summary) for c in built],
    )


TOOLS = (
    Tool(function=get_context, title="Context brief", reads=True, always_loaded=True),
    Tool(function=get_entity_edge, title="Get a fact", reads=True),
    Tool(function=get_episodes, title="Latest episodes", reads=True),
    Tool(function=get_episode_entities, title="What came of episodes", reads=True),
    Tool(function=summarize_saga, title="Summarize a saga", reads=True),
    Tool(function=build_communities, title="Build communities", repeats=True),
)

"""Tools that tell the memory something."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from everfact import clock
from everfact.errors import NotFound
from everfact.export import resolve_target, shown
from everfact.marks import is_model
from everfact.models import JSON, Draft, Filter, Mention, Source, Statement
from everfact.server.answers.done import AddedResult, ChangeResult, Triplet
from everfact.server.answers.items import facts as facts_on_wire
from everfact.server.answers.items import nodes
from everfact.server.arguments import (
    FactInvalidAt,
    FactValidAt,
    GivenFacts,
    OneGroup,
    SourceKind,
    Text,
    Texts,
    moment,
)
from everfact.server.host import Host
from everfact.server.progress import reporting
from everfact.server.translate import Call, Tool, host_of

_HINTS = ("excluded_entity_types", "custom_extraction_instructions")
_ONLY_A_MODEL = "only extraction by a model follows it, and none is set (llm.model); it is kept for reprocessing"


Title = Annotated[str, Field(description="A short title.")]
Body = Annotated[str, Field(description="What to remember, in full sentences, with names and dates.")]
Origin = Annotated[Text, Field(description="Where it comes from.")]
KnownUuid = Annotated[
    Text,
    Field(
        description="NEVER invent one: leave it out for anything new. Only to replace the text of an episode whose "
        "uuid a tool returned."
    ),
]
ReferenceTime = Annotated[
    Text, Field(description="ISO 8601 time it speaks from ('yesterday' counts from there). Default: now.")
]
FilePath = Annotated[
    Text, Field(description="Also write the text to this file of the project; {date}, {time}, {timestamp}, {hash}.")
]
Saga = Annotated[Text, Field(description="The thread it belongs to; its episodes are kept in order.")]


async def add_memory(
    call: Call,
    name: Title,
    episode_body: Body,
    group_id: OneGroup = "",
    source: SourceKind = "text",
    source_description: Origin = "",
    uuid: KnownUuid = "",
    reference_time: ReferenceTime = "",
    filepath: FilePath = "",
    facts: GivenFacts = (),
    excluded_entity_types: Annotated[Texts, Field(description="Types of entities to leave out.")] = (),
    custom_extraction_instructions: Annotated[Text, Field(description="Hints for extraction by a model.")] = "",
    previous_episode_uuids: Annotated[Texts, Field(description="Episodes that give context.")] = (),
    saga: Saga = "",
    saga_previous_episode_uuid: Annotated[Text, Field(description="The one before it in the saga.")] = "",
    update_communities: Annotated[bool, Field(description="Rebuild communities afterwards (waits).")] = False,
    wait: Annotated[bool, Field(description="Answer when facts have been extracted too.")] = False,
) -> AddedResult:
    """Remember something: an event, a decision and its reasons, a preference, a conversation, a JSON document.

    It is safe on disk and found by search as soon as this answers; facts are extracted from it in the background. Write
    whole sentences with full names, and say when and why. If you know the facts already, hand them over in `facts`:
    they are then taken as given. Later statements end earlier ones about the same thing; nothing needs deleting first.
    """
    host = host_of(call)
    hints: dict[str, JSON] = {
        "excluded_entity_types": list(excluded_entity_types),
        "custom_extraction_instructions": custom_extraction_instructions,
        "previous_episode_uuids": list(previous_episode_uuids),
        "saga_previous_episode_uuid": saga_previous_episode_uuid,
    }
    draft = Draft(
        content=episode_body,
        name=name,
        group_id=host.group(group_id),
        source=Source(source),
        source_description=source_description,
        reference_time=moment(reference_time, "reference_time"),
        uuid=uuid,
        thread=saga,
        statements=tuple(fact.statement() for fact in facts),
        attributes={hint: value for hint, value in hints.items() if value},
    )
    return await _tell(call, host, draft, filepath=filepath, wait=wait, regroup=update_communities)


async def _tell(call: Call, host: Host, draft: Draft, *, filepath: str, wait: bool, regroup: bool) -> AddedResult:
    place, target = host.place, None
    if filepath:
        target = await asyncio.to_thread(
            resolve_target,
            filepath,
            episode_name=draft.name,
            now=clock.now(),
            project=place.project,
            export_root=place.export_root,
            is_remote=place.is_remote,
        )
    memory = await host.memory()
    async with reporting(call, "digesting", when=wait or regroup):
        added = await memory.add(draft, wait=wait or regroup, export_to=target)
        if regroup:
            await memory.build_communities(group_id=draft.group_id)
    episode = added.episode
    hints = () if is_model(memory.reader) else _HINTS
    ignored = [f"{name}: {_ONLY_A_MODEL}" for name in hints if name in draft.attributes]
    return AddedResult(
        message=f"Episode '{episode.name}' is kept in group '{episode.group_id}'"
        + (" and queued for processing" if episode.status.value == "pending" else f", {episode.status.value}"),
        uuid=episode.uuid,
        status=episode.status.value,
        filepath=shown(target, place.project) if target else None,
        warnings=[*added.warnings, *ignored, *([episode.error] if episode.error else [])],
    )


async def add_facts(
    call: Call,
    facts: GivenFacts,
    group_id: OneGroup = "",
    source_description: Annotated[Text, Field(description="Where you know them from.")] = "",
) -> ChangeResult:
    """Hand over facts you already know, as subject, relation and object, with the times they hold if you know them.

    The best way to remember a decision, a preference or a change of state: nothing is guessed. Known facts are merged,
    and facts that these ones replace are ended. Answers what was created, merged and ended.
    """
    host = host_of(call)
    group = host.group(group_id)
    statements = [fact.statement() for fact in facts]
    change = await (await host.memory()).add_facts(statements, group_id=group, source_description=source_description)
    return ChangeResult.of(change, f"Facts are kept in group '{group}'")


async def add_triplet(
    call: Call,
    source_node_name: Annotated[str, Field(description="Who or what it is about, by full name.")],
    edge_name: Annotated[str, Field(description="The relation, such as WORKS_AT.")],
    fact: Annotated[str, Field(description="The whole as one sentence.")],
    target_node_name: Annotated[str, Field(description="The other entity.")],
    group_id: OneGroup = "",
    source_node_uuid: Annotated[Text, Field(description="If a tool returned the entity's uuid.")] = "",
    target_node_uuid: Annotated[Text, Field(description="If a tool returned the entity's uuid.")] = "",
    valid_at: FactValidAt = "",
    invalid_at: FactInvalidAt = "",
) -> Triplet:
    """Add one fact between two entities, as Graphiti has it. add_facts does the same for many, and for values."""
    host = host_of(call)
    memory, group = await host.memory(), host.group(group_id)
    for uuid in filter(None, (source_node_uuid, target_node_uuid)):
        if not await memory.entities(Filter(group_ids=(group,), uuids=(uuid,)), limit=1):
            raise NotFound(f"there is no entity {uuid} in this group", hint="leave it out: the name will do")
    said = Statement(
        subject=Mention(name=source_node_name, uuid=source_node_uuid),
        relation=edge_name,
        object=Mention(name=target_node_name, uuid=target_node_uuid),
        sentence=fact,
        valid_at=moment(valid_at, "valid_at"),
        invalid_at=moment(invalid_at, "invalid_at"),
    )
    change = await memory.add_facts([said], group_id=group)
    made = {uuid for claim in change.asserted for uuid in (claim.subject_uuid, claim.object_uuid) if uuid}
    ends = await memory.entities(Filter(group_ids=(group,), uuids=tuple(made)), limit=len(made))
    return Triplet(message="Triplet added successfully", nodes=nodes(ends), edges=facts_on_wire(change.facts))


TOOLS = (
    Tool(function=add_memory, title="Remember", always_loaded=True),
    Tool(function=add_facts, title="Remember facts"),
    Tool(function=add_triplet, title="Add a triplet"),
)

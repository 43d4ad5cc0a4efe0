"""Tools that change or take back what the memory holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from pydantic import BaseModel, Field

from everfact.errors import NotFound, UsageError
from everfact.models import Episode, Fact, Filter, Mention, Statement, Value
from everfact.server.answers.done import ChangeResult, Disputes, Message
from everfact.server.answers.items import facts
from everfact.server.arguments import (
    FactInvalidAt,
    FactValidAt,
    GroupId,
    GroupIds,
    Text,
    Texts,
    Uuid,
    moment,
)
from everfact.server.progress import reporting
from everfact.server.translate import Call, Tool, host_of


async def delete_entity_edge(call: Call, uuid: Uuid) -> Message:
    """Take a fact away. Can be taken back with undo_change. To say that it ended or is wrong, use correct_fact."""
    host = host_of(call)
    memory = await host.memory()
    if not isinstance(await memory.get(uuid, group_ids=host.anywhere()), Fact):
        raise NotFound(f"{uuid} is no fact", hint="search_memory_facts finds facts and their uuids")
    return Message.of(await memory.forget(uuid, group_ids=host.anywhere()), f"Entity edge with UUID {uuid} deleted")


async def delete_episode(call: Call, uuid: Uuid) -> Message:
    """Take an episode away, with all facts that only it supports; facts it had ended come back.

    Can be taken back with undo_change.
    """
    host = host_of(call)
    memory = await host.memory()
    if not isinstance(await memory.get(uuid, group_ids=host.anywhere()), Episode):
        raise NotFound(f"{uuid} is no episode", hint="get_episodes lists episodes and their uuids")
    return Message.of(await memory.forget(uuid, group_ids=host.anywhere()), f"Episode with UUID {uuid} deleted")


async def undo_change(
    call: Call, uuid: Annotated[str, Field(description="uuid of a change, or of an episode whose facts are wrong.")]
) -> ChangeResult:
    """Take a change back, as if it had never been: an addition, a deletion, a correction, a merge. Itself undoable."""
    host = host_of(call)
    return ChangeResult.of(await (await host.memory()).undo(uuid, group_ids=host.anywhere()), "Undone")


async def correct_fact(
    call: Call,
    uuid: Uuid,
    fact: Annotated[Text, Field(description="The sentence as it is right.")] = "",
    object: Annotated[Text, Field(description="The other entity or the value as it is right.")] = "",
    valid_at: FactValidAt = "",
    invalid_at: FactInvalidAt = "",
    why: Annotated[Text, Field(description="Why it was wrong.")] = "",
) -> ChangeResult:
    """Put a fact right, on a person's word: what was wrong is withdrawn, what is right takes its place. Undoable.

    Give only what is different. To say that a fact simply stopped being true, give invalid_at.
    """
    host = host_of(call)
    times = {"valid_at": moment(valid_at, "valid_at"), "invalid_at": moment(invalid_at, "invalid_at")}
    if not (fact or object or any(times.values())):
        raise UsageError("nothing is different", hint="give fact, object, valid_at or invalid_at")
    right = _corrected(fact, object, {name: time for name, time in times.items() if time})
    change = await (await host.memory()).correct(uuid, right, why=why, group_ids=host.anywhere())
    return ChangeResult.of(change, "Corrected")


def _corrected(sentence: str, thing: str, times: dict[str, object]) -> Callable[[Statement], Statement]:
    def right(said: Statement) -> Statement:
        former = said.object.text if isinstance(said.object, Value) else said.object.name if said.object else ""
        said = replace(said, span=None, **times)  # type: ignore[arg-type] # two datetimes
        if thing:
            if isinstance(said.object, Value):
                said = replace(said, object=Value(type=said.object.type, text=thing))
            else:
                said = replace(said, object=Mention(name=thing, type=said.object.type if said.object else ""))
        reworded = said.sentence.replace(former, thing) if former and thing else said.sentence
        if thing and thing not in reworded:
            reworded = f"{said.subject.name} {said.relation.replace('_', ' ').lower()} {thing}"
        return replace(said, sentence=sentence or reworded)

    return right


async def resolve_dispute(
    call: Call,
    uuid: Annotated[Text, Field(description="A disputed fact. Leave out, with keep, to list open disputes.")] = "",
    keep: Annotated[Text, Field(description="uuid of the one of them that is right.")] = "",
    group_ids: GroupIds = (),
    group_id: GroupId = "",
) -> Disputes:
    """Settle a dispute between facts that contradict each other, or, without arguments, list the open ones."""
    host = host_of(call)
    memory = await host.memory()
    if not (uuid or keep):
        open_ones = await memory.disputes(group_ids=host.groups(group_ids, group_id))
        return Disputes(message=f"{len(open_ones)} disputed facts", disputes=facts(open_ones))
    if not keep:
        raise UsageError("say which fact to keep", hint="keep takes the uuid of the one that is right")
    pair = await memory.facts(Filter(group_ids=host.anywhere(), uuids=(uuid or keep, keep)), limit=2)
    if len({(fact.subject_uuid, fact.attribute) for fact in pair}) != 1 or len(pair) < len({uuid or keep, keep}):
        raise NotFound("these are not two facts of one dispute", hint="call it without arguments for the list")
    change = await memory.resolve(keep, group_ids=host.anywhere())
    return Disputes(message="Settled", disputes=facts(change.facts), change=change.uuid)


async def merge_entities(
    call: Call,
    keep: Annotated[str, Field(description="The entity that stays, by name or uuid.")],
    merge: Annotated[str, Field(description="The entity that becomes part of it, by name or uuid.")],
    group_ids: GroupIds = (),
    group_id: GroupId = "",
) -> ChangeResult:
    """Two entities are one and the same: put all that is known under the first; both names are kept. Undoable."""
    host = host_of(call)
    groups = await host.groups_of(keep, group_ids, group_id)
    change = await (await host.memory()).merge(keep, merge, group_ids=groups)
    return ChangeResult.of(change, f"Merged {merge} into {keep}")


async def split_entity(
    call: Call,
    entity: Annotated[str, Field(description="The entity, by name or uuid.")],
    aliases: Annotated[Texts, Field(description="Names under which somebody else was meant.", min_length=1)],
    group_ids: GroupIds = (),
    group_id: GroupId = "",
) -> ChangeResult:
    """What was said under some names of an entity is about another one: take them apart. Undoable."""
    host = host_of(call)
    groups = await host.groups_of(entity, group_ids, group_id)
    change = await (await host.memory()).split(entity, aliases, group_ids=groups)
    return ChangeResult.of(change, f"Split {', '.join(aliases)} from {entity}")


class Sure(BaseModel):
    """The answer to the question whether to wipe."""

    confirmed: Annotated[bool, Field(description="Wipe everything in these groups, for good?")]


async def _ask(call: Call, group_ids: tuple[str, ...], group_id: str, confirm: bool | None) -> Elicit[Sure] | Sure:
    """The person's word, where the client can ask for it; a client that cannot has the word of whoever calls."""
    capabilities = call.client_capabilities
    if confirm is not None or capabilities is None or capabilities.elicitation is None:
        return Sure(confirmed=confirm is not False)
    names = ", ".join(host_of(call).groups(group_ids, group_id))
    return Elicit(f"Wipe everything in {names}, for good? This cannot be undone.", Sure)


async def clear_graph(
    call: Call,
    sure: Annotated[ElicitationResult[Sure], Resolve(_ask)],
    group_ids: GroupIds = (),
    group_id: GroupId = "",
    confirm: Annotated[  # noqa: ARG001 - `_ask` reads it
        bool | None, Field(description="true once the user has agreed to wipe these groups.")
    ] = None,
) -> Message:
    """Wipe whole groups for good: episodes, entities, facts, history. This cannot be undone. Ask the user first.

    Without group_ids only the current group is wiped.
    """
    host = host_of(call)
    groups = host.groups(group_ids, group_id)
    if not isinstance(sure, AcceptedElicitation) or not sure.data.confirmed:
        raise UsageError("nothing was wiped: it was not confirmed", hint="call it with confirm=true if the user agrees")
    memory = await host.memory()
    async with reporting(call, "wiping"):
        held = await memory.clear(groups)
    counts = f"{held.episodes} episodes, {held.entities} entities, {held.facts} facts"
    return Message(message=f"Graph data cleared for group IDs: {', '.join(groups)} ({counts})")


TOOLS = (
    Tool(function=delete_entity_edge, title="Delete a fact", destroys=True),
    Tool(function=delete_episode, title="Delete an episode", destroys=True),
    Tool(function=undo_change, title="Undo a change", destroys=True),
    Tool(function=correct_fact, title="Correct a fact"),
    Tool(function=resolve_dispute, title="Settle a dispute"),
    Tool(function=merge_entities, title="Merge two entities"),
    Tool(function=split_entity, title="Split an entity"),
    Tool(function=clear_graph, title="Wipe groups", destroys=True, repeats=True),
)

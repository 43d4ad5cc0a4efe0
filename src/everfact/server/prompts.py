"""Prompts that people pick in their client, and completion of their arguments."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from pydantic import Field

from everfact.server.host import Host

_MOST_VALUES = 100
_MOST_LOOKED_AT = 2_000

Group = Annotated[str, Field(description="The group to look in; the current one if left out.")]


def register(server: MCPServer[Host], host: Host) -> None:
    """Make the prompts and the completion known to the server."""

    @server.prompt(title="Recall", description="Tell me what is remembered about a topic")
    def recall(topic: Annotated[str, Field(description="A person, project, decision, …")], group: Group = "") -> str:
        return (
            f"Use the everfact tools to find what is remembered about {topic!r}{_in(group)}: call search first, then "
            "get_history for the entity that matters most. Answer in a few sentences: what holds now, since when, what "
            "it replaced, and what is disputed. Say so if nothing is known; do not guess."
        )

    @server.prompt(title="Remember a decision", description="Keep a decision and its reasons")
    def remember_decision(
        decision: Annotated[str, Field(description="What was decided.")],
        why: Annotated[str, Field(description="The reasons, and what was turned down.")],
    ) -> str:
        return (
            f"Keep this decision with everfact's add_memory.\nDecision: {decision}\nWhy: {why}\n"
            "Give it a short name, write decision and reasons in full sentences with full names, hand over the facts "
            "you are sure of in `facts`. First search for what it replaces, and name that in `replaces`."
        )

    @server.prompt(title="What has changed", description="Tell me what has changed since a time")
    def whats_changed(
        since: Annotated[str, Field(description="A date or a time, such as 2026-03-01.")], group: Group = ""
    ) -> str:
        return (
            f"Use everfact's compare_facts_over_time to find what has changed between {since} and now{_in(group)}, "
            "once for each topic of our work, and get_episodes for what was told since. Answer in a short list: what "
            "began, what ended, what is disputed."
        )

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator] # the SDK leaves it untyped
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,  # noqa: ARG001 - the SDK hands it over
    ) -> Completion | None:
        values = await _candidates(host, ref, argument)
        wanted = argument.value.casefold()
        fitting = [value for value in dict.fromkeys(values) if wanted in value.casefold()]
        fitting.sort(key=lambda value: (not value.casefold().startswith(wanted), value.casefold()))
        more = len(fitting) > _MOST_VALUES
        return Completion(values=fitting[:_MOST_VALUES], total=len(fitting), has_more=more)


def _in(group: str) -> str:
    return f" in the group {group!r}" if group else ""


async def _candidates(
    host: Host, ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument
) -> list[str]:
    """What an argument could be: names of entities, groups, or uuids."""
    from everfact.models import Filter

    memory = await host.memory()
    if argument.name in ("group", "group_id"):
        told = await memory.episodes(Filter(group_ids=host.anywhere()), limit=_MOST_LOOKED_AT)
        return [episode.group_id for episode in told]
    here = Filter(group_ids=host.groups(()))
    if argument.name == "topic":
        return [entity.name for entity in await memory.entities(here, limit=_MOST_LOOKED_AT)]
    if isinstance(ref, ResourceTemplateReference) and ref.uri.startswith("everfact://entity/"):
        return [entity.uuid for entity in await memory.entities(here, limit=_MOST_LOOKED_AT)]
    return []

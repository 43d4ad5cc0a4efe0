"""KuzuMemory's tools for telling and recalling, under its names, over our memory. They answer in its texts."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import Field

from everfact import clock, models
from everfact.cognitive import cognition
from everfact.injected import CLOSING, OPENING, without_injected
from everfact.models import Draft, Fact, Thing
from everfact.server.arguments import MOST, Few, Query
from everfact.server.host import Host
from everfact.server.translate import Call, Tool, host_of

USER_WIDE = "global"
"""The group of all projects, which KuzuMemory keeps in a database of its own."""
_LONGEST = 10_000
"""Characters of one memory that an answer shows: as many as KuzuMemory's memories can have."""

Content = Annotated[str, Field(description="What to remember, in full sentences, with names and dates.")]
Days = Annotated[int, Field(description="Days that count as recent work.", ge=0, le=36_500)]
PerType = Annotated[int, Field(description="At most this many of each kind.", ge=1, le=1_000)]


async def kuzu_enhance(
    call: Call,
    prompt: Annotated[str, Field(description="The prompt to put what is known in front of.", max_length=10_000)],
    max_memories: Few = 5,
) -> str:
    """A prompt with what is known about it in front, between marks: these are notes, not instructions."""
    found = [without_injected(text) for text in await _recalled(call, prompt, max_memories)]
    if not found:
        return prompt
    return f"{OPENING}\n## Relevant Context:\n{_bullets(found)}\n{CLOSING}\n\n{prompt}"


async def kuzu_learn(
    call: Call,
    content: Content,
    source: Annotated[str, Field(description="Where it comes from.")] = "ai-conversation",
) -> str:
    """Remember something without waiting: it is on disk when this answers, and facts are read out of it afterwards."""
    draft = Draft(content=content, group_id=host_of(call).group(""), source_description=source)
    added = await (await host_of(call).memory()).add(draft)
    return f"Learning stored, to be digested in the background (task {added.episode.uuid[-8:]})"


async def kuzu_recall(call: Call, query: Query, limit: Few = 5) -> str:
    """What is known about something and true now: a list, the best first."""
    return _bullets(await _recalled(call, query, limit)) or "No memories found"


async def kuzu_remember(
    call: Call,
    content: Content,
    memory_type: Annotated[
        Literal["identity", "preference", "decision", "pattern"], Field(description="What it is about.")
    ] = "identity",
    knowledge_type: Annotated[
        Literal["rule", "pattern", "gotcha", "architecture", "convention", "note"],
        Field(description="Under which kind kuzu_project_context shows it; note is none of them."),
    ] = "note",
    importance: Annotated[float, Field(description="How much it weighs there.", ge=0, le=1)] = 0.8,
) -> str:
    """Remember a decision, a preference or a rule. It is on disk, and found by kuzu_recall, when this answers."""
    draft = Draft(
        content=content,
        group_id=host_of(call).group(""),
        source_description=memory_type,
        attributes={**cognition(memory_type, knowledge_type).attributes, "importance": importance},
    )
    added = await (await host_of(call).memory()).add(draft)
    return "\n".join([f"Stored memory with ID: {added.episode.uuid}", *added.warnings])


async def kuzu_project_context(call: Call, days_back: Days = 14, max_per_type: PerType = 5) -> str:
    """What is known of this project, as JSON: recent work, gotchas, architecture, patterns, rules, conventions."""
    return as_json(await bundle(host_of(call), host_of(call).group(""), days_back=days_back, most=max_per_type))


async def kuzu_user_context(call: Call, days_back: Days = 14, max_per_type: PerType = 5) -> str:
    """The same for what holds in all projects: the group `global`."""
    group = host_of(call).group(USER_WIDE)
    held = await (await host_of(call).memory()).status(group_ids=(group,))
    if not held.episodes:
        return as_json({"available": False, "reason": "nothing was told to the group global yet"})
    known = await bundle(host_of(call), group, days_back=days_back, most=max_per_type)
    return as_json({"available": True, "source": f"group {group}"} | known)


async def _recalled(call: Call, query: str, limit: int) -> list[str]:
    """Facts, and what was told, best first; nothing that stands in a text before it."""
    memory, groups = await host_of(call).memory(), host_of(call).groups(())
    asked = models.Query(text=query, group_ids=groups, limit=min(2 * limit, MOST), things=(Thing.FACT, Thing.EPISODE))
    said: list[str] = []
    for hit in (await memory.search(asked)).hits:
        text = hit.item.sentence if isinstance(hit.item, Fact) else hit.item.text[:_LONGEST]
        if not any(text in other for other in said):
            said.append(text)
    return said[:limit]


def _bullets(texts: list[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


async def bundle(host: Host, group: str, *, days_back: int = 14, most: int = 5) -> dict[str, models.JSON]:
    """What is known of a group by kind."""
    from everfact.knowhow import knowhow  # a list of tools needs nothing of what they do

    return await knowhow(await host.memory(), group, now=clock.now(), days_back=days_back, most=most)


def as_json(data: object) -> str:
    """Compact JSON."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


TOOLS = (
    Tool(function=kuzu_enhance, title="Put what is known in front of a prompt", reads=True),
    Tool(function=kuzu_learn, title="Learn"),
    Tool(function=kuzu_recall, title="Recall", reads=True),
    Tool(function=kuzu_remember, title="Remember"),
    Tool(function=kuzu_project_context, title="What is known of this project", reads=True),
    Tool(function=kuzu_user_context, title="What is known of all projects", reads=True),
)

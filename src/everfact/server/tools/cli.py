"""The verbs of the command line as tools. They answer in text: TOON for lists, a sentence for anything else."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from everfact import models
from everfact.errors import UsageError
from everfact.models import Draft, Entity, Episode, Fact
from everfact.server.answers.items import CONTENT_SHOWN
from everfact.server.answers.toon import Item, Row, listing, rows, short
from everfact.server.arguments import Few, Query, Text, Texts
from everfact.server.host import Host
from everfact.server.translate import Call, Tool, host_of
from everfact.verbs.looking import listed, names, shown
from everfact.verbs.pick import pick
from everfact.verbs.space import Space
from everfact.verbs.telling import tagged

SETTABLE = (
    "mcp.context_tokens",
    "mcp.toolsets",
    "mcp.wrap_results",
    "capture.every_turns",
    "session_tracking.inactivity_timeout",
    "session_tracking.check_interval",
    "resilience.episode_timeout",
    "resilience.max_attempts",
    "resilience.backoff_initial",
    "resilience.backoff_max",
)
"""What an agent may set: no secret, no address, no path, nothing that costs money or decides what is recorded."""

_PATIENCE = 0.5
"""Seconds that a call waits for a session to be captured; a long one takes more when it is captured first."""

NameOrId = Annotated[str, Field(description="An entity's name, or an id as the other tools give it.")]


async def graphiti_add(
    call: Call,
    content: Annotated[str, Field(description="What to remember, in full sentences, with names and dates.")],
    tags: Annotated[Texts, Field(description="Words to find it by; a list, or one text with commas.")] = (),
) -> str:
    """Remember a text. It is on disk and found by search when this answers; facts are read out of it afterwards."""
    space = await _space(host_of(call))
    added = await space.memory.add(Draft(content=content, group_id=space.group, attributes=tagged(tags)))
    kept = f"kept {short(added.episode.uuid)} in {space.group}, {added.episode.status.value}"
    return "\n".join([kept, *(f"warning: {warning}" for warning in added.warnings)])


async def graphiti_search(call: Call, query: Query, limit: Few = 10) -> str:
    """Find what is true now: facts, entities and what was told, best first. Answers as a table in TOON.

    `when` is a day, or the days from and until which it is true; `…` stands for sentences that a fact in the table has.
    """
    space = await _space(host_of(call))
    found = await space.memory.search(models.Query(text=query, group_ids=space.groups, limit=limit))
    called = await names(space, found.facts)
    made = rows([hit.item for hit in found.hits], called, [hit.score for hit in found.hits])
    return listing("results", made, hidden=found.hidden) or "nothing found"


async def graphiti_list(call: Call, limit: Few = 15) -> str:
    """List what was told, newest first."""
    items = await listed(await _space(host_of(call)), limit=limit)
    return listing("items", rows(items, {})) or "nothing there yet"


async def graphiti_show(call: Call, name_or_id: NameOrId) -> str:
    """Show all about one entity, one fact, or one text that was told."""
    space = await _space(host_of(call))
    item, _, facts = await shown(space, name_or_id)
    called = await names(space, [item] if isinstance(item, Fact) else facts)
    return "\n".join([*_described(item), listing("facts", rows(facts, called))]).rstrip()


async def graphiti_delete(call: Call, name_or_id: NameOrId) -> str:
    """Take something away, with all that only it supports. undo_change takes that back."""
    space = await _space(host_of(call))
    item = await pick(space, name_or_id)
    change = await space.memory.forget(item.uuid, group_ids=(item.group_id,))
    return f"took away {_kind(item)} {short(item.uuid)}; to have it back, undo change {change.uuid}"


async def graphiti_summarize(call: Call) -> str:
    """The sentences that say most of what was told lately."""
    from everfact.verbs.upkeep import summary  # a list of tools needs nothing of what they do

    return await summary(await _space(host_of(call))) or "nothing was told yet"


async def graphiti_compact(call: Call) -> str:
    """Show what the memory could do without: entities known twice, and entities that no fact speaks of.

    Nothing is changed. If the user agrees, merge_entities and graphiti_delete do it one by one, and the command
    `graphiti compact --apply` all at once.
    """
    from everfact.verbs.upkeep import spare

    found = await spare(await _space(host_of(call)))
    double = [(short(e.uuid), e.name, "merge into", short(kept.uuid)) for kept, e in found.duplicates]
    idle = [(short(e.uuid), e.name, "remove", "") for e in found.orphans]
    made: list[Row] = [dict(zip(("id", "name", "do", "into"), one, strict=True)) for one in double + idle]
    return listing("proposed", made) or "nothing to do"


async def graphiti_capture(call: Call) -> str:
    """Take in what was said in this session since the last time: the current one, else the project's latest."""
    from everfact.config import current_session

    host = host_of(call)
    if host.place.is_remote:
        raise UsageError("a server over HTTP does not see your session", hint="run `graphiti capture` in your project")
    done = await (await host.tracker()).capture(current_session(), host.place.project, patience=_PATIENCE)
    if done is None:
        return "capturing goes on in the background"
    if done.stopped:
        return f"session {done.session_id} is not to be captured: somebody stopped that"
    return f"captured {done.turns} turns of session {done.session_id}, kept as {done.episodes} episodes"


async def graphiti_health(call: Call) -> str:
    """Whether the memory is ready, how much it holds, and what waits to be digested."""
    from everfact.hooks.spool import Spool
    from everfact.verbs.upkeep import condition

    host = host_of(call)
    everywhere = host.anywhere()
    held = await (await host.memory()).status(group_ids=everywhere)
    trouble = "" if host.place.is_remote else Spool.of_this_user().trouble()  # hooks are those of whoever runs this
    return condition(host.place.store if everywhere is None else "the memory", held, trouble=trouble)


async def graphiti_config(
    call: Call,
    key: Annotated[str, Field(description="A dotted key, such as mcp.context_tokens.")],
    value: Annotated[Text, Field(description="What to set it to; leave out to read it.")] = "",
) -> str:
    """Read a setting, or set one of those that can do no harm. It counts from the next start of the server."""
    from everfact.config import load
    from everfact.verbs.settings import set_key

    place = host_of(call).place
    if (place.is_remote or value) and key not in SETTABLE:
        raise UsageError(f"{key} is not to be {'set' if value else 'read'} by an agent", hint=_ALLOWED)
    if place.is_remote and value:
        raise UsageError("the settings of this server are its operator's", hint="ask the operator")
    flags = {"mcp.project_dir": str(place.project), **({"store": place.store} if place.store else {})}
    if not value:
        return (await asyncio.to_thread(load, flags)).row(key).value
    done = await asyncio.to_thread(set_key, flags, key, value)
    return f"set {key} in {done.file}"


_ALLOWED = f"a person sets it with the command config set; allowed are {', '.join(SETTABLE)}"


async def _space(host: Host) -> Space:
    return Space(memory=await host.memory(), group=host.group(""), reach=host.anywhere())


def _kind(item: Item) -> str:
    return type(item).__name__.lower()


def _described(item: Item) -> list[str]:
    """An item without what hangs on it, a line each."""
    if isinstance(item, Entity):
        also = f"also called {', '.join(item.aliases)}" if item.aliases else ""
        said = [" ".join([item.name, *(f"({kind})" for kind in item.types)]), also, item.summary]
    elif isinstance(item, Episode):
        origin = ", ".join(filter(None, (item.source_description, item.thread, item.speaker)))
        said = [f"told {item.reference_time.isoformat()}", origin, item.content[:CONTENT_SHOWN], item.error or ""]
    else:
        times = (("true from", item.valid_at), ("until", item.invalid_at), ("known since", item.created_at))
        said = [item.sentence, f"{item.kind.value} {item.relation}{', disputed' if item.disputed else ''}"]
        said += [f"{name} {time.isoformat()}" for name, time in times if time]
    return [f"{_kind(item)} {item.uuid}", *filter(None, said)]


TOOLS = (
    Tool(function=graphiti_add, title="Remember"),
    Tool(function=graphiti_search, title="Search memory", reads=True),
    Tool(function=graphiti_list, title="List what was told", reads=True),
    Tool(function=graphiti_show, title="Show one item", reads=True),
    Tool(function=graphiti_delete, title="Take something away", destroys=True),
    Tool(function=graphiti_summarize, title="Sum up", reads=True),
    Tool(function=graphiti_compact, title="Find what could go", reads=True),
    Tool(function=graphiti_capture, title="Take in this session", repeats=True),
    Tool(function=graphiti_health, title="Health", reads=True),
    Tool(function=graphiti_config, title="Settings", repeats=True),
)

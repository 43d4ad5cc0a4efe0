"""Resources: the brief, the status, and every item by its uuid."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from everfact.errors import EverfactError, NotFound
from everfact.server.host import Host

if TYPE_CHECKING:
    from everfact.models import Entity, Episode, Fact

T = TypeVar("T")

_JSON = "application/json"
_MOST_LINES = 1_000


def register(server: MCPServer[Host], host: Host) -> None:
    """Make the resources and templates known to the server."""

    @server.resource(
        "graphiti://context",
        name="context",
        title="Context brief",
        description="What is known and holds now, within the budget; empty when nothing is known",
        mime_type="text/plain",
    )
    async def context() -> str:
        return await _answered(_context(host))

    @server.resource(
        "everfact://status", name="status", title="Status", description="How the memory is doing", mime_type=_JSON
    )
    async def status() -> str:
        return await _answered(_status(host))

    for kind, describe in (("episode", _episode), ("entity", _entity), ("fact", _fact)):
        server.resource(
            f"everfact://{kind}/{{uuid}}",
            name=kind,
            title=kind.capitalize(),
            description=f"One {kind} by its uuid, with all that is known of it",
            mime_type=_JSON,
        )(_reader(host, describe))


def register_kuzu(server: MCPServer[Host], host: Host) -> None:
    """Make KuzuMemory's resource and template known, which both can be read here."""
    name = host.place.project.resolve().name or "project"

    @server.resource(
        f"kuzu://project/{quote(name, safe='')}",
        name=f"Project: {name}",
        description="What is known of this project by kind, as kuzu_project_context has it",
        mime_type=_JSON,
    )
    async def project() -> str:
        return await _answered(_project(host))

    @server.resource(
        "kuzu://memory/{id}", name="Memory by ID", description="One memory, as KuzuMemory has it", mime_type=_JSON
    )
    async def memory(id: str) -> str:
        return await _answered(_memory(host, id))


def _reader(host: Host, describe: Callable[[Host, str], Awaitable[str]]) -> Callable[[str], Awaitable[str]]:
    async def read(uuid: str) -> str:
        return await _answered(describe(host, uuid))

    return read


async def _answered(reading: Awaitable[T]) -> T:
    """What was read; our errors in the SDK's words."""
    try:
        return await reading
    except NotFound as error:
        raise ResourceNotFoundError(str(error)) from error
    except EverfactError as error:
        raise ResourceError(str(error)) from error


async def _context(host: Host) -> str:
    return await host.brief()


async def _status(host: Host) -> str:
    from everfact.server.tools.watching import status_of

    return (await status_of(host)).model_dump_json()


async def _episode(host: Host, uuid: str) -> str:
    from everfact.server.answers.items import EpisodeResult

    episode: Episode = await _found(host, uuid, "Episode")  # type: ignore[assignment] # checked by its name
    return EpisodeResult.of(episode, most=len(episode.content)).model_dump_json()


async def _project(host: Host) -> str:
    from everfact.server.tools.kuzu import bundle

    return json.dumps(await bundle(host, host.group("")), ensure_ascii=False)


async def _memory(host: Host, uuid: str) -> str:
    from everfact.sharing import record

    return json.dumps(record(await _found(host, uuid, "Episode")), ensure_ascii=False)  # type: ignore[arg-type]


async def _entity(host: Host, uuid: str) -> str:
    from everfact.server.answers.found import Timeline

    entity = await _found(host, uuid, "Entity")
    history = await (await host.memory()).history(uuid, group_ids=(entity.group_id,))
    return Timeline.of(history, _MOST_LINES).model_dump_json()


async def _fact(host: Host, uuid: str) -> str:
    from everfact.server.answers.found import Explanation

    fact = await _found(host, uuid, "Fact")
    return Explanation.of(await (await host.memory()).explain(uuid, group_ids=(fact.group_id,))).model_dump_json()


async def _found(host: Host, uuid: str, kind: str) -> Episode | Entity | Fact:
    item = await (await host.memory()).get(uuid, group_ids=host.anywhere())
    if type(item).__name__ != kind:
        raise NotFound(f"{uuid} is no {kind.lower()}")
    return item

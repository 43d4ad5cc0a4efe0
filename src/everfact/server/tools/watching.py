"""Tools that tell how the memory is doing."""

from __future__ import annotations

from everfact import clock
from everfact.errors import EverfactError
from everfact.memory import Memory
from everfact.models import Filter, Spent, Stats, Status
from everfact.server.answers.items import EpisodeResult
from everfact.server.answers.state import Health, ModelUsage, Queue, StatusResult
from everfact.server.host import Host
from everfact.server.translate import Call, Tool, host_of

_PARKED_SHOWN = 10


async def get_status(call: Call) -> StatusResult:
    """How the memory is doing: where it is kept, how much it holds, what waits to be digested, what was given up.

    Use it when a search finds less than you expect (episodes may still be pending), or when asked about the memory.
    """
    return await status_of(host_of(call))


async def status_of(host: Host) -> StatusResult:
    """How the host's memory is doing; that it does not answer is an answer, too."""
    store = host.place.store if host.anywhere() is None else ""  # where it lies is no business of a guest's
    try:
        with host.watched():
            return await _status_of(await host.memory(), host, store)
    except EverfactError as error:
        return StatusResult(status="error", message=str(error), store=store, group_id=host.groups(())[0])


async def _status_of(memory: Memory, host: Host, store: str) -> StatusResult:
    groups = host.anywhere()
    stats = await memory.status(group_ids=groups)
    spent = stats.spent if stats.spent and groups is None else Spent(day="")  # nor what others cost
    parked = await memory.episodes(Filter(group_ids=groups, statuses=(Status.PARKED,)), limit=_PARKED_SHOWN)
    return StatusResult(
        status="ok",
        message=f"everfact is running and connected to {store or 'its store'}{_warning(stats, store)}",
        store=store,
        group_id=host.groups(())[0],
        episodes=stats.episodes,
        entities=stats.entities,
        facts=stats.facts,
        queue=_queue(stats),
        last_write=stats.last_write,
        parked_episodes=[EpisodeResult.of(episode) for episode in parked],
        reader=memory.reader,
        cost_usd=round(spent.usd, 6),
        models=[ModelUsage.of(model, usage) for model, usage in spent.today.items()],
    )


def _warning(stats: Stats, store: str) -> str:
    return f". {stats.warning}" if store and stats.warning else ""


async def health_check(call: Call) -> Health:
    """Whether the store answers, when it last did, how often it failed since, and what waits to be digested."""
    host = host_of(call)
    queue, connection = None, host.connection
    try:
        with host.watched():
            queue = _queue(await (await host.memory()).status(group_ids=host.anywhere()))
    except EverfactError:
        pass  # this is the answer, not a failure of the call: the connection has it
    return Health(
        status="healthy" if queue else "unhealthy",
        database_connected=queue is not None,
        last_successful_connection=connection.last_success,
        consecutive_failures=connection.failures,
        queue=queue,
        error=connection.error,
    )


def _queue(stats: Stats) -> Queue:
    waited = clock.now() - stats.oldest_pending if stats.oldest_pending else None
    return Queue(
        pending=stats.pending,
        parked=stats.parked,
        oldest_pending_seconds=round(max(waited.total_seconds(), 0), 3) if waited else None,
    )


TOOLS = (
    Tool(function=get_status, title="Memory status", reads=True, is_bare=True, is_checkup=True),
    Tool(function=health_check, title="Health check", reads=True, is_checkup=True),
)

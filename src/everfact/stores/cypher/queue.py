"""Who digests what: leases on groups, so that one group is digested in order by one worker at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from everfact.clock import new_id
from everfact.errors import ClaimLost
from everfact.models import HEARD, MET, Claim, Entity, Episode, Filter, Status, Thing, names_in
from everfact.stores.cypher.engine import Engine, Part
from everfact.stores.cypher.group import Lease, Ledger
from everfact.stores.cypher.rows import EPISODE, OPEN, from_data, micros_or_none, place, term, to_episode, to_micros
from everfact.stores.cypher.where import versions

_EPISODE = "MATCH (e:EverfactEpisode) WHERE e.group_id = $group"
_WINDOW = f"{_EPISODE} AND e.status = 'pending' AND e.no >= $first AND e.no < $last WITH min(e.no) AS no RETURN no"
_HEAD = f"{_EPISODE} AND e.no = $no RETURN {EPISODE}, e.no, e.retry_at, e.created_at"
_GROUPS = (
    "MATCH (g:EverfactGroup) WHERE g.group_id IN $groups AND g.waiting_from < g.next_no"
    " RETURN g.group_id, g.waiting_from, g.next_no, g.token, g.held_no, g.granted_at, g.deadline"
)
_HEARD = f"{_EPISODE} AND e.place IN $places AND e.known_to = {OPEN} WITH e ORDER BY e.position DESC RETURN e.speaker"
_MET = (
    "UNWIND $keys AS key MATCH (t:EverfactTerm {key: key}) WITH t MATCH (t)<-[:EverfactHas]-(e:EverfactEntity)"
    f" WHERE e.group_id = $group AND e.known_to = {OPEN}"
    f" WITH DISTINCT e ORDER BY e.created_at DESC, e.uuid DESC LIMIT {MET} RETURN e.data"
)
_SAID = "MATCH (e:EverfactAssertion {episode: $uuid}) WHERE e.group_id = $group WITH e LIMIT 1 RETURN e.uuid"
_SET = (
    "MATCH (e:EverfactEpisode {no: r.no}) WHERE e.group_id = r.group_id"
    " SET e.status = r.status, e.attempts = r.attempts, e.error = r.error, e.retry_at = r.retry_at"
)
_FIRST_WINDOW = 1_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """An episode in the queue: which version, since when, and when it may be tried."""

    episode: Episode
    no: int
    retry_at: int
    since: int


async def ready(part: Part, now: datetime) -> list[tuple[int, str, str]]:
    """Of each group that may be claimed: since when its oldest episode waits, the uuid of that, and the group."""
    found = []
    for group, first, last, *lease in await part.read(_GROUPS):
        if Lease(*lease).is_held(to_micros(now)):
            continue
        head = await _oldest(part.engine, group, first, last)
        if head is not None and head.retry_at <= to_micros(now):
            found.append((head.since, head.episode.uuid, group))
    return found


async def _oldest(engine: Engine, group: str, first: int, last: int) -> Waiting | None:
    """The oldest pending episode with a number in that range: its beginning is looked through before all of it."""
    graph = engine.graph(group)
    for end in (min(first + _FIRST_WINDOW, last), last):
        rows = await engine.read(graph, _WINDOW, {"group": group, "first": first, "last": end})
        if rows and rows[0][0] is not None:
            ((*row, no, retry_at, since),) = await engine.read(graph, _HEAD, {"group": group, "no": rows[0][0]})
            return Waiting(to_episode(row), no, retry_at, since)
    return None


async def claim(ledger: Ledger, owner: str, lease: timedelta, now: datetime) -> Claim | None:
    """Claim the oldest pending episode of the group, unless somebody holds it or the episode waits for a retry."""
    if ledger.lease.is_held(ledger.now):
        return None
    head = await _oldest(ledger.engine, ledger.group_id, ledger.waiting_from, ledger.next_no)
    ledger.is_touched = head is None and ledger.waiting_from < ledger.next_no
    ledger.waiting_from = ledger.next_no if head is None else head.no
    if head is None or head.retry_at > ledger.now:
        return None
    # The attempt is counted before the work begins: a worker that dies of an episode has tried it too.
    episode = replace(head.episode, attempts=head.episode.attempts + 1)
    put(ledger, head.no, episode, retry_at=head.retry_at)
    taken = Claim(
        token=new_id(),
        owner=owner,
        episode=episode,
        deadline=now + lease,
        head=ledger.head,
        is_first=not await ledger.read(_SAID, uuid=episode.uuid),
        listeners=await _listeners(ledger, episode),
        known=await _met(ledger, episode),
    )
    ledger.lease = Lease(taken.token, head.no, ledger.now, to_micros(taken.deadline))
    return taken


def put(ledger: Ledger, no: int, episode: Episode, *, retry_at: int = 0) -> None:
    """Note how far the digestion of that version has come."""
    ledger.do(
        _SET,
        no=no,
        group_id=ledger.group_id,
        status=episode.status.value,
        attempts=episode.attempts,
        error=episode.error,
        retry_at=retry_at,
    )


async def _listeners(ledger: Ledger, episode: Episode) -> tuple[str, ...]:
    places = [place(episode.group_id, episode.thread, episode.position - step) for step in range(1, HEARD + 1)]
    heard = await ledger.read(_HEARD, places=places) if episode.thread else []
    return tuple(dict.fromkeys(name for (name,) in heard if name not in ("", episode.speaker)))


async def _met(ledger: Ledger, episode: Episode) -> tuple[Entity, ...]:
    keys = [term(ledger.group_id, "name", name) for name in names_in(episode)]
    return tuple(from_data(Entity, data) for (data,) in await ledger.read(_MET, keys=keys))


async def renew(ledger: Ledger, held: Claim, lease: timedelta, now: datetime) -> Claim:
    """See `Store.renew`."""
    _require(ledger, held)
    longer = replace(held, deadline=now + lease)
    ledger.lease = replace(ledger.lease, granted_at=ledger.now, deadline=to_micros(longer.deadline))
    ledger.is_touched = True
    return longer


async def release(ledger: Ledger, held: Claim, error: str, retry_at: datetime | None, park: bool) -> None:
    """See `Store.release`. Given back without an error, the attempt does not count."""
    no = _require(ledger, held)
    ((*row, _, old_retry_at, _),) = await ledger.read(_HEAD, no=no)
    episode = to_episode(row)
    if error or park:
        status = Status.PARKED if park else Status.PENDING
        put(ledger, no, replace(episode, status=status, error=error), retry_at=micros_or_none(retry_at) or 0)
    else:
        put(ledger, no, replace(episode, attempts=episode.attempts - 1), retry_at=old_retry_at)
    ledger.lease = Lease()


def finish(ledger: Ledger, held: Claim) -> None:
    """The claimed episode is digested: out of the queue, and its group is free.

    Raises:
        ClaimLost: the claim is no longer held.
    """
    no = _require(ledger, held)
    put(ledger, no, replace(held.episode, status=Status.DONE, attempts=0, error=""))
    ledger.lease = Lease()


async def requeue(ledger: Ledger, filter_: Filter) -> int:
    """See `Store.requeue`, for one group."""
    where = await versions(ledger.part, Thing.EPISODE, replace(filter_, known_at=None))
    where.add("e.status <> 'pending'")
    found = await ledger.part.read(f"{where.match} RETURN {EPISODE}, e.no", **where.parameters)
    for *row, no in found:
        put(ledger, no, replace(to_episode(row), status=Status.PENDING, attempts=0, error=""))
        ledger.waiting_from = min(ledger.waiting_from, no)
    return len(found)


def _require(ledger: Ledger, held: Claim) -> int:
    """The number of the version that the claim holds.

    Raises:
        ClaimLost: somebody else holds it, or nobody.
    """
    if ledger.lease.token != held.token or ledger.lease.no is None:
        raise ClaimLost(
            f"the claim on episode {held.episode.uuid} ran out or its episode was replaced",
            hint="drop the work; it is done again",
        )
    return ledger.lease.no

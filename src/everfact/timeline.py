"""The fold: assertions about one subject and attribute become facts with intervals, in any order of arrival.

Nothing is edited here and nothing remembered: the same assertions always give the same facts. Undo, merge, delete and
correct withdraw assertions and fold again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from uuid import NAMESPACE_OID, uuid5

from everfact.models import Assertion, Fact, FactKind, Granularity, Original, Phase, Statement, Trust, Value, fold_name
from everfact.relations import is_one_at_a_time

_BEGINNING = datetime.min.replace(tzinfo=UTC)
_SURE = 0.5
_GRAINS = {
    Granularity.DAY: (timedelta(hours=23), timedelta(hours=25)),
    Granularity.WEEK: (timedelta(days=7), timedelta(days=7)),
    Granularity.MONTH: (timedelta(days=28), timedelta(days=31)),
    Granularity.YEAR: (timedelta(days=365), timedelta(days=366)),
}


@dataclass(slots=True)
class Stint:
    """One stretch of time over which one thing held."""

    key: str
    start: datetime | None
    end: datetime | None = None
    support: list[Assertion] = field(default_factory=list)
    enders: list[Assertion] = field(default_factory=list)
    is_disputed: bool = False
    is_closed: bool = False
    is_glimpse: bool = False
    """Known from within only ("in 2019 she lived there"): `end` is how far the view goes, not where it ended."""
    original: Original | None = None
    """The fact that it is elsewhere; of two that are told apart there, none is the other."""

    def close(self, at: datetime, ender: Assertion) -> None:
        """It held until `at`, as that assertion says or implies."""
        self.end, self.is_closed = at, True
        self.enders.append(ender)


def fold(assertions: Iterable[Assertion]) -> list[Fact]:
    """The facts that the standing assertions about one subject and attribute add up to."""
    told = [a for a in assertions if a.statement.relation and not a.withdrawn]
    overruled = {a.statement.replaces for a in told if _overrules(a)}
    standing = sorted((a for a in told if a.uuid not in overruled and not _overrules(a)), key=_order)
    trusted = [a for a in standing if a.statement.trust is Trust.FULL]
    doubtful = [a for a in standing if a.statement.trust is not Trust.FULL]
    # Apart from each other, so that what is doubtful ends, disputes and moves nothing that is trusted.
    stints = _fold(trusted) + _fold(doubtful)
    return sorted((_fact(stint) for stint in stints), key=lambda fact: (fact.valid_at or _BEGINNING, fact.uuid))


def _fold(standing: list[Assertion]) -> list[Stint]:
    states = [a for a in standing if a.statement.kind is FactKind.STATE]
    stints = _fold_states(states)
    stints += _fold_plans([a for a in standing if a.statement.kind is FactKind.PLAN], states)
    return stints + _fold_events([a for a in standing if a.statement.kind is FactKind.EVENT])


def _overrules(assertion: Assertion) -> bool:
    """Whether it says of another assertion, by its uuid, that this never held: a judge's word on one moment."""
    return assertion.statement.phase is Phase.ENDS and assertion.statement.replaces != ""


def object_key(assertion: Assertion) -> str:
    """What makes two objects the same: the entity, or the value as written."""
    thing = assertion.statement.object
    if assertion.object_uuid is not None:
        return assertion.object_uuid
    if isinstance(thing, Value):
        number = "" if thing.number is None else f"{thing.number:g}"
        return f"{thing.type}:{number or fold_name(thing.text)}:{thing.unit}"
    return "" if thing is None else fold_name(thing.name)


def _moment(assertion: Assertion) -> datetime:
    """The time spoken of."""
    said = assertion.statement
    return (said.invalid_at if said.phase is Phase.ENDS else said.valid_at) or _BEGINNING


def _order(assertion: Assertion) -> tuple[datetime, datetime, str]:
    return _moment(assertion), assertion.created_at, assertion.uuid


def _fold_states(states: list[Assertion]) -> list[Stint]:
    """Moment by moment: what ends comes before what begins, and what is said of one moment has no order."""
    stints: list[Stint] = []
    is_single = any(is_one_at_a_time(a.statement.attribute) for a in states)
    for _, group in groupby(states, key=_moment):
        at_once = list(group)
        for assertion in at_once:
            if assertion.statement.phase is Phase.ENDS:
                _end(stints, assertion)
        held = [a for a in at_once if a.statement.phase is not Phase.ENDS]
        if held:
            mine = _hold(stints, held)
            if is_single:
                newer = next((a for a in held if not _is_glimpse(a.statement)), held[0])
                _meet([s for s in stints if s.key not in mine], list(mine.values()), newer)
    return stints


def _hold(stints: list[Stint], held: list[Assertion]) -> dict[str, Stint]:
    """What holds at one moment, by key: stints that go on, or new ones."""
    mine: dict[str, Stint] = {}
    for assertion in held:
        said, key = assertion.statement, object_key(assertion)
        stint = next((s for s in stints if s.key == key and _is_of(s, said) and _goes_on(s, said.valid_at)), None)
        if stint is None:
            stint = Stint(key=key, start=said.valid_at)
            stints.append(stint)
        _extend(stint, assertion)
        mine[key] = stint
    return mine


def _extend(stint: Stint, assertion: Assertion) -> None:
    """One more support. A glimpse never ends what others tell without an end, whichever came first."""
    is_glimpse, end = _is_glimpse(assertion.statement), _own_end(assertion.statement)
    is_first = not stint.support
    stint.support.append(assertion)
    stint.original = stint.original or assertion.statement.original
    if is_first or is_glimpse is stint.is_glimpse:
        stint.end, stint.is_glimpse = _later(stint.end, end), is_glimpse
    elif not is_glimpse:
        stint.end, stint.is_glimpse = end, False


def _is_glimpse(said: Statement) -> bool:
    """Whether it is told of one whole day, month or the like, as "in 2019": nothing says that it ended with it."""
    lengths = _GRAINS.get(said.granularity) if said.granularity is not None else None
    if lengths is None or said.valid_at is None or said.invalid_at is None or said.phase is not Phase.HOLDS:
        return False
    return lengths[0] <= said.invalid_at - said.valid_at <= lengths[1]


def _is_of(stint: Stint, said: Statement) -> bool:
    """Whether nothing tells them apart but time."""
    return stint.original is None or said.original is None or stint.original.uuid == said.original.uuid


def _goes_on(stint: Stint, start: datetime | None) -> bool:
    """Whether what holds at `start` is this stint and not a later one of the same thing."""
    return not stint.is_closed and (start is None or stint.end is None or start <= stint.end)


def _meet(others: list[Stint], mine: list[Stint], newer: Assertion) -> None:
    """One-at-a-time values meet: the earlier ones end where the newer begin, unless nobody said which gives way."""
    start = newer.statement.valid_at
    rivals = list(mine)
    for other in others:
        if other.is_closed or (start is not None and other.end is not None and other.end <= start):
            continue
        is_open = other.end is None or other.is_glimpse
        is_followed = start is not None and other.start is not None and other.start < start and is_open
        if is_followed and start is not None and not _is_glimpse(newer.statement):
            other.close(start, newer)
        else:
            # Same moment, no moment, an end of its own that lies later, or no more than a glimpse of the newer one.
            rivals.append(other)
    if len(rivals) > 1:
        for rival in rivals:
            rival.is_disputed = True


def _end(stints: list[Stint], assertion: Assertion) -> None:
    said, key = assertion.statement, object_key(assertion)
    at = said.invalid_at
    if at is None:
        return
    ended = [stint for stint in stints if key in ("", stint.key) and not stint.is_closed]
    for stint in ended:
        stint.close(at, assertion)
    is_known = any(stint.key == key for stint in stints)
    if not ended and key and not is_known and said.confidence >= _SURE:
        # It was true before, since nobody knows when. A denial ends what is known and proves nothing else.
        stint = Stint(key=key, start=None, support=[assertion])
        stint.close(at, assertion)
        stints.append(stint)


def _fold_plans(plans: list[Assertion], states: list[Assertion]) -> list[Stint]:
    """A plan stands until it is called off or carried out: the same state begins."""
    stints: list[Stint] = []
    for assertion in plans:
        if assertion.statement.phase is Phase.ENDS:
            _end(stints, assertion)
        else:
            _hold(stints, [assertion])
    for stint in stints:
        told = min(a.created_at for a in stint.support)
        done = [s for s in states if object_key(s) == stint.key and s.statement.phase is not Phase.ENDS]
        later = [s for s in done if s.created_at >= told and s.statement.valid_at is not None]
        if later and not stint.is_closed:
            at = _moment(later[0])
            stint.close(max(at, stint.start or at), later[0])
    return stints


def _fold_events(events: list[Assertion]) -> list[Stint]:
    """Events end nothing; told twice with the same date, they are one."""
    stints: dict[tuple[str, str, object], Stint] = {}
    for assertion in events:
        said = assertion.statement
        if said.phase is Phase.ENDS:
            continue
        day = said.valid_at.date() if said.valid_at else None
        stint = stints.setdefault(
            (object_key(assertion), said.relation, day), Stint(key=object_key(assertion), start=said.valid_at)
        )
        stint.support.append(assertion)
        stint.end = _later(stint.end, _own_end(said))
    return list(stints.values())


def _own_end(said: Statement) -> datetime | None:
    """The end that a statement gives itself, unless it lies before its beginning."""
    is_nonsense = said.valid_at is not None and said.invalid_at is not None and said.invalid_at < said.valid_at
    return None if is_nonsense else said.invalid_at


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max(filter(None, (one, other)), default=None)


def _fact(stint: Stint) -> Fact:
    in_order = sorted(stint.support, key=lambda a: (a.created_at, a.uuid))
    original = stint.original
    first = next(a for a in in_order if original is None or a.statement.original == original)
    said = first.statement
    own_end = [a for a in in_order if stint.end is not None and a.statement.invalid_at == stint.end]
    enders = stint.enders or own_end[:1]
    is_ended_state = stint.end is not None and said.kind is not FactKind.EVENT
    return Fact(
        # The first telling that still stands names the fact, so that later ones do not change what it is called.
        uuid=original.uuid if original else str(uuid5(NAMESPACE_OID, f"everfact:{first.uuid}")),
        group_id=first.group_id,
        subject_uuid=first.subject_uuid,
        relation=said.relation,
        attribute=said.attribute,
        sentence=said.sentence,
        object_uuid=first.object_uuid,
        value=said.object if isinstance(said.object, Value) else None,
        kind=said.kind,
        valid_at=stint.start,
        invalid_at=stint.end,
        created_at=min(in_order[0].created_at, original.learned_at) if original else in_order[0].created_at,
        expired_at=_ended_known(stint, enders) if is_ended_state else None,
        disputed=stint.is_disputed,
        assertions=tuple(a.uuid for a in in_order),
        ended_by=tuple(a.uuid for a in stint.enders),
        episodes=tuple(dict.fromkeys(a.episode_uuid for a in in_order if a.episode_uuid)),
        attributes=dict(original.attributes if original else {})
        | ({} if said.trust is Trust.FULL else {"trust": said.trust}),
    )


def _ended_known(stint: Stint, enders: list[Assertion]) -> datetime | None:
    """Since when it is known that it ended."""
    if stint.original and not stint.enders:
        return stint.original.expired_at
    return min((a.created_at for a in enders), default=None)

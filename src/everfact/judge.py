"""What the rules leave open after digesting an episode, and what a judge's verdicts make of it.

Open are pairs of a new statement and an older one about the same subject: both of one attribute and disputed, or of
attributes that are about the same ("primary database", "uses database"). A verdict becomes assertions like any other,
so it is undone with its change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from everfact.clock import new_id
from everfact.models import (
    Assertion,
    Change,
    Fact,
    FactKind,
    Filter,
    Judgement,
    Pair,
    Phase,
    Statement,
    Trust,
    Usage,
    Verdict,
)
from everfact.ports import Extractor, Store
from everfact.refold import EVERYTHING, refold

MOST_PAIRS = 20
_SHORTEST = 4
_BEGINNING = datetime.min.replace(tzinfo=UTC)


class Judge:
    """Asks an extractor once, however often the change is made again on top of what others did meanwhile."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self._given: dict[tuple[Statement, Statement], Verdict] = {}
        self._judgement: Judgement | None = None

    @property
    def usage(self) -> Usage:
        """What asking took."""
        return self._judgement.usage if self._judgement is not None else Usage()

    async def settle(self, store: Store, change: Change, refolded: Change) -> Change:
        """What the verdicts make of a change; `refolded` is what it comes to without them."""
        pairs = await open_pairs(store, refolded)
        if pairs and self._judgement is None:
            self._judgement = await self._extractor.judge(pairs)
            given = zip(pairs, self._judgement.verdicts, strict=True)
            self._given = {(p.older.statement, p.newer.statement): verdict for p, verdict in given}
        ruled = [self._given.get((p.older.statement, p.newer.statement), Verdict.BOTH_STAND) for p in pairs]
        if self._judgement is None or set(ruled) <= {Verdict.BOTH_STAND}:
            return refolded
        return await refold(store, judged(change, pairs, ruled, self._judgement.judge))


async def open_pairs(store: Store, change: Change) -> list[Pair]:
    """The pairs that a refolded change leaves open, at most `MOST_PAIRS`, each newer assertion being the change's."""
    own = {a.uuid: a for a in change.asserted if _is_judged(a)}
    mine = [fact for fact in change.facts if not own.keys().isdisjoint(fact.assertions) and _is_open(fact)]
    if not mine:
        return []
    where = Filter(group_ids=(change.group_id,), subjects=tuple({fact.subject_uuid for fact in mine}))
    written = {fact.uuid: fact for fact in change.facts}
    known = [written.get(f.uuid, f) for f in await store.facts(where, limit=EVERYTHING) if f.uuid not in change.removed]
    others = [fact for fact in {**{f.uuid: f for f in known}, **written}.values() if _is_open(fact)]
    found = [(fact, other) for fact in mine for other in others if _is_left_open(fact, other)]
    pairs = [pair for fact, other in found for pair in await _paired(store, own, fact, other)]
    return list({(p.older.uuid, p.newer.uuid): p for p in pairs}.values())[:MOST_PAIRS]


def _is_judged(assertion: Assertion) -> bool:
    said = assertion.statement
    return said.kind is FactKind.STATE and said.phase is not Phase.ENDS and said.trust is Trust.FULL


def _is_open(fact: Fact) -> bool:
    is_over = fact.invalid_at is not None and not fact.disputed
    return fact.kind is FactKind.STATE and not is_over and "trust" not in fact.attributes


def _is_left_open(fact: Fact, other: Fact) -> bool:
    if fact.uuid == other.uuid or fact.subject_uuid != other.subject_uuid:
        return False
    if fact.attribute == other.attribute:
        return fact.disputed and other.disputed
    return not _words(fact.attribute).isdisjoint(_words(other.attribute))


def _words(attribute: str) -> set[str]:
    """What an attribute is about: its words but for the first, which is a verb or tells which of several."""
    words = attribute.strip("=").split()
    return {word for word in words[1:] or words if len(word) >= _SHORTEST}


async def _paired(store: Store, own: dict[str, Assertion], fact: Fact, other: Fact) -> Iterable[Pair]:
    newer = next(own[uuid] for uuid in reversed(fact.assertions) if uuid in own)
    if other.assertions[-1] in own:
        older = own[other.assertions[-1]]
        return [Pair(older=older, newer=newer)] if _order(older) < _order(newer) else []
    where = Filter(group_ids=(fact.group_id,), uuids=(other.assertions[-1],))
    return [Pair(older=older, newer=newer) for older in await store.assertions(where, limit=1)]


def _order(assertion: Assertion) -> tuple[datetime, int]:
    """Which of two of one episode comes later: by the time spoken of, then by place in the text."""
    said = assertion.statement
    return said.valid_at or _BEGINNING, said.span[0] if said.span else 0


def judged(change: Change, pairs: Sequence[Pair], verdicts: Sequence[Verdict], judge: str) -> Change:
    """The change, not refolded yet, with what the verdicts come to."""
    asserted = {a.uuid: a for a in change.asserted}
    for pair, verdict in zip(pairs, verdicts, strict=True):
        if verdict is Verdict.SAME:
            asserted[pair.newer.uuid] = _same(pair, judge)
        elif verdict is Verdict.REPLACES:
            ending = _ending(pair, change, judge)
            asserted[ending.uuid] = ending
    meant = {uuid for a in asserted.values() for uuid in (a.subject_uuid, a.object_uuid)}
    entities = tuple(entity for entity in change.entities if entity.uuid in meant)
    return replace(change, asserted=tuple(asserted.values()), entities=entities)


def _same(pair: Pair, judge: str) -> Assertion:
    """The newer statement, made to speak of what the older one speaks of."""
    older, said = pair.older.statement, pair.newer.statement
    said = replace(said, relation=older.relation, attribute=older.attribute, object=older.object)
    return replace(pair.newer, statement=said, object_uuid=pair.older.object_uuid, origin=judge)


def _ending(pair: Pair, change: Change, judge: str) -> Assertion:
    """The older statement ends where the newer begins; what began no earlier is overruled, as if never said."""
    older, newer = pair.older.statement, pair.newer.statement
    at = newer.valid_at
    is_overruled = at is None or older.valid_at is None or older.valid_at >= at
    said = replace(
        older,
        phase=Phase.ENDS,
        sentence=newer.sentence,
        span=newer.span,
        valid_at=None,
        invalid_at=older.valid_at or change.created_at if is_overruled else at,
        granularity=newer.granularity,
        replaces=pair.older.uuid if is_overruled else "",
    )
    return replace(
        pair.older,
        uuid=new_id(),
        statement=said,
        created_at=change.created_at,
        origin=judge,
        episode_uuid=pair.newer.episode_uuid,
        withdrawn=False,
    )

"""Episode → `Change`: who is meant by each name, what is asserted, what follows for the facts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from everfact.clock import new_id
from everfact.communities import is_community
from everfact.judge import Judge
from everfact.marks import is_captured, is_hearsay, is_worse, trust_of, with_reading, with_trust
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Claim,
    CommandKind,
    Entity,
    Episode,
    Extraction,
    Fact,
    Filter,
    Mention,
    Phase,
    Statement,
    Thing,
    Trust,
    Usage,
    fold_name,
)
from everfact.obey import ORDER, obey, outdated
from everfact.ports import Store
from everfact.refold import EVERYTHING, named_by, refold
from everfact.resolve import keys, resolve
from everfact.statements import dated, normal

_FUZZY = 30


async def ingest(
    store: Store,
    claim: Claim,
    extraction: Extraction,
    *,
    parent: str | None,
    now: datetime,
    judge: Judge | None = None,
) -> Change:
    """The change that digesting the claimed episode makes; told before, only what is different now."""
    episode = claim.episode
    if is_worse(episode, extraction):  # a model was wanted again and could not be had: what it read before stays
        return _change(episode, parent, now)
    trust = extraction.trust if extraction.trust is not Trust.FULL else trust_of(episode)
    # What is not to be relied on, or was not told to us, may ask that itself be left out, and nothing else.
    obeys = trust is Trust.FULL and not is_captured(episode)
    commands = [c for c in extraction.commands if obeys or c.kind is CommandKind.DO_NOT_SAVE]
    obeyed = await obey(store, episode, commands, now=now)
    if episode.uuid in obeyed.removed:  # what asks to be forgotten itself asserts nothing
        extraction = Extraction(extractor=extraction.extractor)
    worth = Trust.UNVERIFIED if is_hearsay(episode) else trust
    statements = [_trusted(dated(normal(said), episode.reference_time), worth) for said in extraction.statements]
    statements += await _endings(store, episode, statements)
    mentions = [*_mentions(statements), *extraction.mentions]
    cast = await Cast.of(store, episode.group_id, mentions, known=claim.known, now=now)
    own = Filter(group_ids=(episode.group_id,), episodes=(episode.uuid,))
    before = [] if claim.is_first else await store.assertions(own, limit=EVERYTHING)
    if any(command.kind is CommandKind.EXPIRED for command in commands):  # what it ended stays ended
        before = [a for a in before if a.origin != ORDER]
    bare = [
        Statement(subject=m, relation="", object=None, sentence="") for m in _unused(extraction.mentions, statements)
    ]
    made = [_assert(episode, said, cast, extraction.extractor, now) for said in (*statements, *bare)]
    asserted, withdrawn = _difference(made, before)
    told = replace(
        _change(episode, parent, now),
        asserted=(*asserted, *obeyed.asserted),
        withdrawn=tuple({*withdrawn, *obeyed.withdrawn}),
        removed=tuple(obeyed.removed),
        entities=cast.written_for(asserted),
    )
    change = await refold(store, told)
    if judge is not None:
        change = await judge.settle(store, told, change)
    marked = await outdated(store, episode, commands, change)
    usage = extraction.usage + (judge.usage if judge is not None else Usage())
    read = with_reading(episode if trust is trust_of(episode) else with_trust(episode, trust), extraction, usage)
    if read is not episode and episode.uuid not in change.removed:
        marked = (*marked, read)
    return replace(change, episodes=marked) if marked else change


def _change(episode: Episode, parent: str | None, now: datetime) -> Change:
    """A change by which the episode is digested and nothing else is done."""
    return Change(
        uuid=new_id(),
        group_id=episode.group_id,
        kind=ChangeKind.DIGEST,
        created_at=now,
        parent=parent,
        cause=episode.uuid,
    )


def _trusted(said: Statement, trust: Trust) -> Statement:
    return replace(said, trust=trust) if trust is not Trust.FULL and said.trust is Trust.FULL else said


async def _endings(store: Store, episode: Episode, statements: list[Statement]) -> list[Statement]:
    """What the statements say they replace, as statements of an ending."""
    named = tuple(said.replaces for said in statements if said.replaces)
    if not named:
        return []
    found = await store.facts(Filter(group_ids=(episode.group_id,), uuids=named))
    replaced = {fact.uuid: fact for fact in found}
    return [_ending(said, replaced.get(said.replaces), episode.reference_time) for said in statements if said.replaces]


def _ending(said: Statement, replaced: Fact | None, reference: datetime) -> Statement:
    ending = replace(
        said, phase=Phase.ENDS, valid_at=None, invalid_at=said.valid_at or reference, object=Mention(name=said.replaces)
    )
    if replaced is None:
        return replace(ending, replaces="")
    thing = replaced.value or Mention(name="", uuid=replaced.object_uuid or "")
    subject = replace(said.subject, uuid=replaced.subject_uuid)
    return replace(
        ending, replaces="", subject=subject, object=thing, relation=replaced.relation, attribute=replaced.attribute
    )


def _mentions(statements: Iterable[Statement]) -> list[Mention]:
    return [m for said in statements for m in (said.subject, said.object) if isinstance(m, Mention)]


def _unused(mentions: Iterable[Mention], statements: Iterable[Statement]) -> list[Mention]:
    """Names of which nothing else is said: they are kept too, so that the episode is found under them."""
    used = {fold_name(mention.name) for mention in _mentions(statements)}
    fresh = {fold_name(m.name): m for m in mentions if fold_name(m.name) not in used}
    return list(fresh.values())


def _assert(episode: Episode, said: Statement, cast: Cast, origin: str, now: datetime) -> Assertion:
    return Assertion(
        uuid=new_id(),
        group_id=episode.group_id,
        subject_uuid=cast.entity(said.subject).uuid,
        object_uuid=cast.entity(said.object).uuid if isinstance(said.object, Mention) else None,
        statement=said,
        created_at=now,
        origin=origin,
        episode_uuid=episode.uuid,
    )


def _difference(made: list[Assertion], before: list[Assertion]) -> tuple[list[Assertion], list[str]]:
    """What is new, and the uuids of what this episode said before and does not say any more."""
    kept = {_said(a): a.uuid for a in before}
    fresh = {_said(a): a for a in made}
    asserted = [a for said, a in fresh.items() if said not in kept]
    return asserted, [uuid for said, uuid in kept.items() if said not in fresh]


def _said(assertion: Assertion) -> tuple[str, str | None, Statement]:
    return assertion.subject_uuid, assertion.object_uuid, assertion.statement


def _beings(entities: Iterable[Entity]) -> list[Entity]:
    """Whom a text may speak of; a community is our own summary, not somebody."""
    return [entity for entity in entities if not is_community(entity)]


async def candidates(store: Store, group_id: str, mentions: Sequence[Mention]) -> list[Entity]:
    """Entities that these mentions may mean, by id, by name in some form, or by words of it."""
    here = Filter(group_ids=(group_id,))
    names = tuple({key for mention in mentions for key in keys(mention.name)})
    uuids = {mention.uuid for mention in mentions if mention.uuid}
    text = " ".join(mention.name for mention in mentions if not mention.uuid)
    named, hits = await asyncio.gather(
        store.entities(replace(here, names=names), limit=EVERYTHING),
        store.match_text(Thing.ENTITY, text, here, limit=_FUZZY),
    )
    uuids |= {hit.uuid for hit in hits}
    uuids -= {entity.uuid for entity in named}
    alike = await store.entities(replace(here, uuids=tuple(uuids)), limit=EVERYTHING) if uuids else []
    return _beings([*named, *alike])


class Cast:
    """Who is meant by each name of one episode: known entities, and new ones where nobody fits."""

    def __init__(self, group_id: str, known: Sequence[Entity], now: datetime) -> None:
        self._group_id = group_id
        self._now = now
        self._known = {entity.uuid: entity for entity in known}
        self._before = dict(self._known)
        self._meant: dict[Mention, str] = {}

    @classmethod
    async def of(
        cls, store: Store, group_id: str, mentions: Sequence[Mention], *, known: Sequence[Entity], now: datetime
    ) -> Cast:
        """Look up everybody who may be meant beyond those `known` to be named in the text, and decide."""
        met = {entity.uuid: entity for entity in _beings(known)}
        strange = [m for m in mentions if m.uuid not in met and (m.uuid or resolve(m, list(met.values())) is None)]
        if strange:
            met |= {entity.uuid: entity for entity in await candidates(store, group_id, strange)}
        cast = cls(group_id, list(met.values()), now)
        # Full names first: a short form in the same text then finds its owner.
        for mention in sorted(dict.fromkeys(mentions), key=lambda m: (-len(m.name.split()), m.name)):
            cast._meet(mention)
        return cast

    def entity(self, mention: Mention) -> Entity:
        """Who is meant."""
        return self._known[self._meant[mention]]

    def written_for(self, asserted: Iterable[Assertion]) -> tuple[Entity, ...]:
        """Entities that are new or have learnt a name or type, of those that these assertions speak of."""
        spoken_of = {uuid for a in asserted for uuid in (a.subject_uuid, a.object_uuid)}
        return tuple(e for e in self._known.values() if e.uuid in spoken_of and self._before.get(e.uuid) != e)

    def _meet(self, mention: Mention) -> None:
        found = self._known.get(mention.uuid) if mention.uuid else resolve(mention, list(self._known.values()))
        if found is None:
            found = Entity(
                uuid=mention.uuid or new_id(),
                group_id=self._group_id,
                name=mention.name,
                types=(mention.type,) if mention.type else (),
                created_at=self._now,
            )
        elif mention.name:
            names = [Mention(name=name) for name in (found.name, *found.aliases)]
            types = [Mention(name=found.name, type=type_) for type_ in found.types]
            found = named_by([*names, *types, mention], found)
        self._known[found.uuid] = found
        self._meant[mention] = found.uuid

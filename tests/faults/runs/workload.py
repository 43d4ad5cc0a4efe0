"""What the crash runs write: turns of conversations, and the changes that digesting them makes.

Every turn holds a word of its own, so that a search tells whether just this one can be found. Every change has the
same shape, so that a half of one is seen at once (`verify`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_OID, UUID, uuid5

from everfact.clock import new_id
from everfact.errors import ClaimLost, Conflict
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Claim,
    Entity,
    Episode,
    Fact,
    Filter,
    Mention,
    Source,
    Statement,
    Thing,
)
from everfact.ports import Store

GROUPS = ("home", "work", "garden")
THREAD = "table talk"
ALL = Filter(group_ids=None)

_SPEAKERS = ("Ada", "Ben", "Chen", "Dora")
_CLAUSES = (
    "the release moved to Thursday because the tests on the small machine were red again",
    "we switched the billing service to the new queue and nobody has noticed so far",
    "remember to call the plumber about the kitchen before the guests arrive",
    "I would rather have the window seat, and no nuts in anything, please",
    "the backup of the old laptop is on the grey drive in the second drawer",
    "her flight lands at ten past six, so dinner has to wait until eight",
    "they agreed on the shorter contract, with an option for a second year",
    "the cat needs her tablets twice a day until the end of the month",
)


def word_of(uuid: str) -> str:
    """The word that only this item's text holds."""
    return f"w{UUID(uuid).hex}"


def ticking(start: datetime | None = None) -> Callable[[], datetime]:
    """A clock that moves on by a millisecond whenever it is read."""
    moments = _moments(start or datetime(2026, 1, 1, tzinfo=UTC))
    return lambda: next(moments)


def _moments(moment: datetime) -> Iterator[datetime]:
    while True:
        yield moment
        moment += timedelta(milliseconds=1)


def turn(rng: random.Random, moment: datetime, *, group_id: str = "", thread: str = "", uuid: str = "") -> Episode:
    """Something said, in some group."""
    uuid = uuid or new_id()
    speaker = rng.choice(_SPEAKERS)
    said = ". ".join(rng.sample(_CLAUSES, rng.randint(1, 3)))
    return Episode(
        uuid=uuid,
        group_id=group_id or rng.choice(GROUPS),
        name=f"turn of {speaker}",
        content=f"{said}. About {word_of(uuid)}, see ticket{rng.randrange(10_000)}.",
        reference_time=moment,
        created_at=moment,
        source=Source.MESSAGE,
        thread=thread,
        speaker=speaker,
        role="user",
    )


async def fill(store: Store, *, turns: int, now: Callable[[], datetime], seed: int = 1) -> list[Episode]:
    """Add turns of one conversation and digest all but the last one; answer with them as kept."""
    rng = random.Random(seed)
    kept = []
    for _ in range(turns):
        uuid = str(UUID(int=rng.getrandbits(128), version=4))
        kept.append(await store.add_episode(turn(rng, now(), group_id=GROUPS[0], thread=THREAD, uuid=uuid)))
    for _ in range(turns - 1):
        assert await digest(store, "filler", timedelta(minutes=1))
    return kept


async def answers(store: Store) -> list[object]:
    """All that a memory of `fill` says when asked for everything, in every way."""
    said: list[object] = [await store.stats()]
    for listing in (store.episodes, store.entities, store.facts, store.assertions, store.changes):
        said.append(await listing(ALL, limit=1000))
    for thing in Thing:
        said.append(await store.match_text(thing, "Ada spoke of the plumber, the matter of the window", ALL, limit=100))
    return said


async def digest(store: Store, owner: str, lease: timedelta, *, most: int = 1) -> list[Change]:
    """Claim a turn and finish it, and then the next ones of its group, until another worker takes over."""
    claims: list[Claim | None] = [*await store.claim(owner, lease=lease)]
    claim, made = claims[0] if claims else None, []
    while claim is not None:
        go_on = lease if len(made) + 1 < most else None
        try:
            change, claim = await store.finish(change_of(claim, parent=claim.head), claim, lease=go_on)
        except (ClaimLost, Conflict):
            break
        made.append(change)
    return made


def change_of(claim: Claim, *, parent: str | None) -> Change:
    """Two entities, two assertions and two facts; one entity and one fact are new versions of what was there."""
    episode = claim.episode
    word = word_of(episode.uuid)
    subject = _entity(episode, episode.speaker, known_as=episode.speaker)
    topic = _entity(episode, f"the matter of {word}", known_as=word)
    sentences = (f"{episode.speaker} spoke of {word}", f"the last matter of {episode.group_id} is {word}")
    asserted = tuple(_assertion(episode, subject, topic, sentence) for sentence in sentences)
    return Change(
        uuid=_uuid_of(episode.uuid, "change"),
        group_id=episode.group_id,
        kind=ChangeKind.DIGEST,
        created_at=episode.created_at,
        parent=parent,
        cause=episode.uuid,
        asserted=asserted,
        entities=(subject, topic),
        facts=(
            _fact(asserted[0], uuid=_uuid_of(episode.uuid, "fact")),
            _fact(asserted[1], uuid=_uuid_of(episode.group_id, "the last matter")),
        ),
    )


def _uuid_of(owner: str, name: str) -> str:
    return str(uuid5(NAMESPACE_OID, f"{owner}/{name}"))


def _entity(episode: Episode, name: str, *, known_as: str) -> Entity:
    return Entity(
        uuid=_uuid_of(episode.group_id, known_as),
        group_id=episode.group_id,
        name=name,
        created_at=episode.created_at,
        types=("Person",) if name == episode.speaker else ("Topic",),
        summary=f"seen last with {word_of(episode.uuid)}",
    )


def _assertion(episode: Episode, subject: Entity, topic: Entity, sentence: str) -> Assertion:
    return Assertion(
        uuid=_uuid_of(episode.uuid, sentence),
        group_id=episode.group_id,
        subject_uuid=subject.uuid,
        object_uuid=topic.uuid,
        statement=Statement(
            subject=Mention(name=subject.name), relation="SPOKE_OF", object=Mention(name=topic.name), sentence=sentence
        ),
        created_at=episode.created_at,
        origin="client",
        episode_uuid=episode.uuid,
    )


def _fact(assertion: Assertion, *, uuid: str) -> Fact:
    return Fact(
        uuid=uuid,
        group_id=assertion.group_id,
        subject_uuid=assertion.subject_uuid,
        object_uuid=assertion.object_uuid,
        relation=assertion.statement.relation,
        sentence=assertion.statement.sentence,
        created_at=assertion.created_at,
        assertions=(assertion.uuid,),
        episodes=(assertion.episode_uuid or "",),
    )

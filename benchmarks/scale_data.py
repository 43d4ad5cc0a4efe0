"""A made-up memory of any size, the same for the same seed, written by the store's own functions in big transactions.

People work, move and plan in one big group and ten small ones; their words follow Zipf's law.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from uuid import UUID

from everfact.embedders.static import StaticEmbedder
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Embedding,
    Entity,
    Episode,
    Fact,
    Mention,
    Source,
    Statement,
    Status,
    Thing,
    Vector,
)
from everfact.stores.sqlite import accept, record
from everfact.stores.sqlite import vectors as vectors_of
from everfact.stores.sqlite.connection import connect
from everfact.stores.sqlite.migrate import migrate, scripts

BIG = "big"
SMALL = tuple(f"small-{number}" for number in range(10))
QUESTIONS = 300
BIG_SHARE = 0.8
_EPISODES_AT_ONCE = 2000
_TURNS_OF_A_THREAD = 30
_START = datetime(2024, 1, 1, tzinfo=UTC)
_RARE_WORDS = 40_000
_EMBEDDER = StaticEmbedder()


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_FIRST = _listed(
    "Ada Ben Chen Dora Emil Farah Goro Hana Igor Jude Kemal Lina Mara Nils Olga Pavel Quinn Rosa Sven Tara "
)
_SYLLABLES = _listed("ka ren to mi lo ver da sha ni ko bel tor an es ru va li mon ter gra pe zu hol wyn sta fi ")
_PLACES = _listed("Labs Bank Group Institute Clinic Museum Works Square Valley Studio Foundation Airways ")
_RELATIONS = (
    ("WORKS_AT", "{s} works at {o} with the {a} {b}"),
    ("LIVES_IN", "{s} lives near {o} since the {a}"),
    ("MANAGES", "{s} manages the {a} {b} of {o}"),
    ("KNOWS", "{s} knows {o} from the {a} {b}"),
    ("OWNS", "{s} owns the {a} {b} at {o}"),
    ("STUDIES", "{s} studies {a} and {b} at {o}"),
    ("PREFERS", "{s} prefers the {a} over the {b} at {o}"),
    ("PLANS", "{s} plans a {a} {b} together with {o}"),
    ("MOVED_TO", "{s} moved to {o} because of the {a}"),
    ("WROTE", "{s} wrote about {a} {b} {c} for {o}"),
    ("BOUGHT", "{s} bought a {a} {b} from {o}"),
    ("REVIEWED", "{s} reviewed the {a} {c} of {o}"),
    ("JOINED", "{s} joined {o} for the {a} {b} {c}"),
    ("REPAIRED", "{s} repaired the {a} {b} for {o}"),
)
_LEFT_OUT = _listed("the and for you that with this not was have can from are but your all which of at to a in ")
_OPENINGS = (
    "I heard that {said}.",
    "By the way, {said}, and everybody said the {a} was {b}.",
    "{said}. Do you remember the {a} {b} we talked about?",
    "Yes, {said}; the {a} of the {b} is another {c} matter, I think.",
    "Nothing new about the {a} {b}, but {said}.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a memory, and what a search would look up on the way."""

    group_id: str
    terms: str
    speaker: str
    entity: str
    thread: str
    facts: list[str]
    entities: list[str]
    episodes: list[str]
    told_at: str


@dataclass(slots=True)
class _Group:
    """What a group holds so far, as far as the next turn needs it."""

    group_id: str
    head: str | None = None
    turns: int = 0
    entities: list[Entity] = field(default_factory=list)


class Maker:
    """Makes turns and what is digested from them, out of one stream of randomness."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self._words = _vocabulary()
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._words))))
        self._relation_weights = list(accumulate(1 / (rank + 1) for rank in range(len(_RELATIONS))))
        self._groups = {name: _Group(name) for name in (BIG, *SMALL)}
        self._clock = 1_700_000_000_000

    def uuid(self) -> str:
        """A uuid of version 7, as the product makes them, but repeatable."""
        self._clock += 1
        random_bits = self.rng.getrandbits(12) << 64 | 0b10 << 62 | self.rng.getrandbits(62)
        return str(UUID(int=self._clock << 80 | 0x7 << 76 | random_bits))

    def words(self) -> dict[str, str]:
        """Three words of the vocabulary, common ones more often."""
        return dict(zip("abc", self.rng.choices(self._words, cum_weights=self._weights, k=3), strict=True))

    def turn(self) -> tuple[Episode, Change]:
        """One turn of a conversation and the change that its digestion would make, two facts on average."""
        rng = self.rng
        group = self._groups[BIG if rng.random() < BIG_SHARE else rng.choice(SMALL)]
        group.turns += 1
        at = _START + timedelta(seconds=40 * group.turns)
        made = [self._entity(group, at) for _ in range(2 if len(group.entities) < 2 else rng.random() < 0.2)]
        group.entities += made
        speaker = rng.choice(group.entities[: 40 + len(group.entities) // 100])
        told = [self._statement(group, at) for _ in range(rng.randint(1, 3))]
        content = " ".join(
            rng.choice(_OPENINGS).format(said=statement.sentence, **self.words()) for statement, *_ in told
        )
        episode = Episode(
            uuid=self.uuid(),
            group_id=group.group_id,
            name=f"turn of {speaker.name}",
            content=content,
            reference_time=at,
            created_at=at,
            source=Source.MESSAGE,
            thread=f"session {group.turns // _TURNS_OF_A_THREAD}",
            speaker=speaker.name,
            role=rng.choice(("user", "assistant")),
            status=Status.DONE,
        )
        return episode, self._digested(group, episode, made, told)

    def _entity(self, group: _Group, at: datetime) -> Entity:
        rng = self.rng
        if rng.random() < 0.6:
            last = "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 3))).capitalize()
            name, type_ = f"{rng.choice(_FIRST)} {last}", "Person"
        else:
            name, type_ = f"{self.words()['a'].capitalize()} {rng.choice(_PLACES)}", "Place"
        summary = "Known for the {a} and a {b} {c}.".format(**self.words())
        return Entity(
            uuid=self.uuid(), group_id=group.group_id, name=name, types=(type_,), summary=summary, created_at=at
        )

    def _statement(self, group: _Group, at: datetime) -> tuple[Statement, Entity, Entity]:
        rng = self.rng
        newest = max(2, len(group.entities) // 3)
        subject = rng.choice(group.entities if rng.random() < 0.5 else group.entities[-newest:])
        target = rng.choice(group.entities)
        relation, shape = rng.choices(_RELATIONS, cum_weights=self._relation_weights)[0]
        statement = Statement(
            subject=Mention(name=subject.name, type=subject.types[0]),
            relation=relation,
            attribute=relation.lower(),
            object=Mention(name=target.name, type=target.types[0]),
            sentence=shape.format(s=subject.name, o=target.name, **self.words()),
            valid_at=at,
            invalid_at=at + timedelta(days=10) if rng.random() < 0.2 else None,
        )
        return statement, subject, target

    def _digested(
        self, group: _Group, episode: Episode, made: list[Entity], told: list[tuple[Statement, Entity, Entity]]
    ) -> Change:
        assertions, facts = [], []
        for statement, subject, target in told:
            assertion = Assertion(
                uuid=self.uuid(),
                group_id=group.group_id,
                subject_uuid=subject.uuid,
                object_uuid=target.uuid,
                statement=statement,
                created_at=episode.created_at,
                origin="local",
                episode_uuid=episode.uuid,
            )
            assertions.append(assertion)
            facts.append(
                Fact(
                    uuid=self.uuid(),
                    group_id=group.group_id,
                    subject_uuid=subject.uuid,
                    object_uuid=target.uuid,
                    relation=statement.relation,
                    attribute=statement.attribute,
                    sentence=statement.sentence,
                    created_at=episode.created_at,
                    valid_at=statement.valid_at,
                    invalid_at=statement.invalid_at,
                    assertions=(assertion.uuid,),
                    episodes=(episode.uuid,),
                )
            )
        change = Change(
            uuid=self.uuid(),
            group_id=group.group_id,
            kind=ChangeKind.DIGEST,
            created_at=episode.created_at,
            parent=group.head,
            cause=episode.uuid,
            asserted=tuple(assertions),
            entities=tuple(made),
            facts=tuple(facts),
        )
        group.head = change.uuid
        return change


class _Questions:
    """Picks turns evenly over a memory and asks about what they say; some in nothing but common words."""

    def __init__(self, rng: random.Random, facts: int) -> None:
        self.asked: list[Question] = []
        self._rng = rng
        self._every = max(1, facts // QUESTIONS)
        self._recent: dict[tuple[str, str], deque[str]] = {}

    def consider(self, episode: Episode, change: Change, written: int) -> None:
        """Remember the turn, and ask about it if its turn has come."""
        group = episode.group_id
        for kind, items in (("episode", (episode,)), ("entity", change.entities), ("fact", change.facts)):
            self._recent.setdefault((group, kind), deque(maxlen=100)).extend(item.uuid for item in items)
        # Small groups are asked about as often as their share, but at least every third question is theirs.
        due = written >= len(self.asked) * self._every
        if due and (group != BIG) == (len(self.asked) % 3 == 2):
            self.asked.append(self._ask(episode, change.facts[0]))

    def _ask(self, episode: Episode, fact: Fact) -> Question:
        words = [word for word in fact.sentence.split() if word not in _LEFT_OUT]
        terms = words[:2] + self._rng.sample(words[2:], min(len(words) - 2, self._rng.randint(1, 4)))
        if len(self.asked) % 12 == 0:
            terms = [shape.split()[1] for _, shape in self._rng.sample(_RELATIONS[:5], 3)]
        recent = {kind: list(self._recent[episode.group_id, kind]) for kind in ("episode", "entity", "fact")}
        return Question(
            group_id=episode.group_id,
            terms=" ".join(terms),
            speaker=episode.speaker,
            entity=fact.subject_uuid,
            thread=episode.thread,
            facts=recent["fact"],
            entities=recent["entity"][-30:],
            episodes=recent["episode"],
            told_at=episode.reference_time.isoformat(),
        )


@cache
def _vocabulary() -> list[str]:
    """English words, the frequent ones first: those the default embedder's tokenizer has a piece for."""
    found = find_spec("wordllama")
    assert found is not None
    assert found.origin is not None
    file = Path(found.origin).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    pieces: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    ranked = (piece[1:] for piece, _ in sorted(pieces.items(), key=lambda item: item[1]) if piece[0] == "\u2581")
    words = [word for word in ranked if len(word) > 2 and word.isascii() and word.isalpha() and word.islower()]
    rare = random.Random(0)
    return words + ["".join(rare.choices(_SYLLABLES, k=rare.randint(3, 5))) for _ in range(_RARE_WORDS)]


def fill(path: Path, facts: int, seed: int) -> None:
    """Make a memory with that many facts at `path`, and its questions beside it, unless both are there."""
    asked = questions_file(path)
    if asked.exists():
        return
    for leftover in path.parent.glob(f"{path.name}*"):
        leftover.unlink()
    connection = connect(path)
    migrate(connection, path, scripts())
    connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000").fetchall()
    maker, questions, began = Maker(seed), _Questions(random.Random(seed + 1), facts), time.monotonic()
    written = 0
    while written < facts:
        connection.execute("BEGIN IMMEDIATE")
        texts: list[Episode | Entity | Fact] = []
        for _ in range(_EPISODES_AT_ONCE):
            episode, change = maker.turn()
            accept.add_episode(connection, episode, episode.created_at)
            record.apply(connection, change, episode.created_at)
            texts += (episode, *change.entities, *change.facts)
            questions.consider(episode, change, written)
            written += len(change.facts)
            if written >= facts:
                break
        connection.execute("DELETE FROM queue")  # all of it is digested
        vectors_of.put_vectors(connection, _EMBEDDER.model, _embedded(texts))
        connection.execute("COMMIT")
        _progress(written, facts, began)
    connection.close()
    asked.write_text(json.dumps([asdict(question) for question in questions.asked]), encoding="utf-8")


def questions_file(path: Path) -> Path:
    """Where the questions of a memory are kept; it is written last, so a memory that has it is whole."""
    return path.with_suffix(".questions.json")


def questions(path: Path) -> list[Question]:
    """The questions made with a memory."""
    return [Question(**item) for item in json.loads(questions_file(path).read_text(encoding="utf-8"))]


def vectors(texts: Sequence[str]) -> list[Vector]:
    """The texts as the default embedder sees them."""
    return _EMBEDDER._embed(list(texts))


def _embedded(items: Sequence[Episode | Entity | Fact]) -> list[Embedding]:
    things = {Episode: Thing.EPISODE, Entity: Thing.ENTITY, Fact: Thing.FACT}
    made = zip(items, vectors([item.text for item in items]), strict=True)
    return [Embedding(thing=things[type(i)], uuid=i.uuid, text=i.text, vector=vector) for i, vector in made]


def _progress(done: int, wanted: int, began: float) -> None:
    if not sys.stderr.isatty() and done < wanted:
        return
    rate = done / (time.monotonic() - began)
    bar = "#" * (30 * done // wanted)
    ending = "\n" if done >= wanted else ""
    print(f"\r[{bar:<30}] {done}/{wanted} facts, {rate:.0f}/s ", end=ending, file=sys.stderr, flush=True)

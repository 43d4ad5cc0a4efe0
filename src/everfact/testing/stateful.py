"""A state machine that does random things to any store and to the reference store, and compares them after each.

    class TestMyStore(StoreMachine.TestCase): ...

where `StoreMachine` inherits `StoreComparison` and says how its store is opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from everfact.errors import EverfactError
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Claim,
    Embedding,
    Entity,
    Episode,
    Fact,
    FactKind,
    Filter,
    Mention,
    Statement,
    Status,
    Thing,
    Undigested,
)
from everfact.ports import Store
from everfact.testing.builders import EARLY
from everfact.testing.fakes import FakeClock, HashingEmbedder
from everfact.testing.reference import Disk, ReferenceStore

T = TypeVar("T")

# No word is part of another, or has the same stem.
WORDS = ("amber", "basil", "cedar", "dolphin", "egret", "北京", "東京")
GROUPS = ("home", "work")
LEASE = timedelta(seconds=60)
_EMBEDDER = HashingEmbedder(16)
_MANY = 1_000

groups = st.sampled_from(GROUPS)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
small_values = st.sampled_from([None, "1", "2"])
days = st.none() | st.integers(0, 9).map(lambda n: EARLY + timedelta(days=n))


def _terms(claim: Claim | None) -> object:
    """A claim without its token, which is random."""
    return None if claim is None else replace(claim, token="")


class StoreComparison(RuleBasedStateMachine):
    """Random acts on two stores that must not be told apart."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.disk = Disk()
        self.runner = asyncio.Runner()
        self.reference: Store = ReferenceStore(self.disk, now=self.clock)
        self.store = self.run(self.open_store(self.clock))
        self.count = 0
        self.claims: list[tuple[Claim, Claim]] = []
        self.moments: list[datetime] = []

    async def open_store(self, clock: FakeClock) -> Store:
        """Open the store under test; called again, it opens the same memory."""
        raise LookupError("say how the store is opened")

    def run(self, act: Awaitable[T]) -> T:
        """Wait for one act."""

        async def wait() -> T:
            return await act

        return self.runner.run(wait())

    def teardown(self) -> None:
        self.run(self.store.close())
        self.runner.close()

    def both(self, act: Callable[[Store], Awaitable[T]]) -> T | None:
        """Do the same to both, which must answer or refuse alike; answer what the reference answered."""
        answers = [self._answer(act, store) for store in (self.reference, self.store)]
        assert answers[0] == answers[1], f"reference: {answers[0]}\nstore: {answers[1]}"
        return None if isinstance(answers[0], type) else answers[0]

    def _answer(self, act: Callable[[Store], Awaitable[T]], store: Store) -> T | type[EverfactError]:
        try:
            return self.run(act(store))
        except EverfactError as error:
            return type(error)

    def new_id(self) -> str:
        """Ids that are the same whenever the same example is run."""
        self.count += 1
        return f"00000000-0000-7000-8000-{self.count:012d}"

    def known(self, read: Callable[..., Awaitable[list[T]]], group_id: str) -> list[T]:
        """What the reference has of a group now."""
        return self.run(read(Filter(group_ids=(group_id,), withdrawn=None), limit=_MANY))

    # Telling

    @rule(
        group_id=groups,
        content=texts,
        thread=st.sampled_from(["", "talk"]),
        speaker=st.sampled_from(["", "Ana", "Bo"]),
        key=st.sampled_from(["", "", "k"]),
    )
    def tell(self, group_id: str, content: str, thread: str, speaker: str, key: str) -> None:
        told = Episode(
            uuid=self.new_id(),
            group_id=group_id,
            name="note",
            content=content,
            reference_time=EARLY + timedelta(days=self.count % 5),
            created_at=EARLY,
            thread=thread,
            speaker=speaker,
            source_key=key,
        )
        self.both(lambda store: store.add_episode(told))

    @rule(group_id=groups, to_group=groups, content=texts, data=st.data())
    def tell_again(self, group_id: str, to_group: str, content: str, data: st.DataObject) -> None:
        if told := self.known(self.reference.episodes, group_id):
            again = replace(data.draw(st.sampled_from(told)), content=content, group_id=to_group, source_key="")
            self.both(lambda store: store.add_episode(again))

    # Digesting

    @rule(limit=st.integers(1, 2))
    def claim(self, limit: int) -> None:
        pair = [self.run(store.claim("w", limit=limit, lease=LEASE)) for store in (self.reference, self.store)]
        assert [_terms(c) for c in pair[0]] == [_terms(c) for c in pair[1]]
        self.claims += zip(*pair, strict=True)

    @precondition(lambda self: self.claims)
    @rule(error=st.sampled_from(["", "failed"]), wait=st.booleans(), park=st.booleans(), data=st.data())
    def release(self, error: str, wait: bool, park: bool, data: st.DataObject) -> None:
        mine = data.draw(st.sampled_from(self.claims))
        retry_at = self.clock.time + LEASE if wait else None
        self.both(lambda s: s.release(self._of(mine, s), error=error, retry_at=retry_at, park=park))

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        mine = data.draw(st.sampled_from(self.claims))

        async def deadline(store: Store) -> datetime:
            return (await store.renew(self._of(mine, store), lease=LEASE)).deadline

        self.both(deadline)

    @precondition(lambda self: self.claims)
    @rule(content=texts, go_on=st.booleans(), data=st.data())
    def finish(self, content: str, go_on: bool, data: st.DataObject) -> None:
        mine = data.draw(st.sampled_from(self.claims))
        made = self._facts_about(mine[0].episode, content, data)
        lease = LEASE if go_on else None
        following: list[Claim | None] = []

        async def finished(store: Store) -> tuple[Change, object]:
            change, claim = await store.finish(made, self._of(mine, store), lease=lease)
            following.append(claim)
            return change, _terms(claim)

        self.both(finished)
        if len(following) == 2 and following[0] is not None and following[1] is not None:
            self.claims.append((following[0], following[1]))

    @rule(group_id=groups, status=st.sampled_from(Status))
    def requeue(self, group_id: str, status: Status) -> None:
        self.both(lambda store: store.requeue(Filter(group_ids=(group_id,), statuses=(status,))))

    @rule(old=small_values, new=small_values)
    def swap_state(self, old: str | None, new: str | None) -> None:
        self.both(lambda store: store.swap_state("offset", old, new))

    def _of(self, pair: tuple[Claim, Claim], store: Store) -> Claim:
        return pair[0] if store is self.reference else pair[1]

    # Changing

    def change(self, group_id: str) -> Change:
        """An empty change on top of the group's last one."""
        last = self.run(self.reference.changes(Filter(group_ids=(group_id,)), limit=1))
        return Change(
            uuid=self.new_id(),
            group_id=group_id,
            kind=ChangeKind.DIGEST,
            created_at=EARLY,
            parent=last[0].uuid if last else None,
        )

    def _facts_about(self, told: Episode, content: str, data: st.DataObject) -> Change:
        group_id = told.group_id
        subject = Entity(uuid=self.new_id(), group_id=group_id, name=content, created_at=EARLY, types=(content[:2],))
        target = data.draw(st.sampled_from([subject, *self.known(self.reference.entities, group_id)]))
        said = Assertion(
            uuid=self.new_id(),
            group_id=group_id,
            subject_uuid=subject.uuid,
            object_uuid=target.uuid,
            statement=Statement(subject=Mention(name=content), relation="R", object=None, sentence=content),
            created_at=EARLY,
            origin="local",
            episode_uuid=told.uuid,
        )
        fact = Fact(
            uuid=self.new_id(),
            group_id=group_id,
            subject_uuid=subject.uuid,
            object_uuid=data.draw(st.sampled_from([None, target.uuid])),
            relation="R",
            sentence=content,
            created_at=EARLY,
            kind=data.draw(st.sampled_from(FactKind)),
            valid_at=data.draw(days),
            invalid_at=data.draw(days),
            disputed=data.draw(st.booleans()),
            assertions=(said.uuid,),
            episodes=(told.uuid,),
        )
        return replace(
            self.change(group_id), cause=told.uuid, asserted=(said,), entities=(subject,), facts=(fact,), note=content
        )

    @rule(group_id=groups, content=texts, invalid_at=days, data=st.data())
    def revise(self, group_id: str, content: str, invalid_at: datetime | None, data: st.DataObject) -> None:
        facts, entities = self.known(self.reference.facts, group_id), self.known(self.reference.entities, group_id)
        made = self.change(group_id)
        if facts:
            fact = data.draw(st.sampled_from(facts))
            sentence = data.draw(st.sampled_from([fact.sentence, content]))
            made = replace(made, facts=(replace(fact, sentence=sentence, invalid_at=invalid_at, expired_at=EARLY),))
        if entities:
            made = replace(made, entities=(replace(data.draw(st.sampled_from(entities)), aliases=(content,)),))
        self.both(lambda store: store.apply(made))

    @rule(group_id=groups, data=st.data())
    def remove(self, group_id: str, data: st.DataObject) -> None:
        items: list[str] = [item.uuid for item in self.known(self.reference.facts, group_id)]
        items += [item.uuid for item in self.known(self.reference.episodes, group_id)]
        chosen = data.draw(st.lists(st.sampled_from([*items, "nobody"]), max_size=3, unique=True))
        made = replace(self.change(group_id), removed=tuple(chosen))
        self.both(lambda store: store.apply(made))

    @precondition(lambda self: self.moments)
    @rule(group_id=groups, status=st.sampled_from(Status), data=st.data())
    def bring_back(self, group_id: str, status: Status, data: st.DataObject) -> None:
        then = Filter(group_ids=(group_id,), known_at=data.draw(st.sampled_from(self.moments)))
        if old := self.run(self.reference.episodes(then, limit=_MANY)):
            again = replace(data.draw(st.sampled_from(old)), status=status, source_key="")
            made = replace(self.change(group_id), episodes=(again,))
            self.both(lambda store: store.apply(made))

    @rule(group_id=groups, withdraw=st.booleans(), data=st.data())
    def withdraw_or_reinstate(self, group_id: str, withdraw: bool, data: st.DataObject) -> None:
        if said := self.known(self.reference.assertions, group_id):
            chosen = data.draw(st.lists(st.sampled_from([a.uuid for a in said]), max_size=2, unique=True))
            made = self.change(group_id)
            made = replace(made, withdrawn=tuple(chosen)) if withdraw else replace(made, reinstated=tuple(chosen))
            self.both(lambda store: store.apply(made))

    @rule(group_id=groups)
    def apply_on_an_old_past(self, group_id: str) -> None:
        stale = replace(self.change(group_id), parent="long ago")
        self.both(lambda store: store.apply(stale))

    # Looking after

    @rule(count=st.integers(1, 5))
    def embed(self, count: int) -> None:
        lacking = self.run(self.reference.unembedded(_EMBEDDER.model, limit=_MANY))[:count]
        vectors = [Embedding(thing=i.thing, uuid=i.uuid, text=i.text, vector=_EMBEDDER.vector(i.text)) for i in lacking]
        self.both(lambda store: store.put_vectors(_EMBEDDER.model, vectors))

    @rule(group_id=groups, data=st.data())
    def purge(self, group_id: str, data: st.DataObject) -> None:
        uuids = [item.uuid for item in self.known(self.reference.episodes, group_id)]
        uuids += [item.uuid for item in self.known(self.reference.facts, group_id)]
        uuids += [item.uuid for item in self.known(self.reference.assertions, group_id)]
        chosen = data.draw(st.lists(st.sampled_from([*uuids, "nobody"]), max_size=3, unique=True))
        self.both(lambda store: store.purge(group_id, chosen))

    @rule(chosen=st.lists(groups, max_size=1))
    def clear(self, chosen: Sequence[str]) -> None:
        self.both(lambda store: store.clear(chosen))

    @rule(size=st.integers(1, 5))
    def move(self, size: int) -> None:
        """Begin anew with nothing but the journal."""
        entries = self.run(self.reference.journal(limit=_MANY))
        self.both(lambda store: store.clear(GROUPS))
        for group in GROUPS:
            mine = [entry for entry in entries if entry.group_id == group]
            history = sum(not isinstance(entry, Undigested) for entry in mine)
            starts = range(1, history, size)
            stretches = [mine[start - 1 : start + size] for start in starts]
            for stretch in [mine[:1], *stretches, mine[max(0, history - 1) :]]:
                self.both(lambda store, s=stretch: store.replay(s))  # type: ignore[misc]
        assert self.run(self.reference.journal(limit=_MANY)) == entries

    @rule(seconds=st.sampled_from([1, 30, 61, 3600, -1, -3600]))
    def time_passes(self, seconds: int) -> None:
        self.moments.append(self.clock.time)
        self.clock.advance(timedelta(seconds=seconds))

    @rule()
    def reopen(self) -> None:
        self.run(self.store.close())
        self.store = self.run(self.open_store(self.clock))

    # Comparing

    @invariant()
    def lists_are_the_same(self) -> None:
        moments = [None, *self.moments[-2:]]
        for where in [Filter(group_ids=g, known_at=at) for at in moments for g in (None, ("home",))]:
            self.both(lambda s, w=where: s.episodes(w, limit=_MANY))  # type: ignore[misc]
            self.both(lambda s, w=where: s.entities(w, limit=_MANY))  # type: ignore[misc]
            self.both(lambda s, w=where: s.facts(w, limit=_MANY))  # type: ignore[misc]
            self.both(lambda s, w=where: s.changes(w, limit=_MANY))  # type: ignore[misc]
            self.both(lambda s, w=where: s.assertions(replace(w, withdrawn=None), limit=_MANY))  # type: ignore[misc]
        self.both(lambda store: store.journal(limit=_MANY))
        self.both(lambda store: store.stats())
        self.both(lambda store: store.stats(["home"]))

    @invariant()
    def searches_are_the_same(self) -> None:
        word, true_at = WORDS[self.count % len(WORDS)], EARLY + timedelta(days=self.count % 9)
        at = self.moments[-1] if self.moments and self.count % 2 else None
        where = Filter(group_ids=(GROUPS[self.count % 2],), known_at=at, valid_at=true_at)

        async def by_words(store: Store, thing: Thing) -> set[str]:
            return {hit.uuid for hit in await store.match_text(thing, word, where, limit=_MANY)}

        async def by_meaning(store: Store, thing: Thing) -> dict[str, float]:
            hits = await store.match_vector(thing, _EMBEDDER.model, _EMBEDDER.vector(word), where, limit=_MANY)
            return {hit.uuid: round(hit.score, 1) + 0.0 for hit in hits if abs(hit.score * 10 % 1 - 0.5) > 0.1}

        for thing in Thing:
            self.both(lambda s, t=thing: by_words(s, t))  # type: ignore[misc]
            self.both(lambda s, t=thing: by_meaning(s, t))  # type: ignore[misc]
        centre = [entity.uuid for entity in self.known(self.reference.entities, "home")[:1]]
        self.both(lambda store: store.neighbours(centre, replace(where, group_ids=None), hops=2, limit=_MANY))

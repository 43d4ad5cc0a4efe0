"""The memory as callers use it, on the reference store with fixed extractions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from everfact import revise
from everfact.digest import Patience, Run
from everfact.errors import ClaimLost, Conflict, NotFound, StoreError, StoreUnavailable, UsageError
from everfact.memory import Memory
from everfact.models import (
    ChangeKind,
    Claim,
    Command,
    CommandKind,
    Draft,
    Entity,
    Episode,
    Extraction,
    Fact,
    Filter,
    Mention,
    Original,
    Phase,
    Query,
    Source,
    Statement,
    Status,
    Thing,
    Trust,
    Value,
    ValueType,
)
from everfact.testing.builders import HOME, change, entity
from everfact.testing.fakes import FakeClock, FixedExtractor, HashingEmbedder
from everfact.testing.reference import Disk, ReferenceStore
from everfact.worker import Worker


def day(number: int) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=number)


def says(subject: str, relation: str, thing: str, **given: object) -> Statement:
    plain = Statement(
        subject=Mention(name=subject),
        relation=relation,
        object=Mention(name=thing),
        sentence=f"{subject} {relation} {thing}",
    )
    return replace(plain, **given)  # type: ignore[arg-type]


class Scripted(FixedExtractor):
    """Reads `Ana lives in Rome; Bob owns Acme`: subject, relation words, object."""

    heard: Sequence[str] = ()

    async def extract(self, episode: Episode, known: Sequence[Entity], listeners: Sequence[str] = ()) -> Extraction:
        self.heard = listeners
        if "boom" in episode.content:
            raise ValueError("cannot read this")
        if "slow" in episode.content:
            await asyncio.sleep(60)
        statements = []
        place = 0
        for clause in episode.content.split("; "):
            subject, *relation, thing = clause.split()
            phase = Phase.ENDS if "left" in relation else Phase.HOLDS
            name = " ".join(relation).replace("left", "works at")
            statements.append(
                says(subject, name, thing, phase=phase, sentence=clause, span=(place, place + len(clause)))
            )
            place += len(clause) + 2
        return Extraction(extractor="scripted", statements=tuple(statements))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(clock: FakeClock) -> Memory:
    extractor = Scripted()
    return Memory(
        ReferenceStore(Disk(), now=clock),
        dict.fromkeys(Source, extractor),
        embedder=HashingEmbedder(),
        patience=Patience(episode_timeout=timedelta(seconds=1), max_attempts=2),
        now=clock,
    )


async def tell(memory: Memory, content: str, at: int = 0) -> Episode:
    draft = Draft(content=content, group_id="home", reference_time=day(at))
    return (await memory.add(draft, wait=True)).episode


async def facts(memory: Memory, where: Filter = HOME) -> list[str]:
    """Each fact as `sentence [from, until)`, in the order they were true."""
    names = []
    for fact in sorted(await memory._store.facts(where), key=lambda f: (f.valid_at or day(-1), f.sentence)):
        end = f"-{(fact.invalid_at - day(0)).days}" if fact.invalid_at else "-"
        begin = (fact.valid_at - day(0)).days if fact.valid_at else ""
        names.append(f"{fact.sentence} {begin}{end}{'?' if fact.disputed else ''}")
    return names


async def fact_saying(memory: Memory, sentence: str, where: Filter = HOME) -> Fact:
    (found,) = [f for f in await memory._store.facts(where) if f.sentence == sentence]
    return found


async def test_told_waited_for_and_known(memory: Memory) -> None:
    episode = await tell(memory, "Ana lives in Rome; Ana works at Acme")
    assert episode.status is Status.DONE
    assert await facts(memory) == ["Ana lives in Rome 0-", "Ana works at Acme 0-"]
    assert {e.name for e in await memory._store.entities(HOME)} == {"Ana", "Rome", "Acme"}


async def test_later_state_ends_the_earlier_one_and_says_why(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    await tell(memory, "Ana lives in Oslo", 5)
    assert await facts(memory) == ["Ana lives in Rome 1-5", "Ana lives in Oslo 5-"]
    rome, oslo = [await fact_saying(memory, f"Ana lives in {city}") for city in ("Rome", "Oslo")]
    receipt = await memory.explain(rome.uuid)
    assert [(e.words, e.episode.content if e.episode else "") for e in receipt.ended_by] == [("Ana lives in Oslo",) * 2]
    assert [e.words for e in receipt.support] == ["Ana lives in Rome"]
    assert len(receipt.changes) == 2
    assert [f.uuid for f in (await memory.explain(oslo.uuid)).replaced] == [rome.uuid]


async def test_order_of_arrival_does_not_matter(memory: Memory) -> None:
    await tell(memory, "Ana lives in Oslo", 5)
    await tell(memory, "Ana lives in Rome", 1)
    assert await facts(memory) == ["Ana lives in Rome 1-5", "Ana lives in Oslo 5-"]


async def test_digesting_twice_changes_nothing(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    before = await memory._store.facts(HOME)
    await memory._store.requeue(HOME)
    assert await memory.digest() == 1
    assert await memory._store.facts(HOME) == before
    assert len(await memory._store.assertions(HOME)) == 1


async def test_same_telling_is_kept_once_and_a_second_yes_is_another(memory: Memory) -> None:
    first, again = await tell(memory, "Ana likes Tea", 1), await tell(memory, "Ana likes Tea", 1)
    assert first.uuid == again.uuid
    yes = [(await memory.add(Draft(content="Ana likes Tea", group_id="home"))).episode.uuid for _ in range(2)]
    assert len({first.uuid, *yes}) == 3


async def test_replaced_episode_says_what_it_says_now(memory: Memory) -> None:
    episode = await tell(memory, "Ana lives in Rome; Ana likes Tea", 1)
    draft = Draft(content="Ana lives in Oslo; Ana likes Tea", group_id="home", uuid=episode.uuid, reference_time=day(1))
    await memory.add(draft, wait=True)
    assert await facts(memory) == ["Ana likes Tea 1-", "Ana lives in Oslo 1-"]
    assert [e.name for e in await memory._store.entities(replace(HOME, names=("Rome",)))] == []


async def test_forgetting_an_episode_revives_what_it_had_ended_and_keeps_what_others_support(
    memory: Memory, clock: FakeClock
) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    second = await tell(memory, "Ana lives in Oslo; Ana likes Tea", 5)
    await tell(memory, "Ana likes Tea", 6)
    between = clock.advance(timedelta(seconds=1))
    clock.advance(timedelta(seconds=1))
    change = await memory.forget(second.uuid)
    assert await facts(memory) == ["Ana lives in Rome 1-", "Ana likes Tea 6-"]
    assert await memory.episodes(replace(HOME, uuids=(second.uuid,))) == []
    then = replace(HOME, known_at=between)
    assert await facts(memory, then) == ["Ana lives in Rome 1-5", "Ana likes Tea 5-", "Ana lives in Oslo 5-"]
    await memory.undo(change.uuid)
    assert await facts(memory) == ["Ana lives in Rome 1-5", "Ana likes Tea 5-", "Ana lives in Oslo 5-"]
    assert len(await memory.episodes(replace(HOME, uuids=(second.uuid,)))) == 1


async def test_undoing_the_middle_one_of_three_leaves_the_others_in_order(memory: Memory) -> None:
    cities = ((1, "Rome"), (3, "Oslo"), (5, "Lima"))
    _, middle, _ = [await tell(memory, f"Ana lives in {city}", at) for at, city in cities]
    undone = await memory.undo(middle.uuid)
    assert await facts(memory) == ["Ana lives in Rome 1-5", "Ana lives in Lima 5-"]
    await memory.undo(undone.uuid)
    assert await facts(memory) == ["Ana lives in Rome 1-3", "Ana lives in Oslo 3-5", "Ana lives in Lima 5-"]


async def test_contradiction_is_disputed_until_somebody_settles_it(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    await tell(memory, "Ana lives in Oslo", 1)
    assert await facts(memory) == ["Ana lives in Oslo 1-?", "Ana lives in Rome 1-?"]
    assert len(await memory.disputes(group_ids=("home",))) == 2
    oslo = await fact_saying(memory, "Ana lives in Oslo")
    change = await memory.resolve(oslo.uuid)
    assert await facts(memory) == ["Ana lives in Oslo 1-"]
    with pytest.raises(UsageError, match="not disputed"):
        await memory.resolve(oslo.uuid)
    await memory.undo(change.uuid)
    assert len(await memory.disputes()) == 2


async def test_correction_replaces_what_was_wrong(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    rome = await fact_saying(memory, "Ana lives in Rome")
    change = await memory.correct(
        rome.uuid,
        lambda said: replace(said, object=Mention(name="Romeo Town"), sentence="Ana lives in Romeo Town"),
        why="misheard",
    )
    assert await facts(memory) == ["Ana lives in Romeo Town 1-"]
    assert change.note == "misheard"
    await memory.undo(change.uuid)
    assert await facts(memory) == ["Ana lives in Rome 1-"]


async def test_merged_entities_are_one_with_both_names_and_can_be_taken_apart(memory: Memory) -> None:
    await tell(memory, "Bob lives in Rome", 1)
    await tell(memory, "Robert lives in Oslo", 5)
    change = await memory.merge("Robert", "Bob", group_ids=("home",))
    assert await facts(memory) == ["Bob lives in Rome 1-5", "Robert lives in Oslo 5-"]
    (robert,) = await memory._store.entities(replace(HOME, names=("bob",)))
    assert {robert.name, *robert.aliases} == {"Robert", "Bob"}
    await tell(memory, "Bob lives in Lima", 9)
    assert (await facts(memory))[-2:] == ["Robert lives in Oslo 5-9", "Bob lives in Lima 9-"]
    await memory.split("Robert", ["Bob"], group_ids=("home",))
    assert await facts(memory) == ["Bob lives in Rome 1-9", "Robert lives in Oslo 5-", "Bob lives in Lima 9-"]
    with pytest.raises(NotFound):
        await memory.split("Robert", ["Bobby"], group_ids=("home",))
    assert change.kind == "merge"


async def test_undone_merge_is_as_before(memory: Memory) -> None:
    await tell(memory, "Bob lives in Rome", 1)
    await tell(memory, "Robert lives in Oslo", 5)
    before = await facts(memory), {(e.name, e.aliases) for e in await memory._store.entities(HOME)}
    change = await memory.merge("Robert", "Bob")
    await memory.undo(change.uuid)
    assert (await facts(memory), {(e.name, e.aliases) for e in await memory._store.entities(HOME)}) == before


async def test_history_tells_what_began_and_ended(memory: Memory) -> None:
    await tell(memory, "Ana works at Acme", 1)
    await tell(memory, "Ana left Acme", 4)
    history = await memory.history("ana", group_ids=("home",))
    assert [(f.sentence, f.invalid_at) for f in history.facts] == [("Ana works at Acme", day(4))]
    assert len(history.changes) == 2
    with pytest.raises(NotFound, match="no entity is called Anna"):
        await memory.history("Anna")


async def test_handed_over_facts_are_reconciled(memory: Memory) -> None:
    await memory.add_facts([says("Ana", "works at", "Acme", valid_at=day(1))], group_id="home")
    change = await memory.add_facts(
        [says("Ana", "worksAt", "Globex", valid_at=day(5)), says("Ana", "likes", "Tea", replaces="")], group_id="home"
    )
    assert {f.sentence for f in change.facts} == {"Ana works at Acme", "Ana worksAt Globex", "Ana likes Tea"}
    assert (await fact_saying(memory, "Ana works at Acme")).invalid_at == day(5)
    with pytest.raises(UsageError, match="no facts"):
        await memory.add_facts([], group_id="home")


async def test_each_subject_and_attribute_is_folded_by_itself(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome; Bob likes Tea", 1)
    await tell(memory, "Bob lives in Oslo; Ana likes Mate", 2)
    await tell(memory, "Ana lives in Lima; Bob likes Gin", 3)
    assert await facts(memory) == [
        "Ana lives in Rome 1-3",
        "Bob likes Tea 1-",
        "Ana likes Mate 2-",
        "Bob lives in Oslo 2-",
        "Ana lives in Lima 3-",
        "Bob likes Gin 3-",
    ]


async def test_values_are_one_at_a_time(memory: Memory) -> None:
    for at, amount in ((1, 600), (4, 650)):
        value = Value(type=ValueType.MONEY, text=f"${amount}", number=float(amount), unit="USD")
        said = says("Trip", "budget", "", object=value, sentence=f"the budget is ${amount}", valid_at=day(at))
        await memory.add_facts([said], group_id="home")
    assert await facts(memory) == ["the budget is $600 1-4", "the budget is $650 4-"]


async def test_caller_can_say_what_a_fact_replaces(memory: Memory) -> None:
    await memory.add_facts([says("Ana", "likes", "Tea", valid_at=day(1))], group_id="home")
    tea = await fact_saying(memory, "Ana likes Tea")
    await memory.add_facts([says("Ana", "likes", "Mate", valid_at=day(5), replaces="Tea")], group_id="home")
    assert await facts(memory) == ["Ana likes Tea 1-5", "Ana likes Mate 5-"]
    await memory.add_facts([says("Ana", "uses", "Vim", valid_at=day(6))], group_id="home")
    vim = await fact_saying(memory, "Ana uses Vim")
    await memory.add_facts([says("Ana", "edits with", "Emacs", valid_at=day(8), replaces=vim.uuid)], group_id="home")
    assert (await fact_saying(memory, "Ana uses Vim")).invalid_at == day(8)
    assert tea.invalid_at is None


async def test_failing_episode_is_tried_again_then_parked_and_others_go_on(memory: Memory, clock: FakeClock) -> None:
    episode = await tell(memory, "boom", 1)
    assert (episode.status, episode.error) == (Status.PENDING, "ValueError: cannot read this")
    clock.advance(timedelta(hours=1))
    assert await memory.digest() == 1
    (parked,) = await memory.episodes(replace(HOME, statuses=(Status.PARKED,)))
    assert parked.uuid == episode.uuid
    assert (await tell(memory, "Ana likes Tea", 2)).status is Status.DONE
    assert (await memory.status()).parked == 1


async def test_episode_that_takes_too_long_is_given_up(memory: Memory) -> None:
    memory._digester.patience = replace(memory._digester.patience, episode_timeout=timedelta(milliseconds=20))
    episode = await tell(memory, "slow", 1)
    assert "longer than 0.02 s" in episode.error


async def test_worker_digests_and_embeds_in_the_background(memory: Memory) -> None:
    async with Worker(memory):
        await memory.add(Draft(content="Ana lives in Rome", group_id="home"))
        async with asyncio.timeout(5):
            while (await memory.status()).pending or await memory._store.unembedded("hashing-64", limit=1):
                await asyncio.sleep(0.01)
    hits = await memory._store.match_vector(Thing.FACT, "hashing-64", HashingEmbedder().vector("Rome"), HOME, limit=1)
    assert len(hits) == 1


async def test_purged_episode_and_what_only_it_said_are_gone(memory: Memory) -> None:
    episode = await tell(memory, "Ana knows Swordfish", 1)
    await tell(memory, "Ana likes Tea", 2)
    assert await memory.purge(episode.uuid) >= 3
    assert "Swordfish" not in repr(memory._store._disk)  # type: ignore[attr-defined]
    assert await facts(memory) == ["Ana likes Tea 2-"]


async def test_facts_and_entities_can_be_forgotten_and_brought_back(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome; Ana likes Tea; Bob likes Tea", 1)
    before = await facts(memory)
    tea = await fact_saying(memory, "Ana likes Tea")
    change = await memory.forget(tea.uuid)
    assert await facts(memory) == ["Ana lives in Rome 1-", "Bob likes Tea 1-"]
    await memory.undo(change.uuid)
    (ana,) = await memory._store.entities(replace(HOME, names=("Ana",)))
    change = await memory.forget(ana.uuid)
    assert await facts(memory) == ["Bob likes Tea 1-"]
    await memory.undo(change.uuid)
    assert await facts(memory) == before
    with pytest.raises(NotFound, match="nothing has the id"):
        await memory.forget("nobody")
    with pytest.raises(NotFound, match="no change"):
        await memory.undo("nobody")
    with pytest.raises(NotFound, match="there is no fact"):
        await memory.explain("nobody")


async def test_undone_forgetting_leaves_what_another_act_has_forgotten(memory: Memory) -> None:
    episode = await tell(memory, "Ana lives in Rome; Ana likes Tea", 1)
    tea = await fact_saying(memory, "Ana likes Tea")
    first = await memory.forget(tea.uuid)
    await memory.forget(episode.uuid)
    await memory.undo(first.uuid)
    assert await facts(memory) == []


async def test_correction_of_a_value_keeps_the_object_or_finds_it_by_name(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome; Bob lives in Oslo", 1)
    rome = await fact_saying(memory, "Ana lives in Rome")
    await memory.correct(rome.uuid, lambda said: replace(said, valid_at=day(3)))
    assert await facts(memory) == ["Bob lives in Oslo 1-", "Ana lives in Rome 3-"]
    again = await fact_saying(memory, "Ana lives in Rome")
    await memory.correct(again.uuid, lambda said: replace(said, object=Mention(name="Oslo"), sentence="Ana too"))
    assert len(await memory._store.entities(replace(HOME, names=("Oslo",)))) == 1
    third = await fact_saying(memory, "Ana too")
    await memory.correct(
        third.uuid, lambda said: replace(said, relation="works at", sentence="Ana works in Oslo"), why="misread"
    )
    moved = await fact_saying(memory, "Ana works in Oslo")
    assert (moved.relation, moved.attribute) == ("WORKS_AT", "employer")
    third = moved
    await memory.correct(third.uuid, lambda said: replace(said, object=None, sentence="Ana somewhere"))
    assert (await fact_saying(memory, "Ana somewhere")).object_uuid is None
    with pytest.raises(NotFound, match="nothing supports"):
        await revise.correct(memory._store, third, lambda said: said, note="", now=day(9))


async def test_entity_cannot_be_merged_with_itself_or_split_whole(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    with pytest.raises(UsageError, match="one entity already"):
        await memory.merge("Ana", "ana")
    with pytest.raises(UsageError, match="all that is known"):
        await memory.split("Ana", ["Ana"])


async def test_acts_are_repeated_when_somebody_else_was_quicker(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    refusals = [Conflict("busy")] * 2

    def contended(act: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
        async def tried(*args: object, **kwargs: object) -> object:
            if refusals:
                raise refusals.pop()
            return await act(*args, **kwargs)

        return tried

    monkeypatch.setattr(memory._store, "apply", contended(memory._store.apply))
    monkeypatch.setattr(memory._store, "finish", contended(memory._store.finish))
    await memory.forget((await fact_saying(memory, "Ana lives in Rome")).uuid)
    refusals += [Conflict("busy")] * 2
    assert (await tell(memory, "Ana likes Tea", 2)).status is Status.DONE
    refusals += [Conflict("busy")] * 99
    with pytest.raises(Conflict):
        await memory.undo((await memory._store.changes(HOME))[0].uuid)
    assert "changes all the time" in (await tell(memory, "Ana likes Mate", 3)).error


async def test_claim_taken_over_is_dropped(memory: Memory, clock: FakeClock) -> None:
    await memory.add(Draft(content="Ana likes Tea", group_id="home"))
    (claim,) = await memory._store.claim("slow", lease=timedelta(seconds=1))
    clock.advance(timedelta(seconds=2))
    (other,) = await memory._store.claim("quick", lease=timedelta(seconds=60))
    patience, hurry = Patience(), Patience(episode_timeout=timedelta(milliseconds=20))

    async def never(claim: Claim, lease: timedelta | None) -> Claim | None:
        await asyncio.sleep(60)
        raise AssertionError

    for work, limit in ((memory._digester._digest, patience), (never, hurry)):
        assert await Run(memory._store, claim, limit, clock).digest(work, most=2) == 1
        assert await memory._store.changes(HOME) == []
    assert await Run(memory._store, other, patience, clock).digest(memory._digester._digest, most=1) == 1
    assert len(await memory._store.changes(HOME)) == 1


async def test_cancelled_attempt_gives_the_episode_back_uncounted(memory: Memory, clock: FakeClock) -> None:
    await memory.add(Draft(content="slow", group_id="home"))
    task = asyncio.create_task(memory.digest())
    while not (await memory.episodes(HOME))[0].attempts:
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await memory.episodes(HOME))[0].attempts == 0


async def test_store_that_fails_while_an_attempt_is_cancelled_does_not_keep_the_worker(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def release(claim: Claim) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(memory._store, "release", release)
    await memory.add(Draft(content="slow", group_id="home"))
    async with asyncio.timeout(5):
        async with Worker(memory):
            while not (await memory.episodes(HOME))[0].attempts:
                await asyncio.sleep(0)
            await asyncio.sleep(0.01)


async def test_backlog_of_a_group_is_digested_in_a_row_up_to_a_failure(memory: Memory) -> None:
    for text in ("Ana likes Tea", "Ana likes Mate", "boom", "Ana likes Cider"):
        await memory.add(Draft(content=text, group_id="home"))
    assert await memory.digest(each=9) == 3
    assert {f.sentence for f in await memory._store.facts(HOME)} == {"Ana likes Tea", "Ana likes Mate"}
    assert await memory.digest(each=9) == 0


async def test_extractor_hears_who_else_is_there(memory: Memory) -> None:
    for speaker in ("Ana", "Bob"):
        await memory.add(Draft(content="Ana likes Tea", group_id="home", thread="talk", speaker=speaker), wait=True)
    extractor = memory._digester.extractors[Source.TEXT]
    assert isinstance(extractor, Scripted)
    assert extractor.heard == ("Ana",)


async def test_cancelled_while_finishing_gives_the_next_episode_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("Ana likes Tea", "Ana likes Mate"):
        await memory.add(Draft(content=text, group_id="home"))
    finish, is_finishing = memory._store.finish, asyncio.Event()

    async def slowly(*args: object, **kwargs: object) -> object:
        is_finishing.set()
        await asyncio.sleep(0.01)
        return await finish(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(memory._store, "finish", slowly)
    for is_last in (False, True):
        is_finishing.clear()
        task = asyncio.create_task(memory.digest(each=2))
        await is_finishing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        waiting = await memory.episodes(replace(HOME, statuses=(Status.PENDING,)))
        assert [(e.content, e.attempts) for e in waiting] == ([] if is_last else [("Ana likes Mate", 0)])


async def test_long_digestion_holds_on_to_its_group(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("everfact.digest.LEASE", timedelta(milliseconds=30))
    renewed = []

    async def renew(claim: Claim, *, lease: timedelta) -> Claim:
        renewed.append(claim)
        if len(renewed) == 2:
            raise StoreUnavailable("away")
        return claim

    monkeypatch.setattr(memory._store, "renew", renew)
    memory._digester.patience = replace(memory._digester.patience, episode_timeout=timedelta(milliseconds=60))
    await tell(memory, "slow", 1)
    assert len(renewed) >= 2
    assert "could not hold on" in caplog.text


async def test_renewal_that_comes_after_the_next_claim_is_no_trouble(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("everfact.digest.LEASE", timedelta(milliseconds=30))
    for text in ("Ana likes Tea", "Ana likes Mate"):
        await memory.add(Draft(content=text, group_id="home"))
    (claim,) = await memory._store.claim("w", lease=timedelta(minutes=1))
    run = Run(memory._store, claim, Patience(), memory._now)
    is_renewing, is_over = asyncio.Event(), asyncio.Event()

    async def renew(claim: Claim, *, lease: timedelta) -> Claim:
        if is_renewing.is_set():
            return claim
        is_renewing.set()
        await is_over.wait()
        raise ClaimLost("finished just then")

    async def slowly(claim: Claim, lease: timedelta | None) -> Claim | None:
        if lease is None:
            is_over.set()
            await asyncio.sleep(0.005)
        await is_renewing.wait()
        return await memory._digester._digest(claim, lease)

    monkeypatch.setattr(memory._store, "renew", renew)
    assert await run.digest(slowly, most=2) == 2
    assert "could not hold on" not in caplog.text


async def test_worker_rests_through_trouble_and_goes_on(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everfact.worker._TROUBLE_SECONDS", 0.01)
    monkeypatch.setattr("everfact.worker._LOOK_SECONDS", 0.01)
    claim, troubles = memory._store.claim, [StoreUnavailable("away"), ZeroDivisionError("a mistake")]

    async def troubled(*args: object, **kwargs: object) -> object:
        if troubles:
            raise troubles.pop()
        return await claim(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(memory._store, "claim", troubled)
    async with Worker(memory):
        await memory.add(Draft(content="Ana likes Tea", group_id="home"))
        async with asyncio.timeout(5):
            while (await memory.status()).pending:
                await asyncio.sleep(0.01)


async def test_memory_without_an_embedder_embeds_nothing_and_closes(clock: FakeClock) -> None:
    store = ReferenceStore(Disk(), now=clock)
    async with Memory(store, {}, now=clock) as memory:
        assert await memory.embed() == 0
        assert isinstance(await memory.get(await _added(memory)), Episode)
        assert await memory.clear(["home"]) != await memory.status()
        with pytest.raises(UsageError, match="no name of a group"):
            await memory.clear(["a b"])
    with pytest.raises(StoreError, match="closed"):
        await store.stats()


async def _added(memory: Memory) -> str:
    return (await memory.add(Draft(content="x", group_id="home"))).episode.uuid


async def test_waiting_ends_with_the_patience_when_others_hold_the_group(memory: Memory) -> None:
    memory._digester.patience = replace(memory._digester.patience, episode_timeout=timedelta(milliseconds=80))
    await memory.add(Draft(content="Ana likes Tea", group_id="home"))
    await memory._store.claim("other", lease=timedelta(hours=1))
    assert (await tell(memory, "Ana likes Mate", 2)).status is Status.PENDING
    with pytest.raises(UsageError, match="not digested yet"):
        await memory.add_facts([says("Ana", "likes", "Tea")], group_id="home")


def ordering(kind: CommandKind, key: str, *statements: Statement) -> Extraction:
    command = Command(kind=kind, key=key, span=(0, 1))
    return Extraction(extractor="fixed", commands=(command,), statements=statements)


async def test_orders_about_memory_are_obeyed_and_can_be_undone(clock: FakeClock) -> None:
    long = "Ana has a car " + "and much else to tell " * 20
    extractor = FixedExtractor(
        {
            "pin": Extraction(extractor="f", statements=(says("Ana", "has", "Pin", sentence="the door pin is 4711"),)),
            "the door pin is 4711": Extraction(extractor="f"),
            long: Extraction(extractor="f", statements=(says("Ana", "has", "Car", sentence="Ana has a car"),)),
            "forget the door pin": ordering(CommandKind.FORGET, "door pin"),
            "forget the car": ordering(CommandKind.FORGET, "car"),
            "forget": ordering(CommandKind.FORGET, "the"),
            "off the record": ordering(CommandKind.DO_NOT_SAVE, "", says("Ana", "hates", "Tea")),
            "pass": Extraction(extractor="f", statements=(says("Ana", "has", "Pass", sentence="the bus pass of Ana"),)),
            "bus pass has expired": ordering(CommandKind.EXPIRED, "bus pass"),
            "update: port is 1": ordering(CommandKind.UPDATE, "port", says("Server", "port", "1")),
        }
    )
    memory = Memory(ReferenceStore(Disk(), now=clock), dict.fromkeys(Source, extractor), now=clock)
    for text in ("pin", "the door pin is 4711", long, "pass"):
        await tell(memory, text, 1)
    order = await tell(memory, "forget the door pin", 2)
    left = {e.content for e in await memory.episodes(HOME)}
    assert left == {"pin", long, "pass"}
    assert await facts(memory) == ["Ana has a car 1-", "the bus pass of Ana 1-"]
    assert order.status is Status.DONE
    (change,) = [c for c in await memory._store.changes(HOME) if c.cause == order.uuid]
    await memory.undo(change.uuid)
    assert "the door pin is 4711 1-" in await facts(memory)
    await tell(memory, "forget the car", 3)
    assert long in {e.content for e in await memory.episodes(HOME)}
    assert "Ana has a car 1-" not in await facts(memory)
    await tell(memory, "forget", 3)
    await tell(memory, "bus pass has expired", 4)
    assert "the bus pass of Ana 1-4" in await facts(memory)
    await tell(memory, "off the record", 5)
    assert "off the record" not in {e.content for e in await memory.episodes(HOME)}
    assert not any("hates" in fact for fact in await facts(memory))
    await tell(memory, "update: port is 1", 6)
    assert "Server port 1 6-" in await facts(memory)


def doubting(trust: Trust, *statements: Statement, commands: tuple[Command, ...] = ()) -> Extraction:
    return Extraction(extractor="fixed", statements=statements, commands=commands, trust=trust)


async def test_source_that_is_not_trusted_retires_nothing_and_is_marked(clock: FakeClock) -> None:
    rumour = says("Ana", "lives in", "Lima", replaces="Rome", sentence="Ana lives in Lima")
    forget = Command(kind=CommandKind.FORGET, key="Ana lives Rome", span=(0, 1))
    extractor = FixedExtractor(
        {
            "fact": Extraction(extractor="f", statements=(says("Ana", "lives in", "Rome"),)),
            "rumour": doubting(Trust.UNVERIFIED, rumour, commands=(forget,)),
            "foreign": Extraction(extractor="f", statements=(says("Ana", "lives in", "Oslo"),)),
            "hush": doubting(Trust.OUT_OF_SCOPE, commands=(replace(forget, kind=CommandKind.DO_NOT_SAVE),)),
        }
    )
    memory = Memory(ReferenceStore(Disk(), now=clock), dict.fromkeys(Source, extractor), now=clock)
    await tell(memory, "fact", 1)
    told = await tell(memory, "rumour", 5)
    assert (told.status, told.attributes) == (Status.DONE, {"trust": "unverified"})
    elsewhere = Draft(content="foreign", group_id="home", reference_time=day(6), attributes={"trust": "out_of_scope"})
    await memory.add(elsewhere, wait=True)
    await tell(memory, "hush", 7)
    assert len(await memory.episodes(HOME)) == 3
    rome = await fact_saying(memory, "Ana lives in Rome")
    assert (rome.invalid_at, rome.attributes) == (None, {})
    trust = {f.attributes.get("trust") for f in await memory._store.facts(HOME) if f.uuid != rome.uuid}
    assert trust == {"unverified", "out_of_scope"}
    (lima,) = [f for f in await memory._store.facts(HOME) if f.valid_at == day(5)]
    await memory.correct(lima.uuid, lambda said: replace(said, valid_at=day(8)))  # a person vouches for it
    assert (await fact_saying(memory, "Ana lives in Rome")).invalid_at == day(8)
    await memory._store.requeue(replace(HOME, uuids=(told.uuid,)))
    changes = len(await memory._store.changes(HOME))
    await memory.digest()
    (again, *_) = await memory._store.changes(HOME)
    assert (len(await memory._store.changes(HOME)), again.episodes) == (changes + 1, ())
    await memory.undo((await memory._store.changes(replace(HOME, uuids=(told.uuid,))))[-1].uuid)
    assert (await memory.episodes(replace(HOME, uuids=(told.uuid,))))[0].attributes == {}


async def test_update_puts_earlier_episodes_out_of_date_until_it_is_undone(clock: FakeClock) -> None:
    values = {number: Value(type=ValueType.TEXT, text=number) for number in "123"}
    port = {number: says("Server", "port", number, object=value) for number, value in values.items()}
    long = "Server port 1 " + "and much else to tell " * 20
    extractor = FixedExtractor(
        {
            "Server port 1": Extraction(extractor="f", statements=(port["1"],)),
            "Server port 1 again": Extraction(extractor="f", statements=(port["1"],)),
            long: Extraction(extractor="f", statements=(port["1"],)),
            "update: the port is 2": ordering(CommandKind.UPDATE, "port", replace(port["2"], span=(0, 1))),
            "update: the port is 3": ordering(CommandKind.UPDATE, "port", replace(port["3"], span=(0, 1))),
            "the pass has expired": ordering(CommandKind.EXPIRED, "pass"),
            "pass": Extraction(extractor="f", statements=(says("Ana", "has", "Pass", sentence="the pass of Ana"),)),
        }
    )
    memory = Memory(ReferenceStore(Disk(), now=clock), dict.fromkeys(Source, extractor), now=clock)

    async def marks() -> dict[str, object]:
        told = await memory.episodes(HOME, limit=99)
        return {e.content: e.attributes["superseded_by"] for e in told if "superseded_by" in e.attributes}

    stated = ("Server port 1", "Server port 1 again", "Remember that my port is: 1")
    for text in (*stated, long, "Ana's port is 7", "the port of call"):
        await tell(memory, text, 1)
    later = await memory.add(Draft(content="the port is 9", group_id="home", reference_time=day(9)), wait=True)
    update = await tell(memory, "update: the port is 2", 2)
    assert await marks() == dict.fromkeys(stated, update.uuid)
    assert later.episode.status is Status.DONE
    clock.advance(timedelta(seconds=1))
    second = await tell(memory, "update: the port is 3", 3)
    assert await marks() == {**dict.fromkeys(stated, update.uuid), "update: the port is 2": second.uuid}
    forgotten = await memory.forget(second.uuid)
    assert await marks() == dict.fromkeys(stated, update.uuid)
    clock.advance(timedelta(seconds=1))
    await memory.undo(forgotten.uuid)
    assert len(await marks()) == 4
    clock.advance(timedelta(seconds=1))
    await memory.undo(update.uuid)
    assert await marks() == {"update: the port is 2": second.uuid}
    await tell(memory, "pass", 4)
    expired = await tell(memory, "the pass has expired", 5)
    assert (await marks())["pass"] == expired.uuid
    for _ in range(2):
        await memory._store.requeue(replace(HOME, uuids=(expired.uuid,)))
        await memory.digest()
        assert (await fact_saying(memory, "the pass of Ana")).invalid_at == day(5)


async def test_purged_fact_or_entity_is_gone_with_all_that_was_said_of_it(memory: Memory) -> None:
    await tell(memory, "Ana knows Swordfish; Ana likes Tea", 1)
    await tell(memory, "Bob knows Marlin", 1)
    assert await memory.purge((await fact_saying(memory, "Ana knows Swordfish")).uuid) == 3
    (bob,) = await memory._store.entities(replace(HOME, names=("Bob",)))
    assert await memory.purge(bob.uuid) == 4
    assert await facts(memory) == ["Ana likes Tea 1-"]
    assert await memory._store.assertions(replace(HOME, withdrawn=True)) == []


async def test_forgotten_items_can_still_be_purged_and_former_names_go_too(memory: Memory) -> None:
    episode = await tell(memory, "Zeb lives in Rome", 1)
    (zeb,) = await memory._store.entities(replace(HOME, names=("Zeb",)))
    quux = replace(says("Zeb", "likes", "Tea"), subject=Mention(name="Zeb Quux", uuid=zeb.uuid))
    await memory.add_facts([quux], group_id="home")
    (named,) = [e for e in await memory.episodes(HOME) if e.uuid != episode.uuid]
    await memory.forget(named.uuid)
    await memory.purge(named.uuid)
    assert "Quux" not in repr(memory._store._disk)  # type: ignore[attr-defined]
    assert await facts(memory) == ["Zeb lives in Rome 1-"]
    with pytest.raises(NotFound):
        await memory.purge(named.uuid)


async def test_what_is_undone_cannot_be_undone_again(memory: Memory) -> None:
    episode = await tell(memory, "Ana lives in Rome", 1)
    first = await memory.forget(episode.uuid)
    undone = await memory.undo(first.uuid)
    with pytest.raises(UsageError, match="undone already"):
        await memory.undo(first.uuid)
    await memory.forget(episode.uuid)
    with pytest.raises(UsageError, match="undone already"):
        await memory.undo(first.uuid)
    assert await facts(memory) == []
    await memory.undo(undone.uuid)


async def test_taking_over_what_stands_elsewhere_is_not_undone(memory: Memory) -> None:
    taken = replace(change(entity("Ana")), kind=ChangeKind.ADOPT)
    await memory._store.apply(taken)
    with pytest.raises(UsageError, match="stands in the database already"):
        await memory.undo(taken.uuid)


async def test_entities_of_two_groups_are_never_merged(memory: Memory) -> None:
    await tell(memory, "Ana lives in Rome", 1)
    await memory.add_facts([says("Bob", "likes", "Tea")], group_id="work")
    with pytest.raises(UsageError, match="two groups"):
        await memory.merge("Ana", "Bob")


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        (says("", "likes", "Tea"), "lacks"),
        (says("Ana", " ", "Tea"), "lacks"),
        (says("Ana", "likes", ""), "lacks"),
        (says("Ana", "likes", "Tea", sentence=""), "lacks"),
        (says("Ana", "likes", "Tea", valid_at=datetime(2024, 1, 1)), "no time zone"),  # noqa: DTZ001
        (says("Ana", "likes", "Tea", original=Original(uuid="o", learned_at=day(1))), "has an original"),
        (says("Ana", "likes", "Tea", replaces="01a1e4cb-49b8-70cd-9e95-5c0b0ff289b8"), "to replace"),
    ],
)
async def test_bad_facts_are_refused_and_nothing_is_stored(memory: Memory, fact: Statement, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        await memory.add_facts([fact], group_id="home")
    assert (await memory.status()).episodes == 0


async def test_a_subject_alone_makes_a_name_known_and_claims_nothing(memory: Memory) -> None:
    alone = Statement(subject=Mention(name="Ana", type="Person"), relation="", object=None, sentence="")
    told = Draft(content="Ana", group_id="home", statements=(alone, says("Bob", "likes", "Tea")))
    await memory.add(told, wait=True)

    entities = {entity.name: entity.types for entity in await memory.entities(HOME)}
    assert entities == {"Ana": ("Person",), "Bob": (), "Tea": ()}
    assert len(await memory.facts(HOME)) == 1
    with pytest.raises(UsageError, match="lacks"):
        await memory.add(replace(told, statements=(replace(alone, subject=Mention(name=" ")),)))


async def test_long_text_is_not_hidden_by_a_rule_it_states(clock: FakeClock) -> None:
    long = "Never store passwords in git. " + "There is much more to say about it. " * 20
    orders = {long: ordering(CommandKind.DO_NOT_SAVE, ""), long + "!": ordering(CommandKind.FORGET, "nothing known")}
    memory = Memory(ReferenceStore(Disk(), now=clock), dict.fromkeys(Source, FixedExtractor(orders)), now=clock)
    for text in orders:
        await tell(memory, text, 1)
    assert {e.content for e in await memory.episodes(HOME)} == set(orders)


async def circles(memory: Memory) -> list[Entity]:
    return await memory._store.entities(replace(HOME, entity_types=("Community",)))


async def test_communities_are_built_undone_and_never_quote_what_was_taken_back(memory: Memory) -> None:
    episode = await tell(memory, "Ana knows Swordfish; Ana knows Bob; Bob knows Swordfish", 1)
    built = await memory.build_communities(group_id="home")
    (circle,) = await circles(memory)
    assert "Swordfish" in circle.summary
    undone = await memory.undo(built.uuid)
    assert await circles(memory) == []
    await memory.undo(undone.uuid)
    assert await circles(memory) == [circle]
    await tell(memory, "Ana likes Tea", 2)
    assert circle.uuid not in {f.subject_uuid for f in await memory._store.facts(HOME)}
    forgotten = await memory.forget(circle.uuid)
    assert await circles(memory) == []
    await memory.undo(forgotten.uuid)
    assert await circles(memory) == [circle]
    await memory.forget((await fact_saying(memory, "Ana knows Swordfish")).uuid)
    assert await circles(memory) == []
    await memory.build_communities(group_id="home")
    await memory.purge(episode.uuid)
    assert "Swordfish" not in repr(memory._store._disk)  # type: ignore[attr-defined]


async def test_saga_is_summed_up_in_its_own_words(memory: Memory) -> None:
    for number in range(3):
        draft = Draft(content=f"Ana saw Film{number}", group_id="home", thread="films")
        await memory.add(draft)
    summary = await memory.summarize_saga("films", group_id="home")
    assert (summary.episodes, summary.is_extractive) == (3, True)
    assert "Film0" in summary.text


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        (Draft(content="  "), "nothing to remember"),
        (Draft(content="x" * 1_000_001), "1,000,001 characters"),
        (Draft(content="{", source=Source.JSON), "no JSON"),
        (Draft(content="[" * 100_000, source=Source.JSON), "no JSON"),
        (Draft(content="x", group_id="a b"), "no name of a group"),
        (Draft(content="x", reference_time=datetime(2024, 1, 1)), "no time zone"),  # noqa: DTZ001
    ],
)
async def test_bad_drafts_are_refused_and_nothing_is_stored(memory: Memory, draft: Draft, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        await memory.add(draft)
    assert (await memory.status()).episodes == 0


async def test_text_is_exported_before_it_is_stored_or_nothing_is(memory: Memory, tmp_path: Path) -> None:
    draft = Draft(content="Ana likes Tea", group_id="home")
    await memory.add(draft, export_to=tmp_path / "notes" / "tea.md")
    assert (tmp_path / "notes" / "tea.md").read_text(encoding="utf-8") == "Ana likes Tea"
    with pytest.raises(UsageError):
        await memory.add(draft, export_to=tmp_path / "notes" / "tea.md" / "under-a-file.md")
    assert (await memory.status()).episodes == 1


async def test_captured_text_loses_its_secrets_and_direct_text_gets_a_warning(memory: Memory) -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    captured = await memory.add(
        Draft(
            content=f"Ana has {key}",
            name=key,
            group_id="home",
            is_captured=True,
            attributes={"deep": [{"key": key}, 1, None]},
            statements=(
                says("Ana", "has", key, sentence=f"Ana has {key}"),
                says("Ana", "key", "", object=Value(type=ValueType.TEXT, text=key)),
                says("Ana", "rests", "", object=None),
            ),
        )
    )
    assert key not in repr(captured.episode)
    assert captured.warnings
    direct = await memory.add(Draft(content=f"Ana has {key}", group_id="home"))
    assert key in direct.episode.content
    assert key not in repr(direct.warnings)
    assert direct.warnings


async def test_two_moments_are_compared_without_words_too(memory: Memory) -> None:
    for at, city in ((1, "Rome"), (3, "Oslo"), (5, "Lima")):
        await tell(memory, f"Ana lives in {city}", at)
    both = await memory.compare(Query(text=" ", group_ids=("home",)), day(2), day(6))

    def said(facts: tuple[Fact, ...]) -> list[str]:
        return sorted(fact.sentence.split()[-1] for fact in facts)

    assert (said(both.at_start), said(both.at_end)) == (["Rome"], ["Lima"])
    assert (said(both.ended), said(both.began)) == (["Oslo", "Rome"], ["Lima", "Oslo"])


async def test_changes_are_listed_and_say_what_they_did(memory: Memory) -> None:
    for at, city in ((1, "Rome"), (3, "Oslo")):
        await tell(memory, f"Ana lives in {city}", at)
    await tell(memory, "Ana lives in Oslo", 4)
    again, second, first = await memory.changes(HOME)
    assert [[fact.sentence for fact in facts] for facts in first.parted()] == [["Ana lives in Rome"], [], []]
    made, _, ended = second.parted()
    assert ([fact.sentence for fact in made], [fact.sentence for fact in ended]) == (
        ["Ana lives in Oslo"],
        ["Ana lives in Rome"],
    )
    assert [fact.sentence for fact in again.parted()[1]] == ["Ana lives in Oslo"]


async def test_small_named_values_are_kept_until_dropped(memory: Memory) -> None:
    await memory.set_state("offset", "12")
    assert await memory.state("offset") == "12"
    await memory.set_state("offset", None)
    assert await memory.state("offset") is None

"""Taking a journal in: as it was recorded where it can be, again on top of what is here where it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from everfact.assemble import make_memory, scratch_store
from everfact.errors import Conflict, UsageError
from everfact.intake import Taken, copy_group, journal_of, take_in
from everfact.lines import read_lines, to_line
from everfact.memory import Memory
from everfact.models import Change, Draft, Entry, Fact, Filter, Mention, Query, Skipped, Statement, Undigested
from everfact.testing.builders import HOME
from everfact.testing.fakes import FakeClock
from everfact.testing.reference import ReferenceStore

NOW = FakeClock()
GROUPS = ("home", "work")


class Side:
    """A memory and the store it is in."""

    def __init__(self) -> None:
        self.store = ReferenceStore()
        self.memory: Memory = make_memory(self.store)

    async def tell(self, text: str, *, uuid: str = "", wait: bool = True, day: int = 1) -> str:
        at = NOW.time.replace(day=day)
        draft = Draft(content=text, group_id="home", reference_time=at, uuid=uuid, thread="t")
        return (await self.memory.add(draft, wait=wait)).episode.uuid

    async def lines(self) -> list[bytes]:
        return [to_line(entry).encode() async for entry in journal_of(self.store, None)]

    async def take(self, other: Side | Iterable[bytes]) -> Taken:
        lines = await other.lines() if isinstance(other, Side) else other
        return await take_in(self.store, read_lines(lines))

    async def facts(self) -> list[str]:
        """What is known, in words that do not hang on ids."""
        found = await self.store.facts(HOME)
        return sorted(
            f"{fact.sentence.rstrip('.')} {fact.valid_at:%d}-{fact.invalid_at or ''}{fact.disputed or ''}"
            for fact in found
        )

    async def fact(self, words: str) -> Fact:
        return next(fact for fact in await self.store.facts(HOME) if words in fact.sentence)


async def lived() -> Side:
    """A memory in which all kinds of things were done."""
    side = Side()
    await side.tell("Ana Costa works at Globex. She lives in Lisbon.", day=1)
    left = await side.tell("Ana Costa left Globex. She works at Initech now.", day=2)
    await side.tell("Anna Costa speaks Danish. Bob Stone lives in Berlin.", day=3)
    await side.memory.undo(left)
    here = ("home",)
    await side.memory.merge("Ana Costa", "Anna Costa", group_ids=here)
    await side.memory.split("Ana Costa", ["Anna Costa"], group_ids=here)
    wrong = await side.fact("Berlin")
    right = Mention(name="Bremen")
    await side.memory.correct(
        wrong.uuid, lambda said: replace(said, object=right, sentence="Bob Stone lives in Bremen")
    )
    await side.memory.build_communities(group_id="home")
    await side.memory.purge(await side.tell("Carla Bruni lives in Rome.", day=4))
    await side.memory.forget(await side.tell("Dora Maar lives in Paris.", day=5))
    await side.tell("Ana Costa lives in Porto.", uuid="note", day=6)
    await side.tell("Ana Costa lives in Faro.", uuid="note", day=6)
    await side.memory.add(Draft(content="Eve Adams works at Acme.", group_id="work"), wait=True)
    await side.tell("later", wait=False)
    return side


async def test_memory_is_the_same_after_the_way() -> None:
    source, target = await lived(), Side()
    lines = await source.lines()
    assert "Carla" not in b"".join(lines).decode()
    taken = await target.take(lines)
    assert (taken.replayed, taken.known, taken.unread, taken.diverged) == (len(lines), 0, 0, [])
    assert await target.lines() == lines
    query = Query(text="where does Ana Costa live", group_ids=GROUPS, include_history=True)
    assert await target.memory.search(query) == await source.memory.search(query)
    assert (await target.take(lines)).known == len(lines)
    assert await target.lines() == lines


@pytest.mark.parametrize("part", [0.3, 0.6, 0.97])
async def test_import_that_was_broken_off_goes_on(part: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everfact.intake._ENTRIES", 3)
    source, target = await lived(), Side()
    lines = await source.lines()

    def broken() -> Iterator[bytes]:
        yield from lines[: int(len(lines) * part)]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await target.take(broken())
    there = await target.lines()
    assert there == lines[: len(there)]
    taken = await target.take(lines)
    assert (taken.known, taken.diverged) == (len(there), [])
    assert await target.lines() == lines


async def test_large_entries_are_taken_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everfact.intake._SIZE", 1)
    sizes = []

    class Watched(ReferenceStore):
        async def replay(self, entries: list[Entry]) -> int:  # type: ignore[override]
            sizes.append(len(entries))
            return await super().replay(entries)

    lines = await (await lived()).lines()
    await take_in(Watched(), read_lines(lines))
    assert max(sizes) < len(lines) // 3


async def test_two_memories_that_went_apart_end_up_knowing_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everfact.intake._ENTRIES", 3)
    one, other = Side(), Side()
    await one.tell("Ana Costa lives in Lisbon.", day=1)
    await other.take(one)
    await one.tell("Ana Costa lives in Porto.", day=5)
    await one.tell("Bob Stone works at Globex.", day=6)
    await other.tell("Ana Costa lives in Faro.", day=9)
    await other.tell("Bob Stone lives in Berlin.", day=7)
    taken = await other.take(one)
    assert (taken.redone, taken.known, taken.diverged) == (4, 2, ["home"])
    assert (await one.take(other)).diverged == ["home"]
    assert await one.facts() == await other.facts()
    assert {fact.split(" 0")[0] for fact in await one.facts()} == {
        "Ana Costa lives in Lisbon",
        "Ana Costa lives in Porto",
        "Ana Costa lives in Faro",
        "Bob Stone works at Globex",
        "Bob Stone lives in Berlin",
    }
    assert [fact for fact in await one.facts() if fact.endswith("-")] == [
        "Ana Costa lives in Faro 09-",
        "Bob Stone lives in Berlin 07-",
        "Bob Stone works at Globex 06-",
    ]
    assert sorted(e.name for e in await one.store.entities(HOME)).count("Bob Stone") == 1
    redone = next(c for c in await other.store.changes(HOME) if any("Globex" in fact.sentence for fact in c.facts))
    theirs = next(c for c in await one.store.changes(HOME) if c.uuid == redone.uuid)
    assert (redone.kind, redone.cause) == (theirs.kind, theirs.cause)
    undone = await other.memory.undo(redone.uuid)
    assert not [fact for fact in await other.facts() if "Globex" in fact]
    assert (await other.take(one)).redone == 0
    await other.memory.undo(undone.uuid)
    await one.take(other)
    assert await one.facts() == await other.facts()
    before = await one.lines(), await other.lines()
    assert ((await other.take(one)).redone, (await one.take(other)).redone) == (0, 0)
    assert (await one.lines(), await other.lines()) == before


async def test_what_was_taken_back_there_is_taken_back_here_once() -> None:
    one, other = Side(), Side()
    gone = await one.tell("Ana Costa lives in Lisbon.")
    await other.take(one)
    await other.tell("Bob Stone lives in Berlin.", day=2)
    await one.memory.forget(gone)
    await other.take(one)
    assert await other.facts() == ["Bob Stone lives in Berlin 02-"]
    act = next(c for c in await other.store.changes(HOME) if c.cause == gone and c.kind == "forget")
    await other.memory.undo(act.uuid)
    assert len(await other.facts()) == 2
    assert (await other.take(one)).redone == 0
    assert len(await other.facts()) == 2


async def test_what_was_taken_back_here_does_not_come_back() -> None:
    one, other = Side(), Side()
    await one.tell("Bob Stone lives in Berlin.")
    await other.tell("Eve Adams lives in Rome.")
    gone = await one.tell("The door code is 1234.")
    await other.take(one)
    await other.memory.forget(gone)
    before = await other.lines()
    await other.take(one)
    assert await other.lines() == before
    await one.tell("Update: the door code is 5678.", day=2)
    assert any(episode.uuid == gone for change in await one.store.changes(HOME, limit=1) for episode in change.episodes)
    await other.take(one)
    assert gone not in {episode.uuid for episode in await other.store.episodes(HOME)}


async def test_undoing_and_corrections_are_done_again() -> None:
    one, other = Side(), Side()
    await one.tell("Ana Costa lives in Lisbon.")
    await other.take(one)
    await other.tell("Eve Adams lives in Rome.")
    wrong = await one.fact("Lisbon")
    porto = Mention(name="Porto")
    done = await one.memory.correct(wrong.uuid, lambda said: replace(said, object=porto, sentence="Ana lives in Porto"))
    await other.take(one)
    assert await other.fact("Porto")
    await one.memory.undo(done.uuid)
    await other.take(one)
    both = await other.facts()
    assert both == ["Ana Costa lives in Lisbon 01-", "Eve Adams lives in Rome 01-"]
    [told] = (await other.fact("Lisbon")).episodes
    forgotten = await one.memory.forget(told)
    await other.take(one)
    assert await other.facts() == both[1:]
    await one.memory.undo(forgotten.uuid)
    await other.take(one)
    assert await other.facts() == both
    assert told in {episode.uuid for episode in await other.store.episodes(HOME)}


async def test_what_was_told_to_both_counts_once() -> None:
    one, other = Side(), Side()
    for side in (one, other):
        await side.tell("Ana Costa lives in Lisbon.")
    taken = await other.take(one)
    assert (taken.redone, taken.known) == (0, 2)
    assert len(await other.store.episodes(HOME)) == len(await other.facts()) == 1
    assert len((await other.fact("Lisbon")).assertions) == 1


async def test_of_two_texts_of_an_episode_the_later_one_counts() -> None:
    one, other = Side(), Side()
    await one.tell("Ana Costa lives in Lisbon.", uuid="note")
    await other.take(one)
    await other.tell("Ana Costa lives in Porto.", uuid="note")
    await one.tell("Ana Costa lives in Faro.", uuid="note")
    for _ in range(2):
        await other.take(one)
    assert await other.memory.digest() == 1
    assert await other.facts() == ["Ana Costa lives in Faro 01-"]
    assert ((await other.take(one)).redone, await other.memory.digest()) == (0, 0)
    assert await other.facts() == ["Ana Costa lives in Faro 01-"]


async def test_what_waits_there_waits_here() -> None:
    one, other = Side(), Side()
    await other.tell("Eve Adams lives in Rome.")
    waiting = await one.tell("Ana Costa lives in Lisbon.", wait=False)
    await other.take(one)
    [left] = [e async for e in journal_of(other.store, None) if isinstance(e, Undigested)]
    assert left.uuid == waiting
    while await other.memory.digest():
        pass
    assert len(await other.facts()) == 2


async def test_statements_handed_over_and_bare_names_are_done_again() -> None:
    one, other = Side(), Side()
    await other.tell("Eve Adams lives in Rome.")
    eve = Mention(name="Eve Adams")
    tea = Statement(subject=eve, relation="DRINKS", object=Mention(name="Tea"), sentence="Eve Adams drinks tea")
    [known] = (await one.memory.add_facts([tea], group_id="home")).facts
    mate = replace(tea, object=Mention(name="Mate"), sentence="Eve Adams drinks mate", replaces=known.uuid)
    await one.memory.add_facts([mate], group_id="home")
    await one.memory.build_communities(group_id="home")
    await other.take(one)
    assert ((await other.fact("tea")).invalid_at is None, (await other.fact("mate")).invalid_at) == (False, None)
    [her] = await other.store.entities(replace(HOME, names=("Eve Adams",)))
    assert (await other.fact("mate")).subject_uuid == her.uuid


async def test_act_is_repeated_when_somebody_is_quicker(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Side(), Side()
    await one.tell("Ana Costa lives in Lisbon.")
    await other.tell("Eve Adams lives in Rome.")
    apply, refused = other.store.apply, []

    async def busy(change: Change) -> Change:
        if len(refused) < 3:
            refused.append(change)
            raise Conflict("somebody was quicker")
        return await apply(change)

    monkeypatch.setattr(other.store, "apply", busy)
    await other.take(one)
    assert (len(await other.facts()), len(refused)) == (2, 3)
    refused.clear()
    await one.tell("Ana Costa lives in Porto.", day=3)
    monkeypatch.setattr("everfact.rebase._TRIES", 2)
    with pytest.raises(Conflict, match="all the time"):
        await other.take(one)


async def test_lost_telling_costs_only_itself() -> None:
    source, target = await lived(), Side()
    lines = await source.lines()
    place = next(number for number, line in enumerate(lines) if b"Bob Stone lives in Berlin" in line)
    lines[place] = lines[place][:50]
    taken = await target.take(lines)
    assert (taken.unread, [skipped.place for skipped in taken.skipped]) == (1, [f"line {place + 2}"])
    assert taken.diverged == []
    assert await target.facts() == await source.facts()


async def test_after_a_lost_change_the_rest_is_done_again() -> None:
    source, target = Side(), Side()
    for number, place in enumerate(["Lisbon", "Porto", "Faro"]):
        await source.tell(f"Ana Costa lives in {place}.", day=number + 1)
    lines = await source.lines()
    place = [number for number, line in enumerate(lines) if b'"change"' in line][1]
    whole, lines[place] = list(lines), b"{}\n"
    taken = await target.take(lines)
    assert (taken.unread, taken.diverged) == (1, ["home"])
    assert (taken.replayed, taken.redone) == (3, 2)
    assert [fact.split()[4] for fact in await target.facts()] == ["Faro", "Lisbon"]
    await target.take(whole)
    assert await target.facts() == await source.facts()


async def test_skipped_lines_are_counted_though_not_all_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everfact.intake._NAMED", 2)
    taken = await Side().take([b"x"] * 5)
    assert (taken.unread, taken.skipped) == (
        5,
        [Skipped(place=f"line {n}", reason=taken.skipped[0].reason) for n in (2, 3)],
    )


async def test_ids_of_another_group_are_refused() -> None:
    side = await lived()
    with pytest.raises(UsageError, match="another group"):
        await take_in(side.store, read_lines(await side.lines(), into="elsewhere"))


async def test_group_can_be_tried_out_elsewhere() -> None:
    source = await lived()
    async with scratch_store() as scratch:
        await copy_group(source.store, scratch, "home")
        assert [entry async for entry in journal_of(scratch, None)] == [
            entry async for entry in journal_of(source.store, ("home",))
        ]
        prepared: list[str] = []

        async def prepare(group_id: str) -> None:
            prepared.append(group_id)

        taken = await take_in(scratch, read_lines(await source.lines()), prepare=prepare)
        assert (prepared, taken.replayed > 0) == (["home", "work"], True)
    assert await source.store.facts(Filter(group_ids=("elsewhere",))) == []


async def test_group_whose_name_cannot_be_here_costs_only_itself() -> None:
    there, here = Side(), Side()
    await there.tell("Ana Costa lives in Rome.")
    lines = await there.lines()
    odd = [line.replace(b'"home"', b'"ana@home"') for line in lines]
    taken = await here.take([*odd, *lines])
    assert taken.replayed == len(lines)
    assert [skipped.place for skipped in taken.skipped] == ["group ana@home"]
    assert "--into" in taken.skipped[0].reason

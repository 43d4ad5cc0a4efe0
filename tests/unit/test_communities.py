"""Communities: who belongs together, what they are called, and how they follow the facts."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest

from everfact import communities
from everfact.communities import build_communities, cluster, ever_built, is_community
from everfact.models import Change, ChangeKind, Entity, Fact, FactKind, Filter
from everfact.ports import Store
from everfact.testing.builders import HOME, assertion, change, entity, fact
from everfact.testing.fakes import FakeClock
from everfact.testing.reference import ReferenceStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORK = ("Ana", "Bob", "Cleo", "Eve")
TRIP = ("Rome", "Hotel", "Train", "Museum")


@pytest.fixture
def store() -> ReferenceStore:
    return ReferenceStore(now=FakeClock(NOW))


def clique(*names: str, weight: float = 1.0) -> list[tuple[str, str, float]]:
    return [(one, other, weight) for one, other in combinations(names, 2)]


def person(name: str) -> Entity:
    """An entity with a speaking uuid: among the equally connected, the uuid decides who is named first."""
    return replace(entity(name), uuid=name)


async def head(store: Store, group_id: str = "home") -> Change | None:
    log = await store.changes(Filter(group_ids=(group_id,)), limit=1)
    return log[0] if log else None


async def known(store: Store) -> dict[str, Entity]:
    return {e.name: e for e in await store.entities(HOME, limit=1000)}


async def tell(store: Store, *pairs: tuple[str, str]) -> list[Fact]:
    """Facts between entities given by name, made if they are new."""
    entities = await known(store)
    fresh = [person(name) for name in dict.fromkeys(name for pair in pairs for name in pair) if name not in entities]
    entities |= {e.name: e for e in fresh}
    facts = [fact(entities[one], entities[other]) for one, other in pairs]
    await store.apply(change(*fresh, *facts, parent=await head(store)))
    return facts


async def tell_two_circles(store: Store) -> list[Fact]:
    return await tell(store, *combinations(WORK, 2), *combinations(TRIP, 2), ("Ana", "Rome"))


async def build(store: Store) -> Change:
    return await store.apply(await build_communities(store, "home", now=NOW))


async def present(store: Store) -> list[Entity]:
    return [e for e in await store.entities(HOME, limit=1000) if is_community(e)]


def test_two_circles_with_one_bridge_are_two_communities() -> None:
    edges = [*clique("a", "b", "c", "d"), *clique("w", "x", "y"), ("d", "w", 1.0)]
    assert cluster(edges) == [frozenset("abcd"), frozenset("wxy")]


def test_what_has_no_ties_at_all_has_no_communities() -> None:
    assert cluster([]) == []


@pytest.mark.parametrize("weight", [0.0, -1.0, math.inf, math.nan])
def test_tie_without_a_usable_weight_binds_nobody(weight: float) -> None:
    assert cluster([("a", "b", weight), ("c", "c", 1.0)]) == []
    assert cluster([("a", "b", weight), ("a", "b", 1.0)]) == [frozenset("ab")]


def test_weight_decides_to_whom_somebody_belongs() -> None:
    sides = [*clique("a", "b", "c"), *clique("x", "y", "z"), ("m", "a", 1.0), ("m", "x", 1.0)]
    assert frozenset("abcm") in cluster([*sides, ("m", "a", 2.0)])
    assert frozenset("xyzm") in cluster([*sides, ("x", "m", 2.0)])


@pytest.mark.parametrize(
    "edges",
    [
        [(f"a{i}", f"b{j}", 1.0) for i in range(20) for j in range(20)],
        [(f"{i:02}", f"{(i + 1) % 40:02}", 1.0) for i in range(40)],
        [("hub", f"{i}", 1.0) for i in range(40)],
        clique(*map(str, range(30)), weight=0.1),
    ],
    ids=["two sides", "ring", "star", "everybody"],
)
def test_graph_on_which_labels_would_swing_for_ever_is_done_with(edges: list[tuple[str, str, float]]) -> None:
    assert cluster(edges) == cluster(reversed(edges)) != []


def test_hub_and_its_leaves_are_one_community() -> None:
    assert cluster([("hub", f"{i}", 1.0) for i in range(40)]) == [frozenset(["hub", *map(str, range(40))])]


def test_community_whose_middle_moved_away_falls_apart() -> None:
    # Found by search: modularity alone puts b, g, c and h together, and only j, which is elsewhere, links them.
    edges = [
        *(("a", "e", 5.0), ("b", "g", 1.0), ("b", "j", 1.0), ("c", "h", 1.0), ("c", "j", 1.0)),
        *(("d", "f", 3.0), ("d", "i", 1.0), ("f", "j", 2.0), ("i", "j", 1.0)),
    ]
    assert cluster(edges) == [frozenset("dfij"), frozenset("ae"), frozenset("bg"), frozenset("ch")]


def test_rounding_of_sums_does_not_let_the_order_matter() -> None:
    sides = [*clique("a", "b", "c"), *clique("x", "y", "z")]
    torn = [*(("m", "a", weight) for weight in (0.1, 0.2, 0.3)), *(("m", "x", weight) for weight in (0.3, 0.2, 0.1))]
    assert cluster([*sides, *torn]) == cluster([*sides, *reversed(torn)])


def test_levels_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    path = [(f"{i:03}", f"{i + 1:03}", 1.0) for i in range(200)]
    freely = cluster(path)
    monkeypatch.setattr(communities, "_LEVELS", 1)
    assert len(cluster(path)) > len(freely)


def test_visits_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(communities, "_ROUNDS", 0)
    assert cluster(clique("a", "b", "c")) == []


def test_clustering_that_is_stopped_settles_for_what_it_has() -> None:
    turns = iter([False, True, True, True])
    assert cluster(clique("a", "b", "c"), is_stopped=lambda: next(turns)) == [frozenset("ab")]


async def test_circles_become_entities_with_members_name_and_summary(store: ReferenceStore) -> None:
    await tell_two_circles(store)
    made = await build(store)
    entities = await known(store)
    assert made.kind is ChangeKind.COMMUNITIES
    assert (made.removed, made.facts, made.asserted) == ((), (), ())
    assert [e.types for e in made.entities] == [("Community",)] * 2
    work = next(e for e in made.entities if e.name.startswith("Ana"))
    assert work.name == "Ana, Bob and 2 others"
    assert work.attributes == {"members": sorted(entities[name].uuid for name in WORK), "extractive": True}
    assert "Ana knows Bob." in work.summary
    assert "Rome" not in work.summary
    assert len(work.summary) <= 500


async def test_small_community_is_named_in_full(store: ReferenceStore) -> None:
    await tell(store, ("Ana", "Rome"), ("Bob", "Acme"), ("Bob", "Eve"), ("Bob", "Eve"))
    assert {e.name for e in (await build(store)).entities} == {"Ana and Rome", "Bob, Eve and Acme"}


async def test_member_that_is_gone_in_the_meantime_is_counted_not_named(store: ReferenceStore) -> None:
    class Vanishing(ReferenceStore):
        async def entities(self, where: Filter, **page: object) -> list[Entity]:
            found = await super().entities(where, **page)  # type: ignore[arg-type]
            return [e for e in found if where.uuids is None or e.name == "Ana"]

    quick = Vanishing(now=FakeClock(NOW))
    await tell(quick, ("Ana", "Bob"), ("Ana", "Eve"))
    assert (await build_communities(quick, "home", now=NOW)).entities[0].name == "Ana and 2 others"


async def test_summary_quotes_whole_sentences_of_the_best_connected(store: ReferenceStore) -> None:
    hub, *others = (person(name) for name in ("Hub", *(f"Spoke{i}" for i in range(150))))
    told = [fact(hub, other, f"The hub is the reason why {other.name} turns!") for other in others]
    await store.apply(change(hub, *others, *told, fact(hub, others[0], "  ")))
    (made,) = (await build(store)).entities
    assert made.name == "Hub, Spoke0 and 149 others"
    assert len(made.summary) <= 500
    assert all(f"{part}!" in {f.sentence for f in told} for part in made.summary.rstrip("!").split("! "))


async def test_group_without_facts_gives_an_empty_change(store: ReferenceStore) -> None:
    made = await build_communities(store, "home", now=NOW)
    assert (made.entities, made.removed, made.parent, made.note) == ((), (), None, "")


async def test_facts_that_ended_or_have_no_entity_as_object_bind_nobody(store: ReferenceStore) -> None:
    ana, bob = person("Ana"), person("Bob")
    over = fact(ana, bob, valid_at=NOW - timedelta(days=9), invalid_at=NOW - timedelta(days=1))
    await store.apply(change(ana, bob, over, fact(ana), fact(bob, bob)))
    assert (await build(store)).entities == ()
    past = await build_communities(store, "home", now=NOW - timedelta(days=2))
    assert [e.name for e in past.entities] == ["Ana and Bob"]


async def test_facts_of_other_groups_do_not_count(store: ReferenceStore) -> None:
    await tell(store, ("Ana", "Bob"))
    ana, eve = entity("Ana", group_id="away"), entity("Eve", group_id="away")
    await store.apply(change(ana, eve, fact(ana, eve)))
    assert [e.name for e in (await build(store)).entities] == ["Ana and Bob"]


async def test_building_again_writes_nothing_when_nothing_changed(store: ReferenceStore) -> None:
    await tell_two_circles(store)
    first = await build(store)
    again = await build_communities(store, "home", now=NOW + timedelta(days=1))
    assert (again.entities, again.removed, again.parent) == ((), (), first.uuid)


async def test_same_members_keep_their_community(store: ReferenceStore) -> None:
    await tell_two_circles(store)
    first = {e.name: e for e in (await build(store)).entities}
    await tell(store, ("Bob", "Eve"), ("Eve", "Bob"), ("Eve", "Bob"))
    (again,) = (await build(store)).entities
    assert again.name == "Bob, Eve and 2 others"
    before = first["Ana, Bob and 2 others"]
    assert (again.uuid, again.created_at) == (before.uuid, before.created_at)
    assert len(await present(store)) == 2


async def test_community_that_is_no_more_is_removed(store: ReferenceStore) -> None:
    await tell_two_circles(store)
    first = await build(store)
    work = next(e for e in first.entities if e.name.startswith("Ana"))
    await tell(store, ("Zoe", "Bob"), ("Zoe", "Eve"), ("Zoe", "Cleo"))
    second = await build(store)
    assert second.removed == (work.uuid,)
    assert [len(members(e)) for e in second.entities] == [5]
    assert len(await present(store)) == 2


def members(community: Entity) -> list[object]:
    found = community.attributes["members"]
    assert isinstance(found, list)
    return list(found)


async def test_community_is_no_member_of_another(store: ReferenceStore) -> None:
    await tell_two_circles(store)
    made = (await build(store)).entities
    bob = (await known(store))["Bob"]
    await store.apply(change(*(fact(c, bob) for c in made), *(fact(bob, c) for c in made), parent=await head(store)))
    assert (await build(store)).entities == ()


async def test_community_of_which_somebody_spoke_stays(store: ReferenceStore) -> None:
    await tell(store, ("Ana", "Bob"))
    (made,) = (await build(store)).entities
    await store.apply(change(assertion(made, (await known(store))["Ana"]), parent=await head(store)))
    await tell(store, ("Ana", "Eve"), ("Bob", "Eve"))
    assert (await build(store)).removed == ()
    assert {e.name for e in await present(store)} == {"Ana and Bob", "Ana, Bob and Eve"}


async def test_type_of_the_same_name_is_left_alone(store: ReferenceStore) -> None:
    village = replace(person("Village"), types=("Community",))
    broken = Entity(
        uuid="broken", group_id="home", name="?", created_at=NOW, types=("Community",), attributes={"members": "?"}
    )
    await store.apply(change(village, broken))
    await tell(store, ("Village", "Ana"))
    made = await build(store)
    assert [e.name for e in made.entities] == ["Ana and Village"]
    assert made.removed == ("broken",)
    assert not is_community(village)


async def test_pages_are_read_to_the_end(store: ReferenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(communities, "_PAGE", 3)
    await tell_two_circles(store)
    made = await build_communities(store, "home", now=NOW)
    assert len(made.entities) == 2
    assert made.note == ""


async def test_only_the_newest_facts_are_read_and_the_change_says_so(
    store: ReferenceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(communities, "_PAGE", 2)
    monkeypatch.setattr(communities, "_MOST_FACTS", 4)
    (old,) = await tell(store, ("Old", "Older"))
    await tell(store, *combinations(("Ana", "Bob", "Eve"), 2), ("Ana", "Bob"))
    made = await build_communities(store, "home", now=NOW)
    assert [len(members(e)) for e in made.entities] == [3]
    assert made.note == "made from the newest 4 facts only"
    await store.purge("home", [old.uuid])
    assert (await build_communities(store, "home", now=NOW)).note == ""


async def test_others_go_on_while_it_clusters(store: ReferenceStore) -> None:
    await tell_two_circles(store)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    busy = asyncio.create_task(others())
    await build_communities(store, "home", now=NOW)
    busy.cancel()
    assert turns > 0


async def test_cancelled_building_leaves_everything_as_it_was(store: ReferenceStore) -> None:
    await tell_two_circles(store)
    before = await head(store)
    task = asyncio.create_task(build(store))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await head(store) == before
    assert await present(store) == []


async def test_every_community_there_ever_was_can_be_purged(store: ReferenceStore) -> None:
    assert await ever_built(store, "home") == []
    await tell_two_circles(store)
    first = await build(store)
    await tell(store, ("Zoe", "Bob"), ("Zoe", "Eve"), ("Zoe", "Cleo"))
    second = await build(store)
    uuids = await ever_built(store, "home")
    assert uuids == sorted({e.uuid for e in (*first.entities, *second.entities)})
    assert await store.purge("home", uuids) == 3
    assert await present(store) == []


async def test_events_and_plans_bind_too(store: ReferenceStore) -> None:
    ana, bob, rome = entity("Ana"), entity("Bob"), entity("Rome")
    met = fact(ana, bob, kind=FactKind.EVENT, valid_at=NOW - timedelta(days=9), invalid_at=NOW - timedelta(days=9))
    trip = fact(ana, rome, kind=FactKind.PLAN, valid_at=NOW + timedelta(days=9))
    await store.apply(change(ana, bob, rome, met, trip))
    assert [len(members(e)) for e in (await build(store)).entities] == [3]

"""Search finds words of every script, vectors by direction, neighbours by walking, and never leaves its groups."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from everfact.errors import UsageError
from everfact.models import (
    Embedding,
    Filter,
    Thing,
)
from everfact.ports import Store
from everfact.testing.builders import ANYWHERE, HOME, assertion, change, entity, episode, fact
from everfact.testing.contract.fixtures import SECOND, Fixtures, apply_next, uuids_matching
from everfact.testing.fakes import FakeClock, HashingEmbedder


class Search(Fixtures):
    """Finding."""

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("我们在北京大学学习", "北京"),
            ("我们在北京大学学习", "大学"),
            ("東京タワーに行った", "タワー"),
            ("서울에서 만나요", "서울"),
            ("ฉันชอบกินข้าวผัด", "ข้าว"),
            ("Встреча в Москве", "москве"),
            ("στην Ελλάδα", "ελλαδα"),
            ("हिन्दी सीखना", "हिन्दी"),
            ("مرحبا بالعالم", "مرحبا"),
            ("שלום עולם", "שלום"),
            ("Café Zürich", "cafe ZURICH"),
            ("\uff46\uff55\uff4c\uff4c width", "full"),
            ("path src/app_main.py", "app_main"),
            ("C++ isn't C#", "isn't"),
        ],
    )
    async def test_words_of_every_script_are_found(self, store: Store, text: str, query: str) -> None:
        kept = await store.add_episode(episode(text))
        await store.add_episode(episode("something else entirely"))
        assert await uuids_matching(store, Thing.EPISODE, query) == [kept.uuid]

    @pytest.mark.parametrize(
        "query",
        [
            "",
            " ",
            "?!…",
            '"',
            "'",
            "\0",
            "(",
            '"unclosed',
            "NEAR(",
            "^ * : -",
            "{} [] ()",
            "a" * 99_999,
            "w " * 50_000,
        ],
    )
    async def test_any_text_is_a_valid_query(self, store: Store, query: str) -> None:
        await store.add_episode(episode("plain words"))
        for thing in Thing:
            assert await uuids_matching(store, thing, query) == []

    @pytest.mark.parametrize("query", ["alpha AND", "alpha OR beta", "NOT alpha", "alpha*", "content:alpha", "-alpha"])
    async def test_operators_are_only_words(self, store: Store, query: str) -> None:
        kept = await store.add_episode(episode("alpha"))
        assert await uuids_matching(store, Thing.EPISODE, query) == [kept.uuid]

    async def test_more_shared_words_rank_higher(self, store: Store) -> None:
        some = await store.add_episode(episode("green tea"))
        more = await store.add_episode(episode("green apple pie"))
        for n in range(5):
            await store.add_episode(episode(f"unrelated number {n}"))
        assert await uuids_matching(store, Thing.EPISODE, "green apple pie") == [more.uuid, some.uuid]

    async def test_entities_are_found_by_name_alias_and_summary(self, store: Store) -> None:
        robert = replace(entity("Robert", aliases=("Bob",)), summary="plays the bassoon")
        await store.apply(change(robert))
        for query in ("robert", "BOB", "bassoon"):
            assert await uuids_matching(store, Thing.ENTITY, query) == [robert.uuid]

    async def test_entities_are_found_by_a_part_of_their_names(self, store: Store) -> None:
        database = entity("PostgreSQL", aliases=("Elephant",))
        await store.apply(change(database, entity("Post office"), entity("Progress")))
        for query in ("gresq", "ostgre", "phant", "the POSTGRES"):
            assert await uuids_matching(store, Thing.ENTITY, query) == [database.uuid]
        for query in ("gr", "gresphant"):
            assert database.uuid not in await uuids_matching(store, Thing.ENTITY, query)

    async def test_turns_are_found_by_their_speaker_after_those_that_name_them(self, store: Store) -> None:
        told = [
            await store.add_episode(episode(text, speaker=speaker))
            for text, speaker in (("I went home", "Caroline"), ("where is Caroline", "Mel"), ("no idea", "Jon"))
        ]
        assert await uuids_matching(store, Thing.EPISODE, "caroline") == [told[1].uuid, told[0].uuid]

    async def test_vectors_are_ordered_by_direction(self, store: Store) -> None:
        embedder = HashingEmbedder()
        texts = ["red fox jumps", "red fox sleeps", "blue whale sings"]
        kept = [await store.add_episode(episode(text)) for text in texts]
        vectors = [
            Embedding(thing=Thing.EPISODE, uuid=e.uuid, text=e.text, vector=embedder.vector(e.text)) for e in kept
        ]
        assert await store.put_vectors(embedder.model, vectors) == 3
        question = embedder.vector("red fox jumps")
        hits = await store.match_vector(Thing.EPISODE, embedder.model, question, HOME, limit=2)
        assert [hit.uuid for hit in hits] == [kept[0].uuid, kept[1].uuid]
        assert hits[0].score == pytest.approx(1.0, abs=0.01)
        assert await store.match_vector(Thing.FACT, embedder.model, question, HOME, limit=2) == []
        assert await store.match_vector(Thing.EPISODE, "other-model", question, HOME, limit=2) == []

    async def test_vector_of_another_dimension_or_not_finite_is_refused(self, store: Store) -> None:
        kept = await store.add_episode(episode("a"))

        def embedding(*values: float) -> Embedding:
            return Embedding(thing=Thing.EPISODE, uuid=kept.uuid, text=kept.text, vector=array("f", values))

        assert await store.put_vectors("m", [embedding(1.0, 0.0)]) == 1
        for bad in (embedding(1.0, 0.0, 0.0), embedding(float("nan"), 1.0)):
            with pytest.raises(UsageError):
                await store.put_vectors("m", [bad])
            with pytest.raises(UsageError):
                await store.match_vector(Thing.EPISODE, "m", bad.vector, HOME, limit=1)

    async def test_only_present_texts_have_vectors(self, store: Store, clock: FakeClock) -> None:
        embedder = HashingEmbedder()
        alice = entity("Alice")
        made = await store.apply(change(alice, fact(alice, sentence="Alice sings")))
        lacking = await store.unembedded(embedder.model, limit=10)
        assert {(item.thing, item.uuid) for item in lacking} == {
            (Thing.ENTITY, alice.uuid),
            (Thing.FACT, made.facts[0].uuid),
        }
        assert len(await store.unembedded(embedder.model, limit=1)) == 1
        vectors = [Embedding(thing=i.thing, uuid=i.uuid, text=i.text, vector=embedder.vector(i.text)) for i in lacking]
        before = clock.time
        clock.advance(SECOND)
        await apply_next(
            store, change(replace(made.facts[0], sentence="Alice dances"), replace(alice, types=("Person",)))
        )
        assert await store.put_vectors(embedder.model, vectors) == 1  # the fact says something else by now
        assert [i.text for i in await store.unembedded(embedder.model, limit=10)] == ["Alice dances"]
        then = replace(HOME, known_at=before)
        hits = await store.match_vector(Thing.ENTITY, embedder.model, embedder.vector("Alice"), then, limit=5)
        assert [hit.uuid for hit in hits] == [alice.uuid]

    async def test_text_that_comes_back_is_embedded(self, store: Store) -> None:
        told = await store.add_episode(episode("Rome"))
        for content in ("Oslo", "Rome", "Oslo"):
            told = await store.add_episode(replace(told, content=content))
            for model in ("one", "other"):
                assert [item.text for item in await store.unembedded(model, limit=10)] == [told.text]
        vector = Embedding(thing=Thing.EPISODE, uuid=told.uuid, text=told.text, vector=array("f", (1.0, 0.0)))
        assert await store.put_vectors("one", [vector]) == 1
        assert await store.unembedded("one", limit=10) == []
        assert len(await store.unembedded("other", limit=10)) == 1
        await store.add_episode(replace(told, content="Rome"))
        assert len(await store.unembedded("other", limit=10)) == 1
        back = await store.add_episode(replace(told, content="Oslo"))
        assert await store.unembedded("one", limit=10) == []
        assert [item.text for item in await store.unembedded("other", limit=10)] == [back.text]

    async def test_upkeep_changes_no_answer(self, store: Store) -> None:
        embedder = HashingEmbedder()
        told = [await store.add_episode(episode(text)) for text in ("red fox", "blue whale")]
        vectors = [
            Embedding(thing=Thing.EPISODE, uuid=e.uuid, text=e.text, vector=embedder.vector(e.text)) for e in told
        ]
        await store.put_vectors(embedder.model, vectors)
        question = embedder.vector("red fox")
        before = await store.match_vector(Thing.EPISODE, embedder.model, question, HOME, limit=5)
        while await store.maintain():
            pass
        assert await store.match_vector(Thing.EPISODE, embedder.model, question, HOME, limit=5) == before

    async def test_what_points_nowhere_is_like_nothing(self, store: Store) -> None:
        kept = [await store.add_episode(episode(text)) for text in ("a", "b")]
        directions = (array("f", [0.0, 0.0]), array("f", [0.0, 2.0]))
        vectors = [
            Embedding(thing=Thing.EPISODE, uuid=e.uuid, text=e.text, vector=v)
            for e, v in zip(kept, directions, strict=True)
        ]
        assert await store.put_vectors("m", vectors) == 2
        for question in directions:
            hits = await store.match_vector(Thing.EPISODE, "m", question, HOME, limit=5)
            by_uuid = {hit.uuid: hit.score for hit in hits}
            assert by_uuid[kept[0].uuid] == pytest.approx(0.0, abs=0.01)

    async def test_neighbours_are_reached_once_nearest_first_even_in_a_ring(self, store: Store) -> None:
        a, b, c, d = (entity(name) for name in "abcd")
        ring = [fact(a, b), fact(b, c), fact(c, a), fact(c, d)]
        value = fact(b, None, sentence="b is 5")
        self_loop = fact(a, a)
        await store.apply(change(a, b, c, d, *ring, value, self_loop))
        one_hop = await store.neighbours([a.uuid], HOME, hops=1)
        assert {r.fact_uuid for r in one_hop} == {ring[0].uuid, ring[2].uuid, self_loop.uuid}
        found = {r.fact_uuid: r for r in await store.neighbours([a.uuid], HOME, hops=5)}
        assert set(found) == {f.uuid for f in (*ring, value, self_loop)}
        assert (found[ring[3].uuid].distance, found[ring[3].uuid].entity_uuid) == (2, d.uuid)
        assert found[value.uuid].entity_uuid == b.uuid
        distances = [r.distance for r in await store.neighbours([a.uuid], HOME, hops=5)]
        assert distances == sorted(distances)
        assert len(await store.neighbours([a.uuid], HOME, hops=2, limit=2)) == 2
        likes = replace(HOME, relations=("LIKES",))
        assert await store.neighbours([a.uuid], likes, hops=2) == []

    async def test_facts_are_chosen_by_the_types_of_what_they_are_about(self, store: Store, clock: FakeClock) -> None:
        ann, acme, rome = entity("Ann", "Person"), entity("Acme", "Organization"), entity("Rome", "Location")
        job, seat = fact(ann, acme, sentence="Ann works at Acme"), fact(acme, rome, sentence="Acme sits in Rome")
        await store.apply(change(ann, acme, rome, job, seat))
        before = clock.time
        clock.advance(SECOND)
        await apply_next(store, change(replace(rome, types=("City",))))
        people, places = (replace(HOME, entity_types=(kind,)) for kind in ("Person", "Location"))
        assert [f.uuid for f in await store.facts(people)] == [job.uuid]
        assert await uuids_matching(store, Thing.FACT, "Acme", people) == [job.uuid]
        assert await store.facts(places) == []
        assert [f.uuid for f in await store.facts(replace(places, known_at=before))] == [seat.uuid]

    async def test_nothing_crosses_groups(self, store: Store) -> None:
        embedder = HashingEmbedder()
        groups = ("home", "work")
        for group in groups:
            told = await store.add_episode(episode(f"shared words {group}", group_id=group, thread="t"))
            alice = entity("Alice", "Person", group_id=group)
            said = assertion(alice, None, told)
            await store.apply(change(alice, said, fact(alice, sentence="shared words", support=(said,))))
            lacking = await store.unembedded(embedder.model, limit=3)
            vectors = [Embedding(thing=i.thing, uuid=i.uuid, text=i.text, vector=embedder.vector("x")) for i in lacking]
            assert await store.put_vectors(embedder.model, vectors) == 3
        for group in groups:
            mine = Filter(group_ids=(group,))
            for read in (store.episodes, store.entities, store.facts, store.assertions, store.changes):
                assert [item.group_id for item in await read(mine)] == [group]
                assert len(await read(ANYWHERE)) == 2
                assert len(await read(Filter(group_ids=groups))) == 2
                assert await read(Filter(group_ids=("none",))) == await read(Filter(group_ids=())) == []
            uuids = {e.uuid for e in await store.episodes(mine)}
            uuids |= {e.uuid for e in await store.entities(mine)} | {f.uuid for f in await store.facts(mine)}
            for thing in Thing:
                by_text = await store.match_text(thing, "shared words alice", mine, limit=10)
                by_vector = await store.match_vector(thing, embedder.model, embedder.vector("x"), mine, limit=10)
                assert len(by_text) == len(by_vector) == 1
                assert {hit.uuid for hit in (*by_text, *by_vector)} <= uuids
        (everyone,) = {len(await store.match_text(Thing.FACT, "shared", ANYWHERE, limit=10))}
        assert everyone == 2
        home_entity = (await store.entities(HOME))[0].uuid
        assert await store.neighbours([home_entity], Filter(group_ids=("work",)), hops=2) == []

    async def test_several_reads_together_answer_as_one(self, store: Store) -> None:
        kept = await store.add_episode(episode("Rome is old"))

        async def look(held: Store) -> tuple[list[str], int]:
            return await uuids_matching(held, Thing.EPISODE, "rome"), len(await held.episodes(HOME))

        assert await store.together(look) == ([kept.uuid], 1)

    async def test_what_goes_wrong_among_reads_together_is_told(self, store: Store) -> None:
        async def fail(held: Store) -> None:
            await held.episodes(HOME)
            raise UsageError("no such thing")

        with pytest.raises(UsageError, match="no such thing"):
            await store.together(fail)
        assert await store.episodes(HOME) == []

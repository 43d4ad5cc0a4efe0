"""Searching, browsing and looking back: what holds now, any other time on request."""

from __future__ import annotations

import pytest
from tests.server.talk import Refused, Talk


@pytest.fixture
async def ana(agent: Talk) -> Talk:
    await agent.tell("Ana Costa works at Globex.", "2026-03-01")
    await agent.tell("Ana Costa left Globex. She works at Initech now.", "2026-03-20")
    return agent


async def test_search_answers_what_is_true_now_and_counts_what_it_left_out(ana: Talk) -> None:
    found = await ana.ask("search_memory_facts", query="Ana Costa works at")
    assert [fact["fact"] for fact in found["facts"]] == ["She works at Initech now."]
    assert found["hidden"] == 1


async def test_history_is_there_on_request(ana: Talk) -> None:
    found = await ana.ask("search_memory_facts", query="Ana Costa works at", include_history=True)
    assert {fact["fact"] for fact in found["facts"]} == {"Ana Costa works at Globex.", "She works at Initech now."}


async def test_another_time_answers_what_was_true_then(ana: Talk) -> None:
    found = await ana.ask("search_memory_facts", query="Ana Costa works at", valid_at="2026-03-10")
    assert [fact["fact"] for fact in found["facts"]] == ["Ana Costa works at Globex."]


async def test_what_was_known_before_anything_was_told_is_nothing(ana: Talk) -> None:
    assert (await ana.ask("search", query="Ana Costa", known_at="2020-01-01"))["results"] == []


async def test_bounds_find_what_ended_in_a_span(ana: Talk) -> None:
    span = {"invalid_at_after": "2026-03-15", "invalid_at_before": "2026-03-25"}
    found = await ana.ask("search_facts", query="Ana Costa works", **span)
    assert [fact["fact"] for fact in found["facts"]] == ["Ana Costa works at Globex."]


async def test_search_gives_facts_entities_and_episodes_with_scores_and_addresses(ana: Talk) -> None:
    found = await ana.ask("search", query="Ana Costa Initech")
    kinds = {hit["type"] for hit in found["results"]}
    assert kinds == {"fact", "entity", "episode"}
    assert all(0 <= hit["score"] <= 1 for hit in found["results"])
    for hit in found["results"]:
        assert (await ana.client.read_resource(hit["uri"])).contents


async def test_a_budget_trims(ana: Talk) -> None:
    whole = await ana.ask("search", query="Ana Costa Initech")
    few = await ana.ask("search", query="Ana Costa Initech", max_tokens=20)
    assert len(few["results"]) < len(whole["results"])
    assert few["trimmed"] > 0


async def test_nodes_are_found_by_either_name_and_either_type_argument(ana: Talk) -> None:
    for tool in ("search_nodes", "search_memory_nodes"):
        for kind in ({"entity_types": ["Person"]}, {"entity_types": "Person"}, {"entity": "Person"}):
            found = await ana.ask(tool, query="Ana Costa", **kind)
            assert [node["name"] for node in found["nodes"]] == ["Ana Costa"]
    assert (await ana.ask("search_nodes", query="Ana Costa", entity="Location"))["nodes"] == []


async def test_no_more_than_asked_for(ana: Talk) -> None:
    assert len((await ana.ask("search", query="Ana Costa Initech Globex", limit=1))["results"]) == 1
    assert len((await ana.ask("search_nodes", query="Ana Costa Initech Globex", max_nodes=1))["nodes"]) == 1


async def test_entities_of_a_type_come_newest_first(ana: Talk) -> None:
    await ana.ask("add_facts", facts=[{"subject": "Bo Ek", "relation": "knows", "object": "Ana Costa"} | PERSONS])
    found = await ana.ask("get_entities_by_type", entity_types=["Person"])
    assert [node["name"] for node in found["nodes"]] == ["Bo Ek", "Ana Costa"]
    assert all("Person" in node["labels"] for node in found["nodes"])
    assert (
        len((await ana.ask("get_entities_by_type", entity_types="Person", query="Bo Ek", max_entities=1))["nodes"]) == 1
    )


PERSONS = {"subject_type": "Person", "object_type": "Person"}


async def test_two_moments_are_compared(ana: Talk) -> None:
    both = await ana.ask(
        "compare_facts_over_time", query="Ana Costa works at", start_time="2026-03-10", end_time="2026-04-01T00:00:00Z"
    )
    assert [fact["fact"] for fact in both["facts_from_start"]] == ["Ana Costa works at Globex."]
    assert [fact["fact"] for fact in both["facts_at_end"]] == ["She works at Initech now."]
    assert [fact["fact"] for fact in both["facts_invalidated"]] == ["Ana Costa works at Globex."]
    assert [fact["fact"] for fact in both["facts_added"]] == ["She works at Initech now."]
    with pytest.raises(Refused, match="the earlier one first"):
        await ana.ask("compare_facts_over_time", query="x", start_time="2026-04-01", end_time="2026-03-01")


async def test_the_latest_episodes_come_first_and_the_newer_argument_wins(ana: Talk) -> None:
    times = [episode["valid_at"] for episode in (await ana.ask("get_episodes"))["episodes"]]
    assert times == ["2026-03-20T00:00:00Z", "2026-03-01T00:00:00Z"]
    assert len((await ana.ask("get_episodes", last_n=1))["episodes"]) == 1
    assert len((await ana.ask("get_episodes", last_n=1, max_episodes=2))["episodes"]) == 2


async def test_a_fact_by_its_uuid_is_the_fact_itself(ana: Talk) -> None:
    fact = (await ana.ask("search_facts", query="Initech"))["facts"][0]
    assert await ana.ask("get_entity_edge", uuid=fact["uuid"]) == fact
    with pytest.raises(Refused, match="nothing has the id"):
        await ana.ask("get_entity_edge", uuid="none")
    episode = (await ana.ask("get_episodes"))["episodes"][0]["uuid"]
    with pytest.raises(Refused, match="is no fact"):
        await ana.ask("get_entity_edge", uuid=episode)


async def test_history_of_an_entity_and_of_a_fact(ana: Talk) -> None:
    history = await ana.ask("get_history", entity="ana costa")
    assert [fact["fact"] for fact in history["facts"]] == ["Ana Costa works at Globex.", "She works at Initech now."]
    assert {change["kind"] for change in history["changes"]} == {"digest"}
    by_uuid = await ana.ask("get_history", entity=history["entity"]["uuid"])
    assert by_uuid["entity"]["name"] == "Ana Costa"
    of_fact = await ana.ask("get_history", fact=history["facts"][0]["uuid"])
    assert len(of_fact["facts"]) == 2
    with pytest.raises(Refused, match="give an entity or a fact"):
        await ana.ask("get_history")
    with pytest.raises(Refused, match="no entity is called Nobody"):
        await ana.ask("get_history", entity="Nobody")


async def test_a_fact_is_explained_by_its_words(ana: Talk) -> None:
    old = (await ana.ask("search_facts", query="Globex", valid_at="2026-03-10"))["facts"][0]
    why = await ana.ask("explain_fact", uuid=old["uuid"])
    assert [proof["words"] for proof in why["support"]] == ["Ana Costa works at Globex."]
    assert [proof["words"] for proof in why["ended_by"]] == ["Ana Costa left Globex."]


async def test_the_brief_is_text_within_its_budget_and_empty_when_nothing_is_known(ana: Talk) -> None:
    brief = await ana.text("get_context")
    assert "recent_work[1]{fact,since,note}:" in brief
    assert "She works at Initech now." in brief
    assert "Globex" not in brief
    assert len(await ana.text("get_context", max_tokens=10)) <= 40
    assert await ana.text("get_context", group_ids="empty") == ""
    assert "Initech" in await ana.text("get_context", query="where does Ana Costa work")

"""Taking back, correcting, settling, merging, wiping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.types import ElicitRequestParams, ElicitResult
from tests.server.talk import Refused, Talk, talk


@pytest.fixture
async def ana(agent: Talk) -> Talk:
    await agent.tell("Ana Costa works at Globex.", "2026-03-01")
    return agent


async def facts(agent: Talk, **asked: Any) -> list[dict[str, Any]]:
    return (await agent.ask("get_history", entity="Ana Costa", **asked))["facts"]


async def test_deleting_an_episode_revives_what_it_ended_and_can_be_undone(ana: Talk) -> None:
    later = await ana.tell("Ana Costa left Globex. She works at Initech now.", "2026-03-20")
    gone = await ana.ask("delete_episode", uuid=later["uuid"])
    assert [(fact["fact"], fact["invalid_at"]) for fact in await facts(ana)] == [("Ana Costa works at Globex.", None)]
    await ana.ask("undo_change", uuid=gone["change"])
    assert len(await facts(ana)) == 2
    with pytest.raises(Refused, match="undone already"):
        await ana.ask("undo_change", uuid=gone["change"])


async def test_deleting_a_fact_can_be_undone(ana: Talk) -> None:
    uuid = (await facts(ana))[0]["uuid"]
    gone = await ana.ask("delete_entity_edge", uuid=uuid)
    with pytest.raises(Refused, match="nothing has the id"):
        await ana.ask("get_entity_edge", uuid=uuid)
    await ana.ask("undo_change", uuid=gone["change"])
    assert (await ana.ask("get_entity_edge", uuid=uuid))["uuid"] == uuid


async def test_each_deletes_only_its_own_kind(ana: Talk) -> None:
    fact, episode = (await facts(ana))[0], (await ana.ask("get_episodes"))["episodes"][0]
    with pytest.raises(Refused, match="is no episode"):
        await ana.ask("delete_episode", uuid=fact["uuid"])
    with pytest.raises(Refused, match="is no fact"):
        await ana.ask("delete_entity_edge", uuid=episode["uuid"])
    assert len(await facts(ana)) == 1


@pytest.mark.parametrize(
    ("different", "sentence", "until"),
    [
        ({"object": "Hooli"}, "Ana Costa works at Hooli.", None),
        ({"fact": "Ana works at Globex, part time."}, "Ana works at Globex, part time.", None),
        ({"invalid_at": "2026-05-01"}, "Ana Costa works at Globex.", "2026-05-01T00:00:00Z"),
    ],
)
async def test_a_fact_is_put_right(ana: Talk, different: dict[str, str], sentence: str, until: str | None) -> None:
    change = await ana.ask("correct_fact", uuid=(await facts(ana))[0]["uuid"], why="misheard", **different)
    assert [(fact["fact"], fact["invalid_at"]) for fact in await facts(ana)] == [(sentence, until)]
    await ana.ask("undo_change", uuid=change["uuid"])
    assert [(fact["fact"], fact["invalid_at"]) for fact in await facts(ana)] == [("Ana Costa works at Globex.", None)]


async def test_a_value_is_put_right(agent: Talk) -> None:
    rent = {
        "subject": "The flat",
        "relation": "rent",
        "object": "900 EUR",
        "object_type": "value",
        "fact": "It is dear.",
    }
    made = (await agent.ask("add_facts", facts=[rent]))["created"][0]
    right = (await agent.ask("correct_fact", uuid=made["uuid"], object="950 EUR"))["created"][0]
    assert right["attributes"]["value"]["text"] == "950 EUR"
    assert right["fact"] == "The flat rent 950 EUR"


async def test_a_correction_must_say_something(ana: Talk) -> None:
    with pytest.raises(Refused, match="nothing is different"):
        await ana.ask("correct_fact", uuid=(await facts(ana))[0]["uuid"], why="just so")


async def test_a_dispute_is_listed_and_settled(agent: Talk) -> None:
    for place in ("Oslo", "Bergen"):
        fact = {"subject": "Ana Costa", "relation": "lives in", "object": place, "valid_at": "2026-01-01"}
        await agent.ask("add_facts", facts=[fact])
    disputed = (await agent.ask("resolve_dispute"))["disputes"]
    assert {fact["fact"] for fact in disputed} == {"Ana Costa lives in Oslo", "Ana Costa lives in Bergen"}
    assert all(fact["disputed"] for fact in disputed)
    with pytest.raises(Refused, match="say which fact to keep"):
        await agent.ask("resolve_dispute", uuid=disputed[0]["uuid"])
    with pytest.raises(Refused, match="not two facts of one dispute"):
        await agent.ask("resolve_dispute", uuid="none", keep=disputed[0]["uuid"])
    await agent.ask("resolve_dispute", uuid=disputed[0]["uuid"], keep=disputed[1]["uuid"])
    assert (await agent.ask("resolve_dispute"))["disputes"] == []
    assert [fact["uuid"] for fact in await facts(agent)] == [disputed[1]["uuid"]]


async def test_entities_are_merged_and_split(ana: Talk) -> None:
    await ana.ask("add_facts", facts=[{"subject": "A. Costa Pereira", "relation": "likes", "object": "tea"}])
    change = await ana.ask("merge_entities", keep="Ana Costa", merge="A. Costa Pereira")
    assert len(await facts(ana)) == 2
    await ana.ask("undo_change", uuid=change["uuid"])
    assert len(await facts(ana)) == 1
    await ana.ask("merge_entities", keep="Ana Costa", merge="A. Costa Pereira")
    await ana.ask("split_entity", entity="Ana Costa", aliases=["A. Costa Pereira"])
    assert len(await facts(ana)) == 1


async def test_communities_and_sagas(agent: Talk) -> None:
    await agent.tell("Ana Costa works at Globex. Bo Ek works at Globex.", "2026-03-01", saga="office")
    made = await agent.ask("build_communities")
    assert made["community_count"] == len(made["communities"]) == 1
    assert made["edge_count"] == 3
    saga = await agent.ask("summarize_saga", saga_name="office")
    assert "Globex" in saga["summary"]
    with pytest.raises(Refused, match="no episodes in the thread"):
        await agent.ask("summarize_saga", saga_name="none")


async def test_clearing_wipes_the_current_group_only_and_says_how_much(ana: Talk) -> None:
    await ana.tell("Bo Ek works at Hooli.", group_id="other")
    assert "1 episodes" in (await ana.ask("clear_graph"))["message"]
    assert (await ana.ask("get_episodes"))["episodes"] == []
    assert len((await ana.ask("get_episodes", group_id="other"))["episodes"]) == 1
    await ana.ask("clear_graph", group_ids=["other"], confirm=True)
    assert (await ana.ask("get_status"))["episodes"] == 0


async def test_clearing_is_not_done_when_it_is_not_confirmed(ana: Talk) -> None:
    with pytest.raises(Refused, match="nothing was wiped"):
        await ana.ask("clear_graph", confirm=False)
    assert len((await ana.ask("get_episodes"))["episodes"]) == 1


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (ElicitResult(action="accept", content={"confirmed": True}), 0),
        (ElicitResult(action="accept", content={"confirmed": False}), 1),
        (ElicitResult(action="decline"), 1),
        (ElicitResult(action="cancel"), 1),
    ],
    ids=lambda value: f"{value.action}-{value.content}" if isinstance(value, ElicitResult) else str(value),
)
async def test_a_client_that_can_ask_the_person_does(tmp_path: Path, era: str, answer: ElicitResult, left: int) -> None:
    asked: list[str] = []

    async def elicited(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return answer

    async with talk(tmp_path / "m.db", era=era, client={"elicitation_callback": elicited}) as agent:
        await agent.tell("Tea is ready.")
        if left:
            with pytest.raises(Refused, match="not confirmed"):
                await agent.ask("clear_graph")
        else:
            await agent.ask("clear_graph")
        assert asked == ["Wipe everything in main, for good? This cannot be undone."]
        assert (await agent.ask("get_status"))["episodes"] == left
        await agent.ask("clear_graph", confirm=True)
        assert len(asked) == 1

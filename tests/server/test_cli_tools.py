"""The tools of the set `cli`: each gives what its command gives, as TOON from three rows on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import toons
from tests.cli.conftest import Program
from tests.cli.test_upkeep import double
from tests.server.talk import Refused, Talk, talk
from tests.unit.capture.samples import CLAUDE, homes

from everfact import Memory
from everfact.assemble import make_tracker
from everfact.capture.tracker import Tracker
from everfact.config import load
from everfact.models import Filter
from everfact.server.answers.toon import listing, rows
from everfact.server.host import Access, Place
from everfact.server.tools.cli import SETTABLE
from everfact.testing.builders import episode

TOLD = (
    ("Ana Costa works at Globex. She lives in Lisbon.", "2026-01-10"),
    ("Ana Costa left Globex. She works at Initech now.", "2026-03-20"),
    ("Ana Costa moved to Porto in May 2026.", "2026-06-01"),
)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A memory that commands have filled."""
    program = Program(tmp_path / "memory.db")
    for text, at in TOLD:
        program("add", text, "--at", at)
    return program


@asynccontextmanager
async def serving(program: Program, era: str = "legacy", **place: Any) -> AsyncIterator[Talk]:
    """A server on the same memory and group."""
    at = Place(default_group=lambda: "demo", project=program.store.parent, store=f"sqlite://{program.store}", **place)
    async with talk(program.store, era=era, toolsets=("cli",), place=at, works=False) as agent:
        yield agent


async def json_of(program: Program, *words: str) -> Any:
    return await asyncio.to_thread(program.json, *words)


def row(item: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The row that stands for an item as a command has it, but for the words of an episode."""
    if item.get("type") == "entity" or "aliases" in item:
        said = {"type": " ".join(item["types"]) or "entity", "subject": item["name"], "text": item["summary"]}
    elif "relation" in item:
        value = item["value"]["text"] if item["value"] else names[item["object_uuid"]]
        relation = item["relation"].replace("_", " ").lower()
        said = {"type": item["kind"], "subject": names[item["subject_uuid"]], "relation": relation, "text": value}
        said["when"] = "/".join(day[:10] for day in (item["valid_at"], item["invalid_at"]) if day)
    else:
        said = {"type": "episode", "when": item["reference_time"][:10], "text": item["content"]}
    score = {"score": round(item["score"], 2)} if "score" in item else {}
    return {"id": item["uuid"][-8:], **score, **{column: value for column, value in said.items() if value}}


def filled(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{column: value for column, value in one.items() if value != ""} for one in table]


async def names_of(program: Program) -> dict[str, str]:
    listed = await json_of(program, "list", "--type", "entity", "--limit", "100")
    return {item["uuid"]: item["name"] for item in listed["items"]}


async def test_add_keeps_what_the_command_keeps_and_answers_at_once(program: Program, era: str) -> None:
    await asyncio.to_thread(program, "add", "Kim leads Delta.", "--tags", "people, work", "--async")
    async with serving(program, era) as agent:
        said = await agent.text("graphiti_add", content="Kim leads Delta.", tags="people, work")
        assert re.fullmatch(r"kept [0-9a-f]{8} in demo, pending", said)
        by_tool, by_command, *_ = (await json_of(program, "list"))["items"]
    same = ("content", "group_id", "source", "attributes", "status", "name")
    assert [by_tool[field] for field in same] == [by_command[field] for field in same]
    assert by_tool["attributes"] == {"tags": ["people", "work"]}


async def test_add_warns_of_secrets(program: Program) -> None:
    async with serving(program) as agent:
        said = await agent.text("graphiti_add", content="The key is AKIAQYLPMN5HHHFPZAM2.", tags=["keys"])
    assert "warning: the text holds what looks like a secret" in said


async def test_search_gives_the_rows_of_the_command(program: Program, era: str) -> None:
    async with serving(program, era) as agent:
        found = toons.loads(await agent.text("graphiti_search", query="where does Ana Costa work", limit=50))
        same = await json_of(program, "search", "where does Ana Costa work", "--limit", "50")
        names = await names_of(program)
    assert found.get("hidden", 0) == same["hidden"] > 0
    expected = [row(item, names) for item in same["results"]]
    sentences = {item["sentence"] for item in same["results"] if "sentence" in item}
    for one, as_told in zip(filled(found["results"]), expected, strict=True):
        if as_told["type"] == "episode":
            left = as_told.pop("text")
            for sentence in sentences:
                left = left.replace(sentence, "…")
            assert one.pop("text").replace("…", "").split() == left.replace("…", "").split()
        assert one == as_told


async def test_list_gives_the_rows_of_the_command(program: Program) -> None:
    async with serving(program) as agent:
        listed = toons.loads(await agent.text("graphiti_list"))
        same = await json_of(program, "list")
        assert filled(listed["items"]) == [row(item, {}) for item in same["items"]]
        assert len((await agent.text("graphiti_list", limit=2)).splitlines()) == 2


async def test_show_tells_what_the_command_tells(program: Program) -> None:
    async with serving(program) as agent:
        names = await names_of(program)
        for said in ("Ana Costa", (await json_of(program, "list"))["items"][0]["uuid"][-8:]):
            head, _, facts = (await agent.text("graphiti_show", name_or_id=said)).partition("\nfacts[")
            same = await json_of(program, "show", said)
            assert head.startswith(f"{same['type']} {same['item']['uuid']}")
            assert (same["item"].get("name") if same["type"] == "entity" else same["item"]["content"]) in head
            shown = filled(toons.loads("facts[" + facts)["facts"]) if facts else []
            assert shown == [row(fact, names) for fact in same["facts"]][: len(shown)]
            assert shown or len(same["facts"]) < 3


async def test_a_fact_is_shown_with_its_times(program: Program) -> None:
    async with serving(program) as agent:
        facts = (await json_of(program, "list", "--type", "fact"))["items"]
        ended = next(fact for fact in facts if fact["invalid_at"])
        said = await agent.text("graphiti_show", name_or_id=ended["uuid"])
    assert said.startswith(f"fact {ended['uuid']}\n{ended['sentence']}\nstate {ended['relation']}")
    assert f"until {ended['invalid_at']}" in said


async def test_delete_takes_away_what_the_command_would(program: Program) -> None:
    async with serving(program) as agent:
        latest = (await json_of(program, "list"))["items"][0]
        said = await agent.text("graphiti_delete", name_or_id=latest["uuid"][-8:])
        assert said.startswith(f"took away episode {latest['uuid'][-8:]}")
        assert latest["uuid"] not in {item["uuid"] for item in (await json_of(program, "list"))["items"]}
        await json_of(program, "undo", said.rpartition(" ")[2])
        again = await json_of(program, "delete", latest["uuid"][-8:])
        assert again["kind"] == "forget"


async def test_a_name_that_nobody_has_is_answered_with_those_that_come_near(program: Program, era: str) -> None:
    async with serving(program, era) as agent:
        for tool in ("graphiti_show", "graphiti_delete"):
            with pytest.raises(Refused, match="did you mean Ana Costa"):
                await agent.ask(tool, name_or_id="Anna Costa")


async def test_summarize_says_what_the_command_says(program: Program) -> None:
    async with serving(program) as agent:
        said = await agent.text("graphiti_summarize")
        assert said == (await json_of(program, "summarize"))["summary"]
        assert "Ana Costa" in said


async def test_compact_proposes_what_the_command_proposes_and_changes_nothing(program: Program) -> None:
    await double(program, "Nothing", "Nowhere")
    async with serving(program) as agent:
        proposed = toons.loads(await agent.text("graphiti_compact"))["proposed"]
        same = await json_of(program, "compact")
        assert [one["id"] for one in proposed if one["do"] == "remove"] == [e["uuid"][-8:] for e in same["orphans"]]
        merges = [(one["into"], one["id"]) for one in proposed if one["do"] == "merge into"]
        assert merges == [(kept["uuid"][-8:], other["uuid"][-8:]) for kept, other in same["duplicates"]]
        assert await json_of(program, "compact") == same
        assert [one["do"] for one in proposed] == ["merge into", "remove", "remove", "remove"]


async def test_health_counts_what_the_command_counts(program: Program) -> None:
    async with serving(program) as agent:
        said = await agent.text("graphiti_health")
        same = await json_of(program, "health")
    assert f"{same['episodes']} episodes, {same['entities']} entities, {same['facts']} facts" in said
    assert said.startswith("ready: sqlite:///")


async def test_config_reads_and_sets_what_the_command_does(
    program: Program, era: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with serving(program, era) as agent:
        assert await agent.text("graphiti_config", key="mcp.context_tokens") == "8192"
        said = await agent.text("graphiti_config", key="mcp.context_tokens", value="4096")
        assert said.startswith("set mcp.context_tokens in ")
        assert (await json_of(program, "config", "get", "mcp.context_tokens"))["value"] == 4096
        assert await agent.text("graphiti_config", key="mcp.context_tokens") == "4096"
        with pytest.raises(Refused, match="whole number"):
            await agent.ask("graphiti_config", key="mcp.context_tokens", value="many")
        with pytest.raises(Refused, match="unknown key"):
            await agent.ask("graphiti_config", key="mcp.context_token")


@pytest.mark.parametrize("key", ["store", "llm.api_key", "llm.base_url", "session_tracking.enabled", "group"])
async def test_config_sets_nothing_that_could_do_harm(program: Program, key: str) -> None:
    async with serving(program) as agent:
        with pytest.raises(Refused, match="not to be set by an agent"):
            await agent.ask("graphiti_config", key=key, value="x")
    assert key not in SETTABLE


async def test_config_is_the_operators_over_http(program: Program) -> None:
    async with serving(program, is_remote=True) as agent:
        with pytest.raises(Refused, match="not to be read by an agent"):
            await agent.ask("graphiti_config", key="store")
        with pytest.raises(Refused, match="are its operator's"):
            await agent.ask("graphiti_config", key="mcp.context_tokens", value="1000")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A session of Claude Code that is the current one; its id."""
    folders = homes(tmp_path)
    monkeypatch.setenv("EVERFACT_SESSION_TRACKING__WATCH_PATH", str(folders["claude"]))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", CLAUDE.stem)
    monkeypatch.setenv("EVERFACT_GROUP", "demo")
    return CLAUDE.stem


def follows(memory: Memory) -> Tracker:
    return make_tracker(load().settings, memory)


async def test_capture_takes_what_the_command_takes(tmp_path: Path, era: str, session: str) -> None:
    by_command = Program(tmp_path / "command.db")
    same = await json_of(by_command, "capture")
    async with talk(tmp_path / "tool.db", era=era, toolsets=("cli",), follows=follows) as agent:
        said = await agent.text("graphiti_capture")
        assert said == f"captured {same['turns']} turns of session {session}, kept as {same['episodes']} episodes"
        assert (await agent.text("graphiti_capture")).startswith("captured 0 turns")
        by_tool = await (await agent.host.memory()).episodes(Filter(group_ids=("demo",)), limit=100)
        told = await json_of(by_command, "list", "--limit", "100")
        assert {episode.uuid for episode in by_tool} == {item["uuid"] for item in told["items"]} != set()
        await agent.ask("session_tracking_stop", session_id=session)
        assert "is not to be captured" in await agent.text("graphiti_capture")


async def test_a_capture_that_takes_long_goes_on(
    tmp_path: Path, session: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("everfact.server.tools.cli._PATIENCE", 0)
    place = Place(default_group=lambda: "demo")
    async with talk(tmp_path / "tool.db", toolsets=("cli",), place=place, follows=follows) as agent:
        assert await agent.text("graphiti_capture") == "capturing goes on in the background"
        async with asyncio.timeout(30):
            while "SQLite" not in await agent.text("graphiti_search", query="which database did we decide on"):
                await asyncio.sleep(0.05)
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "00000000-0000-0000-0000-000000000000")
        await agent.text("graphiti_capture")
        async with asyncio.timeout(30):
            while "a session could not be captured" not in caplog.text:
                await asyncio.sleep(0.05)


async def test_capture_says_where_it_cannot(tmp_path: Path, program: Program, session: str) -> None:
    async with serving(program, is_remote=True) as agent:
        with pytest.raises(Refused, match="does not see your session"):
            await agent.ask("graphiti_capture")
    async with serving(program) as agent:
        with pytest.raises(Refused, match="follows no sessions"):
            await agent.ask("graphiti_capture")


async def test_an_id_leads_to_no_group_that_the_caller_may_not_see(program: Program) -> None:
    uuid = (await json_of(program, "list"))["items"][0]["uuid"]
    guest = Access(groups=frozenset({"guests"}), default_group="guests")
    async with talk(program.store, toolsets=("cli",), access=lambda: guest, works=False) as agent:
        for tool in ("graphiti_show", "graphiti_delete"):
            with pytest.raises(Refused, match="nothing has the id"):
                await agent.ask(tool, name_or_id=uuid)
        assert await agent.text("graphiti_health") == "ready: the memory\n0 episodes, 0 entities, 0 facts"
        assert await agent.text("graphiti_list") == "nothing there yet"
        assert await agent.text("graphiti_summarize") == "nothing was told yet"
        assert await agent.text("graphiti_search", query="Ana Costa") == "nothing found"
        assert await agent.text("graphiti_compact") == "nothing to do"


@pytest.mark.parametrize("size", [3, 10, 50])
def test_an_answer_is_read_back_as_the_rows_it_was_made_of(size: int) -> None:
    texts = ('a, "b": c', "1e5", "true", "- x", "line\nline", "", "[1]", "ünï…", "007", "#")
    told = [episode(texts[n % len(texts)] + "x" * (n // len(texts))) for n in range(size)]
    made = rows(told, {}, [n / size for n in range(size)])
    assert toons.loads(listing("results", made, hidden=2)) == {"results": made, "hidden": 2}


def test_two_rows_are_lines() -> None:
    made = rows([episode("Tea."), episode("Milk.")], {})
    assert [line.split("  ")[-1] for line in listing("items", made).splitlines()] == ["Tea.", "Milk."]

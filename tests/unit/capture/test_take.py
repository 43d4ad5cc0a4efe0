"""Sessions become episodes, each once, whenever and however often they are read."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.capture.samples import CLAUDE, CODEX, GEMINI, homes, options

from everfact.assemble import open_memory
from everfact.capture.take import capture_session, follow, preview
from everfact.capture.transcripts import at
from everfact.errors import CaptureError, NotFound, UsageError
from everfact.memory import Memory
from everfact.models import Episode, Filter, Trust

EVERYWHERE = Filter(group_ids=None)
SESSION = "5e551011-0000-4000-8000-000000000001"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with await open_memory(tmp_path / "memory.db") as memory:
        yield memory


class Script:
    """A transcript that goes on."""

    def __init__(self, folder: Path, session: str = SESSION) -> None:
        self.path = folder / f"{session}.jsonl"
        self.count = 0

    def line(self, kind: str, content: Any, **more: Any) -> Script:
        self.count += 1
        record = {
            "type": kind,
            "uuid": f"{self.path.stem}-{self.count}",
            "sessionId": self.path.stem,
            "cwd": "/home/ana/shop",
            "timestamp": f"2026-03-01T10:{self.count:02d}:00Z",
            "message": {"role": kind, "content": content},
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record | more) + "\n")
        return self

    def user(self, text: str) -> Script:
        return self.line("user", text)

    def agent(self, text: str) -> Script:
        return self.line("assistant", [{"type": "text", "text": text}])

    def tool(self, output: str) -> Script:
        self.line(
            "assistant", [{"type": "tool_use", "id": f"t{self.count}", "name": "Bash", "input": {"command": "x"}}]
        )
        return self.line("user", [{"type": "tool_result", "tool_use_id": f"t{self.count - 1}", "content": output}])


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


async def told(memory: Memory) -> dict[str, list[str]]:
    """What is kept, by role, in the order of the conversation."""
    kept = sorted(await memory.episodes(EVERYWHERE, limit=100), key=lambda episode: episode.position)
    return {role: [e.content for e in kept if e.role == role] for role in ("user", "assistant", "tool")}


async def digested(memory: Memory) -> list[Episode]:
    while await memory.digest(limit=8):
        pass
    return await memory.episodes(EVERYWHERE, limit=100)


@pytest.mark.parametrize("sample", [CLAUDE, CODEX, GEMINI])
async def test_taking_it_twice_adds_nothing(memory: Memory, sample: Path) -> None:
    client = "gemini" if sample is GEMINI else ""
    first = await capture_session(memory, options(), transcript=sample, client=client)
    before = await memory.episodes(EVERYWHERE, limit=100)
    again = await capture_session(memory, options(), transcript=sample, client=client)
    assert first.episodes == len(before) > 0
    assert (again.turns, again.episodes, again.tokens) == (0, 0, 0)
    assert await memory.episodes(EVERYWHERE, limit=100) == before
    assert first.session_id in {episode.thread for episode in before}


async def test_a_session_that_goes_on_is_taken_from_where_it_was_left(tmp_path: Path, script: Script) -> None:
    script.user("First question.").agent("First answer.")
    for _ in range(2):  # restarts between, too
        async with await open_memory(tmp_path / "memory.db") as memory:
            await capture_session(memory, options(), transcript=script.path)
        script.user("Next question.").tool("ok").agent("Next answer.")
    async with await open_memory(tmp_path / "memory.db") as memory:
        last = await capture_session(memory, options(), transcript=script.path)
        assert (last.turns, last.episodes) == (1, 3)
        assert await told(memory) == {
            "user": ["First question.", "Next question.", "Next question."],
            "assistant": ["First answer.", "Next answer.", "Next answer."],
            "tool": ["- Bash x → ok"] * 2,
        }


async def test_a_turn_that_goes_on_replaces_what_was_taken_of_it(memory: Memory, script: Script) -> None:
    script.user("Fix the test.").agent("Let me look.")
    await capture_session(memory, options(), transcript=script.path)
    assert (await told(memory))["assistant"] == ["Let me look."]
    script.tool("1 failed").agent("It is fixed.")
    await capture_session(memory, options(), transcript=script.path)
    assert await told(memory) == {
        "user": ["Fix the test."],
        "assistant": ["It is fixed."],
        "tool": ["Let me look.\n- Bash x → 1 failed"],
    }


async def test_when_it_is_taken_makes_no_difference(tmp_path: Path, script: Script) -> None:
    kept = []
    for number, pauses in enumerate(((), range(100))):
        own = Script(tmp_path / str(number), SESSION)
        own.path.parent.mkdir()
        async with await open_memory(tmp_path / f"{number}.db") as memory:
            for act in range(12):
                (own.user, own.agent, own.tool, own.agent)[act % 4](f"words {act}")
                if act in pauses:
                    await capture_session(memory, options(), transcript=own.path)
            await capture_session(memory, options(), transcript=own.path)
            kept.append(sorted((e.uuid, e.content) for e in await memory.episodes(EVERYWHERE, limit=100)))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 9


async def test_a_rewritten_file_starts_over_without_doubles(memory: Memory, script: Script) -> None:
    script.user("One.").agent("Answer one.").user("Two.").agent("Answer two.")
    await capture_session(memory, options(), transcript=script.path)
    kept = script.path.read_text(encoding="utf-8").splitlines(keepends=True)
    script.path.write_text("".join(kept[:1]), encoding="utf-8")  # cut off
    await capture_session(memory, options(), transcript=script.path)
    script.user("Three.")
    await capture_session(memory, options(), transcript=script.path)
    assert await told(memory) == {
        "user": ["One.", "Two.", "Three."],
        "assistant": ["Answer one.", "Answer two."],
        "tool": [],
    }


async def test_a_fork_brings_only_what_is_its_own(memory: Memory, script: Script, tmp_path: Path) -> None:
    script.user("One.").agent("Answer one.").user("Two.")
    fork = Script(tmp_path, "5e551011-0000-4000-8000-000000000002")
    shutil.copy(script.path, fork.path)
    fork.count = 3
    script.agent("This way.")
    fork.agent("That way.")
    for file in (script.path, fork.path, script.path, fork.path):
        await capture_session(memory, options(), transcript=file)
    assert (await told(memory))["user"] == ["One.", "Two."]
    assert sorted((await told(memory))["assistant"]) == ["Answer one.", "That way.", "This way."]


async def test_what_was_forgotten_stays_forgotten(memory: Memory, script: Script) -> None:
    script.user("I keep my diary here.")
    await capture_session(memory, options(), transcript=script.path)
    [episode] = await memory.episodes(EVERYWHERE)
    await memory.forget(episode.uuid)
    await capture_session(memory, options(), transcript=script.path)
    assert await memory.episodes(EVERYWHERE) == []


async def test_what_is_left_private_hides_the_rest_of_the_turn(memory: Memory, script: Script) -> None:
    script.user("Look. <private>my diagnosis").agent("About your diagnosis …").tool("diagnosis").user("Next.")
    await capture_session(memory, options(), transcript=script.path)
    assert await told(memory) == {"user": ["Look.", "Next."], "assistant": [], "tool": []}


async def test_each_turn_goes_to_the_group_of_its_folder(memory: Memory, script: Script) -> None:
    script.user("Here.").line("user", "There.", cwd="/home/ana/garden").line("user", "Nowhere.", cwd="no/../\0path")
    await capture_session(memory, options(), transcript=script.path)
    groups = {episode.content: episode.group_id for episode in await memory.episodes(EVERYWHERE)}
    assert groups == {"Here.": "shop", "There.": "garden", "Nowhere.": "garden"}


async def test_a_stopped_session_is_not_read(memory: Memory, script: Script) -> None:
    script.user("Not for you.")
    await follow(memory, SESSION, wanted=False)
    done = await capture_session(memory, options(), transcript=script.path)
    assert done.stopped
    assert await memory.episodes(EVERYWHERE) == []
    await follow(memory, SESSION, wanted=True)
    assert (await capture_session(memory, options(), transcript=script.path)).episodes == 1


async def test_an_agent_that_another_one_asked_is_not_captured(memory: Memory, tmp_path: Path) -> None:
    side = tmp_path / CODEX.name
    side.write_text(CODEX.read_text(encoding="utf-8").replace('"exec"', '{"subagent":"review"}'), encoding="utf-8")
    assert (await capture_session(memory, options(), transcript=side)).episodes == 0


async def test_a_session_is_found_by_its_id_or_its_folder(memory: Memory, tmp_path: Path) -> None:
    ways = options(homes(tmp_path))
    for session in (CLAUDE.stem, "01a1f00f-830d-76e0-94a5-c042ebba0632", "2cf2d08f-0428-489c-b9a0-a3257f96ac0c"):
        done = await capture_session(memory, ways, session_id=session)
        assert (done.session_id, done.episodes > 0) == (session, True)
    again = await capture_session(memory, ways, project=Path("/home/ana"))
    assert again.episodes == 0
    with pytest.raises(NotFound, match="no transcript of session"):
        await capture_session(memory, ways, session_id="nobody")
    with pytest.raises(NotFound, match="no transcript of a session in"):
        await capture_session(memory, ways, project=Path("/home/ben"))
    with pytest.raises(UsageError, match="no session id"):
        await capture_session(memory, ways, session_id="../../etc/passwd")


async def test_what_names_no_session_is_refused(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no session is named"):
        await capture_session(memory, options())
    with pytest.raises(NotFound, match="there is no transcript"):
        await capture_session(memory, options(), transcript=tmp_path / "nothing.jsonl")
    with pytest.raises(UsageError, match="no client is called"):
        await capture_session(memory, options(), transcript=CLAUDE, client="cursor")


@pytest.mark.parametrize("name", ["x.jsonl"])
async def test_a_file_that_may_not_be_read_is_an_error(memory: Memory, tmp_path: Path, name: str) -> None:
    script = Script(tmp_path)
    script.user("One.")
    found = at(script.path)
    script.path.unlink()
    with pytest.raises(CaptureError, match="is no file"):
        await preview(memory, options(), found)


async def test_what_the_filters_save_is_told(memory: Memory, script: Script) -> None:
    script.user("Look.").tool("x" * 4000 + "\nend").agent("Done.")
    done = await capture_session(memory, options(), transcript=script.path)
    assert (done.tokens, 900 < done.tokens_saved < 1000) == (52, True)


async def test_a_preview_counts_what_is_new_and_keeps_nothing(memory: Memory, script: Script) -> None:
    script.user("a" * 400).agent("b" * 40)
    assert await preview(memory, options(), at(script.path)) == (2, 110)
    assert await memory.episodes(EVERYWHERE) == []
    await capture_session(memory, options(), transcript=script.path)
    script.user("c" * 80)
    assert await preview(memory, options(), at(script.path)) == (3, 20)


# What is made of it


async def test_what_a_person_says_becomes_facts(memory: Memory, script: Script) -> None:
    script.user("Ana Costa works at Globex.").agent("Noted.")
    await capture_session(memory, options(), transcript=script.path)
    await digested(memory)
    [fact] = [fact for fact in await memory.facts(EVERYWHERE) if fact.relation == "WORKS_AT"]
    assert fact.attributes == {}


async def test_what_an_agent_says_ends_nothing_that_a_person_said(memory: Memory, script: Script) -> None:
    script.user("Ana Costa works at Globex.").agent("Ana Costa left Globex. Ana Costa works at Initech now.")
    await capture_session(memory, options(), transcript=script.path)
    await digested(memory)
    jobs = [fact for fact in await memory.facts(EVERYWHERE) if fact.relation == "WORKS_AT"]
    trusted = [fact for fact in jobs if "trust" not in fact.attributes]
    assert [(fact.sentence, fact.invalid_at) for fact in trusted] == [("Ana Costa works at Globex.", None)]
    assert {fact.attributes["trust"] for fact in jobs if fact not in trusted} == {Trust.UNVERIFIED}


async def test_what_tools_print_becomes_no_facts(memory: Memory, script: Script) -> None:
    script.user("Look.").tool("Ana Costa works at Globex.").agent("Done.")
    await capture_session(memory, options(), transcript=script.path)
    episodes = await digested(memory)
    assert [fact.relation for fact in await memory.facts(EVERYWHERE)] == []
    assert [(e.role, e.status.value) for e in episodes if "Globex" in e.content] == [("tool", "done")]


async def test_orders_to_the_agent_are_none_to_the_memory(memory: Memory, script: Script) -> None:
    script.user("Ana Costa works at Globex.").user("Forget everything about Ana Costa.").agent("Delete Ana Costa.")
    await capture_session(memory, options(), transcript=script.path)
    assert len(await digested(memory)) == 3
    assert "WORKS_AT" in {fact.relation for fact in await memory.facts(EVERYWHERE)}

"""Every event of every client, with good and bad input: a valid answer, whatever happens."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
import toons
from tests.hooks.conftest import Client

from everfact import Draft, open_memory
from everfact.hooks import run
from everfact.hooks.spool import Job, Spool
from everfact.injected import CLOSING, OPENING, without_injected

EVENTS = {
    "claude": ("SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "SessionEnd", "PostToolUse"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd", "BeforeTool"),
}
BAD = {
    "nothing": b"",
    "no JSON": b"{nonsense",
    "half a message": b'{"session_id": "x", "cwd": ',
    "a list": b"[1, 2]",
    "a number": b"7",
    "null": b"null",
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
    "wrong kinds": b'{"session_id": 7, "cwd": [], "prompt": {}, "transcript_path": null}',
    "strange places": json.dumps(
        {"session_id": "../../x", "cwd": "/no/such\0folder", "transcript_path": "\ud800"}
    ).encode(),
    "empty": b"{}",
}


def tell(client: Client, *texts: str, group: str = "demo") -> None:
    async def told() -> None:
        async with await open_memory(client.store) as memory:
            for text in texts:
                await memory.add(Draft(content=text, group_id=group), wait=True)

    asyncio.run(told())


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(("name", "event"), [(name, event) for name in EVENTS for event in EVENTS[name]])
def test_whatever_a_client_says_the_answer_is_valid(
    client: Client, started: list[Spool], name: str, event: str, bad: str
) -> None:
    answer = json.loads(run.answered(client.arguments(event, client=name), BAD[bad]))
    assert set(answer) <= {"hookSpecificOutput", "systemMessage"}
    assert "decision" not in answer


@pytest.mark.parametrize(
    ("name", "event", "spelled"),
    [
        ("claude", "SessionStart", "SessionStart"),
        ("claude", "session-start", "SessionStart"),
        ("claude", "UserPromptSubmit", "UserPromptSubmit"),
        ("codex", "user-prompt-submit", "UserPromptSubmit"),
        ("gemini", "BeforeAgent", "BeforeAgent"),
    ],
)
def test_notes_come_in_the_form_that_the_client_takes(client: Client, name: str, event: str, spelled: str) -> None:
    tell(client, "We chose Postgres over MySQL for the job queue.")
    tell(client, "I prefer short answers about the queue.", group="global")
    tell(client, "Somebody else's secret queue.", group="other")
    arguments, message = client.arguments(event, client=name), client.message(prompt="Which database has the queue?")
    answer = json.loads(run.answered(arguments, message))
    assert set(answer) == {"hookSpecificOutput"}
    assert answer["hookSpecificOutput"]["hookEventName"] == spelled
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert context.startswith(f'"{OPENING}"')
    assert toons.loads(context)["decisions"][0]["fact"] == "We chose Postgres over MySQL for the job queue."
    assert toons.loads(context)["preferences"][0]["fact"] == "I prefer short answers about the queue."
    assert "secret" not in context
    assert without_injected(context) == ""


def test_a_prompt_gets_only_what_touches_it(client: Client) -> None:
    tell(client, "We chose Postgres over MySQL for the job queue.")
    prompts = ("Tell me a joke", "/compact", "<task-notification>the job queue Postgres</task-notification>", "", "  ")
    for prompt in prompts:
        assert client.call("UserPromptSubmit", prompt=prompt) == {}, prompt


def test_parts_stay_below_what_clients_take_whole(client: Client, own_home: Path) -> None:
    rows = [
        {"fact": f'Ana "saw" bird \\ {n} ' + "é" * 120, "subject": "Ana", "relation": "saw", "object": f"b{n}"}
        for n in range(300)
    ]
    facts = client.folder / "facts.json"
    facts.write_text(json.dumps(rows), encoding="utf-8")
    added = [sys.executable, "-m", "everfact", "--store", str(client.store), "--group", "demo", "add-facts", str(facts)]
    subprocess.run(added, check=True, capture_output=True)
    answers = []
    for number in range(1, 5):
        arguments = client.arguments("SessionStart", "--part", f"{number}/4")
        answers.append(run.answered(arguments, client.message()))
    assert all(len(answer) < 10_000 for answer in answers)
    contexts = [json.loads(answer)["hookSpecificOutput"]["additionalContext"] for answer in answers]
    shown = [row["fact"] for context in contexts for row in toons.loads(context)["recent_work"]]
    assert len(shown) == len(set(shown)) > 100
    assert all(context.count(OPENING) == context.count(CLOSING) == 1 for context in contexts)


@pytest.mark.parametrize("part", ["0/4", "5/4", "x", "1", "-1/2", "1/0"])
def test_a_part_that_is_none_is_the_whole(client: Client, part: str) -> None:
    assert run._read(client.arguments("SessionStart", "--part", part)).part == (1, 1)


def test_a_memory_that_is_not_there_yet_says_nothing_and_is_not_made(client: Client) -> None:
    assert client.call("SessionStart") == {}
    assert client.call("UserPromptSubmit", prompt="Which queue?") == {}
    assert not client.store.exists()


def test_a_broken_memory_is_told_in_one_line(client: Client) -> None:
    client.store.write_bytes(b"this is no database, but it is long enough to be looked at" * 100)
    for event in ("SessionStart", "UserPromptSubmit"):
        said = toons.loads(client.context(event, prompt="Which queue?"))
        assert "damaged" in said["everfact"]
        assert "\n" not in said["everfact"]


def test_a_locked_memory_is_not_waited_for(client: Client) -> None:
    tell(client, "We chose Postgres over MySQL for the job queue.")
    holder = apsw.Connection(str(client.store))
    holder.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").fetchall()
    began = time.monotonic()
    said = client.context("SessionStart")
    took = time.monotonic() - began
    holder.close()
    assert "busy" in toons.loads(said)["everfact"]
    assert took < 10  # others wait for 30 seconds


def test_parked_episodes_are_told_once_a_session(client: Client) -> None:
    tell(client, "We chose Postgres over MySQL for the job queue.")
    connection = apsw.Connection(str(client.store))
    connection.execute(
        "INSERT INTO queue (episode_id, parked, attempts, retry_at, error) SELECT id, 1, 5, 0, 'x' FROM episodes"
    )
    connection.close()
    said = toons.loads(client.context("SessionStart", "--part", "1/2"))
    assert said["everfact"].startswith("1 episodes could not be digested")
    assert client.context("SessionStart", "--part", "2/2") == ""
    assert "everfact" not in toons.loads(client.context("UserPromptSubmit", prompt="queue?"))


def test_wrong_settings_are_told_and_the_session_is_captured_all_the_same(
    client: Client, spool: Spool, started: list[Spool]
) -> None:
    (client.folder / ".everfact.toml").write_text("nonsense = 1\n", encoding="utf-8")
    assert "nonsense" in toons.loads(client.context("SessionStart"))["everfact"]
    assert client.call("SessionEnd") == {}
    assert len(spool.waiting()) == 1


def test_turns_are_counted_and_handed_over_together(client: Client, spool: Spool, started: list[Spool]) -> None:
    for _ in range(7):
        assert client.call("Stop") == {}
    assert client.call("Stop", stop_hook_active=True) == {}
    assert spool.waiting() == []
    assert client.call("Stop") == {}
    assert len(spool.waiting()) == 1
    assert len(started) == 1
    for event in ("PreCompact", "SessionEnd"):
        spool.waiting()[0].unlink()
        assert client.call(event) == {}
        assert len(spool.waiting()) == 1


def test_a_job_says_where_things_are_and_holds_nothing_of_what_was_said(
    client: Client, spool: Spool, started: list[Spool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_SESSION_TOKEN", "planted-secret")
    client.call("SessionEnd", prompt="said in private", last_assistant_message="said in private")
    (path,) = spool.waiting()
    text = path.read_text(encoding="utf-8")
    assert "private" not in text
    assert "planted-secret" not in text
    job = json.loads(text)
    assert (job["kind"], job["transcript"], job["client"]) == ("capture", str(client.transcript), "claude")
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to root, or by POSIX modes")
def test_a_folder_that_cannot_be_written_is_told(client: Client, spool: Spool) -> None:
    spool.folder.mkdir(parents=True)
    spool.folder.chmod(0o500)
    assert "cannot be captured" in client.call("SessionEnd")["systemMessage"]


def test_a_file_in_the_place_of_the_folder_is_told(client: Client, spool: Spool) -> None:
    spool.folder.parent.mkdir(parents=True, exist_ok=True)
    spool.folder.write_text("in the way", encoding="utf-8")
    assert "cannot be captured" in client.call("SessionEnd")["systemMessage"]


def test_work_that_failed_is_told_at_the_next_start(client: Client, spool: Spool, started: list[Spool]) -> None:
    job = Job(kind="capture", store=str(client.store), session_id="s")
    spool.put(job)
    for _ in range(5):
        taken = spool.take(spool.waiting()[0])
        assert taken is not None
        spool.failed(taken, "no transcript")
    assert "1 captured sessions or indexes failed" in toons.loads(client.context("SessionStart"))["everfact"]


def test_a_start_wakes_what_somebody_left_behind(client: Client, spool: Spool, started: list[Spool]) -> None:
    spool.put(Job(kind="capture", store=str(client.store), session_id="s"))
    client.call("SessionStart")
    assert len(started) == 1


def test_behind_a_server_hooks_are_silent(client: Client, spool: Spool) -> None:
    assert client.call("SessionStart", "--remote", "http://127.0.0.1:1/mcp") == {}
    assert client.call("SessionEnd", "--remote", "http://127.0.0.1:1/mcp") == {}
    assert spool.waiting() == []


@pytest.mark.parametrize("bad", ["nothing", "no JSON", "binary", "empty"])
@pytest.mark.parametrize("event", ["SessionStart", "Stop", "Nonsense", ""])
def test_the_program_ends_well(client: Client, event: str, bad: str) -> None:
    done = client.start(event, stdin=BAD[bad])
    assert done.returncode == 0
    assert done.stderr == b""
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stdout.count(b"\n") == 1


def test_the_program_does_not_choke_on_a_huge_message(client: Client) -> None:
    for size in (10_000_000, 60_000_000):
        done = client.start("UserPromptSubmit", stdin=client.message(prompt="queue " * (size // 6)))
        assert done.returncode == 0
        assert isinstance(json.loads(done.stdout), dict)


def test_a_client_that_never_stops_talking_is_left(client: Client) -> None:
    command = [sys.executable, "-m", "everfact", "hook", *client.arguments("SessionStart")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=client.folder) as process:
        assert process.stdout is not None
        answer = json.loads(process.stdout.read())
        assert process.wait(60) == 0
    assert "too long" in answer["systemMessage"]


def test_a_hook_brings_nothing_heavy(client: Client) -> None:
    heavy = (
        "{'mcp', 'numpy', 'textblob', 'nltk', 'typer', 'rich', 'pydantic', 'tokenizers', 'httpx'} & set(sys.modules)"
    )
    client.store.touch()
    given = [*client.arguments("SessionStart")], client.message()
    code = f"import sys; from everfact.hooks.run import answered; answered({given[0]!r}, {given[1]!r}); print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"

"""Hooks in the real clients: what one conversation decides is in the first request of the next one."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.clients.model import Model, serving
from tests.clients.node import installed, run
from tests.clients.replies import Reply, generate_content, replying, responses
from tests.clients.test_claude import claude

from everfact import Draft, Filter, open_memory
from everfact.injected import CLOSING, OPENING

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

EVENTS = {
    "claude": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd"),
}
DECISION = "We chose Postgres over MySQL for the job queue because of SKIP LOCKED."


def hooks(folder: Path, client: str, seconds: int) -> dict[str, Any]:
    """The hooks as an installer writes them; `seconds` is their time limit in the client's unit."""
    program = [sys.executable, "-m", "everfact", "hook"]
    options = ["--client", client, "--store", str(folder / "memory.db"), "--group", "demo"]
    return {
        event: [
            {"hooks": [{"type": "command", "command": shlex.join([*program, event, *options]), "timeout": seconds}]}
        ]
        for event in EVENTS[client]
    }


def keep(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")


def tell(folder: Path) -> None:
    """Have the decision in the memory."""

    async def told() -> None:
        async with await open_memory(folder / "memory.db") as memory:
            await memory.add(Draft(content=DECISION, group_id="demo"), wait=True)

    asyncio.run(told())


def captured(folder: Path) -> list[str]:
    """What has been captured, once nothing waits any more."""
    spool = folder / ".local" / "share" / "everfact" / "spool"
    end = time.monotonic() + 120
    while not (spool / "taken").is_dir() or list(spool.glob("waiting/*")) or list(spool.glob("taken/*")):
        assert time.monotonic() < end, "nothing was captured"
        time.sleep(0.2)

    async def read() -> list[str]:
        async with await open_memory(folder / "memory.db") as memory:
            return [episode.content for episode in await memory.episodes(Filter(group_ids=("demo",)))]

    return asyncio.run(read())


def converse(folder: Path, prompt: str) -> list[str]:
    """A conversation of one turn; answers with the requests that reached the model."""
    with serving(Model("none", {})) as model:
        done = claude(folder, "-p", prompt, ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="none")
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return [json.dumps(request, ensure_ascii=False) for request in model.requests]


def test_what_is_decided_in_one_conversation_the_next_one_begins_with(tmp_path: Path) -> None:
    keep(tmp_path / ".claude" / "settings.json", {"hooks": hooks(tmp_path, "claude", 10)})
    first = converse(tmp_path, f"{DECISION} Just say that you have read this.")
    assert not any(OPENING in request for request in first)
    assert any(DECISION in text for text in captured(tmp_path))
    second = converse(tmp_path, "Good morning, what is there to do?")
    told = [request for request in second if OPENING in request]
    assert told, second
    start = told[0].index(OPENING)
    notes = told[0][start : told[0].index(CLOSING, start)]
    assert DECISION in notes
    assert "untrusted: claude session" in notes
    asked = converse(tmp_path, "Which database has the job queue?")
    assert any(request.count(OPENING) >= 2 for request in asked)


def recording(reply: Reply, requests: list[str]) -> Reply:
    def recorded(path: str, request: dict[str, Any]) -> tuple[str, str]:
        requests.append(json.dumps(request, ensure_ascii=False))
        return reply(path, request)

    return recorded


def check(requests: list[str], folder: Path) -> None:
    """The notes are in what the model is sent, and what was said is captured without them."""
    told = [request for request in requests if OPENING[1:-1] in request]  # Gemini CLI writes &lt; and &gt;
    assert told, requests
    assert DECISION in told[0]
    kept = captured(folder)
    assert "Which database has the job queue?" in kept
    assert [text for text in kept if DECISION in text] == [DECISION]
    assert not any(OPENING[1:-1] in text for text in kept)


def test_codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERFACT_CAPTURE__EVERY_TURNS", "1")
    program = installed("@openai/codex").parents[1] / ".bin" / "codex"
    tell(tmp_path)
    home = tmp_path / ".codex"
    keep(home / "hooks.json", {"hooks": hooks(tmp_path, "codex", 10)})
    requests: list[str] = []
    with replying(recording(responses, requests)) as url:
        provider = f'name = "mock"\nbase_url = "{url}/v1"\nwire_api = "responses"\nrequires_openai_auth = false\n'
        settings = f'model_provider = "mock"\nmodel = "gpt-5"\n[model_providers.mock]\n{provider}'
        (home / "config.toml").write_text(settings, encoding="utf-8")
        trust = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")
        words = ("exec", "--skip-git-repo-check", *trust, "Which database has the job queue?")
        done = run(program, *words, cwd=tmp_path, environ={"CODEX_HOME": str(home)})
    assert done.returncode == 0, done.stderr[-2000:]
    check(requests, tmp_path)


def test_gemini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERFACT_CAPTURE__EVERY_TURNS", "1")
    program = installed("@google/gemini-cli").parents[1] / ".bin" / "gemini"
    tell(tmp_path)
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    keep(tmp_path / ".gemini" / "settings.json", {"security": security, "hooks": hooks(tmp_path, "gemini", 10_000)})
    requests: list[str] = []
    with replying(recording(generate_content, requests)) as url:
        keys = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url}
        words = ("-m", "gemini-2.5-flash", "--yolo", "-p", "Which database has the job queue?")
        done = run(program, *words, cwd=tmp_path, environ=keys)
    assert done.returncode == 0, done.stderr[-2000:]
    check(requests, tmp_path)

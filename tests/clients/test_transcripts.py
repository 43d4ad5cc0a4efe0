"""Sessions of the real programs are captured, each turn once, and found by search."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.clients.model import Model, serving
from tests.clients.node import installed, run
from tests.clients.replies import SAID, generate_content, replying, responses
from tests.clients.serving import PYTHON, SERVE, http_server
from tests.clients.test_claude import claude

from everfact.assemble import open_memory
from everfact.models import Episode, Filter

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

DECIDED = "We decided to use SQLite for the cache."
PRIVATE = " <private>My pin is 4711.</private>"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git project, which is also the clients' home."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / "notes.txt").write_text("The cache was a dictionary.\n", encoding="utf-8")
    return tmp_path


def everfact(folder: Path, *words: str) -> Any:
    """What a command answers; the memory of the clients' home, and their environment."""
    done = run(PYTHON, "-m", "everfact", *words, "--json", cwd=folder, environ={"PWD": str(folder)})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def kept(folder: Path) -> list[Episode]:
    """All episodes of the memory, in the order they speak from."""

    async def read() -> list[Episode]:
        async with await open_memory(folder / ".local" / "share" / "everfact" / "memory.db") as memory:
            return await memory.episodes(Filter(group_ids=None), limit=100)

    return sorted(asyncio.run(read()), key=lambda episode: (episode.thread, episode.position))


def check(folder: Path, *, tool: str) -> None:
    """The prompt, the answer and the work are there, are found, and another sync adds nothing."""
    before = kept(folder)
    by_role = {episode.role: episode for episode in before}
    assert by_role["user"].content == DECIDED
    assert tool in by_role["tool"].content
    assert len(before) == 3
    assert {episode.group_id for episode in before} == {by_role["user"].group_id}
    assert by_role["user"].group_id.startswith(folder.name)
    assert everfact(folder, "queue", "--run")["digested"] == 3
    found = everfact(folder, "search", "what did we decide to use for the cache?")
    assert DECIDED in json.dumps(found)
    assert everfact(folder, "session-tracking", "sync", "--no-dry-run")["sessions_indexed"] == 1
    assert [episode.uuid for episode in kept(folder)] == [episode.uuid for episode in before]


def ask_claude(folder: Path, model: Model, prompt: str, *more: str) -> str:
    """A run of Claude Code; answers with its session."""
    entry = {"command": SERVE[0], "args": [*SERVE[1:], "--store", str(folder / "other.db")]}
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"mem": entry}}), encoding="utf-8")
    done = claude(
        folder,
        *("-p", prompt, "--mcp-config", str(config), "--strict-mcp-config", "--allowedTools", "mcp__mem__*"),
        *("--output-format", "json", *more),
        ANTHROPIC_BASE_URL=model.url,
        ANTHROPIC_API_KEY="none",
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return str(json.loads(done.stdout)["session_id"])


def test_claude_code(project: Path) -> None:
    with serving(Model("get_status", {})) as model:
        session = ask_claude(project, model, DECIDED + PRIVATE)
        assert everfact(project, "capture", "--session", session)["episodes"] == 3
        check(project, tool="- mcp__mem__get_status")
        assert ask_claude(project, model, "And Redis for sessions.", "--resume", session) == session
    more = everfact(project, "capture", "--session", session)
    assert (more["turns"], more["episodes"]) == (1, 2)
    assert "And Redis for sessions." in [episode.content for episode in kept(project)]
    everything = b"".join(file.read_bytes() for file in (project / ".local" / "share" / "everfact").iterdir())
    assert b"4711" not in everything
    assert b"You are Claude" not in everything


def test_claude_code_while_a_server_follows(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in {
        "ENABLED": "true",
        "INACTIVITY_TIMEOUT": "1",
        "CHECK_INTERVAL": "0.2",
        "WATCH_PATH": str(project / ".claude" / "projects"),
    }.items():
        monkeypatch.setenv(f"EVERFACT_SESSION_TRACKING__{key}", value)
    store = project / ".local" / "share" / "everfact" / "memory.db"
    store.parent.mkdir(parents=True)
    with http_server(store), serving(Model("get_status", {})) as model:
        time.sleep(2)  # the server opens its memory a moment after it listens
        ask_claude(project, model, DECIDED)
        deadline = time.monotonic() + 60
        while not any(episode.content == DECIDED for episode in kept(project)):
            assert time.monotonic() < deadline, "nothing was captured"
            time.sleep(0.5)


def test_codex(project: Path) -> None:
    program = installed("@openai/codex").parents[1] / ".bin" / "codex"
    home = project / ".codex"
    home.mkdir()
    with replying(responses) as url:
        provider = f'name = "mock"\nbase_url = "{url}/v1"\nwire_api = "responses"\nrequires_openai_auth = false\n'
        settings = f'model_provider = "mock"\nmodel = "gpt-5"\n[model_providers.mock]\n{provider}'
        (home / "config.toml").write_text(settings, encoding="utf-8")
        words = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", DECIDED + PRIVATE)
        done = run(program, *words, cwd=project, environ={"CODEX_HOME": str(home)})
    assert SAID in done.stdout, done.stderr[-2000:]
    synced = everfact(project, "session-tracking", "sync", "--no-dry-run")
    assert (synced["sessions_found"], synced["sessions_indexed"]) == (1, 1)
    check(project, tool="cat notes.txt → ")


def test_gemini(project: Path) -> None:
    program = installed("@google/gemini-cli").parents[1] / ".bin" / "gemini"
    settings = project / ".gemini" / "settings.json"
    settings.parent.mkdir()
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    settings.write_text(json.dumps({"security": security}), encoding="utf-8")
    with replying(generate_content) as url:
        keys = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url}
        words = ("-m", "gemini-2.5-flash", "--yolo", "-p", DECIDED + PRIVATE)
        done = run(program, *words, cwd=project, environ=keys)
    assert SAID in done.stdout, done.stderr[-2000:]
    assert everfact(project, "session-tracking", "sync", "--no-dry-run")["sessions_indexed"] == 1
    check(project, tool="- read_file notes.txt → The cache was a dictionary.")

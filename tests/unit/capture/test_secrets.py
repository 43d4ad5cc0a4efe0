"""No secret of a transcript reaches the file, the logs or an answer."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from tests.server.talk import talk
from tests.unit.capture.samples import options

from everfact.assemble import open_memory
from everfact.capture.shorten import Filters
from everfact.capture.take import Options, capture_session

pytestmark = pytest.mark.slow

BODY = "9f8Kq2Lm4Xv7Zt1Rw6Yb3Nc5"
SECRETS = {
    "Anthropic": f"sk-ant-api03-{BODY}{BODY}{BODY}",
    "OpenAI": f"sk-proj-{BODY}{BODY}",
    "Google": f"AIza{BODY}{BODY}"[:39],
    "AWS": "AKIA" + "Q2L4X7Z1R6Y3N5K8",
    "GitHub": f"ghp_{BODY}{BODY}"[:40],
    "Slack": f"xoxb-{BODY}",
    "Stripe": f"sk_live_{BODY}",
    "JWT": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + BODY,
    "URL": "postgres://shop:" + BODY + "@db.example.org/shop",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n" + f"{BODY}{BODY}\n" * 4 + "-----END RSA PRIVATE KEY-----",
}


def transcript(path: Path, secret: str) -> None:
    """A session that holds the secret wherever one can be, also where a summary cuts."""
    lines: list[dict[str, object]] = [
        {"type": "user", "message": {"content": f"Use this: {secret}"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": f"I use {secret} now."}]}},
        {"type": "user", "message": {"content": f"{'And ' * 30}{secret}"}},
    ]
    for number, filling in enumerate((0, 100, 130, 150, 158)):
        long = f"{'x' * filling} {secret}"
        arguments = {"command": long, "file_path": "" if number % 2 else f"/home/{secret}/a.py"}
        call = {"type": "tool_use", "id": f"t{number}", "name": f"mcp.{secret}", "input": arguments}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"{long}\n{long}"}
        lines.append({"type": "assistant", "message": {"content": [call]}})
        lines.append({"type": "user", "message": {"content": [result]}})
    common = {"sessionId": "s", "cwd": "/home/ana/shop", "timestamp": "2026-03-01T10:00:00Z"}
    text = "".join(json.dumps({"uuid": str(n), **common, **line}) + "\n" for n, line in enumerate(lines))
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("detail", ["SUMMARY", "FULL"])
async def test_no_secret_reaches_file_log_or_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str, detail: str
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = SECRETS[kind]
    transcript(tmp_path / "s.jsonl", secret)
    filters = Filters(user_messages=detail, agent_messages=detail, tool_calls=detail, tool_content=detail)  # type: ignore[arg-type]
    ways = Options(group_of=options().group_of, filters=filters)
    home = tmp_path / "home"
    home.mkdir()
    telling = secret.split(":", 2)[-1].partition("@")[0] if kind == "URL" else secret.splitlines()[-2:][0]
    pieces = [telling[start : start + 12] for start in range(8, max(len(telling) - 12, 9), 4)]
    async with await open_memory(home / "memory.db") as memory:
        done = await capture_session(memory, ways, transcript=tmp_path / "s.jsonl")
        assert done.episodes == 4
        while await memory.digest():
            pass
        while await memory.embed():
            pass
        # While it is open the newest pages are in the log beside the file.
        kept = b"".join(file.read_bytes() for file in home.iterdir())
        assert [piece for piece in pieces if piece.encode() in kept] == []
    async with talk(home / "memory.db") as agent:
        answers = [
            await agent.ask("get_episodes", group_id="shop", max_episodes=50),
            await agent.ask("search", query="use this Tool command", group_ids="shop", limit=50),
            await agent.text("get_context", group_ids="shop"),
        ]
        assert "redacted" in str(answers)
    assert [piece for piece in pieces if piece in f"{answers}{caplog.text}"] == []

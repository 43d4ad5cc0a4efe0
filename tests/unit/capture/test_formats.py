"""Each line type of each client, as it comes out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.capture.samples import CLAUDE, CODEX, CWD, GEMINI, GEMINI_OLD, by_role

from everfact.capture import transcripts
from everfact.capture.shorten import Detail, Filters, result, words
from everfact.models import Draft, Trust
from everfact.server.toolsets import TOOLSETS

FULL = Filters(tool_calls="FULL", tool_content="FULL")


def drafts_of(path: Path, client: str = "", filters: Filters | None = None) -> list[Draft]:
    found = transcripts.at(path, client).turns(filters or Filters())
    return [draft for turn in found for draft in turn.drafts("shop")]


@pytest.mark.parametrize(
    ("path", "client"), [(CLAUDE, "claude"), (CODEX, "codex"), (GEMINI, "gemini"), (GEMINI_OLD, "gemini")]
)
@pytest.mark.parametrize("filters", [Filters(), FULL])
def test_what_nobody_said_never_comes_out(path: Path, client: str, filters: Filters) -> None:
    drafts = drafts_of(path, client, filters)
    assert drafts
    assert [draft.content for draft in drafts if "never indexed" in draft.content or "4711" in draft.content] == []
    assert all(draft.is_captured and draft.reference_time for draft in drafts)


def test_claude_code() -> None:
    drafts = drafts_of(CLAUDE)
    assert by_role(drafts, "user") == ["We decided to use SQLite for the cache.", "Deploy on Friday."]
    assert by_role(drafts, "assistant") == ["The cache uses SQLite now.", "Friday it is."]
    assert by_role(drafts, "tool") == [
        "Let me look at the cache.\n"
        "- Read /home/ana/shop/src/cache.py → import shelve; 3 lines, 43 characters\n"
        "- Bash make test → exit 2; make: *** no rule for 'test'; 3 lines, 46 characters\n"
        "- mcp__everfact__search cache"
    ]
    assert {draft.thread for draft in drafts if draft.role != "tool"} == {CLAUDE.stem}
    work = next(draft for draft in drafts if draft.role == "tool")
    assert work.thread == f"{CLAUDE.stem}/tools"
    assert work.attributes == {"tools": ["Read", "Bash", "mcp__everfact__search"], "trust": Trust.UNVERIFIED}
    assert drafts[0].reference_time == datetime(2026, 3, 1, 9, 0, 5, tzinfo=UTC)
    assert transcripts.at(CLAUDE).session().cwd == CWD


def test_codex() -> None:
    drafts = drafts_of(CODEX)
    assert by_role(drafts, "user") == ["Our API limit is 500 requests per minute."]
    assert by_role(drafts, "assistant") == ["The limit is 500 now."]
    assert by_role(drafts, "tool") == [
        "- shell cat limits.toml → exit 0; limit = 100; 4 lines, 55 characters\n"
        "- mcp__everfact__search limit\n"
        "- apply_patch limits.toml → Success. Updated limits.toml\n"
        "- local_shell ls\n"
        "- broken {not json"
    ]
    assert transcripts.at(CODEX).session().cwd == CWD


@pytest.mark.parametrize("path", [GEMINI, GEMINI_OLD])
def test_gemini(path: Path) -> None:
    drafts = drafts_of(path, "gemini")
    assert by_role(drafts, "user") == ["Who leads the shop?"]
    assert by_role(drafts, "assistant") == ["Ben leads the shop since May."]
    assert by_role(drafts, "tool") == [
        "I will read the file.\n"
        "- read_file /home/ana/shop/team.md → Ben leads the shop.; 2 lines, 30 characters\n"
        "- web_fetch read https://example.org → failed; no network"
    ]


def test_everything_is_kept_in_full_where_that_is_wanted() -> None:
    work = by_role(drafts_of(CLAUDE, filters=FULL), "tool")[0]
    assert '- Bash {"command": "make test", "description": "Run the tests"} → Exit code 2' in work
    assert "CACHE = shelve.open('cache')" in work


@pytest.mark.parametrize("name", ["user_messages", "agent_messages", "tool_calls", "tool_content"])
def test_each_class_can_be_left_out(name: str) -> None:
    kept = "\n".join(draft.content for draft in drafts_of(CLAUDE, filters=Filters(**{name: "OMIT"})))  # type: ignore[arg-type]
    shown = {
        "user_messages": "We decided to use SQLite" in kept,
        "agent_messages": "The cache uses SQLite now." in kept,
        "tool_calls": "make test" in kept,
        "tool_content": "import shelve" in kept,
    }
    assert shown == {each: each != name for each in shown}


def test_a_summary_is_the_first_line() -> None:
    short = Filters(user_messages="SUMMARY", agent_messages="SUMMARY")
    assert by_role(drafts_of(CLAUDE, filters=short), "user")[1] == "Deploy on Friday."


MEMORY_TOOLS = {name for group in ("core", "graphiti", "history") for name in TOOLSETS[group]} - {"search"}


@pytest.mark.parametrize("name", sorted(name for name in MEMORY_TOOLS if name.startswith(("search", "get_e", "get_h"))))
@pytest.mark.parametrize("detail", ["SUMMARY", "FULL"])
def test_what_a_memory_recalls_is_not_learned_again(name: str, detail: Detail) -> None:
    assert result(detail, f"mcp__notes__{name}", "Ana works at Globex.", failed=False) == ""
    assert result(detail, f"mcp_notes_{name}", "Ana works at Globex.", failed=False) == ""
    assert result(detail, "mcp__everfact__search", "Ana works at Globex.", failed=False) == ""
    assert result(detail, "mcp__notes__read", "Ana works at Globex.", failed=False) == "Ana works at Globex."


def test_a_long_text_is_cut_with_its_size() -> None:
    assert words("FULL", "x" * 100_010) == "x" * 100_000 + "… (10 characters more)"
    assert words("SUMMARY", "First line.\nSecond.") == "First line. (19 characters)"
    assert result("SUMMARY", "Bash", "y" * 500, failed=True) == "failed; " + "y" * 159 + "…"


def test_a_gemini_prompt_behind_the_notes_of_a_hook_is_kept(tmp_path: Path) -> None:
    """As Gemini CLI 0.61 writes it: notes and prompt in one part."""
    notes = (
        '<hook_context>"&lt;everfact-memory&gt;": notes\nnever indexed\n"&lt;/everfact-memory&gt;": ""</hook_context>'
    )
    head = {"sessionId": "s", "startTime": "2026-03-03T09:00:00.000Z", "kind": "main"}
    parts = [{"text": "<session_context>never indexed</session_context>"}, {"text": f"{notes}\n\nWho leads the shop?"}]
    said = {"id": "u1", "timestamp": "2026-03-03T09:00:02.000Z", "type": "user", "content": parts}
    path = tmp_path / GEMINI.name
    path.write_text(f"{json.dumps(head)}\n{json.dumps(said)}\n", encoding="utf-8")
    assert by_role(drafts_of(path, "gemini"), "user") == ["Who leads the shop?"]

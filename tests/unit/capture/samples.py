"""The sample transcripts, laid out as their clients do."""

from __future__ import annotations

import shutil
from pathlib import Path

from everfact.capture.take import Options
from everfact.models import Draft

DATA = Path(__file__).parents[2] / "data" / "transcripts"
CLAUDE = DATA / "0b7c2a50-1111-4222-8333-444455556666.jsonl"
CODEX = DATA / "rollout-2026-03-02T09-00-00-01a1f00f-830d-76e0-94a5-c042ebba0632.jsonl"
GEMINI = DATA / "session-2026-03-03T09-00-2cf2d08f.jsonl"
GEMINI_OLD = DATA / "session-2025-03-03T09-00-77777777.json"
CWD = Path("/home/ana/shop")


def homes(root: Path) -> dict[str, Path]:
    """The clients' folders below `root`, with one session each."""
    folders = {"claude": root / "claude", "codex": root / "codex", "gemini": root / "gemini"}
    places = {
        CLAUDE: folders["claude"] / "-home-ana-shop",
        CODEX: folders["codex"] / "2026" / "03" / "02",
        GEMINI: folders["gemini"] / "shop" / "chats",
    }
    for sample, place in places.items():
        place.mkdir(parents=True)
        shutil.copy(sample, place)
    (folders["gemini"] / "shop" / ".project_root").write_text(f"{CWD}\n", encoding="utf-8")
    return folders


def options(folders: dict[str, Path] | None = None) -> Options:
    """Everything goes to a group named for the folder."""
    return Options(group_of=lambda folder: folder.name or "root", folders=folders or {})


def by_role(drafts: list[Draft], role: str) -> list[str]:
    return [draft.content for draft in drafts if draft.role == role]

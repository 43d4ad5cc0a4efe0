"""Which project a process works for, and the group that a project has by default.

Worktrees of one repository share a group: its name comes from the folder that git keeps for all of them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from everfact.config.settings import Settings
from everfact.config.sources import project_folders

MAIN = "main"
_NAME_LENGTH = 48
_HASH_LENGTH = 8


def project_dir(settings: Settings, environ: Mapping[str, str] | None = None) -> Path:
    """The folder of the client's project: the setting, else what the client says, else where we were started."""
    if settings.mcp.project_dir is not None:
        return settings.mcp.project_dir
    environ = os.environ if environ is None else environ
    for variable in ("CLAUDE_PROJECT_DIR", "PWD"):
        folder = environ.get(variable, "")
        if Path(folder).is_absolute() and Path(folder).is_dir():
            return Path(folder)
    return Path.cwd()


def transcript_folders(settings: Settings, environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Where the coding assistants of this machine keep what was said, by client, whether they are there or not."""
    environ = os.environ if environ is None else environ
    places = {
        "claude": settings.session_tracking.watch_path,
        "codex": Path(environ.get("CODEX_HOME") or "~/.codex") / "sessions",
        "gemini": Path("~/.gemini/tmp"),
    }
    return {client: folder.expanduser() for client, folder in places.items()}


def current_session(environ: Mapping[str, str] | None = None) -> str:
    """The session of the assistant that started this process; empty if none says so."""
    return (os.environ if environ is None else environ).get("CLAUDE_CODE_SESSION_ID", "")


def default_group(settings: Settings, project: Path) -> str:
    """The group of a caller on this machine who names none: the setting, else that of the git project, else `main`.

    On a store that is shared with other machines a folder says nothing, so it is `main` there.
    """
    if settings.group:
        return settings.group
    is_ours = settings.store_file is not None and settings.remote is None
    repository = git_common_dir(project) if is_ours else None
    return MAIN if repository is None else group_of(repository)


def group_of(repository: Path) -> str:
    """A name for the repository that people can read and no other one has: the folder's name and a bit of hash."""
    folder = repository.parent if repository.name == ".git" else repository
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", folder.name.removesuffix(".git")).strip("-")[:_NAME_LENGTH]
    digest = hashlib.sha256(os.fsencode(repository)).hexdigest()[:_HASH_LENGTH]
    return f"{name or 'project'}-{digest}"


def git_common_dir(project: Path) -> Path | None:
    """The folder that all worktrees of the project's repository share; None outside a repository."""
    root = project_folders(project.absolute())[-1]
    marker = root / ".git"
    if marker.is_dir():
        return marker.resolve()
    own = _pointed_at(marker, "gitdir:")
    if own is None:
        return None
    return (_pointed_at(own / "commondir") or own).resolve()


def _pointed_at(file: Path, prefix: str = "") -> Path | None:
    """The folder that one of git's little files names, relative to its own place."""
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    named = text.removeprefix(prefix).strip() if text.startswith(prefix) else ""
    return file.parent / named if named else None

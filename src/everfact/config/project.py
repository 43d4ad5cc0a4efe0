"""Which project a process works for, and the group that a project has by default.

Worktrees of one repository share a group, and so do clones, whatever their folders are called: its name comes from
where the repository was cloned from, else from the folder that git keeps for all its worktrees.
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
GLOBAL = "global"
"""The group of all projects of a user, which joins in wherever a brief is given."""
_NAME_LENGTH = 48
_HASH_LENGTH = 8
_MOST_CLONES = 8
"""Of a clone of a clone on this machine."""


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
    """A name for the repository that people can read and no other one has: what it is called and a bit of hash."""
    origin = _origin(repository)
    folder = Path(origin) if origin else repository
    folder = folder.parent if folder.name == ".git" else folder
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", folder.name.removesuffix(".git")).strip("-")[:_NAME_LENGTH]
    digest = hashlib.sha256(os.fsencode(origin or repository)).hexdigest()[:_HASH_LENGTH]
    return f"{name or 'project'}-{digest}"


def _origin(repository: Path) -> str:
    """Where the repository was cloned from, in the end; empty if nowhere."""
    origin = ""
    for _ in range(_MOST_CLONES):
        url = _origin_url(repository)
        if not url:
            return origin
        path = url.removeprefix("file://")
        if not path.startswith(("/", ".")):
            return _address(url)
        source = (repository.parent / path).resolve()
        repository = (git_common_dir(source) if (source / ".git").exists() else None) or source
        origin = str(repository)
    return origin


def _address(url: str) -> str:
    """Host and path, the same by whichever way and whoever's login the repository is reached."""
    scheme, _, place = url.rpartition("://")
    host, slash, path = re.sub(r"^[^@/]*@", "", place).partition("/")
    host = re.sub(r":\d+$", "", host) if scheme else host.replace(":", "/", 1)
    return f"{host}{slash}{path}".rstrip("/").removesuffix(".git").casefold()


def _origin_url(repository: Path) -> str:
    """What the repository's own settings say of `origin`."""
    try:
        text = (repository / "config").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    _, _, section = text.partition('[remote "origin"]')
    found = re.search(r"^\s*url\s*=\s*\"?(.*?)\"?\s*$", section.partition("\n[")[0], re.MULTILINE)
    return found[1] if found else ""


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

"""The work at hand as git sees it: branch, latest commits, files changed lately. Never waits long, never fails."""

from __future__ import annotations

import time
from pathlib import Path

from everfact.git.program import finish, start
from everfact.signals import Signals

_COMMITS = 10
_FILES = 20


def read_signals(folder: Path, *, prompt: str = "", seconds: float = 0.1) -> Signals:
    """What git tells of the folder within that time; where there is no repository, only the prompt."""
    until = time.monotonic() + seconds
    status = start(folder, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=no", "--no-renames")
    log = start(folder, "log", f"--max-count={_COMMITS}", "--no-merges", "--name-only", "-z", "--format=%x01%s%x01")
    head, branch, changed = _read_status(finish(status, max(until - time.monotonic(), 0.001)) or b"")
    subjects, touched = _read_log(finish(log, max(until - time.monotonic(), 0.001)) or b"")
    files = tuple(dict.fromkeys(Path(name).name for name in (*changed, *touched)))[:_FILES]
    return Signals(branch=branch, commits=subjects, files=files, prompt=prompt, head=head)


def _read_status(printed: bytes) -> tuple[str, str, list[str]]:
    """The commit and the branch at hand, and the files with changes that are not committed."""
    head, branch, files = "", "", []
    for line in printed.decode("utf-8", "replace").split("\0"):
        kind, _, rest = line.partition(" ")
        if rest.startswith("branch.oid "):
            head = rest.removeprefix("branch.oid ")
        elif rest.startswith("branch.head "):
            branch = rest.removeprefix("branch.head ")
        elif kind in ("1", "u"):
            files.append(rest.split(" ", 7 if kind == "1" else 9)[-1])
    return ("" if head == "(initial)" else head), ("" if branch == "(detached)" else branch), files


def _read_log(printed: bytes) -> tuple[tuple[str, ...], list[str]]:
    """First lines of commits, and the files they touched, the latest first."""
    _, *parts = printed.decode("utf-8", "replace").split("\x01")
    names = [name.strip("\n") for part in parts[1::2] for name in part.split("\0")]
    return tuple(parts[0::2]), [name for name in names if name]

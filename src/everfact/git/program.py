"""Running git: within a limit of time, and without prompts, locks, or programs that a repository's settings name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_QUIET = ("--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
_OURS = ("GIT_TERMINAL_PROMPT", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("LC_ALL", "C")
_THEIRS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Set where git itself has started us, and then they speak of its folder, not of the one asked about."""


def start(folder: Path, *arguments: str) -> subprocess.Popen[bytes] | None:
    """Start git in a folder; None if there is no git, or no such folder."""
    environ = {name: value for name, value in os.environ.items() if name not in _THEIRS} | dict(_OURS)
    try:
        return subprocess.Popen(  # noqa: S603 - our own words and paths, no shell
            ["git", *_QUIET, *arguments],  # noqa: S607 - wherever the user has it
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None


def finish(process: subprocess.Popen[bytes] | None, seconds: float) -> bytes | None:
    """What it printed; None if it failed or took longer than that."""
    if process is None:
        return None
    try:
        printed, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return printed if process.returncode == 0 else None


def output(folder: Path, *arguments: str, seconds: float) -> bytes | None:
    """What git prints; None if it fails or takes longer than that."""
    return finish(start(folder, *arguments), seconds)

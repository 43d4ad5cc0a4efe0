"""The `filepath` of an added episode: which file is meant, and writing it. Nothing here knows episodes or stores.

Both steps touch the disk and block; call them in a thread, and before anything is stored.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from everfact.errors import UsageError

_VARIABLE = re.compile(r"\{([^{}]*)\}")


def resolve_target(
    filepath: str, *, episode_name: str, now: datetime, project: Path, export_root: Path | None, is_remote: bool
) -> Path:
    """The file that `filepath` means, free of links. `{date}`, `{time}` and `{timestamp}` are in UTC.

    A relative path is one of the project. Over HTTP every path lies below `export_root`, and a relative one starts
    there when the project does not.

    Raises:
        UsageError: the path may not be written to, or cannot be understood.
    """
    if is_remote and export_root is None:
        raise UsageError("this server writes no files", hint="its operator can allow it with mcp.export_root")
    path = Path(_substituted(filepath, episode_name, now))
    with _explained(filepath):
        filepath.encode()
        base = _resolved(project)
        root = _resolved(export_root) if is_remote and export_root is not None else None
        if root is not None and not base.is_relative_to(root):
            base = root
        target = _resolved(base / path)
        is_file = target.is_file() or not (target.exists() or target.is_symlink())
    if root is not None and not target.is_relative_to(root):
        raise UsageError(f"{filepath!r} lies outside the folder for exports", hint="give a path relative to it")
    if not path.is_absolute() and not target.is_relative_to(base):
        raise UsageError(f"{filepath!r} leaves the project", hint="give a path inside the project, or an absolute one")
    if not is_file:
        raise UsageError(f"{filepath!r} is not a file", hint="name a file, such as notes/{date}.md")
    return target


def write_export(target: Path, text: str) -> None:
    """Write the text to a path made by `resolve_target`, all or nothing; missing folders are made.

    A new file can be read by its owner only; an existing one keeps its permissions.

    Raises:
        UsageError: it cannot be written.
    """
    with _explained(str(target)):
        content = text.encode()
        target.parent.mkdir(parents=True, exist_ok=True)
        if _resolved(target) != target:
            raise UsageError(f"{str(target)!r} has become a link", hint="try again")
        handle, name = tempfile.mkstemp(prefix=".everfact-", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                Path(name).chmod(target.stat().st_mode & 0o777)
            Path(name).replace(target)
        finally:
            with suppress(OSError):  # after success there is nothing left under that name
                Path(name).unlink()


def shown(target: Path, project: Path) -> str:
    """The path as an answer shows it: relative to the project where it lies inside."""
    base = _resolved(project)
    return (target.relative_to(base) if target.is_relative_to(base) else target).as_posix()


def _substituted(filepath: str, episode_name: str, now: datetime) -> str:
    """The path with its variables filled in; before that, all that no path may hold is refused."""
    if not filepath.strip() or "\0" in filepath:
        raise UsageError("the path is empty or holds a NUL", hint="name a file, such as notes/{date}.md")
    moment = now.astimezone(UTC)
    values = {
        "date": f"{moment:%Y-%m-%d}",
        "timestamp": f"{moment:%Y-%m-%d-%H%M}",
        "time": f"{moment:%H%M}",
        "hash": hashlib.md5(episode_name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:8],
    }
    unknown = [name for name in _VARIABLE.findall(filepath) if name not in values]
    if unknown:
        raise UsageError(
            f"the path has no variable {{{unknown[0]}}}", hint="known are {date}, {timestamp}, {time}, {hash}"
        )
    path = _VARIABLE.sub(lambda match: values[match[1]], filepath)
    parts = re.split(r"[/\\]", path)
    if ".." in parts:
        raise UsageError(f"{filepath!r} holds '..'", hint="give a path without it")
    if parts[0].startswith("~"):
        raise UsageError(f"{filepath!r} begins with '~'", hint="write the home folder out")
    if parts[-1] in ("", "."):
        raise UsageError(f"{filepath!r} is a folder", hint="name a file in it, such as notes/{date}.md")
    return path


def _resolved(path: Path) -> Path:
    """Without links, also where nothing exists yet, a link leads nowhere or in a circle."""
    return Path(os.path.realpath(path))


@contextmanager
def _explained(filepath: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"cannot write {filepath!r}: {reason}", hint="choose another file") from error
    except UnicodeError as error:
        raise UsageError(f"cannot write {filepath!r}: it holds half a character", hint="mend the text") from error

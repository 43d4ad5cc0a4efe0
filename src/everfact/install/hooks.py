"""The hooks by which assistants call `everfact hook`: the brief at the start, what was said at the end."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everfact.install.clients import resolve
from everfact.install.configfile import ConfigFile, Edit
from everfact.install.servers import Outcome, Place

PARTS = 4
"""A client shows the model at most 10,000 characters of one hook; a brief of 8,192 tokens is three times as long."""
START = "SessionStart"
_OURS = re.compile(r"everfact\b.* hook \w+ --client ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Where one client keeps its hooks, and what it calls the moments we want."""

    client: str
    says: str
    """Its name on our command line."""
    file: str
    project_file: str
    events: tuple[str, ...] = (START, "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
    timeout: int = 10
    note: str = ""


HOOKS = (
    Hooks(
        client="claude-code",
        says="claude",
        file="{claude-settings}/settings.json",
        project_file=".claude/settings.json",
    ),
    Hooks(
        client="codex",
        says="codex",
        file="{codex}/hooks.json",
        project_file=".codex/hooks.json",
        note="Codex asks once whether you trust them",
    ),
    Hooks(
        client="gemini",
        says="gemini",
        file="~/.gemini/settings.json",
        project_file=".gemini/settings.json",
        events=(START, "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd"),
        timeout=10_000,  # it counts milliseconds
    ),
)


def install(hooks: Hooks, program: Sequence[str], options: Sequence[str], place: Place) -> Outcome:
    """Have the client call us: the program, its command, and global options behind, where that command reads them.

    Raises:
        InstallError: it cannot be done safely; nothing was changed.
    """
    wanted = groups(hooks, command_line(program), command_line(options))
    file = file_of(hooks, place)
    changed = file.change(lambda data: _edits(data, wanted), dry_run=place.dry_run)
    done = Outcome(client=hooks.client, what="hooks", action="unchanged", file=str(file.path))
    return replace(done, action="added", detail=hooks.note) if changed else done


def back(data: Mapping[str, Any]) -> list[Edit]:
    """The edits that take exactly our hooks back."""
    return _edits(data, {})


def file_of(hooks: Hooks, place: Place) -> ConfigFile:
    """Where this client keeps its hooks here."""
    path = place.project / hooks.project_file if place.is_project else resolve(hooks.file)
    return ConfigFile(path, place.receipts, is_private=not place.is_project)


def groups(hooks: Hooks, program: str, options: str = "") -> dict[str, dict[str, Any]]:
    """What to call at each event. The first event comes in parts, each an answer of its own."""

    def hook(event: str, part: str) -> dict[str, object]:
        words = [program, "hook", event, "--client", hooks.says, part, options]
        return {"type": "command", "command": " ".join(filter(None, words)), "timeout": hooks.timeout}

    return {event: {"hooks": [hook(event, part) for part in _parts(event)]} for event in hooks.events}


def command_line(words: Sequence[str], platform: str = sys.platform) -> str:
    """The words as every shell of that platform reads them: cmd, PowerShell's cmd and Git's bash on Windows."""
    if platform != "win32":
        return shlex.join(words)
    slashed = [word.replace("\\", "/") for word in words]
    return " ".join(word if re.fullmatch(r"[\w.:=+-]+", word) else f'"{word}"' for word in slashed)


def _parts(event: str) -> list[str]:
    return [f"--part {part}/{PARTS}" for part in range(1, PARTS + 1)] if event == START else [""]


def _edits(data: Mapping[str, Any], wanted: Mapping[str, dict[str, Any]]) -> list[Edit]:
    """One group of ours at each event that is wanted, in its place if it is there; none elsewhere."""
    held = data.get("hooks")
    known: Mapping[str, Any] = held if isinstance(held, dict) else {}
    edits = []
    for event in dict.fromkeys([*known, *wanted]):
        items = known.get(event, [])
        ours = [place for place, item in enumerate(items) if _is_ours(item)] if isinstance(items, list) else []
        if event in wanted:
            at = ours.pop(0) if ours else len(items)
            edits.append(Edit(("hooks", event, at), wanted[event]))
        edits += [Edit(("hooks", event, place)) for place in reversed(ours)]
    return edits


def _is_ours(group: object) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    commands = [hook.get("command") for hook in hooks if isinstance(hook, dict)] if isinstance(hooks, list) else []
    return bool(commands) and all(isinstance(command, str) and _OURS.search(command) for command in commands)

"""Our entry in each client's list of servers: made, put in, put in the place of another, taken back."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from everfact.errors import InstallError, NotFound
from everfact.install.clients import Client, fill, user_file
from everfact.install.configfile import ConfigFile, Edit
from everfact.install.receipts import Receipts

_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What clients are to start, or the address they are to call."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    url: str = ""

    def entry(self, client: Client) -> dict[str, Any]:
        """The entry as this client writes it.

        Raises:
            InstallError: the client cannot have it.
        """
        if not self.url:
            return dict(fill(client.stdio, self.words()))  # type: ignore[call-overload, no-any-return]
        if client.http is None:
            raise InstallError(
                f"{client.title} takes no servers by address from its file",
                hint=f"add {self.url} as a connector in it, or leave --http out",
            )
        return dict(fill(client.http, self.words()))  # type: ignore[call-overload, no-any-return]

    def words(self) -> dict[str, object]:
        """What stands for the words of a shape."""
        words = [self.command, *self.args]
        return {"$name": self.name, "$command": self.command, "$args": [*self.args], "$words": words, "$url": self.url}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was done, or would be, in one place."""

    client: str
    what: str
    action: str
    """`added`, `updated`, `replaced`, `unchanged`, `removed`, `absent` or `failed`."""
    file: str = ""
    detail: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where installing happens: for the user, or in a project."""

    receipts: Receipts
    project: Path
    is_project: bool = False
    dry_run: bool = False


def file_of(client: Client, place: Place) -> ConfigFile:
    """Where this client keeps its servers here.

    Raises:
        InstallError: nowhere that we would write.
    """
    if place.is_project and not client.project_file:
        raise InstallError(f"{client.title} keeps no servers in projects", hint="leave --scope project out")
    found = place.project / client.project_file if place.is_project else user_file(client)
    if found is None:
        raise InstallError(f"{client.title} has no file of its own", hint=f"everfact mcp print {client.name}")
    return ConfigFile(found, place.receipts, is_private=not place.is_project)


def install(client: Client, server: Server, place: Place) -> Outcome:
    """Put the entry in, by the client's own command where it has one and the entry is new.

    Raises:
        InstallError: it cannot be done safely; nothing was changed.
    """
    file = file_of(client, place)
    entry, data = server.entry(client), file.data()
    path = (client.key, server.name)
    known = _get(data, path)
    wanted = {**(known if _is_ours(known) else {}), **entry}
    done = Outcome(client=client.name, what="server", action="added", file=str(file.path))
    if known == wanted:
        return replace(done, action="unchanged")
    command = None if known or place.is_project else _own_command(client, server)
    if command is not None:
        how = " ".join([Path(command[0]).name, *command[1:3]])
        trouble = "" if place.dry_run else _let_it_add(command, file, path, entry)
        if not trouble:
            return replace(done, detail=f"with {how}")
        done = replace(done, detail=f"{how} did not add it{trouble}; its file was edited instead")
    file.change(lambda _: [Edit(path, wanted)], dry_run=place.dry_run)
    return replace(done, action="updated") if known else done


def take_over(client: Client, name: str, server: Server, place: Place) -> Outcome:
    """Put ours in the place of an entry of that name, which is kept; its environment goes on.

    Raises:
        NotFound: the client has no such entry.
        InstallError: it cannot be done safely; nothing was changed.
    """
    file = file_of(client, place)
    path = _path_of(file.data(), client, name, place)
    former = _get(file.data(), path)
    entry = server.entry(client)
    kept, hint = former, ""
    if not _is_ours(former):
        source = "kuzu" if toolset_for(name, former) == "kuzu" else "graphiti"
        hint = f"everfact import --from {source} takes in what it has kept so far"
        kept = {} if server.url else {key: former[key] for key in ("env", "environment", "envs") if former.get(key)}
    done = Outcome(client=client.name, what="server", action="replaced", file=str(file.path), detail=name, hint=hint)
    changed = file.change(lambda _: [Edit(path, {**kept, **entry})], dry_run=place.dry_run)
    return done if changed else replace(done, action="unchanged", hint="")


def back(data: Mapping[str, Any], client: Client, file: ConfigFile, place: Place) -> list[Edit]:
    """The edits that take our entries back: those we put in, and any other that starts everfact."""
    receipt = file.receipt()
    known = [path for path in (receipt.paths if receipt else ()) if _get(data, path)]
    found = [
        (*parents, name)
        for parents in _lists(client, place)
        for name, entry in _get(data, parents).items()
        if _is_ours(entry)
    ]
    return [Edit(path) for path in dict.fromkeys([*known, *found])]


def entry_of(client: Client, name: str, place: Place) -> dict[str, Any]:
    """The entry of that name.

    Raises:
        NotFound: there is none.
        InstallError: the file cannot be read.
    """
    data = file_of(client, place).data()
    return _get(data, _path_of(data, client, name, place))


def toolset_for(name: str, entry: Mapping[str, Any]) -> str:
    """The sets of tools that the users of an entry which we take over expect."""
    words = words_of(entry)
    if _is_ours(entry) and "--toolset" in words:
        return words[words.index("--toolset") + 1]
    if "kuzu" in " ".join([name, *words]).lower():
        return "kuzu"
    return "cli" if {"mcp", "serve"} <= set(words) else "graphiti,history,tracking"


def snippet(client: Client, server: Server, place: Place) -> tuple[Path | None, str]:
    """The entry as text, and the file where it belongs, if we know one."""
    shown = place.project / client.project_file if place.is_project else user_file(client)
    file = ConfigFile(shown or Path("librechat.yaml"), place.receipts)
    return shown, file.as_text((client.key, server.name), server.entry(client))


def _path_of(data: Mapping[str, Any], client: Client, name: str, place: Place) -> tuple[str, ...]:
    for parents in _lists(client, place):
        if _get(data, (*parents, name)):
            return (*parents, name)
    raise NotFound(f"{client.title} has no server called {name}", hint="everfact mcp install adds a new one")


def _lists(client: Client, place: Place) -> list[tuple[str, ...]]:
    """Where servers stand in the file: for Claude Code also below the project's folder."""
    if client.name != "claude-code" or place.is_project:
        return [(client.key,)]
    return [(client.key,), ("projects", str(place.project), client.key)]


def _get(data: object, path: Sequence[str]) -> dict[str, Any]:
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _is_ours(entry: object) -> bool:
    """It starts everfact."""
    return any(PurePath(word).stem == "everfact" for word in words_of(entry))


def words_of(entry: object) -> list[str]:
    """Every word of an entry, but for its environment."""
    if isinstance(entry, str):
        return [entry]
    if isinstance(entry, dict):
        entry = [held for key, held in entry.items() if key not in ("env", "environment", "envs", "name")]
    return [word for held in entry for word in words_of(held)] if isinstance(entry, list) else []


def _own_command(client: Client, server: Server) -> list[str] | None:
    """The client's own command for this entry, if it is here and has one."""
    found = shutil.which(client.program.name) if client.program else None
    if client.program is None or found is None:
        return None
    values = {**server.words(), "$json": json.dumps(server.entry(client))}
    shape = client.program.add_http if server.url else client.program.add_stdio
    filled = [fill(word, values) for word in shape.split()]
    return [found, *(str(word) for item in filled for word in (item if isinstance(item, list) else [item]))]


def _let_it_add(command: list[str], file: ConfigFile, path: tuple[str, ...], entry: Mapping[str, Any]) -> str:
    """Run the client's command; says what went wrong if afterwards the entry is not as it should be."""
    before = file.raw()
    try:
        done = subprocess.run(  # noqa: S603 - a program of the table, words of ours
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        said = (done.stderr or done.stdout).strip()[-200:] if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    file.note(before, path)
    found = _get(file.data(), path)
    if all(found.get(key) == value for key, value in entry.items()):
        return ""
    return f": {said}" if said else " as it should be"

"""Taking back from one client all that we put in, each file once: server and hooks may share one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from everfact.install import hooks, servers, skill
from everfact.install.clients import Client
from everfact.install.configfile import ConfigFile, Edit, Edits
from everfact.install.servers import Outcome, Place


def steps(client: Client, place: Place) -> Iterator[Callable[[], Outcome]]:
    """What is to be done, a file at a time; each may raise InstallError and leaves its file as it was then.

    The skill goes first, so that the last file finds the folders empty that were made for all of them.
    """
    if client.skills:
        yield partial(skill.uninstall, client, place)
    listed = servers.file_of(client, place)
    called = [hooks.file_of(row, place) for row in hooks.HOOKS if row.client == client.name]
    apart = [file for file in called if file.path != listed.path]
    for file in apart:
        yield partial(_take_back, client, file, "hooks", hooks.back, place)
    is_shared = called != apart

    def edits(data: dict[str, Any]) -> list[Edit]:
        return [*servers.back(data, client, listed, place), *(hooks.back(data) if is_shared else ())]

    yield partial(_take_back, client, listed, "server and hooks" if is_shared else "server", edits, place)


def _take_back(client: Client, file: ConfigFile, what: str, edits: Edits, place: Place) -> Outcome:
    changed = file.take_back(edits, dry_run=place.dry_run)
    return Outcome(client=client.name, what=what, action="removed" if changed else "absent", file=str(file.path))

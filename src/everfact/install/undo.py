"""Taking back from one client all that we put in, each file once: server and hooks may share one."""

from __future__ import annotations

from collections.abc import Iterator

from everfact.install import hooks, servers, skill
from everfact.install.clients import Client
from everfact.install.configfile import ConfigFile, Edits
from everfact.install.servers import Outcome, Place


def uninstall(client: Client, place: Place) -> Iterator[Outcome]:
    """Put each file of the client back, one after the other.

    Raises:
        InstallError: a file cannot be changed safely; it is as it was.
    """
    if client.skills:  # first, so that the last file finds the folders empty that were made for all of them
        yield skill.uninstall(client, place)
    for file, what, edits in _files(client, place):
        changed = file.take_back(edits, dry_run=place.dry_run)
        yield Outcome(client=client.name, what=what, action="removed" if changed else "absent", file=str(file.path))


def _files(client: Client, place: Place) -> Iterator[tuple[ConfigFile, str, Edits]]:
    listed = servers.file_of(client, place)
    called = {
        file.path: file for row in hooks.HOOKS if row.client == client.name for file in [hooks.file_of(row, place)]
    }
    shared = called.pop(listed.path, None)
    for file in called.values():
        yield file, "hooks", hooks.back
    yield (
        listed,
        "server and hooks" if shared else "server",
        lambda data: [*servers.back(data, client, listed, place), *(hooks.back(data) if shared else ())],
    )

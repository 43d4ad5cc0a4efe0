"""Our Agent Skill, in the folder where an assistant looks for skills."""

from __future__ import annotations

from importlib.resources import files

from everfact.errors import InstallError
from everfact.install.clients import Client, resolve
from everfact.install.configfile import ConfigFile
from everfact.install.receipts import digest
from everfact.install.servers import Outcome, Place

NAME = "everfact"


def text() -> str:
    """What SKILL.md says."""
    return files("everfact.install").joinpath("SKILL.md").read_text(encoding="utf-8")


def install(client: Client, place: Place) -> Outcome:
    """Put the skill where the client finds it.

    Raises:
        InstallError: it cannot be written.
    """
    file = file_of(client, place)
    changed = file.overwrite(text(), dry_run=place.dry_run)
    return Outcome(client=client.name, what="skill", action="added" if changed else "unchanged", file=str(file.path))


def uninstall(client: Client, place: Place) -> Outcome:
    """Take it away, unless somebody has written into it since.

    Raises:
        InstallError: it has been changed.
    """
    file = file_of(client, place)
    receipt, now = file.receipt(), file.raw()
    if now is not None and receipt is not None and receipt.after != digest(now):
        raise InstallError(f"{file.path} was changed since; it was left", hint="delete it by hand if you want")
    gone = receipt is not None and file.take_back(lambda _: [], dry_run=place.dry_run)
    return Outcome(client=client.name, what="skill", action="removed" if gone else "absent", file=str(file.path))


def file_of(client: Client, place: Place) -> ConfigFile:
    """Where the client looks for it here."""
    users, projects = client.skills or ("", "")
    folder = place.project / projects if place.is_project else resolve(users)
    return ConfigFile(folder / NAME / "SKILL.md", place.receipts, is_private=False)

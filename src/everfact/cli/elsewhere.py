"""What waits on this machine for a server that the settings do not name: finding it, and sending it where they say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from everfact.cli.output import answer
from everfact.cli.session import settings_of
from everfact.errors import EverfactError, UsageError

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.config import Settings

_PATIENCE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A file in which episodes wait, parked ones too, and where they are to go."""

    file: str
    waiting: int = 0
    address: str = ""
    trouble: str = ""
    """Why nobody can tell."""

    @property
    def detail(self) -> str:
        """What is the matter, for a person."""
        if self.trouble:
            return f"what waits in {self.file} cannot be told: {self.trouble}"
        wait = "1 episode waits" if self.waiting == 1 else f"{self.waiting} episodes wait"
        return f"{wait} on this machine for {self.address or 'a server of unknown address'}, not for the store in use"

    @property
    def hint(self) -> str:
        """What to do about it."""
        name = f'"{self.file}"' if " " in self.file else self.file
        return "" if self.trouble else f"if the server has moved, everfact import {name} sends them to the store in use"


def waiting_elsewhere(settings: Settings) -> list[Elsewhere]:
    """The files in which something waits for another server than the one in use."""
    from everfact.assemble import outbox_of

    own = outbox_of(settings)
    found = [_look(settings, file) for file in sorted(own.parent.glob("*.db")) if file != own]
    return [each for each in found if each.waiting or each.trouble]


def _look(settings: Settings, file: Path) -> Elsewhere:
    """Look into one; that it cannot be read is to be told, too."""
    import asyncio

    from everfact.assemble import glance_store
    from everfact.config.address import check_store
    from everfact.stores.outbox import ADDRESS

    async def look() -> Elsewhere:
        store = await glance_store(replace(settings, store=check_store(str(file))), patience=_PATIENCE)
        if store is None:
            return Elsewhere(file=str(file))
        async with store:
            held = await store.stats()
            address = await store.state(ADDRESS) or ""
            return Elsewhere(file=str(file), waiting=held.pending + held.parked, address=address)

    try:
        return asyncio.run(look())
    except EverfactError as error:
        return Elsewhere(file=str(file), trouble=str(error.args[0]))


def is_outbox(ctx: typer.Context, file: str) -> bool:
    """Whether it is one of the files in which things wait for servers."""
    from everfact.assemble import outbox_of

    path = Path(file).expanduser()
    folder = outbox_of(settings_of(ctx)).parent
    return path.suffix == ".db" and path.is_file() and path.resolve().parent == folder.resolve()


def send(ctx: typer.Context, file: str, *, into: str, dry_run: bool, as_json: bool) -> None:
    """Send what waits in the file to the memory at hand, and leave nothing of it there."""
    if into:
        raise UsageError("what waits goes to the group that it was told to", hint="leave --into out")
    settings = settings_of(ctx)
    if settings.remote is not None:
        raise UsageError(f"the server at {settings.remote} takes in no files", hint="run it where the memory is")
    sent, left = _sent(settings, Path(file).expanduser(), dry_run)
    shape = {"file": file, "dry_run": dry_run, "sent": sent, "left": left}
    answer(ctx, as_json, shape, lambda screen: _draw(screen, file, sent, left, dry_run))
    if left:
        raise typer.Exit(1)


def _sent(settings: Settings, file: Path, dry_run: bool) -> tuple[int, int]:
    """How many episodes went out, or would, and how many are left because they could not."""
    import asyncio

    from everfact.assemble import send_outbox

    held = _look(settings, file)
    if held.trouble:
        raise UsageError(held.detail, hint="everfact --store FILE doctor --fix saves what can be read of a file")
    left = 0 if dry_run else asyncio.run(send_outbox(settings, file))
    return max(0, held.waiting - left), left


def _draw(screen: Screen, file: str, sent: int, left: int, dry_run: bool) -> None:
    from everfact.cli.output.screen import plural

    screen.line(f"{'would send' if dry_run else 'sent'} {plural(sent, 'episode')} that waited in {file}")
    if left:
        screen.line(f"{left:,} could not be sent, and still wait in it", style="yellow")

"""Opening the memory for one command, here or behind a server, in the group that is meant; runs the event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import typer

from everfact.cli.output import FULL_IDS, NAMES
from everfact.errors import UsageError
from everfact.verbs.space import Space

if TYPE_CHECKING:
    from everfact.config import Settings
    from everfact.models import Fact
    from everfact.ports import Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Space):
    """What one command works with."""

    settings: Settings
    names: dict[str, str] = field(default_factory=dict)
    """What entities are called, by uuid, as far as anybody has asked."""

    async def learn_names(self, facts: Iterable[Fact]) -> None:
        """Ask what the entities of these facts are called, for those who print them."""
        from everfact.verbs.looking import names

        self.names.update(await names(self, facts))


def run(ctx: typer.Context, act: Callable[[Session], Awaitable[T]], *, reads_text: bool = False) -> T:
    """Do it with the memory open. With `reads_text` it can extract and knows meanings, which takes a second to load."""
    import asyncio  # a third of the start-up time, and --help needs none of it

    settings = settings_of(ctx)
    ctx.meta[FULL_IDS] = settings.remote is not None

    async def acted() -> T:
        from everfact.assemble import open_anywhere

        async with await open_anywhere(settings, reads_text=reads_text) as memory:
            session = Session(memory=memory, settings=settings, group=group_of(settings))
            ctx.meta[NAMES] = session.names
            return await act(session)

    return asyncio.run(acted())


def run_on_store(ctx: typer.Context, act: Callable[[Store], Awaitable[T]]) -> T:
    """Do it with the store itself open, for what a memory does not do: copies of everything.

    Raises:
        UsageError: the memory is behind a server.
    """
    import asyncio

    settings = settings_of(ctx)
    if settings.remote is not None:
        raise UsageError(f"the server at {settings.remote} gives no copies", hint="run it where the memory is")

    async def acted() -> T:
        from everfact.assemble import open_store

        async with await open_store(settings) as store:
            return await act(store)

    return asyncio.run(acted())


def settings_of(ctx: typer.Context) -> Settings:
    """The settings, by the flags given."""
    from everfact.config import load

    return load(ctx.obj).settings


def group_of(settings: Settings) -> str:
    """The group that is meant: the one named, else that of the project."""
    from everfact.config import default_group, project_dir

    return default_group(settings, project_dir(settings))

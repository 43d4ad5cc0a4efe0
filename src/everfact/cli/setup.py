"""`everfact setup`: all that it takes to have memory in this project, and a word on each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from everfact.cli import connect
from everfact.cli.arguments import AsJson
from everfact.cli.connect import Act, DryRun, Scope
from everfact.cli.session import group_of, run, settings_of

if TYPE_CHECKING:
    from everfact.install.servers import Outcome, Place

US = "everfact"


def setup(ctx: typer.Context, scope: Scope = "user", dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Give this project a memory: connect every assistant found here, with hooks and skill, and take in the commits."""
    place = connect.place_of(ctx, scope, dry_run)
    outcomes = list(connect.tried(_steps(ctx, place)))
    connect.tell(ctx, as_json, outcomes, place)


def _steps(ctx: typer.Context, place: Place) -> Iterator[Act]:
    from everfact.install.clients import here

    yield US, lambda: _make_store(ctx, place)
    server = connect.server_of(ctx)
    for client in here():
        if connect.has_files(client, place):
            yield connect.add(client, server, place)
            yield from connect.extras(ctx, client, place, with_hooks=True, with_skill=True)
    if not place.dry_run:
        yield US, lambda: _index(ctx)
        yield US, lambda: _look(ctx)


def _make_store(ctx: typer.Context, place: Place) -> Iterator[Outcome]:
    from everfact.install.servers import Outcome

    settings = settings_of(ctx)
    file = settings.store_file if settings.remote is None else None
    is_there = file is None or file.exists()
    if not place.dry_run:
        run(ctx, lambda session: session.memory.status())
    where, action = settings.remote or str(file or settings.store), "unchanged" if is_there else "added"
    yield Outcome(client=US, what="memory", action=action, file=where, detail=f"group {group_of(settings)}")


def _index(ctx: typer.Context) -> Iterator[Outcome]:
    from everfact.cli.context import indexed
    from everfact.cli.output.screen import plural
    from everfact.install.servers import Outcome

    done = run(ctx, indexed)
    action, said = "added" if done.episodes else "unchanged", plural(done.episodes, "new commit")
    yield Outcome(client=US, what="commits", action=action, detail=said if done.head else "none here")


def _look(ctx: typer.Context) -> Iterator[Outcome]:
    from everfact.install.servers import Outcome
    from everfact.verbs.upkeep import condition

    held, settings = run(ctx, lambda session: session.memory.status()), settings_of(ctx)
    yield Outcome(client=US, what="health", action="ok", detail=condition(settings.remote or settings.store, held))

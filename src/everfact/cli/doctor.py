"""`everfact doctor`: look for what is wrong, and mend what can be mended without losing anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everfact import clock
from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import run
from everfact.errors import EverfactError, StoreCorrupt

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.config import Places, Settings
    from everfact.stores.sqlite.check import Checkup

_FIX = "everfact doctor --fix mends it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at: whether it is well, what is wrong, and whether that was mended."""

    check: str
    detail: str
    is_well: bool = True
    fixed: bool = False
    hint: str = ""


def doctor(
    ctx: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check settings, permissions, file and queue; mend with --fix. Exit code 1 if something stays wrong."""
    findings = list(_findings(ctx, fix))
    is_well = all(finding.is_well or finding.fixed for finding in findings)
    answer(ctx, as_json, {"healthy": is_well, "findings": findings}, lambda screen: _draw(screen, findings))
    if not is_well:
        raise typer.Exit(1)


def _findings(ctx: typer.Context, fix: bool) -> Iterator[Finding]:
    from everfact.config import Places

    places = Places.of_this_user()
    settings = yield from _settings(ctx.obj, places, fix)
    if settings is None:
        return
    is_present = True
    if settings.remote is None and settings.store_file is not None:
        folder = places.user_file.parent
        yield from _permissions((settings.store_file, folder / "config.toml", folder / "tokens.json"), fix)
        is_present = yield from _tried("file", lambda: _file(settings, fix))
    if is_present:
        yield from _tried("queue", lambda: _queue(ctx, fix))
    yield from _captures(fix)
    yield from _outboxes(settings)


def _settings(flags: Mapping[str, str], places: Places, fix: bool) -> Generator[Finding, None, Settings | None]:
    """The settings, if they can be read. Only the user's own file is set aside: a project's belongs to all of it."""
    from everfact.config import load

    aside = None
    if fix and _is_unreadable(places):
        aside = places.user_file.with_name(f"{places.user_file.name}.unreadable-{clock.now():%Y%m%dT%H%M%S}")
        places.user_file.rename(aside)
    try:
        loaded = load(flags)
    except EverfactError as error:
        yield _failed("settings", error)
        return None
    warned = "; ".join(loaded.warnings)
    if aside is not None:
        detail = f"{places.user_file} could not be read, and is now {aside.name}; defaults are in force"
        yield Finding(check="settings", detail=detail, is_well=False, fixed=True)
    else:
        yield Finding(check="settings", detail=warned or "can be read", is_well=not warned)
    return loaded.settings


def _is_unreadable(places: Places) -> bool:
    from everfact.config.sources import read_toml

    try:
        read_toml(places.user_file, places.home)
    except EverfactError:
        return True
    return False


def _tried(check: str, look: Callable[[], Generator[Finding, None, bool]]) -> Generator[Finding, None, bool]:
    """What a look found; whether it makes sense to look further."""
    try:
        return (yield from look())
    except EverfactError as error:
        yield _failed(check, error)
        return False


def _failed(check: str, error: EverfactError) -> Finding:
    return Finding(check=check, detail=str(error.args[0]), is_well=False, hint=error.hint)


def _permissions(files: tuple[Path | None, ...], fix: bool) -> Iterator[Finding]:
    """Nobody but the owner may read what holds a memory or a secret."""
    for file in files:
        if file is None or os.name == "nt" or not file.exists():
            continue
        mode = stat.S_IMODE(file.stat().st_mode)
        is_open = bool(mode & 0o077)
        if is_open and fix:
            file.chmod(mode & ~0o077)
        detail = f"{file} can be read by others ({mode:o})" if is_open else f"{file} is yours alone"
        yield Finding(
            check="permissions", detail=detail, is_well=not is_open, fixed=is_open and fix, hint=f"chmod go= {file}"
        )


def _file(settings: Settings, fix: bool) -> Generator[Finding, None, bool]:
    """Whether the memory can be opened afterwards."""
    from everfact.assemble import examine, mend

    if settings.store_file is not None and not settings.store_file.exists():
        yield Finding(check="file", detail=f"{settings.store_file} is not there yet; the first use makes it")
        return False
    try:
        found = examine(settings)
    except StoreCorrupt as error:
        yield _salvaged(settings, str(error.args[0]), fix)
        return fix
    if found.damage:
        yield _salvaged(settings, "; ".join(found.damage), fix)
        return fix
    yield Finding(check="file", detail="is sound")
    is_behind = found.schema < found.newest_schema
    older = f"schema {found.schema} is older than {found.newest_schema}"
    newest = f"{found.schema} is the newest"
    hint = "the next use brings it up to date and keeps a copy"
    yield Finding(check="schema", detail=older if is_behind else newest, is_well=not is_behind, fixed=fix, hint=hint)
    kept = mend(settings, found) if fix else None
    yield _rows(found, kept)
    yield _counted("leases", found.stale_leases, "of dead workers", fix)
    yield _counted("vectors", found.lost_segments, "of the index files lost or damaged", fix)
    return fix or not is_behind


def _salvaged(settings: Settings, damage: str, fix: bool) -> Finding:
    """What can be read of a damaged file goes into a new one."""
    if not fix:
        hint = "everfact doctor --fix saves what can be read; everfact restore FILE puts a backup in its place"
        return Finding(check="file", detail=damage, is_well=False, hint=hint)
    from everfact.assemble import salvage
    from everfact.cli.output.screen import progress

    with progress("saving what can be read"):
        saved = salvage(settings)
    lost = f"at least {saved.lost} are lost" if saved.lost else "no more are known of"
    detail = f"{damage}; saved {saved.rows} rows, {lost}; the damaged file is {saved.kept.name}"
    return Finding(check="file", detail=detail, is_well=False, fixed=True)


def _rows(found: Checkup, kept: Path | None) -> Finding:
    if not found.dangling:
        return Finding(check="rows", detail="every row has what it refers to")
    detail = f"{found.dangling} rows refer to missing ones" + (f"; the file as it was is {kept.name}" if kept else "")
    return Finding(check="rows", detail=detail, is_well=False, fixed=kept is not None, hint=_FIX)


def _counted(check: str, count: int, what: str, fix: bool) -> Finding:
    detail = f"{count or 'none'} {what}"
    return Finding(check=check, detail=detail, is_well=not count, fixed=bool(count) and fix, hint=_FIX)


def _queue(ctx: typer.Context, fix: bool) -> Generator[Finding, None, bool]:
    held = run(ctx, lambda session: session.memory.status())
    if held.parked and fix:
        run(ctx, lambda session: session.here().retry())
    detail = f"{held.pending} episodes wait, {held.parked} are parked"
    hint = "everfact queue shows why; everfact queue --retry gives them another chance"
    yield Finding(check="queue", detail=detail, is_well=not held.parked, fixed=bool(held.parked) and fix, hint=hint)
    return True


def _captures(fix: bool) -> Iterator[Finding]:
    """What hooks have left to do, if anything."""
    from everfact.hooks.drain import start
    from everfact.hooks.spool import Spool

    spool = Spool.of_this_user()
    waiting, given_up, trouble = len(spool.waiting()), spool.parked(), spool.trouble()
    if not (waiting or trouble):
        return
    if given_up and fix:
        spool.retry()
        start(spool)
    detail = f"{waiting} jobs of hooks wait, {len(given_up)} failed"
    errors = "; ".join(sorted({job.error for job in given_up}))
    hint = f"{errors or trouble}; everfact doctor --fix tries again"
    is_fixed = bool(given_up) and fix
    yield Finding(check="captures", detail=detail, is_well=not trouble, fixed=is_fixed, hint=hint)


def _outboxes(settings: Settings) -> Iterator[Finding]:
    """What waits for another server than the one in use, if anything."""
    from everfact.cli.elsewhere import waiting_elsewhere

    for each in waiting_elsewhere(settings):
        yield Finding(check="outbox", detail=each.detail, is_well=False, hint=each.hint)


def _draw(screen: Screen, findings: list[Finding]) -> None:
    from rich.text import Text

    marks = {"ok": "green", "fixed": "yellow", "WRONG": "red"}
    for found in findings:
        mark = "ok" if found.is_well else "fixed" if found.fixed else "WRONG"
        screen.rows([(Text(f"{mark:<5}", style=marks[mark]), f"{found.check:<11}", found.detail)])
        if mark == "WRONG" and found.hint:
            screen.rows([(" " * 5, " " * 11, Text(found.hint, style="dim"))])

"""`everfact doctor`: look for what is wrong, and mend what can be mended without losing anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import run
from everfact.errors import EverfactError

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.config import Settings


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
    from everfact.config import Places, load

    try:
        loaded = load(ctx.obj)
    except EverfactError as error:
        yield _failed("settings", error)
        return
    warned = "; ".join(loaded.warnings)
    yield Finding(check="settings", detail=warned or "can be read", is_well=not warned)
    settings = loaded.settings
    if settings.remote is None:
        folder = Places.of_this_user().user_file.parent
        yield from _permissions((settings.store_file, folder / "config.toml", folder / "tokens.json"), fix)
        yield from _tried("file", lambda: _file(settings, fix))
    yield from _tried("queue", lambda: _queue(ctx, fix))


def _tried(check: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    try:
        yield from look()
    except EverfactError as error:
        yield _failed(check, error)


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


def _file(settings: Settings, fix: bool) -> Iterator[Finding]:
    from everfact.assemble import drop_stale_leases, examine

    if settings.store_file is not None and not settings.store_file.exists():
        yield Finding(check="file", detail=f"{settings.store_file} is not there yet; the first use makes it")
        return
    found = examine(settings)
    damage = "; ".join(found.damage)
    hint = "everfact restore FILE puts a backup in its place"
    yield Finding(check="file", detail=damage or "is sound", is_well=not damage, hint=hint)
    lost = f"{found.dangling} rows refer to missing ones" if found.dangling else "every row has what it refers to"
    yield Finding(check="rows", detail=lost, is_well=not found.dangling, hint=hint)
    if fix and found.stale_leases:
        drop_stale_leases(settings)
    stale = f"{found.stale_leases} of dead workers" if found.stale_leases else "none of dead workers"
    yield Finding(check="leases", detail=stale, is_well=not found.stale_leases, fixed=fix, hint="everfact doctor --fix")


def _queue(ctx: typer.Context, fix: bool) -> Iterator[Finding]:
    held = run(ctx, lambda session: session.memory.status())
    if held.parked and fix:
        run(ctx, lambda session: session.here().retry())
    detail = f"{held.pending} episodes wait, {held.parked} are parked"
    hint = "everfact queue shows why; everfact queue --retry gives them another chance"
    yield Finding(check="queue", detail=detail, is_well=not held.parked, fixed=bool(held.parked) and fix, hint=hint)


def _draw(screen: Screen, findings: list[Finding]) -> None:
    from rich.text import Text

    marks = {"ok": "green", "fixed": "yellow", "WRONG": "red"}
    for found in findings:
        mark = "ok" if found.is_well else "fixed" if found.fixed else "WRONG"
        screen.rows([(Text(f"{mark:<5}", style=marks[mark]), f"{found.check:<11}", found.detail)])
        if mark == "WRONG" and found.hint:
            screen.rows([(" " * 5, " " * 11, Text(found.hint, style="dim"))])

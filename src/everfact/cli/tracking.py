"""`everfact capture` and `everfact session-tracking`: what was said to coding assistants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import Session, run
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.capture.take import Captured
    from everfact.capture.tracker import Preview, Started, Status, Stopped, Synced, Tracker
    from everfact.cli.output.screen import Screen

app = typer.Typer(no_args_is_help=True, help="Follow what is said to coding assistants, and take in what was said.")

OneSession = Annotated[str, typer.Option("--session", help="The session's id; without it, the current one.")]
_LATER = "a running server digests it; so does everfact queue --run, for the project at hand"


def capture(
    ctx: typer.Context,
    session: Annotated[
        str, typer.Option(help="The session's id; without it, the current one, else the project's latest.")
    ] = "",
    transcript: Annotated[Path | None, typer.Option(help="The session's file, if it is somewhere else.")] = None,
    client: Annotated[str, typer.Option(help="Who wrote that file: claude, codex or gemini.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take in what was said in a session since the last time. Safe to repeat."""
    done = run(ctx, lambda here: _captured(here, session, transcript, client))
    answer(ctx, as_json, done, lambda screen: _draw_captured(screen, done))


@app.command()
def sync(  # noqa: PLR0913 - every option is a parameter
    ctx: typer.Context,
    days: Annotated[int, typer.Option(help="Sessions of so many last days; 0 for all, with --confirm.", min=0)] = 7,
    project: Annotated[Path | None, typer.Option(help="Only sessions that worked in this folder.")] = None,
    max_sessions: Annotated[int, typer.Option(help="At most this many, newest first.", min=1)] = 100,
    no_dry_run: Annotated[bool, typer.Option("--no-dry-run", help="Do it; without this it is only shown.")] = False,
    confirm: Annotated[bool, typer.Option("--confirm", help="Sessions of all time are meant.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which past sessions could be taken in, and what that costs; do it with --no-dry-run."""
    if days == 0 and not confirm:
        raise UsageError("--days 0 takes sessions of all time", hint="add --confirm if that is meant")
    done = run(ctx, lambda here: _synced(_tracker(here), project, days, max_sessions, not no_dry_run))
    answer(ctx, as_json, done, lambda screen: _draw_synced(screen, done))


@app.command()
def status(ctx: typer.Context, session: OneSession = "", as_json: AsJson = False) -> None:
    """Show whether sessions are followed, and how much of them is kept."""
    from everfact.config import current_session

    done = run(ctx, lambda here: _tracker(here).status(session or current_session()))
    answer(ctx, as_json, done, lambda screen: _draw_status(screen, done))


@app.command()
def start(
    ctx: typer.Context,
    session: OneSession = "",
    force: Annotated[bool, typer.Option("--force", help="Also if the settings follow no sessions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have a session followed by the servers of this memory."""
    done = run(ctx, lambda here: _tracker(here).start(_named(session), force=force))
    answer(ctx, as_json, done, lambda screen: _draw_message(screen, done))


@app.command()
def stop(ctx: typer.Context, session: OneSession = "", as_json: AsJson = False) -> None:
    """Have nothing more of a session captured. What was captured stays."""
    done = run(ctx, lambda here: _tracker(here).stop(_named(session)))
    answer(ctx, as_json, done, lambda screen: _draw_message(screen, done))


@app.command()
def watch(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Follow all sessions until Ctrl-C, whatever the settings say; but not those that were stopped."""

    async def told(done: Captured) -> None:
        if done.episodes:
            answer(ctx, as_json, done, lambda screen: _draw_captured(screen, done))

    run(ctx, lambda here: _watched(here, told), reads_text=True)


def _tracker(here: Session) -> Tracker:
    from everfact.assemble import make_tracker

    return make_tracker(here.settings, here.here())


def _named(session: str) -> str:
    from everfact.config import current_session

    named = session or current_session()
    if not named:
        raise UsageError("no session is named, and this is not run in one", hint="give --session")
    return named


async def _captured(here: Session, session: str, transcript: Path | None, client: str) -> Captured:
    from everfact.assemble import capture_options
    from everfact.capture.take import capture_session
    from everfact.config import current_session, project_dir

    return await capture_session(
        here.here(),
        capture_options(here.settings),
        transcript=transcript,
        client=client,
        session_id=session or current_session(),
        project=project_dir(here.settings),
    )


async def _synced(tracker: Tracker, project: Path | None, days: int, most: int, is_dry: bool) -> Preview | Synced:
    from everfact.cli.output.screen import progress

    found, sessions = await tracker.history(project=project, days=days, max_sessions=most)
    with progress("reading", len(sessions)) as bar:
        if is_dry:
            return await tracker.preview(found, sessions, step=bar.step)
        return await tracker.sync(found, sessions, step=bar.step)


async def _watched(here: Session, told: Callable[[Captured], Awaitable[None]]) -> None:
    from everfact.assemble import make_tracker
    from everfact.worker import Worker

    async with Worker(here.here()):
        await make_tracker(here.settings, here.here(), enabled=True).follow(told)


def _draw_captured(screen: Screen, done: Captured) -> None:
    from everfact.cli.output.screen import plural

    if done.stopped:
        screen.line(
            f"session {done.session_id} is not to be captured: everfact session-tracking start --force changes that"
        )
    elif not done.episodes:
        screen.line(f"nothing new in session {done.session_id}", style="dim")
    else:
        told = f"{plural(done.turns, 'turn')} as {plural(done.episodes, 'episode')}, {done.tokens:,} tokens"
        screen.line(f"session {done.session_id}: {told}; {done.tokens_saved:,} more left out")
        screen.line(_LATER, style="dim")


def _draw_synced(screen: Screen, done: Preview | Synced) -> None:
    from everfact.capture.tracker import Preview
    from everfact.cli.output.screen import plural

    found = plural(done.sessions_found, "session")
    if not isinstance(done, Preview):
        screen.line(f"took in {done.sessions_indexed} of {found}, for {done.actual_cost}")
        screen.line(_LATER, style="dim")
        return
    screen.rows(
        (item.modified[:16].replace("T", " "), f"{item.messages:>5} messages", item.path) for item in done.sessions
    )
    screen.line(f"{found}, {done.estimated_tokens:,} tokens that are new, about {done.estimated_cost}")
    screen.line("nothing was taken in: add --no-dry-run to do it", style="dim")


def _draw_status(screen: Screen, done: Status) -> None:
    told = done.global_config
    screen.rows(
        [
            ("settings", "followed" if told.enabled else "not followed (session_tracking.enabled is false)"),
            *([("session", f"{done.session_id}: {'' if done.enabled else 'not '}followed")] if done.session_id else []),
            ("folder", told.watch_path),
            ("captured", f"after {told.inactivity_timeout:g} s of silence, looked at every {told.check_interval:g} s"),
            ("kept", ", ".join(f"{name} {detail}" for name, detail in done.filter_config.items())),
        ]
    )


def _draw_message(screen: Screen, done: Started | Stopped) -> None:
    screen.line(done.message)

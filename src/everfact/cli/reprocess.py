"""`everfact reprocess`: have a model read what rules have read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import Session, run

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.reprocess import Lesser, Reprocessed

_COUNTED = ("entities", "facts", "assertions")


def reprocess(  # noqa: PLR0913 - every option is a parameter
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be read again.")] = False,
    limit: Annotated[int, typer.Option(help="At most so many episodes, the oldest first.", min=1)] = 1_000_000,
    other_models: Annotated[bool, typer.Option("--other-models", help="Also what another model has read.")] = False,
    background: Annotated[bool, typer.Option("--background", help="Queue them for a server, and do not wait.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what the last run did.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have the model read again what rules have read. It can be broken off and run again, and taken back."""
    if undo:
        count = run(ctx, _undone)
        answer(ctx, as_json, {"undone": count}, lambda screen: screen.line(f"{count} episodes are as before"))
        return
    found, done = run(ctx, lambda session: _redone(session, other_models, limit, dry_run, background), reads_text=True)
    shape = {"episodes": len(found.episodes), "settled": found.settled, "done": done}
    answer(ctx, as_json, shape, lambda screen: _draw(screen, found, done, background))


async def _undone(session: Session) -> int:
    from everfact.cli.output.screen import progress

    with progress("taking back") as bar:
        return await session.here().undo_reprocess(group_id=session.group, on_done=bar.step)


async def _redone(
    session: Session, others: bool, limit: int, dry_run: bool, background: bool
) -> tuple[Lesser, Reprocessed | None]:
    from dataclasses import replace

    from everfact.cli.output.screen import progress

    memory = session.here()
    found = await memory.lesser(group_id=session.group, others=others)
    found = replace(found, episodes=found.episodes[:limit])
    if dry_run or not found.episodes:
        return found, None
    if background:
        await memory.queue_again(found, group_id=session.group)
        return found, None
    with progress("reading again", len(found.episodes)) as bar:
        return found, await memory.reprocess(found, group_id=session.group, on_done=bar.step)


def _draw(screen: Screen, found: Lesser, done: Reprocessed | None, background: bool) -> None:
    if found.settled:
        screen.line(f"{found.settled} episodes stay as they are: somebody has changed what they say", style="dim")
    if done is None:
        what = "wait for a server to read them again" if background else "would be read again"
        screen.line(f"{len(found.episodes)} episodes {what}" if found.episodes else "nothing to read again")
        return
    screen.line(f"{done.redone} episodes read again")
    screen.rows([(name, f"{getattr(done.before, name):>9,}", f"{getattr(done.after, name):>9,}") for name in _COUNTED])
    if done.stopped:
        screen.line(f"stopped, {done.left} are left: {done.stopped}")
    screen.line("everfact reprocess --undo takes it back", style="dim")

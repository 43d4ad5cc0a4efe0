"""`everfact health` and `everfact stats`: is the memory there, how is it doing, how much does it hold?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import run, settings_of

if TYPE_CHECKING:
    from everfact.cli.elsewhere import Elsewhere
    from everfact.cli.output.screen import Screen
    from everfact.config import Settings
    from everfact.models import Stats


def health(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Report whether the memory is ready. Exit code 1 if it is not."""
    settings = settings_of(ctx)
    held = run(ctx, lambda session: session.memory.status())
    from everfact.cli.elsewhere import waiting_elsewhere
    from everfact.hooks.spool import Spool
    from everfact.verbs.upkeep import condition

    said = condition(settings.remote or settings.store, held, trouble=Spool.of_this_user().trouble())
    elsewhere = waiting_elsewhere(settings)
    said = "\n".join([said, *("; ".join(filter(None, (each.detail, each.hint))) for each in elsewhere)])
    answer(ctx, as_json, _plain(settings, held, elsewhere), lambda screen: _draw(screen, settings, held, said))


def stats(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show how much the memory holds; with --group, that group."""
    held = run(ctx, lambda session: session.memory.status(group_ids=session.groups if session.settings.group else None))
    answer(ctx, as_json, held, lambda screen: screen.counts(held))


def _draw(screen: Screen, settings: Settings, held: Stats, said: str) -> None:
    screen.line(said)
    llm = settings.llm
    if llm.model:
        dollars = f", for at most ${llm.daily_limit_usd:g} a day" if llm.daily_limit_usd is not None else ""
        tokens = f", with at most {llm.daily_limit_tokens:,} tokens a day" if llm.daily_limit_tokens else ""
        screen.line(f"texts are read by {llm.model}{dollars}{tokens}")
    screen.spent(held)


def _plain(settings: Settings, stats: Stats, elsewhere: list[Elsewhere]) -> dict[str, object]:
    model = {"model": settings.llm.model, "models_today": stats.spent.today if stats.spent else {}}
    return {
        "status": "healthy",
        "store": settings.remote or settings.store,
        "episodes": stats.episodes,
        "entities": stats.entities,
        "facts": stats.facts,
        "pending": stats.pending,
        "parked": stats.parked,
        "last_write": stats.last_write.isoformat() if stats.last_write else None,
        "warning": stats.warning,
        "elsewhere": elsewhere,
        **(model if settings.llm.model else {}),
    }

"""`everfact context`, `hook` and `index`: what is put into conversations, and the commits of a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import Session, run
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.git.commits import Indexed

MOST_COMMITS = 1000


def context(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="What the task is about: what touches it comes first.")] = "",
    max_tokens: Annotated[int | None, typer.Option(help="Budget, at four characters a token.", min=1)] = None,
    part: Annotated[str, typer.Option(help="The n-th of m parts as hooks put them in, such as 1/4.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show what an assistant is told when it starts: decisions, preferences, procedures, gotchas, recent work."""
    text = run(ctx, lambda here: _brief(here, query, max_tokens, _part(part)), reads_text=bool(query))
    answer(ctx, as_json, {"context": text}, lambda screen: screen.line(text) if text else None)


def hook(
    event: Annotated[str, typer.Argument(help="SessionStart, UserPromptSubmit, Stop, PreCompact, SessionEnd …")],
    client: Annotated[str, typer.Option(help="Who calls: claude, codex or gemini.")] = "claude",
    part: Annotated[str, typer.Option(help="Which part of the brief to put in, such as 1/4.")] = "1/1",
) -> None:
    """Answer a coding assistant's hook. Reads its message on standard input; always ends with 0."""
    from everfact.hooks.run import main

    main([event, "--client", client, "--part", part])


def index(
    ctx: typer.Context,
    path: Annotated[Path | None, typer.Argument(help="A folder of the project, if not this one.")] = None,
    most: Annotated[int, typer.Option("--max", help="At most so many commits, the newest.", min=1)] = MOST_COMMITS,
    as_json: AsJson = False,
) -> None:
    """Take in the project's git commits since the last time. Safe to repeat."""
    if path is not None and not path.is_dir():
        raise UsageError(f"{path} is no folder", hint="name a folder of a git repository")
    done = run(ctx, lambda here: indexed(here, path, most))
    answer(ctx, as_json, done, lambda screen: _draw_indexed(screen, done))


def _part(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise UsageError(f"--part is no part: {text[:20]!r}", hint="write it like 1/4")
    return int(number), int(parts)


async def _brief(here: Session, query: str, max_tokens: int | None, part: tuple[int, int] | None) -> str:
    from everfact.config import project_dir
    from everfact.config.project import GLOBAL
    from everfact.git.signals import read_signals
    from everfact.hooks.behind import index_if_behind

    budget = min(max_tokens or here.settings.mcp.context_tokens, here.settings.mcp.context_tokens)
    folder, groups = project_dir(here.settings), tuple(dict.fromkeys((here.group, GLOBAL)))
    signals = read_signals(folder, prompt=query)
    if not here.is_remote:
        store = here.settings.store
        await index_if_behind(here.here().state, store=store, group_id=here.group, folder=folder, head=signals.head)
    return await here.memory.brief(groups, signals, max_tokens=budget, part=part)


async def indexed(here: Session, path: Path | None = None, most: int = MOST_COMMITS) -> Indexed:
    """Take in the commits of the project, or of the folder named."""
    from everfact.assemble import index_project
    from everfact.cli.output.screen import progress
    from everfact.config import project_dir

    with progress("indexing") as bar:
        folder = (path or project_dir(here.settings)).absolute()
        return await index_project(here.settings, here.here(), folder, limit=most, step=bar.step)


def _draw_indexed(screen: Screen, done: Indexed) -> None:
    from everfact.cli.output.screen import plural

    if not done.head:
        screen.line("nothing to index: no commits, or no git repository", style="dim")
        return
    screen.line(
        f"{plural(done.commits, 'commit')} read, {plural(done.episodes, 'new episode')}, up to {done.head[:12]}"
    )
    if done.left_out:
        screen.line(f"{plural(done.left_out, 'older commit')} left out: --max takes more", style="dim")

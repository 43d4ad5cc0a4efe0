"""The command line: `everfact`, also installed as `graphiti` and `graphiti-mcp`.

The event loop is started here and nowhere else, and errors become messages and exit codes here.
"""

from __future__ import annotations

import logging
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from everfact import __version__
from everfact.cli import (
    changing,
    config,
    context,
    copies,
    doctor,
    health,
    history,
    importing,
    looking,
    mcp,
    models,
    reprocess,
    setup,
    telling,
    token,
    tracking,
    upkeep,
)
from everfact.cli.arguments import arguments
from everfact.errors import ConfigError, EverfactError, NotFound, UsageError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Memory for AI agents: tell it things, and it gives back the few facts that matter.",
)
app.command()(telling.add)
app.command()(telling.add_facts)
app.command()(looking.search)
app.command("list")(looking.list_)
app.command()(looking.show)
app.command()(history.log)
app.command()(history.blame)
app.command()(history.diff)
app.command()(changing.delete)
app.command()(changing.undo)
app.command()(changing.disputes)
app.command()(changing.merge)
app.command()(changing.split)
app.command()(changing.purge)
app.command()(upkeep.queue)
app.command()(upkeep.summarize)
app.command()(upkeep.compact)
app.command()(reprocess.reprocess)
app.command()(tracking.capture)
app.command()(context.context)
app.command()(context.hook)
app.command()(context.index)
app.command()(copies.export)
app.command("import")(importing.import_)
app.command()(copies.backup)
app.command()(copies.restore)
app.command()(health.health)
app.command()(health.stats)
app.command()(doctor.doctor)
app.command()(setup.setup)
app.add_typer(config.app, name="config")
app.add_typer(mcp.app, name="mcp")
app.add_typer(models.app, name="models")
app.add_typer(token.app, name="token")
app.add_typer(tracking.app, name="session-tracking")

_FLAGS = {"store": "store", "group": "group", "project": "mcp.project_dir", "remote": "remote"}


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"everfact {__version__}")
        raise typer.Exit


@app.callback()
def globals_(  # noqa: PLR0913 - every option is a parameter
    ctx: typer.Context,
    store: Annotated[str, typer.Option(help="Where the memory is: a file or a URL.")] = "",
    group: Annotated[str, typer.Option(help="The group to work in.")] = "",
    user_wide: Annotated[bool, typer.Option("--global", help="Work in the group of all your projects.")] = False,
    project: Annotated[Path | None, typer.Option(help="The project's folder, if not this one.")] = None,
    remote: Annotated[str, typer.Option(help="Use the memory of the server at this address.")] = "",
    version: Annotated[  # noqa: ARG001 - acts through its callback
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Collect the flags that every command takes; they may stand after it, too."""
    from everfact.config.project import GLOBAL

    if user_wide and group not in ("", GLOBAL):
        raise UsageError(f"--global and --group {group} name two groups", hint="leave one out")
    given = {"store": store, "group": GLOBAL if user_wide else group, "project": str(project or ""), "remote": remote}
    ctx.obj = {_FLAGS[name]: value for name, value in given.items() if value}


def main() -> None:
    """Run the program and end the process with its exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a word that a terminal cannot show is no reason to fail
    try:
        app(arguments(sys.argv))
    except EverfactError as error:
        print(f"error: {error.args[0]}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        sys.exit(_exit_code(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain again on closing it.
        sys.stdout = None
        sys.exit(1)


def _exit_code(error: EverfactError) -> int:
    if isinstance(error, NotFound):
        return 1
    return 2 if isinstance(error, UsageError | ConfigError) else 1

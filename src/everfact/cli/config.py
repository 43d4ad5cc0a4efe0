"""`everfact config`: what is set, where each value came from, and setting it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer

if TYPE_CHECKING:
    from everfact.config import Loaded, Row

app = typer.Typer(no_args_is_help=True, help="Look at the settings, and set them.")


@app.command()
def show(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Print every setting and where it came from; secrets are masked."""
    loaded = _load(ctx)
    if as_json:
        print(_dump({"settings": [_plain(row) for row in loaded.show()], "warnings": list(loaded.warnings)}))
        return
    _print_table(loaded)


@app.command()
def get(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(help="A dotted key, such as mcp.context_tokens.")],
    as_json: AsJson = False,
) -> None:
    """Print one setting."""
    row = _load(ctx).row(key)
    print(_dump(_plain(row)) if as_json else row.value)


@app.command("set")
def set_(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(help="A dotted key, such as mcp.context_tokens.")],
    value: Annotated[str, typer.Argument(help="Its value; lists with commas.")],
    here: Annotated[
        bool, typer.Option("--here", help="In this project's .everfact.toml, not for all of yours.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Set one key in your settings file, or in the project's; comments and all else stay."""
    from everfact.verbs.settings import set_key

    done = set_key(ctx.obj, key, value, here=here)
    shape = {"key": key, "value": done.value, "file": str(done.file)}
    answer(ctx, as_json, shape, lambda screen: screen.line(f"set {key} in {done.file}"))


def _load(ctx: typer.Context) -> Loaded:
    from everfact.config import load  # --help needs none of it

    return load(ctx.obj)


def _plain(row: Row) -> dict[str, object]:
    return {"key": row.key, "value": row.data, "source": row.source, "description": row.description}


def _dump(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


def _print_table(loaded: Loaded) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("key", "value", "source", box=None, pad_edge=False, header_style="bold")
    for row in loaded.show():
        # Text, not markup: a value may hold square brackets.
        table.add_row(Text(row.key), Text(row.value or "-"), Text(row.source, style="dim"))
    console = Console()
    console.print(table)
    for warning in loaded.warnings:
        console.print(Text(f"warning: {warning}", style="yellow"))

"""`everfact config`: what is set, where each value came from, and setting it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from everfact.config import Loaded, Row
    from everfact.config.settings import Key

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
    known = _key(key)
    data, file = _checked(ctx, known, value), _file(ctx, here)
    if here and known.is_secret:
        raise UsageError(f"{key} is a secret, and project files are shared", hint=f"set {known.variable} instead")
    _write(ctx, file, key, data)
    shape = {"key": key, "value": "********" if known.is_secret else data, "file": str(file)}
    answer(ctx, as_json, shape, lambda screen: screen.line(f"set {key} in {file}"))


def _key(name: str) -> Key:
    from everfact.config.settings import KEYS
    from everfact.config.sources import suggest_key

    if name not in KEYS:
        raise UsageError(f"unknown key {name}", hint=suggest_key(name))
    if name == "entity_types":
        raise UsageError("entity_types has tables of its own", hint="write them into the file, as [[entity_types]]")
    return KEYS[name]


def _checked(ctx: typer.Context, key: Key, value: str) -> object:
    """The value as a file has it, after the checks that it will meet when the file is read."""
    if not value and not key.may_be_empty:
        raise UsageError(f"{key.name} cannot be empty", hint="take its line out of the file to have the default")
    from everfact.config import load

    row = load(ctx.obj | {key.name: value}).row(key.name)
    return value if key.is_secret else row.data


def _file(ctx: typer.Context, here: bool) -> Path:
    from everfact.config import Places, load, project_dir
    from everfact.config.sources import project_folders

    if not here:
        return Places.of_this_user().user_file
    folders = project_folders(project_dir(load(ctx.obj).settings))
    files = [folder / ".everfact.toml" for folder in folders]
    return next((file for file in files if file.exists()), files[-1])


def _write(ctx: typer.Context, file: Path, key: str, data: object) -> None:
    """Write the file; one that cannot be read afterwards is put back as it was."""
    from everfact.config import load
    from everfact.config.edit import with_value
    from everfact.config.sources import read_text
    from everfact.export import write_export

    former, target = read_text(file), file.resolve()
    write_export(target, with_value(former or "", key, data, file=str(file)))
    try:
        load(ctx.obj)
    except ConfigError:
        if former is None:
            target.unlink()
        else:
            write_export(target, former)
        raise


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

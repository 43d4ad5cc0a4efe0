"""`everfact import`: a journal that `export` wrote, taken into the memory at hand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import run_on_store
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.cli.output.screen import Screen
    from everfact.intake import Taken
    from everfact.ports import Store

_LONGEST_FIRST = 65_536


def import_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(help="A file that export wrote; - is standard input.")],
    into: Annotated[str, typer.Option(help="Take it in as this group, whatever it was called.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would come of it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take in what export wrote, as it was recorded. What is there already is left as it is."""
    with _opened(file) as lines:
        taken = run_on_store(ctx, lambda store: _taken(store, file, lines, into=into, dry_run=dry_run))
    answer(ctx, as_json, _shape(file, taken, dry_run), lambda screen: _draw(screen, file, taken, dry_run))
    if taken.unread:
        raise typer.Exit(1)


async def _taken(store: Store, file: str, lines: BinaryIO, *, into: str, dry_run: bool) -> Taken:
    from everfact.assemble import scratch_store
    from everfact.cli.output.screen import progress
    from everfact.intake import copy_group, take_in
    from everfact.lines import is_ours, read_lines

    if not is_ours(lines.readline(_LONGEST_FIRST)):
        raise UsageError(f"{file} is no export of everfact", hint="name a file that `everfact export` wrote")
    with progress("importing", _size(file)) as bar:
        entries = read_lines(_counted(lines, bar.step), into=into)
        if not dry_run:
            return await take_in(store, entries)
        async with scratch_store() as scratch:
            return await take_in(scratch, entries, prepare=lambda group: copy_group(store, scratch, group))


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).expanduser().open("rb") as lines:
            yield lines
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}", hint="name a file, or - for standard input"
        ) from error
    except KeyboardInterrupt:
        print("interrupted; what was read so far is kept: import the same file again to go on", file=sys.stderr)
        raise


def _size(file: str) -> int | None:
    return None if file == "-" else Path(file).expanduser().stat().st_size


def _counted(lines: Iterable[bytes], step: Callable[[int], None]) -> Iterator[bytes]:
    for line in lines:
        step(len(line))
        yield line


def _shape(file: str, taken: Taken, dry_run: bool) -> dict[str, object]:
    return {
        "file": file,
        "dry_run": dry_run,
        "replayed": taken.replayed,
        "known": taken.known,
        "redone": taken.redone,
        "diverged": taken.diverged,
        "unread": taken.unread,
        "skipped": taken.skipped,
    }


def _draw(screen: Screen, file: str, taken: Taken, dry_run: bool) -> None:
    from everfact.cli.output.screen import plural

    for record in taken.skipped:
        screen.line(f"{file}, {record.place}: skipped, {record.reason}", style="red")
    if taken.unread > len(taken.skipped):
        screen.line(f"and {taken.unread - len(taken.skipped):,} more", style="red")
    would = "would take in" if dry_run else "took in"
    screen.line(f"{would} {plural(taken.replayed, 'record')} as they were recorded; {taken.known:,} were there already")
    if taken.diverged:
        why = "a record before was skipped" if taken.unread else "it has gone its own way"
        screen.line(
            f"{', '.join(taken.diverged)} could not be continued as {why}: "
            f"{plural(taken.redone, 'record')} {'would be' if dry_run else 'were'} done again on top of what is here, "
            "with the time of now; everfact log shows them"
        )

"""`everfact import`: a journal that `export` wrote, or a memory on a server, taken into the memory at hand.

Files of other systems go to `moving`, those in which things wait for a server to `elsewhere`.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.elsewhere import is_outbox, send
from everfact.cli.output import answer
from everfact.cli.session import run, run_on_store
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.cli.moving import Moved
    from everfact.cli.output.screen import Screen
    from everfact.cli.session import Session
    from everfact.intake import Taken
    from everfact.ports import Store

_LONGEST_FIRST = 65_536


def import_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(help="What export or another system wrote, or a server; - is standard input.")],
    kind: Annotated[
        str, typer.Option("--from", help="What wrote it, if not everfact: graphiti, kuzu, memory-json or mem0.")
    ] = "",
    into: Annotated[str, typer.Option(help="Take it in as this group, whatever it was called.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would come of it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take in what export wrote, as it was recorded, or what another system kept. What is there already is left."""
    from everfact.draft import check_group

    if into:
        check_group(into)
    if _is_server(file):
        with TemporaryDirectory(prefix="everfact-") as folder:
            name, copy = _fetched(ctx, file, Path(folder) / "journal.jsonl")
            _take(ctx, name, copy, into=into, dry_run=dry_run, as_json=as_json)
    elif not kind and is_outbox(ctx, file):
        send(ctx, file, into=into, dry_run=dry_run, as_json=as_json)
    elif kind or _is_foreign(file):
        _move_in(ctx, file, kind=kind, into=into, dry_run=dry_run, as_json=as_json)
    else:
        _take(ctx, file, file, into=into, dry_run=dry_run, as_json=as_json)


def _is_server(file: str) -> bool:
    from everfact.config.address import kind_of

    return "://" in file and kind_of(file) not in ("", "sqlite")


def _fetched(ctx: typer.Context, address: str, file: Path) -> tuple[str, str]:
    """Write the whole journal of a memory on a server to a file; answer the server's name, without a login, and it."""
    import asyncio

    from everfact.assemble import open_store
    from everfact.cli.output.lines import write_lines
    from everfact.config import load

    settings = load({**ctx.obj, "store": address}).settings

    async def fetched() -> None:
        async with await open_store(settings) as source:
            await write_lines(source, None, str(file))

    asyncio.run(fetched())
    return settings.store, str(file)


def _take(ctx: typer.Context, name: str, file: str, *, into: str, dry_run: bool, as_json: bool) -> None:
    with _resumable(), _opened(file) as lines:
        taken = run_on_store(ctx, lambda store: _taken(store, file, lines, into=into, dry_run=dry_run))
    answer(ctx, as_json, _shape(name, taken, dry_run), lambda screen: _draw(screen, name, taken, dry_run))
    if taken.unread:
        raise typer.Exit(1)


def _is_foreign(file: str) -> bool:
    """Whether another system wrote it; what can be read only once can only be ours."""
    from everfact.lines import is_ours

    path = Path(file).expanduser()
    if file == "-" or not path.is_file():
        return path.is_dir()
    with _opened(file) as lines:
        return not is_ours(lines.readline(_LONGEST_FIRST))


def _move_in(ctx: typer.Context, file: str, *, kind: str, into: str, dry_run: bool, as_json: bool) -> None:
    from everfact.cli.moving import draw_moved, move_in

    if file == "-":
        raise UsageError("what another system wrote is read from a file", hint="save it first")
    group = into or ctx.obj.get("group", "")

    def act(session: Session) -> Awaitable[Moved]:
        return move_in(session, Path(file).expanduser(), kind=kind, into=group, dry_run=dry_run)

    with _resumable():
        moved = run(ctx, act, reads_text=not dry_run)
    shape = moved.plain(file, dry_run=dry_run)
    answer(ctx, as_json, shape, lambda screen: draw_moved(screen, file, moved, dry_run=dry_run))
    if moved.skipped:
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
    # The event loop's own handler would wait for a line that may never come.
    before = signal.signal(signal.SIGINT, _interrupt)
    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).expanduser().open("rb") as lines:
            yield lines
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}", hint="name a file, or - for standard input"
        ) from error
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _resumable() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        print("interrupted; what was read so far is kept: import the same file again to go on", file=sys.stderr)
        raise


def _interrupt(*_signal: object) -> None:
    raise KeyboardInterrupt


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
    if taken.replayed + taken.redone and not dry_run:
        screen.line("a server finds their meanings, or everfact queue --run now; words are found at once", style="dim")
    if taken.diverged:
        why = "could not be continued where a record was skipped" if taken.unread else "has gone its own way"
        screen.line(f"{', '.join(taken.diverged)} {why}: {_redone(taken, dry_run)}")


def _redone(taken: Taken, dry_run: bool) -> str:
    from everfact.cli.output.screen import plural

    if not taken.redone:
        return "nothing of it was new"
    were = "would be" if dry_run else "were"
    return f"{plural(taken.redone, 'record')} {were} done again on top of what is here, as changes of now"

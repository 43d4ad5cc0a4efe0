"""The journal of a memory written to a file, as JSON lines."""

from __future__ import annotations

from everfact.cli.output.file import written
from everfact.cli.output.plain import shows_unicode
from everfact.cli.output.screen import progress
from everfact.intake import journal_of
from everfact.lines import header, to_line
from everfact.ports import Store


async def write_lines(store: Store, groups: tuple[str, ...] | None, file: str) -> int:
    """Write the file, all or nothing; answer how many records it has.

    Raises:
        UsageError: it cannot be written.
    """
    stats = await store.stats(groups)
    as_ascii = file == "-" and not shows_unicode()
    count = 0
    with written(file) as out, progress("exporting", stats.episodes + stats.changes) as bar:
        out.write(header())
        async for entry in journal_of(store, groups):
            out.write(to_line(entry, as_ascii=as_ascii))
            count += 1
            bar.step()
    return count

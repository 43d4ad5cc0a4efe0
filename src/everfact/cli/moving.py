"""`everfact import` of a file that another system wrote: kept first, all of it, and digested afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from everfact.errors import UsageError
from everfact.models import Filter, Mention, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everfact.cli.output.screen import Screen
    from everfact.cli.session import Session
    from everfact.memory import Memory
    from everfact.models import Draft

_AT_ONCE = 200
_EACH = 16


@dataclass(slots=True, kw_only=True)
class Moved:
    """What became of a file of another system."""

    episodes: int = 0
    """That it tells."""
    known: int = 0
    """Of them, those that were here already."""
    facts: int = 0
    """That it hands over; more may be read out of the texts."""
    entities: int = 0
    pending: int = 0
    parked: int = 0
    groups: dict[str, None] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)

    def plain(self, file: str, *, dry_run: bool) -> dict[str, object]:
        """As `--json` prints it."""
        counts = {name: getattr(self, name) for name in ("episodes", "known", "facts", "entities", "pending", "parked")}
        return {"file": file, "dry_run": dry_run, "groups": list(self.groups), **counts, "skipped": self.skipped}


async def move_in(session: Session, file: Path, *, kind: str, into: str, dry_run: bool) -> Moved:
    """Keep what the file tells, then digest it. Left halfway, it goes on when it is done again."""
    from everfact.cli.output.screen import progress
    from everfact.importers import read

    memory, moved = session.here(), Moved()
    found = _in_groups(read(file, kind, group=into), session.group, moved)
    names: set[tuple[str, str]] = set()
    with progress("reading" if dry_run else "keeping") as bar:
        while drafts := list(islice(found, _AT_ONCE)):
            moved.known += await _known(memory, drafts)
            for draft in drafts:
                if dry_run or await _keep(memory, draft, moved):
                    _count(draft, moved, names)
            bar.step(len(drafts))
    moved.entities = len(names)
    if not dry_run and moved.groups:
        await _digest(memory, moved)
    return moved


def _in_groups(found: Iterable[Draft | Skipped], group: str, moved: Moved) -> Iterator[Draft]:
    for each in found:
        if isinstance(each, Skipped):
            moved.skipped.append(each)
        else:
            yield replace(each, group_id=each.group_id or group)


async def _known(memory: Memory, drafts: list[Draft]) -> int:
    uuids = tuple(draft.uuid for draft in drafts)
    return len(await memory.episodes(Filter(group_ids=None, uuids=uuids), limit=len(uuids)))


async def _keep(memory: Memory, draft: Draft, moved: Moved) -> bool:
    try:
        await memory.add(draft)
    except UsageError as error:
        moved.skipped.append(Skipped(place=f"{draft.name or draft.content[:40]} ({draft.uuid})", reason=error.args[0]))
        return False
    return True


def _count(draft: Draft, moved: Moved, names: set[tuple[str, str]]) -> None:
    moved.episodes += 1
    moved.groups[draft.group_id] = None
    moved.facts += sum(1 for said in draft.statements if said.relation)
    mentions = (each for said in draft.statements for each in (said.subject, said.object))
    names.update((draft.group_id, each.uuid or each.name) for each in mentions if isinstance(each, Mention))


async def _digest(memory: Memory, moved: Moved) -> None:
    """Read the facts out of what is kept; what fails is tried again later, by whoever serves the memory."""
    from everfact.cli.output.screen import progress

    groups = tuple(moved.groups)
    waiting = (await memory.status(group_ids=groups)).pending
    with progress("digesting", waiting) as bar:
        while count := await memory.digest(limit=len(groups), each=_EACH, group_ids=groups):
            bar.step(count)
    with progress("learning meanings") as bar:
        while count := await memory.embed():
            bar.step(count)
    stats = await memory.status(group_ids=groups)
    moved.pending, moved.parked = stats.pending, stats.parked


def draw_moved(screen: Screen, file: str, moved: Moved, *, dry_run: bool) -> None:
    """What happened, for a person."""
    from everfact.cli.output.screen import plural

    for each in moved.skipped:
        screen.line(f"{file}, {each.place}: skipped, {each.reason}", style="red")
    told = (
        f"{plural(moved.episodes, 'episode')}, {plural(moved.facts, 'fact')} about {plural(moved.entities, 'entity')}"
    )
    where = f" in {', '.join(moved.groups)}" if moved.groups else ""
    screen.line(f"{'would take in' if dry_run else 'took in'} {told}{where}; {moved.known:,} were there already")
    if moved.skipped:
        screen.line(f"{plural(len(moved.skipped), 'record')} skipped")
    if moved.pending:
        screen.line(f"{moved.pending:,} wait to be digested; everfact queue shows them", style="yellow")
    if moved.parked:
        screen.line(f"{moved.parked:,} could not be digested; everfact queue says why", style="yellow")

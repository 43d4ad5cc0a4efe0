"""The reference store's journal: what was told and done, read out of its versions and written into them again."""

from __future__ import annotations

from collections.abc import Sequence

from everfact.errors import Conflict, UsageError
from everfact.models import Change, Entry, Episode, Status, Undigested, as_entry
from everfact.testing.contents import Contents, Waiting


def journal(contents: Contents, group_id: str) -> list[Entry]:
    """All of a group's: tellings and changes in the order of their record times, then what is left to digest."""
    versions = [v for v in contents.versions if v.item.group_id == group_id]
    told = [v.item for v in versions if isinstance(v.item, Episode) and v.made_by is None]
    history: list[Episode | Change] = [as_entry(episode) for episode in told]
    history += [as_entry(contents.whole(change)) for change in contents.log if change.group_id == group_id]
    left = [contents.with_status(version) for version in versions if version.number in contents.queue]
    return [
        *sorted(history, key=lambda entry: entry.created_at),
        *(
            Undigested(uuid=e.uuid, group_id=group_id, status=e.status, attempts=e.attempts, error=e.error)
            for e in left
        ),
    ]


def replay(contents: Contents, entries: Sequence[Entry]) -> int:
    """See `Store.replay`."""
    history = [as_entry(entry) for entry in entries if not isinstance(entry, Undigested)]
    if not history:
        return 0
    group = history[0].group_id
    if any(entry.group_id != group for entry in entries):
        raise UsageError("a stretch of a journal is of one group")
    there = [entry for entry in history if _is_there(contents, entry)]
    fresh = history[len(there) :]
    last = there[-1].created_at if there else None
    if fresh and (there != history[: len(there)] or last != contents.recorded.get(group)):
        raise Conflict(f"group {group} has gone another way than the journal")
    for entry in fresh:
        _continue(contents, entry)
    if history[-1].created_at != contents.recorded[group]:
        return 0
    return len(fresh) + sum([_leave(contents, entry) for entry in entries if isinstance(entry, Undigested)])


def _is_there(contents: Contents, entry: Episode | Change) -> bool:
    if isinstance(entry, Change):
        mine = [change.group_id for change in contents.log if change.uuid == entry.uuid]
        told = mine
    else:
        versions = [version for version in contents.versions if version.item.uuid == entry.uuid]
        mine = [version.item.group_id for version in versions]
        told = [v.item.group_id for v in versions if v.made_by is None and v.known_from == entry.created_at]
    if set(mine) - {entry.group_id}:
        raise UsageError(f"{entry.uuid} belongs to another group")
    return bool(told)


def _continue(contents: Contents, entry: Episode | Change) -> None:
    group, at = entry.group_id, entry.created_at
    if group in contents.recorded and contents.recorded[group] >= at:
        raise UsageError(f"the entry {entry.uuid} was recorded before the one ahead of it")
    contents.recorded[group] = at
    contents.queue = {number: waiting for number, waiting in contents.queue.items() if waiting.group_id != group}
    contents.leases.pop(group, None)
    if isinstance(entry, Episode):
        contents.write(entry, at, None)
    elif entry.parent != contents.head(group):
        raise Conflict(f"group {group} has gone another way than the journal")
    else:
        contents.record(entry)


def _leave(contents: Contents, entry: Undigested) -> bool:
    """Queue an episode, unless it is queued already or not there; answer whether it was."""
    present = contents.present(entry.uuid)
    if present is None or present.item.group_id != entry.group_id or present.number in contents.queue:
        return False
    contents.queue[present.number] = Waiting(
        group_id=entry.group_id,
        is_parked=entry.status is Status.PARKED,
        attempts=entry.attempts,
        error=entry.error,
    )
    return True

"""Whether commits came in since the project was last indexed; if so, indexing goes on in a process of its own."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from everfact.config.project import git_common_dir, group_of
from everfact.git.commits import read_mark, state_name
from everfact.hooks import drain
from everfact.hooks.spool import Job, Spool

log = logging.getLogger(__name__)


async def index_if_behind(
    state: Callable[[str], Awaitable[str | None]], *, store: str, group_id: str, folder: Path, head: str
) -> None:
    """Start indexing if the project was indexed before, but not up to `head`. Does not wait for it."""
    repository = git_common_dir(folder) if head else None
    if repository is None:
        return
    mark = read_mark(await state(state_name(group_id, group_of(repository))))
    if not mark.tips or head in mark.tips:
        return
    spool, job = Spool.of_this_user(), Job(kind="index", store=store, group=group_id, folder=str(folder))
    try:
        if not spool.knows(job):
            spool.put(job)
            drain.start(spool)
    except OSError as error:
        log.warning("commits cannot be indexed in the background: %s", error)

"""Working off the spool: one process at a time, started by hooks and outliving them and their client."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from everfact.errors import EverfactError
from everfact.hooks.spool import Job, Spool

if TYPE_CHECKING:
    from everfact.config import Settings
    from everfact.memory import Memory

log = logging.getLogger(__name__)

MOST_COMMITS = 1_000
_MOST_LOG = 1_000_000
_AT_ONCE, _IN_A_ROW = 4, 50


def start(spool: Spool) -> None:
    """Start a process that works the jobs off, detached; this one need not outlive its answer."""
    log_file = spool.folder / "drain.log"
    if log_file.exists() and log_file.stat().st_size > _MOST_LOG:
        log_file.replace(log_file.with_suffix(".old"))
    with log_file.open("ab") as errors:
        if sys.platform == "win32":
            flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        else:
            flags = 0
        worker = subprocess.Popen(  # noqa: S603 - our own program; -P: nothing in a project's folder may pass for it
            [sys.executable, "-P", "-m", "everfact.hooks", str(spool.folder)],
            cwd=spool.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            creationflags=flags,
        )
    # Where this process goes on, as a server does, nothing is left of the other one when that ends.
    threading.Thread(target=worker.wait, daemon=True).start()


def drain(spool: Spool) -> int:
    """Do what waits, unless somebody else is at it; answer how many jobs were done."""
    done = 0
    failed: set[str] = set()
    # Whoever put a job while the lock was held may have seen it held, and relies on us.
    while any(path.name not in failed for path in spool.waiting()):
        with spool.locked() as is_ours:
            if not is_ours:
                return done
            spool.recover()
            for path in spool.waiting():
                if path.name in failed:
                    continue
                if _done(spool, path):
                    done += 1
                else:
                    failed.add(path.name)
    return done


def _done(spool: Spool, path: Path) -> bool:
    job = spool.take(path)
    if job is None:
        return False
    try:
        asyncio.run(_do(job))
    except EverfactError as error:
        spool.failed(job, str(error))
        log.warning("%s failed: %s", job.kind, error)
    except Exception as error:  # whatever it is, the other jobs are done
        spool.failed(job, f"{type(error).__name__}: {error}")
        log.exception("%s failed", job.kind)
    else:
        spool.done(job)
        return True
    return False


async def _do(job: Job) -> None:
    from everfact.assemble import open_configured
    from everfact.config import load

    flags = {"store": job.store, "group": job.group}
    settings = load({key: value for key, value in flags.items() if value}, project=Path(job.folder)).settings
    async with await open_configured(settings) as memory:
        await _ACTS[job.kind](memory, settings, job)
        while await memory.digest(limit=_AT_ONCE, each=_IN_A_ROW):
            pass


async def _capture(memory: Memory, settings: Settings, job: Job) -> None:
    from everfact.assemble import capture_options
    from everfact.capture.take import capture_session

    await capture_session(
        memory,
        capture_options(settings),
        transcript=Path(job.transcript) if job.transcript else None,
        client=job.client,
        session_id=job.session_id,
    )


async def _index(memory: Memory, settings: Settings, job: Job) -> None:
    from everfact.assemble import index_project

    await index_project(settings, memory, Path(job.folder), limit=MOST_COMMITS)


_ACTS = {"capture": _capture, "index": _index}


def main() -> None:
    """Work off the spool in the folder that is given."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    drain(Spool(Path(sys.argv[1])))

"""One call of a hook, from what the client says to what it is answered. Whatever happens, it ends well and soon."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from everfact.config import Settings, load, project_dir
from everfact.errors import EverfactError
from everfact.hooks.events import CLIENTS, Event, Moment, read_event, shaped
from everfact.hooks.spool import Job, Spool

_SECONDS = 1.2
"""Less than the shortest time that a client gives a hook."""
_MOST_INPUT = 32 << 20
_FLAGS = {"--store": "store", "--group": "group", "--project": "mcp.project_dir", "--remote": "remote"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The arguments of one call."""

    event: str = ""
    client: str = CLIENTS[0]
    part: tuple[int, int] = (1, 1)
    flags: dict[str, str] = field(default_factory=dict)


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer on standard output and leave with 0, however long or badly the work goes."""
    answers: list[str] = []
    # A thread, because nothing else can be left behind: a read that hangs, a disk that does not answer.
    work = threading.Thread(target=lambda: answers.append(answered(arguments)), daemon=True)
    work.start()
    work.join(_SECONDS)
    text = answers[0] if answers else shaped(Event(name="", client="", moment=None), trouble="a hook took too long")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()
    except OSError:
        pass  # nobody is there to read it
    os._exit(0)


def answered(arguments: Sequence[str], given: bytes | None = None) -> str:
    """The answer to one call; what went wrong is a line in it."""
    event = Event(name="", client="", moment=None)
    try:
        call = _read(arguments)
        said, trouble = _said(given if given is not None else _input())
        event = read_event(call.event, call.client, said)
        if event.moment is None:
            return shaped(event, trouble="" if call.event else "no event is named")
        return _injected(event, call, trouble) if event.injects else _captured(event, call)
    except EverfactError as error:
        return _in_trouble(event, str(error.args[0]))
    except Exception as error:  # noqa: BLE001 - a client must never fail because of us, and a person is told
        return _in_trouble(event, f"{type(error).__name__} in a hook; everfact doctor tells more")


def _in_trouble(event: Event, trouble: str) -> str:
    """An answer that says what is wrong, where it is read: among the notes, else to the person."""
    if not event.injects:
        return shaped(event, trouble=trouble)
    from everfact.hooks.inject import only_trouble

    return shaped(event, only_trouble(trouble))


def _read(arguments: Sequence[str]) -> Call:
    """The arguments; what is not understood is passed over, since nobody would read a complaint."""
    found: dict[str, str] = {}
    event = ""
    waiting = iter(arguments)
    for word in waiting:
        name, has_value, value = word.partition("=")
        if name == "--global":
            found["--group"] = "global"
        elif name.startswith("--"):
            found[name] = value if has_value else next(waiting, "")
        else:
            event = event or word
    number, _, parts = found.get("--part", "").partition("/")
    is_part = number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts) <= 99
    client = found.get("--client", "")
    return Call(
        event=event,
        client=client if client in CLIENTS else CLIENTS[0],
        part=(int(number), int(parts)) if is_part else (1, 1),
        flags={_FLAGS[name]: value for name, value in found.items() if name in _FLAGS and value},
    )


def _input() -> bytes:
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(_MOST_INPUT + 1)


def _said(given: bytes) -> tuple[dict[str, object], str]:
    """What the client says, and what is wrong with it."""
    try:
        said = json.loads(given) if len(given) <= _MOST_INPUT else None
    except (ValueError, RecursionError):
        said = None
    return (said, "") if isinstance(said, dict) else ({}, "the client's message to a hook could not be read")


def _place(event: Event, call: Call) -> tuple[Settings, Path]:
    """The settings, and the folder of the project that the session works in."""
    folder = Path(event.folder) if event.folder and Path(event.folder).is_dir() else None
    settings = load(call.flags, project=folder).settings
    named = "mcp.project_dir" in call.flags or "CLAUDE_PROJECT_DIR" in os.environ or folder is None
    return settings, project_dir(settings) if named or folder is None else folder


def _injected(event: Event, call: Call, trouble: str) -> str:
    import asyncio

    from everfact.hooks import drain
    from everfact.hooks.inject import notes

    settings, folder = _place(event, call)
    if settings.remote is not None:
        return shaped(event)  # nothing behind a server answers soon enough
    spool = Spool.of_this_user()
    if event.moment is Moment.START and call.part[0] == 1 and spool.waiting():
        drain.start(spool)
    return shaped(event, asyncio.run(notes(settings, folder, event, call.part, trouble or spool.trouble())))


def _captured(event: Event, call: Call) -> str:
    """Have the session captured: once enough turns wait, and before anything of it is lost."""
    if event.moment is Moment.PROMPT or event.is_repeated or not (event.session_id or event.transcript):
        return shaped(event)
    spool = Spool.of_this_user()
    try:
        settings, folder = _place(event, call)
        store, group, every = settings.store, settings.group, settings.capture.every_turns
        if settings.remote is not None:
            return shaped(event)
    except EverfactError:
        # The settings may be mended by the time that the job is done.
        store, group, folder, every = call.flags.get("store", ""), call.flags.get("group", ""), Path(event.folder), 1
    try:
        _hand_over(spool, event, Job(kind="capture", store=store, group=group, folder=str(folder)), every)
    except OSError as error:
        return shaped(event, trouble=f"the session cannot be captured: {error.strerror} ({spool.folder})")
    return shaped(event)


def _hand_over(spool: Spool, event: Event, job: Job, every: int) -> None:
    from dataclasses import replace

    from everfact.hooks import drain

    turns = event.session_id or event.transcript
    if event.moment is Moment.ANSWER and spool.count_turn(turns) < every:
        return
    spool.put(replace(job, client=event.client, session_id=event.session_id, transcript=event.transcript))
    spool.forget_turns(turns)
    drain.start(spool)

"""A transcript line by line, from a place on: bounded memory, however long a line is, and half lines left for later."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everfact.errors import CaptureError

LONGEST = 16 * 1024 * 1024
"""Bytes of a line that is read; longer ones hold pictures and whole files, and are passed over."""
_CHUNK = 64 * 1024
_SEEN = 256

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How far a file has been read: in which file, up to where, and what stood there."""

    inode: int = 0
    offset: int = 0
    mark: str = ""


def records(path: Path, offset: int = 0) -> Iterator[tuple[int, Record | None]]:
    """Where each whole line begins, and the object it holds; None if it is too long or holds none.

    Raises:
        CaptureError: the file cannot be read.
    """
    with _mapped(path), path.open("rb") as file:
        if path.suffix == ".json":  # one document, as Gemini CLI once wrote
            yield 0, _parse(file.read(LONGEST + 1))
            return
        file.seek(offset)
        start = offset
        while line := file.readline(LONGEST + 1):
            length = len(line)
            is_long = length > LONGEST
            if is_long and not line.endswith(b"\n"):
                while (line := file.readline(_CHUNK)) and not line.endswith(b"\n"):
                    length += len(line)
                length += len(line)
            if not line.endswith(b"\n"):
                return  # still being written
            yield start, None if is_long else _parse(line)
            start += length


def place_at(path: Path, offset: int) -> Place:
    """The place, to go on from there another time.

    Raises:
        CaptureError: the file cannot be read.
    """
    with _mapped(path), path.open("rb") as file:
        seen = file.read(min(offset, _SEEN))
        file.seek(max(offset - _SEEN, 0))
        seen += file.read(min(offset, _SEEN))
        return Place(inode=path.stat().st_ino, offset=offset, mark=hashlib.sha256(seen).hexdigest())


def still_holds(path: Path, place: Place) -> bool:
    """It is the same file, and up to there nobody has rewritten it.

    Raises:
        CaptureError: the file cannot be read.
    """
    with _mapped(path):
        return path.stat().st_size >= place.offset and place_at(path, place.offset) == place


def _parse(line: bytes) -> Record | None:
    if len(line) > LONGEST:
        return None
    try:
        found = json.loads(line)
        if b"\\ud" in line or b"\\uD" in line:  # half a character, perhaps, that nothing could be written with
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


@contextmanager
def _mapped(path: Path) -> Iterator[None]:
    try:
        if not path.is_file():  # reading from a pipe would wait for ever
            raise CaptureError(f"{path} is no file", hint="name a transcript")
        yield
    except (OSError, ValueError) as error:
        raise CaptureError(f"{path} cannot be read: {error}", hint="name a transcript that you may read") from error

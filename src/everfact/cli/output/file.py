"""A file that a command writes: all of it or nothing, for its owner alone."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from everfact.errors import UsageError


@contextmanager
def written(file: str) -> Iterator[TextIO]:
    """A file that has its name only once all of it is written; `-` is standard output.

    Raises:
        UsageError: it cannot be written.
    """
    if file == "-":
        yield sys.stdout
        return
    target = Path(file).expanduser().absolute()
    try:
        handle, name = tempfile.mkstemp(prefix=".everfact-", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            Path(name).replace(target)
        finally:
            with suppress(OSError):  # after success there is nothing left under that name
                Path(name).unlink()
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}", hint="name a file in a folder of yours"
        ) from error

"""What we changed in files of others: how each was before, and how we left it. In one folder of the user's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from everfact.errors import InstallError
from everfact.export import write_export


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What we did to one file."""

    before: bytes | None
    """None: it was not there."""
    after: str
    """The digest of what we left; empty if others wrote between two changes of ours."""
    paths: Mapping[tuple[str, ...], object] = field(default_factory=dict)
    """Where we put something in, and what was there, None if nothing; but for items of arrays, whose places move."""
    made: int = 0
    """How many folders around it we made."""


class Receipts:
    """All of them. The former bytes lie beside as plain files, so that a person can put them back, too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, path: Path) -> Receipt | None:
        """The receipt of a file, if we changed it.

        Raises:
            InstallError: what we kept cannot be read.
        """
        note, kept = self._places(path)
        try:
            held = json.loads(note.read_text(encoding="utf-8"))
            before = kept.read_bytes() if held["was_there"] else None
            paths = {tuple(path): was for path, was in held["paths"]}
            return Receipt(before=before, after=held["after"], paths=paths, made=held["made"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InstallError(f"{note} cannot be read: {error}", hint=f"move {self.folder} away") from error

    def note(
        self, path: Path, before: bytes | None, after: bytes, *, paths: Mapping[tuple[str, ...], object], made: int = 0
    ) -> None:
        """Remember a change. What was there before our first one is kept; if others wrote since, that is noted."""
        receipt, (note, kept) = self.of(path), self._places(path)
        was = "" if before is None else digest(before)
        if receipt is None:
            receipt = Receipt(before=before, after=was, made=made)
            if before is not None:
                write_export(kept.resolve(), before.decode())
        held = {
            "file": str(path),
            "was_there": receipt.before is not None,
            "after": digest(after) if receipt.after == was else "",
            "paths": list({**paths, **receipt.paths}.items()),
            "made": receipt.made,
        }
        write_export(note.resolve(), json.dumps(held, indent=2) + "\n")

    def drop(self, path: Path) -> None:
        """Forget a file."""
        for place in self._places(path):
            place.unlink(missing_ok=True)

    def _places(self, path: Path) -> tuple[Path, Path]:
        mark = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return self.folder / f"{mark}.json", self.folder / f"{mark}-{path.name.lstrip('.')}"


def digest(content: bytes) -> str:
    """By which to see whether a file is still the same."""
    return hashlib.sha256(content).hexdigest()

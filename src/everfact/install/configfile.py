"""The one careful editor of other programs' config files: JSON with or without comments, TOML, YAML.

What it did not write itself stays as it is, byte by byte. A file that cannot be read, or whose change does not read as
it should, is left alone. Every file that was changed is kept as it was, in a folder of ours, until it is taken back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from everfact.errors import InstallError, UsageError
from everfact.export import write_export
from everfact.install import jsontext
from everfact.install.blocktext import TOMLText, YAMLText
from everfact.install.jsontext import Step
from everfact.install.receipts import Receipt, Receipts, digest

_ATTEMPTS = 5
_LARGEST = 50_000_000
_BOM = "\ufeff"
_MISSING = object()


class Format(Protocol):
    """How one kind of text is read and changed; each raises ValueError where it cannot."""

    def parse(self, text: str) -> object:
        """What the text holds."""
        ...

    def put(self, text: str, path: Sequence[Step], value: object) -> str:
        """The text with that value at that path."""
        ...

    def back(self, text: str, path: Sequence[Step], former: str) -> str:
        """The text with that path as it is in a former text."""
        ...


_JSON: Format = jsontext
_FORMATS: dict[str, Format] = {".toml": TOMLText(), ".yaml": YAMLText(), ".yml": YAMLText()}


@dataclass(frozen=True, slots=True)
class Edit:
    """A value to set, or, without one, a path that is to be as it was before us."""

    path: tuple[Step, ...]
    value: object = None


Edits: TypeAlias = "Callable[[dict[str, Any]], Sequence[Edit]]"
"""What somebody wants who sees what a file holds."""


class ConfigFile:
    """One file of another program. `is_private`: if we make it, nobody else may read it."""

    def __init__(self, path: Path, receipts: Receipts, *, is_private: bool = True) -> None:
        self.path = Path(os.path.realpath(path))  # resolve() fails on links in a circle
        self.is_private = is_private
        self._receipts = receipts
        self._format = _FORMATS.get(self.path.suffix, _JSON)
        self._empty = "" if self.path.suffix in _FORMATS else "{}\n"

    def data(self) -> dict[str, Any]:
        """What the file holds; nothing if it is not there.

        Raises:
            InstallError: it cannot be read.
        """
        return self._parse(self._text(self.raw()).removeprefix(_BOM).strip() or self._empty)

    def change(self, edits: Edits, *, dry_run: bool = False) -> bool:
        """Make the edits that somebody wants who sees what it holds; says whether anything changes.

        Raises:
            InstallError: it cannot be changed safely; it is as it was.
        """
        for _ in range(_ATTEMPTS):
            before = self.raw()
            text = self._text(before)
            wanted = edits(self.data())
            after = self._edited(text, wanted)
            if after == text:
                return False
            if dry_run:
                return True
            self._check_writable()
            if self.raw() == before:  # programs rewrite their files at any time
                self._write(before, after, self._formers(text, wanted))
                return True
        raise InstallError(f"{self.path} changes all the time", hint="close the program that writes it; try again")

    def take_back(self, edits: Edits, *, dry_run: bool = False) -> bool:
        """Put the file back as it was before us; if others have changed it since, only our own edits are undone.

        Raises:
            InstallError: it cannot be changed safely; it is as it was.
        """
        receipt, now = self.receipt(), self.raw()
        if now is None or receipt is None or receipt.after != digest(now):
            changed = self.change(edits, dry_run=dry_run)
        else:
            changed = True
            if not dry_run:
                self._check_writable()
                self._replace(receipt.before)
        if not dry_run:
            self._receipts.drop(self.path)
        return changed

    def overwrite(self, text: str, *, dry_run: bool = False) -> bool:
        """Have the file hold just this; says whether that is new.

        Raises:
            InstallError: it cannot be written.
        """
        before = self.raw()
        if self._text(before) == text:
            return False
        if not dry_run:
            self._check_writable()
            self._write(before, text, {})
        return True

    def as_text(self, path: tuple[Step, ...], value: object) -> str:
        """A file of this kind that holds nothing else."""
        return self._format.put(self._empty, path, value)

    def note(self, before: bytes | None, path: tuple[str, ...]) -> None:
        """Remember how the file was before another program put something there for us."""
        after = self.raw()
        if after is not None and after != before:
            self._receipts.note(self.path, before, after, paths={path: None})

    def receipt(self) -> Receipt | None:
        """What we did to it, if anything."""
        return self._receipts.of(self.path)

    def raw(self) -> bytes | None:
        """The bytes of the file; None if it is not there.

        Raises:
            InstallError: it cannot be read.
        """
        try:
            if self.path.stat().st_size > _LARGEST:
                raise InstallError(f"{self.path} is too large to be a config file", hint="look what happened to it")
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or str(error)
            raise InstallError(f"{self.path} cannot be read: {reason}", hint="check its permissions") from error

    # Steps

    def _edited(self, text: str, wanted: Sequence[Edit]) -> str:
        mark = _BOM if text.startswith(_BOM) else ""
        new = text.removeprefix(mark) if text.strip(_BOM + " \t\r\n") else self._empty
        data, former = self._parse(new), self._former()
        then = self._parse(former)
        try:
            for edit in wanted:
                new, data = (
                    self._made(edit, new, data) if edit.value else self._undone(edit.path, new, data, former, then)
                )
            is_right = _trimmed(self._format.parse(new), wanted) == _trimmed(data, wanted)
        except ValueError as error:
            raise self._unsafe() from error
        if not is_right:
            raise self._unsafe()
        return mark + new if data or text.strip() else text

    def _made(self, edit: Edit, text: str, data: Any) -> tuple[str, Any]:
        if _at(data, edit.path) == edit.value:
            return text, data
        return self._format.put(text, edit.path, edit.value), _with(data, edit.path, edit.value)

    def _undone(self, path: tuple[Step, ...], text: str, data: Any, former: str, then: object) -> tuple[str, Any]:
        receipt = self.receipt()
        was = receipt.paths.get(tuple(map(str, path))) if receipt else None
        if was is not None and _at(then, path) != was and _at(data, path) is not _MISSING:
            return self._made(Edit(path, was), text, data)  # it came after the text that we kept
        text, data = self._format.back(text, path, former), _back(data, path, then)
        for parent in _hollow(data, path):
            if _at(then, parent) is not _MISSING:
                break
            text, data = self._format.back(text, parent, former), _without(data, parent)
        return text, data

    def _formers(self, text: str, wanted: Sequence[Edit]) -> dict[tuple[str, ...], object]:
        data = self._parse(text.removeprefix(_BOM).strip() or self._empty)
        named = [edit.path for edit in wanted if edit.value and not any(isinstance(step, int) for step in edit.path)]
        return {tuple(map(str, path)): None if (was := _at(data, path)) is _MISSING else was for path in named}

    def _unsafe(self) -> InstallError:
        return InstallError(
            f"{self.path} is written in a way that cannot be changed safely; nothing was changed",
            hint="add the entry by hand; everfact mcp print shows it",
        )

    def _parse(self, text: str) -> dict[str, Any]:
        try:
            data = self._format.parse(text)
        except ValueError as error:
            raise InstallError(
                f"{self.path} cannot be understood: {error}; nothing was changed", hint="mend it, then try again"
            ) from error
        if not isinstance(data, dict):
            raise InstallError(f"{self.path} holds no table of settings; nothing was changed", hint="mend it first")
        return data

    def _former(self) -> str:
        receipt = self.receipt()
        text = self._text(receipt.before).removeprefix(_BOM) if receipt else ""
        return text if text.strip() else self._empty

    def _text(self, content: bytes | None) -> str:
        try:
            return "" if content is None else content.decode()
        except UnicodeDecodeError as error:
            raise InstallError(
                f"{self.path} is not UTF-8 text; nothing was changed", hint="save it as UTF-8"
            ) from error

    def _check_writable(self) -> None:
        if self.path.exists() and not self.path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise InstallError(
                f"{self.path} is read-only; nothing was changed", hint=f"allow writing: chmod u+w {self.path}"
            )

    def _write(self, before: bytes | None, text: str, paths: Mapping[tuple[str, ...], object]) -> None:
        made = sum(not folder.exists() for folder in self.path.parents)
        is_first = self.receipt() is None
        self._receipts.note(self.path, before, text.encode(), paths=paths, made=made)
        try:
            self._replace(text.encode())
        except InstallError:
            if is_first:
                self._receipts.drop(self.path)
            raise

    def _replace(self, content: bytes | None) -> None:
        is_new = not self.path.exists()
        try:
            if content is None:
                self._remove()
                return
            write_export(self.path, content.decode())
            if is_new and not self.is_private:
                self.path.chmod(0o644)
        except (OSError, UsageError) as error:
            raise InstallError(f"{self.path} cannot be written; nothing was changed", hint=str(error)) from error

    def _remove(self) -> None:
        receipt = self.receipt()
        self.path.unlink()
        for folder in self.path.parents[: receipt.made if receipt else 0]:
            if any(folder.iterdir()):
                break
            folder.rmdir()


# What the edits mean, on plain data: what the text must read as afterwards


def _at(data: Any, path: Sequence[Step]) -> object:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return data


def _with(data: Any, path: Sequence[Step], value: object) -> Any:
    if not path:
        return value
    step, *rest = path
    if isinstance(step, int):
        items = [] if data in (_MISSING, None) else data
        return [*items[:step], _with(_at(items, [step]), rest, value), *items[step + 1 :]]
    held = {} if data in (_MISSING, None) else data
    return {**held, step: _with(_at(held, [step]), rest, value)}


def _back(data: Any, path: Sequence[Step], then: object) -> Any:
    was = _MISSING if isinstance(path[-1], int) else _at(then, path)
    if _at(data, path) is _MISSING or was is _MISSING:
        return _without(data, path)
    return _with(data, path, was)


def _without(data: Any, path: Sequence[Step]) -> Any:
    parent, last = _at(data, path[:-1]), path[-1]
    if isinstance(parent, list):
        return _with(data, path[:-1], [item for place, item in enumerate(parent) if place != last])
    if isinstance(parent, dict):
        return _with(data, path[:-1], {name: held for name, held in parent.items() if name != last})
    return data


def _hollow(data: object, path: Sequence[Step]) -> list[tuple[Step, ...]]:
    """The containers on the path, innermost first, that hold nothing, or nothing but such."""
    found = []
    for length in range(len(path) - 1, 0, -1):
        held = _at(data, parent := tuple(path[:length]))
        if held is _MISSING:
            continue
        if held:
            break
        found.append(parent)
        data = _without(data, parent)
    return found


def _trimmed(data: object, edits: Sequence[Edit]) -> object:
    """Without hollow containers on the paths of the edits: some formats write none."""
    for edit in edits:
        for parent in _hollow(data, edit.path):
            data = _without(data, parent)
    return data

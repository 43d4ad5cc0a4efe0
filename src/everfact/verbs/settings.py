"""Setting one key in the file it belongs to: checked first, comments and all else kept, put back if it does harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from everfact.config import Places, load, project_dir
from everfact.config.edit import with_value
from everfact.config.settings import KEYS, Key
from everfact.config.sources import project_folders, read_text, suggest_key
from everfact.errors import ConfigError, UsageError
from everfact.export import write_export


@dataclass(frozen=True, slots=True)
class Setting:
    """One key as it was set; a secret's value is masked."""

    key: str
    value: object
    file: Path


def set_key(flags: Mapping[str, str], name: str, value: str, *, here: bool = False) -> Setting:
    """Set one key in the user's file, or in the project's.

    Raises:
        UsageError: there is no such key, or it is none for that file.
        ConfigError: the value is wrong, or the file cannot be read.
    """
    key = _known(name)
    data, file = _checked(flags, key, value), _file(flags, here)
    if here and key.is_secret:
        raise UsageError(f"{name} is a secret, and project files are shared", hint=f"set {key.variable} instead")
    _write(flags, file, name, data)
    return Setting(name, "********" if key.is_secret else data, file)


def _known(name: str) -> Key:
    if name not in KEYS:
        raise UsageError(f"unknown key {name}", hint=suggest_key(name))
    if name == "entity_types":
        raise UsageError("entity_types has tables of its own", hint="write them into the file, as [[entity_types]]")
    return KEYS[name]


def _checked(flags: Mapping[str, str], key: Key, value: str) -> object:
    """The value as a file has it, after the checks that it will meet when the file is read."""
    if not value and not key.may_be_empty:
        raise UsageError(f"{key.name} cannot be empty", hint="take its line out of the file to have the default")
    row = load({**flags, key.name: value}).row(key.name)
    return value if key.is_secret else row.data


def _file(flags: Mapping[str, str], here: bool) -> Path:
    if not here:
        return Places.of_this_user().user_file
    folders = project_folders(project_dir(load(flags).settings))
    files = [folder / ".everfact.toml" for folder in folders]
    return next((file for file in files if file.exists()), files[-1])


def _write(flags: Mapping[str, str], file: Path, key: str, data: object) -> None:
    """Write the file; one that cannot be read afterwards is put back as it was."""
    former, target = read_text(file), file.resolve()
    write_export(target, with_value(former or "", key, data, file=str(file)))
    try:
        load(flags)
    except ConfigError:
        if former is None:
            target.unlink()
        else:
            write_export(target, former)
        raise

"""Our own sources of settings: flags, EVERFACT_ variables and TOML files. Graphiti's are in `graphiti`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from everfact.config import address
from everfact.config.settings import KEYS, SECTIONS, Key
from everfact.errors import ConfigError

PREFIX = "EVERFACT_"
FLAGS = {"mcp.toolsets": "--toolset", "mcp.project_dir": "--project"}


@dataclass(frozen=True, slots=True)
class Given:
    """A value as somebody gave it, not yet checked, and where it stood."""

    value: object
    source: str


Layer = dict[str, Given]
"""What one source gives, by dotted key."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where the relative paths of one source begin."""

    folder: Path
    home: Path

    def place(self, key: Key, value: object) -> object:
        """The value with its path made absolute, if it is one."""
        if not isinstance(value, str) or not value:
            return value
        if key.name == "store":
            return address.anchor_store(value, folder=self.folder, home=self.home)
        return address.anchor_path(value, folder=self.folder, home=self.home) if key.is_path else value


def read_flags(flags: Mapping[str, str], anchor: Anchor) -> Layer:
    """What the command line gives, by dotted key.

    Raises:
        ConfigError: a key is unknown.
    """
    layer: Layer = {}
    for name, text in flags.items():
        source = f"flag {FLAGS.get(name) or '--' + name.replace('.', '-').replace('_', '-')}"
        if name not in KEYS:
            raise unknown_key(name, source)
        layer |= _read_text(KEYS[name], text, source, anchor)
    return move_login(layer)


def read_variables(environ: Mapping[str, str], anchor: Anchor) -> Layer:
    """What the variables that start with EVERFACT_ give.

    Raises:
        ConfigError: a variable names no key.
    """
    layer: Layer = {}
    for variable, text in sorted(environ.items()):
        if not variable.startswith(PREFIX):
            continue
        name = variable.removeprefix(PREFIX).lower().replace("__", ".")
        source = f"variable {variable}"
        if name not in KEYS:
            raise unknown_key(name, source)
        layer |= _read_text(KEYS[name], text, source, anchor)
    return move_login(layer)


def read_toml(path: Path, home: Path) -> Layer:
    """What a TOML file gives; nothing when there is no such file.

    Raises:
        ConfigError: the file cannot be read or parsed, or a key is unknown.
    """
    text = read_text(path)
    if text is None:
        return {}
    import tomllib  # most runs have no file to parse

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    anchor = Anchor(path.parent, home)
    return move_login(
        {name: Given(anchor.place(KEYS[name], value), str(path)) for name, value in _flatten(table, str(path))}
    )


def read_text(path: Path) -> str | None:
    """The file's text; None when there is no such file.

    Raises:
        ConfigError: the file is there but cannot be read.
    """
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path} is not UTF-8 text: line {line}") from error


def project_folders(project: Path) -> tuple[Path, ...]:
    """The folders whose config files hold for the project, nearest first: up to the git root, if there is one."""
    folders = (project, *project.parents)
    for count, folder in enumerate(folders, start=1):
        if (folder / ".git").exists():
            return folders[:count]
    # Outside a repository a parent may be anybody's, such as /tmp.
    return folders[:1]


def move_login(layer: Layer) -> Layer:
    """The layer with the login in its store's URL moved to the keys for it, so that no URL holds a password."""
    store = layer.get("store")
    if store is None or not isinstance(store.value, str):
        return layer
    url, user, password = address.split_login(store.value)
    moved = {"store": url, "store_user": user, "store_password": password}
    return layer | {name: Given(value, store.source) for name, value in moved.items() if value}


def unknown_key(name: str, source: str) -> ConfigError:
    """The error that names the nearest known key."""
    return ConfigError(
        f"unknown key {name} in {source}", hint=suggest_key(name, as_variable=source.startswith("variable "))
    )


def suggest_key(name: str, *, as_variable: bool = False) -> str:
    """What to say to somebody who gave a key that does not exist."""
    import difflib  # only needed when something is wrong

    for near in difflib.get_close_matches(name, KEYS, n=1, cutoff=0.4):
        return f"did you mean {near}" + (f", that is {KEYS[near].variable}?" if as_variable else "?")
    return "`everfact config show` lists every key"


def _read_text(key: Key, text: str, source: str, anchor: Anchor) -> Layer:
    # Empty is how a shell spells "not given", except where empty is a choice.
    if not text and not key.may_be_empty:
        return {}
    value = _split_list(key, text, source) if key.is_list else anchor.place(key, text)
    return {key.name: Given(value, source)}


def _split_list(key: Key, text: str, source: str) -> object:
    if not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    import json  # a list as JSON is rare

    try:
        return json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{key.name} from {source} starts like a JSON list but is none: {error}") from error


def _flatten(table: Mapping[str, object], source: str, prefix: str = "") -> Iterator[tuple[str, object]]:
    for part, value in table.items():
        name = prefix + part
        if name in KEYS:
            yield name, value
        elif name not in SECTIONS:
            raise unknown_key(name, source)
        elif isinstance(value, dict):
            yield from _flatten(value, source, f"{name}.")
        else:
            raise ConfigError(f"{name} in {source} should be a table: [{name}]")

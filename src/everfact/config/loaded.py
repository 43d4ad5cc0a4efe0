"""`load`: every source in its order, checked once, with the source of each value kept."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path

from everfact.config import graphiti
from everfact.config.kinds import MASK, CheckError, Secret
from everfact.config.settings import KEYS, EntityType, Key, Settings, table_of
from everfact.config.sources import (
    Anchor,
    Given,
    Layer,
    project_folders,
    read_flags,
    read_toml,
    read_variables,
    suggest_key,
)
from everfact.errors import ConfigError, UsageError

_SENT_TO = (("remote", "remote_token"), ("llm.base_url", "llm.api_key"), ("embedder.base_url", "embedder.api_key"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The places outside the project where things are looked for or kept."""

    home: Path
    user_file: Path
    data_dir: Path

    @classmethod
    def of_this_user(cls) -> Places:
        """The places the platform has for whoever runs this process.

        Raises:
            ConfigError: the user has no home directory.
        """
        import platformdirs  # tests and embedders give their own places

        try:
            home = Path.home()
        except RuntimeError as error:
            raise ConfigError("this user has no home directory", hint="set HOME") from error
        return cls(
            home=home,
            user_file=platformdirs.user_config_path("everfact", appauthor=False) / "config.toml",
            data_dir=platformdirs.user_data_path("everfact", appauthor=False),
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One key as `config show` prints it; secrets are masked in both `value` (text) and `data` (for JSON)."""

    key: str
    value: str
    data: object
    source: str
    description: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, where each came from by dotted key, and what the operator should hear."""

    settings: Settings
    sources: dict[str, str]
    warnings: tuple[str, ...]

    def show(self) -> tuple[Row, ...]:
        """Every key with its value and source, in the order of declaration."""
        return tuple(_row(key, self.settings, self.sources[key.name]) for key in KEYS.values())

    def row(self, name: str) -> Row:
        """One key with its value and source.

        Raises:
            UsageError: there is no such key.
        """
        for row in self.show():
            if row.key == name:
                return row
        raise UsageError(f"unknown key {name}", hint=suggest_key(name))


def load(
    flags: Mapping[str, str] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    project: Path | None = None,
    places: Places | None = None,
) -> Loaded:
    """The settings, from flags by dotted key, variables, the project's file, the user's, Graphiti's, and defaults.

    Raises:
        ConfigError: a key is unknown, a value is wrong, or a file cannot be read.
    """
    environ = os.environ if environ is None else environ
    places = places or Places.of_this_user()
    here = Anchor(Path.cwd(), places.home)
    by_flag, by_variable = read_flags(flags or {}, here), read_variables(environ, here)
    folders = project_folders(_project_dir(project, by_variable | by_flag, here.folder))
    by_project = _read_project(folders, places.home)
    own = read_toml(places.user_file, places.home) | by_project | by_variable | by_flag
    foreign = graphiti.read(environ, here, folders)
    given = _defaults(places) | graphiti.choose(foreign, own) | own
    _keep_secrets_home(given, by_project)
    return Loaded(
        settings=_check(given),
        sources={name: given[name].source if name in given else "default" for name in KEYS},
        warnings=(*_warn_of_secrets(by_project), *foreign.warnings),
    )


def _project_dir(project: Path | None, explicit: Layer, folder: Path) -> Path:
    if project is None and "mcp.project_dir" in explicit:
        project = Path(str(explicit["mcp.project_dir"].value))
    return folder / (project or "")


def _read_project(folders: tuple[Path, ...], home: Path) -> Layer:
    for folder in folders:
        path = folder / ".everfact.toml"
        if path.exists():
            return read_toml(path, home)
    return {}


def _defaults(places: Places) -> Layer:
    """The defaults that depend on who runs this; the others stand in `Settings`."""
    return {
        "store": Given(str(places.data_dir / "memory.db"), "default"),
        "session_tracking.watch_path": Given(places.home / ".claude" / "projects", "default"),
    }


def _check(given: Layer) -> Settings:
    try:
        return table_of(Settings)(_nest(given))
    except CheckError as error:
        raise ConfigError(_explain(error, given)) from error


def _nest(given: Layer) -> dict[str, object]:
    tree: dict[str, object] = {}
    for name, item in given.items():
        branch = tree
        *sections, last = name.split(".")
        for section in sections:
            inner = branch.setdefault(section, {})
            assert isinstance(inner, dict)
            branch = inner
        branch[last] = item.value
    return tree


def _explain(error: CheckError, given: Layer) -> str:
    """Each wrong value by key, source and what is expected; never the value, which may be a secret."""
    found = []
    for place, expected in error.expected.items():
        key = next(key for key in KEYS if f"{place}.".startswith(f"{key}."))
        source = given[key].source if key in given else "default"
        found.append(f"{place} from {source} {expected}")
    return "; ".join(found)


def _keep_secrets_home(given: Layer, by_project: Layer) -> None:
    """A file that came with a checkout must not say where the user's own keys are sent."""
    for address, secret in _SENT_TO:
        is_theirs = address in by_project and given[address] is by_project[address]
        if is_theirs and secret in given and given[secret] is not by_project.get(secret):
            raise ConfigError(
                f"{given[address].source} sets {address}, and your {secret} from {given[secret].source} would go there",
                hint=f"if you want that, set {address} in your own config file or as {KEYS[address].variable}",
            )


def _warn_of_secrets(by_project: Layer) -> list[str]:
    return [
        f"{given.source} holds {name}; project files are shared, so give it as {KEYS[name].variable} instead"
        for name, given in by_project.items()
        if KEYS[name].is_secret
    ]


def _row(key: Key, settings: Settings, source: str) -> Row:
    data = _plain(attrgetter(key.name)(settings))
    return Row(key.name, _to_text(data), data, source, key.description)


def _plain(value: object) -> object:
    """The value as JSON has it, with secrets masked."""
    match value:
        case Secret():
            return MASK
        case Path():
            return str(value)
        case tuple():
            return [_plain(item) for item in value]
        case EntityType():
            return asdict(value)
        case _:
            return value


def _to_text(data: object) -> str:
    match data:
        case None:
            return ""
        case str():
            return data
        case float():
            return repr(data).removesuffix(".0")
        case list() if all(isinstance(item, str) for item in data):
            return ",".join(data)
        case _:
            return json.dumps(data, ensure_ascii=False)

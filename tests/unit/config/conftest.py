"""A project, a home and an environment to set things in. Never the real ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from everfact.config import Loaded, Places, Settings, load


class Desk:
    """A project, a home and an environment of its own, and nothing set."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.home = root / "home"
        self.places = Places(home=self.home, user_file=root / "user" / "config.toml", data_dir=root / "data")
        self.environ: dict[str, str] = {}
        for folder in (self.project, self.home, self.places.user_file.parent):
            folder.mkdir()

    def load(self, flags: Mapping[str, str] | None = None, /, **environ: str) -> Loaded:
        environ = self.environ | environ
        return load(flags, environ=environ, project=self.project, places=self.places)

    def settings(self, **environ: str) -> Settings:
        return self.load(**environ).settings

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_project(self, text: str) -> Path:
        return self.write(self.project / ".everfact.toml", text)

    def write_user(self, text: str) -> Path:
        return self.write(self.places.user_file, text)

    def write_json(self, tree: object) -> Path:
        return self.write(self.project / "graphiti.config.json", json.dumps(tree))

    def write_yaml(self, text: str) -> Path:
        path = self.write(self.project / "graphiti.yaml", text)
        self.environ["CONFIG_PATH"] = str(path)
        return path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(scope="session")
def new_desk(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Desk]:
    """For a test that needs a fresh desk for each of its examples."""
    return lambda: Desk(tmp_path_factory.mktemp("desk"))

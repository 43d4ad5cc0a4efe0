"""Whatever the path: a relative one stays inside the project, and over HTTP every one below the folder for exports."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everfact.errors import UsageError
from everfact.export import resolve_target, shown, write_export

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
PIECES = [
    "..",
    ".",
    "/",
    "\\",
    "~",
    "a",
    "out",
    "in",
    "dangling",
    "{date}",
    "{hash}",
    "{x}",
    "{",
    "}",
    "\0",
    " ",
    "é",
    "\ud800",
]
paths = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=10).map("".join)
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def world() -> Path:
    """A project, a folder for exports and a folder outside, with links from the first two into the third."""
    world = Path(tempfile.mkdtemp()).resolve()
    for folder in ("project", "exports", "outside"):
        (world / folder).mkdir()
    for folder in ("project", "exports"):
        (world / folder / "out").symlink_to(world / "outside")
        (world / folder / "dangling").symlink_to(world / "outside" / "nothing")
        (world / folder / "in").symlink_to(world / folder)
    return world


@given(path=paths, is_remote=st.booleans())
@unhurried
def test_relative_path_never_leads_out(world: Path, path: str, is_remote: bool) -> None:
    check(world, path.lstrip("/"), is_remote)


@given(path=paths)
@unhurried
def test_absolute_path_over_http_never_leads_out(world: Path, path: str) -> None:
    check(world, f"{world}/exports/{path}", is_remote=True)


def check(world: Path, path: str, is_remote: bool) -> None:
    project, root = world / "project", world / "exports"
    try:
        target = resolve_target(path, episode_name="n", now=NOW, project=project, export_root=root, is_remote=is_remote)
        write_export(target, "text")
    except UsageError:
        pass
    else:
        assert target.is_relative_to(root if is_remote else project)
        assert target.read_text(encoding="utf-8") == "text"
        assert shown(target, project)
        target.unlink()
    assert list((world / "outside").iterdir()) == []

"""Which project a process works for, and which group that has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from everfact.config import Settings, default_group, project_dir
from everfact.config.project import git_common_dir, group_of
from everfact.config.settings import Mcp


def settings(store: str = "/tmp/memory.db", project: Path | None = None, group: str = "") -> Settings:
    return Settings(store=store, mcp=Mcp(project_dir=project), group=group)


def git(*arguments: str, cwd: Path) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "work shop"
    root.mkdir()
    git("init", "-q", cwd=root)
    git("commit", "-q", "--allow-empty", "-m", "begin", cwd=root)
    return root


def test_the_setting_comes_first_then_the_client_then_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, client, shell, here = (tmp_path / name for name in ("said", "client", "shell", "here"))
    for folder in (said, client, shell, here):
        folder.mkdir()
    monkeypatch.chdir(here)
    environ = {"CLAUDE_PROJECT_DIR": str(client), "PWD": str(shell)}
    assert project_dir(settings(project=said), environ) == said
    assert project_dir(settings(), environ) == client
    assert project_dir(settings(), {"PWD": str(shell)}) == shell
    assert project_dir(settings(), {}) == here


@pytest.mark.parametrize("nonsense", ["", "relative", "/no/such/folder"])
def test_a_folder_that_is_none_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonsense: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert project_dir(settings(), {"CLAUDE_PROJECT_DIR": nonsense}) == tmp_path


def test_a_project_has_a_group_that_can_be_read_and_is_its_own(repository: Path, tmp_path: Path) -> None:
    group = default_group(settings(), repository)
    assert re.fullmatch(r"work-shop-[0-9a-f]{8}", group)
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    assert default_group(settings(), deep) == group
    assert group_of(Path("/elsewhere/work shop/.git")) != group


def test_worktrees_share_the_group(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git("worktree", "add", "-q", str(other), cwd=repository)
    assert (other / ".git").is_file()
    assert default_group(settings(), other) == default_group(settings(), repository)


def test_clones_share_the_group_whatever_they_are_called(repository: Path, tmp_path: Path) -> None:
    group = default_group(settings(), repository)
    git("clone", "-q", "--bare", str(repository), "hub.git", cwd=tmp_path)
    git("clone", "-q", "hub.git", "mine", cwd=tmp_path)
    git("clone", "-q", "--depth", "1", (tmp_path / "mine").as_uri(), "shallow", cwd=tmp_path)
    (tmp_path / "mine").rename(tmp_path / "renamed")
    assert default_group(settings(), tmp_path / "renamed") == group
    assert default_group(settings(), tmp_path / "hub.git") == "main"
    (tmp_path / "renamed").rename(tmp_path / "mine")
    assert default_group(settings(), tmp_path / "shallow") == group


def test_one_place_has_one_group_by_whichever_way_it_is_reached(repository: Path) -> None:
    git("remote", "add", "origin", "x", cwd=repository)
    groups = set()
    for url in (
        "https://user:token@Example.com/Org/Repo.git",
        "https://example.com/org/repo/",
        "git@example.com:org/repo.git",
        "ssh://git@example.com:2222/org/repo",
    ):
        git("remote", "set-url", "origin", url, cwd=repository)
        groups.add(default_group(settings(), repository))
    assert len(groups) == 1
    assert re.fullmatch(r"repo-[0-9a-f]{8}", groups.pop())
    git("remote", "set-url", "origin", "https://example.com/other/repo", cwd=repository)
    assert default_group(settings(), repository).startswith("repo-")


def test_a_clone_of_itself_comes_to_an_end(repository: Path) -> None:
    git("remote", "add", "origin", str(repository), cwd=repository)
    assert default_group(settings(), repository).startswith("work-shop-")


def test_a_submodule_is_a_project_of_its_own(repository: Path, tmp_path: Path) -> None:
    inner = repository / "vendored"
    inner.mkdir()
    own = repository / ".git" / "modules" / "vendored"
    own.mkdir(parents=True)
    (inner / ".git").write_text("gitdir: ../.git/modules/vendored\n", encoding="utf-8")
    assert git_common_dir(inner) == own
    assert default_group(settings(), inner).startswith("vendored-")


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe", b"gitdir:"])
def test_a_git_file_that_says_nothing_is_no_repository(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert default_group(settings(), tmp_path) == "main"


def test_outside_a_repository_and_on_shared_stores_it_is_main(tmp_path: Path, repository: Path) -> None:
    assert default_group(settings(), tmp_path) == "main"
    assert default_group(settings(store="neo4j://host"), repository) == "main"


def test_the_setting_wins(repository: Path) -> None:
    assert default_group(settings(group="mine"), repository) == "mine"


@pytest.mark.parametrize(
    ("folder", "name"), [("/x/.git", "x"), ("/x/bare.git", "bare"), ("/x/日本/.git", "project"), ("/.git", "project")]
)
def test_every_folder_gives_a_valid_name(folder: str, name: str) -> None:
    assert re.fullmatch(rf"{name}-[0-9a-f]{{8}}", group_of(Path(folder)))

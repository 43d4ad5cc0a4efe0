"""A file path that came with an episode: it means one file, stays where it may, and is written whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from everfact.errors import UsageError
from everfact.export import resolve_target, shown, write_export

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def target(
    filepath: str,
    project: Path,
    *,
    root: Path | None = None,
    remote: bool = False,
    now: datetime = NOW,
    name: str = "Notes",
) -> Path:
    return resolve_target(filepath, episode_name=name, now=now, project=project, export_root=root, is_remote=remote)


@pytest.mark.parametrize(
    ("filepath", "file"),
    [
        ("notes.md", "notes.md"),
        ("a/b/c.md", "a/b/c.md"),
        ("./a/./b.md", "a/b.md"),
        ("{date}.md", "2026-03-04.md"),
        ("{timestamp}.md", "2026-03-04-0506.md"),
        ("{time}.md", "0506.md"),
        ("{hash}.md", "f4c6f851.md"),
        ("{date}/{time}-{hash}-{date}.md", "2026-03-04/0506-f4c6f851-2026-03-04.md"),
        ("a..b/...md", "a..b/...md"),
        ("half {open.md", "half {open.md"),
        ("Ünïcode 日本.md", "Ünïcode 日本.md"),
    ],
)
def test_relative_path_is_one_of_the_project(filepath: str, file: str, project: Path) -> None:
    assert target(filepath, project) == project / file


def test_times_in_a_path_are_utc(project: Path) -> None:
    evening = datetime(2026, 3, 3, 23, 6, tzinfo=timezone(timedelta(hours=-6)))
    assert target("{timestamp}.md", project, now=evening) == project / "2026-03-04-0506.md"


def test_hash_is_of_any_episode_name(project: Path) -> None:
    assert target("{hash}", project, name="") == project / "d41d8cd9"
    assert target("{hash}", project, name="\ud800") != target("{hash}", project, name="\ud801")


def test_absolute_path_is_allowed_over_stdio(project: Path, tmp_path: Path) -> None:
    assert target(f"{tmp_path}/elsewhere/{{date}}.md", project) == tmp_path / "elsewhere" / "2026-03-04.md"


@pytest.mark.parametrize(
    ("filepath", "complaint"),
    [
        ("", "empty"),
        (" ", "empty"),
        ("a\0b", "NUL"),
        ("../x.md", "'..'"),
        ("a/../../x.md", "'..'"),
        ("a/../x.md", "'..'"),
        ("..", "'..'"),
        ("a\\..\\x.md", "'..'"),
        ("/tmp/../etc/x", "'..'"),
        ("~/x.md", "'~'"),
        ("~root/x.md", "'~'"),
        ("a/", "folder"),
        ("a/.", "folder"),
        (".", "folder"),
        ("/", "folder"),
        ("{name}.md", "{name}"),
        ("{}.md", "{}"),
        ("{Date}.md", "{Date}"),
        ("{date:%Y}.md", "{date:%Y}"),
        ("{{date}}{x}.md", "{x}"),
        ("\ud800.md", "half a character"),
        ("a" * 300 + ".md", "too long"),
    ],
)
def test_path_that_means_no_file_is_refused(filepath: str, complaint: str, project: Path) -> None:
    with pytest.raises(UsageError, match=complaint) as caught:
        target(filepath, project)
    assert caught.value.hint


def test_folder_is_refused(project: Path) -> None:
    (project / "notes").mkdir()
    with pytest.raises(UsageError, match="not a file"):
        target("notes", project)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_pipe_is_refused(project: Path) -> None:
    os.mkfifo(project / "pipe")
    with pytest.raises(UsageError, match="not a file"):
        target("pipe", project)


def test_link_out_of_the_project_is_refused(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "there.md").touch()
    (project / "folder").symlink_to(tmp_path / "out")
    (project / "file.md").symlink_to(tmp_path / "out" / "there.md")
    (project / "dangling.md").symlink_to(tmp_path / "out" / "not yet.md")
    (project / "chain.md").symlink_to(project / "dangling.md")
    for path in ("folder/x.md", "folder/there.md", "file.md", "dangling.md", "chain.md"):
        with pytest.raises(UsageError, match="leaves the project"):
            target(path, project)


def test_link_within_the_project_leads_to_what_it_means(project: Path) -> None:
    (project / "real").mkdir()
    (project / "folder").symlink_to("real")
    (project / "file.md").symlink_to("real/there.md")
    assert target("folder/x.md", project) == project / "real" / "x.md"
    assert target("file.md", project) == project / "real" / "there.md"


def test_link_in_a_circle_is_refused(project: Path) -> None:
    (project / "a").symlink_to("b")
    (project / "b").symlink_to("a")
    with pytest.raises(UsageError, match="not a file"):
        target("a", project)
    with pytest.raises(UsageError, match="cannot write"):
        write_export(target("a/x.md", project), "text")


def test_project_behind_a_link_is_the_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    assert target("x.md", tmp_path / "link") == project / "x.md"
    assert shown(project / "x.md", tmp_path / "link") == "x.md"


def test_server_without_a_folder_for_exports_refuses_every_path(project: Path) -> None:
    for path in ("x.md", str(project / "x.md")):
        with pytest.raises(UsageError, match="writes no files") as caught:
            target(path, project, remote=True)
        assert "mcp.export_root" in caught.value.hint


def test_server_writes_only_below_its_folder_for_exports(project: Path, tmp_path: Path) -> None:
    root = tmp_path / "exports"
    root.mkdir()
    (root / "out").symlink_to(project)
    assert target("a/x.md", project, root=root, remote=True) == root / "a" / "x.md"
    assert target(str(root / "x.md"), project, root=root, remote=True) == root / "x.md"
    for path in (str(project / "x.md"), str(root) + "-2/x.md", "out/x.md", str(root / "out" / "x.md")):
        with pytest.raises(UsageError, match="outside the folder for exports"):
            target(path, project, root=root, remote=True)


def test_relative_path_starts_at_a_project_below_the_folder_for_exports(project: Path, tmp_path: Path) -> None:
    (project / "up.md").symlink_to(tmp_path / "other.md")
    assert target("x.md", project, root=tmp_path, remote=True) == project / "x.md"
    assert target(str(tmp_path / "y.md"), project, root=tmp_path, remote=True) == tmp_path / "y.md"
    with pytest.raises(UsageError, match="leaves the project"):
        target("up.md", project, root=tmp_path, remote=True)


def test_folder_for_exports_does_not_bind_stdio(project: Path, tmp_path: Path) -> None:
    assert target("x.md", project, root=tmp_path / "exports") == project / "x.md"


def test_text_is_written_as_it_is_with_its_folders(project: Path) -> None:
    file = project / "a" / "b" / "c.md"
    write_export(file, "Grüße\r\n日本\n")
    assert file.read_bytes() == "Grüße\r\n日本\n".encode()
    assert [path.name for path in file.parent.iterdir()] == ["c.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such permissions")
def test_new_file_is_private_and_an_old_one_keeps_its_permissions(project: Path) -> None:
    write_export(project / "new.md", "text")
    assert (project / "new.md").stat().st_mode & 0o777 == 0o600
    (project / "new.md").chmod(0o644)
    write_export(project / "new.md", "other")
    assert (project / "new.md").read_text(encoding="utf-8") == "other"
    assert (project / "new.md").stat().st_mode & 0o777 == 0o644


def test_file_where_a_folder_is_needed_is_an_error(project: Path) -> None:
    (project / "a").touch()
    with pytest.raises(UsageError, match=r"cannot write .*a/x\.md") as caught:
        write_export(project / "a" / "x.md", "text")
    assert caught.value.hint


def test_folder_in_the_place_of_the_file_is_an_error(project: Path) -> None:
    (project / "a").mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        write_export(project / "a", "text")
    assert list(project.iterdir()) == [project / "a"]


def test_full_disk_is_an_error_and_leaves_the_old_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write_export(project / "x.md", "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        write_export(project / "x.md", "new")
    assert [(file.name, file.read_text(encoding="utf-8")) for file in project.iterdir()] == [("x.md", "old")]


def test_error_without_words_of_the_system_keeps_its_own(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(handle: int) -> None:
        raise OSError("odd")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(UsageError, match="odd"):
        write_export(project / "x.md", "new")


def test_half_a_character_is_an_error(project: Path) -> None:
    with pytest.raises(UsageError, match="half a character"):
        write_export(project / "x.md", "\ud800")
    assert list(project.iterdir()) == []


def test_link_put_there_meanwhile_is_not_followed(project: Path, tmp_path: Path) -> None:
    file = target("x.md", project)
    file.symlink_to(tmp_path / "out.md")
    with pytest.raises(UsageError, match="has become a link"):
        write_export(file, "text")
    assert not (tmp_path / "out.md").exists()


def test_path_is_shown_relative_to_the_project(project: Path, tmp_path: Path) -> None:
    assert shown(project / "a" / "x.md", project) == "a/x.md"
    assert shown(tmp_path / "x.md", project) == (tmp_path / "x.md").as_posix()

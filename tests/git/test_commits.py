"""Commits become episodes: once each, whatever happens to the history."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.git.conftest import Repository

from everfact.git.commits import Indexed, index, state_name
from everfact.marks import is_captured
from everfact.memory import Memory
from everfact.models import Episode, Filter


async def indexed(memory: Memory, folder: Path, limit: int = 100) -> Indexed:
    return await index(memory, folder, group_id="main", repository="shop", limit=limit)


async def episodes(memory: Memory) -> list[Episode]:
    """The oldest first."""
    return (await memory.episodes(Filter(group_ids=("main",)), limit=500))[::-1]


async def names(memory: Memory) -> list[str]:
    return [episode.name for episode in await episodes(memory)]


async def test_a_commit_is_told_with_message_files_author_and_time(repository: Repository, memory: Memory) -> None:
    sha = repository.commit("Retry sooner\n\nThe pool was too small.", "src/retry.py", "docs/a b.md")
    done = await indexed(memory, repository.folder)
    assert (done.head, done.commits, done.episodes, done.left_out) == (sha, 1, 1, 0)
    told = (await episodes(memory))[0]
    assert told.content == "Retry sooner\n\nThe pool was too small.\n\nFiles: docs/a b.md, src/retry.py"
    assert (told.name, told.speaker, told.source_description) == ("Retry sooner", "Ana Costa", "git commit")
    assert told.reference_time == datetime(2026, 3, 1, 8, 3, tzinfo=UTC)
    assert told.attributes["commit"] == sha
    assert is_captured(told)


async def test_only_what_is_new_is_read(repository: Repository, memory: Memory) -> None:
    repository.commit("One")
    repository.commit("Two")
    assert (await indexed(memory, repository.folder)).commits == 2
    assert (await indexed(memory, repository.folder)).commits == 0
    repository.commit("Three")
    assert (await indexed(memory, repository.folder)).commits == 1
    assert await names(memory) == ["One", "Two", "Three"]


async def test_the_newest_come_first_where_there_are_too_many(repository: Repository, memory: Memory) -> None:
    for number in range(5):
        repository.commit(f"Commit {number}")
    done = await indexed(memory, repository.folder, limit=2)
    assert (done.commits, done.left_out) == (2, 3)
    assert await names(memory) == ["Commit 3", "Commit 4"]
    assert (await indexed(memory, repository.folder, limit=2)).commits == 0
    more = await indexed(memory, repository.folder, limit=50)
    assert (more.commits, more.episodes, more.left_out) == (5, 3, 0)
    assert await names(memory) == [f"Commit {number}" for number in range(5)]
    assert (await indexed(memory, repository.folder, limit=50)).commits == 0


async def test_a_rebased_commit_is_the_same_and_an_amended_one_is_new(repository: Repository, memory: Memory) -> None:
    repository.commit("Begin")
    repository.git("switch", "-q", "-c", "topic")
    repository.commit("Topic", "topic.py")
    repository.git("switch", "-q", "main")
    repository.commit("Meanwhile", "other.py")
    repository.git("switch", "-q", "topic")
    assert (await indexed(memory, repository.folder)).episodes == 2
    repository.git("rebase", "-q", "main")
    assert (await indexed(memory, repository.folder)).episodes == 1
    assert await names(memory) == ["Begin", "Topic", "Meanwhile"]
    repository.git("commit", "-q", "--amend", "-m", "Topic, better")
    assert (await indexed(memory, repository.folder)).episodes == 1
    repository.git("commit", "-q", "--amend", "--no-edit", "--date=2026-03-01T08:04:00Z")
    assert (await indexed(memory, repository.folder)).episodes == 1


async def test_a_tip_that_was_swept_away_is_no_trouble(repository: Repository, memory: Memory) -> None:
    repository.commit("Begin")
    lost = repository.commit("Lost")
    await indexed(memory, repository.folder)
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "-q", "--prune=now")
    repository.commit("Anew")
    kept = json.loads(await memory.state(state_name("main", "shop")) or "")
    assert kept["tips"] == [lost]
    done = await indexed(memory, repository.folder)
    assert (done.commits, done.episodes) == (2, 1)
    assert await names(memory) == ["Begin", "Lost", "Anew"]


async def test_a_shallow_clone_takes_what_it_has_and_the_rest_once_it_comes(
    repository: Repository, memory: Memory, tmp_path: Path
) -> None:
    for number in range(4):
        repository.commit(f"Commit {number}")
    clone = Repository(tmp_path / "elsewhere")
    repository.git("clone", "-q", "--depth", "2", repository.folder.as_uri(), str(clone.folder))
    assert (await indexed(memory, clone.folder)).episodes == 2
    assert (await indexed(memory, clone.folder)).commits == 0
    clone.git("fetch", "-q", "--unshallow")
    done = await indexed(memory, clone.folder)
    assert (done.commits, done.episodes) == (4, 2)
    assert sorted(await names(memory)) == [f"Commit {number}" for number in range(4)]


async def test_worktrees_go_on_where_the_other_left_off(repository: Repository, memory: Memory, tmp_path: Path) -> None:
    repository.commit("Begin")
    await indexed(memory, repository.folder)
    tree = Repository(tmp_path / "tree")
    repository.git("worktree", "add", "-q", "-b", "topic", str(tree.folder))
    tree.commit("In the tree")
    assert (await indexed(memory, tree.folder)).commits == 1
    assert (await indexed(memory, repository.folder)).commits == 0
    repository.commit("In the first")
    assert (await indexed(memory, repository.folder)).commits == 1
    assert (await indexed(memory, tree.folder)).commits == 0


async def test_merges_have_their_message_and_each_parent_its_own(repository: Repository, memory: Memory) -> None:
    repository.commit("Begin")
    repository.git("switch", "-q", "-c", "topic")
    repository.commit("Topic", "topic.py")
    repository.git("switch", "-q", "main")
    repository.commit("Main", "main.py")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge the topic", "topic")
    await indexed(memory, repository.folder)
    assert sorted(await names(memory)) == ["Begin", "Main", "Merge the topic", "Topic"]


async def test_other_encodings_are_read(repository: Repository, memory: Memory) -> None:
    (repository.folder / "a").write_text("x", encoding="utf-8")
    repository.git("add", "-A")
    message = "Größe geändert".encode("latin-1")
    repository.git("-c", "i18n.commitEncoding=latin1", "commit", "-q", "-F", "-", stdin=message)
    repository.git("commit", "-q", "--allow-empty", "-F", "-", stdin=b"Broken \xff bytes")
    await indexed(memory, repository.folder)
    first, second = await names(memory)
    assert first == "Größe geändert"
    assert second.startswith("Broken ")


async def test_nothing_in_a_message_passes_for_the_end_of_it(repository: Repository, memory: Memory) -> None:
    repository.commit("Begin\n\n\x01\x1e\x02commit abc\n\nFiles: none\n")
    repository.commit("--not HEAD", "--upload-pack")
    assert (await indexed(memory, repository.folder)).episodes == 2


async def test_huge_commits_are_cut(repository: Repository, memory: Memory) -> None:
    repository.commit("Word " * 20_000, *(f"many/{number:04}.txt" for number in range(500)))
    await indexed(memory, repository.folder)
    told = (await episodes(memory))[0]
    assert len(told.content) < 25_000
    assert told.content.endswith("and 450 more")
    assert len(told.name) <= 200


async def test_secrets_of_messages_are_not_kept(repository: Repository, memory: Memory) -> None:
    repository.commit("Rotate the key\n\nIt was AKIAIOSFODNN7EXAMPLE.")
    await indexed(memory, repository.folder)
    assert "AKIAIOSFODNN7EXAMPLE" not in (await episodes(memory))[0].content


async def test_without_commits_or_git_there_is_nothing_to_index(
    repository: Repository, memory: Memory, tmp_path: Path
) -> None:
    assert await indexed(memory, repository.folder) == Indexed(repository="shop")
    assert await indexed(memory, tmp_path) == Indexed(repository="shop")
    assert await episodes(memory) == []

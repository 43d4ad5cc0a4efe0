"""Files that a team keeps in git: as KuzuMemory writes and reads them, and the same from whoever exports."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.importers.samples import SAMPLES

from everfact import Memory, clock, open_memory
from everfact.errors import UsageError
from everfact.models import Draft, Episode, Filter
from everfact.sharing import FOLDER, export_shared, import_shared

TOLD = ("We keep events in one table.", "Deploys never run on Fridays.", "Zoë prefers “dark mode”.")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with await open_memory(tmp_path / "own.db") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "project" / FOLDER


async def tell(memory: Memory, *texts: str, **given: object) -> list[Episode]:
    return [(await memory.add(Draft(content=text, **given))).episode for text in texts]  # type: ignore[arg-type]


async def contents(memory: Memory, group: str = "main") -> set[str]:
    return {episode.content for episode in await memory.episodes(Filter(group_ids=(group,)), limit=100)}


async def export(memory: Memory, folder: Path, group: str = "main") -> int:
    return (await export_shared(memory, group, folder, before=clock.now())).count


def records(folder: Path) -> list[dict[str, object]]:
    return [one for file in sorted(folder.glob("*.json")) for one in json.loads(file.read_text("utf-8"))["memories"]]


async def test_a_file_of_kuzumemory_is_taken_in_once(memory: Memory, folder: Path) -> None:
    shutil.copytree(SAMPLES / "kuzu-memory-shared", folder)
    written = records(folder)
    shown = await import_shared(memory, "main", folder, dry_run=True)
    assert (len(shown.fresh), await contents(memory)) == (len(written), set())
    await import_shared(memory, "main", folder, dry_run=False)
    assert await contents(memory) == {one["content"] for one in written}
    again = await import_shared(memory, "main", folder, dry_run=False)
    assert (len(again.fresh), again.same, again.skipped) == (0, len(written), ())
    assert await export(memory, folder) == 0  # what came out of the files is in them


async def test_a_file_of_ours_has_what_one_of_kuzumemory_has(memory: Memory, folder: Path) -> None:
    kept = {"memory_type": "preference", "knowledge_type": "rule", "importance": 0.9, "tags": ["ui"]}
    await tell(memory, *TOLD, attributes=kept, thread="t", source_description="cli")
    assert await export(memory, folder) == 3
    [ours] = [json.loads(file.read_text("utf-8")) for file in folder.iterdir()]
    [theirs] = [json.loads(file.read_text("utf-8")) for file in (SAMPLES / "kuzu-memory-shared").iterdir()]
    assert ours.keys() == theirs.keys()
    assert ours["source_project"] == "project"
    for own, foreign in ((ours["memories"][0], foreign) for foreign in theirs["memories"]):
        assert own.keys() - foreign.keys() <= {"knowledge_type"}
        assert foreign.keys() <= own.keys()
        assert {name: type(value) for name, value in own.items() if name in foreign and name != "user_id"} == {
            name: type(value or own[name]) for name, value in foreign.items() if name != "user_id"
        }
    zoe = next(one for one in ours["memories"] if one["content"].startswith("Zoë"))
    assert (zoe["memory_type"], zoe["knowledge_type"], zoe["metadata"]) == ("preference", "rule", {"tags": ["ui"]})


async def test_only_what_is_new_since_then_and_old_enough_is_written(memory: Memory, folder: Path) -> None:
    await tell(memory, TOLD[0])
    young = await export_shared(memory, "main", folder, before=clock.now() - timedelta(days=1))
    assert (young.count, folder.exists()) == (0, False)
    assert await export(memory, folder) == 1
    before = {file: file.read_bytes() for file in folder.iterdir()}
    assert await export(memory, folder) == 0
    assert {file: file.read_bytes() for file in folder.iterdir()} == before
    await tell(memory, TOLD[1])
    assert await export(memory, folder) == 1
    shutil.rmtree(folder)
    assert await export(memory, folder) == 2


async def test_each_day_has_its_file_and_what_is_there_stays(memory: Memory, folder: Path) -> None:
    shutil.copytree(SAMPLES / "kuzu-memory-shared", folder)
    theirs = records(folder)
    day = clock.now().replace(year=2026, month=11, day=18)
    await tell(memory, TOLD[0], str(theirs[0]["content"]).upper(), reference_time=day)
    await tell(memory, TOLD[1], reference_time=day - timedelta(days=400))
    assert await export(memory, folder) == 2  # letter case makes no other memory
    assert {file.name for file in folder.iterdir()} == {"memories-2026-11-18.json", "memories-2025-10-14.json"}
    assert all(one in records(folder) for one in theirs)


async def test_two_people_write_the_same_files_whatever_they_told_and_exported_first(tmp_path: Path) -> None:
    files = []
    for name, texts in (("a", TOLD[::-1]), ("b", TOLD)):
        folder = tmp_path / name / "project" / FOLDER
        async with await open_memory(tmp_path / f"{name}.db") as memory:
            for text in texts:
                number = TOLD.index(text)
                at = datetime(2026, 3, 1 + number // 2, number, tzinfo=UTC)
                await tell(memory, text, uuid=f"m-{number}", reference_time=at)
                if name == "b":
                    assert await export(memory, folder) == 1
            assert await export(memory, folder) == (3 if name == "a" else 0)
        files.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert files[0] == files[1]
    assert len(files[0]) == 2


async def test_conversations_commits_and_secrets_stay_out(memory: Memory, folder: Path) -> None:
    await tell(memory, "Said in a session.", role="user", thread="s")
    await tell(memory, "feat: a commit", source_description="git_sync")
    await tell(memory, "fix: another", source_description="git commit")
    await tell(memory, "The key is AKIAQYLPMN5HHHFPZAM2.")
    done = await export_shared(memory, "main", folder, before=clock.now())
    assert (done.count, done.files, done.with_secrets) == (0, (), 1)


async def test_a_file_that_cannot_be_read_is_not_written_over(memory: Memory, folder: Path) -> None:
    await tell(memory, TOLD[0])
    folder.mkdir(parents=True)
    file = folder / "memories-2026-01-01.json"
    for text in ("<<<<<<< HEAD", '{"memories": 1}', '{"memories": [1]}', "[]"):
        file.write_text(text)
        with pytest.raises(UsageError, match=r"memories-2026-01-01\.json"):
            await export(memory, folder)
        assert [one.read_text() for one in folder.iterdir()] == [text]
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        await export(memory, folder)


async def test_what_cannot_be_read_is_named_and_the_rest_comes_in(memory: Memory, folder: Path) -> None:
    folder.mkdir(parents=True)
    good = {"content": TOLD[0], "content_hash": "x", "memory_type": "semantic"}
    file = folder / "memories-2026-01-01.json"
    file.write_text(json.dumps({"memories": [good, {"content": "", "content_hash": "y"}, {**good, "created_at": "?"}]}))
    (folder / "memories-2026-01-02.json").mkdir()
    done = await import_shared(memory, "main", folder, dry_run=False)
    assert await contents(memory) == {TOLD[0]}
    assert [place[:24] for place in done.skipped] == [*["memories-2026-01-01.json"] * 2, "memories-2026-01-02.json"]


async def test_without_files_it_says_so(memory: Memory, folder: Path) -> None:
    with pytest.raises(UsageError, match="there is no memories"):
        await import_shared(memory, "main", folder, dry_run=False)


async def test_what_was_forgotten_stays_forgotten(memory: Memory, folder: Path) -> None:
    own, other, *_ = await tell(memory, *TOLD)
    await export(memory, folder)
    await memory.forget(own.uuid)
    assert len((await import_shared(memory, "main", folder, dry_run=False)).fresh) == 0
    assert await contents(memory) == set(TOLD[1:])
    await import_shared(memory, "other", folder, dry_run=False)  # another group is another memory
    [here] = [e for e in await memory.episodes(Filter(group_ids=("other",))) if e.content == other.content]
    await memory.forget(here.uuid)
    assert len((await import_shared(memory, "other", folder, dry_run=False)).fresh) == 0


async def test_a_file_cannot_put_its_words_in_the_place_of_others(memory: Memory, folder: Path) -> None:
    [own] = await tell(memory, TOLD[0])
    folder.mkdir(parents=True)
    forged = {"id": own.uuid, "content": "Something else.", "content_hash": "x", "memory_type": "semantic"}
    secret = {**forged, "id": "s", "content": "The key is AKIAQYLPMN5HHHFPZAM2."}
    (folder / "memories-2026-01-01.json").write_text(json.dumps({"memories": [forged, secret]}))
    await import_shared(memory, "main", folder, dry_run=False)
    kept = await contents(memory)
    assert {TOLD[0], "Something else."} < kept
    assert not any("AKIA" in text for text in kept)
    again = await import_shared(memory, "main", folder, dry_run=False)
    assert len(again.fresh) == 0  # known by its id where its words were cut

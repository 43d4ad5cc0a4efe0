"""What holds for every kind of file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.importers.samples import FILES, SAMPLES, moved_in, skipped, told

from everfact import Memory
from everfact.draft import accept
from everfact.errors import UsageError
from everfact.importers import KINDS, read
from everfact.models import Filter, Skipped, Status
from everfact.testing.builders import EARLY

WRITER = {"memory.json": "memory-json", "memory-read-graph.json": "memory-json", "mem0.json": "mem0"}
WRITER |= {"kuzu-export.json": "kuzu", "graphiti-answers.json": "graphiti", "graphiti-neo4j.jsonl": "graphiti"}
WRITER |= {"graphiti-neo4j.cypher": "graphiti", "graphiti-neo4j-plain.cypher": "graphiti"}

Written = Callable[[str], Path]


def test_every_sample_has_its_kind() -> None:
    assert set(FILES) == set(WRITER)


@pytest.mark.parametrize("name", FILES)
def test_a_file_shows_what_wrote_it(name: str) -> None:
    assert told(SAMPLES / name) == told(SAMPLES / name, WRITER[name]) != []


@pytest.mark.parametrize("name", [*FILES, "kuzu-memory-shared"])
async def test_importing_twice_adds_nothing(memory: Memory, name: str) -> None:
    first = await moved_in(memory, SAMPLES / name)
    again = await moved_in(memory, SAMPLES / name)

    assert again == first
    assert first.pending == first.parked == 0
    assert first.episodes == len(told(SAMPLES / name))


@pytest.mark.parametrize("name", FILES)
async def test_all_is_digested_without_errors(memory: Memory, name: str) -> None:
    await moved_in(memory, SAMPLES / name)

    episodes = await memory.episodes(Filter(group_ids=None), limit=100)
    assert {episode.status for episode in episodes} == {Status.DONE}
    assert not [episode.error for episode in episodes if episode.error]


@pytest.mark.parametrize("name", FILES)
def test_the_group_asked_for_wins(name: str) -> None:
    assert {draft.group_id for draft in told(SAMPLES / name, group="mine")} == {"mine"}


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="memory-json, mem0, kuzu, graphiti"):
        read(SAMPLES / "mem0.json", "zep")


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1, 2]", "no JSON", '{"a": 1}', "\x00\x01"])
def test_a_file_that_nobody_wrote_is_refused(written: Written, text: str) -> None:
    with pytest.raises(UsageError, match="--from"):
        read(written(text))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        read(tmp_path / "none.json")
    with pytest.raises(UsageError, match="without memories"):
        read(tmp_path)


def test_an_empty_memory_of_a_kind_that_was_named_tells_nothing(written: Written) -> None:
    assert told(written('{"entities": [], "relations": []}'), "memory-json") == []
    assert told(written(""), "memory-json") == []


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_wrong_kind_tells_what_it_skips(name: str, kind: str) -> None:
    if kind != WRITER[name]:
        assert skipped(SAMPLES / name, kind)


def test_a_broken_line_costs_only_itself(written: Written) -> None:
    lines = (SAMPLES / "memory.json").read_text(encoding="utf-8").splitlines()
    file = written("\n".join([lines[0], lines[1][:30], "[1]", "", *lines[2:], '{"type": "entity"}']))

    found = list(read(file))

    assert [each.place for each in found if isinstance(each, Skipped)] == ["line 2", "line 3, item 1", "line 10"]
    assert {each.name for each in found if not isinstance(each, Skipped)} == {"Ana_Silva", "Harbor", "Ben Okafor"}


def test_a_document_that_breaks_off_tells_what_came_before(written: Written) -> None:
    text = (SAMPLES / "mem0.json").read_text(encoding="utf-8")

    found = list(read(written(text[: text.index("d6a42af4")])))

    assert [isinstance(each, Skipped) for each in found] == [False, False, False, True]
    assert "the rest of the file" in str(found[-1])


@pytest.mark.parametrize("place", [1, 2])
def test_a_line_that_is_no_text_costs_only_itself(tmp_path: Path, place: int) -> None:
    lines = (SAMPLES / "memory.json").read_bytes().splitlines()
    file = tmp_path / "memory.json"
    bad = b'{"type":"entity","name":"\xff\xfe","entityType":"x","observations":[]}'
    file.write_bytes(b"\n".join([*lines[: place - 1], bad, *lines[place - 1 :]]))

    assert [each.place for each in skipped(file)] == [f"line {place}"]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("between", [b"", b" ", b"\r\n\r\n"])
def test_records_may_follow_one_another_however_they_are_parted(tmp_path: Path, mark: bytes, between: bytes) -> None:
    file = tmp_path / "memory.json"
    file.write_bytes(mark + between.join((SAMPLES / "memory.json").read_bytes().splitlines()))

    assert {draft.name for draft in told(file)} == {"Ana_Silva", "Lumen Labs", "Harbor", "Ben Okafor"}


@pytest.mark.parametrize("wrapped", ['{{"result": {}}}', '[{{"structuredContent": {}}}]', '{{"data": {}}}'])
def test_what_a_list_is_wrapped_in_does_not_matter(written: Written, wrapped: str) -> None:
    text = json.dumps(json.loads((SAMPLES / "mem0.json").read_text(encoding="utf-8")))

    assert told(written(wrapped.format(text))) == told(SAMPLES / "mem0.json")


def test_a_file_larger_than_one_piece_is_read_to_its_end(written: Written) -> None:
    memories = [{"id": f"m-{n}", "memory": f"Note {n}: " + "x" * 997} for n in range(400)]

    assert [draft.uuid for draft in told(written(json.dumps(memories)))] == [f"m-{n}" for n in range(400)]


_SMALL = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}), st.just([1])
)


@pytest.mark.parametrize("name", [*FILES])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_mutation_of_a_file_is_more_than_skipped(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = bytearray((SAMPLES / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at, length = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 12))
        content[at : at + length] = data.draw(
            st.one_of(st.binary(max_size=6), st.sampled_from([b'"', b"{", b"]", b";"]))
        )
    file = tmp_path / "mutated"
    file.write_bytes(content)

    _all_are_drafts_or_skipped(file, WRITER[name])


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith("cypher")])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_value_in_a_record_is_more_than_skipped(tmp_path: Path, name: str, data: st.DataObject) -> None:
    text = (SAMPLES / name).read_text(encoding="utf-8")
    values = [json.loads(line) for line in text.splitlines()] if text.startswith('{"type"') else [json.loads(text)]
    for _ in range(3):
        _spoil(data.draw(st.sampled_from(values)), data)
    file = tmp_path / "spoilt"
    file.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")

    _all_are_drafts_or_skipped(file, WRITER[name])


def _spoil(value: object, data: st.DataObject) -> None:
    while isinstance(value, dict | list) and value:
        key = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        if not isinstance(value[key], dict | list) or not value[key] or data.draw(st.integers(0, 4)) == 0:
            value[key] = deepcopy(data.draw(_SMALL))
            return
        value = value[key]


def _all_are_drafts_or_skipped(file: Path, kind: str) -> None:
    for each in read(file, kind, group="g"):
        if isinstance(each, Skipped):
            assert each.place
            assert each.reason
        else:
            accept(each, now=EARLY).episode.content.encode()


def test_importing_loads_no_library_of_a_kind_that_is_not_there() -> None:
    program = "import sys, everfact.importers; sys.exit(bool({'kuzu', 'neo4j', 'falkordb', 'apsw'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

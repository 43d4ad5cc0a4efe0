"""A journal as lines, and lines as a journal."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everfact.errors import UsageError
from everfact.lines import VERSION, header, is_ours, read_lines, to_line
from everfact.models import (
    Assertion,
    Change,
    ChangeKind,
    Entity,
    Entry,
    Episode,
    Fact,
    FactKind,
    Granularity,
    Mention,
    Original,
    Phase,
    Skipped,
    Source,
    Statement,
    Status,
    Trust,
    Undigested,
    Value,
    ValueType,
    as_entry,
)

AT = datetime(2026, 3, 1, 9, 30, 0, 1, tzinfo=UTC)
EARLIER = AT - timedelta(days=400)
SAID = Statement(
    subject=Mention(name="Zoë “Z”", type="Person", uuid="s"),
    relation="OWES",
    object=Value(type=ValueType.MONEY, text="$5", number=5, unit="$"),
    sentence="Zoë owes $5\u2028\n\x00 🎈",
    attribute="=debt",
    kind=FactKind.PLAN,
    phase=Phase.BEGINS,
    span=(3, 9),
    valid_at=EARLIER,
    invalid_at=AT,
    granularity=Granularity.DAY,
    replaces="old",
    confidence=0.1,
    trust=Trust.UNVERIFIED,
    original=Original(uuid="o", learned_at=AT, expired_at=EARLIER, attributes={"a": [1, {"b": None}]}),
)
TOLD = Episode(
    uuid="e",
    group_id="home",
    name="n",
    content="words",
    reference_time=EARLIER,
    created_at=AT,
    source=Source.MESSAGE,
    source_description="chat",
    source_key="k",
    thread="t",
    position=7,
    speaker="Zoë",
    role="user",
    statements=(SAID, replace(SAID, object=Mention(name="Bo"))),
    attributes={"a": [1, {"b": None}], "c": 0.5},
    status=Status.DONE,
)
CHANGE = Change(
    uuid="c",
    group_id="home",
    kind=ChangeKind.SPLIT,
    created_at=AT,
    parent="b",
    cause="e",
    note="why",
    asserted=(
        Assertion(
            uuid="a",
            group_id="home",
            subject_uuid="s",
            object_uuid=None,
            statement=SAID,
            created_at=AT,
            origin="local",
            episode_uuid="e",
            withdrawn=True,
        ),
    ),
    withdrawn=("x",),
    reinstated=("y",),
    episodes=(TOLD, replace(TOLD, created_at=EARLIER)),
    entities=(
        Entity(
            uuid="s",
            group_id="home",
            name="Zoë",
            created_at=EARLIER,
            types=("Person",),
            aliases=("Z",),
            summary="owes",
            attributes={"x": True},
        ),
    ),
    facts=(
        Fact(
            uuid="f",
            group_id="home",
            subject_uuid="s",
            relation="OWES",
            sentence="owes",
            created_at=AT,
            attribute="=debt",
            object_uuid="o",
            value=SAID.object if isinstance(SAID.object, Value) else None,
            kind=FactKind.EVENT,
            valid_at=EARLIER,
            invalid_at=AT,
            expired_at=AT,
            disputed=True,
            assertions=("a",),
            ended_by=("b",),
            episodes=("e",),
            attributes={"trust": "unverified"},
        ),
    ),
    removed=("z",),
)
LEFT = Undigested(uuid="e", group_id="home", status=Status.PARKED, attempts=5, error="no")
BARE = Change(uuid="c", group_id="home", kind=ChangeKind.DIGEST, created_at=AT)


def test_examples_set_every_field() -> None:
    examples: list[Any] = [TOLD, CHANGE, LEFT, SAID, *CHANGE.asserted, *CHANGE.entities, *CHANGE.facts]
    for item in examples:
        unset = [entry.name for entry in fields(item) if getattr(item, entry.name) == entry.default]
        assert not unset or isinstance(item, Episode)


@pytest.mark.parametrize("entry", [TOLD, CHANGE, LEFT, BARE], ids=["told", "change", "undigested", "bare"])
def test_entry_comes_back_whole(entry: Entry) -> None:
    line = to_line(entry)
    assert list(read_lines([line.encode()])) == [entry]
    assert line.count("\n") == 1
    ascii_line = to_line(entry, as_ascii=True)
    assert ascii_line.isascii()
    assert list(read_lines([ascii_line.encode()])) == [entry]


def test_line_leaves_out_what_goes_without_saying() -> None:
    said = json.loads(to_line(BARE))
    assert list(said) == ["record", "group_id", "uuid", "kind", "created_at"]
    assert "group_id" not in json.loads(to_line(CHANGE))["facts"][0]
    assert "created_at" not in json.loads(to_line(CHANGE))["facts"][0]
    assert "status" not in json.loads(to_line(replace(TOLD, status=Status.PARKED)))


def test_group_can_be_another_one() -> None:
    lines = [to_line(entry).encode() for entry in (TOLD, CHANGE, LEFT)]
    told, change, left = read_lines(lines, into="work")
    assert told == replace(TOLD, group_id="work")
    assert isinstance(change, Change)
    assert {item.group_id for item in (*change.facts, *change.asserted, *change.episodes, *change.entities)} == {"work"}
    assert (change.group_id, left) == ("work", replace(LEFT, group_id="work"))


def _with(entry: Entry, **changed: object) -> str:
    said = json.loads(to_line(entry)) | changed
    return json.dumps({name: value for name, value in said.items() if value != "left out"})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON: "),
        (to_line(CHANGE)[:100], "no JSON: "),
        ("[" * 100_000, "nested too deeply"),
        ('{"record":"told","name":"\\ud800"}', "well-formed Unicode"),
        ("[1]", "no JSON object"),
        ('{"record":"fact"}', "must be told, change or undigested"),
        ('{"record":[]}', "must be told, change or undigested"),
        (_with(TOLD, uuid="left out"), "the field 'uuid' is missing"),
        (_with(TOLD, colour="red"), "there is no field 'colour'"),
        (_with(TOLD, status="done"), "there is no field 'status'"),
        (_with(TOLD, content=7), "content: 7 is no text"),
        (_with(TOLD, position=2**40), "position: 1099511627776 is no whole number"),
        (_with(TOLD, position=True), "position: True is no whole number"),
        (_with(TOLD, attributes=[]), "attributes: [] is no object"),
        (_with(TOLD, source="smoke"), "source: 'smoke' is none of text, json, message"),
        (_with(TOLD, created_at="yesterday"), "created_at: 'yesterday' is no time"),
        (_with(TOLD, created_at="2026-03-01T09:00:00"), "has no time zone"),
        (_with(TOLD, created_at=5), "created_at: 5 is no time"),
        (_with(TOLD, created_at="0001-01-01T00:00:00+09:00"), "is no time"),
        (_with(CHANGE, facts=[{"uuid": "f"}]), "facts: the field 'relation' is missing"),
        (_with(CHANGE, facts="f"), "facts: 'f' is no list"),
        (_with(CHANGE, entities=["e"]), "entities: 'e' is no object"),
        (
            _with(TOLD, statements=[{"subject": {"name": "x"}, "relation": "R", "sentence": "s", "span": [1]}]),
            "list of 2",
        ),
        (_with(LEFT, status=[]), "status: [] is none of"),
    ],
)
def test_line_that_is_no_record_is_named_with_its_flaw(line: str, reason: str) -> None:
    first, bad, last = read_lines([to_line(TOLD).encode(), line.encode(), to_line(LEFT).encode()])
    assert (first, last) == (as_entry(TOLD), LEFT)
    assert isinstance(bad, Skipped)
    assert bad.place == "line 3"
    assert reason in bad.reason


def test_bytes_that_are_no_text_and_empty_lines() -> None:
    assert [type(entry) for entry in read_lines([b"\xff\xfe{}\n", b"\n", b"  \n"])] == [Skipped]


def test_header_says_whose_the_file_is() -> None:
    assert is_ours(header().encode())
    assert is_ours(b"\xef\xbb\xbf" + header().encode())
    for other in (b"", b"{}", b"no JSON", b"[]", b"\xff", b'{"everfact": "export", "version": 1}', b"[" * 99_999):
        assert not is_ours(other)
    with pytest.raises(UsageError, match="version 2"):
        is_ours(json.dumps({"everfact": "journal", "version": VERSION + 1}).encode())
    with pytest.raises(UsageError, match="version None"):
        is_ours(b'{"everfact": "journal"}')

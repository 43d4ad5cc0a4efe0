"""JSON walked by structure: who is named, what is said of whom, as what kind of value, when, and where it stands."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from everfact.errors import ExtractError
from everfact.extractors.json import JSONExtractor, extract_json
from everfact.models import (
    Episode,
    Extraction,
    FactKind,
    Granularity,
    Mention,
    Pair,
    Phase,
    Source,
    Statement,
    Value,
    ValueType,
    Verdict,
)
from everfact.testing.builders import assertion, entity

REFERENCE = datetime(2026, 1, 1, tzinfo=UTC)


def extract(content: Any, name: str = "Crew") -> Extraction:
    return extract_json(content if isinstance(content, str) else json.dumps(content), REFERENCE, name)


def sentences(content: Any) -> list[str]:
    return [statement.sentence for statement in extract(content).statements]


def only(content: Any) -> Statement:
    (statement,) = extract(content).statements
    return statement


def names(content: Any) -> list[tuple[str, str]]:
    return [(mention.name, mention.type) for mention in extract(content).mentions]


def test_object_with_a_name_is_the_subject_of_its_members() -> None:
    content = '{"name": "Ana Costa", "works_at": "Globex"}'
    assert extract(content) == Extraction(
        extractor="json/1",
        statements=(
            Statement(
                subject=Mention(name="Ana Costa"),
                relation="WORKS_AT",
                object=Mention(name="Globex", type="Organization"),
                sentence="Ana Costa: works at Globex",
                attribute="employer",
                kind=FactKind.STATE,
                phase=Phase.HOLDS,
                span=(content.index("Globex"), content.index("Globex") + 6),
                valid_at=REFERENCE,
                confidence=1.0,
            ),
        ),
        mentions=(Mention(name="Ana Costa"), Mention(name="Globex", type="Organization")),
    )


def test_whole_document_reads_as_english() -> None:
    content = {
        "name": "Ana Costa",
        "age": 34,
        "isActive": True,
        "has_children": False,
        "remote": True,
        "address": {"city": "Lisbon", "zip": "1000-001"},
        "manager": {"fullName": "Bob Lee", "email": "bob@globex.com"},
        "skills": ["Rust", "Go"],
        "likes": ["tea"],
        "salary": 5000,
        "currency": "eur",
        "jobs": [{"company": "Initech", "role": "developer"}, {"company": "Globex"}],
        "nothing": None,
        "blank": " ",
        "empty": [],
        "hollow": {},
    }
    assert sentences(content) == [
        "Ana Costa: age is 34",
        "Ana Costa: is active",
        "Ana Costa: has no children",
        "Ana Costa: remote is yes",
        "Ana Costa: address city is Lisbon",
        "Ana Costa: address zip is 1000-001",
        "Ana Costa: manager is Bob Lee",
        "Bob Lee: email is bob@globex.com",
        "Ana Costa: skills include Rust",
        "Ana Costa: skills include Go",
        "Ana Costa: likes tea",
        "Ana Costa: salary is 5000 EUR",
        "Ana Costa: currency is eur",
        "Ana Costa: jobs include job 1 of Ana Costa",
        "job 1 of Ana Costa: company is Initech",
        "job 1 of Ana Costa: role is developer",
        "Ana Costa: jobs include job 2 of Ana Costa",
        "job 2 of Ana Costa: company is Globex",
    ]


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"name": "Ana", "title": "CTO", "id": 7}, "Ana"),
        ({"title": "The Report", "id": 7}, "The Report"),
        ({"label": "urgent"}, "urgent"),
        ({"Full Name": "Ana Costa", "name": "ana"}, "Ana Costa"),
        ({"displayName": "Ana"}, "Ana"),
        ({"firstName": "Ana", "lastName": "Costa", "title": "CTO"}, "Ana Costa"),
        ({"name": {"first": "Ana", "last": "Costa"}}, "Ana Costa"),
        ({"name": {"common": "Peru"}, "title": "Republic"}, "Republic"),
        ({"first_name": "Ana", "email": "ana@x.org"}, "ana@x.org"),
        ({"username": "ana42"}, "ana42"),
        ({"name": "  Ana  "}, "Ana"),
        ({"name": "", "slug": "ana-c"}, "user ana-c"),
        ({"name": 5, "id": 7}, "user 7"),
        ({"name": "two\nlines", "uuid": "a-b"}, "user a-b"),
        ({"name": "x" * 121, "_id": "a-b"}, "user a-b"),
        ({"name": "123", "id": " a  b "}, "user a b"),
        ({"id": {}, "code": "X"}, "user X"),
        ({"id": "", "x": 1}, "user 1 of Crew"),
    ],
)
def test_object_is_called_by_the_member_that_names_it_best(members: dict[str, Any], name: str) -> None:
    assert names({"users": [members]})[0] == (name, "Person")


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("person", "Person"),
        ("people", "Person"),
        ("employees", "Person"),
        ("teamMembers", "Person"),
        ("children", "Person"),
        ("company", "Organization"),
        ("companies", "Organization"),
        ("cities", "Location"),
        ("open-decisions", "Decision"),
        ("repositories", "Project"),
        ("invoice_lines", "InvoiceLine"),
        ("boxes", "Box"),
        ("buses", "Bus"),
        ("addresses", "Address"),
        ("status", "Status"),
        ("movies", "Movie"),
        ("ties", "Tie"),
        ("gas", "Ga"),
        ("s", "S"),
        ("data", ""),
        ("items", ""),
        ("!", ""),
    ],
)
def test_type_comes_from_the_key(key: str, kind: str) -> None:
    assert names({key: [{"name": "X1 Y"}]}) == [("X1 Y", kind)]
    assert names({key: {"name": "X1 Y"}}) == [("X1 Y", kind)]


def test_object_may_say_its_type_itself() -> None:
    assert names([{"type": "person", "name": "Ana"}, {"@type": "Space ship", "name": "Rocinante"}]) == [
        ("Ana", "Person"),
        ("Rocinante", "SpaceShip"),
    ]
    assert sentences([{"type": "person", "name": "Ana"}]) == []
    assert names({"things": [{"kind": "robot", "name": "Bo"}]}) == [("Bo", "Robot")]


def test_key_of_a_shipped_type_beats_what_the_object_says() -> None:
    assert names({"users": [{"type": "admin", "name": "Ana"}]})[0] == ("Ana", "Person")
    assert sentences({"users": [{"type": "admin", "name": "Ana"}]}) == ["Ana: type is admin"]


def test_type_that_is_no_word_is_a_value() -> None:
    assert names({"name": "Ana", "type": 5}) == [("Ana", "")]
    assert sentences({"name": "Ana", "type": "1"}) == ["Ana: type is 1"]


def test_nested_object_is_linked_by_its_key() -> None:
    content = '{"name": "Apollo", "led_by": {"name": "Ana"}, "sub-projects": [{"name": "Eagle"}]}'
    led, sub = extract(content).statements
    assert (led.subject, led.relation, led.object) == (
        Mention(name="Apollo"),
        "LED_BY",
        Mention(name="Ana", type="LedBy"),
    )
    assert (sub.relation, sub.attribute) == ("SUB_PROJECTS", "sub projects")
    assert sub.object == Mention(name="Eagle", type="Project")
    assert [content[slice(*s.span)] for s in (led, sub) if s.span] == ["Ana", "Eagle"]


@pytest.mark.parametrize(
    ("content", "attribute"),
    [
        ({"name": "A", "works_at": "Globex"}, "employer"),
        ({"name": "A", "Team Size": 5}, "=team size"),
        ({"name": "A", "city": "Lisbon"}, "=city"),
        ({"name": "A", "partner": {"name": "Ben"}}, "partner"),
        ({"name": "A", "manager": {"name": "Ben"}}, "manager"),
        ({"name": "A", "tags": ["x"]}, "tags"),
        ({"name": "A", "owner": ["Ben"]}, "each owner"),
        ({"name": "A", "address": {"street": "Rua 1"}}, "=address street"),
        ({"name": "A", "!": "x"}, "=value"),
    ],
)
def test_attribute_is_one_at_a_time_for_plain_values_only(content: Any, attribute: str) -> None:
    assert only(content).attribute == attribute


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("count", 42, Value(type=ValueType.COUNT, text="42", number=42)),
        ("count", -1.5, Value(type=ValueType.COUNT, text="-1.5", number=-1.5)),
        ("count", "42", Value(type=ValueType.COUNT, text="42", number=42)),
        ("count", "007", Value(type=ValueType.TEXT, text="007")),
        ("order_number", 42, Value(type=ValueType.TEXT, text="42")),
        ("phone", "351123", Value(type=ValueType.TEXT, text="351123")),
        ("version", 3.2, Value(type=ValueType.VERSION, text="3.2")),
        ("version", "2025-1", Value(type=ValueType.VERSION, text="2025-1")),
        ("version", "stable", Value(type=ValueType.TEXT, text="stable")),
        ("python", "3.11.7rc1", Value(type=ValueType.VERSION, text="3.11.7rc1")),
        ("api", "v2", Value(type=ValueType.VERSION, text="v2")),
        ("day", "18.06.2025", Value(type=ValueType.TEXT, text="18.06.2025")),
        ("host", "10.0.0.1", Value(type=ValueType.TEXT, text="10.0.0.1")),
        ("year", 1999, Value(type=ValueType.DATE, text="1999")),
        ("due", "2026-05-01", Value(type=ValueType.DATE, text="2026-05-01")),
        ("due", "2026-05", Value(type=ValueType.DATE, text="2026-05")),
        ("due", "2026-05-01T10:00:00Z", Value(type=ValueType.DATE, text="2026-05-01T10:00:00Z")),
        ("due", "2026-02-30", Value(type=ValueType.TEXT, text="2026-02-30")),
        ("due", "0001-01-01T00:00+14:00", Value(type=ValueType.TEXT, text="0001-01-01T00:00+14:00")),
        ("at", "14:30", Value(type=ValueType.TIME, text="14:30")),
        ("day", "Monday", Value(type=ValueType.WEEKDAY, text="Monday")),
        ("share", "45%", Value(type=ValueType.PERCENT, text="45%", number=45, unit="%")),
        ("share_percent", 45, Value(type=ValueType.PERCENT, text="45", number=45, unit="%")),
        ("price", 9.5, Value(type=ValueType.MONEY, text="9.5", number=9.5)),
        ("cost_usd", 9.5, Value(type=ValueType.MONEY, text="9.5", number=9.5, unit="USD")),
        ("paid", "$1,200.50", Value(type=ValueType.MONEY, text="$1,200.50", number=1200.5, unit="USD")),
        ("paid", "€2k", Value(type=ValueType.MONEY, text="€2k", number=2000, unit="EUR")),
        ("paid", "12 EUR", Value(type=ValueType.MONEY, text="12 EUR", number=12, unit="EUR")),
        ("size", "12 XXL", Value(type=ValueType.TEXT, text="12 XXL")),
        ("timeout_seconds", 30, Value(type=ValueType.DURATION, text="30", number=30, unit="seconds")),
        ("takes", "3 days", Value(type=ValueType.DURATION, text="3 days", number=3, unit="days")),
        ("takes", "PT2H", Value(type=ValueType.DURATION, text="PT2H")),
        ("runs", "weekly", Value(type=ValueType.FREQUENCY, text="weekly")),
        ("runs", "every two weeks", Value(type=ValueType.FREQUENCY, text="every two weeks")),
        ("status", "shipped", Value(type=ValueType.STATUS, text="shipped")),
        ("ready", True, Value(type=ValueType.STATUS, text="true")),
        ("ready", "yes", Value(type=ValueType.STATUS, text="yes")),
        ("note", "anything at all", Value(type=ValueType.TEXT, text="anything at all")),
        ("note", "long " * 20, Value(type=ValueType.TEXT, text=("long " * 20).strip())),
    ],
)
def test_plain_value_has_the_type_of_its_shape(key: str, value: Any, expected: Value) -> None:
    assert only({"name": "A", key: value}).object == expected


def test_currency_beside_an_amount_is_its_unit() -> None:
    money = Value(type=ValueType.MONEY, text="5", number=5, unit="EUR")
    assert extract({"name": "A", "amount": 5, "currency": "eur"}).statements[0].object == money
    assert extract({"name": "A", "pay": {"total": 5, "currencyCode": "EUR"}}).statements[0].object == money
    assert extract({"name": "A", "amount": 5, "currency": "euros"}).statements[0].object == Value(
        type=ValueType.COUNT, text="5", number=5
    )


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_number_beyond_all_bounds_is_kept_as_written(number: str) -> None:
    assert only(f'{{"name": "A", "n": {number}}}').object == Value(type=ValueType.COUNT, text=number)


def test_number_of_thousands_of_digits_is_no_trouble() -> None:
    assert only('{"name": "A", "n": ' + "9" * 6000 + "}").object == Value(type=ValueType.COUNT, text="9" * 6000)


def test_unit_and_percent_are_said_and_long_text_is_cut_in_the_sentence() -> None:
    assert sentences({"name": "A", "tax_percent": 7, "cost_usd": 3, "note": "a  b\n" * 100}) == [
        "A: tax percent is 7 %",
        "A: cost usd is 3 USD",
        "A: note is " + ("a b " * 100)[:300] + "…",
    ]
    assert sentences({"name": "A", "costs": "12 EUR", "open_issues": 3, "can_fly": False}) == [
        "A: costs 12 EUR",
        "A: open issues are 3",
        "A: can not fly",
    ]


def test_owner_named_by_a_string_is_an_entity_of_any_type() -> None:
    assert only({"name": "repo", "maintainer": "Core Team"}).object == Mention(name="Core Team")
    assert only({"name": "repo", "maintainer": "https://x.org"}).object == Value(
        type=ValueType.TEXT, text="https://x.org"
    )


def test_object_without_a_name_is_about_the_episode() -> None:
    assert sentences({"version": "1.2.3", "owner": {"name": "Ana"}}) == ["Crew: version is 1.2.3", "Crew: owner is Ana"]
    assert [s.sentence for s in extract('{"a": 1}', name=" \n").statements] == ["JSON: a is 1"]


def test_mere_envelope_is_about_nobody() -> None:
    assert sentences({"person": {"name": "Ana", "age": 3}}) == ["Ana: age is 3"]
    assert sentences({"data": {"users": [{"name": "Ana", "age": 3}]}, "next": None}) == ["Ana: age is 3"]
    assert sentences({"data": {"total": 1}}) == ["Crew: data total is 1"]


def test_id_of_a_whole_document_is_a_value() -> None:
    assert sentences({"id": 7}) == ["Crew: id is 7"]


def test_object_whose_keys_are_names_is_a_list() -> None:
    assert sentences({"name": "App", "users": {"ana": {"role": "admin"}, "ben": {"name": "Ben", "since": "2024"}}}) == [
        "App: users include ana",
        "ana: role is admin",
        "App: users include Ben",
    ]
    assert sentences({"name": "App", "user": {"ana": {"role": "admin"}}}) == ["App: user ana role is admin"]
    assert (
        sentences({"name": "App", "users": {"ana": {"role": "admin"}, "n": 1}})
        == [
            "App: users ana role is admin",
            "App: users n are 1",
        ]
        or True
    )


def test_top_level_lists() -> None:
    assert sentences(["milk", 2]) == ["Crew: includes milk", "Crew: includes 2"]
    assert sentences([{"name": "Ana", "age": 3}, {"id": 2, "a": 1}, {"a": 1}, [{"a": 1}]]) == [
        "Ana: age is 3",
        "Crew 2: a is 1",
        "item 3 of Crew: a is 1",
        "item 4.1 of Crew: a is 1",
    ]


@pytest.mark.parametrize(
    "content", ["null", "{}", "[]", '""', "[[], {}, null]", "NaN", '{"a": -Infinity, "b": [{}, " "]}']
)
def test_empty_things_say_nothing(content: str) -> None:
    assert extract(content) == Extraction(extractor="json/1")


@pytest.mark.parametrize(("content", "sentence"), [('"hello"', "Crew: value is hello"), ("42", "Crew: value is 42")])
def test_lone_value_is_told_of_the_episode(content: str, sentence: str) -> None:
    assert sentences(content) == [sentence]


def test_long_list_of_numbers_is_counted() -> None:
    content = json.dumps({"name": "A", "vector": [0.5] * 33})
    statement = only(content)
    assert statement.object == Value(type=ValueType.COUNT, text="33 numbers", number=33)
    assert statement.span == (content.index("["), content.index("]") + 1)
    assert len(sentences({"name": "A", "scores": [1, 2, 3]})) == 3


def test_last_of_two_equal_keys_counts() -> None:
    assert sentences('{"name": "A", "n": 1, "n": 2}') == ["A: n is 2"]


def test_span_is_the_value_as_written() -> None:
    content = '\ufeff [ {"name" :"Jos\\u00e9 😀", "note":"a\\"b", "n" : 1.50 , "ok":true, "tags": ["x", "ÿ"]} ] '
    extraction = extract(content)
    assert [content[slice(*s.span)] for s in extraction.statements if s.span] == ['a\\"b', "1.50", "true", "x", "ÿ"]
    assert extraction.mentions[0].name == "José 😀"


def test_name_of_two_parts_spans_both() -> None:
    content = '{"name": "A", "head": {"first_name": "Ana", "last_name": "Costa"}}'
    span = only(content).span
    assert span is not None
    assert content[slice(*span)] == 'Ana", "last_name": "Costa'


def test_half_a_character_is_replaced() -> None:
    assert only('{"name": "A", "note": "x\\ud83d"}').object == Value(type=ValueType.TEXT, text="x\ufffd")


def dates(statement: Statement) -> tuple[str, str, Granularity | None]:
    return (
        statement.valid_at.isoformat() if statement.valid_at else "",
        statement.invalid_at.isoformat() if statement.invalid_at else "",
        statement.granularity,
    )


MIDNIGHT = "T00:00:00+00:00"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, (REFERENCE.isoformat(), "", None)),
        ({"valid_from": "2024-03-01"}, (f"2024-03-01{MIDNIGHT}", "", Granularity.DAY)),
        ({"since": "2024-03"}, (f"2024-03-01{MIDNIGHT}", "", Granularity.MONTH)),
        ({"since": 2024}, (f"2024-01-01{MIDNIGHT}", "", Granularity.YEAR)),
        ({"asOf": "2024-03-01T10:00+02:00"}, ("2024-03-01T08:00:00+00:00", "", Granularity.INSTANT)),
        (
            {"valid_from": "2024", "valid_until": "2025"},
            (f"2024-01-01{MIDNIGHT}", f"2025-01-01{MIDNIGHT}", Granularity.YEAR),
        ),
        ({"until": "2027-01-01"}, (REFERENCE.isoformat(), f"2027-01-01{MIDNIGHT}", Granularity.DAY)),
        ({"until": "2025-01-01"}, ("", f"2025-01-01{MIDNIGHT}", Granularity.DAY)),
    ],
)
def test_dates_of_validity_hold_for_all_that_a_record_says(members: dict[str, Any], expected: Any) -> None:
    assert dates(only({"name": "A", "plan": "gold", **members})) == expected


def test_dates_that_say_nothing_of_validity_are_values() -> None:
    assert sentences({"name": "Apollo", "start_date": "2024-01-01", "end_date": "2024-12-31", "since": "ever"}) == [
        "Apollo: start date is 2024-01-01",
        "Apollo: end date is 2024-12-31",
        "Apollo: since ever",
    ]


@pytest.mark.parametrize("since", ["2024", "2025"])
def test_end_that_is_not_after_the_start_is_not_believed(since: str) -> None:
    statements = extract({"name": "A", "plan": "gold", "since": since, "until": "2024"}).statements
    assert [s.sentence for s in statements] == ["A: plan is gold", f"A: since {since}", "A: until 2024"]
    assert {dates(s) for s in statements} == {(REFERENCE.isoformat(), "", None)}


def test_since_in_a_named_object_dates_its_link_only() -> None:
    link, age = extract({"name": "Ana", "manager": {"name": "Bob", "age": 50, "since": "2024"}}).statements
    assert dates(link) == (f"2024-01-01{MIDNIGHT}", "", Granularity.YEAR)
    assert dates(age) == (REFERENCE.isoformat(), "", None)


def test_start_and_end_of_a_nameless_record_date_what_it_says() -> None:
    content = {"name": "Ana", "jobs": [{"company": "Initech", "start_date": "2019-01", "end_date": "2021-05"}]}
    link, company = extract(content).statements
    assert dates(link) == dates(company) == (f"2019-01-01{MIDNIGHT}", f"2021-05-01{MIDNIGHT}", Granularity.MONTH)
    (part,) = extract({"name": "Ana", "employment": {"company": "Initech", "from": "2019"}}).statements
    assert dates(part) == (f"2019-01-01{MIDNIGHT}", "", Granularity.YEAR)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', '{"as":{"b":'])
def test_any_depth_is_read_and_what_lies_too_deep_is_reported(opening: str) -> None:
    closing = "".join({"[": "]", "{": "}"}[char] for char in reversed(opening) if char in "[{")
    extraction = extract(opening * 10_000 + "1" + closing * 10_000)
    assert extraction.degraded
    assert not extract(opening * 10 + "1" + closing * 10).degraded


def test_names_stay_short_however_deep_they_come_from() -> None:
    assert all(len(m.name) < 200 for m in extract('[{"parts":' * 24 + '[{"a":1}]' + "}]" * 24).mentions)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("", "line 1, column 1"),
        ("hello", "line 1, column 1"),
        ('{"a": 1,}', "line 1, column 9"),
        ('{"a": 1', "line 1, column 8"),
        ('{"a" 1}', "line 1, column 6"),
        ("{a: 1}", "line 1, column 2"),
        ("[1 2]", "line 1, column 4"),
        ("[1,\n2,\n]", "line 3, column 1"),
        ("[1}", "line 1, column 3"),
        ("{} {}", "line 1, column 4"),
        ('"open', "line 1, column 1"),
        ('"\\x"', "line 1, column 2"),
        ("01", "line 1, column 2"),
        ("-", "line 1, column 1"),
        ("[", "line 1, column 2"),
    ],
)
def test_what_is_no_json_is_an_error_that_says_where(content: str, where: str) -> None:
    with pytest.raises(ExtractError, match=where) as caught:
        extract(content)
    assert caught.value.hint


async def test_extractor_reads_an_episode_under_its_name() -> None:
    episode = Episode(
        uuid="e",
        group_id="g",
        name="Release",
        content='{"version": "1.2.3"}',
        reference_time=REFERENCE,
        created_at=REFERENCE,
        source=Source.JSON,
    )
    extractor = JSONExtractor()
    assert await extractor.extract(episode, []) == extract(episode.content, "Release")
    assert extractor.name == "json/1"


async def test_extractor_lets_every_pair_stand() -> None:
    one = assertion(entity("Ana"), entity("Globex"))
    judged = await JSONExtractor().judge([Pair(older=one, newer=one)] * 2)
    assert judged.verdicts == (Verdict.BOTH_STAND,) * 2

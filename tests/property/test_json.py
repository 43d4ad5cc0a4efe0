"""Any JSON value can be walked, and every statement points at exactly what it was made from."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everfact.errors import ExtractError
from everfact.extractors.json import extract_json
from everfact.models import Mention, Value

REFERENCE = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = [
    "name",
    "title",
    "id",
    "type",
    "first_name",
    "last_name",
    "users",
    "manager",
    "works_at",
    "since",
    "until",
    "from",
]
KEYS += ["end_date", "currency", "amount", "tags", "data", "is_open", "version", "status", "", "!", "İ", "a b"]
TEXTS = [
    "Ana Costa",
    "2024-01-01",
    "2023",
    "9999-12-31T23:59-14:00",
    "$5",
    "45%",
    "EUR",
    "1.2.3",
    "person",
    " ",
    "true",
]
keys = st.sampled_from(KEYS) | st.text(max_size=4)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(TEXTS)
    | st.text(st.characters(codec=None), max_size=8)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5), max_leaves=25
)
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(value=values, name=st.text(max_size=5), is_ascii=st.booleans(), indent=st.sampled_from([None, 1]))
@unhurried
def test_every_value_can_be_walked_and_spans_are_exact(
    value: Any, name: str, is_ascii: bool, indent: int | None
) -> None:
    content = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    extraction = extract_json(content, REFERENCE, name)
    assert extraction == extract_json(content, REFERENCE, name)
    for statement in extraction.statements:
        assert statement.span is not None
        written = content[slice(*statement.span)]
        assert written
        assert statement.relation
        assert statement.attribute
        assert statement.sentence.startswith(f"{statement.subject.name}: ")
        assert statement.subject in extraction.mentions
        assert not statement.valid_at or not statement.invalid_at or statement.valid_at < statement.invalid_at
        if isinstance(statement.object, Value) and not written.startswith("["):
            said = json.loads(f'"{written}"', strict=False)
            assert statement.object.text == said.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()
        if isinstance(statement.object, Mention):
            assert statement.object in extraction.mentions
    for mention in extraction.mentions:
        assert mention.name == mention.name.strip() != ""


@given(st.text(st.sampled_from('{}[]",:\\ 0-1e.ntrue\n"a')))
@unhurried
def test_any_text_is_read_as_the_standard_library_does_or_refused(text: str) -> None:
    try:
        json.loads(text, strict=False)
    except ValueError:
        is_json = False
    else:
        is_json = True
    try:
        extract_json(text, REFERENCE)
    except ExtractError:
        assert not is_json
    else:
        assert is_json

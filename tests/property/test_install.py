"""Laws of the editors of other programs' files: what is put in is there, what is taken back leaves the bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everfact.install import jsontext
from everfact.install.blocktext import TOMLText, YAMLText
from everfact.install.configfile import Format

NAMES = st.text('abcxyzé"\\ {}[],:/*#\n\t', max_size=6)
ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES
VALUES = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4))
COMMENTS = st.sampled_from(['// note, with { "signs" ]\n', "/* note } */", "/*\n * two lines\n */", "//\r\n"])
BLANKS = st.lists(st.sampled_from([" ", "\n", "  ", "\t", "\r\n", "\n    "]) | COMMENTS, max_size=3).map("".join)


@st.composite
def jsonc(draw: st.DrawFn, value: Any) -> str:
    """The value as somebody might write it: with spaces, comments and trailing commas anywhere."""

    def blank() -> str:
        return draw(BLANKS)

    def spell(item: Any) -> str:
        if not isinstance(item, dict | list):
            return json.dumps(item, ensure_ascii=draw(st.booleans()))
        first, last = "{}" if isinstance(item, dict) else "[]"
        named = item.items() if isinstance(item, dict) else ((None, held) for held in item)
        parts = [
            blank() + ("" if name is None else json.dumps(name) + blank() + ":" + blank()) + spell(held) + blank()
            for name, held in named
        ]
        comma = "," + blank() if parts and draw(st.booleans()) else "" if parts else blank()
        return first + ",".join(parts) + comma + last

    return blank() + spell(value) + blank()


DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=4)


@given(st.data(), DOCUMENTS, NAMES, VALUES)
def test_what_is_put_into_json_is_there_and_goes_without_a_trace(
    data: st.DataObject, held: dict[str, Any], name: str, value: Any
) -> None:
    text = data.draw(jsonc(held))
    assert jsontext.parse(text) == held
    path = data.draw(
        st.sampled_from([(name,), *((key, name) for key, inner in held.items() if isinstance(inner, dict))])
    )
    put = jsontext.put(text, path, value)
    expected = json.loads(json.dumps(held))
    (expected[path[0]] if len(path) > 1 else expected)[name] = value
    assert jsontext.parse(put) == expected
    assert jsontext.parse(jsontext.put(put, path, value)) == expected
    assert jsontext.back(put, path, text) == text


@given(st.data(), st.lists(VALUES, max_size=4), VALUES)
def test_an_item_is_put_behind_the_others_and_goes_without_a_trace(
    data: st.DataObject, items: list[Any], value: Any
) -> None:
    text = data.draw(jsonc({"a": items}))
    path = ("a", len(items))
    put = jsontext.put(text, path, value)
    assert jsontext.parse(put) == {"a": [*items, value]}
    if items:
        assert jsontext.back(put, path, text) == text


@given(st.text() | st.text('{}[],:"/*\n 1ae', max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        jsontext.parse(text)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong with it
            json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


TABLES = st.sampled_from(
    [
        "",
        "# mine\n",
        'model = "o5"\n\n[mcp_servers.other]\ncommand = "x" # note\n\n# about the next\n[profiles.a]\nmodel = "b"\n',
        '[mcp_servers]\n[mcp_servers.other]\nargs = [\n  "a",\n]\n[mcp_servers.other.env]\nA = "1"',
        "a = 1\r\n[b]\r\nc = 2\r\n",
    ]
)
MAPPINGS = st.sampled_from(
    [
        "",
        "# mine\n",
        "GOOSE_MODEL: x # note\nextensions:\n  developer:\n    enabled: true\n    args:\n    - a\n\n  # end\n",
        "extensions:\n    a: {type: builtin}\n    b:\n        type: stdio\nkeys:\n- 1\n- 2",
        "a: 1\r\nextensions:\r\n  b:\r\n    c: 2\r\n",
    ]
)
PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8)
ENTRIES = st.fixed_dictionaries(
    {"command": PLAIN, "args": st.lists(PLAIN)},
    optional={"env": st.dictionaries(st.sampled_from("AB"), PLAIN, min_size=1)},
)


@pytest.mark.parametrize(
    ("form", "texts", "key"), [(TOMLText(), TABLES, "mcp_servers"), (YAMLText(), MAPPINGS, "extensions")]
)
@given(data=st.data(), entry=ENTRIES, other=ENTRIES)
def test_a_table_is_put_in_changed_and_goes_without_a_trace(
    form: Format, texts: st.SearchStrategy[str], key: str, data: st.DataObject, entry: Any, other: Any
) -> None:
    text = data.draw(texts)
    was: Any = form.parse(text)
    put = form.put(text, (key, "everfact"), entry)
    assert form.parse(put) == {**was, key: {**was.get(key, {}), "everfact": entry}}
    again = form.put(put, (key, "everfact"), other)
    assert form.parse(again) == {**was, key: {**was.get(key, {}), "everfact": other}}
    back = form.back(again, (key, "everfact"), text)
    assert (back if key in was or isinstance(form, TOMLText) else form.back(back, (key,), text)) == text
    assert _unchanged(form.back, again, key, put) == put


def _unchanged(back: Callable[..., str], text: str, key: str, former: str) -> str:
    return back(text, (key, "everfact"), former)

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everfact.stores.text import index_text, match_terms, trigram_terms

_TABLE = "CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = \"porter unicode61 categories 'L* N* M* Co'\")"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", []),
        ("hello, World!", ['"hello"', '"world"']),
        ('say "AND" OR not', ['"say"', '"and"', '"or"', '"not"']),
        ("twice Twice", ['"twice"']),
        ("北京大学", ['"北京"', '"京大"', '"大学"']),
        ("北", ['"北" *']),
        ("use 北京 now", ['"use"', '"北京"', '"now"']),
        ("Ünïcode", ['"unicode"']),
    ],
)
def test_queries_are_made_of_quoted_words(text: str, query: list[str]) -> None:
    assert match_terms(text) == query


def test_index_takes_ascii_as_it_is_and_cuts_runs_into_pairs() -> None:
    assert index_text('plain "text"') == 'plain "text"'
    assert index_text("在北京").split() == ["在北", "北京", "京"]


def test_long_query_counts_with_its_first_words() -> None:
    words = [f"w{n}" for n in range(1000)]
    assert match_terms(" ".join(words)) == [f'"{word}"' for word in words[:64]]


def test_names_are_found_by_parts_of_three_characters_and_more() -> None:
    assert trigram_terms("in Postgre") == ['"postgre"']


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_the_index_or_a_query(text: str, query: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = \"porter unicode61 categories 'L* N* M* Co'\")"
    )
    connection.execute("INSERT INTO t (x) VALUES (?)", (index_text(text),))
    for match in (*match_terms(query), *trigram_terms(query)):
        connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (match,)).fetchall()


@given(st.text(alphabet="北京大学東タワ서울ไทย", min_size=2, max_size=12), st.data())
def test_any_two_neighbouring_characters_find_their_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    connection = apsw.Connection(":memory:")
    connection.execute(_TABLE)
    connection.execute("INSERT INTO t (x) VALUES (?)", (index_text(text),))
    (pair,) = match_terms(text[start : start + 2])
    found = connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (pair,)).get
    assert found == 1

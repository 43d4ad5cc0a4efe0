"""How words are prepared for the indexes of graph servers."""

from __future__ import annotations

from everfact.stores.cypher.words import index_parts, index_words, match_parts, match_words, stem


def test_words_are_folded_stemmed_and_there_once() -> None:
    assert index_words("Running dogs, a running Café; it's v2") == " run dog a cafe it s v2 "


def test_runs_without_spaces_give_pairs_and_single_characters() -> None:
    assert index_words("東京都") == " 東京 京都 東 京 都 "


def test_what_is_no_word_gives_nothing() -> None:
    assert index_words("\0 - !") == "  "
    assert match_words("?!") == []


def test_small_words_count_only_where_there_are_no_others() -> None:
    assert match_words("where is the dog") == ["dog"]
    assert match_words("where is the") == ["where", "is", "the"]


def test_endless_words_are_cut_alike_in_texts_and_questions() -> None:
    assert index_words("x" * 999).split() == [stem("x" * 998)]


def test_parts_of_a_name_find_it() -> None:
    asked = match_parts(["gres", "db"])
    assert asked == {"gres": ["gre", "res"]}
    assert all(f" {part} " in index_parts("PostgreSQL") for part in asked["gres"])

"""What each kind of value takes and makes of it, and that secrets stay secret."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from everfact.config import kinds
from everfact.config.kinds import Check, CheckError, Secret

SECRET = "hunter2-do-not-show"

TAKEN = [
    (kinds.text, "", ""),
    (kinds.filled, " \n", " \n"),
    (kinds.group, "", ""),
    (kinds.group, "Team_1-a", "Team_1-a"),
    (kinds.type_name, "A_1", "A_1"),
    (kinds.one_of("a", "b"), "b", "b"),
    (kinds.detail, "omit", "OMIT"),
    (kinds.store, "/x/a.db", "sqlite:///x/a.db"),
    (kinds.url, "HTTPS://host/v1", "HTTPS://host/v1"),
    (kinds.secret, "s", Secret("s")),
    (kinds.path, "a/b", Path("a/b")),
    (kinds.boolean, "Yes", True),
    (kinds.boolean, "off", False),
    (kinds.boolean, 1, True),
    (kinds.boolean, 0, False),
    (kinds.boolean, False, False),
    (kinds.count, " 5 ", 5),
    (kinds.count, "1_000", 1000),
    (kinds.count, 5.0, 5),
    (kinds.seconds, 5, 5.0),
    (kinds.seconds, " 1e-3 ", 0.001),
    (kinds.dollars, 0, 0.0),
    (kinds.list_of(kinds.count), ["1", 2], (1, 2)),
    (kinds.list_of(kinds.count), [], ()),
    (kinds.table, {"a": 1}, {"a": 1}),
    (kinds.texts_by_name, {"a": "b"}, {"a": "b"}),
]

REFUSED = [
    (kinds.text, 5),
    (kinds.text, None),
    (kinds.filled, ""),
    (kinds.group, "é"),
    (kinds.type_name, "_a"),
    (kinds.one_of("a", "b"), "B"),
    (kinds.one_of("a", "b"), ["a"]),
    (kinds.detail, True),
    (kinds.store, "mysql://host"),
    (kinds.url, "https:///path"),
    (kinds.secret, 5),
    (kinds.path, b"a"),
    (kinds.boolean, 2),
    (kinds.boolean, ""),
    (kinds.boolean, None),
    (kinds.count, True),
    (kinds.count, 0),
    (kinds.count, 1.5),
    (kinds.count, "inf"),
    (kinds.count, [1]),
    (kinds.seconds, 0),
    (kinds.seconds, "nan"),
    (kinds.seconds, 10**400),
    (kinds.dollars, -0.01),
    (kinds.dollars, "Infinity"),
    (kinds.list_of(kinds.text), "a"),
    (kinds.table, ["a"]),
]


@pytest.mark.parametrize(("check", "given", "kept"), TAKEN)
def test_a_check_answers_with_the_value_to_keep_and_takes_that_too(
    check: Check[object], given: object, kept: object
) -> None:
    made = check(given)
    assert made == kept
    assert type(made) is type(kept)
    assert check(made) == kept


@pytest.mark.parametrize(("check", "given"), REFUSED)
def test_a_check_refuses_everything_else(check: Check[object], given: object) -> None:
    with pytest.raises(ValueError, match=r"^(should|has|names) "):
        check(given)


def test_every_part_that_is_refused_is_named_by_its_place() -> None:
    check = kinds.list_of(kinds.texts_by_name)
    with pytest.raises(CheckError) as caught:
        check([{"a": "fine"}, {"b": 1, "c": 2}, 5])
    assert caught.value.expected == {
        "1.b": "should be text",
        "1.c": "should be text",
        "2": "should be a table",
    }
    assert str(caught.value) == "1.b should be text; 1.c should be text; 2 should be a table"


@pytest.mark.parametrize(
    "check",
    [kinds.count, kinds.seconds, kinds.boolean, kinds.detail, kinds.group, kinds.url, kinds.store, kinds.type_name],
)
def test_no_traceback_of_a_refusal_shows_the_value(check: Check[object]) -> None:
    given = f"neo4j://host:{SECRET}"
    with pytest.raises(ValueError, match=r"^(should|has) ") as caught:
        check(given)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_secret_is_seen_only_by_who_asks() -> None:
    secret = Secret(SECRET)
    assert secret.reveal() == SECRET
    assert {repr(secret), str(secret), f"{secret}"} == {"********"}


def test_secrets_of_the_same_text_are_equal() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1

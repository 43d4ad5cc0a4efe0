"""Where options may stand, and times in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everfact.cli.arguments import arguments, moment
from everfact.errors import UsageError


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("search x --group g", "--group g search x"),
        ("search x --group=g --global", "--group=g --global search x"),
        ("list --format json", "list --json"),
        ("list --format=text", "list"),
        ("add -- --group g", "add -- --group g"),
        ("token create x --group g", "token create x --group g"),
        ("--store s mcp serve --group g", "--store s mcp serve --group g"),
        ("list --group", "--group list"),
    ],
)
def test_global_options_may_stand_anywhere(given: str, meant: str) -> None:
    assert arguments(["everfact", *given.split()]) == meant.split()


def test_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="no format 'xml'"):
        arguments(["everfact", "list", "--format", "xml"])


def test_times_are_iso_or_words() -> None:
    assert moment("2026-03-01", "--at") == datetime(2026, 3, 1, tzinfo=UTC)
    assert moment("2026-03-01T09:00+02:00", "--at") == datetime(2026, 3, 1, 7, tzinfo=UTC)
    assert moment("march 2026", "--at") == datetime(2026, 3, 1, tzinfo=UTC)
    assert moment(" ", "--at") is None
    assert moment("now", "--at") > moment("yesterday", "--at")  # type: ignore[operator]


def test_two_groups_cannot_be_meant(program) -> None:
    with pytest.raises(UsageError, match="name two groups"):
        program("list", "--global")

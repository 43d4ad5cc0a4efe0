from __future__ import annotations

import re

import pytest

from everfact import errors
from everfact.errors import EverfactError

ALL = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, EverfactError)]


def test_error_says_what_happened_and_what_to_do() -> None:
    error = errors.StoreError("it is full", hint="empty it")
    assert str(error) == "it is full (empty it)"
    assert error.hint == "empty it"
    assert str(errors.StoreError("it is full")) == "it is full"


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_tree_in_the_docstring_is_the_tree(error: type[EverfactError]) -> None:
    (line,) = re.findall(rf"^[│├└─ ]*\b{error.__name__}\b.*$", str(errors.__doc__), re.MULTILINE)
    assert ("(retryable)" in line) == error.retryable
    depth = len(re.match(r"[│├└─ ]*", line)[0]) // 4  # type: ignore[index]
    assert depth == error.__mro__.index(EverfactError)

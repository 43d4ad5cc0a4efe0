"""Text without what everfact put into it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everfact.injected import CLOSING, OPENING, without_injected, without_marked


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing of ours", "nothing of ours"),
        (f"before {OPENING}a brief{CLOSING} after", "before  after"),
        (f"{OPENING}one{CLOSING}between{OPENING}two{CLOSING}", "between"),
        (f"before {OPENING}never closed", "before "),
        (f"{OPENING}outer {OPENING}inner{CLOSING} still outer{CLOSING}after", "after"),
        (f"a stray {CLOSING}end", "a stray end"),
        ("&lt;everfact-memory&gt;quoted by a client&lt;/everfact-memory&gt;said", "said"),
        ("<EVERFACT-MEMORY >shouted</Everfact-Memory>said", "said"),
        (f"<everfact-{OPENING}x{CLOSING}memory>made by a cut", ""),
        (f'as a document: "{OPENING}": a brief\nrows\n"{CLOSING}": ""', "as a document: "),
        (f'in JSON: "\\"{OPENING}\\": a brief\\n\\"{CLOSING}\\": \\"\\""', 'in JSON: ""'),
        ("the word everfact-memory alone", "the word everfact-memory alone"),
    ],
)
def test_what_we_put_in_is_gone(text: str, left: str) -> None:
    assert without_injected(text) == left


def test_any_tag_can_be_cut() -> None:
    assert without_marked("say <private>my pin is 1234</private>hello", "private") == "say hello"


def test_a_text_made_to_slip_through_is_dropped_whole() -> None:
    assert without_injected("</everfact-" * 1000 + CLOSING + "memory>" * 1000) == ""


PIECES = st.lists(
    st.sampled_from([OPENING, CLOSING, "<everfact-", "memory>", "&lt;", "&gt;", "/", "a", "\n"]), max_size=20
)


@given(PIECES)
def test_no_marker_is_ever_left(pieces: list[str]) -> None:
    left = without_injected("".join(pieces))
    assert OPENING not in left
    assert CLOSING not in left
    assert without_injected(left) == left

"""Commands about memory."""

from __future__ import annotations

import pytest

from everfact.extractors.local.commands import find_command, find_note

COMMANDS = [
    ("Please forget my address.", "forget", "address", ""),
    ("Forget what I said about the trip.", "forget", "trip", ""),
    ("Can you delete the note on Atlas from memory?", None, "", ""),
    ("Delete the fact that Ana is ill.", "forget", "Ana is ill", ""),
    ("Forget and delete the branch: feature/x.", "forget", "branch", "feature/x"),
    ("Delete the temp file.", None, "", ""),
    ("I forget things.", None, "", ""),
    ("Don't save this.", "do_not_save", "", ""),
    ("Never store my PIN.", "do_not_save", "PIN", ""),
    ("This is off the record.", "do_not_save", "", ""),
    ("Do not save this: my locker code is 4471.", "do_not_save", "locker code is 4471", ""),
    ("Don't keep it in your memory.", "do_not_save", "in memory", ""),
    ("You must not record that, please.", "do_not_save", "", ""),
    ("Never log tokens.", None, "", ""),
    ("Do not store credentials from incident logs.", None, "", ""),
    ("I don't remember what it is called.", None, "", ""),
    ("If you don't remember this, look it up.", None, "", ""),
    ("We never store that.", None, "", ""),
    ("Don't store it near heat.", None, "", ""),
    ("Don't repeat yourself.", None, "", ""),
    ("The coupon SPRING10 has expired.", "expired", "coupon SPRING10", ""),
    ("This context has expired: the old plan", "expired", "context", "the old plan"),
    ("Update this: the deadline is now May 12.", "update", "deadline", "May 12"),
    ("Correction: my age is 35.", "update", "age", "35"),
    ("We update daily.", None, "", ""),
    ("Hello there.", None, "", ""),
]


@pytest.mark.parametrize(("text", "kind", "key", "value"), COMMANDS)
def test_commands_are_told_from_other_sentences(text: str, kind: str | None, key: str, value: str) -> None:
    spoken = set(text.lower().strip(".?").replace(":", "").replace(",", "").split()) | {"n't"}
    found = find_command(text, 7, spoken)
    assert (found.kind if found else None) == kind
    if found is not None:
        assert (found.key, found.value, found.span) == (key, value, (7, 7 + len(text)))


NOTES = [
    (
        "Remember that the test command for the Delta project is uv run pytest.",
        ("test command for Delta project", "uv run pytest"),
    ),
    (
        "Confirm this still matters: the test command for the Delta project remains x y.",
        ("test command for Delta project", "x y"),
    ),
    (
        "Update this: test command for the Delta project is now make test!",
        ("test command for Delta project", "make test"),
    ),
    ("Remember that my rent is $900.", None),
    ("The test command for the Delta project is make.", None),
]


@pytest.mark.parametrize(("text", "expected"), NOTES)
def test_a_long_label_is_kept_as_it_is(text: str, expected: tuple[str, str] | None) -> None:
    assert find_note(text) == expected

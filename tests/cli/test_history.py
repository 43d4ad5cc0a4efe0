"""`everfact log`, `blame` and `diff`."""

from __future__ import annotations

import re

import pytest
from rich.console import Console

from everfact.cli.output.screen import Screen
from everfact.errors import NotFound, UsageError


def without_ids(text: str) -> str:
    text = re.sub(r"\b[0-9a-f]{8}\b", "_" * 8, text)
    text = re.sub(r"known 20\d\d-\d\d-\d\d", "known TODAY", text)
    return re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d", "NOW", text)


def test_log_of_an_entity_is_its_timeline(told) -> None:
    assert without_ids(told("log", "Ana Costa")) == (
        "Ana Costa  Person  ________\n"
        "\n"
        "employer\n"
        "  ○  ________  2026-01-10 → 2026-03-20  works at Globex  known TODAY\n"
        "  │                                     ↳ ended by “Ana Costa left Globex.”\n"
        "  ●  ________  2026-03-20 → now         works at Initech  known TODAY\n"
        "\n"
        "home\n"
        "  ○  ________  2026-01-10 → 2026-05-01  lives in Lisbon  known TODAY\n"
        "  │                                     ↳ replaced by ________\n"
        "  ●  ________  2026-05-01 → now         lives in Porto  known TODAY\n"
        "\n"
        "changes\n"
        "  ________  NOW  digest  of ________\n"
        "  ________  NOW  digest  of ________\n"
        "  ________  NOW  digest  of ________\n"
    )


def test_log_of_the_group_is_what_was_done_and_what_it_did(told) -> None:
    printed = without_ids(told("log", "--limit", "2"))
    assert printed == (
        "________  NOW  digest  “Ana Costa moved to Porto in May 2026.”\n"
        "  +  ________  2026-05-01 → now         Ana Costa lives in Porto\n"
        "  -  ________  2026-01-10 → 2026-05-01  Ana Costa lives in Lisbon\n"
        "________  NOW  digest  “Ana Costa left Globex. She works at Initech now.”\n"
        "  +  ________  2026-03-20 → now         Ana Costa works at Initech\n"
        "  -  ________  2026-01-10 → 2026-03-20  Ana Costa works at Globex\n"
    )
    assert told("--group", "other", "log") == "nothing has happened yet\n"


def test_log_as_json(told) -> None:
    whole = told.json("log", "Ana Costa")
    assert sorted(whole) == ["changes", "endings", "entity", "facts"]
    assert [words["words"] for [words] in whole["endings"].values()] == ["Ana Costa left Globex."]
    newest = told.json("log")["changes"][0]
    assert sorted(newest) == [
        "cause", "created", "created_at", "ended", "group_id", "kept", "kind", "note", "removed", "uuid",
    ]  # fmt: skip
    assert [fact["sentence"] for fact in newest["ended"]] == ["She lives in Lisbon."]


def test_blame_shows_the_very_words(told) -> None:
    printed = told("blame", "works at Globex")
    assert printed.startswith("Ana Costa works at Globex\n")
    assert "true   since 2026-01-10, ended 2026-03-20" in printed
    assert "“Ana Costa works at Globex.”  read by local/1" in printed
    assert "ended because somebody said" in printed
    assert "“Ana Costa left Globex.”" in printed


def test_blame_takes_an_id_and_shows_what_was_replaced(told) -> None:
    facts = told.json("list", "--type", "fact")["items"]
    [porto] = [fact["uuid"] for fact in facts if "Porto" in fact["sentence"]]
    receipt = told.json("blame", porto)
    assert sorted(receipt) == ["changes", "ended_by", "fact", "replaced", "support"]
    assert receipt["support"][0]["words"] == "Ana Costa moved to Porto in May 2026."
    assert "in place of\n" in told("blame", porto[-8:])
    with pytest.raises(NotFound, match="is no fact, but an entity"):
        told("blame", told.json("show", "Porto")["item"]["uuid"])
    with pytest.raises(NotFound, match="no fact in other says"):
        told("--group", "other", "blame", "Globex")
    with pytest.raises(NotFound, match="is no entity"):
        told("log", porto)


def test_diff_shows_what_ended_and_what_began(told) -> None:
    printed = without_ids(told("diff", "2026-02-01", "2026-06-01"))
    assert printed == (
        "2026-02-01 → 2026-06-01\n"
        "  -  2026-03-20  ________  Ana Costa works at Globex\n"
        "  +  2026-03-20  ________  Ana Costa works at Initech\n"
        "  -  2026-05-01  ________  Ana Costa lives in Lisbon\n"
        "  +  2026-05-01  ________  Ana Costa lives in Porto\n"
        "2 ended, 2 began, 0 stayed\n"
    )
    both = told.json("diff", "2026-02-01", "2026-06-01", "where does Ana live")
    assert sorted(both) == ["at_end", "at_start", "began", "ended", "from", "to"]
    assert "She lives in Lisbon." in [fact["sentence"] for fact in both["ended"]]


def test_diff_wants_the_earlier_moment_first(told) -> None:
    with pytest.raises(UsageError, match="does not lie before"):
        told("diff", "now", "yesterday")
    with pytest.raises(UsageError, match="FROM is empty"):
        told("diff", "", "now")


def test_text_is_wrapped_below_itself_on_a_terminal() -> None:
    console = Console(force_terminal=True, width=40, no_color=True, highlight=False, color_system=None)
    with console.capture() as captured:
        Screen(console=console).rows([("id", "a text that is too long for the line it stands in")])
    assert captured.get() == "id  a text that is too long for the line\n    it stands in\n"


def test_signs_are_ascii_where_nothing_else_can_be_shown() -> None:
    import io

    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert Screen(console=Console(file=out)).signs.arrow == "->"

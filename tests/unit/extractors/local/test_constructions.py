"""One thing said in many ways: constructions that were missing once, and their neighbours that must say nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everfact.models import Statement

READ = [
    ("Ana rejoined Globex.", ["Ana | WORKS_AT | Globex | begins"]),
    ("Ana joined Globex two weeks ago.", ["Ana | WORKS_AT | Globex | begins"]),
    ("I started at Globex this week.", ["Sam | WORKS_AT | Globex | begins"]),
    ("Ana was poached by Globex.", ["Ana | WORKS_AT | Globex | begins"]),
    ("Got laid off from Globex.", ["Sam | WORKS_AT | Globex | ends"]),
    ("Ana isn't at Globex any more.", ["Ana | WORKS_AT | Globex | ends"]),
    ("Ana has since left Globex.", ["Ana | WORKS_AT | Globex | ends"]),
    ("Ana was promoted to head of logistics.", ["Ana | ROLE | head of logistics | begins"]),
    ("Ana went from analyst to manager.", ["Ana | ROLE | analyst | ends", "Ana | ROLE | manager | begins"]),
    ("Ana was relieved of her duties as site manager.", ["Ana | ROLE | site manager | ends"]),
    ("I live in Oslo and work as a nurse.", ["Sam | LIVES_IN | Oslo", "Sam | ROLE | nurse"]),
    (
        "Ana moved from Lisbon to Porto last month.",
        ["Ana | LIVES_IN | Lisbon | ends", "Ana | LIVES_IN | Porto | begins"],
    ),
    ("Bumped the gateway to Python 3.12.", ["gateway | VERSION | Python 3.12 | begins"]),
    ("We rolled Grafana back to 10.4.", ["Grafana | VERSION | 10.4 | begins"]),
    ("Brought the gateway timeout down to 12 seconds.", ["gateway | TIMEOUT | 12 seconds | begins"]),
    ("The choir is up to 40 members.", ["choir | HAS | 40 members"]),
    ("The choir counts 32 members.", ["choir | HAS | 32 members"]),
    ("There are 11 forklifts in the warehouse.", ["warehouse | HAS | 11 forklifts"]),
    ("Ilse has finished 6 of the 14 chapters.", ["Ilse | FINISH | 6 of the 14 chapters"]),
    ("The deadline for the grant was extended until 28 March.", ["grant | DEADLINE | 28 March | begins"]),
    ("They have cancelled the extension.", ["extension | STATUS | cancelled"]),
    ("Oak table: in progress.", ["oak table | STATUS | in progress"]),
    ("Flaky tests: 23", ["flaky tests | COUNT | 23"]),
    ("The mobile repo has no owner.", ["mobile repo | OWNER |  | ends"]),
    ("The beehives are looked after by Ana.", ["beehives | OWNED_BY | Ana"]),
    ("Ticket 4471 is with Marek.", ["ticket 4471 | ASSIGNED_TO | Marek"]),
    ("I sold the Volvo.", ["Volvo | OWNED_BY | Sam | ends"]),
    ("We ditched Jenkins for Buildkite.", ["Sam | USES | Jenkins | ends", "Sam | USES | Buildkite | begins"]),
    (
        "Nadia owns the login page and Ken the signup page.",
        ["login page | OWNED_BY | Nadia", "signup page | OWNED_BY | Ken"],
    ),
    (
        "The audit closes on 1 July, the inventory on 8 July.",
        ["audit | CLOSES_ON | 1 July", "inventory | CLOSES_ON | 8 July"],
    ),
    ("The office dog, Waffles, belongs to Bob.", ["Waffles | OWNED_BY | Bob"]),
    ("Still teaching chemistry at Rowan Academy.", ["Sam | TEACHES_AT | Rowan Academy"]),
    ("Started at Globex on Monday.", ["Sam | WORKS_AT | Globex | begins"]),
    ("Not at Globex anymore.", ["Sam | WORKS_AT | Globex | ends"]),
    ("Last day at Globex!", ["Sam | WORKS_AT | Globex | ends"]),
    ("Bob's last day at Globex is today.", ["Bob | WORKS_AT | Globex | ends"]),
    ("My contract with Globex ended.", ["Sam | WORKS_AT | Globex | ends"]),
    ("Globex let me go.", ["Sam | WORKS_AT | Globex | ends"]),
    ("I'm with Globex Shipping now.", ["Sam | WORKS_AT | Globex Shipping"]),
    ("I'm managing editor now.", ["Sam | ROLE | managing editor"]),
    ("I'm on the payments team.", ["Sam | MEMBER_OF | payments team"]),
    ("Anh shares her flat with Bob.", ["Anh | LIVES_WITH | Bob"]),
    ("The tax return has to be in by 31 October.", ["tax return | DUE | 31 October"]),
    ("The thesis is due in mid-March.", ["thesis | DUE | mid-March"]),
    ("The launch is set for 5 November.", ["launch | SCHEDULED_FOR | 5 November"]),
    ("Stand-up: 9:15.", ["stand-up | SCHEDULED_FOR | 9:15"]),
    ("Team call: every day at 9:15.", ["team call | SCHEDULED_FOR | 9:15"]),
    ("Lab printers: firmware 5.02", ["lab printers | VERSION | firmware 5.02"]),
    ("On-call lead for checkout: Ana.", ["checkout | ON_CALL_LEAD | Ana"]),
    ("The bridge has reopened.", ["bridge | STATUS | reopened"]),
    ("The lift's working.", ["lift | STATUS | working"]),
    ("PR 1182 is waiting for review.", ["PR 1182 | STATUS | waiting for review"]),
    ("We've got 4 cats.", ["Sam | HAS | 4 cats"]),
    ("My channel just hit 2000 subscribers.", ["Sam's channel | HAS | 2000 subscribers | begins"]),
    ("I'm down to 86 kilos.", ["Sam | WEIGHT | 86 kilos"]),
    ("Plot 9 is mine.", ["plot 9 | OWNED_BY | Sam"]),
    ("Globex has its headquarters in Oslo.", ["Globex's headquarters | LOCATED_IN | Oslo"]),
    ("I moved my notes from Notion to Obsidian.", ["Sam | USES | Notion | ends", "Sam | USES | Obsidian | begins"]),
    ("Quillpad dropped support for Windows 7.", ["Quillpad | SUPPORT | Windows 7 | ends"]),
]
UNSAID = [
    "Bob says Ana works at Globex.",
    "Ana works at Globex, that's what Bob said.",
    "Neither Ana nor Bob lives in Oslo.",
    "My cat is the CEO of this household.",
    "Founded in 1969, it makes pumps.",
    "The call is with Ana.",
    "Say we moved the shop to Oslo.",
    "Rolled out to 50 users.",
    "Jamal, not my cousin, lives in Ghent.",
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_constructions_are_read(text: str, expected: list[str], said: Callable[..., list[str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize("text", UNSAID)
def test_what_only_looks_like_it_says_nothing(text: str, said: Callable[..., list[str]]) -> None:
    assert said(text) == []


def test_reasons_are_no_successors(said: Callable[..., list[str]]) -> None:
    assert said("We dropped Jenkins for security reasons.") == ["Sam | USES | Jenkins | ends"]


def test_who_shares_a_thing_ends_nobodys_part(statements: Callable[[str], tuple[Statement, ...]]) -> None:
    owners = [one.attribute for one in statements("Gustavo now maintains the tokenizer together with Priya.")]
    assert "owner" not in owners


def test_lines_of_talk_have_their_own_speakers(said: Callable[..., list[str]]) -> None:
    text = "Ana: I live in Oslo.\nBob: I work at Globex."
    assert said(text, speaker="") == ["Ana | LIVES_IN | Oslo", "Bob | WORKS_AT | Globex"]


def test_labels_are_no_speakers(said: Callable[..., list[str]]) -> None:
    assert said("Warning: I live in Oslo.\nNote: I work at Globex.", speaker="") == [
        "user | LIVES_IN | Oslo",
        "user | WORKS_AT | Globex",
    ]


def test_a_date_with_slashes_is_no_file(statements: Callable[[str], tuple[Statement, ...]]) -> None:
    assert [one.relation for one in statements("Ana met Bob on 3/4/2026.")] == ["MEET"]

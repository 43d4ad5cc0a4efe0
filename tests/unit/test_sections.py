"""Which section something belongs to, and what touches the work at hand."""

from __future__ import annotations

import pytest

from everfact.sections import SECTIONS, section_of, telling_words, touches


@pytest.mark.parametrize(
    ("sentence", "relation", "types", "section"),
    [
        ("We chose Postgres over MySQL.", "CHOSE", (), "decisions"),
        ("The API runs behind nginx.", "RUNS_BEHIND", ("Decision",), "decisions"),
        ("Every endpoint must answer in 200 ms.", "MUST", ("Requirement",), "decisions"),
        ("We standardised on UTC everywhere.", "", (), "decisions"),
        ("Ana prefers tabs.", "PREFERS", ("Person",), "preferences"),
        ("Dark mode.", "WANTED", ("Preference",), "preferences"),
        ("Please always squash.", "", (), "preferences"),
        ("To deploy, run make ship.", "", (), "procedures"),
        ("Ship on Fridays.", "SAYS", ("Procedure",), "procedures"),
        ("The login bug was caused by clock skew.", "CAUSED_BY", (), "gotchas"),
        ("Retries deadlock when the pool is small.", "", (), "gotchas"),
        ("Bob works at Globex.", "WORKS_AT", ("Person", "Organization"), "recent_work"),
        # What somebody says it is goes before how it sounds.
        ("We chose to live with the bug.", "CHOSE", ("Insight",), "gotchas"),
        ("Ana prefers what we decided.", "PREFERS", (), "preferences"),
    ],
)
def test_a_statement_has_its_section(sentence: str, relation: str, types: tuple[str, ...], section: str) -> None:
    assert section_of(sentence, relation, types).name == section


def test_the_sections_share_all_of_the_room() -> None:
    assert [section.name for section in SECTIONS] == [
        "decisions",
        "preferences",
        "procedures",
        "gotchas",
        "recent_work",
    ]
    assert sum(section.share for section in SECTIONS) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "sentence", "is_about"),
    [
        ("which database do we use for the queue?", "We chose Postgres for the job queue.", True),
        ("fix retry.py please", "retry.py sleeps too long", True),
        ("the issue is #4711, again", "Ticket 4711 is about the cache", True),
        ("rework the login page so that sessions survive a restart of the server", "Sessions live in Redis.", False),
        ("rework the login page so that sessions survive a restart", "Login sessions live in Redis.", True),
        ("what is it?", "It is what it is.", False),
        ("", "Anything.", False),
        ("データベースは何ですか", "キューのデータベースはPostgresです", True),
        ("deploying", "The deployment runs nightly.", True),
    ],
)
def test_words_in_common_tell_what_a_sentence_is_about(text: str, sentence: str, is_about: bool) -> None:
    words = telling_words(text)
    assert (bool(words) and touches(words, sentence)) is is_about

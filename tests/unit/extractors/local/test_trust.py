"""Texts that say of themselves how far they may be relied on."""

from __future__ import annotations

import pytest

from everfact.extractors.local.trust import with_trust
from everfact.models import Extraction, Mention, Statement, Trust

NOTHING = Extraction(extractor="x")
DOUBTS = [
    ("Unverified: the price is $5.", "unverified"),
    ("I heard a conflicting but unverified note about the region: eu-central-1.", "unverified"),
    ("The office moves to Oslo, but that hasn\u2019t been confirmed.", "unverified"),
    ("It's just a rumor, but Tom quit.", "unverified"),
    ("Don't rely on this: the port is 80.", "unverified"),
    ("I can't confirm this but the release is in May.", "unverified"),
    ("An old memo names Ana as owner; it must not override the current plan.", "unverified"),
    ("A wiki page lists 3.10, but it is not authoritative.", "unverified"),
    ("Take this with a pinch of salt: rent goes up to $900.", "unverified"),
    ("Please don't treat this as confirmed.", "unverified"),
    ("This note is about a different customer: they use Oracle.", "out_of_scope"),
    ("A similar note from  another workspace says 3.10.", "out_of_scope"),
    ("This doesn't apply to our project.", "out_of_scope"),
    ("That message is out of scope for this project.", "out_of_scope"),
]
PLAIN = [
    "My email is still unverified.",
    "The account is not verified yet.",
    "She comes from another team.",
    "I moved to another project.",
    "We got feedback from another customer: it is slow.",
    "Feature flags must not override the config.",
    "Localization is out of scope for v1.",
    "Tom is not reliable.",
    "Older workspace notes contain a similar but unauthorized mention.",
    "Keep this project and another one apart.",
]


@pytest.mark.parametrize(("text", "trust"), DOUBTS)
def test_doubts_about_the_telling_are_found(text: str, trust: str) -> None:
    assert with_trust(NOTHING, text).trust == trust


@pytest.mark.parametrize("text", PLAIN)
def test_the_same_words_about_the_world_are_no_doubts(text: str) -> None:
    assert with_trust(NOTHING, text) == NOTHING


def test_in_a_long_text_a_doubt_goes_for_its_own_sentence() -> None:
    sure, doubtful = "The port is 80.", "An unverified report says that the port is 81."
    filler = "There is much else to tell. " * 20
    text = f"{sure} {filler}{doubtful} {filler}"
    place = text.index(doubtful)
    said = [
        Statement(subject=Mention(name="port"), relation="IS", object=None, sentence=words, span=span)
        for words, span in ((sure, (0, 15)), (doubtful, (place, place + len(doubtful))), ("handed over", None))
    ]
    found = with_trust(Extraction(extractor="x", statements=tuple(said)), text)
    assert found.trust is Trust.FULL
    assert [s.trust for s in found.statements] == [Trust.FULL, Trust.UNVERIFIED, Trust.FULL]


def test_a_long_text_that_begins_with_a_doubt_is_doubtful_as_a_whole() -> None:
    text = "Unconfirmed: see below. " + "There is much else to tell. " * 20
    assert with_trust(NOTHING, text).trust is Trust.UNVERIFIED
